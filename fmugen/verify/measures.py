"""Measures between bodies.

The geometry of the reference is built from four simple measures, all along directions fixed in bodies:
displacements between points of two bodies, cosines of the angles between directions, relative spins and
relative velocities. Composite measures combine them: angles, tilts, lengths, the gap of a screw. A constraint
is a measure that equals a function of time. A joint coordinate, a point's position or a spring's length is a
measure with a name.

Directions may be scaled; the measure is then scaled by the same factor. A type of element may bring its own
composite measure: it subclasses :class:`Composite`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fmugen.verify.rotations import Array
from fmugen.verify.tape.scalar import atan2, choose, cos, rounded, sin, sqrt

Triple = tuple[float, float, float]

ORIGIN: Triple = (0.0, 0.0, 0.0)
_REVOLUTION = 2.0 * np.pi


@dataclass(frozen=True)
class BodyPoint:
    """A point of a body: the body's index, and the vector from its mass centre in body axes."""

    body: int
    arm: Triple = ORIGIN


# --- simple measures -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Displacement:
    """The component of the vector from ``tail`` to ``head`` along a direction fixed in body ``frame``."""

    tail: BodyPoint
    head: BodyPoint
    frame: int
    direction: Triple


@dataclass(frozen=True)
class Cosine:
    """The scalar product of directions fixed in two bodies."""

    tail: int
    tail_direction: Triple
    head: int
    head_direction: Triple


@dataclass(frozen=True)
class Spin:
    """The relative angular velocity of two bodies along a direction fixed in body ``frame``.

    In the plane it is the rate of a measure, the angle of the head relative to the tail. In space no measure
    has this rate, and the value is zero.
    """

    tail: int
    head: int
    frame: int
    direction: Triple


@dataclass(frozen=True)
class Velocity:
    """The velocity of ``head`` less that of ``tail``, along a direction fixed in body ``frame``.

    It is a rate without a value: its value is zero. Unlike the rate of a displacement it does not contain the
    turning of the direction. Constraints on velocities are made of it.
    """

    tail: BodyPoint
    head: BodyPoint
    frame: int
    direction: Triple


Simple = Displacement | Cosine | Spin | Velocity


# --- composite measures --------------------------------------------------------------------------


class Jets(NamedTuple):
    """The parts of a composite measure at a state, an entry or row each.

    For a part f and the twists t of all bodies: value f, rate f' = J t, bias b in f'' = J t' + b, and J.
    """

    value: Array
    rate: Array
    bias: Array
    jacobian: Array


class Combined(NamedTuple):
    """A composite measure at a state: value, row of the Jacobian by all twists, and bias."""

    value: Any
    jacobian: Array
    bias: Any


