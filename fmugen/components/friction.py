"""Friction that holds at rest, without an event: the contact yields a little before it slides.

The state is the twist z of the contact, at most the `windup` w. With the speed W and the time t,

    z' = (W - |W| z/w) / (1 + |W| t/w)        T = -C/w (z + t z') = -C/w (z + t W) / (1 + |W| t/w)

At rest this is a spring of stiffness C/w and a damper of C t/w (Dahl). Sliding, |T| is the capacity C, which
it never exceeds. It follows a change of direction within t, however fast the parts slide: nothing is stiff.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fmugen.components.base import FormulaScope, Mirror, Numbers, State, Symbol, component, direction, value
from fmugen.components.forces import ForceElement
from fmugen.components.measures import Across, Effort, Reading
from fmugen.components.site import Site
from fmugen.components.tyre_law import magnitude
from fmugen.expr.dag import Expr
from fmugen.ir.element import Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Domain, Edge, EdgeConstraint, Role
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import Level

__all__ = ["Brake"]


@component
class Brake(ForceElement):
    """A brake or clutch between two bodies on a common `axis`: dry friction that also holds at rest."""

    section, type, symbol = "springs", "brake", Symbol.SPRING
    role, label = Role.FORCE, "brake"
    states = (State("twist", "rad", "twist of the contact", mirrored=Mirror.REVERSED),)
    capacity: Formula = value(
        "N.m", "largest torque", scope=FormulaScope.FORCE, hint='write for example capacity = "brake"'
    )
    windup: Formula = value("rad", "twist at which it slides", 0.01)
    time: Formula = value("s", "time in which it follows a change of direction", 0.01)
    axis: Vector = direction("z", "axis of the rotation", spatial=True)

    def acting(self) -> tuple[Formula, ...]:
        return (self.capacity,)

    def replaced(self, number: int, formula: Formula) -> ForceElement:
        return replace(self, capacity=formula)

    def check(self, at: Numbers) -> None:
        at.positive("windup")
        at.positive("time")

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield Reading("omega", Level.VELOCITY, "rad/s", Across(Domain.ROTATION, lambda at: at.angle(order=1)))
        yield Reading("torque", Level.VELOCITY, "N.m", Effort(Domain.ROTATION, self.torque))

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        yield at.about(self.axis, lambda motion: motion.about(self.torque(motion)))

    def torque(self, at: Motion) -> Expr:
        reached = at.state("twist") + at[self.time] * at.angle(order=1)
        return -1 * at[self.capacity] / at[self.windup] * reached / self._slowed(at)

    def rates(self, at: Motion) -> Mapping[str, Expr]:
        speed = at.angle(order=1)
        yielding = magnitude(at.dag, speed) * at.state("twist") / at[self.windup]
        return {"twist": (speed - yielding) / self._slowed(at)}

    def _slowed(self, at: Motion) -> Expr:
        return 1 + magnitude(at.dag, at.angle(order=1)) * at[self.time] / at[self.windup]
