"""Tables -> elements: bodies, joints, drivers, loads and springs with their attachments resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fmugen.ir.formula import ZERO, Formula
from fmugen.ir.model import (
    GROUND,
    NULL_VECTOR,
    Attachment,
    Body,
    Driver,
    DriverType,
    Joint,
    JointType,
    Load,
    LoadType,
    Point,
    Spring,
    SpringType,
    Tensor,
    Vector,
)
from fmugen.phases.read.draft import ELEMENT_SECTIONS, Draft
from fmugen.phases.read.problems import Place, ProblemLog
from fmugen.phases.read.schema import (
    DriverTable,
    ForceTable,
    JointTable,
    LoadTable,
    PrismaticTable,
    RotationTable,
    SpringTable,
    WeldTable,
)
from fmugen.suggestions import did_you_mean

__all__ = ["ElementReader", "planar_vector", "points_of"]


def planar_vector(components: list[Formula]) -> Vector:
    """The x and y components of a planar model as a vector of three."""
    x, y = components
    return (x, y, ZERO)


def points_of(points: dict[str, list[Formula]]) -> tuple[Point, ...]:
    return tuple(Point(name, planar_vector(position)) for name, position in points.items())


class ElementReader:
    """Makes the elements of one draft.

    An element with a bad attachment is made all the same, so that its quantities are known to the checks
    that follow; the problem that was logged keeps the model from being used.
    """

    def __init__(self, draft: Draft, problems: ProblemLog) -> None:
        self.draft = draft
        self.problems = problems

    def bodies(self) -> Iterator[Body]:
        for name, table in self.draft.bodies.items():
            for key, value in (("mass", table.mass), ("inertia", table.inertia)):
                if value.number is not None and value.number < 0:
                    self.problems.add(("bodies", name, key), f"{key} cannot be negative")
            inertia = Tensor(zz=table.inertia)
            points = points_of(table.points)
            yield Body(name, table.mass, inertia, points, description=table.description)

    def joints(self) -> Iterator[Joint]:
        for name, table in self.draft.joints.items():
            place: Place = ("joints", name)
            tail, head = self.ends(place, table)
            joint = Joint(name, JointType(table.type), tail, head, description=table.description)
            yield self.with_geometry(place, joint, table)

    def with_geometry(self, place: Place, joint: Joint, table: JointTable) -> Joint:
        match table:
            case PrismaticTable():
                axis = self.axis((*place, "axis"), table.axis)
                return replace(joint, axis=axis, angle=table.angle)
            case WeldTable():
                return replace(joint, angle=table.angle)
            case _:
                return joint

    def drivers(self) -> Iterator[Driver]:
        for name, table in self.draft.drivers.items():
            place: Place = ("drivers", name)
            tail, head = self.ends(place, table)
            driver = Driver(name, DriverType(table.type), tail, head, description=table.description)
            yield self.with_motion(place, driver, table)

    def with_motion(self, place: Place, driver: Driver, table: DriverTable) -> Driver:
        if isinstance(table, RotationTable):
            return replace(driver, angle=table.value)
        if table.axis is None:
            return replace(driver, displacement=self.displacement(place, table.value))
        along = self.distance(place, table.value)
        return replace(driver, displacement=(along, ZERO, ZERO), axis=self.axis((*place, "axis"), table.axis))

    def displacement(self, place: Place, value: Formula | list[Formula]) -> Vector:
        if isinstance(value, list):
            return planar_vector(value)
        hint = "write [x, y], or give the axis along which the point is driven"
        self.problems.add((*place, "value"), "a translation without axis needs two components", hint)
        return NULL_VECTOR

    def distance(self, place: Place, value: Formula | list[Formula]) -> Formula:
        if isinstance(value, Formula):
            return value
        hint = "write one formula, or leave out the axis to drive both components"
        self.problems.add((*place, "value"), "a translation along an axis is one formula, not a list", hint)
        return ZERO

    def loads(self) -> Iterator[Load]:
        for name, table in self.draft.loads.items():
            place: Place = ("forces", name)
            tail = self.attachment((*place, "from"), table.tail)
            head = self.attachment((*place, "on"), table.head)
            self.check_two_bodies((*place, "on"), tail, head, "from")
            load = Load(name, LoadType(table.type), tail, head, description=table.description)
            yield self.with_value(place, load, table)

    def with_value(self, place: Place, load: Load, table: LoadTable) -> Load:
        if not isinstance(table, ForceTable):
            return replace(load, torque=(ZERO, ZERO, table.value))
        if table.frame != GROUND and table.frame not in self.draft.names["bodies"]:
            self.unknown_body((*place, "frame"), table.frame)
        return replace(load, force=planar_vector(table.value), frame=table.frame)

    def springs(self) -> Iterator[Spring]:
        for name, table in self.draft.springs.items():
            tail, head = self.ends(("springs", name), table)
            yield Spring(
                name,
                SpringType(table.type),
                tail,
                head,
                table.stiffness,
                table.damping,
                table.free,
                table.actuator,
                description=table.description,
            )

    # --- attachments -----------------------------------------------------------------------------

    def ends(
        self, place: Place, table: JointTable | DriverTable | SpringTable
    ) -> tuple[Attachment, Attachment]:
        tail = self.attachment((*place, "from"), table.tail)
        head = self.attachment((*place, "to"), table.head)
        self.check_two_bodies((*place, "to"), tail, head, "from")
        return tail, head

    def attachment(self, place: Place, text: str) -> Attachment:
        """The attachment a text such as ``ground``, ``crank`` or ``crank.B`` names."""
        body, dot, point = text.partition(".")
        if body != GROUND and body not in self.draft.names["bodies"]:
            self.unknown_body(place, body)
        elif dot and point not in self.draft.points[body]:
            self.unknown_point(place, body, point)
        return Attachment(body, point if dot else None)

    def check_two_bodies(self, place: Place, tail: Attachment, head: Attachment, other: str) -> None:
        if tail.body == head.body:
            where = "the ground" if head.body == GROUND else f"the body {head.body!r}"
            hint = f"let {other!r} and {place[-1]!r} name two different bodies"
            self.problems.add(place, f"both ends are on {where}", hint)

    def unknown_body(self, place: Place, name: str) -> None:
        bodies = self.draft.names["bodies"]
        for section, noun in ELEMENT_SECTIONS.items():
            if section != "bodies" and name in self.draft.names[section]:
                self.problems.add(place, f"{name!r} is a {noun}, not a body", "name a body or the ground")
                return
        hint = did_you_mean(name, (*bodies, GROUND)) or f"the bodies are {', '.join((*bodies, GROUND))}"
        self.problems.add(place, f"there is no body {name!r}", hint)

    def unknown_point(self, place: Place, body: str, point: str) -> None:
        points = self.draft.points[body]
        owner = "the ground" if body == GROUND else f"the body {body!r}"
        listed = f"its points are {', '.join(points)}" if points else "it has no points"
        self.problems.add(place, f"{owner} has no point {point!r}", did_you_mean(point, points) or listed)

    def axis(self, place: Place, components: list[Formula]) -> Vector:
        if all(component.number == 0 for component in components):
            self.problems.add(place, "an axis needs a direction: not all of its components can be zero")
        return planar_vector(components)
