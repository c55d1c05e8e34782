"""A SystemModel in numbers: parameter values, body indices and the places elements are fastened to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from fmugen.errors import VerificationError
from fmugen.ir.formula import Formula
from fmugen.ir.model import GROUND, Attachment, Point, SystemModel, Vector
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.measures import Place


class Layout:
    """The numbers behind a model's names, for one choice of parameter values."""

    def __init__(self, model: SystemModel, parameters: Mapping[str, float] | None = None) -> None:
        self.model = model
        self.parameters = {parameter.name: parameter.value for parameter in model.parameters}
        for name, value in (parameters or {}).items():
            if name not in self.parameters:
                raise VerificationError(f"{model.name} has no parameter {name!r}")
            self.parameters[name] = value
        self.bodies = tuple(body.name for body in model.bodies)
        #: The ground comes after the moving bodies.
        self.ground = len(self.bodies)
        self._index = {name: index for index, name in enumerate(self.bodies)} | {GROUND: self.ground}
        self._points = {
            (body, point.name): self._position(point.position)
            for body, points in self._point_sets()
            for point in points
        }

    def number(self, formula: Formula) -> float:
        """The value of a formula of parameters."""
        literal = formula.number
        return compile_formula(formula)(self.parameters) if literal is None else literal

    def index(self, body: str) -> int:
        """The place of a body in the order of poses."""
        return self._index[body]

    def place(self, attachment: Attachment) -> Place:
        """The attachment as a body index and components in body axes."""
        body = self._index[attachment.body]
        if attachment.point is None:
            return Place(body)
        return Place(body, *self._points[attachment.body, attachment.point])

    def unit(self, axis: Vector, element: str) -> tuple[float, float]:
        """The axis, normalised."""
        x, y = self._position(axis)
        length = math.hypot(x, y)
        if length == 0.0:
            raise VerificationError(f"the axis of {element} has length zero")
        return x / length, y / length

    @property
    def length(self) -> float:
        """A length that is typical of the mechanism: the longest arm, or 1 m if there is none."""
        return max((math.hypot(x, y) for x, y in self._points.values()), default=0.0) or 1.0

    def _position(self, vector: Vector) -> tuple[float, float]:
        return self.number(vector[0]), self.number(vector[1])

    def _point_sets(self) -> Iterator[tuple[str, tuple[Point, ...]]]:
        yield GROUND, self.model.ground
        for body in self.model.bodies:
            yield body.name, body.points
