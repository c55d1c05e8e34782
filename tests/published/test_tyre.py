"""The Magic Formula of compiler and judge against another implementation."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest

from fmugen.components.magic_formula import Contact, MagicFormula
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Dag, SymbolRole
from fmugen.phases.read.tyre_file import read_tyre_file
from fmugen.verify.catalogue.tyres import Pacejka

DATA = Path(__file__).parents[1] / "data" / "wheels"
FORCES = ("Fx", "Fy", "Mx", "My", "Mz")
LENGTHS = ("sigma_kappa", "sigma_alpha")
SPEED = 20.0
#: The table has nine digits.
TOLERANCE = {"rel": 5e-9, "abs": 1e-9}

COEFFICIENTS = read_tyre_file(DATA / "own_tyre.tir")


def points() -> list[dict[str, float]]:
    with (DATA / "own_tyre_forces.csv").open(encoding="utf-8") as file:
        rows = [{k: float(v) for k, v in row.items() if k != "kind"} for row in csv.DictReader(file)]
    assert len(rows) > 200
    return rows


def test_the_compiler_has_the_published_forces() -> None:
    dag = Dag()
    load, slip, angle, gamma = (dag.symbol(n, SymbolRole.COORDINATE) for n in ("load", "slip", "angle", "g"))
    tyre = MagicFormula(dag, {name: dag.number(Fraction(x)) for name, x in COEFFICIENTS.items()})
    found = tyre.patch(Contact(load, slip, angle, gamma, dag.number(Fraction(SPEED))))
    roots = [found.fx, found.fy, found.mx, found.my, found.mz, *tyre.relaxation_lengths(load, gamma)]
    evaluate = compile_python(roots, {"x": (load, slip, angle, gamma)})
    for row in points():
        values = evaluate([row["Fz"], row["kappa"], row["alpha"], row["gamma"]])
        assert values == pytest.approx([row[name] for name in (*FORCES, *LENGTHS)], **TOLERANCE)


def test_the_judge_has_the_published_forces() -> None:
    tyre = Pacejka(COEFFICIENTS)
    for row in points():
        load, gamma = row["Fz"], row["gamma"]
        values = [*tyre.wrench(load, row["kappa"], row["alpha"], gamma, SPEED), *tyre.relaxation(load, gamma)]
        assert values == pytest.approx([row[name] for name in (*FORCES, *LENGTHS)], **TOLERANCE)


def test_a_wheel_in_the_air_has_no_force() -> None:
    dag = Dag()
    tyre = MagicFormula(dag, {name: dag.number(Fraction(x)) for name, x in COEFFICIENTS.items()})
    slip, angle = (dag.symbol(name, SymbolRole.COORDINATE) for name in ("slip", "angle"))
    found = tyre.patch(Contact(dag.zero, slip, angle, dag.zero, dag.number(20)))
    values = compile_python([found.fx, found.fy, found.mx, found.my, found.mz], {"x": (slip, angle)})
    assert values([0.1, -0.05]) == [0.0] * 5
    assert list(Pacejka(COEFFICIENTS).wrench(0.0, 0.1, -0.05, 0.0, SPEED)) == [0.0] * 5
