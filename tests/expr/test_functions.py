"""Every function of formulas has values."""

from __future__ import annotations

from fmugen.expr.dag import Dag, Role
from fmugen.expr.functions import FUNCTION_VALUES
from fmugen.expr.generic import ValueTable
from fmugen.ir.formula import FUNCTIONS


def test_every_function_of_formulas_has_values() -> None:
    assert set(FUNCTIONS) <= set(FUNCTION_VALUES)


def test_a_switch_takes_the_value_of_its_side() -> None:
    dag = Dag()
    x = dag.symbol("x", Role.COORDINATE)
    table = ValueTable(2, {x: (-1.0, 2.0)})
    assert table(dag.call("if", x, 3 * x, dag.zero)) == (0.0, 6.0)
