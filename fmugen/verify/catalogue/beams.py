"""Beams: a frame, points that move with the sections, and coordinates of the deflection.

The coordinates of a beam are displacements of bodies without mass, one for each axis of each body. Each point
is a body without mass, which constraints hold at its section.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from fmugen.ir.formula import Formula
from fmugen.ir.model import Attachment, Point
from fmugen.verify.beam_shapes import Shapes
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
    NamedMeasure,
    Simple,
    Spin,
    Sum,
)
from fmugen.verify.rotations import IDENTITY, Array
from fmugen.verify.tape.scalar import choose, cos, sin

#: Where the deflection ratio looks at the beam.
_STATIONS = np.arange(1, 9) / 8.0


#: The factor of all polynomials, and the number of rigid motions it leaves.
_FACTORS = {
    "cantilever": ((0.0, 0.0, 1.0), 0),
    "chord": ((0.0, 1.0, -1.0), 0),
    "pinned": ((0.0, 1.0), 1),
    "free": ((1.0,), 2),
}
#: Stretch and twist vanish at the base.
_HELD = (0.0, 1.0)
_AXES = {"x": 0, "y": 1, "z": 2}


def shapes_of(supports: str, basis: str, count: int) -> Shapes:
    """The shapes of a beam by the keys of the file."""
    factor, rigid = _FACTORS[supports]
    return Shapes(factor, rigid, basis, count)


# --- measures of sections ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Along(Composite):
    """The place of a section along the frame, less the one that its shortening and stretch leave: zero."""

    slide: Displacement
    coordinates: tuple[Simple, ...]
    place: float
    stretch: tuple[float, ...]
    #: Rows of the shortening matrix.
    shortening: tuple[tuple[float, ...], ...]

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.slide, *self.coordinates

    def combine(self, parts: Jets, memory: Array) -> Combined:
        q, rates = parts.value[1:], parts.rate[1:]
        table, stretch = np.array(self.shortening), np.array(self.stretch)
        slope = table @ q
        return Combined(
            parts.value[0] - self.place - stretch @ q + 0.5 * (q @ slope),
            parts.jacobian[0] + (slope - stretch) @ parts.jacobian[1:],
            parts.bias[0] + (slope - stretch) @ parts.bias[1:] + rates @ table @ rates,
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


# --- the law -------------------------------------------------------------------------------------


@law("bodies", "beam")
def beam(at: Reader) -> Parts:
    """A uniform beam that bends, by shapes with foreshortening of second order."""
    return _Beam(at).parts()


@dataclass(frozen=True)
class _Direction:
    """The coordinates of one direction, with their quantities: y and z bend, x stretches and t twists."""

    name: str
    kinds: tuple[str, ...]
    shapes: Shapes
    columns: slice

    @property
    def bends(self) -> bool:
        return self.name in ("y", "z")


class _Beam:
    def __init__(self, at: Reader) -> None:
        self.at, layout = at, at.layout
        self.own = layout.own_coordinates(at.name)
        self.length, self.frame = at.number("length"), layout.index(at.name)
        self.points = cast("tuple[Point, ...]", at.element.values["points"])
        origin = BodyPoint(layout.ground)
        self.coordinates = tuple(
            Displacement(origin, BodyPoint(body), layout.ground, triple(IDENTITY[axis]))
            for body, axis in self.own.values()
        )

    @cached_property
    def directions(self) -> list[_Direction]:
        """By the names of the coordinates: q1 in the plane, qy1, qz1, qx1 and qt1 elsewhere."""
        groups: dict[str, list[str]] = {}
        for kind in self.own:
            letter = kind.strip("0123456789")[1:] or "y"
            groups.setdefault(letter, []).append(kind)
        found, first = [], 0
        for letter, kinds in groups.items():
            shapes = Shapes(_HELD, 0, "legendre", len(kinds))
            if letter in ("y", "z"):
                shapes = shapes_of(self.at.text("supports"), self.at.text("basis"), len(kinds))
            found.append(_Direction(letter, tuple(kinds), shapes, slice(first, first + len(kinds))))
            first += len(kinds)
        return found

    @cached_property
    def section(self) -> tuple[float, dict[str, float], float]:
        """Area, second moments for deflections along y and z, and the torsion constant."""
        at = self.at

        def given(key: str) -> float:
            value = at.element.values[key]
            return at.layout.number(value) if isinstance(value, Formula) else 0.0

        outer, width, height = given("diameter"), given("width"), given("height")
        torsion = given("torsion_constant")
        if outer:
            inner = given("inner_diameter")
            moment = np.pi / 64.0 * (outer**4 - inner**4)
            area = np.pi / 4.0 * (outer**2 - inner**2)
            return area, {"y": moment, "z": moment}, torsion or 2.0 * moment
        if width and height:
            moments = {"y": width * height**3 / 12.0, "z": height * width**3 / 12.0}
            return width * height, moments, torsion
        return given("area"), {"y": given("second_moment"), "z": given("second_moment_y")}, torsion

    def parts(self) -> Parts:
        at = self.at
        gravity = at.layout.vector(at.layout.model.gravity)
        freedoms = (0, 1, 5) if at.planar else range(TWIST)
        sections = [self._section_at(point) for point in self.points]
        body = FlexibleBody(self.frame, [*self.own.values()], sections, self._material(), gravity, freedoms)
        return Parts(
            rows=(*self._held_points(), *self._unused()),
            measures=tuple(self._measures()),
            actions=(self._elasticity(body.own_mass),),
            inertia=Inertia(0.0, np.zeros((3, 3))),
            flexible=body,
            pose=Pose(body=self._pose, links=tuple(self._links())),
        )

    def _material(self) -> Material:
        places, weights, _ = self.directions[0].shapes.sampled()
        area, moments, _ = self.section
        density = self.at.number("density")
        displaced = [self._displaced(place) for place in places.tolist()]
        polar = 0.0 if self.at.planar else density * (moments["y"] + moments["z"])
        return Material(
            density * area * self.length * weights,
            np.outer(places, IDENTITY[0]) * self.length,
            np.array([first for first, _, _ in displaced]),
            np.array([second for _, second, _ in displaced]),
            polar * self.length * weights,
            np.array([turns[2] for _, _, turns in displaced]),
        )

    def _displaced(self, place: float) -> tuple[Array, Array, Array]:
        """Displacements of first and second order, and turns about z, y and x, at a part of the length."""
        count = len(self.own)
        first, second, turns = np.zeros((3, count)), np.zeros((3, count, count)), np.zeros((3, count))
        for each in self.directions:
            values, mine = each.shapes.at(place), each.columns
            if each.name in _AXES:
                first[_AXES[each.name], mine] = values.deflection
            else:
                turns[2, mine] = values.deflection
            if each.bends:
                second[0, mine, mine] = -values.shortening / self.length
                row, sign = (0, 1.0) if each.name == "y" else (1, -1.0)
                turns[row, mine] = sign * values.slope / self.length
        return first, second, turns

    # --- points --------------------------------------------------------------------------------------

    def _body(self, point: Point) -> int:
        return self.at.layout.place(Attachment(self.at.name, point.name)).body

    def _place(self, point: Point) -> float:
        return self.at.layout.number(point.position[0])

    def _section_at(self, point: Point) -> Section:
        place = self._place(point)
        return Section(self._body(point), place, *self._displaced(place / self.length))

    def _bent(self, factors: Array, *others: tuple[float, Simple]) -> Sum:
        """A sum of coordinates and other measures."""
        own = zip(factors.tolist(), self.coordinates, strict=True)
        return Sum((*others, *((factor, each) for factor, each in own)))

    def _held_points(self) -> Iterator[Row]:
        origin = BodyPoint(self.frame)
        for point in self.points:
            at, head = self._section_at(point), BodyPoint(self._body(point))
            shortening = tuple(tuple(row) for row in (-at.second[0]).tolist())
            slides = [Displacement(origin, head, self.frame, triple(axis)) for axis in IDENTITY]
            stretch = tuple(at.first[0].tolist())
            along = _Along(slides[0], self.coordinates, at.place, stretch, shortening)
            yield Row(self.at.name, f"{point.name} along", along, head)
            for axis in range(1, len(self.at.layout.axes)):
                measure = self._bent(-at.first[axis], (1.0, slides[axis]))
                yield Row(self.at.name, f"{point.name} across", measure, head)
            for turn in self._held_turns(head.body, at.turns):
                yield Row(self.at.name, f"{point.name} turn", turn, head)

    def _held_turns(self, body: int, turns: Array) -> Iterator[Composite]:
        """What vanishes where a body is turned about z, y and x, one after the other."""
        if self.at.planar:
            spin = Spin(self.frame, body, self.at.ground, triple(IDENTITY[2]))
            yield self._bent(-turns[0], (1.0, spin))
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
            straight = Relation(UNTURNED, np.array([self._place(point), 0.0, 0.0]), known=True)
            yield Link(BodyPoint(self.frame), BodyPoint(self._body(point)), straight)

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
        displaced = [self._displaced(place)[0] / self.length for place in _STATIONS.tolist()]
        rows = tuple(tuple(row) for first in displaced for row in first[1:].tolist() if any(row))
        yield NamedMeasure(_Largest(self.coordinates, rows), f"{name}.deflection_ratio")
        for point in self.points:
            owner, at = f"{name}.{point.name}", self._section_at(point)
            yield from point_measures(layout, owner, layout.place(Attachment(name, point.name)))
            for each in self.directions:
                for kind, factors in self._reported(each, at):
                    yield NamedMeasure(self._bent(factors), f"{owner}.{kind}")

    def _reported(self, each: _Direction, at: Section) -> Iterator[tuple[str, Array]]:
        match each.name:
            case "t":
                yield "twist", at.turns[2]
            case "x":
                yield "stretch", at.first[0]
            case letter:
                suffix = "" if self.at.planar else f"_{letter}"
                yield f"deflection{suffix}", at.first[_AXES[letter]]
                yield f"slope{suffix}", at.turns[0] if letter == "y" else -at.turns[1]

    def _stiffness(self) -> Array:
        area, moments, torsion = self.section
        modulus, length = self.at.number("modulus"), self.length
        found = np.zeros((len(self.own), len(self.own)))
        for each in self.directions:
            if each.bends:
                block = modulus * moments[each.name] / length**3 * each.shapes.bending
            else:
                rigid = self.at.number("shear_modulus") * torsion if each.name == "t" else modulus * area
                block = rigid / length * each.shapes.at(1.0).shortening
            found[each.columns, each.columns] = block
        return found

    def _elasticity(self, own_mass: Array) -> ForceLaw:
        """Stiffness and damping."""
        at, stiffness = self.at, self._stiffness()
        damping = at.number("damping") * stiffness + at.number("mass_damping") * own_mass
        mass = at.number("density") * self.section[0] * self.length
        for each in self.directions:
            if each.bends:
                modal = np.diag(stiffness)[each.columns] * mass * each.shapes.mean_square
                own = 2.0 * at.number("damping_ratio") * np.sqrt(modal)
                damping[each.columns, each.columns] += np.diag(own)

        def act(seen: Observation) -> Action:
            q, rates = np.array(seen.positions), np.array(seen.rates)
            elastic, damped = stiffness @ q, damping @ rates
            efforts: Sequence[float] = (-elastic - damped).tolist()
            return Action(efforts, 0.5 * (q @ elastic), -(rates @ damped))

        return ForceLaw(self.coordinates, act)
