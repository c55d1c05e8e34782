"""Jacobians and acceleration biases of the measures against finite differences."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fmugen.verify.measures import Angle, Bank, Displacement, Place

MEASURES = [
    Angle(0, 1),
    Angle(2, 0),
    Displacement(Place(0, 0.3, -0.2), Place(1, 0.5, 0.1), 0, (0.6, 0.8)),
    Displacement(Place(2, 0.1, 0.2), Place(1, -0.4, 0.3), 2, (0.0, 1.0)),
    Displacement(Place(1, 1.0, 0.0), Place(0, 0.0, 0.7), 1, (-0.8, 0.6)),
]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_derivatives_of_measures(seed: int) -> None:
    random = np.random.default_rng(seed)
    poses, velocities, accelerations = (np.append(random.standard_normal(6), np.zeros(3)) for _ in range(3))
    bank = Bank(MEASURES, 3)
    at = bank.at(poses, velocities)

    def along(time: float) -> np.ndarray:
        return bank.at(poses + time * velocities + 0.5 * time**2 * accelerations).value

    h = 1e-4
    first = (along(h) - along(-h)) / (2 * h)
    second = (along(h) - 2 * along(0.0) + along(-h)) / h**2
    np.testing.assert_allclose(at.jacobian @ velocities, first, atol=1e-6)
    np.testing.assert_allclose(at.jacobian @ accelerations + at.bias, second, atol=1e-5)
