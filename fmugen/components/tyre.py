"""Tyres: contact with a plane road, slips, and the force and moment of the Magic Formula.

The road is the plane z = 0 of the attachment `from`. All vectors below are by components along its axes.
The frame of the contact is ISO-W: e_x forward, e_y to the left, e_z along the normal of the road.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fmugen.components.base import (
    SPATIAL,
    Mirror,
    Numbers,
    State,
    Symbol,
    coefficients,
    component,
    direction,
    option,
    value,
)
from fmugen.components.forces import Load
from fmugen.components.magic_formula import (
    REQUIRED_COEFFICIENTS,
    Contact,
    MagicFormula,
    Patch,
    magnitude,
)
from fmugen.components.measures import Effort, Reading
from fmugen.components.site import Site
from fmugen.expr.affine import Affine
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, add3, cross, dot, scale3
from fmugen.ir.element import GROUND, QUATERNION, Coefficients, Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Displacement, Domain, Edge, Rotation
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import Level

__all__ = ["Tyre"]

_LEFT, _RIGHT = "left", "right"
_STEADY, _LAG = "steady", "lag"
_LAGGING = (
    State("slip_x", "m", "longitudinal deflection of the contact"),
    State("slip_y", "m", "lateral deflection of the contact", mirrored=Mirror.REVERSED),
)
#: The least relaxation length, as a part of the radius: a wheel in the air has none.
_LEAST_LENGTH = 50
#: The standard acceleration of gravity in m/s^2, which takes a load to the mass that it carries.
_GRAVITY = Fraction("9.80665")


@dataclass(frozen=True)
class _Rolling:
    """The motion of a wheel over the road.

    ``arm`` is from the centre of the wheel to the contact, ``slides`` the velocity of slip along e_x and e_y.
    """

    arm: Vector3
    axes: tuple[Vector3, Vector3, Vector3]
    inclination: Expr
    deflection: Expr
    load: Expr
    speed: Expr
    slides: tuple[Expr, Expr]


@component
class Tyre(Load):
    """A tyre on the plane z = 0 of `from`: Magic Formula (PAC2002) with the coefficients of a `.tir` file."""

    type, symbol, spaces = "tyre", Symbol.ARROW, SPATIAL
    coefficients: Coefficients = coefficients(
        "a `.tir` file, or a table of coefficients with `file`", hint='write coefficients = "tyre.tir"'
    )
    axle: Vector = direction("y", "axis of the wheel in its body, away from the vehicle")
    side: str = option(
        "where the wheel is mounted, seen along the driving direction",
        (_LEFT, _RIGHT),
        mirrored=Mirror.REVERSED,
    )
    slip: str = option("whether slip follows at once or after the relaxation length", (_STEADY, _LAG))
    damping_ratio: Formula = value(
        "1", "damping at standstill by the tyre, as a part of the critical one; with lag only", 0.4
    )

    @property
    def states(self) -> tuple[State, ...]:  # type: ignore[override]  # they depend on `slip`
        return _LAGGING if self.slip == _LAG else ()

    def check(self, at: Numbers) -> None:
        named = {name for name, _ in self.coefficients}
        missing = [name for name in REQUIRED_COEFFICIENTS if name not in named]
        if missing and self.coefficients:
            hint = "give it in the file, or in the table of coefficients"
            at.problem("coefficients", f"{missing[0]} is missing", hint)
        at.not_negative("damping_ratio")

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        def kept(kind: str, unit: str, level: Level, of: Callable[[Motion], Expr]) -> Reading:
            return Reading(kind, level, unit, Effort(Domain.TRANSLATION, of))

        def reversed_(kind: str, unit: str, level: Level, of: Callable[[Motion], Expr]) -> Reading:
            return Reading(kind, level, unit, Effort(Domain.ROTATION, lambda at: of(at.translation)))

        speed = Level.VELOCITY
        yield kept("load", "N", speed, lambda at: self.rolling(at).load)
        yield kept("deflection", "m", speed, lambda at: self.rolling(at).deflection)
        yield reversed_("inclination", "rad", speed, lambda at: self.rolling(at).inclination)
        yield kept("slip", "1", speed, lambda at: self.slips(at)[0])
        yield reversed_("slip_angle", "rad", speed, lambda at: self.slips(at)[1])
        yield kept("longitudinal_force", "N", speed, lambda at: self.patch(at).fx)
        yield reversed_("lateral_force", "N", speed, lambda at: self.patch(at).fy)
        yield reversed_("overturning_moment", "N.m", speed, lambda at: self.patch(at).mx)
        yield kept("rolling_moment", "N.m", speed, lambda at: self.patch(at).my)
        yield reversed_("aligning_moment", "N.m", speed, lambda at: self.patch(at).mz)

    # --- edges -----------------------------------------------------------------------------------------

    def build(self, at: Site) -> Iterator[Edge]:
        rows = at.axes.of(at.tail)
        axes = tuple(zip(*rows, strict=True))
        yield at.edge(Displacement(at.tail_frame, at.null, at.slides(at.name, axes)), self.force)
        yield at.turning(self.torque)
        if at.tail_frame != GROUND:
            # The force acts on the road at the contact, the edge acts at the place of its tail.
            turns = Rotation(at.attitude(QUATERNION))
            yield at.edge(
                turns,
                self.leverage,
                tail=GROUND,
                head=at.tail_frame,
                name=f"{at.name}.road",
                branchable=False,
            )

    def force(self, at: Motion) -> Affine:
        return at.along_axes(self._force(at))

    def torque(self, at: Motion) -> Affine:
        moved = at.translation
        rolling, patch = self.rolling(moved), self.patch(moved)
        forward, left, up = rolling.axes
        moment = add3(add3(scale3(patch.mx, forward), scale3(patch.my, left)), scale3(patch.mz, up))
        return moved.along_axes(add3(cross(rolling.arm, self._force(moved)), moment))

    def leverage(self, at: Motion) -> Affine:
        moved = at.translation
        return moved.along_axes(scale3(-1, cross(moved.slides(), self._force(moved))))

    def _force(self, at: Motion) -> Vector3:
        rolling, patch = self.rolling(at), self.patch(at)
        forward, left, up = rolling.axes
        return add3(add3(scale3(patch.fx, forward), scale3(patch.fy, left)), scale3(rolling.load, up))

    # --- contact ---------------------------------------------------------------------------------------

    def formula(self, at: Motion) -> MagicFormula:
        return MagicFormula(at.dag, {name: at[formula] for name, formula in self.coefficients})

    def rolling(self, at: Motion) -> _Rolling:
        dag, tyre = at.dag, self.formula(at)
        mounted = 1 if self.side == _LEFT else -1
        n = scale3(mounted, at.direction(self.axle))
        level = dag.call("sqrt", n[0] * n[0] + n[1] * n[1])  # the cosine of the inclination
        up: Vector3 = (dag.zero, dag.zero, dag.one)
        forward: Vector3 = (n[1] / level, -n[0] / level, dag.zero)
        left: Vector3 = (n[0] / level, n[1] / level, dag.zero)
        # From the centre down the plane of the wheel to the road.
        down = scale3(-1 / level, add3(up, scale3(-n[2], n)))
        center, velocity, spin = at.slides(), at.slides(1), at.spin()
        radius = center[2] / level
        arm = scale3(radius, down)
        sliding = add3(velocity, cross(spin, arm))
        deflection = tyre["UNLOADED_RADIUS"] - radius
        speed = dot(velocity, forward)
        slides = speed - dot(spin, n) * tyre.effective_radius(deflection), dot(sliding, left)
        load = tyre.load(deflection, -sliding[2])
        inclination = dag.call("asin", n[2])
        return _Rolling(arm, (forward, left, up), inclination, deflection, load, speed, slides)

    # --- slip ------------------------------------------------------------------------------------------

    def slips(self, at: Motion) -> tuple[Expr, Expr]:
        """The longitudinal slip and the slip angle."""
        rolling, tyre = self.rolling(at), self.formula(at)
        along, across = rolling.slides
        if self.slip == _STEADY:
            speed = _larger(magnitude(at.dag, rolling.speed), tyre["VXLOW"])
            return -along / speed, at.dag.call("atan", across / speed)
        lengths = self._lengths(at, rolling)
        damped = self._standstill(at, rolling)
        kx, ky = (self._stiffness(at, rolling, axis) for axis in (0, 1))
        drag_x, drag_y = (self._damping(at, k, s) for k, s in zip((kx, ky), lengths, strict=True))
        slip = at.state("slip_x") / lengths[0] - damped * drag_x * along
        lateral = at.state("slip_y") / lengths[1] + damped * drag_y * across
        return slip, at.dag.call("atan", lateral)

    def rates(self, at: Motion) -> Mapping[str, Expr]:
        if self.slip == _STEADY:
            return {}
        rolling = self.rolling(at)
        along, across = rolling.slides
        lengths, speed = self._lengths(at, rolling), magnitude(at.dag, rolling.speed)
        # At standstill the deflection is limited: it ends where the slip would be one.
        creep = self._standstill(at, rolling) * magnitude(at.dag, along)
        return {
            "slip_x": -along - (speed + creep) / lengths[0] * at.state("slip_x"),
            "slip_y": across - speed / lengths[1] * at.state("slip_y"),
        }

    def _lengths(self, at: Motion, rolling: _Rolling) -> tuple[Expr, Expr]:
        tyre = self.formula(at)
        least = tyre["UNLOADED_RADIUS"] / _LEAST_LENGTH
        along, across = tyre.relaxation_lengths(rolling.load, rolling.inclination)
        return _larger(along, least), _larger(across, least)

    def _standstill(self, at: Motion, rolling: _Rolling) -> Expr:
        """One at standstill, vanishing while the wheel rolls."""
        relative = rolling.speed / self.formula(at)["VXLOW"]
        return at.dag.call("exp", -1 * relative * relative)

    def _stiffness(self, at: Motion, rolling: _Rolling, axis: int) -> Expr:
        """The slip stiffness along an axis, per unit of load."""
        tyre = self.formula(at)
        if axis == 0:
            return tyre.slip_stiffness(rolling.load)
        return magnitude(at.dag, tyre.cornering_stiffness(rolling.load, rolling.inclination))

    def _damping(self, at: Motion, stiffness: Expr, length: Expr) -> Expr:
        """The damping at standstill over the slip stiffness, in s/m.

        A load F_z carried by a contact of stiffness K/length has the critical damping 2 sqrt(K/length F_z/g);
        with K = k F_z the load drops out of the ratio to K.
        """
        return 2 * at[self.damping_ratio] / at.dag.call("sqrt", stiffness * length * _GRAVITY)

    def patch(self, at: Motion) -> Patch:
        """The force in the plane of the road and the moment, in the frame of the contact."""
        rolling, tyre = self.rolling(at), self.formula(at)
        slip, angle = self.slips(at)
        # A tyre on the other side than that of its file is its mirror image.
        image = tyre["TYRESIDE"] * (1 if self.side == _LEFT else -1)
        contact = Contact(rolling.load, slip, image * angle, image * rolling.inclination, rolling.speed)
        found = tyre.patch(contact)
        return Patch(found.fx, image * found.fy, image * found.mx, found.my, image * found.mz)


def _larger(a: Expr, b: Expr) -> Expr:
    """The larger of two, without an event where they are equal."""
    return (a + b + magnitude(a.dag, a - b)) / 2
