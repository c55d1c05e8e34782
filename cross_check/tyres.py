"""The tyre laws of compiler and judge beside two public implementations of the Magic Formula.

    python cross_check/tyres.py [--opentire FOLDER] [--tyredyn FOLDER] [--output FILE] [--points FILE]

The folders are those from which `opentire` and `src` can be imported. OpenTire has PAC2002, TyreDyn 6.1. The
tyres are those of tests/data/wheels; points are drawn at random. A figure is the largest deviation over the
largest magnitude. The exit code is 3 if one is above 1e-9. ``--points`` writes what TyreDyn gives.

Where an implementation differs from what it cites, that is undone, and the page says so.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import math
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from pages import kept_page

from fmugen.components.magic_formula import MagicFormula
from fmugen.components.magic_formula_61 import MagicFormula61
from fmugen.components.tyre_law import Contact
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Dag, SymbolRole
from fmugen.phases.read.tyre_file import read_tyre_file
from fmugen.verify.catalogue.tyre_formulas import Pacejka, Pacejka61

DATA = Path(__file__).resolve().parents[1] / "tests" / "data" / "wheels"
FORCES = ("Fx", "Fy", "Mx", "My", "Mz")
SPEED, PRESSURE, COUNT, ALLOWED = 20.0, 240e3, 2000, 1e-9

_REMARKS = """
OpenTire is called with the arc tangent of the slip angle and the arc sine of the inclination, which undoes
its own tangent and sine. Of TyreDyn what it adds to denominators is zero here, and in Mz three deviations
from the papers that it cites are undone: the cosine of the slip angle twice in the residual moment, pi/2 in
the place of 2/pi in the curvature of the trail, and the cornering stiffness without inclination."""

#: Load, longitudinal slip, slip angle and inclination.
Point = tuple[float, float, float, float]
Law = Callable[[Point], Sequence[float]]


def points() -> Iterator[Point]:
    draw = np.random.default_rng(2026)
    for _ in range(COUNT):
        yield (
            float(draw.uniform(300, 7000)),
            float(draw.uniform(-0.9, 0.9)),
            float(draw.uniform(-0.6, 0.6)),
            float(draw.uniform(-0.2, 0.2)),
        )


# --- the project ---------------------------------------------------------------------------------


def compiler(kind: type[MagicFormula], coefficients: dict[str, float]) -> Law:
    dag = Dag()
    names = ("load", "slip", "tangent", "tilt")
    load, slip, tangent, tilt = (dag.symbol(name, SymbolRole.COORDINATE) for name in names)
    law = kind(dag, {name: dag.number(Fraction(x)) for name, x in coefficients.items()})
    found = law.patch(Contact(load, slip, tangent, tilt, dag.number(Fraction(SPEED))))
    roots = [found.fx, found.fy, found.mx, found.my, found.mz]
    evaluate = compile_python(roots, {"x": (load, slip, tangent, tilt)})
    return lambda at: evaluate([at[0], at[1], math.tan(at[2]), math.sin(at[3])])


def judge(kind: type[Pacejka], coefficients: dict[str, float]) -> Law:
    law = kind(coefficients)
    return lambda at: law.wrench(*at, SPEED)


# --- OpenTire, PAC2002 ---------------------------------------------------------------------------


def opentire(folder: Path) -> Law:
    """Its own tangent and sine of the angles are undone; My negative resists rolling forward here."""
    sys.path.insert(0, str(folder))
    package = importlib.import_module("opentire")
    model = package.OpenTire().createmodel("PAC2002")
    for name, value in read_tyre_file(DATA / "own_tyre.tir").items():
        model.Coefficients["LFZ0" if name == "LFZO" else name] = value
    state_of = importlib.import_module("opentire.Core").TireState

    def law(at: Point) -> Sequence[float]:
        load, slip, angle, inclination = at
        state = state_of()
        state.update(FZ=load, SR=slip, SA=math.atan(angle), IA=math.asin(inclination), V=SPEED, P=PRESSURE)
        model.solve(state)
        return [state["FX"], state["FY"], state["MX"], -state["MY"], state["MZ"]]

    return law


# --- TyreDyn, MF 6.1 -----------------------------------------------------------------------------


def tyredyn(folder: Path) -> Law:
    """Undone: what it adds to denominators, and in Mz the second cosine of the residual moment, pi/2 in the
    place of 2/pi, and the cornering stiffness without inclination."""
    sys.path.insert(0, str(folder))
    for name in ("jedi", "matplotlib", "matplotlib.pyplot"):  # imported, but not used here
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["jedi"].settings = None  # type: ignore[attr-defined]
    sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]  # type: ignore[attr-defined]
    source: Any = importlib.import_module("src.initialize_tyre")
    source.TYRE_DIR = DATA
    tyre = source.Tyre("own_tyre_61.tir", validate=False, check_limits=False, print_status=False)
    tyre.zeta_default = 1.0
    for name in ("_eps_r", "_eps_x", "_eps_kappa", "_eps_V"):
        setattr(tyre, name, 0.0)
    tyre.common._find_eps_y = lambda FZ: 0.0
    for name in ("QEZ4", "QEZ5"):
        setattr(tyre, name, getattr(tyre, name) * 4 / math.pi**2)
    residual, stiffness = tyre.moments._mz_main_routine, tyre.gradient._find_cornering_stiffness
    tyre.moments._mz_main_routine = lambda **given: residual(**given) / math.cos(given["SA"])
    kinds = ("fx", "fy", "mx", "my", "mz")
    finders = [getattr(tyre.forces if k[0] == "f" else tyre.moments, f"_find_{k}_combined") for k in kinds]

    def law(at: Point) -> Sequence[float]:
        load, slip, angle, inclination = at
        tyre.gradient._find_cornering_stiffness = lambda **given: stiffness(**{"IA": inclination, **given})
        given = {"SA": angle, "SL": slip, "FZ": load, "P": PRESSURE, "IA": inclination, "VX": SPEED}
        return [float(find(**given, N=SPEED / 0.28, PHIT=0.0)) for find in finders]

    return law


# --- pages ---------------------------------------------------------------------------------------


def deviations(law: Law, other: Law) -> list[float]:
    """The largest deviation of each force and moment, over its largest magnitude."""
    pairs = [(law(at), other(at)) for at in points()]
    ours, theirs = (np.array([pair[which] for pair in pairs], dtype=float) for which in (0, 1))
    return list(np.abs(ours - theirs).max(axis=0) / np.abs(theirs).max(axis=0))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def write_points(law: Law, file: Path) -> None:
    """Every tenth point with what TyreDyn gives."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(("Fz", "kappa", "alpha", "gamma", *FORCES))
        for at in list(points())[::10]:
            table.writerow([*(repr(x) for x in at), *(f"{x:.15g}" for x in law(at))])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--opentire", type=Path)
    parser.add_argument("--tyredyn", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--points", type=Path)
    options = parser.parse_args()
    cases: list[tuple[str, str, Law, type[MagicFormula], type[Pacejka]]] = []
    if options.opentire:
        cases.append(("OpenTire, PAC2002", "own_tyre.tir", opentire(options.opentire), MagicFormula, Pacejka))
    if options.tyredyn:
        law = tyredyn(options.tyredyn)
        cases.append(("TyreDyn, MF 6.1", "own_tyre_61.tir", law, MagicFormula61, Pacejka61))
        if options.points:
            write_points(law, options.points)
    worst = 0.0
    with kept_page(options.output):
        print("# Tyre laws beside other implementations\n")
        print(f"The largest deviation of {COUNT} random points in combined slip, over the largest value:\n")
        print(_row("", "", *FORCES))
        print(_row(*["---"] * (2 + len(FORCES))))
        for title, file, other, formula, pacejka in cases:
            coefficients = read_tyre_file(DATA / file)
            for name, ours in (
                ("compiler", compiler(formula, coefficients)),
                ("judge", judge(pacejka, coefficients)),
            ):
                found = deviations(ours, other)
                worst = max(worst, *found)
                print(_row(title, name, *(f"{x:.1e}" for x in found)))
        print(_REMARKS)
    return 0 if worst <= ALLOWED else 3


if __name__ == "__main__":
    sys.exit(main())
