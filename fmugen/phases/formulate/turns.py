"""Relative rotations across R-branches: matrix, angular velocity and acceleration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import (
    Matrix3,
    Vector3,
    add3,
    cross,
    identity,
    matmul,
    matvec,
    null,
    rotation_about,
    scale3,
)
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import AxisTurn, FixedTurn, MotionAxis, QuaternionTurn, Rotation, Symbols

__all__ = ["RelativeRotation", "first_axis", "relative_rotation"]


@dataclass(frozen=True)
class RelativeRotation:
    """A rotation in the axes of the tail's body.

    ``matrix`` resolves vectors of the head in the tail: it is ``moving``, times ``mounting`` if that is not
    ``None``, which is how the head is mounted on what moves. ``partial`` maps the accelerations of the
    coordinates to their rotation axes, ``omega`` is the relative angular velocity and ``bias`` what is
    left of the relative angular acceleration when all second derivatives vanish.
    """

    moving: Matrix3
    mounting: Matrix3 | None
    partial: dict[Expr, Vector3]
    omega: Vector3
    bias: Vector3

    @property
    def matrix(self) -> Matrix3:
        return self.moving if self.mounting is None else matmul(self.moving, self.mounting)


def relative_rotation(
    rotation: Rotation, coordinates: Mapping[str, Coordinate], symbols: Symbols
) -> RelativeRotation:
    """The rotation across an edge whose coordinates are branch coordinates."""
    dag = symbols.dag
    rate_of = Tangent(dag, symbols.rates)
    matrix, omega, bias = identity(dag), null(dag), null(dag)
    partial: dict[Expr, Vector3] = {}
    *turns, last = rotation.turns or (None,)
    mounting = last.matrix if isinstance(last, FixedTurn) and turns else None
    for turn in rotation.turns if mounting is None else turns:
        match turn:
            case FixedTurn(fixed):
                matrix = matmul(matrix, fixed)
            case AxisTurn(axis=axis, given=given, motion=motion):
                coordinate = _coordinate(motion, coordinates)
                direction = matvec(matrix, axis)
                rate = rate_of(given)
                second = rate_of(rate)
                angle = given
                if coordinate is not None:
                    angle, rate = given + coordinate.position, rate + coordinate.velocity
                    partial[coordinate.second] = direction
                spin = scale3(rate, direction)
                bias = add3(bias, add3(scale3(second, direction), cross(omega, spin)))
                omega = add3(omega, spin)
                matrix = matmul(matrix, rotation_about(axis, angle))
            case QuaternionTurn(motion=motions):
                found = [coordinates[axis.coordinate] for axis in motions]
                columns = _quaternion_axes([c.position for c in found])
                for coordinate, column in zip(found, columns, strict=True):
                    direction = matvec(matrix, column)
                    partial[coordinate.second] = direction
                    omega = add3(omega, scale3(coordinate.velocity, direction))
                # omega = 2 E(p) p' and E(p') p' = 0, so that the bias vanishes (before it nothing turns).
                matrix = matmul(matrix, _quaternion_matrix([c.position for c in found]))
    return RelativeRotation(matrix, mounting, partial, omega, bias)


def first_axis(rotation: Rotation) -> Vector3:
    """The first axis of a rotation about axes, in the axes of the tail's body."""
    matrix: Matrix3 | None = None
    for turn in rotation.turns:
        if isinstance(turn, FixedTurn):
            matrix = turn.matrix if matrix is None else matmul(matrix, turn.matrix)
        elif isinstance(turn, AxisTurn):
            return turn.axis if matrix is None else matvec(matrix, turn.axis)
    raise ValueError("the rotation has no axis")


def _coordinate(motion: MotionAxis | None, coordinates: Mapping[str, Coordinate]) -> Coordinate | None:
    return None if motion is None else coordinates[motion.coordinate]


def _quaternion_axes(p: list[Expr]) -> tuple[Vector3, Vector3, Vector3, Vector3]:
    """The columns of 2 E(p): omega in the tail's axes is their sum times p'."""
    p0, p1, p2, p3 = p
    return (
        (-2 * p1, -2 * p2, -2 * p3),
        (2 * p0, 2 * p3, -2 * p2),
        (-2 * p3, 2 * p0, 2 * p1),
        (2 * p2, -2 * p1, 2 * p0),
    )


def _quaternion_matrix(p: list[Expr]) -> Matrix3:
    """The rotation matrix of Euler parameters, exact for unit length."""
    p0, p1, p2, p3 = p
    return (
        (p0**2 + p1**2 - p2**2 - p3**2, 2 * (p1 * p2 - p0 * p3), 2 * (p1 * p3 + p0 * p2)),
        (2 * (p1 * p2 + p0 * p3), p0**2 - p1**2 + p2**2 - p3**2, 2 * (p2 * p3 - p0 * p1)),
        (2 * (p1 * p3 - p0 * p2), 2 * (p2 * p3 + p0 * p1), p0**2 - p1**2 - p2**2 + p3**2),
    )
