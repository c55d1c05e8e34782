"""Identities seen by numbers, and substitution."""

from __future__ import annotations

import math

from fmugen.expr.dag import Dag, SymbolRole
from fmugen.expr.generic import Generic
from fmugen.expr.substitute import Substitution
from fmugen.expr.vectors import add3, dot, scale3, unit


def test_what_was_made_perpendicular_is_so_without_an_expansion() -> None:
    dag = Dag()
    x, y, z = (dag.symbol(name, SymbolRole.PARAMETER) for name in "xyz")
    line = unit((x, y, z))
    across = add3((dag.one, dag.zero, dag.zero), scale3(-line[0], line))
    generic = Generic()
    assert not dot(across, line).is_zero
    assert generic.are_equal(dot(across, line), dag.zero)
    assert not generic.are_equal(dot(across, (x, y, z * z)), dag.zero)


def test_an_undefined_value_is_equal_to_nothing() -> None:
    dag = Dag()
    x = dag.symbol("x", SymbolRole.PARAMETER)
    root = dag.call("sqrt", x - 5)
    assert all(math.isnan(value) for value in Generic()(root))
    assert not Generic().are_equal(root, root)


def test_symbols_of_one_name_have_the_same_values_in_every_dag() -> None:
    values = [Generic()(Dag().symbol("x", SymbolRole.COORDINATE)) for _ in range(2)]
    assert values[0] == values[1]


def test_substitution_rebuilds_what_contains_the_symbol_and_nothing_else() -> None:
    dag = Dag()
    x, y = (dag.symbol(name, SymbolRole.COORDINATE) for name in "xy")
    kept = dag.call("sin", y) * y
    at_zero = Substitution({x: dag.zero})
    assert at_zero(dag.call("cos", x) * kept + x**2) is kept
    assert at_zero(kept) is kept
