"""BodyTree: how bodies hang on each other, and what each weighs, for recursions from body to body.

The acceleration of a body is that of its frame and of the node where it hangs on its parent. It follows from
that of the parent by steps: along arms of the parent, through the joint. Forces go the same way back.
"""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Matrix3, Vector3

__all__ = ["BodyTree", "Detach", "Free", "Inertia", "Shift", "Step", "TreeBody", "Turn", "Vector6"]

#: An angular and a linear part: of an acceleration, or a torque and a force.
Vector6 = tuple[Expr, Expr, Expr, Expr, Expr, Expr]


@dataclass(frozen=True)
class Turn:
    """``matrix`` resolves vectors of the axes after the turn in those before it.

    ``axis`` is the number of the axis that it is about, ``None`` if it is about no axis of the frame.
    """

    matrix: Matrix3
    axis: int | None = None


@dataclass(frozen=True)
class Shift:
    """From one point to another of the same frame."""

    arm: Vector3


@dataclass(frozen=True)
class Detach:
    """The rotation begins anew from the ground: of bodies whose angles are absolute."""


@dataclass(frozen=True)
class Free:
    """The coordinates ``numbers`` move along ``directions``; four Euler parameters share three of them."""

    numbers: tuple[int, ...]
    directions: tuple[Vector6, ...]

    @property
    def is_attitude(self) -> bool:
        return len(self.numbers) > 1


Step = Turn | Shift | Detach | Free


@dataclass(frozen=True)
class Inertia:
    """The mass, the first moments and the tensor about the point where a body hangs on its parent."""

    mass: Expr
    moments: Vector3
    tensor: Matrix3


@dataclass(frozen=True)
class TreeBody:
    """A body below ``parent``, a number, or below the ground; ``way`` leads from the parent to the body."""

    name: str
    parent: int | None
    way: tuple[Step, ...]
    inertia: Inertia


@dataclass(frozen=True)
class BodyTree:
    """Bodies, parents before children. Planar bodies have only entries that a motion in the plane needs."""

    bodies: tuple[TreeBody, ...]
    coordinates: int
