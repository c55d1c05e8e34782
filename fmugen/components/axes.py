"""Axes of attachments, and triads around joint axes."""

from __future__ import annotations

from collections.abc import Mapping

from fmugen.components.formulas import lower, lower_vector
from fmugen.expr.code import compile_python
from fmugen.expr.vectors import (
    Matrix3,
    Vector3,
    cross,
    dot,
    identity,
    matmul,
    rotation_about,
    scale3,
    transpose,
    unit,
)
from fmugen.ir.graph import Symbols
from fmugen.ir.model import GROUND, Attachment, Point, SystemModel, Vector

__all__ = ["Axes", "orthonormal"]


class Axes:
    """The orientation of every point relative to its body."""

    def __init__(self, model: SystemModel, symbols: Symbols) -> None:
        self.symbols = symbols
        self._unit = identity(symbols.dag)
        self._values = [parameter.value for parameter in model.parameters]
        self._parameters = [symbols.parameters[parameter.name] for parameter in model.parameters]
        self._known: dict[Attachment, Matrix3] = {}
        for owner, points in ((GROUND, model.ground), *((b.name, b.points) for b in model.bodies)):
            positions = {point.name: lower_vector(point.position, symbols) for point in points}
            for point in points:
                aimed = self._aimed(point, positions) if point.toward is not None else self._turned(point)
                self._known[Attachment(owner, point.name)] = aimed

    def of(self, attachment: Attachment) -> Matrix3:
        """The matrix that resolves vectors of an attachment in the axes of its body."""
        return self._known.get(attachment, self._unit)

    def _turned(self, point: Point) -> Matrix3:
        matrix = self._unit
        if point.orientation is not None:
            for letter, angle in zip(point.orientation.sequence, point.orientation.angles, strict=True):
                axis = self._unit["xyz".index(letter)]
                matrix = matmul(matrix, rotation_about(axis, lower(angle, self.symbols)))
        return matrix

    def _aimed(self, point: Point, positions: Mapping[str, Vector3]) -> Matrix3:
        """Axes whose z points from ``point`` to the one that it is aimed at."""
        here, there = positions[point.name], positions[point.toward or point.name]
        along = unit((there[0] - here[0], there[1] - here[1], there[2] - here[2]))
        across = _perpendicular(along, self.furthest(along))
        return transpose((across, cross(along, across), along))

    def furthest(self, along: Vector3) -> Vector3:
        """The coordinate direction furthest from ``along`` for the default parameters."""
        numbers = self.numbers(along)
        return self._unit[min(range(3), key=lambda i: (abs(numbers[i]), i))]

    def numbers(self, vector: Vector3) -> list[float]:
        """The components of a vector for the default parameters."""
        return compile_python(vector, {"p": self._parameters})(self._values)


def orthonormal(
    axes: Axes, axis: Vector | None, toward: Vector | None, *, planar: bool = False
) -> tuple[Vector3, Vector3, Vector3]:
    """A right-handed triad: along ``axis`` (z if ``None``), then in the half plane of ``toward``.

    Where ``toward`` is missing or parallel to the axis, the coordinate direction furthest from the axis
    takes its place. In the plane the second direction is the axis turned by a right angle.
    """
    basis = identity(axes.symbols.dag)
    along = basis[2] if axis is None else unit(lower_vector(axis, axes.symbols))
    if planar:
        normal: Vector3 = (-along[1], along[0], along[2])
        return along, normal, basis[2]
    guide = None if toward is None else lower_vector(toward, axes.symbols)
    if guide is None or _parallel(axes.numbers(along), axes.numbers(guide)):
        guide = axes.furthest(along)
    across = _perpendicular(along, guide)
    return along, across, cross(along, across)


def _perpendicular(along: Vector3, guide: Vector3) -> Vector3:
    """The direction perpendicular to ``along`` in the half plane of ``guide``."""
    overlap = scale3(-1 * dot(along, guide), along)
    return unit((guide[0] + overlap[0], guide[1] + overlap[1], guide[2] + overlap[2]))


def _parallel(a: list[float], b: list[float]) -> bool:
    cosine = sum(x * y for x, y in zip(a, b, strict=True))
    lengths = sum(x * x for x in a) * sum(y * y for y in b)
    return lengths == 0 or cosine * cosine > 0.99 * lengths
