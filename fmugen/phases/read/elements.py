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
    Orientation,
    Point,
    Space,
    Spring,
    SpringType,
    Tensor,
    Vector,
)
from fmugen.phases.read.draft import ELEMENT_SECTIONS, Draft
from fmugen.phases.read.geometry import Geometry
from fmugen.phases.read.problems import Place, ProblemLog
from fmugen.phases.read.schema import (
    AttitudeTable,
    AxisTable,
    BodyTable,
    DriverTable,
    ForceTable,
    JointTable,
    LoadTable,
    PointEntry,
    PointTable,
    PrismaticTable,
    RodTable,
    RotationalSpringTable,
    RotationTable,
    ScrewTable,
    SpringTable,
    TwoAxesTable,
    VirtualTable,
    WeldTable,
)
from fmugen.suggestions import did_you_mean

__all__ = ["ElementReader", "vector"]


def vector(components: list[Formula]) -> Vector:
    """Components as a vector of three; the plane leaves z at zero."""
    x, y, *z = components
    return (x, y, z[0] if z else ZERO)


class ElementReader:
    """Makes the elements of one draft.

    An element with a bad attachment is made all the same, so that its quantities are known to the checks
    that follow; the problem that was logged keeps the model from being used.
    """

    def __init__(self, draft: Draft, problems: ProblemLog) -> None:
        self.draft = draft
        self.problems = problems
        self.planar = draft.space is Space.PLANAR
        self.geometry = Geometry({name: table.value for name, table in draft.parameters.items()}, problems)

    # --- points and bodies -----------------------------------------------------------------------

    def ground(self) -> tuple[Point, ...]:
        return self.points((GROUND,), self.draft.ground.points) if self.draft.ground else ()

    def bodies(self) -> Iterator[Body]:
        for name, table in self.draft.bodies.items():
            place: Place = ("bodies", name)
            self.geometry.check_not_negative((*place, "mass"), table.mass)
            yield Body(
                name,
                table.mass,
                self.inertia((*place, "inertia"), table),
                self.points(place, table.points),
                vector(table.center),
                table.attitude,
                table.description,
            )

    def inertia(self, place: Place, table: BodyTable) -> Tensor:
        if isinstance(table.inertia, Formula):
            self.geometry.check_not_negative(place, table.inertia)
            return Tensor(zz=table.inertia)
        tensor = Tensor(*table.inertia)
        self.geometry.check_inertia(place, tensor)
        return tensor

    def points(self, place: Place, points: dict[str, PointEntry]) -> tuple[Point, ...]:
        found = tuple(self.point((*place, "points", name), name, entry) for name, entry in points.items())
        self.check_aims(place, found)
        return found

    def point(self, place: Place, name: str, entry: PointEntry) -> Point:
        if not isinstance(entry, PointTable):
            return Point(name, vector(entry))
        if len(entry.sequence) != len(entry.angles):
            message = f"sequence and angles differ in length: {len(entry.sequence)} and {len(entry.angles)}"
            self.problems.add(place, message, "give one angle for each letter of the sequence")
            return Point(name, vector(entry.position))
        turned = Orientation(entry.sequence, tuple(entry.angles)) if entry.sequence else None
        return Point(name, vector(entry.position), turned, entry.toward)

    def check_aims(self, place: Place, points: tuple[Point, ...]) -> None:
        """Points that are aimed at another one: it exists, is elsewhere, and nothing else turns the axes."""
        positions = {point.name: point.position for point in points}
        for point in points:
            if point.toward is None:
                continue
            aim: Place = (*place, "points", point.name, "toward")
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

    # --- joints ----------------------------------------------------------------------------------

    def joints(self) -> Iterator[Joint]:
        for name, table in self.draft.joints.items():
            place: Place = ("joints", name)
            tail, head = self.ends(place, table)
            joint = Joint(name, JointType(table.type), tail, head, description=table.description)
            if isinstance(table, VirtualTable):
                joint = replace(joint, like=JointType(table.like))
            yield self.with_geometry(place, self.with_axes(place, joint, table), table)

    def with_axes(self, place: Place, joint: Joint, table: JointTable) -> Joint:
        if not isinstance(table, AxisTable) or (self.planar and not isinstance(table, PrismaticTable)):
            return joint
        joint = replace(joint, axis=self.axis((*place, "axis"), table.axis))
        if not isinstance(table, TwoAxesTable):
            return joint
        second: Place = (*place, "second_axis")
        joint = replace(joint, second_axis=self.axis(second, table.second_axis))
        if joint.kind is JointType.UNIVERSAL:
            self.geometry.check_perpendicular(second, joint.axis, joint.second_axis)
        elif "second_axis" in table.model_fields_set:
            self.geometry.check_across(second, joint.axis, joint.second_axis)
        return joint

    def with_geometry(self, place: Place, joint: Joint, table: JointTable) -> Joint:
        match table:
            case PrismaticTable() | WeldTable():
                return replace(joint, angle=table.angle)
            case AttitudeTable():
                return replace(joint, attitude=table.attitude)
            case ScrewTable():
                return replace(joint, lead=table.lead)
            case RodTable():
                self.geometry.check_positive((*place, "length"), table.length)
                return replace(joint, length=table.length)
            case _:
                return joint

    # --- drivers, loads, springs -----------------------------------------------------------------

    def drivers(self) -> Iterator[Driver]:
        for name, table in self.draft.drivers.items():
            place: Place = ("drivers", name)
            tail, head = self.ends(place, table)
            driver = Driver(name, DriverType(table.type), tail, head, description=table.description)
            yield self.with_motion(place, driver, table)

    def with_motion(self, place: Place, driver: Driver, table: DriverTable) -> Driver:
        if isinstance(table, RotationTable):
            axis = None if self.planar else self.axis((*place, "axis"), table.axis)
            return replace(driver, angle=table.value, axis=axis)
        if table.axis is None:
            return replace(driver, displacement=self.displacement(place, table.value))
        along = self.distance(place, table.value)
        return replace(driver, displacement=(along, ZERO, ZERO), axis=self.axis((*place, "axis"), table.axis))

    def displacement(self, place: Place, value: Formula | list[Formula]) -> Vector:
        if isinstance(value, list):
            return vector(value)
        count, shown = ("two", "[x, y]") if self.planar else ("three", "[x, y, z]")
        hint = f"write {shown}, or give the axis along which the point is driven"
        self.problems.add((*place, "value"), f"a translation without axis needs {count} components", hint)
        return NULL_VECTOR

    def distance(self, place: Place, value: Formula | list[Formula]) -> Formula:
        if isinstance(value, Formula):
            return value
        hint = "write one formula, or leave out the axis to drive all components"
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
        if table.frame != GROUND and table.frame not in self.draft.names["bodies"]:
            self.unknown_body((*place, "frame"), table.frame)
        if isinstance(table, ForceTable):
            return replace(load, force=vector(table.value), frame=table.frame)
        torque = (ZERO, ZERO, table.value) if isinstance(table.value, Formula) else vector(table.value)
        return replace(load, torque=torque, frame=table.frame)

    def springs(self) -> Iterator[Spring]:
        for name, table in self.draft.springs.items():
            place: Place = ("springs", name)
            tail, head = self.ends(place, table)
            spring = Spring(
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
            if isinstance(table, RotationalSpringTable):
                spring = replace(spring, axis=self.axis((*place, "axis"), table.axis))
            yield spring

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
        self.geometry.check_direction(place, components)
        return vector(components)
