"""Coordinates of bodies in the plane and in space.

A chart maps the coordinates of all moving bodies to a posture: positions and rotations of all bodies. It maps
their rates to a twist: velocities and spins. Geometry and forces use only these two.
The pose of a body is that of its mass centre and of its axes, in ground axes. In the plane it is
(x, y, angle), with rates (vx, vy, omega). In space it is the position and a unit quaternion, with rates
(v, omega) in ground axes; finite changes are made by rotation vectors.

An angle between two bodies in space is known up to whole turns. The coordinates in space therefore end
with a memory of such angles: values within half a turn of the present ones.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fmugen.verify.rotations import (
    IDENTITY,
    Array,
    Indices,
    exponential,
    imaginary,
    matrices,
    product,
    quaternion,
)
from fmugen.verify.tape.scalar import cos, sin, sqrt, zeros

#: The freedoms of a body in space: a velocity and an angular velocity.
TWIST = 6


class Posture(NamedTuple):
    """Positions and rotations of all bodies, the ground last."""

    #: Mass centres, a column for each body.
    position: Array
    #: Matrices that resolve vectors of the bodies in the ground.
    rotation: Array
    #: The angles about z of bodies in the plane; zero in space.
    angle: Array
    memory: Array


class Twist(NamedTuple):
    """Velocities and angular velocities of all bodies, a column each, the ground last."""

    velocity: Array
    spin: Array

    @property
    def flat(self) -> Array:
        """Velocity and angular velocity of body after body."""
        return np.vstack((self.velocity, self.spin)).T.reshape(-1)


class Chart(Protocol):
    """Coordinates of the moving bodies of a model."""

    #: Freedoms of one body, as indices into its twist.
    freedoms: tuple[int, ...]
    #: Which entries of the twists of all bodies are rates of this chart.
    columns: Indices
    #: How many coordinates and how many rates there are.
    count: int
    size: int

    def posture(self, coordinates: Array) -> Posture: ...
    def twist(self, velocities: Array) -> Twist: ...
    def coordinates(self, positions: Array, rotations: Array, angles: Array, memory: Array) -> Array: ...

    def rates(self, coordinates: Array, velocities: Array) -> Array:
        """The time derivatives of the coordinates."""

    def seconds(self, coordinates: Array, velocities: Array, accelerations: Array) -> Array:
        """The second time derivatives of the coordinates."""

    def velocities(self, coordinates: Array, rates: Array) -> Array:
        """The inverse of :meth:`rates`."""

    def move(self, coordinates: Array, step: Array) -> Array:
        """The coordinates after a finite step along the rates."""

    def normalized(self, coordinates: Array) -> Array:
        """The coordinates with quaternions of length one."""

    def remembering(self, coordinates: Array, memory: Array) -> Array:
        """The coordinates with another memory."""

    def alike(self, coordinates: Array, model: Array) -> Array:
        """The coordinates of the same posture that differ least from those of a ``model``."""

    def tangent_scale(self, length: float) -> Array:
        """The unit of each rate, for a typical length."""

    def coordinate_scale(self, length: float) -> Array:
        """The unit of each coordinate, for a typical length."""


class _Columns:
    """The indices of a chart's rates among the twists of all bodies."""

    freedoms: tuple[int, ...]

    def __init__(self, bodies: int) -> None:
        self.bodies = bodies
        self.size = len(self.freedoms) * bodies
        self.columns = np.array(
            [TWIST * body + freedom for body in range(bodies) for freedom in self.freedoms], dtype=np.intp
        )

    def twist(self, velocities: Array) -> Twist:
        flat = zeros(TWIST * (self.bodies + 1), velocities)
        flat[self.columns] = velocities
        table = flat.reshape(-1, TWIST).T
        return Twist(table[:3], table[3:])


class PlanarChart(_Columns):
    """(x, y, angle) of each body; the angle counts turns."""

    freedoms: tuple[int, ...] = (0, 1, 5)

    def __init__(self, bodies: int) -> None:
        super().__init__(bodies)
        self.count = self.size

    def posture(self, coordinates: Array) -> Posture:
        table = coordinates.reshape(-1, 3)
        position = zeros((3, self.bodies + 1), coordinates)
        position[:2, :-1] = table[:, :2].T
        angle = np.append(table[:, 2], 0.0)
        rotation = zeros((self.bodies + 1, 3, 3), coordinates)
        rotation[:, 0, 0] = rotation[:, 1, 1] = cos(angle)
        rotation[:, 1, 0] = sin(angle)
        rotation[:, 0, 1] = -rotation[:, 1, 0]
        rotation[:, 2, 2] = 1.0
        return Posture(position, rotation, angle, np.empty(0))

    def coordinates(self, positions: Array, rotations: Array, angles: Array, memory: Array) -> Array:
        return np.column_stack((positions[:, :2], angles)).reshape(-1)

    def rates(self, coordinates: Array, velocities: Array) -> Array:
        return velocities

    def seconds(self, coordinates: Array, velocities: Array, accelerations: Array) -> Array:
        return accelerations

    def velocities(self, coordinates: Array, rates: Array) -> Array:
        return rates

    def move(self, coordinates: Array, step: Array) -> Array:
        return coordinates + step

    def normalized(self, coordinates: Array) -> Array:
        return coordinates

    def remembering(self, coordinates: Array, memory: Array) -> Array:
        return coordinates

    def alike(self, coordinates: Array, model: Array) -> Array:
        return coordinates

    def tangent_scale(self, length: float) -> Array:
        return np.tile([length, length, 1.0], self.bodies)

    def coordinate_scale(self, length: float) -> Array:
        return self.tangent_scale(length)


