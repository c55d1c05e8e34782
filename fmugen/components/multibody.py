"""Multibody components: McPhee (1998), Table 4; Léger, appendix B.

Every component is a pair of edges, one for translation and one for rotation, built from the same
pieces: directions in which it slides and those in which it reacts, axes about which it turns and
directions that it keeps aligned. A planar model is the special case in which sliding happens in x and
y, turning about z, and angles add.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from fmugen.components.axes import Axes, orthonormal
from fmugen.components.formulas import lower, lower_vector
from fmugen.components.networks import flange_load
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import (
    Matrix3,
    Vector3,
    identity,
    is_null,
    matmul,
    matvec,
    null,
    rotation_about,
    scale3,
    transpose,
)
from fmugen.ir.graph import (
    Alignment,
    AngleReaction,
    AxisTurn,
    Displacement,
    Edge,
    EdgeKind,
    FixedTurn,
    FlangeLoad,
    GivenThrough,
    Inertia,
    Mass,
    MotionAxis,
    QuaternionTurn,
    Rotation,
    Screw,
    SpringDamper,
    Symbols,
    Turn,
    Weight,
)
from fmugen.ir.model import (
    GROUND,
    QUATERNION,
    Body,
    Driver,
    DriverType,
    Joint,
    JointType,
    Load,
    LoadType,
    Point,
    Space,
    Spring,
    SpringType,
    SystemModel,
)
from fmugen.ir.network import FLANGE, flange_joint

__all__ = ["Multibody"]


class Multibody:
    """Builds the edges of a model, in declared order."""

    def __init__(self, model: SystemModel, symbols: Symbols) -> None:
        self.model, self.symbols = model, symbols
        self.planar = model.space is Space.PLANAR
        self.axes = Axes(model, symbols)
        dag = symbols.dag
        self.zero = dag.zero
        self.null = null(dag)
        unit = identity(dag)
        self.x, self.y, self.z = unit
        ends = (node for component in model.components for node in dict(component.terminals).values())
        #: The joints on which networks act.
        self.flanges = {joint for joint in map(flange_joint, ends) if joint is not None}
        #: The directions of translation.
        self.directions = unit[:2] if self.planar else unit

    def edges(self) -> Iterator[Edge]:
        for point in self.model.ground:
            yield self._arm(
                GROUND, f"{GROUND}.{point.name}", lower_vector(point.position, self.symbols), GROUND
            )
        for body in self.model.bodies:
            yield from self._body(body)
        for joint in self.model.joints:
            yield from self._joint(joint)
        for driver in self.model.drivers:
            yield self._driver(driver)
        for load in self.model.loads:
            yield self._load(load)
        for spring in self.model.springs:
            yield self._spring(spring)
        for joint in self.model.joints:
            if joint.name in self.flanges:
                yield self._flange(joint)
        gravity = lower_vector(self.model.gravity, self.symbols)
        if not is_null(gravity):
            for body in self.model.bodies:
                yield self._weight(body, gravity)

    def screws(self) -> Iterator[Screw]:
        turn = 2 * self.symbols.dag.number(Fraction(math.pi))
        for joint in self.model.joints:
            if joint.type is JointType.SCREW:
                yield Screw(joint.name, lower(joint.lead, self.symbols) / turn)

    # --- bodies --------------------------------------------------------------------------------------

    def _body(self, body: Body) -> Iterator[Edge]:
        """An edge from the ground to the mass centre in either graph, and arms to all points."""
        mass, tensor, center = lower(body.mass, self.symbols), self._tensor(body), body.center_node
        free = Displacement(GROUND, self.null, self._slides(center, self.directions))
        yield Edge(body.name, EdgeKind.BODY, GROUND, center, free, Mass(mass))
        turns = Rotation(self._attitude(body.name, body.attitude))
        yield Edge(body.name, EdgeKind.BODY, GROUND, body.name, turns, Inertia(tensor))
        offset = lower_vector(body.center, self.symbols)
        if center != body.name:
            yield self._arm(center, body.name, scale3(-1, offset), body.name, name=center)
        for point in body.points:
            yield self._point(body, point, center, offset)

    def _point(self, body: Body, point: Point, center: str, offset: Vector3) -> Edge:
        position = lower_vector(point.position, self.symbols)
        arm: Vector3 = (position[0] - offset[0], position[1] - offset[1], position[2] - offset[2])
        return self._arm(center, f"{body.name}.{point.name}", arm, body.name)

    def _arm(self, tail: str, head: str, arm: Vector3, frame: str, name: str | None = None) -> Edge:
        """A rigid arm (McPhee (70))."""
        return Edge(name or head, EdgeKind.ARM, tail, head, Displacement(frame, arm))

    def _tensor(self, body: Body) -> Matrix3:
        t = body.inertia
        xx, yy, zz, xy, xz, yz = (
            lower(entry, self.symbols) for entry in (t.xx, t.yy, t.zz, t.xy, t.xz, t.yz)
        )
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))

    def _weight(self, body: Body, gravity: Vector3) -> Edge:
        name = f"gravity.{body.name}"
        free = Displacement(GROUND, self.null, self._slides(name, self.directions))
        force = Weight(scale3(lower(body.mass, self.symbols), gravity))
        return Edge(name, EdgeKind.GRAVITY, GROUND, body.center_node, free, force)

    # --- joints --------------------------------------------------------------------------------------

    def _joint(self, joint: Joint) -> Iterator[Edge]:
        kind = EdgeKind(joint.type.value)
        tail, head = joint.tail, joint.head
        if joint.type is JointType.ROD:
            rod = Displacement(GROUND, self.null, distance=lower(joint.length, self.symbols))
            yield Edge(joint.name, kind, tail.node, head.node, rod, branchable=False)
            return
        displacement, rotation = self._translation_of(joint), self._rotation_of(joint)
        if joint.type is JointType.VIRTUAL:  # coordinates only: everything may move, nothing reacts
            displacement = Displacement(displacement.frame, displacement.given, displacement.motion)
            rotation = Rotation(rotation.turns)
        yield Edge(joint.name, kind, tail.node, head.node, displacement)
        yield Edge(joint.name, kind, tail.body, head.body, rotation)

    def _translation_of(self, joint: Joint) -> Displacement:
        """Motion and reaction space of translation, in the axes of the tail's body where anything slides."""
        frame, name = joint.tail.body, joint.name
        along, across, third = self._triad(joint)
        match joint.kind:
            case JointType.PRISMATIC | JointType.CYLINDRICAL | JointType.SCREW:
                normal = (across, third)[: len(self.directions) - 1]
                slide = ((along, MotionAxis(f"{name}.s", f"{name}.v", f"{name}.a", "m")),)
                return Displacement(frame, self.null, slide, normal)
            case JointType.PLANAR:
                return Displacement(frame, self.null, self._slides(name, (across, third)), (along,))
            case JointType.FREE | JointType.TRANSLATIONAL:
                axes = [matvec(self.axes.of(joint.tail), axis) for axis in self.directions]
                return Displacement(frame, self.null, self._slides(name, axes))
        return Displacement(GROUND, self.null, (), tuple(self.directions))

    def _rotation_of(self, joint: Joint) -> Rotation:
        """Turns from the tail's body to the head's, and the directions that they keep aligned."""
        name = joint.name
        before, after = self.axes.of(joint.tail), self.axes.of(joint.head)
        if self.planar:
            moves = joint.kind in (JointType.REVOLUTE, JointType.FREE)
            given = self.zero if moves else lower(joint.angle, self.symbols)
            turn = self._turn(name, self.z, self.x, given, moves=moves)
            return Rotation((turn,), () if moves else (AngleReaction(),))
        along, across, third = orthonormal(self.axes, joint.axis, joint.second_axis)
        turns: tuple[Turn, ...]
        kept: tuple[tuple[Vector3, Vector3], ...]
        match joint.kind:
            case JointType.REVOLUTE | JointType.CYLINDRICAL | JointType.SCREW | JointType.PLANAR:
                turns = (self._turn(name, along, across, self.zero),)
                kept = ((across, along), (third, along))
            case JointType.UNIVERSAL:
                turns = (
                    self._turn(name, along, across, self.zero, suffix="1"),
                    self._turn(name, across, along, self.zero, suffix="2"),
                )
                kept = ((along, across),)
            case JointType.SPHERICAL | JointType.FREE:
                turns, kept = self._attitude(name, joint.attitude), ()
            case _:
                angle = lower(joint.angle, self.symbols)
                before = matmul(before, rotation_about(self.z, angle))
                turns, kept = (), ((self.x, self.y), (self.y, self.z), (self.z, self.x))
        reaction = tuple(Alignment(matvec(before, u), matvec(after, w)) for u, w in kept)
        return Rotation(self._between(before, turns, after), reaction)

    def _triad(self, joint: Joint) -> tuple[Vector3, Vector3, Vector3]:
        """The joint's axis, and two directions perpendicular to it, in the axes of the tail's body."""
        along, across, third = orthonormal(self.axes, joint.axis, joint.second_axis, planar=self.planar)
        axes = self.axes.of(joint.tail)
        return matvec(axes, along), matvec(axes, across), matvec(axes, third)

    # --- drivers, loads, springs ---------------------------------------------------------------------------

    def _driver(self, driver: Driver) -> Edge:
        """A prescribed motion: its across variable is given, its reaction does the work."""
        name, kind, tail, head = driver.name, EdgeKind.MOTION_DRIVER, driver.tail, driver.head
        if driver.type is DriverType.ROTATION:
            rotation = self._driven_rotation(driver)
            return Edge(name, kind, tail.body, head.body, rotation, branchable=self.planar)
        axes = self.axes.of(tail)
        displacement = lower_vector(driver.displacement, self.symbols)
        if driver.axis is None:
            given = matvec(axes, displacement)
            reaction = tuple(matvec(axes, axis) for axis in self.directions)
            return Edge(name, kind, tail.node, head.node, Displacement(tail.body, given, (), reaction))
        triad = orthonormal(self.axes, driver.axis, None, planar=self.planar)
        along, *others = (matvec(axes, axis) for axis in triad)
        normal = tuple(others[: len(self.directions) - 1])
        labels = ("n",) if self.planar else ("n1", "n2")
        free = tuple(
            (axis, MotionAxis(f"{name}.{label}", f"{name}.v{label}", f"{name}.a{label}", "m"))
            for axis, label in zip(normal, labels, strict=True)
        )
        given = scale3(displacement[0], along)
        return Edge(name, kind, tail.node, head.node, Displacement(tail.body, given, free, (along,)))

    def _driven_rotation(self, driver: Driver) -> Rotation:
        angle = lower(driver.angle, self.symbols)
        if self.planar:
            return Rotation(
                (self._turn(driver.name, self.z, self.x, angle, moves=False),), (AngleReaction(),)
            )
        before, after = self.axes.of(driver.tail), self.axes.of(driver.head)
        along, zero, third = orthonormal(self.axes, driver.axis, None)
        turn = self._turn(driver.name, along, zero, angle, moves=False)
        # The zero direction of the head is perpendicular to the third direction, turned with the angle.
        follower = matvec(rotation_about(along, angle), third)
        kept = Alignment(matvec(before, follower), matvec(after, zero))
        return Rotation(self._between(before, (turn,), after), (kept,))

    def _load(self, load: Load) -> Edge:
        name, kind, tail, head = load.name, EdgeKind.LOAD, load.tail, load.head
        if load.type is LoadType.FORCE:
            free = Displacement(GROUND, self.null, self._slides(name, self.directions))
            return Edge(name, kind, tail.node, head.node, free, GivenThrough(load.force, load.frame))
        turns = Rotation(self._attitude(name, QUATERNION))
        return Edge(name, kind, tail.body, head.body, turns, GivenThrough(load.torque, load.frame))

    def _flange(self, joint: Joint) -> Edge:
        """What the networks do to a joint: a load along or about its axis."""
        name, kind, load = (
            f"{FLANGE}{joint.name}",
            EdgeKind.LOAD,
            FlangeLoad(flange_load(joint, self.symbols)),
        )
        if joint.type is JointType.PRISMATIC:
            slide = self._translation_of(joint)
            free = Displacement(slide.frame, slide.given, slide.motion)
            return Edge(name, kind, joint.tail.node, joint.head.node, free, load, branchable=False)
        turns = Rotation(self._rotation_of(joint).turns)
        return Edge(name, kind, joint.tail.body, joint.head.body, turns, load, branchable=False)

    def _spring(self, spring: Spring) -> Edge:
        law = SpringDamper(
            lower(spring.stiffness, self.symbols),
            lower(spring.damping, self.symbols),
            lower(spring.free, self.symbols),
            spring.actuator,
        )
        name, kind, tail, head = spring.name, EdgeKind.SPRING, spring.tail, spring.head
        if spring.type is SpringType.TRANSLATIONAL:
            free = Displacement(GROUND, self.null, self._slides(name, self.directions))
            return Edge(name, kind, tail.node, head.node, free, law)
        along, zero, _ = orthonormal(self.axes, spring.axis, None)
        turn = self._turn(name, along, zero, self.zero)
        turns = self._between(self.axes.of(tail), (turn,), self.axes.of(head))
        return Edge(name, kind, tail.body, head.body, Rotation(turns), law, branchable=self.planar)

    # --- pieces --------------------------------------------------------------------------------------

    def _slides(self, owner: str, axes: Sequence[Vector3]) -> tuple[tuple[Vector3, MotionAxis], ...]:
        return tuple(
            (axis, MotionAxis(f"{owner}.{c}", f"{owner}.v{c}", f"{owner}.a{c}", "m"))
            for axis, c in zip(axes, "xyz", strict=False)
        )

    def _turn(
        self, owner: str, axis: Vector3, zero: Vector3, given: Expr, *, suffix: str = "", moves: bool = True
    ) -> AxisTurn:
        angle, omega, alpha = (f"{owner}.{kind}{suffix}" for kind in ("angle", "omega", "alpha"))
        motion = MotionAxis(angle, omega, alpha, "rad") if moves else None
        return AxisTurn(axis, zero, given, motion)

    def _attitude(self, owner: str, attitude: str) -> tuple[Turn, ...]:
        """A free rotation: about z in the plane, by Euler angles, or by Euler parameters."""
        if self.planar:
            return (self._turn(owner, self.z, self.x, self.zero),)
        if attitude == QUATERNION:
            p0, p1, p2, p3 = (
                MotionAxis(f"{owner}.p{i}", f"{owner}.dp{i}", f"{owner}.ddp{i}", "1", guess=float(i == 0))
                for i in range(4)
            )
            return (QuaternionTurn((p0, p1, p2, p3)),)
        unit = {"x": self.x, "y": self.y, "z": self.z}
        following = {"x": self.y, "y": self.z, "z": self.x}
        return tuple(
            self._turn(owner, unit[axis], following[axis], self.zero, suffix=str(number + 1))
            for number, axis in enumerate(attitude)
        )

    def _between(self, before: Matrix3, turns: tuple[Turn, ...], after: Matrix3) -> tuple[Turn, ...]:
        """Turns between the axes of two attachments, as turns between their bodies."""
        unit = identity(self.symbols.dag)
        first = () if before == unit else (FixedTurn(before),)
        last = () if after == unit else (FixedTurn(transpose(after)),)
        return (*first, *turns, *last)
