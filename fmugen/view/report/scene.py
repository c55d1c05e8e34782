"""A mechanism as things that can be drawn: bodies from their points, joints, springs and rails.

All coordinates are in the frame of the body that a thing is fixed to, so that drawing it at another time
needs other poses and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from fmugen.components import base as components
from fmugen.components.base import component_class, component_of
from fmugen.components.bodies import Body as BodyType
from fmugen.components.freedoms import About, Cross, Freedoms, Held, Line, Locked
from fmugen.components.joints import joints_of
from fmugen.ir.model import GROUND, Attachment, Body, Element, SystemModel, Vector
from fmugen.verify.layout import Layout
from fmugen.verify.rotations import Array, matrices
from fmugen.view.report.poses import Poses
from fmugen.view.report.shapes import (
    Coordinates,
    as_coordinates,
    box,
    camera,
    corners_of,
    disc,
    distinct,
    hull,
    level_axes,
    upwards,
)

__all__ = ["Connector", "Marker", "Outline", "Scene", "Spot", "Station", "Symbol", "scene_of"]


class Symbol(Enum):
    """The symbol at a place."""

    PIN = "pin"
    BALL = "ball"
    WELD = "weld"
    CENTER = "center"
    POINT = "point"


@dataclass(frozen=True)
class Station:
    """A place on a body that deforms, with factors of its displacement by the coordinates of the body.

    ``first`` is by axis and coordinate, ``second`` by axis and two coordinates, or nothing. ``strains`` are
    by plane and coordinate.
    """

    body: int
    position: Coordinates
    first: Array
    second: Array | None
    strains: Array

    def displaced(self, q: Array) -> Array:
        """The place for values of the coordinates."""
        found: Array = np.array(self.position) + self.first @ q
        return found if self.second is None else found + 0.5 * (self.second @ q) @ q


@dataclass(frozen=True)
class Spot:
    """A place on a body, by the number of the body; the ground comes after all bodies.

    Places on bodies that deform have a ``station``, by its number.
    """

    body: int
    position: Coordinates
    station: int | None = None


@dataclass(frozen=True)
class Outline:
    """A line, or the filled polygon that it encloses; ``thick`` lines are links, the others are details.

    On bodies that deform the corners are ``stations``, by their numbers.
    """

    body: int
    corners: tuple[Coordinates, ...]
    filled: bool = False
    thick: bool = True
    stations: tuple[int, ...] = ()

    @property
    def spots(self) -> Iterator[Spot]:
        """Its corners."""
        stations = self.stations or (None,) * len(self.corners)
        for corner, station in zip(self.corners, stations, strict=True):
            yield Spot(self.body, corner, station)


@dataclass(frozen=True)
class Marker:
    """A joint or a point."""

    spot: Spot
    symbol: Symbol
    name: str = ""


@dataclass(frozen=True)
class Connector:
    """The line of an element between two spots."""

    tail: Spot
    head: Spot
    symbol: components.Symbol
    name: str


@dataclass(frozen=True)
class Scene:
    """All that is drawn.

    ``camera`` has rows right, up and towards the eye; ``up`` is up in the mechanism. ``center`` and
    ``radius`` are those of a ball around all places that the mechanism reaches; in the plane ``reach`` is
    how far these are from the centre in x and y. The ``floor`` is a grid below them. ``strain`` is the
    largest one of bending in the motion.
    """

    bodies: tuple[str, ...]
    planar: bool
    floor: tuple[Outline, ...]
    outlines: tuple[Outline, ...]
    rails: tuple[Outline, ...]
    markers: tuple[Marker, ...]
    connectors: tuple[Connector, ...]
    labels: tuple[Marker, ...]
    camera: Array
    up: Array
    center: Array
    radius: float
    reach: tuple[float, float]
    stations: tuple[Station, ...] = ()
    strain: float = 0.0


#: The marks that stand at one place.
_PIVOTS = {
    components.Symbol.PIN: Symbol.PIN,
    components.Symbol.BALL: Symbol.BALL,
    components.Symbol.WELD: Symbol.WELD,
}
#: The lines that stretch between two places.
_CONNECTORS = (components.Symbol.ROD, components.Symbol.SPRING, components.Symbol.DRIVER)
#: Details, pins and bodies without points are, at most, this part of the size of the mechanism.
_DETAIL, _PIN, _SOLID = 0.035, 0.06, 0.1
_GRID_LINES = 9
#: Lines with at most so many corners are edges of a mesh.
_MESH = 2


def scene_of(model: SystemModel, poses: Poses) -> Scene | None:
    """What there is to draw of a model that moves as ``poses`` say; nothing where there are no bodies."""
    return _Stage(model, poses).scene() if model.bodies else None


class _Stage:
    """The places of a model in numbers, and how large the mechanism is."""

    def __init__(self, model: SystemModel, poses: Poses) -> None:
        self.model, self.poses, self.layout = model, poses, Layout(model, undeformed=True)
        self.stations = _Stations(model, self.layout)
        self.rotations = np.array([matrices(attitudes) for attitudes in poses.attitudes])
        self.vertices = {body.name: self._vertices(body) for body in model.bodies}
        reached = np.concatenate(list(self._reached()))
        low, high = reached.min(axis=0), reached.max(axis=0)
        self.center = (low + high) / 2
        self.radius = float(np.linalg.norm(high - low)) / 2 or 1.0
        across, along = ((high - low)[:2] / 2).tolist() if self.layout.planar else (self.radius, self.radius)
        self.reach = (across, along)

    def scene(self) -> Scene:
        bodies = range(len(self.model.bodies))
        outlines = [outline for number in bodies for outline in self._outlines(number)]
        rails = [rail for joint, freedoms in self._joints() for rail in self._rails(joint, freedoms)]
        outlines += [
            detail
            for joint, freedoms in self._joints()
            for detail in (*self._axes(joint, freedoms), *self._block(joint, freedoms))
        ]
        up = upwards(self.layout.vector(self.model.gravity), planar=self.layout.planar)
        return Scene(
            tuple(body.name for body in self.model.bodies),
            self.layout.planar,
            () if self.layout.planar else tuple(self._floor(up)),
            tuple(outlines),
            tuple(rails),
            tuple(self._markers()),
            tuple(self._connectors()),
            tuple(self._labels()),
            np.eye(3) if self.layout.planar else camera(up),
            up,
            self.center,
            self.radius,
            self.reach,
            tuple(self.stations.found),
            self.stations.strain(self.poses.coordinates),
        )

    # --- places -----------------------------------------------------------------------------------

    def local(self, attachment: Attachment) -> Array:
        """An attachment in the frame of its body."""
        return np.array(self.layout.place(attachment).arm) + self.layout.center(attachment.body)

    def spot(self, attachment: Attachment) -> Spot:
        body, place = self.layout.index(attachment.body), as_coordinates(self.local(attachment))
        return Spot(body, place, self.stations.number(body, place))

    def world(self, body: int, local: Array) -> Array:
        """A point of a body at all times."""
        result: Array = self.poses.origins[:, body] + self.rotations[:, body] @ local
        return result

    def _joints(self) -> Iterator[tuple[Element, Freedoms]]:
        """The joints that hold bodies, with what they leave free."""
        for element, joint in joints_of(self.model):
            if joint.constrains(planar=self.layout.planar):
                yield element, joint.freedoms()

    def _drawn(self) -> Iterator[tuple[Element, components.Symbol]]:
        """The elements that have a symbol."""
        for element in self.model.elements:
            symbol = None if element.ports else component_class(element.section, element.type).symbol
            if symbol is not None:
                yield element, symbol

    def _attachments(self) -> Iterator[Attachment]:
        for joint, _ in self._joints():
            yield from joint.places
        for element, symbol in self._drawn():
            if symbol in _CONNECTORS:
                yield from element.places
            elif symbol is components.Symbol.ARROW:
                yield element.head

    def _vertices(self, body: Body) -> Array:
        """The distinct places of a body that something is fastened to or that have a name."""
        attached = self._attached(body)
        named = [self.layout.vector(point.position) for point in body.points]
        places = distinct([*attached, *named])
        return places if len(places) > 1 else distinct([*places, self.layout.center(body.name)])

    def _attached(self, body: Body) -> list[Array]:
        return [self.local(place) for place in self._attachments() if place.body == body.name]

    def _reached(self) -> Iterator[Array]:
        """Every place that the mechanism reaches."""
        for body in self.model.bodies:
            number = self.layout.index(body.name)
            for vertex in self.vertices[body.name]:
                yield self.world(number, vertex)
            if not self._attached(body):
                path = self.world(number, self.layout.center(body.name))
                size = float(np.linalg.norm(self._extent(body)[: len(self.layout.axes)]))
                yield path - size
                yield path + size
        fixed = [self.local(place) for place in self._attachments() if place.body == GROUND]
        if fixed:
            yield np.array(fixed)

    # --- bodies -----------------------------------------------------------------------------------

    def _outlines(self, number: int) -> Iterator[Outline]:
        body = self.model.bodies[number]
        vertices = self.vertices[body.name]
        if self.stations.deforms(number):
            yield from self._deformed(number)
            return
        if len(vertices) > 1:
            yield from (Outline(number, *corners) for corners in hull(vertices))
        if self._is_solid(body):
            center, half = self.layout.center(body.name), self._fitting(body)
            for corners in disc(half) if self.layout.planar else box(half):
                yield Outline(number, corners_of(center + corners), filled=True)

    def _deformed(self, number: int) -> Iterator[Outline]:
        """The lines of a body that deforms."""
        for line in self.stations.lines(number):
            corners = corners_of(line)
            stations = tuple(self.stations.added(number, place) for place in corners)
            yield Outline(number, corners, thick=len(corners) > _MESH, stations=stations)

    def _is_solid(self, body: Body) -> bool:
        """Whether the points do not show the shape of a body: it flies, or is held at its mass centre."""
        return not self._attached(body) or (len(self.vertices[body.name]) < 2 and not self._is_block(body))

    def _is_block(self, body: Body) -> bool:
        """Whether a body of the plane is drawn as the block of a slide."""
        slides = (joint for joint, freedoms in self._joints() if _is_slide(freedoms))
        return self.layout.planar and any(joint.head.body == body.name for joint in slides)

    def _fitting(self, body: Body) -> Array:
        """The extent of a body, limited so that it does not hide the mechanism."""
        half = self._extent(body)
        largest = float(half.max())
        if not self._attached(body) or largest == 0.0:
            return half
        return half * min(1.0, _SOLID * self.radius / largest)

    def _extent(self, body: Body) -> Array:
        """Half the edges of the homogeneous box with the mass and the moments of inertia of a body."""
        mass = self.layout.number(body.mass)
        moments = [self.layout.number(entry) for entry in (body.inertia.xx, body.inertia.yy, body.inertia.zz)]
        if mass <= 0.0:
            return np.zeros(3)
        if self.layout.planar:
            return np.full(3, np.sqrt(max(2.0 * moments[2] / mass, 0.0)))
        edges: Array = np.sqrt([max(sum(moments) / 2 - moment, 0.0) * 12.0 / mass for moment in moments])
        return edges / 2.0

    # --- joints -----------------------------------------------------------------------------------

    def _markers(self) -> Iterator[Marker]:
        for number, body in enumerate(self.model.bodies):
            if not self.stations.deforms(number):
                yield Marker(Spot(number, as_coordinates(self.layout.center(body.name))), Symbol.CENTER)
            for point in body.points:
                yield Marker(self.spot(Attachment(body.name, point.name)), Symbol.POINT)
        for element, symbol in self._drawn():
            if symbol is components.Symbol.ROD:
                yield Marker(self.spot(element.tail), Symbol.BALL, element.name)
                yield Marker(self.spot(element.head), Symbol.BALL)
            elif symbol in _PIVOTS:
                seat = element.head if element.head.body == GROUND else element.tail
                yield Marker(self.spot(seat), _PIVOTS[symbol], element.name)

        for connector in self._connectors():
            for spot in (connector.tail, connector.head):
                if spot.body == len(self.model.bodies):
                    yield Marker(spot, Symbol.PIN)

    def _labels(self) -> Iterator[Marker]:
        """The name of a body, at the middle of what is drawn of it."""
        for number, body in enumerate(self.model.bodies):
            middle = self.vertices[body.name].mean(axis=0)
            yield Marker(Spot(number, as_coordinates(middle)), Symbol.POINT, body.name)

    def _axes(self, joint: Element, freedoms: Freedoms) -> Iterator[Outline]:
        """The pins of joints in space, along their axes."""
        if self.layout.planar:
            return
        pins: list[tuple[Attachment, Vector]] = []
        match freedoms:
            case Freedoms(Held() | Line(), About(axis)):
                pins = [(joint.tail, axis)]
            case Freedoms(_, Cross(first, second)):
                pins = [(joint.tail, first), (joint.head, second)]
        for place, axis in pins:
            along = self._direction(place, axis, joint.name) * _PIN * self.radius
            yield self._segment(place, -along, along)

    def _rails(self, joint: Element, freedoms: Freedoms) -> Iterator[Outline]:
        """What a slide runs on, as far as it runs."""
        if not isinstance(freedoms.slides, Line):
            return
        tail = self.layout.index(joint.tail.body)
        along = self._direction(joint.tail, freedoms.slides.axis, joint.name)
        head = self.world(self.layout.index(joint.head.body), self.local(joint.head))
        base = self.world(tail, self.local(joint.tail))
        travel = np.einsum("ti,tij,j->t", head - base, self.rotations[:, tail], along)
        spare = 2 * _DETAIL * self.radius if self.layout.planar else 0.0
        low, high = min(0.0, float(travel.min())) - spare, max(0.0, float(travel.max())) + spare
        yield self._segment(joint.tail, low * along, high * along)

    def _block(self, joint: Element, freedoms: Freedoms) -> Iterator[Outline]:
        """The block that slides in the plane; it keeps its attitude to the rail."""
        if not self.layout.planar or not isinstance(freedoms.slides, Line) or not _is_slide(freedoms):
            return
        head = self.layout.index(joint.head.body)
        along = self._direction(joint.tail, freedoms.slides.axis, joint.name)
        turned = self.rotations[0, head].T @ self.rotations[0, self.layout.index(joint.tail.body)] @ along
        length, breadth = (part * _DETAIL * self.radius for part in (2.0, 1.2))
        across = np.array([-turned[1], turned[0], 0.0])
        sides = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = [self.local(joint.head) + a * length * turned + b * breadth * across for a, b in sides]
        yield Outline(head, corners_of(np.array(corners)), filled=True)

    def _floor(self, up: Array) -> Iterator[Outline]:
        """A grid across the lowest place."""
        lowest = float(np.concatenate(list(self._reached())).dot(up).min())
        first, second = level_axes(up)
        origin = self.center + (lowest - float(self.center @ up)) * up
        reach = 1.2 * self.radius
        for part in np.linspace(-1.0, 1.0, _GRID_LINES):
            for along, across in ((first, second), (second, first)):
                ends = [origin + reach * (part * across + end * along) for end in (-1.0, 1.0)]
                yield Outline(len(self.model.bodies), corners_of(np.array(ends)), thick=False)

    def _segment(self, place: Attachment, begin: Array, end: Array) -> Outline:
        middle = self.local(place)
        corners = (as_coordinates(middle + begin), as_coordinates(middle + end))
        return Outline(self.layout.index(place.body), corners, thick=False)

    def _direction(self, place: Attachment, axis: Vector, name: str) -> Array:
        """An axis of a joint in the axes of the body it is fastened to."""
        result: Array = self.layout.axes_of(place) @ self.layout.triad(axis, None, name)[0]
        return result

    def _connectors(self) -> Iterator[Connector]:
        for element, symbol in self._drawn():
            if symbol in _CONNECTORS:
                ends = self.spot(element.tail), self.spot(element.head)
                yield Connector(*ends, symbol, element.name)


class _Stations:
    """The places on bodies that deform, each once."""

    def __init__(self, model: SystemModel, layout: Layout) -> None:
        self._layout = layout
        self._bodies: dict[int, BodyType] = {}
        for number, body in enumerate(model.bodies):
            kind = component_of(model.element(body.name))
            if isinstance(kind, BodyType) and kind.lines(layout.number):
                self._bodies[number] = kind
        self.found: list[Station] = []
        self._numbers: dict[tuple[int, Coordinates], int] = {}

    def deforms(self, body: int) -> bool:
        return body in self._bodies

    def lines(self, body: int) -> list[Array]:
        return self._bodies[body].lines(self._layout.number)

    def number(self, body: int, place: Coordinates) -> int | None:
        """The station at a place of a body, if the body deforms."""
        return self.added(body, place) if body in self._bodies else None

    def added(self, body: int, place: Coordinates) -> int:
        if (body, place) not in self._numbers:
            self._numbers[body, place] = len(self.found)
            self.found.append(self._station(body, place))
        return self._numbers[body, place]

    def _station(self, body: int, place: Coordinates) -> Station:
        number, planar = self._layout.number, self._layout.planar
        made = self._bodies[body].deformation(np.array([place]), number, planar=planar)
        if made is None:
            raise TypeError("a body with lines has displacements")
        second = made.second[0] if made.second.any() else None
        return Station(body, place, made.first[0], second, made.strains[0])

    def strain(self, coordinates: Mapping[int, Array]) -> float:
        """The largest strain of bending in a motion."""
        largest = 0.0
        for station in self.found:
            strains = np.abs(coordinates[station.body] @ station.strains.T).sum(axis=1)
            largest = max(largest, float(strains.max(initial=0.0)))
        return largest


def _is_slide(freedoms: Freedoms) -> bool:
    return isinstance(freedoms.slides, Line) and isinstance(freedoms.turns, Locked)
