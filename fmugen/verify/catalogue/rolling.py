"""Contacts that roll without slipping, by the velocity of the material point that touches.

Their measures are rates: weights, which depend on position, times the rates of displacements and spins.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from fmugen.verify.catalogue.base import (
    Attitude,
    Parts,
    Pose,
    Reader,
    Relation,
    Row,
    StartGuesses,
    law,
    law_of,
)
from fmugen.verify.layout import triple
from fmugen.verify.measures import (
    Combined,
    Composite,
    Cosine,
    Displacement,
    Jets,
    Measure,
    Simple,
    Spin,
    Sum,
    angular,
    linear,
)
from fmugen.verify.rotations import IDENTITY, Array, about
from fmugen.verify.tape.scalar import sqrt

_UP = IDENTITY[2]


@dataclass(frozen=True)
class _Contact:
    """Two bodies that touch; all vectors are by components along the axes of the tail's attachment."""

    displacements: tuple[Displacement, ...]
    #: None in the plane.
    spins: tuple[Spin, ...]
    #: Of the direction that is fixed in the head.
    cosines: tuple[Cosine, ...]


def _contact(at: Reader, fixed: Array) -> _Contact:
    """The contact, with a direction fixed in the head by components in its body."""
    ways = at.tail_axes.T[: len(at.layout.axes)]
    tail, head = at.tail.body, at.head.body
    return _Contact(
        tuple(at.in_tail(each) for each in ways),
        () if at.planar else tuple(Spin(tail, head, tail, triple(each)) for each in ways),
        tuple(Cosine(tail, triple(each), head, triple(fixed)) for each in ways),
    )


@dataclass(frozen=True)
class _Rate(Composite):
    """The scalar product of weights and the rates of displacements and spins."""

    contact: _Contact

    @property
    def parts(self) -> tuple[Simple, ...]:
        return *self.contact.displacements, *self.contact.spins, *self.contact.cosines

    @abstractmethod
    def weights(self, place: Any, n: Any, moving: Any, turning: Any) -> tuple[Any, Any]:
        """The weights and their derivatives by time.

        ``place`` and ``n`` are the displacement and the direction that is fixed in the head, ``moving`` and
        ``turning`` their rates.
        """

    def combine(self, parts: Jets, memory: Array) -> Combined:
        slides = len(self.contact.displacements)
        rates = slides + len(self.contact.spins)
        factors, growth = self.weights(
            parts.value[:slides], parts.value[rates:], parts.rate[:slides], parts.rate[rates:]
        )
        return Combined(
            0.0,
            factors @ parts.jacobian[:rates],
            factors @ parts.bias[:rates] + growth @ parts.rate[:rates],
        )


@dataclass(frozen=True)
class _Along(_Rate):
    """The velocity of the head's point along the fixed direction."""

    def weights(self, place: Any, n: Any, moving: Any, turning: Any) -> tuple[Any, Any]:
        none = np.zeros(len(self.contact.spins))
        return np.concatenate([n, none]), np.concatenate([turning, none])


@dataclass(frozen=True)
class _Slip(_Rate):
    """The velocity of the point of a wheel that touches the plane, along ``way``."""

    radius: float
    crown: float
    way: int

    def weights(self, place: Any, n: Any, moving: Any, turning: Any) -> tuple[Any, Any]:
        arm, arm_rate = self._arm(n, turning)
        way = IDENTITY[self.way]
        # (spin x arm) . way = spin . (arm x way)
        return (
            np.concatenate([way, np.cross(arm, way)]),
            np.concatenate([np.zeros(3), np.cross(arm_rate, way)]),
        )

    def _arm(self, n: Any, n_rate: Any) -> tuple[Any, Any]:
        """From the centre to the contact: down in the plane of the wheel, then along the normal."""
        rim = self.radius - self.crown
        if rim == 0.0:
            return -self.crown * _UP, np.zeros(3)
        cosine = sqrt(n[0] * n[0] + n[1] * n[1])
        cosine_rate = (n[0] * n_rate[0] + n[1] * n_rate[1]) / cosine
        rise = (_UP - n[2] * n) / cosine
        rise_rate = -(n_rate[2] * n + n[2] * n_rate + cosine_rate * rise) / cosine
        return -rim * rise - self.crown * _UP, -rim * rise_rate


