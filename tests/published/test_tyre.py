"""The Magic Formula of compiler and judge against other implementations (cross_check/tyres.py)."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fmugen.components.magic_formula import MagicFormula
from fmugen.components.magic_formula_61 import MagicFormula61
from fmugen.components.tyre_law import Contact
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Dag, SymbolRole
from fmugen.phases.read.tyre_file import read_tyre_file
from fmugen.verify.catalogue.tyre_formulas import Pacejka, Pacejka61

DATA = Path(__file__).parents[1] / "data" / "wheels"
FORCES = ("Fx", "Fy", "Mx", "My", "Mz")
LENGTHS = ("sigma_kappa", "sigma_alpha")
SPEED = 20.0
COEFFICIENTS = read_tyre_file(DATA / "own_tyre.tir")


def points(name: str) -> list[dict[str, float]]:
    with (DATA / name).open(encoding="utf-8") as file:
        rows = [{k: float(v) for k, v in row.items() if k != "kind"} for row in csv.DictReader(file)]
    assert len(rows) >= 200
    return rows


def largest(rows: list[dict[str, float]], names: tuple[str, ...]) -> np.ndarray:
    return np.array([max(abs(row[name]) for row in rows) for name in names])


def compiled(kind: type[MagicFormula], coefficients: Mapping[str, float]) -> Callable[..., list[float]]:
    dag = Dag()
    names = ("load", "slip", "tangent", "tilt")
    load, slip, tangent, tilt = (dag.symbol(n, SymbolRole.COORDINATE) for n in names)
    tyre = kind(dag, {name: dag.number(Fraction(x)) for name, x in coefficients.items()})
    found = tyre.patch(Contact(load, slip, tangent, tilt, dag.number(Fraction(SPEED))))
    lengths = tyre.relaxation_lengths(load, tilt)
    evaluate = compile_python(
        [found.fx, found.fy, found.mx, found.my, found.mz, *lengths], {"x": (load, slip, tangent, tilt)}
    )
    return lambda row: evaluate([row["Fz"], row["kappa"], math.tan(row["alpha"]), math.sin(row["gamma"])])


def judged(tyre: Pacejka, row: dict[str, float]) -> list[float]:
    wrench = tyre.wrench(row["Fz"], row["kappa"], row["alpha"], row["gamma"], SPEED)
    return [*wrench, *tyre.relaxation(row["Fz"], row["gamma"])]


def test_compiler_and_judge_have_the_forces_of_pac2002() -> None:
    """OpenTire at 837 points: within 1e-9 of the largest value, and the nine digits of the table."""
    rows, names = points("own_tyre_forces.csv"), (*FORCES, *LENGTHS)
    assert len(rows) == 837
    scale = 1e-9 * largest(rows, names)
    compiler, judge = compiled(MagicFormula, COEFFICIENTS), Pacejka(COEFFICIENTS)
    for row in rows:
        table = np.array([row[name] for name in names])
        bounds = scale + 5e-9 * np.abs(table)
        assert np.all(np.abs(compiler(row) - table) <= bounds)
        assert np.all(np.abs(judged(judge, row) - table) <= bounds)


def test_compiler_and_judge_have_the_forces_of_61() -> None:
    """TyreDyn at 200 points of combined slip."""
    rows = points("own_tyre_61_forces.csv")
    coefficients = read_tyre_file(DATA / "own_tyre_61.tir")
    assert coefficients["FITTYP"] == 61
    bounds = 1e-12 * largest(rows, FORCES)
    compiler, judge = compiled(MagicFormula61, coefficients), Pacejka61(coefficients)
    for row in rows:
        ours, theirs = compiler(row), judged(judge, row)
        table = np.array([row[name] for name in FORCES])
        assert np.all(np.abs(ours[:5] - table) <= bounds)
        assert np.all(np.abs(theirs[:5] - table) <= bounds)
        assert ours[5:] == pytest.approx(theirs[5:], rel=1e-12)


@pytest.mark.parametrize("kind", [MagicFormula, MagicFormula61])
def test_a_wheel_in_the_air_has_no_force(kind: type[MagicFormula]) -> None:
    file = "own_tyre_61.tir" if kind is MagicFormula61 else "own_tyre.tir"
    coefficients = read_tyre_file(DATA / file)
    row = {"Fz": 0.0, "kappa": 0.1, "alpha": -0.05, "gamma": 0.0}
    assert compiled(kind, coefficients)(row)[:5] == [0.0] * 5
    judge = Pacejka61 if kind is MagicFormula61 else Pacejka
    assert list(judge(coefficients).wrench(0.0, 0.1, -0.05, 0.0, SPEED)) == [0.0] * 5
