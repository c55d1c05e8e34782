"""``fmugen study``: many runs with other parameters, kept, resumed and evaluated."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fmugen.api import experiment_of
from fmugen.cli.files import replacing
from fmugen.cli.simulate import exported
from fmugen.cli.split import Splitting, exported_parts
from fmugen.cli.terminal import Phases, error_console, print_line, print_table, print_warning
from fmugen.errors import FmugenError, ModelError, Problem
from fmugen.ir.options import ExportOptions
from fmugen.master import PartVariable, Signals, System, load_system
from fmugen.signals import Signal, constant, feed, read_signals
from fmugen.suggestions import choice_hint, did_you_mean
from fmugen.verify.fmu_file import read_fmu
from fmugen.verify.simulate import communication_points

try:
    from fmugen.study import Findings, Plan, Store, Study, conduct, find, plan_runs, read_study
    from fmugen.study.worker import StudySetup, Subject
    from fmugen.view.study import plot_study
except ModuleNotFoundError as missing:
    raise FmugenError(f"a study needs the package {missing.name}: install fmugen[study]") from missing

__all__ = ["StudyOptions", "run_study"]

_MOST_MESSAGES = 5


@dataclass(frozen=True)
class StudyOptions:
    """Where results go and what computes them; ``folder`` is by default named after the study."""

    folder: Path | None
    workers: int
    scheduler: str | None
    fresh: bool


def run_study(path: Path, options: StudyOptions) -> None:
    """Run a study, or the runs that are missing, and print the findings."""
    study = read_study(path)
    plan = plan_runs(study)
    folder = options.folder or path.with_suffix("")
    store = Store(folder, plan, [measure.name for measure in study.measures], study.chunk)
    with ExitStack() as stack:
        phases = stack.enter_context(Phases())
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fmugen-")))
        file = _subject(study, scratch, phases)
        system = load_system(file, scratch / "unpacked")
        experiment = _experiment(path, study, system)
        subject = Subject(file.name, file.read_bytes())
        store.open(_fingerprint(study, plan, subject.content), fresh=options.fresh)
        _conduct(subject, experiment, store, options)
    table = store.gather()
    findings = find(study, table)
    with replacing(store.page) as temporary:
        plot_study(system.name, study, table, findings, temporary)
    _print_findings(system.name, plan, findings)
    print_line(f"results: {store.results}")
    print_line(f"plot: {store.page}")


def _subject(study: Study, scratch: Path, phases: Phases) -> Path:
    """The FMU or the package that is run; that of a model file is made in ``scratch``."""
    subject = study.subject
    match subject.suffix.lower():
        case ".ssp":
            return subject
        case ".fmu":
            return read_fmu(subject).path
    if study.parts:
        return exported_parts(subject, Splitting(study.parts, folder=scratch), ExportOptions(), phases).path
    return exported(subject, scratch, phases)


def _experiment(path: Path, study: Study, system: System) -> StudySetup:
    """The data shared by all runs, with names resolved in the system; unknown names are errors."""
    _require_names(path, study, system)
    parameters, inputs, variables = system.named("parameter"), system.named("input"), system.named()
    stop, step = experiment_of(system, study.stop, study.step)
    times = communication_points(stop, step)
    fed = feed(_signals(path, study, system, inputs), system.chains(), times)
    for note in fed.notes:
        print_warning(note)
    moving = {name: tuple(column.tolist()) for name, column in fed.values.items() if np.ptp(column)}
    places = {system.part(place[0]).title(place[1]): place for each in inputs.values() for place in each}
    return StudySetup(
        tuple(times.tolist()),
        tuple(parameters[name] for name in study.variations),
        {places[name]: float(column[0]) for name, column in fed.values.items() if name not in moving},
        tuple((variables[measure.variable][0], measure.reduction) for measure in study.measures),
        study.scheme,
        Signals(
            {places[name]: values for name, values in moving.items()},
            {places[name]: tuple(map(tuple, rows.tolist())) for name, rows in fed.derivatives.items()},
        ),
    )


def _require_names(path: Path, study: Study, system: System) -> None:
    """Every parameter, input and variable that a study names is in the system, once."""
    variables = system.named()
    measured = {f"results.{measure.name}": measure.variable for measure in study.measures}
    varied = {f"parameters.{name}": name for name in study.variations}
    fed = {f"inputs.{name}": name for name in study.inputs}
    problems = [
        *_unknown(varied, system.named("parameter"), "parameter"),
        *_unknown(fed, system.named("input"), "input"),
        *_unknown(measured, variables, "variable"),
        *_ambiguous(measured, variables, system),
    ]
    if problems:
        raise ModelError(str(path), tuple(problems))


def _signals(
    path: Path, study: Study, system: System, known: Mapping[str, tuple[PartVariable, ...]]
) -> dict[str, Signal]:
    """The signals of the inputs, by their names in the system."""
    signals: dict[str, Signal] = {}
    for name, given in study.inputs.items():
        signal = constant(given) if isinstance(given, float) else _column(path, given, name)
        signals |= {system.part(part).title(variable): signal for part, variable in known[name]}
    return signals


def _column(path: Path, file: Path, name: str) -> Signal:
    columns = read_signals(file)
    if name not in columns:
        hint = choice_hint(name, columns, "it has")
        raise ModelError(str(path), (Problem(f"inputs.{name}", f"{file.name} has no column {name!r}", hint),))
    return columns[name]


def _unknown(names: Mapping[str, str], known: Mapping[str, object], what: str) -> list[Problem]:
    return [
        Problem(
            place,
            f"the model has no {what} {name!r}",
            did_you_mean(name, list(known)) or f"it has {', '.join(list(known)[:20]) or 'none'}",
        )
        for place, name in names.items()
        if name not in known
    ]


def _ambiguous(
    names: Mapping[str, str], variables: Mapping[str, tuple[PartVariable, ...]], system: System
) -> list[Problem]:
    return [
        Problem(
            place,
            f"several parts have {name!r}",
            "write one of " + ", ".join(system.part(part).title(name) for part, _ in variables[name]),
        )
        for place, name in names.items()
        if len(variables.get(name, ())) > 1
    ]


def _fingerprint(study: Study, plan: Plan, content: bytes) -> str:
    """Equal for the same runs of the same FMU or package, wherever the study lies."""
    digest = hashlib.sha256(
        repr(replace(study, subject=Path(), parts="", goal=None, inputs=_named(study))).encode()
    )
    digest.update(plan.values.tobytes())
    for file in study.inputs.values():
        if isinstance(file, Path):
            digest.update(file.read_bytes())
    digest.update(content)
    return digest.hexdigest()


def _named(study: Study) -> dict[str, float | Path]:
    """The inputs, without the folders of their files: only the content counts."""
    return {name: Path(x.name) if isinstance(x, Path) else x for name, x in study.inputs.items()}


def _conduct(subject: Subject, experiment: StudySetup, store: Store, options: StudyOptions) -> None:
    bar = Progress(
        TextColumn("runs"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=error_console(),
        disable=not error_console().is_terminal,
    )
    with bar:
        task = bar.add_task("runs", total=store.plan.runs)
        conduct(
            subject,
            experiment,
            store,
            workers=options.workers,
            scheduler=options.scheduler,
            progress=lambda done: bar.update(task, completed=done),
        )


def _print_findings(name: str, plan: Plan, findings: Findings) -> None:
    for message, count in list(findings.failed.items())[:_MOST_MESSAGES]:
        print_warning(f"{count} of {findings.runs} runs stopped: {message}")
    print_table(
        f"{name}: {findings.runs} runs",
        ("result", ">mean", ">deviation", ">smallest", ">5 %", ">median", ">95 %", ">largest"),
        (
            (
                s.measure,
                *(f"{x:.6g}" for x in (s.mean, s.deviation, s.least, s.low, s.median, s.high, s.most)),
            )
            for s in findings.spreads
        ),
    )
    if findings.influences:
        print_table(
            "part of the variance that a parameter causes",
            ("result", "parameter", ">alone", ">with all others"),
            ((i.measure, i.parameter, f"{i.first:.3f}", f"{i.total:.3f}") for i in findings.influences),
        )
    if findings.best is not None:
        values = zip(plan.names, plan.values[findings.best], strict=True)
        print_line(f"best: run {findings.best}, " + ", ".join(f"{p} = {x:.6g}" for p, x in values))
