"""Draw the forces of tyres over slip, in pure and combined slip.

python docs/programs/tyre_curves.py [docs/images/tyre_curves.svg]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from panels import Curve, Panel, write_panels

from fmugen.components.magic_formula import MagicFormula
from fmugen.components.simple_tyre_laws import BrushLaw, FialaLaw, TyreNumbers
from fmugen.components.tyre_law import Contact, TyreLaw
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.phases.read.tyre_file import read_tyre_file

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "examples/vehicle_double_wishbone/tyre.tir"
LOAD, SPEED = 2600, 20
LOADS = (1500, 3000, 5000)
SLIPS, ANGLES = np.linspace(-0.4, 0.4, 161), np.radians(np.linspace(-15, 15, 121))

#: The longitudinal and the lateral force and the aligning moment by load, slip and slip angle.
Law = Callable[[float, float, float], Sequence[float]]


def _law(make: Callable[[Dag], TyreLaw]) -> Law:
    dag = Dag()
    load, slip, tangent = (dag.symbol(name, SymbolRole.COORDINATE) for name in ("load", "slip", "tangent"))
    found = make(dag).patch(Contact(load, slip, tangent, dag.zero, dag.number(SPEED)))
    evaluate = compile_python([found.fx, found.fy, found.mz], {"x": (load, slip, tangent)})
    return lambda load, slip, angle: evaluate([load, slip, math.tan(angle)])


def laws() -> dict[str, Law]:
    """The Magic Formula, and other tyres with its stiffness and friction at the nominal load."""
    coefficients = read_tyre_file(FILE)

    def magic(dag: Dag) -> TyreLaw:
        return MagicFormula(dag, {name: dag.number(Fraction(x)) for name, x in coefficients.items()})

    formula = _law(magic)
    small = 1e-4
    slip = (formula(LOAD, small, 0)[0] - formula(LOAD, -small, 0)[0]) / (2 * small)
    side = -(formula(LOAD, 0, small)[1] - formula(LOAD, 0, -small)[1]) / (2 * small)

    def numbers(dag: Dag) -> TyreNumbers:
        given = (0.29, LOAD, 1.3e5, 0, slip, side, 0.1, 0.3, 0.01, 1)
        return TyreNumbers(*(exact(dag, x) for x in given))

    def exact(dag: Dag, x: float) -> Expr:
        return dag.number(Fraction(x))

    return {
        "Magic Formula": formula,
        "Fiala": _law(lambda d: FialaLaw(d, numbers(d), exact(d, 1.1), exact(d, 0.8), exact(d, 0.17))),
        "brush": _law(lambda d: BrushLaw(d, numbers(d), exact(d, 1.05), exact(d, 0.15))),
    }


def panels() -> list[Panel]:
    known = laws()
    formula, degrees = known["Magic Formula"], np.degrees(ANGLES)
    along = [Curve(name, SLIPS, [law(LOAD, k, 0)[0] / 1e3 for k in SLIPS]) for name, law in known.items()]
    aside = [Curve(name, degrees, [law(LOAD, 0, a)[1] / 1e3 for a in ANGLES]) for name, law in known.items()]
    turn = [Curve(name, degrees, [law(LOAD, 0, a)[2] for a in ANGLES]) for name, law in known.items()]
    loaded = [Curve(f"{n} N", degrees, [formula(n, 0, a)[1] / 1e3 for a in ANGLES]) for n in LOADS]
    both, fading = [], []
    for angle in (2, 4, 8):
        forces = np.array([formula(LOAD, k, math.radians(angle)) for k in SLIPS]) / 1e3
        both.append(Curve(f"{angle} deg", forces[:, 0], forces[:, 1]))
        fading.append(Curve(f"{angle} deg", SLIPS, forces[:, 1]))
    return [
        Panel("longitudinal force", "slip", "F_x [kN]", along, names_below=True),
        Panel("lateral force", "slip angle [deg]", "F_y [kN]", aside),
        Panel("aligning moment", "slip angle [deg]", "M_z [N m]", turn),
        Panel("lateral force by load", "slip angle [deg]", "F_y [kN]", loaded),
        Panel("combined slip, by slip angle", "F_x [kN]", "F_y [kN]", both, names_below=True),
        Panel("lateral force in combined slip", "slip", "F_y [kN]", fading, names_below=True),
    ]


if __name__ == "__main__":
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images/tyre_curves.svg"
    write_panels(file, panels())
