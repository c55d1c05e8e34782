"""Tables -> elements: bodies, joints, drivers, loads and springs with their attachments resolved."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fmugen.components.base import Form, Key, element_of
from fmugen.ir.element import (
    GROUND,
    Attachment,
    Element,
    Orientation,
    Point,
    Space,
    Tensor,
    Value,
    Vector,
)
from fmugen.ir.formula import ZERO, Formula
from fmugen.phases.read.draft import ELEMENT_SECTIONS, DraftModel
from fmugen.phases.read.geometry import Geometry
from fmugen.phases.read.problems import KeyPath, ProblemLog
from fmugen.phases.read.schema import ElementTable, PointEntry, PointTable
from fmugen.suggestions import choice_hint, did_you_mean

__all__ = ["ElementReader", "vector"]


def vector(components: list[Formula]) -> Vector:
    """Components as a vector of three; the plane leaves z at zero."""
    x, y, *z = components
    return (x, y, z[0] if z else ZERO)


class ElementReader:
    """Makes the elements of one draft.

    An element with a bad attachment is created nevertheless: later checks need its quantities. The logged
    problem keeps the model from being used.
    """

    def __init__(self, draft: DraftModel, problems: ProblemLog) -> None:
        self.draft = draft
        self.problems = problems
        self.planar = draft.space is Space.PLANAR
        self.geometry = Geometry({name: table.value for name, table in draft.parameters.items()}, problems)

    # --- points and bodies -----------------------------------------------------------------------

    def ground(self) -> tuple[Point, ...]:
        return self.points((GROUND,), self.draft.ground.points) if self.draft.ground else ()

    def points(self, place: KeyPath, points: dict[str, PointEntry]) -> tuple[Point, ...]:
        found = tuple(self.point((*place, "points", name), name, entry) for name, entry in points.items())
        self.check_aims(place, found)
        return found

    def point(self, place: KeyPath, name: str, entry: PointEntry) -> Point:
        if not isinstance(entry, PointTable):
            return Point(name, vector(entry))
        if len(entry.sequence) != len(entry.angles):
            message = f"sequence and angles differ in length: {len(entry.sequence)} and {len(entry.angles)}"
            self.problems.add(place, message, "give one angle for each letter of the sequence")
            return Point(name, vector(entry.position))
        turned = Orientation(entry.sequence, tuple(entry.angles)) if entry.sequence else None
        return Point(name, vector(entry.position), turned, entry.toward)

    def check_aims(self, place: KeyPath, points: tuple[Point, ...]) -> None:
        """Points that are aimed at another one: it exists, is elsewhere, and nothing else turns the axes."""
        positions = {point.name: point.position for point in points}
        for point in points:
            if point.toward is None:
                continue
            aim: KeyPath = (*place, "points", point.name, "toward")
            if point.orientation is not None:
                message = (
                    "the axes of a point are turned by sequence and angles, or toward a point: not by both"
                )
                self.problems.add(aim, message, "leave one of them out")
            if point.toward not in positions:
                self.unknown_point(aim, str(place[-1]), point.toward)
            elif self.geometry.coincide(point.position, positions[point.toward]):
                message = f"{point.toward!r} is at the same place, so that there is no direction toward it"
                self.problems.add(aim, message, "name another point of the same body")

    # --- elements --------------------------------------------------------------------------------

    def elements(self) -> Iterator[Element]:
        for section in ELEMENT_SECTIONS:
            for name, table in self.draft.elements[section].items():
                yield self.element((section, name), table)

    def element(self, place: KeyPath, table: ElementTable) -> Element:
        ends = self.ends(place, table)
        given = table.model_fields_set.intersection(table.keys)
        values = {
            key.name: self.value((*place, key.name), key, getattr(table, field))
            if field in given
            else key.default
            for field, key in table.keys.items()
        }
        made = table.component(**values)
        made.check(_Values(self, place, values, {table.keys[f].name for f in given}))
        description = getattr(table, "description", "")
        return element_of(made, str(place[-1]), ends, planar=self.planar, description=description)

    def value(self, place: KeyPath, key: Key, given: Any) -> Value:
        """The value of a key, with what is wrong about it for any type of element reported."""
        match key.form:
            case Form.DIRECTION:
                self.geometry.check_direction(place, given)
                return vector(given)
            case Form.POSITION | Form.VECTOR:
                return vector(given)
            case Form.AXIAL:
                return (ZERO, ZERO, given) if isinstance(given, Formula) else vector(given)
            case Form.FORMULA_OR_VECTOR:
                return given if isinstance(given, Formula) else vector(given)
            case Form.INERTIA:
                return self.inertia(place, given)
            case Form.POINTS:
                return self.points(place[:-1], given)
            case Form.COEFFICIENTS:
                return tuple(given.items())
            case Form.BODY:
                if given != GROUND and given not in self.draft.names["bodies"]:
                    self.unknown_body(place, given)
        value: Value = given
        return value

    def inertia(self, place: KeyPath, given: Formula | list[Formula]) -> Tensor:
        if isinstance(given, Formula):
            self.geometry.check_not_negative(place, given)
            return Tensor(zz=given)
        tensor = Tensor(*given)
        self.geometry.check_inertia(place, tensor)
        return tensor

    # --- attachments -----------------------------------------------------------------------------

    def ends(self, place: KeyPath, table: ElementTable) -> tuple[Attachment, ...]:
        keys = [end.key for end in table.component.ends]
        found = tuple(self.attachment((*place, key), getattr(table, f"end_{key}")) for key in keys)
        if len(found) > 1:
            self.check_two_bodies((*place, keys[-1]), found[0], found[-1], keys[0])
        return found

    def attachment(self, place: KeyPath, text: str) -> Attachment:
        """The attachment a text such as ``ground``, ``crank`` or ``crank.B`` names."""
        body, point = text, ""
        known = {GROUND, *self.draft.names["bodies"]}
        while body not in known and "." in body:  # the longest name that is known
            body, _, last = body.rpartition(".")
            point = f"{last}.{point}" if point else last
        if body not in known:
            self.unknown_body(place, body if point.count(".") == 0 else text.rpartition(".")[0])
        elif point and point not in self.draft.points[body]:
            self.unknown_point(place, body, point)
        return Attachment(body, point or None)

    def check_two_bodies(self, place: KeyPath, tail: Attachment, head: Attachment, other: str) -> None:
        if tail.body == head.body:
            where = "the ground" if head.body == GROUND else f"the body {head.body!r}"
            hint = f"let {other!r} and {place[-1]!r} name two different bodies"
            self.problems.add(place, f"both ends are on {where}", hint)

    def unknown_body(self, place: KeyPath, name: str) -> None:
        bodies = self.draft.names["bodies"]
        for section, noun in ELEMENT_SECTIONS.items():
            if section != "bodies" and name in self.draft.names[section]:
                self.problems.add(place, f"{name!r} is a {noun}, not a body", "name a body or the ground")
                return
        hint = choice_hint(name, (*bodies, GROUND), "the bodies are")
        self.problems.add(place, f"there is no body {name!r}", hint)

    def unknown_point(self, place: KeyPath, body: str, point: str) -> None:
        points = self.draft.points[body]
        owner = "the ground" if body == GROUND else f"the body {body!r}"
        listed = f"its points are {', '.join(points)}" if points else "it has no points"
        self.problems.add(place, f"{owner} has no point {point!r}", did_you_mean(point, points) or listed)


class _Values:
    """The values of one element with the default parameters, as its class checks them."""

    def __init__(
        self, reader: ElementReader, place: KeyPath, values: Mapping[str, Any], given: Collection[str]
    ) -> None:
        self._reader, self._place, self._values, self._given = reader, place, values, given
        self._geometry = reader.geometry

    @property
    def planar(self) -> bool:
        return self._reader.planar

    def number(self, formula: Formula) -> float | None:
        return self._geometry.value(formula)

    def positive(self, key: str) -> None:
        self._geometry.check_positive((*self._place, key), self._values[key])

    def not_negative(self, key: str) -> None:
        self._geometry.check_not_negative((*self._place, key), self._values[key])

    def perpendicular(self, first: str, second: str) -> None:
        place = (*self._place, second)
        self._geometry.check_perpendicular(place, self._values[first], self._values[second])

    def across(self, normal: str, direction: str) -> None:
        place = (*self._place, direction)
        if direction in self._given:  # else another direction takes its place where it is parallel
            self._geometry.check_across(place, self._values[normal], self._values[direction])

    def problem(self, key: str, message: str, hint: str = "") -> None:
        self._reader.problems.add((*self._place, key), message, hint)
