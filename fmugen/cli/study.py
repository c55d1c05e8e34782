"""``fmugen study``: many runs with other parameters, kept, resumed and evaluated."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fmugen.cli.files import replacing
from fmugen.cli.fmu_file import FmuFile, read_fmu
from fmugen.cli.simulate import experiment_of, exported
from fmugen.cli.terminal import Phases, error_console, print_line, print_table, print_warning
from fmugen.errors import FmugenError, ModelError, Problem
from fmugen.suggestions import did_you_mean
from fmugen.verify.simulate import communication_points

try:
    from fmugen.study import Findings, Plan, Store, Study, conduct, find, plan_runs, read_study
    from fmugen.study.worker import Experiment
    from fmugen.view.study import plot_study
except ModuleNotFoundError as missing:
    raise FmugenError(
        f"a study needs the package {missing.name}: install fmugen[study] in place of fmugen"
    ) from missing

__all__ = ["Conditions", "run_study"]

_MOST_MESSAGES = 5


@dataclass(frozen=True)
class Conditions:
    """Where results go and what computes them; ``folder`` is by default named after the study."""

    folder: Path | None
    workers: int
    scheduler: str | None
    fresh: bool


def run_study(path: Path, conditions: Conditions) -> None:
    """Conduct a study, or what is missing of it, and say what it found."""
    study = read_study(path)
    plan = plan_runs(study)
    folder = conditions.folder or path.with_suffix("")
    store = Store(folder, plan, [measure.name for measure in study.measures], study.chunk)
    with ExitStack() as stack:
        phases = stack.enter_context(Phases())
        subject = study.subject
        if subject.suffix.lower() != ".fmu":
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="fmugen-"))
            subject = exported(subject, Path(scratch), phases)
        content = subject.read_bytes() if subject.is_file() else b""
        fmu = read_fmu(subject)
        _require_variables(path, study, fmu)
        store.open(_fingerprint(study, plan, content), fresh=conditions.fresh)
        _conduct(content, _experiment(study, fmu), store, conditions)
    table = store.gather()
    findings = find(study, table)
    page = folder / "findings.html"
    with replacing(page) as temporary:
        plot_study(fmu.name, study, table, findings, temporary)
    _print_findings(fmu.name, plan, findings)
    print_line(f"results: {store.results}")
    print_line(f"plot: {page}")


def _require_variables(path: Path, study: Study, fmu: FmuFile) -> None:
    problems = [
        *_unknown("parameters", study.variations, fmu.names("parameter"), "parameter"),
        *_unknown("inputs", study.inputs, fmu.names("input"), "input"),
    ]
    variables = [variable.name for variable in fmu.variables]
    for measure in study.measures:
        problems += _unknown(
            f"results.{measure.name}", [measure.variable], variables, "variable", nested=False
        )
    if problems:
        raise ModelError(str(path), tuple(problems))


def _unknown(
    place: str, names: Iterable[str], known: list[str], what: str, *, nested: bool = True
) -> list[Problem]:
    return [
        Problem(
            f"{place}.{name}" if nested else place,
            f"the model has no {what} {name!r}",
            did_you_mean(name, known) or f"it has {', '.join(known[:20]) or 'none'}",
        )
        for name in names
        if name not in known
    ]


def _experiment(study: Study, fmu: FmuFile) -> Experiment:
    stop, step = experiment_of(fmu, study.stop, study.step)
    times = communication_points(stop, step).tolist()
    return Experiment(tuple(times), tuple(study.variations), study.inputs, study.measures)


def _fingerprint(study: Study, plan: Plan, content: bytes) -> str:
    """Equal for the same runs of the same FMU, wherever the study lies."""
    digest = hashlib.sha256(repr(replace(study, subject=Path(), goal=None)).encode())
    digest.update(plan.values.tobytes())
    digest.update(content)
    return digest.hexdigest()


def _conduct(content: bytes, experiment: Experiment, store: Store, conditions: Conditions) -> None:
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
            content,
            experiment,
            store,
            workers=conditions.workers,
            scheduler=conditions.scheduler,
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
