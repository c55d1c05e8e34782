"""A SystemModel in numbers: parameter values, body indices, points and axes of attachments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.formula import Formula
from fmugen.ir.model import GROUND, Attachment, Point, Space, SystemModel, Vector
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.measures import BodyPoint, Triple
from fmugen.verify.rotations import IDENTITY, Array, turned


class Layout:
    """The numbers of a model for one choice of parameter values; drawings may show it ``undeformed``."""

    def __init__(
        self,
        model: SystemModel,
        parameters: Mapping[str, float] | None = None,
        *,
        undeformed: bool = False,
    ) -> None:
        self.model = model
        self.planar = model.space is Space.PLANAR
        #: The directions of translation.
        self.axes = "xy" if self.planar else "xyz"
        self._defaults = {parameter.name: parameter.value for parameter in model.parameters}
        self.parameters = {**self._defaults, **self._known(parameters or {})}
        self.bodies = tuple(body.name for body in model.bodies)
        self._own = {} if undeformed else own_kinds(model)
        hidden = [*self._hidden()]
        #: Bodies that the model does not name: points of flexible bodies, and carriers of their coordinates.
        self.hidden = len(hidden)
        #: The ground comes after the moving bodies.
        self.ground = len(self.bodies) + self.hidden
        self._places = {key: len(self.bodies) + number for number, key in enumerate(hidden)}
        self._index = {name: index for index, name in enumerate(self.bodies)} | {GROUND: self.ground}
        self._centers = {body.name: self.vector(body.center) for body in model.bodies} | {GROUND: np.zeros(3)}
        self._points = {
            (body, point.name): self.vector(point.position)
            for body, points in self._point_sets()
            for point in points
        }
        self._axes = {
            (body, point.name): self._orientation(body, point)
            for body, points in self._point_sets()
            for point in points
        }

    def _known(self, parameters: Mapping[str, float]) -> Mapping[str, float]:
        for name in parameters:
            if name not in self._defaults:
                raise VerificationError(f"{self.model.name} has no parameter {name!r}")
        return parameters

    def number(self, formula: Formula) -> float:
        """The value of a formula of parameters."""
        literal = formula.number
        return compile_formula(formula)(self.parameters) if literal is None else literal

    def vector(self, components: Vector) -> Array:
        """The value of a vector of parameters; vectors of the plane have no third component."""
        x, y, z = (self.number(component) for component in components)
        return np.array([x, y, 0.0 if self.planar else z])

    def index(self, body: str) -> int:
        """The index of a body; the ground is the last."""
        return self._index[body]

    def center(self, body: str) -> Array:
        """The mass centre of a body, from the origin of its frame."""
        return self._centers[body]

    def place(self, attachment: Attachment) -> BodyPoint:
        """The point of an attachment; those of flexible bodies are bodies of their own."""
        body, point = attachment.body, attachment.point
        if (body, point) in self._places:
            return BodyPoint(self._places[body, point])
        position = np.zeros(3) if point is None else self._points[body, point]
        return BodyPoint(self._index[body], triple(position - self._centers[body]))

    def own_coordinates(self, body: str) -> dict[str, tuple[int, int]]:
        """The coordinates of a flexible body itself, each with a body and the axis of its displacement."""
        kinds = self._own.get(body, ())
        each = len(self.axes)
        return {kind: (self._places[body, n // each], n % each) for n, kind in enumerate(kinds)}

    def _hidden(self) -> Iterator[tuple[str, str | int | None]]:
        for body in self.model.bodies:
            if body.name in self._own:
                yield from ((body.name, point.name) for point in body.points)
                carriers = -(-len(self._own[body.name]) // len(self.axes))
                yield from ((body.name, number) for number in range(carriers))

    def axes_of(self, attachment: Attachment) -> Array:
        """The matrix that resolves vectors of an attachment in the axes of its body."""
        if attachment.point is None:
            return IDENTITY
        return self._axes[attachment.body, attachment.point]

    def triad(self, axis: Vector | None, toward: Vector | None, element: str) -> Array:
        """Rows: along ``axis`` (z if ``None``), perpendicular to it on the side of ``toward``, and the third.

        Where ``toward`` is missing or nearly parallel, the coordinate direction furthest from the axis
        takes its place. In the plane the second direction is the axis turned by a right angle.
        """
        along = IDENTITY[2] if axis is None else self._unit(axis, element)
        if self.planar:
            return np.array([along, [-along[1], along[0], 0.0], IDENTITY[2]])
        guide = self._guide(axis, toward)
        across = guide - (along @ guide) * along
        across /= np.linalg.norm(across)
        return np.array([along, across, np.cross(along, across)])

    def length(self, others: Iterable[float] = ()) -> float:
        """A length that is typical of the mechanism: the longest of arms and ``others``; else 1 m."""
        arms = [float(np.linalg.norm(arm)) for arm in (*self._points.values(), *self._centers.values())]
        return max((*arms, *others), default=0.0) or 1.0

    def _unit(self, axis: Vector, element: str) -> Array:
        vector = self.vector(axis)
        length = np.linalg.norm(vector)
        if length == 0.0:
            raise VerificationError(f"the axis of {element} has length zero")
        result: Array = vector / length
        return result

    def _guide(self, axis: Vector | None, toward: Vector | None) -> Array:
        """The vector on whose side the second direction of a triad is, chosen at the default parameters."""
        along = IDENTITY[2] if axis is None else self._default(axis)
        if toward is not None:
            guide = self._default(toward)
            lengths = (along @ along) * (guide @ guide)
            if lengths > 0.0 and (along @ guide) ** 2 <= 0.99 * lengths:
                return self.vector(toward)
        furthest: Array = IDENTITY[int(np.argmin(np.abs(along)))]
        return furthest

    def _default(self, vector: Vector) -> Array:
        return np.array([compile_formula(component)(self._defaults) for component in vector])

    def _orientation(self, body: str, point: Point) -> Array:
        if point.toward is not None:
            return self._aimed(body, point.name, point.toward)
        if point.orientation is None:
            return IDENTITY
        angles = [self.number(angle) for angle in point.orientation.angles]
        return turned(point.orientation.sequence, angles)

    def _aimed(self, body: str, point: str, target: str) -> Array:
        """Columns x, y, z: z from the point to the target, x on the side of the body axis furthest from z."""
        positions = {
            p.name: p.position for owner, points in self._point_sets() if owner == body for p in points
        }
        line = self._points[body, target] - self._points[body, point]
        z = line / np.linalg.norm(line)
        default = self._default(positions[target]) - self._default(positions[point])
        guide = IDENTITY[int(np.argmin(np.abs(default)))]
        x = guide - (z @ guide) * z
        x /= np.linalg.norm(x)
        return np.array([x, np.cross(z, x), z]).T

    def _point_sets(self) -> Iterator[tuple[str, tuple[Point, ...]]]:
        yield GROUND, self.model.ground
        for body in self.model.bodies:
            yield body.name, body.points


def own_kinds(model: SystemModel) -> dict[str, list[str]]:
    """The coordinates that bodies have besides their pose: those with two derivatives of the same name."""
    found = {}
    for body in model.in_section("bodies"):
        kinds = [quantity.kind for quantity in body.quantities if quantity.owner == body.name]
        own = [kind for kind in kinds if f"d{kind}" in kinds and f"dd{kind}" in kinds]
        if own:
            found[body.name] = own
    return found


def own_quantities(model: SystemModel) -> list[str]:
    """The coordinates that bodies have besides their pose, and their rates, by name."""
    own = own_kinds(model).items()
    return [f"{body}.{rate}{kind}" for body, kinds in own for rate in ("", "d") for kind in kinds]


def triple(vector: Array) -> Triple:
    """A vector as plain numbers."""
    x, y, z = vector.tolist()
    return x, y, z