class SpatialChart(_Columns):
    """Position and quaternion of each body, and a memory of angles."""

    freedoms: tuple[int, ...] = (0, 1, 2, 3, 4, 5)

    def __init__(self, bodies: int, remembered: int) -> None:
        super().__init__(bodies)
        self._poses = 7 * bodies
        self.count = self._poses + remembered

    def _table(self, coordinates: Array) -> Array:
        return coordinates[: self._poses].reshape(-1, 7)

    def posture(self, coordinates: Array) -> Posture:
        table = self._table(coordinates)
        position = zeros((3, self.bodies + 1), coordinates)
        position[:, :-1] = table[:, :3].T
        rotation = zeros((self.bodies + 1, 3, 3), coordinates)
        rotation[:-1] = matrices(table[:, 3:])
        rotation[-1] = IDENTITY
        return Posture(position, rotation, np.zeros(self.bodies + 1), coordinates[self._poses :])

    def coordinates(self, positions: Array, rotations: Array, angles: Array, memory: Array) -> Array:
        turns = np.array([quaternion(matrix) for matrix in rotations]).reshape(-1, 4)
        return np.concatenate((np.column_stack((positions, turns)).reshape(-1), memory))

    def rates(self, coordinates: Array, velocities: Array) -> Array:
        moves = velocities.reshape(-1, 6)
        turns = 0.5 * product(imaginary(moves[:, 3:]), self._table(coordinates)[:, 3:])
        return self._joined(moves[:, :3], turns)

    def seconds(self, coordinates: Array, velocities: Array, accelerations: Array) -> Array:
        spins, changes = velocities.reshape(-1, 6)[:, 3:], accelerations.reshape(-1, 6)
        poses = self._table(coordinates)[:, 3:]
        inward = 0.25 * np.sum(spins * spins, axis=1)[:, None] * poses
        turns = 0.5 * product(imaginary(changes[:, 3:]), poses) - inward
        return self._joined(changes[:, :3], turns)

    def velocities(self, coordinates: Array, rates: Array) -> Array:
        poses, moves = self._table(coordinates)[:, 3:], self._table(rates)
        squares = np.sum(poses * poses, axis=1)[:, None]
        inverse = poses * np.array([1.0, -1.0, -1.0, -1.0]) / squares
        spins = 2.0 * product(moves[:, 3:], inverse)[:, 1:]
        return np.column_stack((moves[:, :3], spins)).reshape(-1)

    def move(self, coordinates: Array, step: Array) -> Array:
        result = coordinates.copy()
        table, moves = self._table(result), step.reshape(-1, 6)
        table[:, :3] += moves[:, :3]
        table[:, 3:] = product(exponential(moves[:, 3:]), table[:, 3:])
        return result

    def normalized(self, coordinates: Array) -> Array:
        result = coordinates.copy()
        table = self._table(result)
        table[:, 3:] /= sqrt(np.sum(table[:, 3:] ** 2, axis=1))[:, None]
        return result

    def remembering(self, coordinates: Array, memory: Array) -> Array:
        return np.concatenate((coordinates[: self._poses], memory))

    def alike(self, coordinates: Array, model: Array) -> Array:
        result = coordinates.copy()
        turns = self._table(result)[:, 3:]
        opposite = np.sum(turns * self._table(model)[:, 3:], axis=1) < 0.0
        turns[opposite] *= -1.0
        return result

    def tangent_scale(self, length: float) -> Array:
        return np.tile([length] * 3 + [1.0] * 3, self.bodies)

    def coordinate_scale(self, length: float) -> Array:
        scale = np.ones(self.count)
        self._table(scale)[:, :3] = length
        return scale

    def _joined(self, moves: Array, turns: Array) -> Array:
        """Derivatives of all coordinates; those of the memory are zero."""
        result = zeros(self.count, moves, turns)
        result[: self._poses] = np.column_stack((moves, turns)).reshape(-1)
        return result


def chart_of(bodies: int, remembered: int, *, planar: bool) -> Chart:
    """The coordinates of so many bodies and remembered angles."""
    return PlanarChart(bodies) if planar else SpatialChart(bodies, remembered)
