"""Types of elements that the project does not have: a joint, and a force law with a state.

A module of ``fmugen/components`` would have the classes alone. Here functions enter them, so that importing
this module leaves the registry as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fmugen.components.base import Component, State, Symbol, choice, component, direction, value
from fmugen.components.forces import ForceElement
from fmugen.components.freedoms import Ball, Freedoms, Line
from fmugen.components.joints import Joint
from fmugen.components.measures import Effort, Reading
from fmugen.components.site import Site
from fmugen.expr.dag import Expr
from fmugen.ir.element import Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Domain, Edge, EdgeKind, Screw
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import Level


def enter_point_on_line() -> type[Component]:
    @component
    class PointOnLine(Joint):
        """A ball on a guide: the head's point stays on a line of the tail, the bodies turn freely."""

        type, symbol = "point_on_line", Symbol.BALL
        axis: Vector = direction("x", "direction of the line")
        attitude: str = choice("coordinates of the rotation")

        def freedoms(self) -> Freedoms:
            return Freedoms(Line(self.axis), Ball(self.attitude))

    return PointOnLine


def enter_maxwell() -> type[Component]:
    @component
    class MaxwellSpring(ForceElement):
        """A spring and a damper in series along the line of two points; `stretch` is that of the damper."""

        section, type, symbol = "springs", "maxwell", Symbol.SPRING
        role, label = EdgeKind.SPRING, "spring"
        states = (State("stretch", "m", "stretch of the damper"),)
        stiffness: Formula = value("N/m", "stiffness of the spring", hint="give the stiffness in N/m")
        damping: Formula = value("N.s/m", "damping of the damper", hint="give the damping in N.s/m")

        def readings(self, *, planar: bool) -> Iterator[Reading]:
            yield Reading("force", Level.VELOCITY, "N", Effort(Domain.TRANSLATION, self.tension))

        def build(self, at: Site) -> Iterator[Edge | Screw]:
            yield at.between(lambda motion: motion.pull(self.tension(motion)))

        def tension(self, at: Motion) -> Expr:
            return at[self.stiffness] * (at.length() - at.state("stretch"))

        def rates(self, at: Motion) -> Mapping[str, Expr]:
            return {"stretch": self.tension(at) / at[self.damping]}

    return MaxwellSpring
