"""Geometrically exact beams: finite elements for deflections of any size.

An element has cubic Hermite polynomials for the place r of its axis, whose coordinates are places and slopes
at its two ends, relative to the frame of the beam. With the derivative r' by the length of the undeformed
beam, the strain of the axis is ``|r'| - 1`` and its curvature ``(r' x r'') / |r'|^2``. Nothing is left out of
the kinetic energy, since places are linear in the coordinates. Sections neither shear nor twist, and have
inertia only about the axis.

This shares no shapes and no truncation with the beams of the compiler: the difference is the error of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from fmugen.errors import VerificationError
from fmugen.ir.element import Element, Value
from fmugen.ir.formula import ZERO, Formula, constant
from fmugen.ir.model import Point, Space, Start, SystemModel
from fmugen.ir.quantity import Level, Quantity
from fmugen.verify.catalogue.base import Action, ForceLaw, Observation, Reader
from fmugen.verify.catalogue.deforming import Deforming
from fmugen.verify.flexible import Material, Section
from fmugen.verify.layout import own_kinds, triple
from fmugen.verify.measures import Combined, Composite, Cosine, Jets, Measure, Simple
from fmugen.verify.rotations import IDENTITY, Array, Indices, cross
from fmugen.verify.tape.scalar import atan2, sqrt, zeros

__all__ = ["ELEMENTS", "ExactBeam", "has_beams", "with_exact_beams"]

#: The key of a beam that consists of elements, and the factor on its stiffness against stretch.
ELEMENTS, RIGIDITY = "elements", "rigidity"
_TYPE = ("bodies", "beam")
#: The directions in which beams bend in space, by the planes.
_PLANES = {"both": "xyz", "xy": "xy", "xz": "xz"}
#: More places for the strain of the axis make elements lock, since it varies less than the places do.
_LOBATTO = ((0.0, 1.0 / 6.0), (0.5, 2.0 / 3.0), (1.0, 1.0 / 6.0))
_STATIONS = np.arange(1, 9) / 8.0


def _gauss(count: int) -> list[tuple[float, float]]:
    places, weights = np.polynomial.legendre.leggauss(count)
    return list(zip((0.5 * (1.0 + places)).tolist(), (0.5 * weights).tolist(), strict=True))


# --- the model ---------------------------------------------------------------------------------------


def has_beams(model: SystemModel) -> bool:
    """Whether a model has beams."""
    return any((element.section, element.type) == _TYPE for element in model.elements)


def with_exact_beams(model: SystemModel, elements: int, rigidity: float = 1.0) -> SystemModel:
    """The model with exact beams of so many elements each, which start straight.

    ``rigidity`` multiplies the stiffness against stretch. Outputs that name coordinates of shapes are left
    out.

    Raises
    ------
    VerificationError
        If the law of exact beams lacks what a beam of the model has.
    """
    beams = [element for element in model.elements if (element.section, element.type) == _TYPE]
    kinds = {beam.name: _kinds(model, beam, elements) for beam in beams}
    shapes = own_kinds(model)
    old = {name for beam in kinds for name, _ in _named(beam, shapes[beam])}
    values = {ELEMENTS: constant(elements), RIGIDITY: constant(rigidity)}
    return replace(
        model,
        elements=tuple(
            _of_elements(each, kinds[each.name], old, values) if each.name in kinds else each
            for each in model.elements
        ),
        outputs=tuple(each for each in model.outputs if old.isdisjoint(each.value.names())),
        starts=(*_other_starts(model, old), *_straight(kinds)),
    )


def _other_starts(model: SystemModel, old: set[str]) -> Iterator[Start]:
    for start in model.starts:
        if start.quantity not in old:
            yield start
        elif start.value.number != 0:
            raise VerificationError(f"exact beams start straight, but {start.quantity} has a start value")


def _straight(kinds: Mapping[str, Sequence[str]]) -> Iterator[Start]:
    for beam, own in kinds.items():
        for name, level in _named(beam, own):
            if level is not Level.ACCELERATION:
                yield Start(name, ZERO, True)


def _named(beam: str, kinds: Sequence[str]) -> Iterator[tuple[str, Level]]:
    """The names of coordinates of a beam and of their derivatives."""
    for kind in kinds:
        for rate, level in zip(("", "d", "dd"), Level, strict=True):
            yield f"{beam}.{rate}{kind}", level


def _of_elements(beam: Element, kinds: Sequence[str], old: set[str], values: Mapping[str, Value]) -> Element:
    """A beam with other coordinates in place of the ``old`` ones."""
    kept = (each for each in beam.quantities if each.name not in old)
    own = (
        Quantity(beam.name, name.rpartition(".")[2], level, "1") for name, level in _named(beam.name, kinds)
    )
    return replace(beam, values={**beam.values, **values}, quantities=(*kept, *own))


def _kinds(model: SystemModel, element: Element, elements: int) -> list[str]:
    """The names of the coordinates of a beam: node, axis, and s for a slope."""
    if _number(element.values["torsion_shapes"]):
        raise VerificationError(f"{element.name}: exact beams do not twist; give torsion_shapes = 0")
    axes = "xy" if model.space is Space.PLANAR else _PLANES[str(element.values["planes"])]
    return [node.kind for node in _nodes(axes, elements, str(element.values["supports"]))]


def _number(value: object) -> float:
    return (value.number or 0.0) if isinstance(value, Formula) else 0.0


class _Coordinate(NamedTuple):
    """A displacement of a node along an axis, or its slope times the length of an element."""

    node: int
    axis: int
    slope: bool

    @property
    def kind(self) -> str:
        return f"n{self.node}{'xyz'[self.axis]}{'s' if self.slope else ''}"


def _nodes(axes: str, elements: int, supports: str) -> list[_Coordinate]:
    """The coordinates that the frame leaves.

    The first node is at its origin. A cantilever begins along x; any other beam ends on the x axis.
    """
    found = []
    for node in range(elements + 1):
        for axis in ("xyz".index(letter) for letter in axes):
            across = axis > 0
            if node > 0 and not (across and node == elements and supports != "cantilever"):
                found.append(_Coordinate(node, axis, False))
            if node > 0 or not (across and supports == "cantilever"):
                found.append(_Coordinate(node, axis, True))
    return found


# --- measures ----------------------------------------------------------------------------------------


class _Bilinear(NamedTuple):
    """``a (constant + row q)`` of a term."""

    sign: float
    part: int
    constant: float
    row: tuple[float, ...]


@dataclass(frozen=True)
class _Parallel(Composite):
    """A component of the product of the x axis of a body and the direction of a beam: zero."""

    cosines: tuple[Cosine, Cosine]
    coordinates: tuple[Simple, ...]
    terms: tuple[_Bilinear, _Bilinear]

    @property
    def parts(self) -> tuple[Simple, ...]:
        return *self.cosines, *self.coordinates

    def combine(self, parts: Jets, memory: Array) -> Combined:
        q, rates = parts.value[2:], parts.rate[2:]
        value, bias = 0.0, 0.0
        jacobian = zeros(parts.jacobian.shape[1], parts.jacobian)
        for sign, number, constant_part, entries in self.terms:
            row = np.array(entries)
            other = constant_part + row @ q
            value = value + sign * (parts.value[number] * other)
            jacobian = jacobian + sign * (
                other * parts.jacobian[number] + parts.value[number] * (row @ parts.jacobian[2:])
            )
            bias = bias + sign * (
                other * parts.bias[number]
                + parts.value[number] * (row @ parts.bias[2:])
                + 2.0 * parts.rate[number] * (row @ rates)
            )
        return Combined(value, jacobian, bias)


@dataclass(frozen=True)
class _Angle(Composite):
    """The angle of the axis of a beam from the x axis of its frame, as a value without derivatives."""

    coordinates: tuple[Simple, ...]
    along: tuple[float, ...]
    across: tuple[float, ...]

    @property
    def parts(self) -> tuple[Simple, ...]:
        return self.coordinates

    def combine(self, parts: Jets, memory: Array) -> Combined:
        q = parts.value
        angle = atan2(np.array(self.across) @ q, 1.0 + np.array(self.along) @ q)
        return Combined(angle, np.zeros(parts.jacobian.shape[1]), 0.0)


# --- the law -----------------------------------------------------------------------------------------


class _Station(NamedTuple):
    """A place where strain is integrated: weight, and the derivatives of r by the coordinates that matter."""

    weight: float
    columns: Indices
    first: Array
    second: Array
    bends: bool


class ExactBeam(Deforming):
    """A beam of finite elements, for an area and second moments for deflections along y and z."""

    def __init__(self, at: Reader, area: float, moments: dict[str, float]) -> None:
        super().__init__(at)
        self.length, self.area, self._moments = at.number("length"), area, moments
        self.elements = int(at.number(ELEMENTS))
        self.step = self.length / self.elements
        axes = "xy" if at.planar else _PLANES[at.text("planes")]
        self._axes = tuple("xyz".index(letter) for letter in axes)
        self._nodes = _nodes(axes, self.elements, at.text("supports"))
        self._columns = {coordinate: column for column, coordinate in enumerate(self._nodes)}

    @cached_property
    def bending(self) -> float:
        """The stiffness against bending."""
        moments = {self._moments["xyz"[axis]] for axis in self._axes[1:]}
        if max(moments) - min(moments) > 1e-9 * max(moments):
            raise VerificationError(
                f"{self.at.name}: exact beams bend equally in both planes, or in one (planes)"
            )
        return self.at.number("modulus") * max(moments)

    @property
    def stretching(self) -> float:
        return self.at.number("modulus") * self.area * self.at.number(RIGIDITY)

    def _rows(self, element: int, part: float, order: int) -> Array:
        """The derivatives of r, or of its derivative by the length of some order, by all coordinates."""
        s, h = part, self.step
        table: Sequence[Sequence[float]] = (
            (1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2),
            (6 * s**2 - 6 * s, 1 - 4 * s + 3 * s**2, 6 * s - 6 * s**2, 3 * s**2 - 2 * s),
            (12 * s - 6, 6 * s - 4, 6 - 12 * s, 6 * s - 2),
        )
        found = np.zeros((3, len(self._nodes)))
        for axis in self._axes:
            for number, value in enumerate(table[order]):
                coordinate = _Coordinate(element + number // 2, axis, bool(number % 2))
                if coordinate in self._columns:
                    found[axis, self._columns[coordinate]] = value / h**order
        return found

    def _at(self, place: float, order: int) -> Array:
        element = min(int(place / self.step), self.elements - 1)
        return self._rows(element, place / self.step - element, order)

    # --- what it consists of -------------------------------------------------------------------------

    def material(self) -> Material:
        density, points = self.at.number("density"), _gauss(4)
        places = [(e, part) for e in range(self.elements) for part, _ in points]
        weights = np.tile([weight for _, weight in points], self.elements) * self.step
        count = len(self._nodes)
        polar = 0.0 if self.at.planar else density * sum(self._moments.values())
        return Material(
            density * self.area * weights,
            np.array([(e + part) * self.step * IDENTITY[0] for e, part in places]),
            np.array([self._rows(e, part, 0) for e, part in places]),
            np.zeros((len(places), 3, count, count)),
            polar * weights,
            np.zeros((len(places), count)),
        )

    def section(self, point: Point) -> Section:
        """With the turns of small deflections."""
        place, count = self.at.layout.number(point.position[0]), len(self._nodes)
        slopes = self._at(place, 1)
        turns = np.array([slopes[1], -slopes[2], np.zeros(count)])
        first, second = self._at(place, 0), np.zeros((3, count, count))
        return Section(self.body(point), place * IDENTITY[0], first, second, turns)

    def held_turns(self, point: Point) -> Iterator[Measure]:
        """The x axis of the body is along the beam; it is not turned about it."""
        body, frame = self.body(point), self.frame
        slopes = self._at(self.at.layout.number(point.position[0]), 1)
        x, y, z = (triple(axis) for axis in IDENTITY)
        along = Cosine(frame, x, body, x)
        for axis, across in ((1, y), (2, z))[: len(self.at.layout.axes) - 1]:
            cosines = Cosine(frame, across, body, x), along
            terms = (
                _Bilinear(1.0, 0, 1.0, tuple(slopes[0].tolist())),
                _Bilinear(-1.0, 1, 0.0, tuple(slopes[axis].tolist())),
            )
            yield _Parallel(cosines, self.coordinates, terms)
        if not self.at.planar:
            yield Cosine(frame, z, body, y)

    def deflected(self) -> Array:
        rows = [self._at(place * self.length, 0)[1:] / self.length for place in _STATIONS.tolist()]
        return np.concatenate(rows)

    def measured(self, point: Point) -> Iterator[tuple[str, Measure]]:
        place = self.at.layout.number(point.position[0])
        moved, slopes = self._at(place, 0), self._at(place, 1)
        for axis in self._axes[1:]:
            suffix = "" if self.at.planar else f"_{'xyz'[axis]}"
            yield f"deflection{suffix}", self.bent(moved[axis])
            along, across = (tuple(slopes[each].tolist()) for each in (0, axis))
            yield f"slope{suffix}", _Angle(self.coordinates, along, across)

    def reported(self, point: Point) -> Iterator[tuple[str, Array]]:
        return iter(())

    # --- forces --------------------------------------------------------------------------------------

    def _strained(self) -> Iterator[_Station]:
        for element in range(self.elements):
            for rule, bends in ((_LOBATTO, False), (_gauss(5), True)):
                for part, weight in rule:
                    first, second = (self._rows(element, part, order) for order in (1, 2))
                    columns = np.flatnonzero(np.any(first != 0.0, axis=0) | np.any(second != 0.0, axis=0))
                    rows = first[:, columns], second[:, columns]
                    yield _Station(weight * self.step, columns, *rows, bends)

    def matrices(self, own_mass: Array) -> tuple[Array, Array]:
        """Stiffness and damping of small deflections; the damping ratio is that of all modes of bending.

        Displacements along the axis are not damped: bending alone causes such, without stretch.
        """
        count = len(self._nodes)
        stiffness = np.zeros((count, count))
        for weight, columns, _, second, bends in self._strained():
            if bends:
                rows = second[1:]
                stiffness[np.ix_(columns, columns)] += weight * self.bending * rows.T @ rows
        at = self.at
        damping = at.number("damping") * stiffness + at.number("mass_damping") * own_mass
        ratio = at.number("damping_ratio")
        if ratio:
            across = np.ix_(*2 * [[k for k, each in enumerate(self._nodes) if each.axis]])
            squares, modes = eigh(stiffness[across], own_mass[across])
            momenta = own_mass[across] @ modes
            rates = 2.0 * ratio * np.sqrt(np.maximum(squares, 0.0))
            damping[across] += (momenta * rates) @ momenta.T
        return stiffness, damping

    def elasticity(self, own_mass: Array) -> ForceLaw:
        """Forces of the strains, with their energy, and damping."""
        damping = self.matrices(own_mass)[1]
        stations = list(self._strained())
        bending, stretching = self.bending, self.stretching

        def act(seen: Observation) -> Action:
            q, rates = np.array(seen.positions), np.array(seen.rates)
            damped = damping @ rates
            efforts, energy = zeros(len(q), q, rates) - damped, 0.0
            for weight, columns, first, second, bends in stations:
                slope = IDENTITY[0] + first @ q[columns]
                square = slope @ slope
                if bends:
                    curve = second @ q[columns]
                    bow = cross(slope, curve) / square
                    power = bow @ bow
                    by_first = bending / square * cross(curve, bow) - 2.0 * bending / square * power * slope
                    by_second = bending / square * cross(bow, slope)
                    efforts[columns] -= weight * (first.T @ by_first + second.T @ by_second)
                    energy = energy + 0.5 * weight * bending * power
                else:
                    size = sqrt(square)
                    strain = size - 1.0
                    efforts[columns] -= weight * stretching * strain / size * (first.T @ slope)
                    energy = energy + 0.5 * weight * stretching * strain * strain
            return Action(efforts.tolist(), energy, -(rates @ damped))

        return ForceLaw(self.coordinates, act)
