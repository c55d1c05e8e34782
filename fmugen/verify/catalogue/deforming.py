"""What all bodies that deform have: carriers of their coordinates, and points that move with them.

The coordinates are displacements of bodies without mass, one for each axis of each body. Each point is a body
without mass, which constraints hold where the deformed body has it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from fmugen.ir.model import Attachment, Point
from fmugen.verify.catalogue.base import (
    UNTURNED,
    Action,
    BodyPose,
    ForceLaw,
    Inertia,
    Link,
    Observation,
    Parts,
    Pose,
    Reader,
    Relation,
    Row,
    StartGuesses,
)
from fmugen.verify.catalogue.bodies import attitude_measures, given_attitude, point_measures
from fmugen.verify.charts import TWIST
from fmugen.verify.flexible import FlexibleBody, Material, Section
from fmugen.verify.layout import triple
from fmugen.verify.measures import (
    BodyPoint,
    Combined,
    Composite,
    Cosine,
    Displacement,
    Jets,
    Measure,
    NamedMeasure,
    Simple,
    Spin,
    Sum,
)
from fmugen.verify.rotations import IDENTITY, Array
from fmugen.verify.tape.scalar import choose, cos, sin

__all__ = ["Deforming", "Largest"]

# --- measures of sections ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Displaced(Composite):
    """A displacement along an axis of the frame, less that of the deformed body: zero.

    The body is displaced by ``place + first q + q second q / 2``.
    """

    slide: Displacement
    coordinates: tuple[Simple, ...]
    place: float
    first: tuple[float, ...]
    second: tuple[tuple[float, ...], ...]

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.slide, *self.coordinates

    def combine(self, parts: Jets, memory: Array) -> Combined:
        q, rates = parts.value[1:], parts.rate[1:]
        table, first = np.array(self.second), np.array(self.first)
        slope = table @ q
        return Combined(
            parts.value[0] - self.place - first @ q - 0.5 * (q @ slope),
            parts.jacobian[0] - (slope + first) @ parts.jacobian[1:],
            parts.bias[0] - (slope + first) @ parts.bias[1:] - rates @ table @ rates,
        )


@dataclass(frozen=True)
class _Turned(Composite):
    """``a cos u - b sin u`` for cosines a and b, and an angle u that is linear in coordinates.

    Without b it is ``a + sin u``. It is zero where a section is turned by that angle.
    """

    sine: Cosine
    cosine: Cosine | None
    coordinates: tuple[Simple, ...]
    slopes: tuple[float, ...]

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.sine, self.cosine or self.sine, *self.coordinates

    def combine(self, parts: Jets, memory: Array) -> Combined:
        slopes = np.array(self.slopes)
        u, rate = slopes @ parts.value[2:], slopes @ parts.rate[2:]
        c, s = cos(u), sin(u)
        a, b = parts.value[:2]
        if self.cosine is None:
            value, across, by_a, by_b = a + s, c, 1.0, 0.0
            curved = -s * rate * rate
        else:
            value, across, by_a, by_b = a * c - b * s, -a * s - b * c, c, -s
            curved = -value * rate * rate - 2.0 * rate * (parts.rate[0] * s + parts.rate[1] * c)
        return Combined(
            value,
            by_a * parts.jacobian[0] + by_b * parts.jacobian[1] + across * (slopes @ parts.jacobian[2:]),
            by_a * parts.bias[0] + by_b * parts.bias[1] + across * (slopes @ parts.bias[2:]) + curved,
        )


@dataclass(frozen=True)
class Largest(Composite):
    """The largest amount of some linear functions of coordinates, as a value without derivatives."""

    coordinates: tuple[Simple, ...]
    rows: tuple[tuple[float, ...], ...]

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.coordinates

    def combine(self, parts: Jets, memory: Array) -> Combined:
        rows = np.array(self.rows)
        found = [abs(value) for value in rows @ parts.value]
        largest = found[0]
        for value in found[1:]:
            largest = choose(value - largest, value, largest)
        # It is read as a value alone.
        return Combined(largest, np.zeros(parts.jacobian.shape[1]), 0.0)


# --- the body ------------------------------------------------------------------------------------


class Deforming(ABC):
    """A body with coordinates of its own; the types of such bodies say what it consists of."""

    def __init__(self, at: Reader) -> None:
        self.at, layout = at, at.layout
        self.own = layout.own_coordinates(at.name)
        self.frame = layout.index(at.name)
        self.points = cast("tuple[Point, ...]", at.element.values["points"])
        origin = BodyPoint(layout.ground)
        self.coordinates = tuple(
            Displacement(origin, BodyPoint(body), layout.ground, triple(IDENTITY[axis]))
            for body, axis in self.own.values()
        )

    @abstractmethod
    def material(self) -> Material:
        """Its mass."""

    @abstractmethod
    def section(self, point: Point) -> Section:
        """A point of it."""

    @abstractmethod
    def matrices(self, own_mass: Array) -> tuple[Array, Array]:
        """Stiffness and damping, for the mass matrix of the coordinates."""

    @abstractmethod
    def deflected(self) -> Array:
        """Rows of the functions of coordinates of which the largest is the deflection ratio."""

    @abstractmethod
    def reported(self, point: Point) -> Iterator[tuple[str, Array]]:
        """Quantities of a point that are linear functions of coordinates."""

    def parts(self) -> Parts:
        at = self.at
        gravity = at.layout.vector(at.layout.model.gravity)
        freedoms = (0, 1, 5) if at.planar else range(TWIST)
        sections = [self.section(point) for point in self.points]
        body = FlexibleBody(self.frame, [*self.own.values()], sections, self.material(), gravity, freedoms)
        return Parts(
            rows=(*self._held_points(), *self._unused()),
            measures=tuple(self._measures()),
            actions=(self.elasticity(body.own_mass), *self.diagnostics()),
            inertia=Inertia(0.0, np.zeros((3, 3))),
            flexible=body,
            pose=Pose(body=self._pose, links=tuple(self._links())),
        )

    def diagnostics(self) -> Iterator[ForceLaw]:
        """Laws without forces, for quantities that depend on rates."""
        return iter(())

    # --- points --------------------------------------------------------------------------------------

    def body(self, point: Point) -> int:
        return self.at.layout.place(Attachment(self.at.name, point.name)).body

    def bent(self, factors: Array, *others: tuple[float, Simple]) -> Sum:
        """A sum of coordinates and other measures."""
        own = zip(factors.tolist(), self.coordinates, strict=True)
        return Sum((*others, *((factor, each) for factor, each in own)))

    def _held_points(self) -> Iterator[Row]:
        origin = BodyPoint(self.frame)
        for point in self.points:
            at, head = self.section(point), BodyPoint(self.body(point))
            for axis in range(len(self.at.layout.axes)):
                slide = Displacement(origin, head, self.frame, triple(IDENTITY[axis]))
                place, first = float(at.place[axis]), tuple(at.first[axis].tolist())
                second = tuple(tuple(row) for row in at.second[axis].tolist())
                measure = _Displaced(slide, self.coordinates, place, first, second)
                yield Row(self.at.name, f"{point.name} along {'xyz'[axis]}", measure, head)
            for turn in self.held_turns(point):
                yield Row(self.at.name, f"{point.name} turn", turn, head)

    def held_turns(self, point: Point) -> Iterator[Measure]:
        """What vanishes where a point is turned about z, y and x, one after the other."""
        body, turns = self.body(point), self.section(point).turns
        if self.at.planar:
            spin = Spin(self.frame, body, self.at.ground, triple(IDENTITY[2]))
            yield self.bent(-turns[0], (1.0, spin))
            return
        x, y, z = (triple(axis) for axis in IDENTITY)

        def cosine(own: tuple[float, float, float], other: tuple[float, float, float]) -> Cosine:
            return Cosine(self.frame, own, body, other)

        about_z, about_y, about_x = (tuple(row) for row in turns.tolist())
        yield _Turned(cosine(y, x), cosine(x, x), self.coordinates, about_z)
        yield _Turned(cosine(z, x), None, self.coordinates, about_y)
        yield _Turned(cosine(z, y), cosine(z, z), self.coordinates, about_x)

    def _unused(self) -> Iterator[Row]:
        """The freedoms of carriers that hold no coordinate stay zero."""
        ground, used = self.at.ground, set(self.own.values())
        x, y, z = (triple(axis) for axis in IDENTITY)
        for body in dict.fromkeys(body for body, _ in used):
            carrier = BodyPoint(body)
            if self.at.planar:
                yield Row(self.at.name, "carrier", Spin(ground, body, ground, z), carrier)
            else:
                for one, other in ((x, y), (y, z), (z, x)):
                    yield Row(self.at.name, "carrier", Cosine(ground, one, body, other), carrier)
            for axis in range(len(self.at.layout.axes)):
                if (body, axis) not in used:
                    rise = Displacement(BodyPoint(ground), carrier, ground, triple(IDENTITY[axis]))
                    yield Row(self.at.name, "carrier", rise, carrier)

    def _links(self) -> Iterator[Link]:
        for point in self.points:
            undeformed = Relation(UNTURNED, self.section(point).place, known=True)
            yield Link(BodyPoint(self.frame), BodyPoint(self.body(point)), undeformed)

    def _pose(self, starts: StartGuesses) -> BodyPose:
        origin, axes = np.zeros(3), self.at.layout.axes
        origin[: len(axes)] = [starts.own.get(axis, np.nan) for axis in axes]
        return BodyPose(given_attitude(self.at, starts), origin, origin)

    # --- quantities and forces -----------------------------------------------------------------------

    def _measures(self) -> Iterator[NamedMeasure]:
        name, layout = self.at.name, self.at.layout
        yield from point_measures(layout, name, layout.place(Attachment(name)))
        yield from attitude_measures(self.at)
        for kind, measure in zip(self.own, self.coordinates, strict=True):
            yield NamedMeasure(measure, f"{name}.{kind}", f"{name}.d{kind}", f"{name}.dd{kind}")
        rows = tuple(tuple(row) for row in self.deflected().tolist() if any(row))
        yield NamedMeasure(Largest(self.coordinates, rows), f"{name}.deflection_ratio")
        for point in self.points:
            owner = f"{name}.{point.name}"
            yield from point_measures(layout, owner, layout.place(Attachment(name, point.name)))
            for kind, other in self.measured(point):
                yield NamedMeasure(other, f"{owner}.{kind}")

    def measured(self, point: Point) -> Iterator[tuple[str, Measure]]:
        """Quantities of a point besides its motion."""
        for kind, factors in self.reported(point):
            yield kind, self.bent(factors)

    def elasticity(self, own_mass: Array) -> ForceLaw:
        """Stiffness and damping."""
        stiffness, damping = self.matrices(own_mass)

        def act(seen: Observation) -> Action:
            q, rates = np.array(seen.positions), np.array(seen.rates)
            elastic, damped = stiffness @ q, damping @ rates
            efforts: Sequence[float] = (-elastic - damped).tolist()
            return Action(efforts, 0.5 * (q @ elastic), -(rates @ damped))

        return ForceLaw(self.coordinates, act)
