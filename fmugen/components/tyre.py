"""Tyres: contact with a road, slips, and the force and moment of a law of tyres.

All vectors below are by components along the axes of the attachment `from`, which has the road. The frame of
the contact is ISO-W: e_x forward, e_y to the left, e_z along the normal of the road.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from fmugen.components.base import (
    SPATIAL,
    FormulaScope,
    Mirror,
    Numbers,
    Shape,
    State,
    Symbol,
    arrays,
    coefficients,
    component,
    direction,
    option,
    value,
)
from fmugen.components.forces import Load
from fmugen.components.magic_formula import REQUIRED_COEFFICIENTS, MagicFormula
from fmugen.components.magic_formula_61 import MagicFormula61
from fmugen.components.measures import Effort, Reading
from fmugen.components.road import ROAD_ARRAYS, ROAD_COUNTED, tangent_plane, why_no_table
from fmugen.components.simple_tyre_laws import BrushLaw, FialaLaw, LinearLaw, TyreNumbers
from fmugen.components.site import Site
from fmugen.components.tyre_law import Contact, Patch, Pressed, TyreLaw, larger, magnitude
from fmugen.expr.affine import Affine
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, add3, cross, dot, scale3
from fmugen.ir.arrays import Arrays
from fmugen.ir.element import Coefficients, Vector
from fmugen.ir.formula import Formula
from fmugen.ir.graph import Displacement, Domain, Edge
from fmugen.ir.motion import Motion
from fmugen.ir.quantity import Level

__all__ = ["BrushTyre", "FialaTyre", "LinearTyre", "Tyre", "TyreOnRoad"]

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
_ROAD_SHAPES = {name: Shape(indices) for name, indices in ROAD_ARRAYS.items()}


@dataclass(frozen=True)
class _Rolling:
    """The motion of a wheel over the road.

    ``arm`` is from the centre of the wheel to the contact, ``slides`` the velocity of slip along e_x and e_y,
    ``tilt`` the sine of the inclination, and ``load`` that without forces in the plane of the road.
    """

    arm: Vector3
    axes: tuple[Vector3, Vector3, Vector3]
    tilt: Expr
    deflection: Expr
    load: Expr
    speed: Expr
    slides: tuple[Expr, Expr]


@component
class TyreOnRoad(Load):
    """Base of all tyres: what lies between the motion of a wheel and the law of its tyre."""

    symbol, spaces = Symbol.ARROW, SPATIAL
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
    height: Formula = value(
        "m", "height of the road at the place `road_x`, `road_y`", 0, scope=FormulaScope.ROAD
    )
    heights: Arrays = arrays(
        "an `.npz` file with places `x` and `y` and heights `z`, which a cubic spline joins",
        _ROAD_SHAPES,
        ROAD_COUNTED,
        default=Arrays(),
    )

    @property
    def states(self) -> tuple[State, ...]:  # type: ignore[override]  # they depend on `slip`
        return _LAGGING if self.slip == _LAG else ()

    @abstractmethod
    def law(self, at: Motion) -> TyreLaw:
        """The law with the values of the element."""

    def check(self, at: Numbers) -> None:
        at.not_negative("damping_ratio")
        if reason := why_no_table(self.heights):
            at.problem("heights", reason, "correct the file")

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        def kept(kind: str, unit: str, level: Level, of: Callable[[Motion], Expr]) -> Reading:
            return Reading(kind, level, unit, Effort(Domain.TRANSLATION, of))

        def reversed_(kind: str, unit: str, level: Level, of: Callable[[Motion], Expr]) -> Reading:
            return Reading(kind, level, unit, Effort(Domain.ROTATION, lambda at: of(at.translation)))

        speed = Level.VELOCITY
        yield kept("load", "N", speed, lambda at: self.contact(at).load)
        yield kept("deflection", "m", speed, lambda at: self.rolling(at).deflection)
        yield reversed_("inclination", "rad", speed, lambda at: at.dag.call("asin", self.rolling(at).tilt))
        yield kept("slip", "1", speed, lambda at: self.contact(at).slip)
        yield reversed_("slip_angle", "rad", speed, lambda at: self.contact(at).angle)
        yield kept("longitudinal_force", "N", speed, lambda at: self.patch(at).fx)
        yield reversed_("lateral_force", "N", speed, lambda at: self.patch(at).fy)
        yield reversed_("overturning_moment", "N.m", speed, lambda at: self.patch(at).mx)
        yield kept("rolling_moment", "N.m", speed, lambda at: self.patch(at).my)
        yield reversed_("aligning_moment", "N.m", speed, lambda at: self.patch(at).mz)

    # --- edges -----------------------------------------------------------------------------------------

    def build(self, at: Site) -> Iterator[Edge]:
        rows = at.axes.of(at.tail)
        axes = tuple(zip(*rows, strict=True))
        # A displacement in the frame of the road: the road carries the force where it acts, at the wheel.
        yield at.edge(Displacement(at.tail_frame, at.null, at.slides(at.name, axes)), self.force)
        yield at.turning(self.torque)

    def force(self, at: Motion) -> Affine:
        return at.along_axes(self._force(at))

    def torque(self, at: Motion) -> Affine:
        moved = at.translation
        rolling, patch = self.rolling(moved), self.patch(moved)
        forward, left, up = rolling.axes
        moment = add3(add3(scale3(patch.mx, forward), scale3(patch.my, left)), scale3(patch.mz, up))
        return moved.along_axes(add3(cross(rolling.arm, self._force(moved)), moment))

    def _force(self, at: Motion) -> Vector3:
        rolling, patch = self.rolling(at), self.patch(at)
        forward, left, up = rolling.axes
        load = self.contact(at).load
        return add3(add3(scale3(patch.fx, forward), scale3(patch.fy, left)), scale3(load, up))

    # --- contact ---------------------------------------------------------------------------------------

    def rolling(self, at: Motion) -> _Rolling:
        dag, law = at.dag, self.law(at)
        mounted = 1 if self.side == _LEFT else -1
        n = scale3(mounted, at.direction(self.axle))
        center, velocity, spin = at.slides(), at.slides(1), at.spin()
        road = tangent_plane(at, center, self.height, self.heights)
        up = road.normal
        ahead = cross(n, up)
        level = dag.call("sqrt", dot(ahead, ahead))  # the cosine of the inclination
        forward, tilt = scale3(1 / level, ahead), dot(n, up)
        left = cross(up, forward)
        # From the centre down the plane of the wheel to the road.
        down = scale3(-1 / level, add3(up, scale3(-tilt, n)))
        radius = road.distance / level
        arm = scale3(radius, down)
        sliding = add3(velocity, cross(spin, arm))
        turned = dot(spin, n)
        pressed = Pressed(law.radius - radius, -dot(sliding, up), turned)
        load, speed = law.load(pressed), dot(velocity, forward)
        slides = speed - turned * law.effective_radius(pressed, load), dot(sliding, left)
        return _Rolling(arm, (forward, left, up), tilt, pressed.deflection, load, speed, slides)

    def contact(self, at: Motion) -> Contact:
        """Load, slips and inclination as they are."""
        law, rolling = self.law(at), self.rolling(at)
        slip, tangent = self._slips(at)
        found = Contact(rolling.load, slip, tangent, rolling.tilt, rolling.speed)
        if not law.yielding:
            return found
        return replace(found, load=law.yielded(rolling.load, self._image(at, found)))

    def _image(self, at: Motion, contact: Contact) -> Contact:
        """The contact as the law sees it, of which a tyre on the other side is the mirror image."""
        sign = self._mirrored(at)
        return replace(contact, tangent=sign * contact.tangent, tilt=sign * contact.tilt)

    def _mirrored(self, at: Motion) -> Expr:
        return self.law(at).side * (1 if self.side == _LEFT else -1)

    # --- slip ------------------------------------------------------------------------------------------

    def _slips(self, at: Motion) -> tuple[Expr, Expr]:
        """The longitudinal slip and the tangent of the slip angle."""
        rolling, law = self.rolling(at), self.law(at)
        along, across = rolling.slides
        if self.slip == _STEADY:
            speed = larger(magnitude(at.dag, rolling.speed), law.low_speed)
            return -along / speed, across / speed
        lengths = self._lengths(at, rolling)
        damped = self._standstill(at, rolling)
        stiffness = (
            law.slip_stiffness(rolling.load),
            magnitude(at.dag, law.cornering_stiffness(rolling.load, rolling.tilt)),
        )
        drag_x, drag_y = (self._damping(at, k, s) for k, s in zip(stiffness, lengths, strict=True))
        slip = at.state("slip_x") / lengths[0] - damped * drag_x * along
        return slip, at.state("slip_y") / lengths[1] + damped * drag_y * across

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
        law = self.law(at)
        least = law.radius / _LEAST_LENGTH
        along, across = law.relaxation_lengths(rolling.load, rolling.tilt)
        return larger(along, least), larger(across, least)

    def _standstill(self, at: Motion, rolling: _Rolling) -> Expr:
        """One at standstill, vanishing while the wheel rolls."""
        relative = rolling.speed / self.law(at).low_speed
        return at.dag.call("exp", -1 * relative * relative)

    def _damping(self, at: Motion, stiffness: Expr, length: Expr) -> Expr:
        """The damping at standstill over the slip stiffness, in s/m.

        A load F_z carried by a contact of stiffness K/length has the critical damping 2 sqrt(K/length F_z/g);
        with K = k F_z the load drops out of the ratio to K.
        """
        return 2 * at[self.damping_ratio] / at.dag.call("sqrt", stiffness * length * _GRAVITY)

    def patch(self, at: Motion) -> Patch:
        """The force in the plane of the road and the moment, in the frame of the contact."""
        sign = self._mirrored(at)
        found = self.law(at).patch(self._image(at, self.contact(at)))
        return Patch(found.fx, sign * found.fy, sign * found.mx, found.my, sign * found.mz)


# --- types ---------------------------------------------------------------------------------------------

#: The kind of formulas (FITTYP) of the Magic Formula 6.1; all others are those of PAC2002.
_KIND_61 = 61


@component
class Tyre(TyreOnRoad):
    """A tyre on a road: Magic Formula 5.2 (PAC2002) or 6.1 with the coefficients of a `.tir` file."""

    type = "tyre"
    coefficients: Coefficients = coefficients(
        "a `.tir` file, or a table of coefficients with `file`", hint='write coefficients = "tyre.tir"'
    )

    def check(self, at: Numbers) -> None:
        super().check(at)
        named = {name for name, _ in self.coefficients}
        required = list(REQUIRED_COEFFICIENTS)
        if self._is_61 and self.slip == _LAG:
            required += ["LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS"]
        missing = [name for name in required if name not in named]
        if missing and self.coefficients:
            hint = "give it in the file, or in the table of coefficients"
            at.problem("coefficients", f"{missing[0]} is missing", hint)

    @property
    def _is_61(self) -> bool:
        return dict(self.coefficients)["FITTYP"].number == _KIND_61 if self._has_kind else False

    @property
    def _has_kind(self) -> bool:
        return any(name == "FITTYP" for name, _ in self.coefficients)

    def law(self, at: Motion) -> TyreLaw:
        numbers = {name: at[formula] for name, formula in self.coefficients}
        return (MagicFormula61 if self._is_61 else MagicFormula)(at.dag, numbers)


@component
class _SimpleTyre(TyreOnRoad):
    """Base of tyres with few numbers, which stand in their tables."""

    radius: Formula = value("m", "radius of the unloaded tyre", hint="give the radius in metres")
    nominal_load: Formula = value("N", "load at which the stiffnesses are", hint="give the load in N")
    vertical_stiffness: Formula = value("N/m", "stiffness under load", hint="give the stiffness in N/m")
    vertical_damping: Formula = value("N.s/m", "damping under load", 0)
    slip_stiffness: Formula = value(
        "N", "growth of the longitudinal force with slip", hint="give the stiffness in N"
    )
    cornering_stiffness: Formula = value(
        "N/rad", "growth of the lateral force with the slip angle", hint="give the stiffness in N/rad"
    )
    relaxation_x: Formula = value("m", "relaxation length of the longitudinal slip; with lag only", 0.1)
    relaxation_y: Formula = value("m", "relaxation length of the lateral slip; with lag only", 0.3)
    rolling_resistance: Formula = value("1", "resistance to rolling, as a part of the load", 0)
    low_speed: Formula = value("m/s", "speed below which slips are limited", 1)

    def check(self, at: Numbers) -> None:
        super().check(at)
        for key in ("radius", "nominal_load", "vertical_stiffness", "slip_stiffness", "cornering_stiffness"):
            at.positive(key)
        for key in ("relaxation_x", "relaxation_y", "low_speed"):
            at.positive(key)
        at.not_negative("vertical_damping")
        at.not_negative("rolling_resistance")

    def numbers(self, at: Motion) -> TyreNumbers:
        return TyreNumbers(
            at[self.radius],
            at[self.nominal_load],
            at[self.vertical_stiffness],
            at[self.vertical_damping],
            at[self.slip_stiffness],
            at[self.cornering_stiffness],
            at[self.relaxation_x],
            at[self.relaxation_y],
            at[self.rolling_resistance],
            at[self.low_speed],
        )


@component
class LinearTyre(_SimpleTyre):
    """A tyre whose forces are proportional to slip and load, without a limit of friction."""

    type = "linear_tyre"
    camber_stiffness: Formula = value("N/rad", "growth of the lateral force with inclination", 0)
    trail: Formula = value("m", "pneumatic trail", 0)

    def law(self, at: Motion) -> TyreLaw:
        return LinearLaw(at.dag, self.numbers(at), at[self.camber_stiffness], at[self.trail])


@component
class FialaTyre(_SimpleTyre):
    """Fiala's tyre: forces saturate at a friction that falls from a static to a sliding value."""

    type = "fiala_tyre"
    friction: Formula = value("1", "friction without slip", hint="give the friction, for example 1.0")
    sliding_friction: Formula = value("1", "friction at a slip of one", hint="give the friction, such as 0.8")
    width: Formula = value("m", "width of the contact, for the aligning moment", 0)

    def check(self, at: Numbers) -> None:
        super().check(at)
        at.positive("friction")
        at.positive("sliding_friction")

    def law(self, at: Motion) -> TyreLaw:
        numbers = at[self.friction], at[self.sliding_friction], at[self.width]
        return FialaLaw(at.dag, self.numbers(at), *numbers)


@component
class BrushTyre(_SimpleTyre):
    """A tyre of elastic bristles under a parabolic pressure, with one friction for both slips together."""

    type = "brush_tyre"
    friction: Formula = value("1", "friction", hint="give the friction, for example 1.0")
    contact_length: Formula = value("m", "length of the contact, for the aligning moment", 0)

    def check(self, at: Numbers) -> None:
        super().check(at)
        at.positive("friction")

    def law(self, at: Motion) -> TyreLaw:
        return BrushLaw(at.dag, self.numbers(at), at[self.friction], at[self.contact_length])
