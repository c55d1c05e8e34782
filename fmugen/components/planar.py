"""Planar multibody components: McPhee (1998), Table 4; Léger, appendix B restricted to the plane.

Translation happens in x and y, rotation about z. A planar revolute joint therefore has the whole
plane as reaction space of translation and z as motion space of rotation, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.formulas import lower, lower_vector
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, is_null, null, scale3
from fmugen.ir.graph import (
    Domain,
    Edge,
    EdgeKind,
    GivenThrough,
    Inertial,
    MotionAxis,
    Passive,
    SpringDamper,
    Symbols,
    Through,
    Weight,
)
from fmugen.ir.model import (
    GROUND,
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
    SystemModel,
)

__all__ = ["edges"]

T, R = Domain.TRANSLATION, Domain.ROTATION


def edges(model: SystemModel, symbols: Symbols) -> Iterator[Edge]:
    """All edges of a planar model, in declared order."""
    component = _Planar(symbols)
    for point in model.ground:
        yield component.arm(GROUND, point)
    for body in model.bodies:
        yield from component.body(body)
    for joint in model.joints:
        yield from component.joint(joint)
    for driver in model.drivers:
        yield component.driver(driver)
    for load in model.loads:
        yield component.load(load)
    for spring in model.springs:
        yield component.spring(spring)
    gravity = lower_vector(model.gravity, symbols)
    if not is_null(gravity):
        for body in model.bodies:
            yield component.weight(body, gravity)


class _Planar:
    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        dag = symbols.dag
        self.null = null(dag)
        self.x: Vector3 = (dag.one, dag.zero, dag.zero)
        self.y: Vector3 = (dag.zero, dag.one, dag.zero)
        self.z: Vector3 = (dag.zero, dag.zero, dag.one)

    def body(self, body: Body) -> Iterator[Edge]:
        """A rigid body: an edge from the ground to its mass centre in either graph, and its arms."""
        mass, inertia = lower(body.mass, self.symbols), lower(body.inertia, self.symbols)
        plane, turn = self._plane(body.name), self._turn(body.name)
        yield self._edge(body.name, T, EdgeKind.BODY, GROUND, body.name, motion=plane, through=Inertial(mass))
        yield self._edge(
            body.name, R, EdgeKind.BODY, GROUND, body.name, motion=turn, through=Inertial(inertia)
        )
        for point in body.points:
            yield self.arm(body.name, point)

    def arm(self, body: str, point: Point) -> Edge:
        """A rigid arm from the mass centre (or the origin of the ground) to a point: (70)."""
        position = lower_vector(point.position, self.symbols)
        return self._edge(
            f"{body}.{point.name}", T, EdgeKind.ARM, body, f"{body}.{point.name}", frame=body, given=position
        )

    def joint(self, joint: Joint) -> Iterator[Edge]:
        tail, head, name = joint.tail, joint.head, joint.name
        kind = EdgeKind(joint.type.value)
        turn = self._turn(name)
        angle = scale3(lower(joint.angle, self.symbols), self.z)
        match joint.type:
            case JointType.REVOLUTE:  # r = 0, T.k = 0
                yield self._edge(name, T, kind, tail.node, head.node, reaction=(self.x, self.y))
                yield self._edge(name, R, kind, tail.body, head.body, motion=turn)
            case JointType.PRISMATIC:  # r = s u, F.u = 0, relative angle constant: (73), (74)
                along, normal = self._directions(lower_vector(joint.axis, self.symbols))
                slide = (MotionAxis(along, f"{name}.s", f"{name}.v", f"{name}.a", "m"),)
                yield self._edge(
                    name, T, kind, tail.node, head.node, frame=tail.body, motion=slide, reaction=(normal,)
                )
                yield self._edge(name, R, kind, tail.body, head.body, given=angle, reaction=(self.z,))
            case JointType.WELD:
                yield self._edge(name, T, kind, tail.node, head.node, reaction=(self.x, self.y))
                yield self._edge(name, R, kind, tail.body, head.body, given=angle, reaction=(self.z,))
            case JointType.VIRTUAL:  # coordinates only: everything may move, nothing reacts
                plane = self._plane(name)
                yield self._edge(name, T, kind, tail.node, head.node, frame=tail.body, motion=plane)
                yield self._edge(name, R, kind, tail.body, head.body, motion=turn)

    def driver(self, driver: Driver) -> Edge:
        """A prescribed motion: its across variable is given, its reaction does the work."""
        name, kind = driver.name, EdgeKind.MOTION_DRIVER
        tail, head = driver.tail, driver.head
        if driver.type is DriverType.ROTATION:
            angle = scale3(lower(driver.angle, self.symbols), self.z)
            return self._edge(name, R, kind, tail.body, head.body, given=angle, reaction=(self.z,))
        displacement = lower_vector(driver.displacement, self.symbols)
        if driver.axis is None:
            return self._edge(
                name,
                T,
                kind,
                tail.node,
                head.node,
                frame=tail.body,
                given=displacement,
                reaction=(self.x, self.y),
            )
        along, normal = self._directions(lower_vector(driver.axis, self.symbols))
        free = (MotionAxis(normal, f"{name}.n", f"{name}.vn", f"{name}.an", "m"),)
        return self._edge(
            name,
            T,
            kind,
            tail.node,
            head.node,
            frame=tail.body,
            given=scale3(displacement[0], along),
            motion=free,
            reaction=(along,),
        )

    def load(self, load: Load) -> Edge:
        name, kind = load.name, EdgeKind.LOAD
        if load.type is LoadType.TORQUE:
            zero = load.force[2]
            through = GivenThrough((zero, zero, load.torque), GROUND)
            return self._edge(
                name, R, kind, load.tail.body, load.head.body, motion=self._turn(name), through=through
            )
        return self._edge(
            name,
            T,
            kind,
            load.tail.node,
            load.head.node,
            motion=self._plane(name),
            through=GivenThrough(load.force, load.frame),
        )

    def spring(self, spring: Spring) -> Edge:
        law = SpringDamper(
            lower(spring.stiffness, self.symbols),
            lower(spring.damping, self.symbols),
            lower(spring.free, self.symbols),
            spring.actuator,
        )
        name, kind = spring.name, EdgeKind.SPRING
        tail, head = spring.tail, spring.head
        if spring.type is SpringType.TRANSLATIONAL:
            return self._edge(name, T, kind, tail.node, head.node, motion=self._plane(name), through=law)
        return self._edge(name, R, kind, tail.body, head.body, motion=self._turn(name), through=law)

    def weight(self, body: Body, gravity: Vector3) -> Edge:
        force = scale3(lower(body.mass, self.symbols), gravity)
        return self._edge(
            f"gravity.{body.name}",
            T,
            EdgeKind.GRAVITY,
            GROUND,
            body.name,
            motion=self._plane(f"gravity.{body.name}"),
            through=Weight(force),
        )

    def _edge(
        self,
        name: str,
        domain: Domain,
        kind: EdgeKind,
        tail: str,
        head: str,
        *,
        frame: str = GROUND,
        given: Vector3 | None = None,
        motion: tuple[MotionAxis, ...] = (),
        reaction: tuple[Vector3, ...] = (),
        through: Through | None = None,
    ) -> Edge:
        return Edge(
            name,
            domain,
            kind,
            tail,
            head,
            frame,
            self.null if given is None else given,
            motion,
            reaction,
            Passive() if through is None else through,
        )

    def _plane(self, owner: str) -> tuple[MotionAxis, ...]:
        return tuple(
            MotionAxis(axis, f"{owner}.{c}", f"{owner}.v{c}", f"{owner}.a{c}", "m")
            for axis, c in ((self.x, "x"), (self.y, "y"))
        )

    def _turn(self, owner: str) -> tuple[MotionAxis, ...]:
        return (MotionAxis(self.z, f"{owner}.angle", f"{owner}.omega", f"{owner}.alpha", "rad"),)

    def _directions(self, axis: Vector3) -> tuple[Vector3, Vector3]:
        """The unit vector along ``axis`` and the one normal to it, in the plane."""
        dag = self.symbols.dag
        length: Expr = dag.call("sqrt", axis[0] ** 2 + axis[1] ** 2)
        x, y = axis[0] / length, axis[1] / length
        return (x, y, dag.zero), (-y, x, dag.zero)
