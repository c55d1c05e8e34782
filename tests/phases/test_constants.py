"""Unknowns that are constant along every motion have exact steps, if parameters cannot change that."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from fmugen.expr.dag import Dag, SymbolRole
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.ir.steps import LinearStep
from fmugen.phases.triangularize.constants import _independent
from fmugen.pipeline import Compilation

COORDINATE, PARAMETER = SymbolRole.COORDINATE, SymbolRole.PARAMETER
corpus: Any = importlib.import_module("closures.corpus")
MECHANISMS = {mechanism.name: mechanism for mechanism in corpus.CORPUS}


def flow_of(model: SystemModel) -> tuple[Compilation, SolutionFlow]:
    made = Compilation(model, ExportOptions("aac"))
    return made, made.flow


def test_the_platform_of_a_delta_robot_does_not_turn() -> None:
    made, flow = flow_of(MECHANISMS["DeltaByArms"].model())
    assert flow.iterated == 0
    steps = {made.dae.coordinates[s.unknown].name: s for block in flow.blocks for s in block.steps}
    for name, value in (("p0", 1), ("p1", 0), ("p2", 0), ("p3", 0)):
        step = steps[f"platform.{name}"]
        assert isinstance(step, LinearStep)
        assert step.numerator.number == value * step.denominator.number


@pytest.mark.slow
def test_nothing_is_constant_where_a_parameter_may_differ() -> None:
    """One rod has a length of its own, which is equal to that of its neighbour by its value alone."""
    builder = MECHANISMS["DeltaByArms"].builder().parameter("other_size", 1.0)
    tables: Any = builder.tables()
    rod = tables["joints"]["rod2"]
    rod["length"] = rod["length"].replace("rod_size", "other_size")
    _, flow = flow_of(builder.build())
    assert flow.iterated == 7


def test_a_condition_on_parameters_is_not_dropped() -> None:
    """The row says that two parameters are equal, whatever the unknown is."""
    dag = Dag()
    x, a, b = (
        dag.symbol(name, role) for name, role in (("x", COORDINATE), ("a", PARAMETER), ("b", PARAMETER))
    )
    assert _independent([x - a, 2 * x - 2 * a], [x]) == (x - a,)
    assert _independent([a - b, x - a], [x]) is None
    assert _independent([x - a, x - b], [x]) is None
