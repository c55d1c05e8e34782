"""Quantities: the scalars of elements that formulas, outputs and start values may name.

``crank.angle``, ``crank.tip.vx``, ``pin.fx`` and ``R1.i`` are quantities.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = [
    "ATTITUDE_MATRIX",
    "EULER_PARAMETERS",
    "FORCE_COMPONENTS",
    "SLIDE",
    "Kinds",
    "Level",
    "Limit",
    "Quantity",
    "angle_kinds",
    "attitude_kinds",
    "derivative_names",
    "force_kinds",
    "freedom_kinds",
    "torque_kinds",
    "vector_kinds",
]

#: The attitude that is described by Euler parameters, which no motion makes singular.
EULER_PARAMETERS = "quaternion"


class Level(Enum):
    """The level of a quantity: positions, velocities, or accelerations and reactions."""

    POSITION = 0
    VELOCITY = 1
    ACCELERATION = 2


@dataclass(frozen=True)
class Limit:
    """The largest value for which the law of an element holds; ``reason`` says why, and what helps."""

    bound: float
    reason: str


@dataclass(frozen=True)
class Quantity:
    """``owner`` is an element, a ``body.point`` or a node; ``kind`` is the last word of the name.

    ``network`` tells variables of networks from quantities of the mechanism. An ``effort`` is a force or a
    torque, or follows from the law of one. An FMU warns beyond a ``limit``.
    """

    owner: str
    kind: str
    level: Level
    unit: str
    network: bool = False
    limit: Limit | None = None
    effort: bool = False

    @property
    def name(self) -> str:
        return f"{self.owner}.{self.kind}"


#: The kinds of quantities that an element has, each with its level and unit.
Kinds = tuple[tuple[str, Level, str], ...]

_P, _V, _A = Level.POSITION, Level.VELOCITY, Level.ACCELERATION


def vector_kinds(axes: str) -> Kinds:
    """The components of a position along some of the axes x, y, z, with their derivatives."""
    levels = (("", _P, "m"), ("v", _V, "m/s"), ("a", _A, "m/s2"))
    return tuple((f"{prefix}{axis}", level, unit) for prefix, level, unit in levels for axis in axes)


def derivative_names(name: str) -> tuple[str, str, str]:
    """The names of a coordinate of an element itself, and of its two derivatives."""
    return name, f"d{name}", f"dd{name}"


def freedom_kinds(name: str, unit: str) -> Kinds:
    """A coordinate of an element itself and its derivatives."""
    units = (unit, f"{unit}/s", f"{unit}/s2")
    return tuple(zip(derivative_names(name), (_P, _V, _A), units, strict=True))


def angle_kinds(suffix: str = "") -> Kinds:
    """An angle and its derivatives; ``suffix`` tells the angles of one element apart."""
    kinds = (("angle", _P, "rad"), ("omega", _V, "rad/s"), ("alpha", _A, "rad/s2"))
    return tuple((f"{kind}{suffix}", level, unit) for kind, level, unit in kinds)


#: A displacement along an axis, and its derivatives.
SLIDE: Kinds = (("s", _P, "m"), ("v", _V, "m/s"), ("a", _A, "m/s2"))
#: The attitude of a body in space: direction cosines, angular velocity and acceleration in ground axes.
ATTITUDE_MATRIX: Kinds = (
    *((f"r{i}{j}", _P, "1") for i in "xyz" for j in "xyz"),
    *((f"w{axis}", _V, "rad/s") for axis in "xyz"),
    *((f"alpha{axis}", _A, "rad/s2") for axis in "xyz"),
)


def attitude_kinds(attitude: str) -> Kinds:
    """The quantities of an attitude: those of Euler angles; Euler parameters are coordinates only."""
    return () if attitude == EULER_PARAMETERS else tuple(k for n in "123" for k in angle_kinds(n))


def force_kinds(*, planar: bool, level: Level = _A) -> Kinds:
    """The components of a force; that of a constraint is known with the accelerations."""
    return tuple((f"f{axis}", level, "N") for axis in ("xy" if planar else "xyz"))


def torque_kinds(*, planar: bool, level: Level = _A) -> Kinds:
    """The components of a torque; in the plane it has one."""
    if planar:
        return (("torque", level, "N.m"),)
    return tuple((f"t{axis}", level, "N.m") for axis in "xyz")


#: The names of the components of a force.
FORCE_COMPONENTS = frozenset(kind for kind, *_ in force_kinds(planar=False))
