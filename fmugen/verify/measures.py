"""What can be measured between bodies.

Everything the reference knows about geometry is built from three measures: the displacement from a point
of one body to a point of another along a direction fixed in some body, the cosine of directions fixed in
two bodies, and the relative spin of two bodies along a direction. Angles, tilts, lengths and the gap of a
screw are made of these. A constraint is a measure that equals a function of time; a joint coordinate, a
point's position or a spring's length is a measure that is merely watched.

Directions may be scaled; the measure is then scaled alike.
"""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]

ORIGIN: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class BodyPoint:
    """A point of a body, by the body's index and the way from its mass centre in body axes."""

    body: int
    arm: Triple = ORIGIN


@dataclass(frozen=True)
class Displacement:
    """The component of the way from ``tail`` to ``head`` along a direction fixed in body ``frame``."""

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

    In the plane it is the rate of a measure, the angle of the head relative to the tail. In space nothing
    has this rate, and its value is zero.
    """

    tail: int
    head: int
    frame: int
    direction: Triple


@dataclass(frozen=True)
class Branch:
    """Which of two triples of Euler angles is meant, by the remembered second angle.

    The triples differ in the sign of its cosine or, if first and third axis are the same, of its sine.
    """

    slot: int
    proper: bool


@dataclass(frozen=True)
class Turn:
    """An angle, by its sine and cosine up to a positive factor.

    Of all values that differ by whole turns it is the one nearest to the memory's ``slot``; without a
    slot it is the one nearest to zero.
    """

    sine: Cosine
    cosine: Cosine
    slot: int | None = None
    branch: Branch | None = None


@dataclass(frozen=True)
class Tilt:
    """The second of three Euler angles.

    ``projection`` is its sine or, if first and third axis are the same, its cosine; the other one has the
    length of the vector ``across``, and the sign of the branch.
    """

    projection: Cosine
    across: tuple[Cosine, Cosine]
    branch: Branch


@dataclass(frozen=True)
class Length:
    """The distance of two places."""

    tail: BodyPoint
    head: BodyPoint
    #: The index of the ground, in whose axes the way is resolved.
    ground: int

    @property
    def components(self) -> tuple[Displacement, Displacement, Displacement]:
        x, y, z = (
            Displacement(self.tail, self.head, self.ground, axis)
            for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        )
        return x, y, z


@dataclass(frozen=True)
class ScrewGap:
    """A displacement less the advance of a screw, ``lead`` per radian, that has turned as far."""

    slide: Displacement
    turn: Turn
    lead: float


Simple = Displacement | Cosine | Spin
Measure = Simple | Turn | Tilt | Length | ScrewGap


def is_length(measure: Measure) -> bool:
    """Whether a measure is in metres."""
    return isinstance(measure, Displacement | Length | ScrewGap)


def is_angle(measure: Measure) -> bool:
    """Whether a measure is an angle."""
    return isinstance(measure, Spin | Turn | Tilt)
