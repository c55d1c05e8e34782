"""``fmugen verify``: the FMU against an independent reference."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import typer

from fmugen.cli.files import replacing, require_writable
from fmugen.cli.signals import read_inputs
from fmugen.cli.terminal import Phases, print_line, print_table, print_warning
from fmugen.errors import SimulationError, VerificationError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.signals import Signal
from fmugen.verify.compare import verify_fmu
from fmugen.verify.tolerances import LOOSE
from fmugen.verify.verdict import Looseness, Verification
from fmugen.view.plots import plot_svg, plot_verification

__all__ = ["Judgement", "verify_model"]

_VERIFICATION_FAILED = 3


@dataclass(frozen=True)
class Judgement:
    """What the user asks of a verification: how strict, how long, and which files to keep."""

    tolerance: float
    stop: float | None
    fmu: Path | None
    plot: Path | None
    inputs: tuple[str, ...] = ()


def verify_model(path: Path, options: ExportOptions, wanted: Judgement) -> None:
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
            signals = read_inputs(wanted.inputs, [given.name for given in model.inputs])
        destination = wanted.fmu if wanted.fmu is not None else Path(folder) / f"{model.name}.fmu"
        export_fmu(model, destination, options, phases)
        verification = _judged(model, destination, options.solver, wanted, signals, phases)
    _print_verification(verification)
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
    solver: Solver,
    wanted: Judgement,
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
                loose=LOOSE if solver.controls_error else (),
                progress=lambda part: phases.note(f"reference {part:.0%}"),
            )
    except (SimulationError, VerificationError) as error:
        typer.echo(f"verification failed: {error}", err=True)
        raise typer.Exit(_VERIFICATION_FAILED) from error


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
    rows = list(_figures(verification))
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
    verdict = "passed" if verification.passed else "FAILED"
    style = "bold green" if verification.passed else "bold red"
    largest, tolerance = f"{verification.largest:.2e}", f"{verification.tolerance:g}"
    print_line(f"{verdict}: largest deviation {largest}, tolerance {tolerance}", style=style)


def _looseness_row(run: Looseness) -> tuple[str, str, str, str]:
    found = "did not end" if run.stopped else f"{run.deviation:.2e}"
    return f"{run.tolerance:g}", found, f"{run.allowed:.1e}", "default of the FMU" if run.is_default else ""


def _figures(verification: Verification) -> Iterator[tuple[str, str]]:
    """What was measured beside the outputs, in words and numbers."""
    if verification.bodies:
        bodies = max(signal.largest for signal in verification.bodies)
        yield "largest deviation of a body's pose", f"{bodies:.2e}"
    if verification.closure is not None:
        yield "closure residual, as the FMU reports it", f"{np.max(np.abs(verification.closure)):.2e}"
        yield "closure residual, of the FMU's poses", f"{verification.violation:.2e}"
    if verification.energy is not None:
        yield "energy imbalance, as a part of the turnover", f"{verification.energy.largest:.2e}"
    if verification.components:
        worst = max(verification.components, key=lambda signal: signal.largest)
        name = f"largest deviation of a component's variable ({worst.name})"
        yield name, f"{worst.largest:.2e}"
    if verification.power is not None:
        yield "sum of all powers, as a part of what flows", f"{verification.power.largest:.2e}"


def _write_plot(verification: Verification, plot: Path) -> None:
    draw = plot_svg if plot.suffix.lower() == ".svg" else plot_verification
    with replacing(plot) as temporary:
        draw(verification, temporary)
