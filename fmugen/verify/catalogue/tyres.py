"""Tyres: contact with a plane road, and the Magic Formula as PAC2002 publishes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from fmugen.ir.formula import Formula
from fmugen.ir.model import Vector
from fmugen.verify.catalogue.base import Action, ForceLaw, Observation, OwnState, Parts, Reader, law
from fmugen.verify.layout import triple
from fmugen.verify.measures import Cosine, Spin
from fmugen.verify.rotations import IDENTITY
from fmugen.verify.tape.scalar import asin, atan, choose, cos, exp, sign, sin, sqrt, tan

_GRAVITY = 9.80665
_ONE = frozenset(
    (
        *("LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LGAX"),
        *("LCY", "LMUY", "LEY", "LKY", "LHY", "LVY", "LGAY", "LTR", "LRES", "LGAZ"),
        *("LXAL", "LYKA", "LVYKA", "LS", "LSGKP", "LSGAL", "LMX", "LVMX", "LMY", "LCZ"),
        *("VXLOW", "PTY2", "TYRESIDE"),
    )
)


class _Wrench(NamedTuple):
    """The force in the plane of the road and the moment, in the frame of the contact."""

    fx: Any
    fy: Any
    mx: Any
    my: Any
    mz: Any


class Pacejka:
    """The formulas of PAC2002, with angles in rad."""

    def __init__(self, coefficients: Mapping[str, float]) -> None:
        self._given = coefficients

    def __call__(self, name: str) -> Any:
        return self._given.get(name, 16.6 if name == "LONGVL" else float(name in _ONE))

    def excess(self, load: Any) -> Any:
        nominal = self("FNOMIN") * self("LFZO")
        return (load - nominal) / nominal

    def line(self, stem: str, x: Any, count: int = 2, first: int = 1) -> Any:
        """``P1 + P2 x + P3 x^2``, of coefficients with one stem."""
        return sum(self(f"{stem}{first + power}") * x**power for power in range(count))

    def stiffness_x(self, load: Any) -> Any:
        dfz = self.excess(load)
        return load * self.line("PKX", dfz) * exp(self("PKX3") * dfz) * self("LKX")

    def stiffness_y(self, load: Any, gamma: Any) -> Any:
        nominal = self("FNOMIN") * self("LFZO")
        peak = sin(2 * atan(load / (self("PKY2") * nominal)))
        tilt = 1 - self("PKY3") * abs(gamma * self("LGAY"))
        return self("PKY1") * nominal * peak * tilt * self("LKY")

    def relaxation(self, load: Any, gamma: Any) -> tuple[float, float]:
        dfz, radius = self.excess(load), self("UNLOADED_RADIUS")
        along = load * self.line("PTX", dfz) * exp(-self("PTX3") * dfz)
        peak = sin(2 * atan(load / (self("PTY2") * self("FNOMIN") * self("LFZO"))))
        across = self("PTY1") * peak * (1 - self("PKY3") * abs(gamma * self("LGAY")))
        return (
            along * radius / self("FNOMIN") * self("LSGKP"),
            across * radius * self("LFZO") * self("LSGAL"),
        )

    def wrench(self, load: Any, kappa: Any, alpha: Any, gamma: Any, speed: Any) -> _Wrench:
        # A wheel in the air is that of a tiny load, of which nothing is left.
        touching = load
        load = _larger(touching, 1e-9 * self("FNOMIN"))
        share = touching / load
        dfz, radius, nominal = self.excess(load), self("UNLOADED_RADIUS"), self("FNOMIN")
        # Longitudinal slip alone.
        slip = kappa + self.line("PHX", dfz) * self("LHX")
        shape = self("PCX1") * self("LCX")
        friction = self.line("PDX", dfz) * (1 - self("PDX3") * (gamma * self("LGAX")) ** 2) * self("LMUX")
        curve = self.line("PEX", dfz, 3) * (1 - self("PEX4") * sign(slip)) * self("LEX")
        kx = self.stiffness_x(load)
        pure_x = friction * load * sin(_phase(kx / (shape * friction * load), shape, curve, slip))
        pure_x += load * self.line("PVX", dfz) * self("LVX") * self("LMUX")
        # Lateral slip alone.
        tilt = gamma * self("LGAY")
        shift = self.line("PHY", dfz) * self("LHY") + self("PHY3") * tilt
        angle = alpha + shift
        shape_y = self("PCY1") * self("LCY")
        friction = self.line("PDY", dfz) * (1 - self("PDY3") * tilt**2) * self("LMUY")
        curve = self.line("PEY", dfz) * (1 - (self("PEY3") + self("PEY4") * tilt) * sign(angle)) * self("LEY")
        ky = self.stiffness_y(load, gamma)
        by = ky / (shape_y * friction * load)
        offset = load * (self.line("PVY", dfz) * self("LVY") + self.line("PVY", dfz, 2, 3) * tilt)
        offset *= self("LMUY")
        pure_y = friction * load * sin(_phase(by, shape_y, curve, angle)) + offset
        # Both together.
        steep = self("RBX1") * cos(atan(self("RBX2") * kappa)) * self("LXAL")
        weight_x = _weight(steep, self("RCX1"), self.line("REX", dfz), alpha, self("RHX1"))
        steep = self("RBY1") * cos(atan(self("RBY2") * (alpha - self("RBY3")))) * self("LYKA")
        weight_y = _weight(steep, self("RCY1"), self.line("REY", dfz), kappa, self.line("RHY", dfz))
        size = friction * load * (self.line("RVY", dfz) + self("RVY3") * gamma)
        size *= cos(atan(self("RVY4") * alpha))
        ply = size * sin(self("RVY5") * atan(self("RVY6") * kappa)) * self("LVYKA")
        fx, fy = pure_x * weight_x, pure_y * weight_y + ply
        # Moments.
        tilt = gamma * self("LGAZ")
        trailing = alpha + self.line("QHZ", dfz) + self.line("QHZ", dfz, 2, 3) * tilt
        ratio = kx / ky * kappa
        steep = self.line("QBZ", dfz, 3) * (1 + self("QBZ4") * tilt + self("QBZ5") * abs(tilt))
        steep *= self("LKY") / self("LMUY")
        peak = load * self.line("QDZ", dfz) * (1 + self("QDZ3") * tilt + self("QDZ4") * tilt**2)
        peak *= radius / nominal * self("LTR")
        curve = self("QEZ4") + self("QEZ5") * tilt
        curve = self.line("QEZ", dfz, 3) * (1 + curve * 2 / math.pi * atan(steep * self("QCZ1") * trailing))
        trail = cos(_phase(steep, self("QCZ1"), curve, _combined(trailing, ratio)))
        trail *= peak * cos(alpha)
        steep = self("QBZ9") * self("LKY") / self("LMUY") + self("QBZ10") * by * shape_y
        size = self.line("QDZ", dfz, 2, 6) * self("LRES") + self.line("QDZ", dfz, 2, 8) * tilt
        residual = load * size * radius * self("LMUY") * cos(alpha)
        residual *= cos(atan(steep * _combined(alpha + shift + offset / ky, ratio)))
        arm = self("SSZ1") + self("SSZ2") * fy / nominal + self.line("SSZ", dfz, 2, 3) * gamma
        mz = -trail * (fy - ply) + residual + arm * radius * self("LS") * fx
        rolled = (-self("QSX2") * gamma + self("QSX3") * fy / nominal) * self("LMX")
        mx = radius * load * (self("QSX1") * self("LVMX") + rolled)
        relative = speed / self("LONGVL")
        drag = self("QSY1") + self("QSY2") * fx / nominal + self("QSY3") * abs(relative)
        drag += self("QSY4") * relative**4
        way = _smaller(_larger(speed / self("VXLOW"), -1.0), 1.0)
        my = -radius * load * drag * way * self("LMY")
        return _Wrench(share * fx, share * fy, share * mx, share * my, share * mz)


def _larger(a: Any, b: Any) -> Any:
    return choose(a - b, a, b)


def _smaller(a: Any, b: Any) -> Any:
    return choose(b - a, a, b)


def _phase(steep: Any, shape: Any, curve: Any, x: Any) -> Any:
    y = steep * x
    return shape * atan(y - _smaller(curve, 1.0) * (y - atan(y)))


def _weight(steep: Any, shape: Any, curve: Any, x: Any, shift: Any) -> Any:
    return cos(_phase(steep, shape, curve, x + shift)) / cos(_phase(steep, shape, curve, shift))


def _combined(alpha: Any, ratio: Any) -> Any:
    return atan(sqrt(tan(alpha) ** 2 + ratio**2)) * sign(alpha)


class _Lag(NamedTuple):
    """Slips, and the rates of the deflections of the contact."""

    kappa: Any
    tangent: Any
    rates: tuple[Any, ...]


@law("forces", "tyre")
def tyre(at: Reader) -> Parts:
    """Load, friction and moments at the contact, as efforts along displacements and spins of the wheel."""
    given = cast("tuple[tuple[str, Formula], ...]", at.element.values["coefficients"])
    pacejka = Pacejka({name: at.layout.number(formula) for name, formula in given})
    mounted = 1.0 if at.text("side") == "left" else -1.0
    image = mounted * pacejka("TYRESIDE")
    axle = at.layout.vector(cast(Vector, at.element.values["axle"]))
    axle = mounted * axle / np.linalg.norm(axle)
    lagging = at.text("slip") == "lag"
    ratio = at.number("damping_ratio")
    road = at.tail_axes.T
    centers = tuple(at.in_tail(way) for way in road)
    spins = tuple(Spin(at.tail.body, at.head.body, at.tail.body, triple(way)) for way in road)
    cosines = tuple(Cosine(at.tail.body, triple(way), at.head.body, triple(axle)) for way in road)

    def slip_of(load: Any, gamma: Any, slides: tuple[Any, Any], speed: Any, states: list[float]) -> _Lag:
        low = pacejka("VXLOW")
        if not lagging:
            over = _larger(abs(speed), low)
            return _Lag(-slides[0] / over, slides[1] / over, ())
        least = pacejka("UNLOADED_RADIUS") / 50
        along, across = (_larger(length, least) for length in pacejka.relaxation(load, gamma))
        still = exp(-((speed / low) ** 2))
        # Stiffness over load, which has a limit where the wheel lifts off.
        touched = _larger(load, 1e-9 * pacejka("FNOMIN"))
        kx, ky = pacejka.stiffness_x(touched) / touched, abs(pacejka.stiffness_y(touched, gamma)) / touched
        drag_x, drag_y = (2 * ratio / sqrt(k * s * _GRAVITY) for k, s in ((kx, along), (ky, across)))
        x, y = states
        return _Lag(
            x / along - still * drag_x * slides[0],
            y / across + still * drag_y * slides[1],
            (
                -slides[0] - (abs(speed) + still * abs(slides[0])) * x / along,
                slides[1] - abs(speed) * y / across,
            ),
        )

    def act(seen: Observation) -> Action:
        center, velocity = np.array(seen.positions[:3]), np.array(seen.rates[:3])
        spin, n = np.array(seen.rates[3:6]), np.array(seen.positions[6:])
        up = IDENTITY[2]
        forward = np.cross(n, up)
        level = sqrt(forward @ forward)
        forward = forward / level
        left = np.cross(up, forward)
        gamma = asin(n[2])
        radius = center[2] / level
        arm = -radius * (up - n[2] * n) / level
        sliding = velocity + np.cross(spin, arm)
        deflection = pacejka("UNLOADED_RADIUS") - radius
        stiffness = pacejka("VERTICAL_STIFFNESS") * pacejka("LCZ")
        load = _larger(stiffness * deflection - pacejka("VERTICAL_DAMPING") * sliding[2], 0.0)
        unit = pacejka("FNOMIN") / stiffness
        growth = pacejka("DREFF") * atan(pacejka("BREFF") * deflection / unit)
        effective = pacejka("UNLOADED_RADIUS") - unit * (growth + pacejka("FREFF") * deflection / unit)
        speed = velocity @ forward
        slides = speed - (spin @ n) * effective, sliding @ left
        kappa, tangent, rates = slip_of(load, image * gamma, slides, speed, seen.states)
        alpha = atan(tangent)
        fx, fy, mx, my, mz = pacejka.wrench(load, kappa, image * alpha, image * gamma, speed)
        fy, mx, mz = image * fy, image * mx, image * mz
        force = fx * forward + fy * left + load * up
        moment = np.cross(arm, force) + mx * forward + my * left + mz * up
        kinds = {
            **{"load": load, "deflection": deflection, "inclination": gamma},
            **{"slip": kappa, "slip_angle": alpha, "longitudinal_force": fx, "lateral_force": fy},
            **{"overturning_moment": mx, "rolling_moment": my, "aligning_moment": mz},
        }
        return Action(
            [*force, *moment, 0.0, 0.0, 0.0],
            power=force @ velocity + moment @ spin,
            quantities=tuple((f"{at.name}.{kind}", value) for kind, value in kinds.items()),
            rates=list(rates),
        )

    states = (OwnState("slip_x"), OwnState("slip_y")) if lagging else ()
    return Parts(actions=(ForceLaw((*centers, *spins, *cosines), act),), states=states)
