"""``fmugen cross-check``: a model to a folder of the FMI cross-check."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from fmugen.cli.files import write_text
from fmugen.cli.terminal import Phases, print_line
from fmugen.errors import OutputError, SimulationError, VerificationError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import TIGHT, verify_fmu
from fmugen.verify.crosscheck import LOOSER, cross_check_files, signal_tolerances
from fmugen.verify.simulate import simulate_fmu
from fmugen.verify.tolerances import LOOSE
from fmugen.verify.verdict import Verification

__all__ = ["cross_check_model"]

_VERIFICATION_FAILED = 3


def cross_check_model(path: Path, folder: Path | None, options: ExportOptions) -> None:
    """Export a model, solve its reference, and write both in the layout of the FMI cross-check.

    The solver inside the FMU is as exact as it can be, so that what importers deviate by is theirs.

    Raises
    ------
    typer.Exit
        With the exit code of a failed verification, if the FMU and the reference differ; no reference is
        written then.
    """
    with Phases() as phases:
        with phases.phase("read"):
            model = read_model(path)
            model = replace(
                model,
                experiment=replace(model.experiment, tolerance=TIGHT["solver.relative_tolerance"]),
            )
        destination = _made(Path(model.name) if folder is None else folder)
        fmu = export_fmu(model, destination / f"{model.name}.fmu", options, phases).path
        try:
            with phases.phase("verify"):
                verification = verify_fmu(
                    model,
                    fmu,
                    loose=LOOSE if options.solver.controls_error else (),
                    progress=lambda part: phases.note(f"reference {part:.0%}"),
                )
            files = _files(model, fmu, verification)
        except (SimulationError, VerificationError) as error:
            typer.echo(f"no cross-check: {error}", err=True)
            raise typer.Exit(_VERIFICATION_FAILED) from error
    if not verification.passed:
        for problem in verification.problems:
            print_line(problem, style="red")
        raise typer.Exit(_VERIFICATION_FAILED)
    for name, text in files.items():
        write_text(destination / name, text)
    print_line(f"{model.name}: {', '.join(sorted([fmu.name, *files]))} in {destination}")


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"the folder {folder} cannot be made: {reason}") from error
    return folder


def _files(model: SystemModel, fmu: Path, verification: Verification) -> dict[str, str]:
    experiment = model.experiment
    looser = simulate_fmu(
        fmu,
        stop=experiment.stop,
        step=experiment.step,
        outputs=[output.name for output in model.outputs],
        parameters=LOOSER,
    )
    return cross_check_files(model, verification, signal_tolerances(verification, looser))
