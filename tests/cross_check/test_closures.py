"""The corpus of mechanisms: descriptions give models, and rows say what the closure leaves to iteration."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions
from fmugen.ir.steps import PolynomialStep
from fmugen.pipeline import Compilation

corpus: Any = importlib.import_module("closures.corpus")
description: Any = importlib.import_module("closures.description")
reach: Any = importlib.import_module("closures.reach")
MECHANISMS = {mechanism.name: mechanism for mechanism in corpus.CORPUS}


def test_the_corpus_is_large_and_its_names_are_unique() -> None:
    assert len(MECHANISMS) == len(corpus.CORPUS) >= 60


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_every_description_gives_a_model_whose_length_can_change(name: str) -> None:
    mechanism = MECHANISMS[name]
    assert mechanism.parameter in {parameter.name for parameter in mechanism.model().parameters}


def test_alike_bodies_share_a_size() -> None:
    mechanism = description.Mechanism(
        "Twins", "", "ground-arm1 R 0 0; arm1-bar R 0 1; bar-arm2 R 1 1; arm2-ground R 1 0"
    )
    assert [parameter.name for parameter in mechanism.model().parameters] == ["arm_size", "bar_size"]


def test_drawn_poses_are_closed() -> None:
    made = Compilation(MECHANISMS["RSCR"].model(), ExportOptions("jc", Closure.NEWTON))
    assert max(abs(q) for q in made.flow.positions if abs(q) < 0.5) < 1e-9


def test_a_row_counts_what_is_exact_and_what_is_iterated() -> None:
    row = reach.measured(MECHANISMS["SliderCrank"], "aac", verify=False)
    assert (row.freedoms, row.unknowns, row.exact, row.iterated, row.degree) == (1, 1, 1, 0, 2)
    row = reach.measured(MECHANISMS["FiveLink"], "aac", verify=False)
    assert (row.freedoms, row.unknowns, row.exact, row.iterated) == (1, 6, 0, 6)


def test_angles_of_a_loop_of_cylinders_are_roots_of_a_quadratic() -> None:
    row = reach.measured(MECHANISMS["RCCC"], "aac", verify=False)
    assert (row.unknowns, row.iterated, row.degree) == (4, 0, 2)


def test_a_set_with_a_root_takes_over_where_the_motion_would_iterate() -> None:
    """Near its dead point only the crank itself determines the rest, by a root of degree four."""
    flow = Compilation(MECHANISMS["RSRC"].model(), ExportOptions("aac")).flow
    assert not any(isinstance(step, PolynomialStep) for block in flow.blocks for step in block.steps)
    steps = [step for each in flow.alternatives for block in each.blocks for step in block.steps]
    assert any(isinstance(step, PolynomialStep) for step in steps)


def test_a_mechanism_in_proportion_has_one_size() -> None:
    model = MECHANISMS["Bennett"].model()
    assert [parameter.name for parameter in model.parameters] == ["size"]


def test_a_verified_row_has_no_iteration_and_closed_loops() -> None:
    row = reach.measured(MECHANISMS["FourBar"], "aac", verify=True)
    assert [(run.verdict, run.iterations) for run in row.runs] == [("passed", 0), ("passed", 0)]
    assert max(run.residual for run in row.runs) <= 1e-13
    assert "| FourBar | 1 | 2 | 2 | 2 | 0 |" in reach.page([row])
