"""A joint that the project does not have, with a constraint of velocities: a knife edge.

Functions enter its class and its law of the judge, so that importing this module leaves both registries as
they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.base import Component, component
from fmugen.components.freedoms import About, Anywhere, Ball, Freedoms, Plane
from fmugen.components.joints import Joint
from fmugen.components.measures import Reading, forces
from fmugen.components.site import Site
from fmugen.expr.vectors import matvec
from fmugen.ir.element import X_AXIS, Z_AXIS
from fmugen.ir.graph import Edge, EdgeConstraint, Term
from fmugen.verify.catalogue import Parts, Reader, Row, law
from fmugen.verify.measures import Velocity


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


def enter_law_of_the_judge() -> None:
    @law("joints", "skate")
    def skate(at: Reader) -> Parts:
        """The head's point has no velocity along y of the head."""
        sideways = at.head_axes[:, 1]
        velocity = Velocity(at.tail, at.head, at.head.body, (sideways[0], sideways[1], sideways[2]))
        rows = (Row(at.name, "sideways", velocity, at.head, velocity_only=True),)
        return Parts(rows, (), reactions=at.force_kinds)
