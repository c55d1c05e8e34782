"""The measurement of quantities of elements: a closed union, so that names need no decoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fmugen.expr.dag import Expr
from fmugen.ir.graph import Domain
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import (
    Kinds,
    Level,
    Limit,
    Quantity,
    angle_kinds,
    force_kinds,
    torque_kinds,
    vector_kinds,
)

__all__ = [
    "Across",
    "Angle",
    "Attitude",
    "Cosine",
    "Effort",
    "FreedomValue",
    "Heading",
    "Measure",
    "ModeNumber",
    "NodePosition",
    "Reading",
    "Slide",
    "Spin",
    "StateValue",
    "Tension",
    "Through",
    "angles",
    "forces",
    "places",
    "slides",
    "torques",
]


@dataclass(frozen=True)
class NodePosition:
    """A component of the position of a node in ground axes, or of a derivative of it."""

    component: int
    order: int


@dataclass(frozen=True)
class Heading:
    """The angle of a body of the plane, or a derivative of it."""

    order: int


@dataclass(frozen=True)
class Cosine:
    """An entry of the rotation matrix of a body."""

    row: int
    column: int


@dataclass(frozen=True)
class Spin:
    """A component of the angular velocity (order 1) or acceleration (2) of a body in ground axes."""

    component: int
    order: int


@dataclass(frozen=True)
class Attitude:
    """An Euler angle, which is known only where it is a coordinate."""


@dataclass(frozen=True)
class Slide:
    """The displacement across an edge along one of its axes of motion, or a derivative as seen from there."""

    axis: int
    order: int


@dataclass(frozen=True)
class Angle:
    """An angle of a rotation, or a derivative of it."""

    axis: int
    order: int


@dataclass(frozen=True)
class Across:
    """A number that the motion across an edge has, such as its length."""

    domain: Domain
    value: Callable[[Motion], Expr]


@dataclass(frozen=True)
class Effort:
    """A number that the law of an element gives."""

    domain: Domain
    value: Callable[[Motion], Expr]


@dataclass(frozen=True)
class Through:
    """A component of the through variable of an edge, on its head and in ground axes."""

    domain: Domain
    component: int


@dataclass(frozen=True)
class Tension:
    """The force that pulls the ends of an edge of given length together."""


@dataclass(frozen=True)
class FreedomValue:
    """A coordinate of the element itself, or a derivative of it."""


@dataclass(frozen=True)
class ModeNumber:
    """The number of the mode that the element is in, from zero."""


@dataclass(frozen=True)
class StateValue:
    """A state of the element."""


Measure = (
    NodePosition
    | Heading
    | Cosine
    | Spin
    | Attitude
    | Slide
    | Angle
    | Across
    | Effort
    | Through
    | Tension
    | FreedomValue
    | ModeNumber
    | StateValue
)


#: Measures of forces and torques, and of what else a law gives.
_EFFORTS = (Effort, Through, Tension)


@dataclass(frozen=True)
class Reading:
    """A quantity of an element and how it is measured.

    ``at`` is what follows the name of the element where the quantity belongs to a point of it: ``.A``. Every
    FMU has the ``recorded`` ones; others are variables only where an output asks for them. An FMU warns where
    a recorded one is beyond its ``limit``.
    """

    kind: str
    level: Level
    unit: str
    measure: Measure
    at: str = ""
    recorded: bool = False
    limit: Limit | None = None

    def quantity(self, element: str) -> Quantity:
        """The quantity of the element with this name."""
        return Quantity(
            f"{element}{self.at}",
            self.kind,
            self.level,
            self.unit,
            network=isinstance(self.measure, StateValue),
            limit=self.limit,
            effort=isinstance(self.measure, _EFFORTS),
        )


def _readings(kinds: Kinds, measures: Iterator[Measure], recorded: bool = False) -> Iterator[Reading]:
    for (kind, level, unit), measure in zip(kinds, measures, strict=True):
        yield Reading(kind, level, unit, measure, recorded=recorded)


def places(*, planar: bool) -> Iterator[Reading]:
    """Position, velocity and acceleration of a node."""
    count = 2 if planar else 3
    measures: Iterator[Measure] = (NodePosition(axis, order) for order in range(3) for axis in range(count))
    return _readings(vector_kinds("xyz"[:count]), measures)


def slides(kinds: Kinds) -> Iterator[Reading]:
    """Displacements along the axes of motion and their derivatives, all displacements first."""
    count = len(kinds) // 3
    measures: Iterator[Measure] = (Slide(axis, order) for order in range(3) for axis in range(count))
    return _readings(kinds, measures)


def angles(count: int = 1) -> Iterator[Reading]:
    """The angles of a rotation, each followed by its derivatives; one alone has no number."""
    for axis in range(count):
        kinds = angle_kinds("" if count == 1 else str(axis + 1))
        measures: Iterator[Measure] = (Angle(axis, order) for order in range(3))
        yield from _readings(kinds, measures)


def forces(*, planar: bool, level: Level = Level.ACCELERATION, recorded: bool = False) -> Iterator[Reading]:
    """The force of an element on its head; that of a constraint is known with the accelerations."""
    kinds = force_kinds(planar=planar, level=level)
    measures: Iterator[Measure] = (Through(Domain.TRANSLATION, number) for number in range(len(kinds)))
    return _readings(kinds, measures, recorded)


def torques(*, planar: bool, level: Level = Level.ACCELERATION, recorded: bool = False) -> Iterator[Reading]:
    """The torque of an element on its head."""
    kinds = torque_kinds(planar=planar, level=level)
    components = [2] if planar else range(3)
    measures: Iterator[Measure] = (Through(Domain.ROTATION, component) for component in components)
    return _readings(kinds, measures, recorded)
