"""``fmugen report``: one page about a model, its FMU and how both compare with the reference."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import typer

from fmugen.cli.files import require_writable, write_text
from fmugen.cli.signals import read_inputs
from fmugen.cli.terminal import Phases, print_line
from fmugen.errors import VerificationError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import Export, export_fmu
from fmugen.signals import Signal
from fmugen.verify.compare import verify_fmu
from fmugen.verify.moved import fed_inputs
from fmugen.verify.simulate import communication_points, simulate_fmu
from fmugen.verify.tolerances import LOOSE
from fmugen.view.report import Evidence, Provenance, fingerprint, report_page
from fmugen.view.report.evidence import verdict_of
from fmugen.view.report.poses import pose_names

__all__ = ["ReportOptions", "report_export", "report_model"]

_VERIFICATION_FAILED = 3


@dataclass(frozen=True)
class ReportOptions:
    """The options of a report; without ``output`` it is named after the model."""

    options: ExportOptions
    output: Path | None = None
    tolerance: float = 1e-6
    stop: float | None = None
    inputs: tuple[str, ...] = ()


def report_model(path: Path, wanted: ReportOptions) -> None:
    """Export a model to a temporary FMU and report on it.

    Raises
    ------
    typer.Exit
        With the exit code of a failed verification, after the page is written.
    """
    require_writable(wanted.output)
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        with Phases() as phases:
            with phases.phase("read"):
                model = read_model(path)
            export = export_fmu(model, Path(folder) / f"{model.name}.fmu", wanted.options, phases)
        report_export(path, export, wanted)


def report_export(path: Path, export: Export, wanted: ReportOptions) -> None:
    """Run and judge a finished FMU, and write the page.

    Raises
    ------
    typer.Exit
        With the exit code of a failed verification, after the page is written.
    """
    model = export.compilation.started
    destination = wanted.output if wanted.output is not None else Path(f"{model.name}.html")
    require_writable(destination)
    with Phases() as phases:
        with phases.phase("verify"):
            evidence = _evidence(model, export.path, wanted, phases)
        with phases.phase("report"):
            files = {"model": path, "FMU": export.path}
            provenance = Provenance({what: (file.name, fingerprint(file)) for what, file in files.items()})
            page = report_page(export.compilation, evidence, provenance)
            write_text(destination, page)
    verdict = verdict_of(evidence)
    print_line(verdict.sentence, style="bold green" if verdict.word == "passed" else "bold red")
    print_line(f"report: {destination}")
    if verdict.word != "passed":
        raise typer.Exit(_VERIFICATION_FAILED)


def _evidence(model: SystemModel, fmu: Path, wanted: ReportOptions, phases: Phases) -> Evidence:
    """The comparison; where the reference cannot follow the motion, the run of the FMU alone."""
    signals = read_inputs(wanted.inputs, [variable.name for variable in model.inputs])
    try:
        verification = verify_fmu(
            model,
            fmu,
            tolerance=wanted.tolerance,
            stop=wanted.stop,
            inputs=signals,
            loose=LOOSE if wanted.options.solver.controls_error else (),
            progress=lambda part: phases.note(f"reference {part:.0%}"),
        )
    except VerificationError as error:
        return _run_alone(model, fmu, wanted, signals, str(error))
    return Evidence.of(verification)


def _run_alone(
    model: SystemModel, fmu: Path, wanted: ReportOptions, signals: dict[str, Signal], failure: str
) -> Evidence:
    units = {output.name: output.unit for output in model.outputs}
    stop = model.experiment.stop if wanted.stop is None else wanted.stop
    trajectory = simulate_fmu(
        fmu,
        stop=stop,
        step=model.experiment.step,
        outputs=[*units, *pose_names(model)],
        inputs=fed_inputs(model, signals, communication_points(stop, model.experiment.step)),
    )
    return Evidence(trajectory.times, trajectory.values, units, None, failure)
