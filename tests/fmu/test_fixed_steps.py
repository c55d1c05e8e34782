"""Model exchange with Euler's method, as simple importers integrate: no false alarms, no memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.fmu.exchange import Array, Model, opened, options
from tests.store import exported
from tests.support import example


def euler(model: Model, stop: float, h: float) -> list[tuple[float, Array, Array]]:
    """Time, states and indicators of every step."""
    found = []
    for number in range(1, round(stop / h) + 1):
        time, states = number * h, model.states + h * model.derivatives
        found.append((time, states, model.step(time, states)))
    return found


@pytest.mark.parametrize("fmi", [3, pytest.param(2, marks=pytest.mark.slow)])
def test_a_coordinate_that_turns_back_is_no_jump(fmi: int, tmp_path: Path) -> None:
    """Where a velocity changes its sign, the error of Euler's method is as large as the travel of a step."""
    export = exported(example("three_rrr"), options(fmi, trees="aac"))
    with opened(export, tmp_path) as model:
        euler(model.start(), 0.15, 2e-4)


def test_a_tumbling_body_turns_over(tmp_path: Path) -> None:
    export = exported(example("tumbling_body"), options(trees="aac"))
    with opened(export, tmp_path) as model:
        euler(model.start(), 1.6, 1e-4)


def test_indicators_do_not_depend_on_what_was_passed_before(tmp_path: Path) -> None:
    """The same states are reached by completing every step, and by completing every fiftieth."""
    export = exported(example("three_rrr"), options(trees="aac"))
    with opened(export, tmp_path) as model:
        steps = euler(model.start(), 0.15, 2e-4)
    with opened(export, tmp_path) as model:
        model.start()
        for time, states, indicators in steps[49::50]:
            assert indicators.size
            np.testing.assert_allclose(model.step(time, states), indicators, rtol=0, atol=1e-9)
