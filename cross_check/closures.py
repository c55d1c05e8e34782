"""Exact closure against iteration and stabilization, timed from C, with the ratios of Uchida's thesis beside.

    python cross_check/closures.py [NAME ...]

Every model runs with the classical Runge-Kutta method at 1 ms (Andrews' squeezer at 0.01 ms) under each
closure, in the same coordinates; times are CPU nanoseconds of one step of the FMU, the least of several
runs. Driven mechanisms have nothing to integrate: there a step is the kinematics alone.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from timing import nanoseconds_of_step, stopwatch

from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.phases.compile import compile_library
from fmugen.phases.read import read_model
from fmugen.pipeline import generate

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

#: Model, trees, step; and the thesis's dynamic ratios of exact closure to Newton per loop and all at once, to
#: Baumgarte and penalty (at a tolerance of 1e-6; ours iterates to rounding).
CASES = [
    ("slider_crank", "aac", 1e-3, ()),
    ("four_bar", "aac", 1e-3, ()),
    ("andrews", "aac", 1e-5, ()),
    ("three_rrr", "aac", 1e-3, (2.4, None, None, None)),
    ("three_rrr_uchida", "platform_pose", 1e-3, (2.4, None, None, None)),
    ("stewart_gough", "row3", 1e-3, (1.6, 7.8, 4.2, 8.3)),
    ("spatial_slider_crank", "jc", 1e-3, ()),
    ("spatial_four_bar_skew", "jc", 1e-3, ()),
    ("quick_return", "aac", 1e-3, ()),
    ("stephenson_iii", "aac", 1e-3, (4.4, None, None, None)),
    ("landing_gear", "aac", 1e-3, ()),
]
OTHERS = (Closure.NEWTON, Closure.NEWTON_ALL, Closure.BAUMGARTE, Closure.PENALTY)


STEPS = 200
REPEATS = 10
ROUNDS = 5


def step_time(
    program: Path, model: SystemModel, trees: str, closure: Closure, step: float
) -> tuple[float, int]:
    """Nanoseconds of a step (infinite if the FMU stops on the way), and how many unknowns are iterated."""
    made = generate(model, ExportOptions(trees, closure, Solver.RK4, step))
    library = program.with_name("library.so")
    library.write_bytes(compile_library(made.sources))
    best = float("inf")
    for _ in range(ROUNDS):
        spent = nanoseconds_of_step(program, library, made.description.guid, step * STEPS, REPEATS)
        best = min(best, float("inf") if isinstance(spent, str) else spent / STEPS)
    return best, made.flow.iterated


def row(program: Path, name: str, trees: str, step: float, thesis: tuple[float | None, ...]) -> list[str]:
    model = replace(read_model(EXAMPLES / name / "model.toml"), outputs=())
    exact, iterated = step_time(program, model, trees, Closure.TRIANGULAR, step)
    cells = [f"{name}, {trees}", f"{exact:.0f}"]
    for closure, printed in zip(OTHERS, thesis or (None,) * len(OTHERS), strict=True):
        other, _ = step_time(program, model, trees, closure, step)
        ratio = "stops" if other == float("inf") else f"{other / exact:.1f}"
        cells.append(f"{ratio} ({printed})" if printed else ratio)
    return [*cells, str(iterated)]


def main(names: list[str]) -> int:
    heads = [f"{closure.value} / exact (thesis)" for closure in OTHERS]
    print("| model | exact [ns] | " + " | ".join(heads) + " | iterated |")
    print("|---|---|" + "---|" * (len(OTHERS) + 1))
    with tempfile.TemporaryDirectory() as folder:
        program = stopwatch(Path(folder))
        for name, trees, step, thesis in CASES:
            if not names or name in names:
                print("| " + " | ".join(row(program, name, trees, step, thesis)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
