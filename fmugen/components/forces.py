"""Forces, torques and springs: elements whose through variable is a function of motion and time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fmugen.components.base import (
    Component,
    End,
    FormulaScope,
    Mirror,
    Symbol,
    axial,
    body_name,
    component,
    direction,
    value,
    vector,
)
from fmugen.components.exchange import Plug, Reversal
from fmugen.components.measures import Across, Effort, Reading, angles, forces, torques
from fmugen.components.site import Site
from fmugen.expr.affine import Affine
from fmugen.expr.dag import Expr
from fmugen.ir.element import GROUND, X_AXIS, Z_AXIS, Element, Vector
from fmugen.ir.formula import ONE, ZERO, Formula
from fmugen.ir.graph import Domain, Edge, EdgeConstraint, Role
from fmugen.ir.motion import Motion
from fmugen.ir.network import Discipline
from fmugen.ir.quantity import Level

__all__ = ["ForceElement", "Load", "Spring"]

UNIT_VECTORS: tuple[Vector, ...] = (X_AXIS, (ZERO, ONE, ZERO), Z_AXIS)


class ForceElement(Component):
    """Base of all elements with a law."""

    def acting(self) -> tuple[Formula, ...]:
        """The formulas that say what acts, such as the components of a force."""
        return ()

    def replaced(self, number: int, formula: Formula) -> ForceElement:
        """The same element with another formula of what acts."""
        raise NotImplementedError

    def reversal(self, element: Element, number: int, *, planar: bool) -> Reversal | str:
        """The motion whose driver can exert the same as a formula, or the reason why there is none."""
        return f"{element.name} has no direction of a motion"


class Load(ForceElement):
    """Base of what is listed in `[forces]`: acts on its head, and its opposite on its tail."""

    section = "forces"
    role = Role.FORCE
    label = "load"
    ends = (End("from", GROUND), End("on"))


class _GivenLoad(Load):
    """A load by its components in the axes of a body."""

    value: Vector
    frame: str

    def acting(self) -> tuple[Formula, ...]:
        return self.value

    def replaced(self, number: int, formula: Formula) -> ForceElement:
        x, y, z = (formula if k == number else part for k, part in enumerate(self.value))
        return replace(self, value=(x, y, z))  # type: ignore[type-var]  # a decorated class

    def law(self, at: Motion) -> Affine:
        x, y, z = (at[part] for part in self.value)
        return at.vector((x, y, z), self.frame)

    def is_absolute(self, element: Element) -> bool:
        """Whether it acts from the ground in directions of the ground."""
        return element.tail.body == self.frame == GROUND


@component
class Force(_GivenLoad):
    """A force on a point, by components in the axes of `frame`; its opposite acts on `from`."""

    type, symbol = "force", Symbol.ARROW
    value: Vector = vector("N", "components of the force", scope=FormulaScope.FORCE)
    frame: str = body_name("body in whose axes the components are given")

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        return forces(planar=planar, level=Level.VELOCITY)

    def reversal(self, element: Element, number: int, *, planar: bool) -> Reversal | str:
        tail = element.tail.body
        if self.frame != tail:
            return f"{element.name} is not along an axis of {tail}, from where it acts"
        if not planar and self.frame != GROUND:
            return f"{element.name} is not a force against the ground along one of its axes"
        position = "xyz"[number] if self.frame == GROUND else ""
        return Reversal(False, UNIT_VECTORS[number], number, tail, position=position)

    def plugs(self, element: Element, *, planar: bool) -> Iterator[Plug]:
        node = element.head.node
        for axis, part in zip("xyz", self.value, strict=True) if self.is_absolute(element) else ():
            motion = {"s": f"{node}.{axis}", "v": f"{node}.v{axis}"}
            yield Plug(Discipline.TRANSLATIONAL, "f", part, motion, suffix=axis)

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        yield at.between(self.law)


@component
class Torque(_GivenLoad):
    """A torque on a body, by components in the axes of `frame`; its opposite acts on `from`."""

    type = "torque"
    value: Vector = axial(
        "N.m", "components of the torque; one number in the plane", scope=FormulaScope.FORCE
    )
    frame: str = body_name("body in whose axes the components are given", spatial=True)

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        return torques(planar=planar, level=Level.VELOCITY)

    def reversal(self, element: Element, number: int, *, planar: bool) -> Reversal | str:
        if not planar and not self.is_absolute(element):
            return f"{element.name} is not a torque against the ground about one of its axes"
        component, position = (None, "angle") if planar else (number, "")
        return Reversal(True, Z_AXIS if planar else UNIT_VECTORS[number], component, GROUND, 1, position)

    def plugs(self, element: Element, *, planar: bool) -> Iterator[Plug]:
        body = element.head.body
        if planar and self.is_absolute(element):
            motion = {"phi": f"{body}.angle", "w": f"{body}.omega"}
            yield Plug(Discipline.ROTATIONAL, "tau", self.value[2], motion)

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        yield at.turning(self.law)


class Spring(ForceElement):
    """Base of springs, dampers and actuators in parallel."""

    section = "springs"
    role = Role.FORCE
    label = "spring"
    actuator: Formula

    def acting(self) -> tuple[Formula, ...]:
        return (self.actuator,)

    def replaced(self, number: int, formula: Formula) -> ForceElement:
        return replace(self, actuator=formula)  # type: ignore[type-var]  # a decorated class

    def reversal(self, element: Element, number: int, *, planar: bool) -> Reversal | str:
        return f"{element.name} is not a planar rotational actuator"


@component
class TranslationalSpring(Spring):
    """A spring, damper and actuator along the line of two points, which they pull together."""

    type, symbol = "translational", Symbol.SPRING

    @classmethod
    def builder_method(cls) -> str:
        return "spring"

    stiffness: Formula = value("N/m", "stiffness", 0)
    damping: Formula = value("N.s/m", "damping", 0)
    free: Formula = value("m", "length without force of the spring", 0)
    actuator: Formula = value("N", "added tension", 0, scope=FormulaScope.FORCE)

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        domain = Domain.TRANSLATION
        yield Reading("length", Level.POSITION, "m", Across(domain, lambda at: at.length()))
        yield Reading("speed", Level.VELOCITY, "m/s", Across(domain, lambda at: at.length(order=1)))
        yield Reading("force", Level.VELOCITY, "N", Effort(domain, self.tension))

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        yield at.between(lambda motion: motion.pull(motion.own("force")))

    def tension(self, at: Motion) -> Expr:
        actuator = at[self.actuator]
        elastic = at[self.stiffness] * (at.length() - at[self.free])
        damping = at[self.damping]
        viscous = at.dag.zero if damping.is_zero else damping * at.length(order=1)
        return elastic + viscous + actuator


@component
class RotationalSpring(Spring):
    """A spring, damper and actuator between the angles of two bodies about `axis`."""

    type = "rotational"
    stiffness: Formula = value("N.m/rad", "stiffness", 0)
    damping: Formula = value("N.m.s/rad", "damping", 0)
    free: Formula = value("rad", "angle without torque of the spring", 0, mirrored=Mirror.REVERSED)
    actuator: Formula = value(
        "N.m", "added torque, on the tail", 0, scope=FormulaScope.FORCE, mirrored=Mirror.REVERSED
    )
    axis: Vector = direction("z", "axis of the rotation", spatial=True)

    def reversal(self, element: Element, number: int, *, planar: bool) -> Reversal | str:
        if not planar:
            return super().reversal(element, number, planar=planar)
        # The actuator acts on the tail; the driver's torque is that on the head.
        return Reversal(True, Z_AXIS, None, GROUND, -1, "angle")

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from list(angles())[:2]
        yield Reading("torque", Level.VELOCITY, "N.m", Effort(Domain.ROTATION, self.torque))

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        yield at.about(self.axis, lambda motion: motion.about(motion.own("torque")))

    def torque(self, at: Motion) -> Expr:
        actuator = at[self.actuator]
        elastic = at[self.stiffness] * (at.angle() - at[self.free])
        damping = at[self.damping]
        viscous = at.dag.zero if damping.is_zero else damping * at.angle(order=1)
        return -1 * (elastic + viscous + actuator)
