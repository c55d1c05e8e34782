"""Plans are reproducible; findings agree with functions whose sensitivities are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from fmugen.study import find, plan_runs
from fmugen.study.spec import Goal, Grid, Measure, Method, Normal, Reduction, Study, Uniform

MEASURES = (Measure("y", "y", Reduction.FINAL),)


def test_a_grid_tries_every_combination() -> None:
    study = Study(Path(), Method.GRID, {"a": Grid((1.0, 2.0)), "b": Grid((3.0, 4.0, 5.0))}, MEASURES)
    assert plan_runs(study).values.tolist() == [[a, b] for a in (1, 2) for b in (3, 4, 5)]


def test_random_runs_do_not_depend_on_how_many_follow() -> None:
    variations = {"a": Uniform(0.0, 1.0), "b": Normal(5.0, 2.0)}
    few = plan_runs(Study(Path(), Method.RANDOM, variations, MEASURES, runs=100, seed=4)).values
    many = plan_runs(Study(Path(), Method.RANDOM, variations, MEASURES, runs=20_000, seed=4)).values
    assert np.array_equal(few, many[:100])
    assert many.mean(axis=0) == pytest.approx([0.5, 5.0], abs=0.05)
    assert many.std(axis=0) == pytest.approx([12**-0.5, 2.0], abs=0.05)


def test_influences_of_the_ishigami_function() -> None:
    """Its indices are known in closed form: 0.3139, 0.4424, 0 alone; 0.5576, 0.4424, 0.2437 in total."""
    variations = dict.fromkeys(("x1", "x2", "x3"), Uniform(-np.pi, np.pi))
    study = Study(Path(), Method.SENSITIVITY, variations, MEASURES, runs=4096, seed=1)
    x1, x2, x3 = plan_runs(study).values.T
    y = np.sin(x1) + 7 * np.sin(x2) ** 2 + 0.1 * x3**4 * np.sin(x1)
    influences = find(study, pa.table({"y": y, "#message": [""] * len(y)})).influences
    assert [i.first for i in influences] == pytest.approx([0.3139, 0.4424, 0.0], abs=0.02)
    assert [i.total for i in influences] == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.02)


def test_runs_that_failed_are_counted_and_left_out() -> None:
    goal = Goal("y", largest=False)
    study = Study(Path(), Method.RANDOM, {"a": Uniform(0.0, 1.0)}, MEASURES, runs=4, goal=goal)
    table = pa.table({"y": [3.0, float("nan"), 1.0, 2.0], "#message": ["", "stuck", "", ""]})
    findings = find(study, table)
    assert findings.best == 2
    assert findings.failed == {"stuck": 1}
    assert findings.spreads[0].mean == 2.0
