"""Jacobians and acceleration biases of the measures against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fmugen.verify.charts import Chart, PlanarChart, SpatialChart
from fmugen.verify.couplings import Coupling
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import (
    BodyPoint,
    Cosine,
    Displacement,
    Length,
    Measure,
    ScrewGap,
    Spin,
    Sum,
    Velocity,
)
from fmugen.verify.rotations import IDENTITY, Array, about, matrices, quaternion, turned

PLANAR: list[Measure] = [
    Spin(0, 1, 2, (0.0, 0.0, 1.0)),
    Spin(2, 0, 2, (0.0, 0.0, 1.0)),
    Displacement(BodyPoint(0, (0.3, -0.2, 0.0)), BodyPoint(1, (0.5, 0.1, 0.0)), 0, (0.6, 0.8, 0.0)),
    Displacement(BodyPoint(2, (0.1, 0.2, 0.0)), BodyPoint(1, (-0.4, 0.3, 0.0)), 2, (0.0, 1.0, 0.0)),
    Length(BodyPoint(1, (1.0, 0.0, 0.0)), BodyPoint(0, (0.0, 0.7, 0.0)), 2),
]
FRAME = turned("xyz", [0.3, -0.7, 0.2])
PAIR = Coupling(0, turned("zx", [0.4, 1.0]), 1, turned("y", [-0.8]))
TO_GROUND = Coupling(1, IDENTITY, 2, FRAME)
SLIDE = Displacement(BodyPoint(0, (0.3, -0.2, 0.5)), BodyPoint(1, (0.5, 0.1, -0.3)), 0, (0.6, 0.8, 0.0))
SPATIAL: list[Measure] = [
    SLIDE,
    Displacement(BodyPoint(2, (0.1, 0.2, 0.4)), BodyPoint(1, (-0.4, 0.3, 0.2)), 1, (0.0, 0.6, 0.8)),
    Cosine(0, (0.6, 0.0, 0.8), 1, (0.0, 1.0, 0.0)),
    PAIR.angle(FRAME),
    *PAIR.universal(FRAME, (0, 1)),
    *PAIR.euler("zyx", (2, 3, 4)),
    *TO_GROUND.euler("zxz", (5, 6, 7)),
    *TO_GROUND.euler("yxz", (8, 9, 10)),
    Length(BodyPoint(0, (1.0, 0.0, 0.2)), BodyPoint(1, (0.0, 0.7, 0.0)), 2),
    ScrewGap(SLIDE, PAIR.angle(FRAME), 0.3),
]
SLOTS = 11


def check_derivatives(
    chart: Chart, measures: list[Measure], coordinates: Array, random: np.random.Generator
) -> None:
    """Along a motion whose coordinates are quadratic in time."""
    batch = MeasureBatch(measures, chart)
    speed, push = 0.5 * random.standard_normal(chart.size), random.standard_normal(chart.size)
    rates, seconds = chart.rates(coordinates, speed), chart.seconds(coordinates, speed, push)
    at = batch.at(chart.posture(coordinates), chart.twist(speed))

    def along(time: float) -> Array:
        moved = coordinates + time * rates + 0.5 * time**2 * seconds
        return batch.at(chart.posture(moved)).value

    h = 1e-4
    first = (along(h) - along(-h)) / (2 * h)
    second = (along(h) - 2 * along(0.0) + along(-h)) / h**2
    assume(np.max(np.abs(at.jacobian)) < 12.0)  # Euler angles far from their singular posture,
    lengths = [row for row, measure in enumerate(measures) if isinstance(measure, Length)]
    assume(np.min(at.value[lengths]) > 0.1)  # places that do not nearly coincide,
    assume(np.max(np.abs(along(h) - along(-h))) < 0.1)  # and angles that do not just begin another turn
    size = 1.0 + np.max(np.abs(at.jacobian), axis=1) ** 3
    np.testing.assert_allclose((at.jacobian @ speed - first) / size, 0.0, atol=1e-5)
    np.testing.assert_allclose((at.jacobian @ push + at.bias - second) / size, 0.0, atol=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_derivatives_of_measures_in_the_plane(seed: int) -> None:
    random = np.random.default_rng(seed)
    check_derivatives(PlanarChart(2), PLANAR, random.standard_normal(6), random)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_derivatives_of_measures_in_space(seed: int) -> None:
    random = np.random.default_rng(seed)
    chart = SpatialChart(2, SLOTS)
    drawn = np.append(random.standard_normal(14), random.uniform(-9.0, 9.0, SLOTS))
    coordinates = chart.normalized(drawn)
    check_derivatives(chart, SPATIAL, coordinates, random)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_the_derivatives_of_velocities_and_spins_are_their_biases(seed: int) -> None:
    """These have no values to take differences of: the differences are of their rates."""
    random = np.random.default_rng(seed)
    chart = SpatialChart(2, 0)
    coordinates = chart.normalized(random.standard_normal(14))
    moving = Velocity(BodyPoint(0, (0.3, -0.2, 0.5)), BodyPoint(1, (0.5, 0.1, -0.3)), 1, (0.6, 0.8, 0.3))
    spinning = Spin(2, 0, 1, (0.2, -0.4, 1.0))
    batch = MeasureBatch([moving, spinning, Sum(((2.0, moving), (-0.5, spinning)))], chart)
    speed, push = 0.5 * random.standard_normal(chart.size), random.standard_normal(chart.size)
    rates, seconds = chart.rates(coordinates, speed), chart.seconds(coordinates, speed, push)

    def along(time: float) -> Array:
        moved = coordinates + time * rates + 0.5 * time**2 * seconds
        velocities = chart.velocities(moved, rates + time * seconds)
        return batch.at(chart.posture(moved)).jacobian @ velocities

    at = batch.at(chart.posture(coordinates), chart.twist(speed))
    np.testing.assert_allclose(at.value, 0.0)
    np.testing.assert_allclose(at.jacobian @ push + at.bias, (along(1e-5) - along(-1e-5)) / 2e-5, atol=1e-7)


@pytest.mark.parametrize("sequence", ["zyx", "zxz", "xyz", "yxy", "xzy", "zyz"])
@pytest.mark.parametrize("angles", [[0.4, 0.7, -1.1], [2.0, -0.5, 9.0], [-1.0, 2.6, 0.3], [7.0, 3.9, 2.0]])
def test_euler_angles_are_those_of_the_rotation_near_their_memory(sequence: str, angles: list[float]) -> None:
    chart = SpatialChart(1, 3)
    before, after = turned("xz", [0.3, 0.2]), turned("y", [1.2])
    matrix = before @ turned(sequence, angles) @ after.T
    remembered = np.add(angles, [0.3, 0.2, -0.3])
    coordinates = chart.coordinates(np.zeros((1, 3)), matrix[None], np.zeros(1), remembered)
    measures = Coupling(1, before, 0, after).euler(sequence, (0, 1, 2))
    np.testing.assert_allclose(
        MeasureBatch(measures, chart).at(chart.posture(coordinates)).value, angles, atol=1e-12
    )


def test_universal_angles_are_those_of_the_rotation() -> None:
    chart = SpatialChart(1, 2)
    matrix = about(FRAME[0], 2.5) @ about(FRAME[1], -2.0)
    coordinates = chart.coordinates(np.zeros((1, 3)), matrix[None], np.zeros(1), np.array([9.0, -2.0]))
    measures = Coupling(1, IDENTITY, 0, IDENTITY).universal(FRAME, (0, 1))
    values = MeasureBatch(measures, chart).at(chart.posture(coordinates)).value
    np.testing.assert_allclose(values, [2.5 + 2 * np.pi, -2.0], atol=1e-13)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_quaternions_and_matrices_tell_the_same(seed: int) -> None:
    random = np.random.default_rng(seed)
    raw = random.standard_normal(4) * 10.0 ** random.uniform(-3, 0, 4)
    unit = raw / np.linalg.norm(raw)
    matrix = matrices(raw[None])[0]
    np.testing.assert_allclose(matrix @ matrix.T, IDENTITY, atol=1e-14)
    found = quaternion(matrix)
    np.testing.assert_allclose(found * np.sign(found @ unit), unit, atol=1e-13)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_velocities_and_rates_of_coordinates_are_inverse(seed: int) -> None:
    random = np.random.default_rng(seed)
    chart = SpatialChart(3, 2)
    coordinates = random.standard_normal(23)
    speed = random.standard_normal(18)
    np.testing.assert_allclose(
        chart.velocities(coordinates, chart.rates(coordinates, speed)), speed, atol=1e-12
    )
    unit = chart.normalized(coordinates)
    small = 1e-6
    moved = (chart.move(unit, small * speed) - chart.move(unit, -small * speed)) / (2 * small)
    np.testing.assert_allclose(moved, chart.rates(unit, speed), atol=1e-9)
