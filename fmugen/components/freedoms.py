"""The motion space of a joint: how its head may slide and turn relative to its tail.

A joint reacts in all other directions. Axes are given in the axes of the two attachments, which coincide
where all coordinates are zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.ir.element import QUATERNION, X_AXIS, Vector
from fmugen.ir.formula import ZERO, Formula

__all__ = [
    "About",
    "Anywhere",
    "Ball",
    "Cross",
    "Freedoms",
    "Held",
    "Line",
    "Locked",
    "Plane",
    "Slides",
    "Turns",
]


@dataclass(frozen=True)
class Held:
    """The two points stay together."""

    def count(self, *, planar: bool) -> int:
        return 0


@dataclass(frozen=True)
class Line:
    """The head slides along a line that is fixed in the tail."""

    axis: Vector

    def count(self, *, planar: bool) -> int:
        return 1


@dataclass(frozen=True)
class Plane:
    """The head slides in a plane of the tail; x is the part of ``toward`` that lies in it."""

    normal: Vector
    toward: Vector = X_AXIS

    def count(self, *, planar: bool) -> int:
        return 2


@dataclass(frozen=True)
class Anywhere:
    """The head slides in all directions, measured along the axes of the tail."""

    def count(self, *, planar: bool) -> int:
        return 2 if planar else 3


@dataclass(frozen=True)
class Locked:
    """The bodies do not turn; ``angle`` is that of the head about z."""

    angle: Formula = ZERO

    def count(self, *, planar: bool) -> int:
        return 0


@dataclass(frozen=True)
class About:
    """The bodies turn about one axis, in the plane about z."""

    axis: Vector
    toward: Vector = X_AXIS

    def count(self, *, planar: bool) -> int:
        return 1


@dataclass(frozen=True)
class Cross:
    """The bodies turn about ``first``, fixed in the tail, and about ``second``, fixed in the head."""

    first: Vector
    second: Vector

    def count(self, *, planar: bool) -> int:
        return 2


@dataclass(frozen=True)
class Ball:
    """The bodies turn freely: by Euler parameters, or by Euler angles of a sequence; in the plane about z."""

    attitude: str = QUATERNION

    def count(self, *, planar: bool) -> int:
        return 1 if planar else 3


Slides = Held | Line | Plane | Anywhere
Turns = Locked | About | Cross | Ball


@dataclass(frozen=True)
class Freedoms:
    """The motion that a joint leaves free."""

    slides: Slides
    turns: Turns

    def count(self, *, planar: bool) -> int:
        return self.slides.count(planar=planar) + self.turns.count(planar=planar)

    def turns_freely(self, *, planar: bool) -> bool:
        return isinstance(self.turns, Ball) or (planar and isinstance(self.turns, About))
