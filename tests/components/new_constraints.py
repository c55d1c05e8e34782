"""Joints that the project does not have, with constraints of velocities: a knife edge and a rolling ball.

Functions enter their classes and the laws of the judge, so that importing this module leaves both registries
as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.base import SPATIAL, Component, component, value
from fmugen.components.freedoms import About, Anywhere, Ball, Freedoms, Plane
from fmugen.components.joints import Joint
from fmugen.components.measures import Reading, forces
from fmugen.components.site import Site
from fmugen.expr.vectors import matvec, scale3
from fmugen.ir.element import X_AXIS, Z_AXIS
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Edge, EdgeConstraint, Term
from fmugen.verify.catalogue import Parts, Reader, Row, law
from fmugen.verify.measures import Displacement, Spin, Sum, Triple, Velocity


def enter_skate() -> type[Component]:
    @component
    class Skate(Joint):
        """A knife edge along x of the head on the plane across z of the tail; it does not move sideways."""

        type, imitable = "skate", False

        def freedoms(self) -> Freedoms:
            return Freedoms(Anywhere(), Ball())

        def mobility(self, *, planar: bool) -> int:
            return 2

        def readings(self, *, planar: bool) -> Iterator[Reading]:
            yield from self.motion_readings(planar=planar)
            yield from forces(planar=planar)

        def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
            across = self.freedoms() if at.planar else Freedoms(Plane(Z_AXIS, X_AXIS), About(Z_AXIS, X_AXIS))
            slide, turn = at.joint(across)
            yield from (slide, turn)
            sideways = matvec(at.axes.of(at.head), at.y)
            yield EdgeConstraint(at.name, "sideways", (Term(slide, at.head.body, sideways),))

    return Skate


def enter_rolling_ball() -> type[Component]:
    @component
    class RollingBall(Joint):
        """A ball of `radius` on the plane across z of the tail, which does not slip."""

        type, spaces, imitable = "rolling_ball", SPATIAL, False
        radius: Formula = value("m", "radius of the ball", hint="give the radius in metres")

        def freedoms(self) -> Freedoms:
            return Freedoms(Plane(Z_AXIS, X_AXIS), Ball())

        def mobility(self, *, planar: bool) -> int:
            return 3

        def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
            slide, turn = at.joint(self.freedoms())
            yield from (slide, turn)
            axes, frame = at.axes.of(at.tail), at.tail.body
            x, y, radius = matvec(axes, at.x), matvec(axes, at.y), at[self.radius]
            along = (Term(slide, frame, x), Term(turn, frame, scale3(-radius, y)))
            across = (Term(slide, frame, y), Term(turn, frame, scale3(radius, x)))
            yield EdgeConstraint(at.name, "rolling along x", along)
            yield EdgeConstraint(at.name, "rolling along y", across)

    return RollingBall


def enter_laws_of_the_judge() -> None:
    @law("joints", "skate")
    def skate(at: Reader) -> Parts:
        """The head's point has no velocity along y of the head."""
        sideways = at.head_axes[:, 1]
        velocity = Velocity(at.tail, at.head, at.head.body, (sideways[0], sideways[1], sideways[2]))
        rows = (Row(at.name, "sideways", velocity, at.head, velocity_only=True),)
        return Parts(rows, (), reactions=at.force_kinds)

    @law("joints", "rolling_ball")
    def rolling_ball(at: Reader) -> Parts:
        """The centre stays on a plane; the lowest point of the ball has no velocity."""
        radius, ground = at.number("radius"), at.tail.body
        x, y, z = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

        def no_slip(way: Triple, about: Triple, arm: float) -> Sum:
            velocity = Velocity(at.tail, at.head, ground, way)
            return Sum(((1.0, velocity), (arm, Spin(ground, at.head.body, ground, about))))

        rows = (
            Row(at.name, "on the plane", Displacement(at.tail, at.head, ground, z), at.head),
            Row(at.name, "along x", no_slip(x, y, -radius), at.head, velocity_only=True),
            Row(at.name, "along y", no_slip(y, x, radius), at.head, velocity_only=True),
        )
        return Parts(rows, (), reactions=at.force_kinds)