@dataclass(frozen=True)
class _Height(Composite):
    """The height of the centre of a wheel above where it touches the plane."""

    contact: _Contact
    radius: float
    crown: float

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.contact.displacements[2], *self.contact.cosines[:2]

    def combine(self, parts: Jets, memory: Array) -> Combined:
        rim, n = self.radius - self.crown, parts.value[1:]
        cosine = sqrt(n @ n)
        rates = parts.rate[1:]
        growth = n @ rates / cosine
        bend = (rates @ rates - growth * growth + n @ parts.bias[1:]) / cosine
        return Combined(
            parts.value[0] - self.crown - rim * cosine,
            parts.jacobian[0] - rim * (n @ parts.jacobian[1:]) / cosine,
            parts.bias[0] - rim * bend,
        )


@dataclass(frozen=True)
class _Forward(_Rate):
    """The forward speed of an axle less that of its rolling."""

    radius: float

    def weights(self, place: Any, n: Any, moving: Any, turning: Any) -> tuple[Any, Any]:
        def of(axle: Any) -> Any:
            return np.concatenate([np.cross(axle, _UP), -self.radius * axle])

        return of(n), of(turning)


@dataclass(frozen=True)
class _Steering(_Rate):
    """How fast an axle yaws less what the radii of its two wheels ask for."""

    half_gauge: float
    conicity: float

    def weights(self, place: Any, n: Any, moving: Any, turning: Any) -> tuple[Any, Any]:
        spin = self.half_gauge * _UP + self.conicity * place[1] * n
        growth = self.conicity * (moving[1] * n + place[1] * turning)
        return np.concatenate([np.zeros(3), spin]), np.concatenate([np.zeros(3), growth])


@law("joints", "knife_edge")
def knife_edge(at: Reader) -> Parts:
    """The head's point does not move across the edge."""
    base = law_of("joints", "free" if at.planar else "planar")(at)
    across = IDENTITY[1] if at.planar else at.triad("axis", at.direction("second_axis"))[2]
    sideways = _rolls(at, "sideways", _Along(_contact(at, at.head_axes @ across)))
    return _joint(at, base, (*base.rows, sideways))


@law("joints", "rolling")
def rolling(at: Reader) -> Parts:
    """The centre keeps its height, and the point that touches the plane has no velocity."""
    base, radius = law_of("joints", "free")(at), at.number("radius")
    if at.planar:
        x, y = (at.in_tail(way) for way in at.tail_axes.T[:2])
        height = Row(at.name, "height", y, at.head, at.formula("radius"))
        slip = Sum(((1.0, x), (radius, at.planar_angle())))
        return _joint(at, base, (height, _rolls(at, "rolling along x", slip)))
    crown, axle = at.number("crown"), at.vector("axle")
    contact = _contact(at, axle / np.linalg.norm(axle))
    rows = (
        Row(at.name, "height", _Height(contact, radius, crown), at.head),
        _rolls(at, "rolling along x", _Slip(contact, radius, crown, 0)),
        _rolls(at, "rolling along y", _Slip(contact, radius, crown, 1)),
    )
    return _joint(at, base, rows)


@law("joints", "wheelset")
def wheelset(at: Reader) -> Parts:
    """The axle does not slide along itself; both wheels roll, on different radii."""
    x, y, up = IDENTITY
    contact = _contact(at, at.head_axes @ y)
    angles = at.coupling.universal(np.array([up, y, -x]), (at.slot(), at.slot()))
    rows = (
        Row(at.name, "height", at.in_tail(at.tail_axes @ up), at.head),
        Row(at.name, "angle of the axle", at.coupling.cosine(up, y), at.head),
        _rolls(at, "sideways", _Along(contact)),
        _rolls(at, "rolling", _Forward(contact, at.number("radius"))),
        _rolls(at, "steering", _Steering(contact, at.number("half_gauge"), at.number("conicity"))),
    )
    slides = (
        linear(at.name, letter, at.in_tail(at.tail_axes @ axis))
        for letter, axis in zip("xy", IDENTITY, strict=False)
    )
    turns = (angular(at.name, measure, str(n)) for n, measure in enumerate(angles, start=1))

    def relation(starts: StartGuesses) -> Relation:
        turned = about(up, starts("angle1")) @ about(y, starts("angle2"))
        rotation = Attitude(at.tail_axes @ turned @ at.head_axes.T)
        place = at.tail_axes @ np.array([starts("x"), starts("y"), 0.0])
        return Relation(rotation, place, known=starts.turning)

    return _joint(at, Parts(measures=(*slides, *turns), pose=Pose(relation)), rows)


def _rolls(at: Reader, label: str, measure: Measure) -> Row:
    return Row(at.name, label, measure, at.head, velocity_only=True)


def _joint(at: Reader, base: Parts, rows: tuple[Row, ...]) -> Parts:
    """A joint with the coordinates and the pose of ``base``."""
    return Parts(rows, base.measures, pose=base.pose, reactions=(*at.force_kinds, *at.torque_kinds))