class Composite(ABC):
    """A measure that is a function of simple measures."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Simple, ...]:
        """The simple measures it is made of."""

    @abstractmethod
    def combine(self, parts: Jets, memory: Array) -> Combined:
        """Its value and derivatives; ``memory`` has the remembered angles by slot."""


Measure = Simple | Composite


@dataclass(frozen=True)
class Branch:
    """Which of two triples of Euler angles is meant, by the remembered second angle.

    The triples differ in the sign of its cosine or, if first and third axis are the same, of its sine.
    """

    slot: int
    proper: bool

    def sign(self, memory: Array) -> float:
        angle = memory[self.slot]
        sign: float = choose(sin(angle) if self.proper else cos(angle), 1.0, -1.0)
        return sign


@dataclass(frozen=True)
class Turn(Composite):
    """An angle, by its sine and cosine up to a common positive factor.

    Of all values that differ by whole turns it is the one nearest to the memory's ``slot``; without a
    slot it is the one nearest to zero.
    """

    sine: Cosine
    cosine: Cosine
    slot: int | None = None
    branch: Branch | None = None

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.sine, self.cosine

    def combine(self, parts: Jets, memory: Array) -> Combined:
        sign = 1.0 if self.branch is None else self.branch.sign(memory)
        near = 0.0 if self.slot is None else memory[self.slot]
        sine, cosine = parts.value
        square = sine * sine + cosine * cosine
        value = _nearest(atan2(sign * sine, sign * cosine), near)
        if square == 0.0:
            return _undefined(value, parts)
        weights = np.array([cosine, -sine]) / square
        rate, growth = weights @ parts.rate, parts.value @ parts.rate
        return Combined(
            value,
            weights @ parts.jacobian,
            weights @ parts.bias - 2.0 * rate * growth / square,
        )


@dataclass(frozen=True)
class Tilt(Composite):
    """The second of three Euler angles.

    ``projection`` is its sine or, if first and third axis are the same, its cosine. The other one has the
    length of the vector ``across``, and the sign of the branch.
    """

    projection: Cosine
    across: tuple[Cosine, Cosine]
    branch: Branch

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.projection, *self.across

    def combine(self, parts: Jets, memory: Array) -> Combined:
        projection, x, y = parts.value
        other = self.branch.sign(memory) * sqrt(x * x + y * y)
        # The derivative of a sine is the cosine, that of a cosine minus the sine.
        sine, cosine, slope = (
            (other, projection, -other) if self.branch.proper else (projection, other, other)
        )
        value = _nearest(atan2(sine, cosine), memory[self.branch.slot])
        if slope == 0.0:
            return _undefined(value, parts)
        rate = parts.rate[0] / slope
        return Combined(
            value,
            parts.jacobian[0] / slope,
            (parts.bias[0] + projection * rate * rate) / slope,
        )


@dataclass(frozen=True)
class Length(Composite):
    """The distance of two points of bodies."""

    tail: BodyPoint
    head: BodyPoint
    #: The index of the ground, in whose axes the vector between them is resolved.
    ground: int

    @property
    def parts(self) -> tuple[Simple, ...]:
        return tuple(
            Displacement(self.tail, self.head, self.ground, axis)
            for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        )

    def combine(self, parts: Jets, memory: Array) -> Combined:
        length = sqrt(parts.value @ parts.value)
        if length == 0.0:
            return _undefined(length, parts)
        direction = parts.value / length
        across = parts.rate @ parts.rate - (direction @ parts.rate) ** 2
        return Combined(length, direction @ parts.jacobian, direction @ parts.bias + across / length)


@dataclass(frozen=True)
class ScrewGap(Composite):
    """A displacement less the advance of a screw, ``lead`` per radian, that has turned by ``turn``."""

    slide: Displacement
    turn: Turn
    lead: float

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.slide, *self.turn.parts

    def combine(self, parts: Jets, memory: Array) -> Combined:
        slide = parts.value[0]
        angle = self.turn.combine(Jets(*(table[1:] for table in parts)), memory)
        turned = _nearest(angle.value, slide / self.lead) if self.lead else 0.0
        return Combined(
            slide - self.lead * turned,
            parts.jacobian[0] - self.lead * angle.jacobian,
            parts.bias[0] - self.lead * angle.bias,
        )


@dataclass(frozen=True)
class Sum(Composite):
    """A sum of simple measures, each with a constant factor."""

    terms: tuple[tuple[float, Simple], ...]

    @property
    def parts(self) -> tuple[Simple, ...]:
        return tuple(part for _, part in self.terms)

    def combine(self, parts: Jets, memory: Array) -> Combined:
        factors = np.array([factor for factor, _ in self.terms])
        return Combined(factors @ parts.value, factors @ parts.jacobian, factors @ parts.bias)


def _undefined(value: float, parts: Jets) -> Combined:
    """A measure without a gradient: the points coincide, or the Euler angles are in gimbal lock."""
    return Combined(value, np.zeros(parts.jacobian.shape[1]), 0.0)


def _nearest(angle: float, memory: float) -> float:
    """The angle, changed by whole turns to be nearest to the remembered one."""
    result: float = angle + _REVOLUTION * rounded((memory - angle) / _REVOLUTION)
    return result


def wrapped(angle: Array) -> Array:
    """Angles less the whole turns in them."""
    result: Array = angle - _REVOLUTION * rounded(angle / _REVOLUTION)
    return result


def is_length(measure: Measure) -> bool:
    """Whether a measure is in metres."""
    return isinstance(measure, Displacement | Length | ScrewGap)


def is_angle(measure: Measure) -> bool:
    """Whether a measure is an angle."""
    return isinstance(measure, Spin | Turn | Tilt)


# --- measures with names -------------------------------------------------------------------------


@dataclass(frozen=True)
class NamedMeasure:
    """A measure and the quantities that are its value, rate and acceleration, where they have names."""

    measure: Measure
    position: str | None
    velocity: str | None = None
    acceleration: str | None = None

    @property
    def names(self) -> tuple[str | None, str | None, str | None]:
        return self.position, self.velocity, self.acceleration

    @property
    def slot(self) -> int | None:
        """The slot of the memory that holds the value."""
        match self.measure:
            case Turn(slot=slot):
                return slot
            case Tilt(branch=branch):
                return branch.slot
        return None


def linear(owner: str, axis: str, measure: Measure) -> NamedMeasure:
    """A coordinate of a point: ``owner.x``, ``owner.vx``, ``owner.ax``."""
    return NamedMeasure(measure, f"{owner}.{axis}", f"{owner}.v{axis}", f"{owner}.a{axis}")


def angular(owner: str, measure: Measure, number: str = "") -> NamedMeasure:
    """An angle of an element: ``owner.angle``, ``owner.omega``, ``owner.alpha``, with a number if given."""
    return NamedMeasure(measure, f"{owner}.angle{number}", f"{owner}.omega{number}", f"{owner}.alpha{number}")
