"""Relative rotations across R-branches: matrix, angular velocity and acceleration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fmugen.expr.dag import Expr
from fmugen.expr.vectors import (
    Matrix3,
    Vector3,
    identity,
    matmul,
    matvec,
    rotation_about,
    transpose,
)
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import AxisTurn, FixedTurn, MotionAxis, QuaternionTurn, Rotation, Turn
from fmugen.phases.formulate.given import GivenMotion

__all__ = ["RelativeRotation", "Spin", "first_axis", "quaternion_matrix", "relative_rotation"]


@dataclass(frozen=True)
class Spin:
    """A part of a relative angular velocity: ``rate`` about an axis, in the tail's and in the head's axes.

    ``unknown`` is the acceleration of its coordinate, if it has one, ``second`` what else changes its rate.
    ``shared`` are the accelerations of freedoms of the element that change it too, each with its factor.
    The head's axes are those before its mounting. A ``carried`` axis turns with what turns before it.
    """

    unknown: Expr | None
    rate: Expr
    second: Expr
    in_tail: Vector3
    in_head: Vector3
    carried: bool
    shared: tuple[tuple[Expr, Expr], ...] = ()


@dataclass(frozen=True)
class RelativeRotation:
    """A rotation in the axes of the tail's body.

    ``matrix`` resolves vectors of the head in the tail: it is ``moving``, times ``mounting`` if that is not
    ``None``, which is how the head is mounted on what moves. The relative angular velocity is the sum of the
    ``spins``.
    """

    moving: Matrix3
    mounting: Matrix3 | None
    spins: tuple[Spin, ...]

    @property
    def matrix(self) -> Matrix3:
        return self.moving if self.mounting is None else matmul(self.moving, self.mounting)


def relative_rotation(
    rotation: Rotation, coordinates: Mapping[str, Coordinate], given: GivenMotion
) -> RelativeRotation:
    """The rotation across an edge whose coordinates are branch coordinates."""
    dag = given.dag
    *turns, last = rotation.turns or (None,)
    mounting = last.matrix if isinstance(last, FixedTurn) and turns else None
    moving = [_turn_of(turn, coordinates, given) for turn in (rotation.turns if mounting is None else turns)]
    before = [identity(dag)]
    for matrix, _ in moving:
        before.append(matmul(before[-1], matrix))
    after = [identity(dag)]
    for matrix, _ in reversed(moving):
        after.append(matmul(matrix, after[-1]))
    spins = [
        replace(
            spin,
            in_tail=matvec(ahead, spin.in_tail),
            in_head=matvec(transpose(behind), spin.in_head),
        )
        for (_, own), ahead, behind in zip(moving, before, after[-2::-1], strict=False)
        for spin in own
    ]
    return RelativeRotation(before[-1], mounting, tuple(spins))


def _turn_of(
    turn: Turn, coordinates: Mapping[str, Coordinate], motion_of: GivenMotion
) -> tuple[Matrix3, list[Spin]]:
    """The matrix of a turn, and its spins in the axes before and after it."""
    dag = motion_of.dag
    match turn:
        case FixedTurn(fixed):
            return fixed, []
        case AxisTurn(axis=axis, given=given, motion=motion):
            coordinate = _coordinate(motion, coordinates)
            angle, rate = given, motion_of.rate(given)
            second, unknown = motion_of.rate(rate), None
            if coordinate is not None:
                angle, rate, unknown = (
                    given + coordinate.position,
                    rate + coordinate.velocity,
                    coordinate.acceleration,
                )
            shared = tuple(
                (freedom.acceleration, factor) for freedom, (factor,) in motion_of.partial((given,))
            )
            spin = Spin(unknown, rate, second, axis, axis, carried=True, shared=shared)
            return rotation_about(axis, angle), [spin]
        case QuaternionTurn(motion=motions):
            found = [coordinates[axis.coordinate] for axis in motions]
            matrix = quaternion_matrix([c.position for c in found])
            # omega = 2 E(p) p' and E(p') p' = 0: the change of the axes adds nothing (no turn precedes them).
            return matrix, [
                Spin(
                    c.acceleration,
                    c.velocity,
                    dag.zero,
                    column,
                    matvec(transpose(matrix), column),
                    carried=False,
                )
                for c, column in zip(found, _quaternion_axes([c.position for c in found]), strict=True)
            ]


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


def quaternion_matrix(p: list[Expr]) -> Matrix3:
    """The rotation matrix of Euler parameters, exact for unit length."""
    p0, p1, p2, p3 = p
    return (
        (p0**2 + p1**2 - p2**2 - p3**2, 2 * (p1 * p2 - p0 * p3), 2 * (p1 * p3 + p0 * p2)),
        (2 * (p1 * p2 + p0 * p3), p0**2 - p1**2 + p2**2 - p3**2, 2 * (p2 * p3 - p0 * p1)),
        (2 * (p1 * p3 - p0 * p2), 2 * (p2 * p3 + p0 * p1), p0**2 - p1**2 - p2**2 + p3**2),
    )
