"""Angles that stay equal along every motion have exact steps, if parameters cannot change that."""

from __future__ import annotations

import numpy as np

from fmugen.expr.dag import Dag, SymbolRole
from fmugen.expr.generic import ValueTable
from fmugen.ir.options import ExportOptions
from fmugen.ir.steps import EqualAngleStep
from fmugen.phases.triangularize.equal import _sign, _sufficient
from fmugen.pipeline import Compilation
from tests.support import example


def test_every_other_angle_of_a_linkage_of_bricard_is_equal() -> None:
    made = Compilation(example("bricard"), ExportOptions("jc"))
    flow = made.flow
    assert flow.iterated == 0
    names = [coordinate.name for coordinate in made.dae.coordinates]
    for each in flow.sets:
        steps = [step for block in each.blocks for step in block.steps if isinstance(step, EqualAngleStep)]
        assert len(steps) == 3
        for step in steps:
            (leader,) = (name for name in names if step.cosine is _cosine(made, name))
            assert int(leader[4]) % 2 == int(names[step.unknown][4]) % 2


def _cosine(made: Compilation, name: str) -> object:
    position = next(c.position for c in made.dae.coordinates if c.name == name)
    return position.dag.call("cos", position)


def test_constraints_must_follow_whatever_the_parameters_are() -> None:
    """Two lengths have the same value: that closes the loop at the start, and is no reason."""
    dag = Dag()
    x = dag.symbol("x", SymbolRole.COORDINATE)
    one, other = (dag.symbol(name, SymbolRole.PARAMETER) for name in ("one", "other"))
    known = ValueTable(3, {x: (1.0, 1.1, 1.2), one: (2.0,) * 3, other: (2.0,) * 3})
    row = one * dag.call("cos", x) - 1
    at_root = ValueTable(3, {x: (np.pi / 3,) * 3, one: (2.0,) * 3, other: (2.0,) * 3})
    assert _sufficient([row, row * dag.call("sin", x)], [x], at_root, 3) == (row,)
    assert _sufficient([row, (one - other) * dag.call("sin", x)], [x], at_root, 3) is None
    assert _sufficient([row], [x, dag.symbol("y", SymbolRole.COORDINATE)], known, 3) is None


def test_angles_that_leave_no_constraint_open_need_none() -> None:
    """As those of a scissor lift do."""
    assert _sufficient([], [], ValueTable(3, {}), 3) == ()


def test_opposite_angles_are_found() -> None:
    one, other = np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.4])
    assert (_sign(one, one), _sign(one, -one), _sign(one, other)) == (1, -1, 0)


def test_angles_may_be_equal_with_nothing_else_to_solve() -> None:
    """The first of two squares: its rod turns as the one before, its coupler stays level."""
    assert _sufficient([], [], ValueTable(3, {}), 3) == ()
    dag = Dag()
    assert _sufficient([], [dag.symbol("x", SymbolRole.COORDINATE)], ValueTable(3, {}), 3) is None
