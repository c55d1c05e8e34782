"""Substitution and evaluation on the DAG."""

from __future__ import annotations

import math

import pytest

from fmugen.expr.dag import Dag, SymbolRole
from fmugen.expr.substitute import Sample, Substitution, substitute


def test_substitution_replaces_symbols_everywhere_at_once() -> None:
    dag = Dag()
    x, y = dag.symbol("x", SymbolRole.STATE), dag.symbol("y", SymbolRole.STATE)
    swapped = substitute(dag.call("sin", x) / y + x**2, {x: y, y: x})
    assert swapped is dag.call("sin", y) / x + y**2


def test_substitution_does_not_search_what_it_put_in() -> None:
    dag = Dag()
    x = dag.symbol("x", SymbolRole.STATE)
    assert substitute(3 * x, {x: x + 1}) is 3 * (x + 1)


def test_substitution_of_deep_expressions_needs_no_deep_stack() -> None:
    dag = Dag()
    x, y = dag.symbol("x", SymbolRole.STATE), dag.symbol("y", SymbolRole.STATE)
    deep = x
    for _ in range(5000):
        deep = dag.call("sin", deep)
    assert Substitution({x: y})(deep) is not deep


def test_a_sample_has_the_value_of_the_formula_and_no_number_where_there_is_none() -> None:
    dag = Dag()
    x, y = dag.symbol("x", SymbolRole.STATE), dag.symbol("y", SymbolRole.STATE)
    sample = Sample({x: 2.0, y: -0.5}.__getitem__)
    value = dag.call("max", x, y) * dag.call("step", y) + dag.call("exp", y) / x
    assert sample(value) == pytest.approx(math.exp(-0.5) / 2)
    assert math.isnan(sample(dag.call("sqrt", y)))
    assert math.isnan(sample(1 / (x - 2 * dag.one - 0 * y)))
