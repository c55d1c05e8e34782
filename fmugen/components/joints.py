"""Joints: each is its motion space."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from fmugen.components.base import (
    REGISTRY,
    SPATIAL,
    Component,
    End,
    Form,
    Key,
    Mirror,
    Numbers,
    Symbol,
    choice,
    component,
    component_of,
    direction,
    register,
    value,
)
from fmugen.components.freedoms import About, Anywhere, Ball, Cross, Freedoms, Held, Line, Locked, Plane
from fmugen.components.measures import Attitude, Reading, Tension, angles, forces, slides, torques
from fmugen.components.site import Site
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import scale3
from fmugen.ir.element import GROUND, Element, Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Displacement, Edge, EdgeConstraint, Role, Rotation, Term
from fmugen.ir.model import SystemModel
from fmugen.ir.motion import Motion
from fmugen.ir.network import Discipline
from fmugen.ir.quantity import SLIDE, Level, attitude_kinds, vector_kinds

__all__ = [
    "Joint",
    "Virtual",
    "flanged_joints",
    "imitable_joints",
    "joint_of",
    "joints_of",
    "virtual_about",
    "weld_table",
]


class Joint(Component):
    """Base of all joints."""

    section = "joints"
    role = Role.JOINT
    ends = (End("from"), End("to"))
    #: Whether a virtual joint can be like it: it has coordinates, and nothing ties them to each other.
    imitable = True

    def freedoms(self) -> Freedoms:
        """How its head may move relative to its tail."""
        raise NotImplementedError

    def mobility(self, *, planar: bool) -> int:
        """How many relative motions it leaves."""
        return self.freedoms().count(planar=planar)

    def constrains(self, *, planar: bool) -> bool:
        return self.mobility(planar=planar) < (3 if planar else 6)

    def resists_torque(self, *, planar: bool) -> bool:
        return not self.freedoms().turns_freely(planar=planar)

    def is_pivot(self, *, planar: bool) -> bool:
        """Whether it holds two points together and lets the bodies turn freely."""
        held = isinstance(self.freedoms().slides, Held)
        return held and self.constrains(planar=planar) and not self.resists_torque(planar=planar)

    @property
    def flange(self) -> Discipline | None:
        """The only coordinate of a joint, on which networks can act."""
        match self.freedoms():
            case Freedoms(Held(), About()):
                return Discipline.ROTATIONAL
            case Freedoms(Line(), Locked()):
                return Discipline.TRANSLATIONAL
        return None

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from self.motion_readings(planar=planar)
        yield from forces(planar=planar)
        yield from torques(planar=planar)

    def motion_readings(self, *, planar: bool) -> Iterator[Reading]:
        freedoms = self.freedoms()
        match freedoms.slides:
            case Line():
                yield from slides(SLIDE)
            case Plane():
                yield from slides(vector_kinds("xy"))
            case Anywhere():
                yield from slides(vector_kinds("xy" if planar else "xyz"))
        if isinstance(freedoms.turns, Ball) and not planar:
            for kind, level, unit in attitude_kinds(freedoms.turns.attitude):
                yield Reading(kind, level, unit, Attitude())
        else:
            yield from angles(freedoms.turns.count(planar=planar))

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        yield from at.joint(self.freedoms())


@component
class Revolute(Joint):
    """A pin: the two points stay together, the bodies turn about `axis`."""

    type, symbol = "revolute", Symbol.PIN
    axis: Vector = direction("z", "axis of rotation", spatial=True)

    def freedoms(self) -> Freedoms:
        return Freedoms(Held(), About(self.axis))


@component
class Prismatic(Joint):
    """A slide along `axis`; the `angle` about z stays constant."""

    type = "prismatic"
    axis: Vector = direction("x", "axis of the slide")
    angle: Formula = value("rad", "constant angle of the head about z", 0, mirrored=Mirror.ABOUT_Z)

    def freedoms(self) -> Freedoms:
        return Freedoms(Line(self.axis), Locked(self.angle))


@component
class Universal(Joint):
    """A cross: turns about `axis`, fixed in the tail, and about `second_axis`, fixed in the head."""

    type, spaces, symbol = "universal", SPATIAL, Symbol.PIN
    axis: Vector = direction("z", "first axis", spatial=True)
    second_axis: Vector = direction("x", "second axis, perpendicular to the first")

    def check(self, at: Numbers) -> None:
        at.perpendicular("axis", "second_axis")

    def freedoms(self) -> Freedoms:
        return Freedoms(Held(), Cross(self.axis, self.second_axis))


@component
class Spherical(Joint):
    """A ball: the two points stay together, the bodies turn freely."""

    type, spaces, symbol = "spherical", SPATIAL, Symbol.BALL
    attitude: str = choice("coordinates of the rotation")

    def freedoms(self) -> Freedoms:
        return Freedoms(Held(), Ball(self.attitude))


@component
class Cylindrical(Joint):
    """A sleeve: slides along `axis` and turns about it."""

    type, spaces, symbol = "cylindrical", SPATIAL, Symbol.PIN
    axis: Vector = direction("z", "axis of the slide and the rotation", spatial=True)

    def freedoms(self) -> Freedoms:
        return Freedoms(Line(self.axis), About(self.axis))


@component
class Planar(Joint):
    """A plane with the normal `axis`: slides in it and turns about its normal."""

    type, spaces = "planar", SPATIAL
    axis: Vector = direction("z", "normal of the plane", spatial=True)
    second_axis: Vector = direction("x", "direction whose part in the plane is x")

    def check(self, at: Numbers) -> None:
        at.across("axis", "second_axis")

    def freedoms(self) -> Freedoms:
        return Freedoms(Plane(self.axis, self.second_axis), About(self.axis, self.second_axis))


@component
class Weld(Joint):
    """A rigid connection of two points at a constant `angle` about z."""

    type, symbol, imitable = "weld", Symbol.WELD, False
    angle: Formula = value("rad", "constant angle of the head about z", 0, mirrored=Mirror.ABOUT_Z)

    def freedoms(self) -> Freedoms:
        return Freedoms(Held(), Locked(self.angle))


def weld_table(tail: str, head: str, angle: str | float | None = None) -> dict[str, object]:
    """The table of a weld in a model file."""
    ends = dict(zip((end.key for end in Weld.ends), (tail, head), strict=True))
    return {"type": Weld.type, **ends, **({} if angle is None else {"angle": angle})}


@component
class Free(Joint):
    """All six freedoms, which it measures."""

    type, spaces = "free", SPATIAL
    attitude: str = choice("coordinates of the rotation")

    def freedoms(self) -> Freedoms:
        return Freedoms(Anywhere(), Ball(self.attitude))


@component
class Translational(Joint):
    """Slides in all directions and turns in none."""

    type, spaces = "translational", SPATIAL

    def freedoms(self) -> Freedoms:
        return Freedoms(Anywhere(), Locked())


@component
class ScrewJoint(Joint):
    """Turns about `axis` and slides along it by `lead` with every turn."""

    type, spaces, symbol, imitable = "screw", SPATIAL, Symbol.PIN, False
    axis: Vector = direction("z", "axis of the slide and the rotation", spatial=True)
    lead: Formula = value(
        "m", "advance per turn", hint="give the advance per turn in metres", mirrored=Mirror.REVERSED
    )

    def freedoms(self) -> Freedoms:
        return Freedoms(Line(self.axis), About(self.axis))

    def mobility(self, *, planar: bool) -> int:
        return 1

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        slide, turn = at.joint(self.freedoms())
        yield from (slide, turn)
        advance = at[self.lead] / (2 * at.symbols.dag.number(Fraction(math.pi)))
        frame, axis = slide.displacement.frame, slide.displacement.motion[0][0]
        terms = (Term(slide, frame, axis), Term(turn, frame, scale3(-advance, axis)))

        def gap(motion: Motion) -> Expr:
            return motion.own("s") - advance * motion.own("angle")

        yield EdgeConstraint(at.name, "lead", terms, gap)


@component
class Rod(Joint):
    """A rod without mass between two balls, which keeps the distance of two points."""

    type, spaces, symbol, imitable = "rod", SPATIAL, Symbol.ROD, False
    length: Formula = value("m", "distance of its ends", hint="give the distance of its ends in metres")

    def check(self, at: Numbers) -> None:
        at.positive("length")

    def freedoms(self) -> Freedoms:
        return Freedoms(Anywhere(), Ball())

    def mobility(self, *, planar: bool) -> int:
        return 5

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield Reading("tension", Level.ACCELERATION, "N", Tension())
        yield from forces(planar=planar)

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        yield at.edge(Displacement(GROUND, at.null, distance=at[self.length]), branchable=False)


@register
class Virtual(Joint):
    """Constrains nothing; it offers the coordinates of the joint type `like` to the trees."""

    type, imitable = "virtual", False
    role = Role.VIRTUAL
    variant_key = "like"

    def __init__(self, like: str = "free", **values: Any) -> None:
        self.like, self._values = like, values

    @classmethod
    def variants(cls) -> dict[str, tuple[Key, ...]]:
        like = Key("like", Form.TYPE, "type whose coordinates it has", default="free", spatial=True)
        return {name: (like, *kind.table_keys()) for name, kind in imitable_joints().items()}

    @classmethod
    def table_keys(cls) -> tuple[Key, ...]:
        return next(iter(cls.variants().values()))

    def given(self) -> dict[str, Any]:
        return {"like": self.like, **self.imitated.given()}

    @cached_property
    def imitated(self) -> Joint:
        """The joint that it is like."""
        return imitable_joints()[self.like](**self._values)

    def freedoms(self) -> Freedoms:
        return self.imitated.freedoms()

    def constrains(self, *, planar: bool) -> bool:
        return False

    def resists_torque(self, *, planar: bool) -> bool:
        return False

    @property
    def flange(self) -> Discipline | None:
        return None

    def check(self, at: Numbers) -> None:
        self.imitated.check(at)

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        return self.motion_readings(planar=planar)

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        for edge in at.joint(self.freedoms()):
            across = edge.across
            if isinstance(across, Displacement):
                yield replace(edge, across=Displacement(across.frame, across.given, across.motion))
            else:
                yield replace(edge, across=Rotation(across.turns))


def imitable_joints() -> dict[str, type[Joint]]:
    """The joints that a virtual joint can be like; the first is the default."""
    found = {name: kind for name, kind in REGISTRY["joints"].items() if issubclass(kind, Joint)}
    return {"free": Free} | {name: kind for name, kind in found.items() if kind.imitable}


def flanged_joints(discipline: Discipline) -> list[str]:
    """The types of joints on which networks of a discipline can act."""
    found = ((name, kind.prototype()) for name, kind in REGISTRY["joints"].items())
    return [name for name, joint in found if isinstance(joint, Joint) and joint.flange is discipline]


def joint_of(element: Element) -> Joint:
    """The class of a joint with its values."""
    kind = component_of(element)
    if not isinstance(kind, Joint):
        raise TypeError(f"{element.name} is not a joint")
    return kind


def joints_of(model: SystemModel) -> Iterator[tuple[Element, Joint]]:
    """Every joint of a model with its class."""
    return ((element, joint_of(element)) for element in model.in_section("joints"))


def virtual_about(axis: Vector, slides: type[Held | Line | Plane]) -> Virtual:
    """A virtual joint that turns about an axis and slides along it, across it or not at all."""
    for name, kind in imitable_joints().items():
        motion = kind.prototype()
        if isinstance(motion, Joint):
            freedoms = motion.freedoms()
            if isinstance(freedoms.turns, About) and isinstance(freedoms.slides, slides):
                return Virtual(name, axis=axis)
    raise LookupError(f"no joint turns about one axis and slides as {slides.__name__} says")
