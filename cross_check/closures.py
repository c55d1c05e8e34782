"""Exact closure against iteration and stabilization, timed from C, with the ratios of Uchida's thesis beside.

    python cross_check/closures.py [NAME ...]

Every model runs with the classical Runge-Kutta method at 1 ms (Andrews' squeezer at 0.01 ms) under each
closure, in the same coordinates; times are CPU nanoseconds of one step of the FMU, the least of several
runs. Driven mechanisms have nothing to integrate: there a step is the kinematics alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

from timing import time_step

from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions, Solver
from fmugen.phases.read import read_model

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


def main(names: list[str]) -> int:
    print(
        "| model | exact [ns] | "
        + " | ".join(f"{c.value} / exact (thesis)" for c in OTHERS)
        + " | iterated |"
    )
    print("|---|---|" + "---|" * (len(OTHERS) + 1))
    for name, trees, step, thesis in CASES:
        if names and name not in names:
            continue
        model = read_model(EXAMPLES / name / "model.toml")
        exact, export = time_step(model, ExportOptions(trees, Closure.TRIANGULAR, Solver.RK4), step, 400)
        cells = []
        driven = not export.generated.flow.independent
        for closure, printed in zip(OTHERS, thesis or (None,) * len(OTHERS), strict=True):
            if driven and closure in (Closure.BAUMGARTE, Closure.PENALTY):
                cells.append("-")  # nothing to integrate
                continue
            other, _ = time_step(model, ExportOptions(trees, closure, Solver.RK4), step, 400)
            ratio = "stops" if other is None or exact is None else f"{other / exact:.1f}"
            cells.append(f"{ratio} ({printed})" if printed else ratio)
        shown = "stops" if exact is None else f"{exact:.0f}"
        print(
            f"| {name}, {trees} | {shown} | " + " | ".join(cells) + f" | {export.generated.flow.iterated} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
