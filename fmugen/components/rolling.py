"""Contacts that roll without slipping: constraints of velocities, solved exactly.

Their reactions do no work. A model with them has fewer independent velocities than positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fmugen.components.axes import orthonormal
from fmugen.components.base import SPATIAL, Numbers, Symbol, choice, component, direction, value
from fmugen.components.freedoms import About, Anywhere, Ball, Cross, Freedoms, Plane
from fmugen.components.joints import Joint
from fmugen.components.measures import Reading, forces, torques
from fmugen.components.site import Site
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, add3, cross, matvec, scale3
from fmugen.ir.element import X_AXIS, Z_AXIS, Vector
from fmugen.ir.formula import ONE, ZERO, Formula
from fmugen.ir.graph import Edge, EdgeConstraint, Term
from fmugen.ir.motion import Motion

__all__ = ["KnifeEdge", "RollingWheel", "Wheelset"]

_Y_AXIS: Vector = (ZERO, ONE, ZERO)


@component
class KnifeEdge(Joint):
    """A skate on the plane across `axis`: it slides along its edge and turns, and does not move sideways."""

    type, imitable = "knife_edge", False
    axis: Vector = direction("z", "normal of the plane", spatial=True)
    second_axis: Vector = direction(
        "x", "direction of the edge in the head, and x of the plane", spatial=True
    )

    def check(self, at: Numbers) -> None:
        if not at.planar:
            at.across("axis", "second_axis")

    def freedoms(self) -> Freedoms:
        return Freedoms(Plane(self.axis, self.second_axis), About(self.axis, self.second_axis))

    def mobility(self, *, planar: bool) -> int:
        return 2

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        yield from self.motion_readings(planar=planar)
        yield from forces(planar=planar)
        yield from torques(planar=planar)

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        loose = Freedoms(Anywhere(), Ball())
        slide, turn = at.joint(loose if at.planar else self.freedoms())
        yield from (slide, turn)
        across = at.y
        if not at.planar:
            _, _, across = orthonormal(at.axes, self.axis, self.second_axis)
        sideways = matvec(at.axes.of(at.head), across)
        yield EdgeConstraint(at.name, "sideways", (Term(slide, at.head.body, sideways),))


@component
class RollingWheel(Joint):
    """A wheel, disc or ball that rolls without slipping on z = 0 of `from`; in the plane, on y = 0."""

    type, symbol, imitable = "rolling", Symbol.PIN, False
    radius: Formula = value("m", "radius of the wheel", hint="give the radius in metres")
    crown: Formula = value(
        "m", "radius of the rim's cross-section: zero of a thin disc, `radius` of a ball", 0
    )
    axle: Vector = direction("y", "axis of the wheel in its body", spatial=True)
    attitude: str = choice("coordinates of the rotation")

    def check(self, at: Numbers) -> None:
        at.positive("radius")
        at.not_negative("crown")

    def freedoms(self) -> Freedoms:
        return Freedoms(Anywhere(), Ball(self.attitude))

    def mobility(self, *, planar: bool) -> int:
        return 1 if planar else 3

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        slide, turn = at.joint(self.freedoms())
        up, radius = len(at.directions) - 1, at[self.radius]
        slide = _raised(slide, up, at.axes.numbers(scale3(radius, at.x))[0])
        yield from (slide, turn)
        axes, frame = at.axes.of(at.tail), at.tail.body

        def lever(way: Vector3) -> Callable[[Motion], Vector3]:
            """What an angular velocity is multiplied with: the velocity of the contact along ``way``."""

            def found(motion: Motion) -> Vector3:
                return matvec(axes, cross(self._arm(motion.translation), way))

            return found

        def terms(way: Vector3) -> tuple[Term, Term]:
            along = Term(slide, frame, matvec(axes, way))
            if at.planar:
                return along, Term(turn, frame, cross(scale3(-radius, at.y), way))
            return along, Term(turn, frame, lever(way))

        def gap(motion: Motion) -> Expr:
            if at.planar:
                return motion.own("y") - radius
            return motion.slides()[2] - self._height(motion)

        yield EdgeConstraint(at.name, "height", terms(at.directions[up])[: 1 if at.planar else 2], gap)
        for name, way in zip("xy", at.directions[:up], strict=False):
            yield EdgeConstraint(at.name, f"rolling along {name}", terms(way))

    def _level(self, motion: Motion) -> tuple[Vector3, Expr]:
        """The axle by the axes of the road, and the cosine of its inclination."""
        n = motion.direction(self.axle)
        return n, motion.dag.call("sqrt", n[0] * n[0] + n[1] * n[1])

    def _height(self, motion: Motion) -> Expr:
        """The height of the centre."""
        if self.crown == self.radius:
            return motion[self.radius]
        return motion[self.crown] + (motion[self.radius] - motion[self.crown]) * self._level(motion)[1]

    def _arm(self, motion: Motion) -> Vector3:
        """From the centre of the wheel to the contact."""
        dag = motion.dag
        up: Vector3 = (dag.zero, dag.zero, dag.one)
        if self.crown == self.radius:
            return scale3(-motion[self.radius], up)
        n, level = self._level(motion)
        # Down in the plane of the wheel to the middle of the cross-section, then down to the road.
        steepest = scale3(1 / level, add3(up, scale3(-n[2], n)))
        rim = motion[self.radius] - motion[self.crown]
        return add3(scale3(-rim, steepest), scale3(-motion[self.crown], up))


def _raised(slide: Edge, number: int, height: float) -> Edge:
    """The edge with a guess for one of its displacements."""
    motion = list(slide.displacement.motion)
    axis, coordinate = motion[number]
    motion[number] = axis, replace(coordinate, guess=height)
    return replace(slide, across=replace(slide.displacement, motion=tuple(motion)))


@component
class Wheelset(Joint):
    """Two conical wheels on an axle along y that roll on rails along x of `from`, which is at axle height."""

    type, spaces, symbol, imitable = "wheelset", SPATIAL, Symbol.PIN, False
    radius: Formula = value(
        "m", "rolling radius in the middle of the track", hint="give the radius in metres"
    )
    conicity: Formula = value(
        "1", "growth of the rolling radius of the left wheel by displacement to the left"
    )
    half_gauge: Formula = value("m", "half the distance of the contacts", hint="give the distance in metres")

    def check(self, at: Numbers) -> None:
        at.positive("radius")
        at.positive("half_gauge")

    def freedoms(self) -> Freedoms:
        return Freedoms(Plane(Z_AXIS, X_AXIS), Cross(Z_AXIS, _Y_AXIS))

    def mobility(self, *, planar: bool) -> int:
        return 1

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint]:
        slide, turn = at.joint(self.freedoms())
        yield from (slide, turn)
        before, tail, head = at.axes.of(at.tail), at.tail.body, at.head.body
        axle = matvec(at.axes.of(at.head), at.y)
        radius, conicity = at[self.radius], at[self.conicity]

        def left(motion: Motion) -> Vector3:
            return matvec(before, motion.translation.direction(axle))

        def forward(motion: Motion) -> Vector3:
            return matvec(before, cross(motion.translation.direction(axle), at.z))

        def difference(motion: Motion) -> Vector3:
            return scale3(conicity * motion.translation.slides()[1], axle)

        rolled = Term(turn, head, scale3(-radius, axle))
        yield EdgeConstraint(at.name, "sideways", (Term(slide, tail, left),))
        yield EdgeConstraint(at.name, "rolling", (Term(slide, tail, forward), rolled))
        turned = Term(turn, tail, scale3(at[self.half_gauge], matvec(before, at.z)))
        yield EdgeConstraint(at.name, "steering", (turned, Term(turn, head, difference)))
