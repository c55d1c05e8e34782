"""``fmugen verify``: the FMU against an independent reference."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import typer

from fmugen.cli.files import replacing, require_writable
from fmugen.cli.signals import read_inputs
from fmugen.cli.terminal import Phases, print_line, print_table, print_warning
from fmugen.errors import SimulationError, TimeLimitError, VerificationError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.signals import Signal
from fmugen.verify.compare import verify_fmu
from fmugen.verify.deadline import REFERENCE_LIMIT
from fmugen.verify.exact import ExactMotion, exact_motion
from fmugen.verify.fmu_file import read_fmu, require_fit
from fmugen.verify.simulate import Trajectory
from fmugen.verify.tolerances import LOOSE
from fmugen.verify.verdict import Looseness, Verification
from fmugen.view.plots import plot_svg, plot_verification

__all__ = ["VerifyOptions", "verify_file", "verify_model"]

_VERIFICATION_FAILED = 3


@dataclass(frozen=True)
class VerifyOptions:
    """The options of a verification: how strict, how long, and which files to keep."""

    tolerance: float
    stop: float | None
    fmu: Path | None
    plot: Path | None
    inputs: tuple[str, ...] = ()
    seconds: float = REFERENCE_LIMIT
    exact_beams: bool = False


def verify_file(path: Path, model_path: Path, wanted: VerifyOptions) -> None:
    """Judge an FMU that exists by the reference of its model, and print the verdict.

    Raises
    ------
    SimulationError
        If the variables of the FMU are not those of the model.
    typer.Exit
        With the exit code of a failed verification, if it failed or could not be carried through.
    """
    require_writable(wanted.plot)
    with Phases() as phases:
        with phases.phase("read"):
            model = read_model(model_path)
            signals = read_inputs(wanted.inputs, [variable.name for variable in model.inputs])
            fmu = read_fmu(path)
            require_fit(fmu, model)
        controls_error = Solver(fmu.method).controls_error if fmu.method else True
        verification = _judged(model, path, controls_error, wanted, signals, phases)
        exact = _with_exact_beams(model, verification, wanted, signals, phases)
    _conclude(verification, wanted, exact)


def verify_model(path: Path, options: ExportOptions, wanted: VerifyOptions) -> None:
    """Export a model, judge the FMU and print the verdict.

    Raises
    ------
    typer.Exit
        With the exit code of a failed verification, if it failed or could not be carried through.
    """
    require_writable(wanted.fmu, path)
    require_writable(wanted.plot)
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder, Phases() as phases:
        with phases.phase("read"):
            model = read_model(path)
            signals = read_inputs(wanted.inputs, [variable.name for variable in model.inputs])
        destination = wanted.fmu if wanted.fmu is not None else Path(folder) / f"{model.name}.fmu"
        model = export_fmu(model, destination, options, phases).compilation.started
        verification = _judged(model, destination, options.solver.controls_error, wanted, signals, phases)
        exact = _with_exact_beams(model, verification, wanted, signals, phases)
    _conclude(verification, wanted, exact)


def _conclude(verification: Verification, wanted: VerifyOptions, exact: ExactMotion | None) -> None:
    _print_verification(verification)
    if exact is not None:
        _print_exact_beams(verification, exact)
    if wanted.fmu is not None:
        print_line(f"FMU:  {wanted.fmu}")
    if wanted.plot is not None:
        _write_plot(verification, wanted.plot)
        print_line(f"plot: {wanted.plot}")
    if not verification.passed:
        raise typer.Exit(_VERIFICATION_FAILED)


def _judged(
    model: SystemModel,
    fmu: Path,
    controls_error: bool,
    wanted: VerifyOptions,
    signals: dict[str, Signal],
    phases: Phases,
) -> Verification:
    try:
        with phases.phase("verify"):
            return verify_fmu(
                model,
                fmu,
                tolerance=wanted.tolerance,
                stop=wanted.stop,
                inputs=signals,
                reference_limit=wanted.seconds,
                loose=LOOSE if controls_error else (),
                ran=lambda run: phases.say(_first_verdict(run)),
                progress=lambda part: phases.note(f"reference {part:.0%}"),
            )
    except SimulationError as error:
        typer.echo(f"verification failed: the FMU does not run: {error}", err=True)
        raise typer.Exit(_VERIFICATION_FAILED) from error
    except TimeLimitError as error:
        typer.echo(f"not judged: {error}; give it more time (--seconds) or an earlier --stop", err=True)
        raise typer.Exit(_VERIFICATION_FAILED) from error
    except VerificationError as error:
        typer.echo(f"not judged: the reference could not follow: {error}", err=True)
        raise typer.Exit(_VERIFICATION_FAILED) from error


def _with_exact_beams(
    model: SystemModel,
    verification: Verification,
    wanted: VerifyOptions,
    signals: dict[str, Signal],
    phases: Phases,
) -> ExactMotion | None:
    """The motion with exact beams, if it is wanted."""
    if not wanted.exact_beams:
        return None
    try:
        with phases.phase("exact beams"):
            return exact_motion(model, verification.times, inputs=signals)
    except VerificationError as error:
        typer.echo(f"not compared with exact beams: {error}", err=True)
        raise typer.Exit(_VERIFICATION_FAILED) from error


def _print_exact_beams(verification: Verification, exact: ExactMotion) -> None:
    """How far the FMU is from exact beams. This is the error of shapes and of second order: no verdict."""
    print_table(
        f"FMU against geometrically exact beams of {exact.elements} elements, as a part of the peak",
        ("output", ">largest deviation", ">change by refinement"),
        (
            (each.name, f"{exact.deviation(each.name, each.fmu):.2e}", f"{exact.change[each.name]:.2e}")
            for each in verification.outputs
            if each.name in exact.change
        ),
    )


def _first_verdict(run: Trajectory) -> str:
    """The facts that are known before the reference is computed."""
    residual = run.values.get("closure.residual")
    closed = "" if residual is None else f", closure residual at most {np.max(np.abs(residual)):.1e}"
    return f"the FMU ran to t = {run.times[-1]:g} s{closed}; now the reference"


def _print_verification(verification: Verification) -> None:
    for note in verification.notes:
        print_warning(note)
    for message in verification.messages:
        print_warning(f"the FMU says: {message}")
    print_table(
        f"{verification.model}: FMU against reference, deviation as a part of the signal's scale",
        ("output", "unit", ">largest deviation", ">at time [s]"),
        (
            (signal.name, signal.unit, f"{signal.largest:.2e}", f"{verification.times[signal.where]:g}")
            for signal in verification.outputs
        ),
    )
    rows = [(name, f"{number:.2e}") for name, number in verification.figures()]
    if verification.skipped:
        rows.append(("not compared, since not unique", ", ".join(verification.skipped)))
    print_table("", ("", ""), rows)
    if verification.looseness:
        print_table(
            "Largest deviation at other tolerances",
            (">relative tolerance", ">deviation", ">allowed", ""),
            map(_looseness_row, verification.looseness),
        )
    for problem in verification.problems:
        print_line(problem, style="red")
    style = "bold green" if verification.passed else "bold red"
    print_line(verification.sentence, style=style)


def _looseness_row(run: Looseness) -> tuple[str, str, str, str]:
    found = "did not end" if run.stopped else f"{run.deviation:.2e}"
    return f"{run.tolerance:g}", found, f"{run.allowed:.1e}", "default of the FMU" if run.is_default else ""


def _write_plot(verification: Verification, plot: Path) -> None:
    draw = plot_svg if plot.suffix.lower() == ".svg" else plot_verification
    with replacing(plot) as temporary:
        draw(verification, temporary)
