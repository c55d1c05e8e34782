"""Beams: a frame, points that move with the sections, and coordinates of the deflection.

The coordinates of a beam are displacements of bodies without mass, two for each body. Each point is a body
without mass, which constraints hold at its section.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from fmugen.ir.formula import Formula
from fmugen.ir.model import Attachment, Point
from fmugen.verify.beam_shapes import Shapes, ShapeValues
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
    law,
)
from fmugen.verify.catalogue.bodies import attitude_measures, given_attitude, point_measures
from fmugen.verify.flexible import PlanarBeam, Section
from fmugen.verify.layout import triple
from fmugen.verify.measures import (
    BodyPoint,
    Combined,
    Composite,
    Displacement,
    Jets,
    NamedMeasure,
    Simple,
    Spin,
    Sum,
)
from fmugen.verify.rotations import IDENTITY, Array
from fmugen.verify.tape.scalar import choose

#: Where the deflection ratio looks at the beam.
_STATIONS = np.arange(1, 9) / 8.0


#: The factor of all polynomials, and the number of rigid motions it leaves.
_FACTORS = {
    "cantilever": ((0.0, 0.0, 1.0), 0),
    "chord": ((0.0, 1.0, -1.0), 0),
    "pinned": ((0.0, 1.0), 1),
    "free": ((1.0,), 2),
}


def shapes_of(supports: str, basis: str, count: int) -> Shapes:
    """The shapes of a beam by the keys of the file."""
    factor, rigid = _FACTORS[supports]
    return Shapes(factor, rigid, basis, count)


@dataclass(frozen=True)
class _Along(Composite):
    """The place of a section along the frame, less the one that its shortening leaves: zero."""

    slide: Displacement
    coordinates: tuple[Simple, ...]
    place: float
    #: Rows of the shortening matrix.
    shortening: tuple[tuple[float, ...], ...]

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.slide, *self.coordinates

    def combine(self, parts: Jets, memory: Array) -> Combined:
        q, rates = parts.value[1:], parts.rate[1:]
        table = np.array(self.shortening)
        slope = table @ q
        return Combined(
            parts.value[0] - self.place + 0.5 * (q @ slope),
            parts.jacobian[0] + slope @ parts.jacobian[1:],
            parts.bias[0] + slope @ parts.bias[1:] + rates @ table @ rates,
        )


@dataclass(frozen=True)
class _Largest(Composite):
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


@law("bodies", "beam")
def beam(at: Reader) -> Parts:
    """A uniform beam that bends, by shapes with foreshortening of second order."""
    return _Beam(at).parts()


class _Beam:
    def __init__(self, at: Reader) -> None:
        self.at, layout = at, at.layout
        self.own = layout.own_coordinates(at.name)
        self.shapes = shapes_of(at.text("supports"), at.text("basis"), len(self.own))
        self.length, self.frame = at.number("length"), layout.index(at.name)
        area, self.second_moment = self._section()
        self.density = at.number("density") * area
        self.points = cast("tuple[Point, ...]", at.element.values["points"])
        origin = BodyPoint(layout.ground)
        self.coordinates = tuple(
            Displacement(origin, BodyPoint(body), layout.ground, triple(IDENTITY[axis]))
            for body, axis in self.own.values()
        )

    def _section(self) -> tuple[float, float]:
        """Area and second moment of area."""
        at = self.at

        def given(key: str) -> float | None:
            value = at.element.values[key]
            return at.layout.number(value) if isinstance(value, Formula) else None

        outer, width, height = given("diameter"), given("width"), given("height")
        if outer is not None:
            inner = given("inner_diameter") or 0.0
            return np.pi / 4.0 * (outer**2 - inner**2), np.pi / 64.0 * (outer**4 - inner**4)
        if width is not None and height is not None:
            return width * height, width * height**3 / 12.0
        return at.number("area"), at.number("second_moment")

    def parts(self) -> Parts:
        at = self.at
        gravity = at.layout.vector(at.layout.model.gravity)
        inertia = PlanarBeam(
            self.frame,
            [*self.own.values()],
            [Section(self._body(point), self._place(point), self._values(point)) for point in self.points],
            self.shapes,
            self.density,
            self.length,
            gravity,
        )
        return Parts(
            rows=(*self._held_points(), *self._unused()),
            measures=tuple(self._measures()),
            actions=(self._elasticity(inertia.bending),),
            inertia=Inertia(0.0, np.zeros((3, 3))),
            flexible=inertia,
            pose=Pose(body=self._pose, links=tuple(self._links())),
        )

    # --- points --------------------------------------------------------------------------------------

    def _body(self, point: Point) -> int:
        return self.at.layout.place(Attachment(self.at.name, point.name)).body

    def _place(self, point: Point) -> float:
        return self.at.layout.number(point.position[0])

    def _values(self, point: Point) -> ShapeValues:
        """The shapes at a point, with the slope and the shortening for the length of the beam."""
        found = self.shapes.at(self._place(point) / self.length)
        return ShapeValues(found.deflection, found.slope / self.length, found.shortening / self.length)

    def _bent(self, factors: Array, *others: tuple[float, Simple]) -> Sum:
        """A sum of coordinates and other measures."""
        own = zip(factors.tolist(), self.coordinates, strict=True)
        return Sum((*others, *((factor, each) for factor, each in own)))

    def _held_points(self) -> Iterator[Row]:
        origin = BodyPoint(self.frame)
        x, y, z = (triple(direction) for direction in IDENTITY)
        for point in self.points:
            values, head = self._values(point), BodyPoint(self._body(point))
            shortening = tuple(tuple(row) for row in values.shortening.tolist())
            slide, rise = (Displacement(origin, head, self.frame, axis) for axis in (x, y))
            turn = Spin(self.frame, head.body, self.at.ground, z)
            measures = {
                "along": _Along(slide, self.coordinates, self._place(point), shortening),
                "across": self._bent(-values.deflection, (1.0, rise)),
                "turn": self._bent(-values.slope, (1.0, turn)),
            }
            for label, measure in measures.items():
                yield Row(self.at.name, f"{point.name} {label}", measure, head)

    def _unused(self) -> Iterator[Row]:
        """The freedoms of carriers that hold no coordinate stay zero."""
        ground = self.at.ground
        used = set(self.own.values())
        for body in dict.fromkeys(body for body, _ in used):
            carrier = BodyPoint(body)
            yield Row(self.at.name, "carrier", Spin(ground, body, ground, triple(IDENTITY[2])), carrier)
            if (body, 1) not in used:
                rise = Displacement(BodyPoint(ground), carrier, ground, triple(IDENTITY[1]))
                yield Row(self.at.name, "carrier", rise, carrier)

    def _links(self) -> Iterator[Link]:
        for point in self.points:
            straight = Relation(UNTURNED, np.array([self._place(point), 0.0, 0.0]), known=True)
            yield Link(BodyPoint(self.frame), BodyPoint(self._body(point)), straight)

    def _pose(self, starts: StartGuesses) -> BodyPose:
        origin = np.zeros(3)
        origin[:2] = [starts.own.get(axis, np.nan) for axis in "xy"]
        return BodyPose(given_attitude(self.at, starts), origin, origin)

    # --- quantities and forces -----------------------------------------------------------------------

    def _measures(self) -> Iterator[NamedMeasure]:
        name, layout = self.at.name, self.at.layout
        yield from point_measures(layout, name, layout.place(Attachment(name)))
        yield from attitude_measures(self.at)
        for kind, measure in zip(self.own, self.coordinates, strict=True):
            yield NamedMeasure(measure, f"{name}.{kind}", f"{name}.d{kind}", f"{name}.dd{kind}")
        stations = [self.shapes.at(place).deflection / self.length for place in _STATIONS.tolist()]
        rows = tuple(tuple(row.tolist()) for row in stations)
        yield NamedMeasure(_Largest(self.coordinates, rows), f"{name}.deflection_ratio")
        for point in self.points:
            owner, values = f"{name}.{point.name}", self._values(point)
            yield from point_measures(layout, owner, layout.place(Attachment(name, point.name)))
            yield NamedMeasure(self._bent(values.deflection), f"{owner}.deflection")
            yield NamedMeasure(self._bent(values.slope), f"{owner}.slope")

    def _elasticity(self, bending: Array) -> ForceLaw:
        """Stiffness and damping."""
        at = self.at
        stiffness = at.number("modulus") * self.second_moment / self.length**3 * self.shapes.bending
        damping = at.number("damping") * stiffness + at.number("mass_damping") * bending
        modal = np.diag(stiffness) * self.density * self.length * self.shapes.mean_square
        damping = damping + np.diag(2.0 * at.number("damping_ratio") * np.sqrt(modal))

        def act(seen: Observation) -> Action:
            q, rates = np.array(seen.positions), np.array(seen.rates)
            elastic, damped = stiffness @ q, damping @ rates
            efforts: Sequence[float] = (-elastic - damped).tolist()
            return Action(efforts, 0.5 * (q @ elastic), -(rates @ damped))

        return ForceLaw(self.coordinates, act)
