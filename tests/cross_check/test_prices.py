"""The fit of the weights of prices."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

prices: Any = importlib.import_module("bench.prices")

WEIGHTS = np.array([30.0, 0.25, 3.0, 5.0])
ITERATED = np.array([400.0, 0.3])
#: How fast the machine was while a table was timed.
SPEEDS = {"A": 0.8, "B": 1.0, "C": 1.25}


def sample(table: str, number: int, iterated: int = 0, iterations: float = 0.0) -> Any:
    """A tree set whose time is exactly what the weights say."""
    counts = (100 + 37 * number % 211, 4 + number * number % 11, 1 + number % 3)
    elimination = 50 * iterated + 7 * number * bool(iterated)
    time = WEIGHTS @ (1.0, *counts) + ITERATED @ (iterated, elimination)
    return prices.Sample(
        table, str(number), *counts, iterated, elimination, 0, iterations, SPEEDS[table] * time, time
    )


def samples() -> list[Any]:
    plain = [sample(table, number) for table in SPEEDS for number in range(8)]
    return plain + [sample(table, number, 1 + number % 2, 2.0) for table in "AB" for number in range(8, 14)]


def test_the_fit_finds_the_weights_of_exact_times() -> None:
    straight, iterated = prices.fit_in_two_steps(samples())
    assert straight.weights == pytest.approx(WEIGHTS, rel=1e-3)
    assert iterated.weights == pytest.approx(ITERATED, rel=2e-2)
    assert straight.error < 1e-4
    assert straight.factors == pytest.approx(SPEEDS, rel=1e-3)


def test_a_set_whose_exact_steps_fail_is_left_out() -> None:
    assert sample("A", 1).fits
    assert sample("A", 1, 1, 2.0).fits
    assert not sample("A", 1, 0, 2.0).fits


def test_the_weights_in_use_are_those_of_the_price() -> None:
    cost = prices.Cost(0, 0, prices.Operations(3, 2, 1, 4), elimination=10, steps=5, iterated=2)
    call, arithmetic, function, step, block, elimination = prices.present_weights()
    expected = call + 6 * arithmetic + 4 * function + 5 * step + 2 * block + 10 * elimination
    assert cost.price == pytest.approx(expected)
