"""Loops that turn a vector by unknown Euler parameters are solved without iteration."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from fmugen.ir.options import ExportOptions
from fmugen.ir.steps import PolynomialStep
from fmugen.phases.triangularize.attitudes import stages_of
from fmugen.phases.triangularize.check import table_of
from fmugen.phases.triangularize.numeric import Position
from fmugen.pipeline import Compilation

corpus: Any = importlib.import_module("closures.corpus")
MECHANISMS = {mechanism.name: mechanism for mechanism in corpus.CORPUS}


def test_the_carrier_of_a_double_wishbone_is_exact() -> None:
    """Its attitude is that of a body between the balls of two arms, with a tie rod."""
    made = Compilation(MECHANISMS["DoubleWishbone"].model(), ExportOptions("aac"))
    flow, dae = made.flow, made.dae
    steps = [step for block in flow.blocks for step in block.steps]
    assert flow.iterated == 0
    assert not [step for step in steps if isinstance(step, PolynomialStep)]
    attitude = next(block for block in flow.blocks if block.method.startswith("attitude"))
    position = [Position(np.array(flow.positions))]
    values = [parameter.value for parameter in made.model.parameters]
    table = table_of(dae, position, values)
    forms = list(stages_of(dae, attitude))
    assert len(forms) == 3
    for stages in forms:
        assert sorted(n for stage in stages for n in stage.unknowns) == sorted(attitude.unknowns)
        for stage in stages:
            assert all(abs(table(row)[0]) < 1e-9 for row in stage.rows)


def test_loops_without_a_turned_vector_are_left_as_they_are() -> None:
    made = Compilation(MECHANISMS["FiveLink"].model(), ExportOptions("aac"))
    assert [form for block in made.flow.blocks for form in stages_of(made.dae, block)] == []
