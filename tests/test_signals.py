"""Inputs with derivatives: what follows from samples, and what contradicts them."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from fmugen.errors import ModelError
from fmugen.signals import Chain, Samples, constant, feed

CHAIN = Chain(("s", "v", "a"), (0.0, 0.0, 0.0))
OMEGA = 4 * pi
POINTS = np.linspace(0.0, 1.0, 51)
ROWS = np.linspace(0.0, 1.0, 101)


def sine(times: np.ndarray, order: int = 0) -> np.ndarray:
    return OMEGA**order * np.sin(OMEGA * times + order * pi / 2)


def samples(times: np.ndarray, values: np.ndarray) -> Samples:
    return Samples(times, values, "road.csv")


def test_rates_follow_from_a_sampled_position() -> None:
    fed = feed({"s": samples(ROWS, sine(ROWS))}, [CHAIN], POINTS)
    for order, (name, allowed) in enumerate({"s": 1e-8, "v": 1e-6, "a": 2e-4}.items()):
        assert np.abs(fed.values[name] - sine(POINTS, order)).max() < allowed * OMEGA**order
    assert fed.notes == ()


def test_a_motion_goes_on_to_the_next_point_with_its_derivatives() -> None:
    fed = feed({"s": samples(ROWS, sine(ROWS))}, [CHAIN], POINTS)
    scale = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0]
    for number, row in enumerate(fed.derivatives["s"]):
        motion = Polynomial([fed.values["s"][number], *row] / np.array(scale))
        step = POINTS[number + 1] - POINTS[number]
        for order, name in enumerate(("s", "v", "a")):
            reached = motion.deriv(order)(step) if order else motion(step)
            assert reached == pytest.approx(fed.values[name][number + 1], abs=1e-8 * OMEGA**order)


def test_a_measured_acceleration_is_integrated_from_the_start_values() -> None:
    start = Chain(("s", "v", "a"), (0.5, OMEGA, 0.0))
    fed = feed({"a": samples(ROWS, sine(ROWS, 2))}, [start], POINTS)
    assert np.abs(fed.values["s"] - 0.5 - sine(POINTS)).max() < 1e-6
    assert np.abs(fed.values["v"] - sine(POINTS, 1)).max() < 1e-5


def test_a_constant_position_has_no_rate() -> None:
    fed = feed({"s": constant(0.1)}, [CHAIN], POINTS)
    assert fed.values["s"].tolist() == [0.1] * len(POINTS)
    assert not fed.values["v"].any() and not fed.values["a"].any() and not fed.derivatives


def test_columns_that_agree_change_nothing() -> None:
    alone = feed({"s": samples(ROWS, sine(ROWS))}, [CHAIN], POINTS)
    given = {name: samples(ROWS, sine(ROWS, order)) for order, name in enumerate(CHAIN.names)}
    together = feed(given, [CHAIN], POINTS)
    for name in CHAIN.names:
        assert np.array_equal(alone.values[name], together.values[name])


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("v", samples(ROWS, sine(ROWS, 1) * (1 + 0.3 * (ROWS == 0.5)))),
        ("a", samples(ROWS, np.zeros(len(ROWS)))),
        ("v", constant(0.0)),
    ],
)
def test_columns_that_contradict_each_other_are_named_with_the_time(name: str, stated: Samples) -> None:
    with pytest.raises(ModelError) as caught:
        feed({"s": samples(ROWS, sine(ROWS)), name: stated}, [CHAIN], POINTS)
    [problem] = caught.value.problems
    assert problem.place == "s" and problem.message.startswith(f"{name} is ")
    assert " at t = " in problem.message and f"leave {name} out" in problem.hint
    if isinstance(stated, Samples) and name == "v":
        assert "t = 0.5 s" in problem.message


def test_a_motion_must_be_known_for_the_whole_run() -> None:
    short = ROWS[:50]
    with pytest.raises(ModelError, match=r"the samples end at t = 0\.49 s, where it moves"):
        feed({"s": samples(short, sine(short))}, [CHAIN], POINTS)
    with pytest.raises(ModelError, match=r"the samples begin at t = 0\.51 s, where it moves"):
        feed({"s": samples(ROWS[51:], sine(ROWS[51:]))}, [CHAIN], POINTS)


def test_a_motion_that_rests_at_its_ends_goes_on_resting() -> None:
    rows = np.linspace(0.2, 0.8, 61)
    bump = np.where(abs(rows - 0.5) < 0.2, (1 + np.cos(pi * (rows - 0.5) / 0.2)) ** 3, 0.0)
    fed = feed({"s": samples(rows, bump)}, [CHAIN], POINTS)
    resting = abs(POINTS - 0.5) > 0.27
    assert np.abs(fed.values["s"][resting]).max() < 1e-4
    assert np.abs(fed.values["a"][resting]).max() < 1e-3 * np.abs(fed.values["a"]).max()


def test_a_jump_is_noted() -> None:
    step = np.where(ROWS < 0.5, 0.0, 1.0)
    [note] = feed({"s": samples(ROWS, step)}, [CHAIN], POINTS).notes
    assert "s jumps by 1 between t = 0.49 s and 0.5 s" in note and "no finite rate" in note


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
def test_few_samples_are_one_polynomial(count: int) -> None:
    rows = np.linspace(0.0, 1.0, count)
    truth = Polynomial(np.arange(1.0, count + 1))
    fed = feed({"s": samples(rows, truth(rows))}, [CHAIN], POINTS)
    for order, name in enumerate(CHAIN.names):
        expected = truth.deriv(order)(POINTS) if order else truth(POINTS)
        assert fed.values[name] == pytest.approx(expected, abs=1e-8)


def test_inputs_without_derivatives_are_linear_between_samples() -> None:
    fed = feed({"force": samples(np.array([0.0, 1.0]), np.array([0.0, 2.0]))}, [CHAIN], POINTS)
    assert fed.values["force"] == pytest.approx(2 * POINTS)
    assert "s" not in fed.values and not fed.derivatives
