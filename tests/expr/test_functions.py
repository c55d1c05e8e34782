"""Every function of formulas has values."""

from __future__ import annotations

import math

import pytest

from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Dag, SymbolRole
from fmugen.expr.functions import FUNCTION_VALUES
from fmugen.expr.generic import ValueTable
from fmugen.ir.formula import FUNCTIONS


def test_every_function_of_formulas_has_values() -> None:
    assert set(FUNCTIONS) <= set(FUNCTION_VALUES)


def test_a_switch_takes_the_value_of_its_side() -> None:
    dag = Dag()
    x = dag.symbol("x", SymbolRole.COORDINATE)
    table = ValueTable(2, {x: (-1.0, 2.0)})
    assert table(dag.call("if", x, 3 * x, dag.zero)) == (0.0, 6.0)


def test_whole_turns_bring_an_angle_near_to_another_one() -> None:
    dag = Dag()
    angle, near = dag.symbol("angle", SymbolRole.COORDINATE), dag.symbol("near", SymbolRole.TURNS)
    counted = angle + dag.call("turns", angle, near)
    told = ValueTable(3, {angle: (3.0, -3.0, 0.5), near: (16.0, 3.2, -6.0)})(counted)
    assert told == pytest.approx((3 + 4 * math.pi, 2 * math.pi - 3, 0.5 - 2 * math.pi))
    assert Tangent(dag, {angle: dag.one})(counted) is dag.one
    assert FUNCTION_VALUES["turns"](1.0, math.nan) == 0.0
