"""Bodies: what has mass, and the points that other elements are fastened to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fmugen.components.base import (
    Component,
    Numbers,
    choice,
    component,
    inertia,
    points,
    position,
    value,
)
from fmugen.components.deformation import Deformation
from fmugen.components.measures import Attitude, Cosine, Heading, Measure, Reading, Spin, places
from fmugen.components.site import Site
from fmugen.expr.affine import Affine
from fmugen.expr.vectors import Matrix3, is_null, scale3
from fmugen.ir.arrays import Array
from fmugen.ir.element import GROUND, Point, Tensor, Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Displacement, Edge, EdgeConstraint, Role, Rotation
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import ATTITUDE_MATRIX, Level, angle_kinds, attitude_kinds

__all__ = ["Body", "frame_readings"]


class Body(Component):
    """Base of all bodies: what every one has."""

    section = "bodies"
    role = Role.BODY
    ends = ()

    def frames(self, name: str) -> Iterator[tuple[str, str]]:
        """Its nodes in the translational graph, each with its node in the rotational graph."""
        raise NotImplementedError

    def lines(self, number: Callable[[Formula], float]) -> list[Array]:
        """What is drawn of a body that deforms: lines through places, a row each."""
        return []

    def deformation(
        self, places: Array, number: Callable[[Formula], float], *, planar: bool
    ) -> Deformation | None:
        """The displacements of places of a body that deforms."""
        return None


@component
class RigidBody(Body):
    """A rigid body with its mass centre at `center`, from the origin of its frame."""

    type = "body"
    mass: Formula = value("kg", "mass", 0)
    inertia: Tensor = inertia("inertia about the mass centre, in body axes")
    center: Vector = position("mass centre")
    attitude: str = choice("coordinates of the rotation where the body is in the rotational tree")
    points: tuple[Point, ...] = points("points that elements are fastened to")

    def check(self, at: Numbers) -> None:
        at.not_negative("mass")

    @property
    def _center(self) -> str:
        """The suffix of the name of the body's mass centre."""
        at_origin = all(component.number == 0 for component in self.center)
        return "" if at_origin else ".center"

    def frames(self, name: str) -> Iterator[tuple[str, str]]:
        nodes = dict.fromkeys((f"{name}{self._center}", name, *(f"{name}.{p.name}" for p in self.points)))
        yield from ((node, name) for node in nodes)

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from frame_readings(planar=planar)
        for kind, level, unit in () if planar else attitude_kinds(self.attitude):
            yield Reading(kind, level, unit, Attitude())
        elsewhere = [self._center] if self._center else []
        for at in (*elsewhere, *(f".{point.name}" for point in self.points)):
            yield from (replace(reading, at=at) for reading in places(planar=planar))

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        """An edge from the ground to the mass centre in either graph, and arms to all points."""
        mass, tensor, center = at[self.mass], self._tensor(at), f"{at.name}{self._center}"
        free = Displacement(GROUND, at.null, at.slides(center, at.directions))

        def force(motion: Motion) -> Affine:  # McPhee (75)
            return motion.acceleration().scaled(-mass)

        def torque(motion: Motion) -> Affine:  # Léger, Table B.1
            return motion.inertia(tensor)

        yield at.edge(free, force, tail=GROUND, head=center)
        yield at.edge(Rotation(at.attitude(self.attitude)), torque, tail=GROUND, head=at.name)
        offset = at.vector(self.center)
        if center != at.name:
            yield at.arm(center, at.name, scale3(-1, offset), at.name, name=center)
        for point in self.points:
            place = at.vector(point.position)
            way = (place[0] - offset[0], place[1] - offset[1], place[2] - offset[2])
            yield at.arm(center, f"{at.name}.{point.name}", way, at.name)

    def weight(self, at: Site) -> Iterator[Edge]:
        gravity = at.vector(at.context.model.gravity)
        if is_null(gravity):
            return
        name = f"gravity.{at.name}"
        free = Displacement(GROUND, at.null, at.slides(name, at.directions))
        weight = scale3(at[self.mass], gravity)

        def force(motion: Motion) -> Affine:
            return motion.vector(weight, GROUND)

        node = f"{at.name}{self._center}"
        yield Edge(name, Role.FORCE, GROUND, node, free, force, label="gravity")

    def _tensor(self, at: Site) -> Matrix3:
        t = self.inertia
        xx, yy, zz, xy, xz, yz = (at[entry] for entry in (t.xx, t.yy, t.zz, t.xy, t.xz, t.yz))
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def frame_readings(*, planar: bool) -> Iterator[Reading]:
    """The motion of the frame of a body, which every FMU has but for accelerations."""
    for reading in (*places(planar=planar), *_turning(planar=planar)):
        yield replace(reading, recorded=reading.level is not Level.ACCELERATION)


def _turning(*, planar: bool) -> Iterator[Reading]:
    measures: list[Measure]
    if planar:
        kinds, measures = angle_kinds(), [Heading(order) for order in range(3)]
    else:
        kinds = ATTITUDE_MATRIX
        measures = [Cosine(row, column) for row in range(3) for column in range(3)]
        measures += [Spin(component, order) for order in (1, 2) for component in range(3)]
    for (kind, level, unit), measure in zip(kinds, measures, strict=True):
        yield Reading(kind, level, unit, measure)
