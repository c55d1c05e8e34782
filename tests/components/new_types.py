"""Types of elements that the project does not have: a joint, and a force law with a state.

A module of ``fmugen/components`` would have the classes alone, a module of ``fmugen/verify/catalogue`` the
judge's laws. Here functions enter them, so that importing this module leaves both registries as they are.
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
from fmugen.ir.graph import Domain, Edge, EdgeConstraint, Role
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import Level
from fmugen.verify.catalogue import Action, ForceLaw, Observation, OwnState, Parts, Reader, Row, law
from fmugen.verify.measures import Length, NamedMeasure, angular


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
        role, label = Role.FORCE, "spring"
        states = (State("stretch", "m", "stretch of the damper"),)
        stiffness: Formula = value("N/m", "stiffness of the spring", hint="give the stiffness in N/m")
        damping: Formula = value("N.s/m", "damping of the damper", hint="give the damping in N.s/m")

        def readings(self, *, planar: bool) -> Iterator[Reading]:
            yield Reading("force", Level.VELOCITY, "N", Effort(Domain.TRANSLATION, self.tension))

        def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
            yield at.between(lambda motion: motion.pull(self.tension(motion)))

        def tension(self, at: Motion) -> Expr:
            return at[self.stiffness] * (at.length() - at.state("stretch"))

        def rates(self, at: Motion) -> Mapping[str, Expr]:
            return {"stretch": self.tension(at) / at[self.damping]}

    return MaxwellSpring


def enter_laws_of_the_judge() -> None:
    @law("joints", "point_on_line")
    def point_on_line(at: Reader) -> Parts:
        """The head's point does not leave the line along ``axis`` through the tail's point."""
        along, *across = at.triad("axis") @ at.tail_axes.T
        sideways = across[: len(at.layout.axes) - 1]
        rows = tuple(Row(at.name, "across the line", at.in_tail(way), at.head) for way in sideways)
        slide = NamedMeasure(at.in_tail(along), f"{at.name}.s", f"{at.name}.v", f"{at.name}.a")
        turns = (angular(at.name, at.planar_angle()),) if at.planar else ()
        return Parts(rows, (slide, *turns), reactions=(*at.force_kinds, *at.torque_kinds))

    @law("springs", "maxwell")
    def maxwell(at: Reader) -> Parts:
        """The damper's stretch grows at the rate force / damping."""
        length = Length(at.tail, at.head, at.ground)
        stiffness, damping = at.number("stiffness"), at.number("damping")

        def act(seen: Observation) -> Action:
            spring = seen.positions[0] - seen.states[0]
            force = stiffness * spring
            return Action(
                [-force],
                potential=0.5 * force * spring,
                power=-force * force / damping,
                quantities=((f"{at.name}.force", force),),
                rates=[force / damping],
            )

        return Parts(actions=(ForceLaw((length,), act),), states=(OwnState("stretch"),))
