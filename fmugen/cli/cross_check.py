"""``fmugen cross-check``: a model to a folder of the FMI cross-check."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import typer

from fmugen.cli.files import replacing, write_text
from fmugen.cli.signals import read_inputs
from fmugen.cli.terminal import Phases, print_line
from fmugen.errors import OutputError, SimulationError, VerificationError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.signals import Feed
from fmugen.verify.compare import TIGHT, verify_fmu
from fmugen.verify.crosscheck import LOOSER, cross_check_files, signal_tolerances
from fmugen.verify.moved import fed_inputs
from fmugen.verify.simulate import communication_points, simulate_fmu
from fmugen.verify.tolerances import LOOSE
from fmugen.verify.verdict import Verification

__all__ = ["cross_check_model"]

_VERIFICATION_FAILED = 3


def cross_check_model(
    path: Path, folder: Path | None, options: ExportOptions, inputs: tuple[str, ...] = ()
) -> None:
    """Export a model, solve its reference, and write both in the layout of the FMI cross-check.

    The solver inside the FMU has its tightest tolerance, so deviations come from the importers.
    Nothing is written before the FMU and the reference agree.

    Raises
    ------
    typer.Exit
        With the exit code of a failed verification, if the FMU and the reference differ.
    """
    with tempfile.TemporaryDirectory(prefix="fmugen-") as scratch, Phases() as phases:
        with phases.phase("read"):
            model = read_model(path)
            model = replace(
                model,
                experiment=replace(model.experiment, tolerance=TIGHT["solver.relative_tolerance"]),
            )
            signals = read_inputs(inputs, [variable.name for variable in model.inputs])
            experiment = model.experiment
            fed = fed_inputs(model, signals, communication_points(experiment.stop, experiment.step))
        destination = _made(Path(model.name) if folder is None else folder)
        _require_free(destination, model)
        export = export_fmu(model, Path(scratch) / f"{model.name}.fmu", options, phases)
        fmu, model = export.path, export.compilation.started
        try:
            with phases.phase("verify"):
                verification = verify_fmu(
                    model,
                    fmu,
                    inputs=signals,
                    loose=LOOSE if options.solver.controls_error else (),
                    progress=lambda part: phases.note(f"reference {part:.0%}"),
                )
            files = _files(model, fmu, verification, fed)
        except (SimulationError, VerificationError) as error:
            typer.echo(f"no cross-check: {error}", err=True)
            raise typer.Exit(_VERIFICATION_FAILED) from error
        if not verification.passed:
            for problem in verification.problems:
                print_line(problem, style="red")
            raise typer.Exit(_VERIFICATION_FAILED)
        # What marks the folder comes first, so that one whose writing was interrupted can be written again.
        for name in sorted(files, key=lambda name: name != _mark(model)):
            write_text(destination / name, files[name])
        with replacing(destination / fmu.name) as temporary:
            shutil.copyfile(fmu, temporary)
    print_line(f"{model.name}: {', '.join(sorted([fmu.name, *files]))} in {destination}")


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"the folder {folder} cannot be made: {reason}") from error
    return folder


def _mark(model: SystemModel) -> str:
    """The file by which a folder of this command is known: no other program writes it."""
    return f"{model.name}_tol.csv"


def _require_free(folder: Path, model: SystemModel) -> None:
    """Refuse a folder that has files of the names that are written, but not by this command."""
    if (folder / _mark(model)).is_file():
        return
    kinds = ("_ref.csv", "_ref.opt", "_cc.csv", "_in.csv", ".fmu")
    for path in (folder / "README.md", *(folder / f"{model.name}{kind}" for kind in kinds)):
        if path.exists():
            raise OutputError(
                f"{path} was not written by fmugen cross-check, and is not replaced: name another folder"
            )


def _files(model: SystemModel, fmu: Path, verification: Verification, fed: Feed) -> dict[str, str]:
    """The files; what importers may deviate by is found as they run the FMU, with values of inputs alone."""
    experiment = model.experiment
    looser = simulate_fmu(
        fmu,
        stop=experiment.stop,
        step=experiment.step,
        outputs=[output.name for output in model.outputs],
        parameters=LOOSER,
        inputs=replace(fed, derivatives={}),
    )
    tolerances = signal_tolerances(verification, looser, fed=bool(fed.values))
    return cross_check_files(model, verification, tolerances, fed)
