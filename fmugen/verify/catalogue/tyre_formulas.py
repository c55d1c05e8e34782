"""The laws of tyres as they are published: Magic Formula 5.2 and 6.1, linear, Fiala, and the brush."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from fmugen.verify.tape.scalar import atan, choose, cos, exp, power, sign, sin, sqrt, tan

_ONE = frozenset(
    (
        *("LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LGAX"),
        *("LCY", "LMUY", "LEY", "LKY", "LHY", "LVY", "LGAY", "LTR", "LRES", "LGAZ"),
        *("LXAL", "LYKA", "LVYKA", "LS", "LSGKP", "LSGAL", "LMX", "LVMX", "LMY", "LCZ"),
        *("VXLOW", "PTY2", "TYRESIDE"),
    )
)


class Wrench(NamedTuple):
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

    @property
    def radius(self) -> Any:
        return self("UNLOADED_RADIUS")

    @property
    def low_speed(self) -> Any:
        return self("VXLOW")

    @property
    def nominal(self) -> Any:
        return self("FNOMIN")

    @property
    def side(self) -> Any:
        return self("TYRESIDE")

    def load(self, deflection: Any, rate: Any, spin: Any) -> Any:
        stiffness = self("VERTICAL_STIFFNESS") * self("LCZ")
        return larger(stiffness * deflection + self("VERTICAL_DAMPING") * rate, 0.0)

    def yielded(self, load: Any, kappa: Any, alpha: Any, gamma: Any, speed: Any) -> Any:
        return load

    def effective_radius(self, deflection: Any, load: Any, spin: Any) -> Any:
        unit = self("FNOMIN") / (self("VERTICAL_STIFFNESS") * self("LCZ"))
        growth = self("DREFF") * atan(self("BREFF") * deflection / unit)
        return self("UNLOADED_RADIUS") - unit * (growth + self("FREFF") * deflection / unit)

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

    def wrench(self, load: Any, kappa: Any, alpha: Any, gamma: Any, speed: Any) -> Wrench:
        # A wheel in the air is that of a tiny load, of which nothing is left.
        touching = load
        load = larger(touching, 1e-9 * self("FNOMIN"))
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
        way = _smaller(larger(speed / self("VXLOW"), -1.0), 1.0)
        my = -radius * load * drag * way * self("LMY")
        return Wrench(share * fx, share * fy, share * mx, share * my, share * mz)


class Pacejka61(Pacejka):
    """The formulas of MF-Tyre 6.1 without turn slip."""

    def __call__(self, name: str) -> Any:
        ones = ("LKYC", "LKZC", "Q_RE0", "QSY7")
        missing = 2.0 if name == "PKY4" else 1.0 if name in ones else super().__call__(name)
        return self._given.get(name, missing)

    @property
    def dpi(self) -> Any:
        if "NOMPRES" not in self._given or "INFLPRES" not in self._given:
            return 0.0
        return (self("INFLPRES") - self("NOMPRES")) / self("NOMPRES")

    def free_radius(self, spin: Any) -> Any:
        return self.radius * (self("Q_RE0") + self("Q_V1") * (self.radius * spin / self("LONGVL")) ** 2)

    def load(self, deflection: Any, rate: Any, spin: Any) -> Any:
        rho = (deflection + self.free_radius(spin) - self.radius) / self.radius
        whole = self("VERTICAL_STIFFNESS") * self("LCZ") * self.radius / self.nominal
        first = sqrt(whole**2 - 4 * self("Q_FZ2"))
        spring = choose(rho, first * rho + self("Q_FZ2") * rho**2, first * rho - self("Q_FZ2") * rho**2)
        spring *= (1 + self("Q_V2") * abs(spin) * self.radius / self("LONGVL")) * self.nominal
        return larger(spring * (1 + self("PFZ1") * self.dpi) + self("VERTICAL_DAMPING") * rate, 0.0)

    def yielded(self, load: Any, kappa: Any, alpha: Any, gamma: Any, speed: Any) -> Any:
        touching = larger(load, 1e-9 * self.nominal)
        fx, fy, *_ = self.wrench(touching, kappa, alpha, gamma, speed)
        # F = load (1 - c F^2), with c F^2 the loss at the forces of this load.
        lost = (self("Q_FCX") * fx / touching) ** 2 + (self("Q_FCY") * fy / touching) ** 2
        lost = 4 * (load / self.nominal) ** 2 * lost
        return load * 2 / (1 + sqrt(1 + lost))

    def effective_radius(self, deflection: Any, load: Any, spin: Any) -> Any:
        unit = self.nominal / (self("VERTICAL_STIFFNESS") * self("LCZ") * (1 + self("PFZ1") * self.dpi))
        relative = load / self.nominal
        growth = self("FREFF") * relative + self("DREFF") * atan(self("BREFF") * relative)
        return self.free_radius(spin) - unit * growth

    def stiffness_x(self, load: Any) -> Any:
        dpi = self.dpi
        return super().stiffness_x(load) * (1 + self("PPX1") * dpi + self("PPX2") * dpi**2)

    def stiffness_y(self, load: Any, gamma: Any) -> Any:
        nominal, lean, dpi = self("FNOMIN") * self("LFZO"), sin(gamma), self.dpi
        at_peak = (self("PKY2") + self("PKY5") * lean**2) * (1 + self("PPY2") * dpi)
        curve = sin(self("PKY4") * atan(load / (nominal * at_peak)))
        size = self("PKY1") * nominal * (1 + self("PPY1") * dpi) * (1 - self("PKY3") * abs(lean))
        return size * curve * self("LKY")

    def relaxation(self, load: Any, gamma: Any) -> tuple[Any, Any]:
        dfz, dpi = self.excess(load), self.dpi
        stiff = [
            self(name)
            * (1 + self(f"{stem}1") * dfz + self(f"{stem}2") * dfz**2)
            * (1 + self(f"{stem}3") * dpi)
            for name, stem in (("LONGITUDINAL_STIFFNESS", "PCFX"), ("LATERAL_STIFFNESS", "PCFY"))
        ]
        return self.stiffness_x(load) / stiff[0], abs(self.stiffness_y(load, gamma)) / stiff[1]

    def friction_scale(self, name: str, kappa: Any, tangent: Any, speed: Any) -> Any:
        slid = abs(speed) * sqrt(kappa**2 + tangent**2)
        return self(name) / (1 + self("LMUV") * slid / self("LONGVL"))

    def friction_y(self, load: Any, lean: Any) -> Any:
        dpi = self.dpi
        size = self.line("PDY", self.excess(load)) * (1 + self("PPY3") * dpi + self("PPY4") * dpi**2)
        return size * (1 - self("PDY3") * lean**2)

    def lateral(self, load: Any, alpha: Any, gamma: Any, speed: Any) -> tuple[Any, Any, Any]:
        """The force of pure slip, B C, and the angle of the residual moment."""
        dfz, dpi, lean, tangent = self.excess(load), self.dpi, sin(gamma), tan(alpha)
        scale = self.friction_scale("LMUY", 0.0, tangent, speed)
        shifted = 10 * scale / (1 + 9 * scale)
        ky = self.stiffness_y(load, gamma)
        tilted = load * self.line("PVY", dfz, 2, 3) * lean * self("LKYC") * shifted
        offset = load * self.line("PVY", dfz) * self("LVY") * shifted + tilted
        camber = load * self.line("PKY", dfz, 2, 6) * (1 + self("PPY5") * dpi) * self("LKYC")
        angle = tangent + self.line("PHY", dfz) * self("LHY") + (camber * lean - tilted) / ky
        peak, shape = self.friction_y(load, lean) * scale * load, self("PCY1") * self("LCY")
        sided = (self("PEY3") + self("PEY4") * lean) * sign(angle)
        curve = self.line("PEY", dfz) * (1 + self("PEY5") * lean**2 - sided) * self("LEY")
        by = ky / (shape * peak)
        return peak * sin(_phase(by, shape, curve, angle)) + offset, by * shape, angle + offset / ky

    def longitudinal(self, load: Any, kappa: Any, gamma: Any, speed: Any) -> Any:
        """The force of pure slip."""
        dfz, dpi = self.excess(load), self.dpi
        scale = self.friction_scale("LMUX", kappa, 0.0, speed)
        slip = kappa + self.line("PHX", dfz) * self("LHX")
        peak = load * self.line("PDX", dfz) * (1 + self("PPX3") * dpi + self("PPX4") * dpi**2)
        peak *= (1 - self("PDX3") * gamma**2) * scale
        curve = self.line("PEX", dfz, 3) * (1 - self("PEX4") * sign(slip)) * self("LEX")
        shape = self("PCX1") * self("LCX")
        force = peak * sin(_phase(self.stiffness_x(load) / (shape * peak), shape, curve, slip))
        return force + load * self.line("PVX", dfz) * self("LVX") * 10 * scale / (1 + 9 * scale)

    def wrench(self, load: Any, kappa: Any, alpha: Any, gamma: Any, speed: Any) -> Wrench:
        touching = load
        load = larger(touching, 1e-9 * self.nominal)
        share = touching / load
        dfz, lean, tangent = self.excess(load), sin(gamma), tan(alpha)
        scale = self.friction_scale("LMUY", kappa, tangent, speed)
        steep = (self("RBX1") + self("RBX3") * lean**2) * cos(atan(self("RBX2") * kappa)) * self("LXAL")
        weight_x = _weight(steep, self("RCX1"), self.line("REX", dfz), tangent, self("RHX1"))
        fx = self.longitudinal(load, kappa, gamma, speed) * weight_x
        steep = self("RBY1") + self("RBY4") * lean**2
        steep *= cos(atan(self("RBY2") * (tangent - self("RBY3")))) * self("LYKA")
        weight_y = _weight(steep, self("RCY1"), self.line("REY", dfz), kappa, self.line("RHY", dfz))
        pure, steepness, turned = self.lateral(load, alpha, gamma, speed)
        ply = self.friction_y(load, lean) * scale * load * (self.line("RVY", dfz) + self("RVY3") * lean)
        ply *= cos(atan(self("RVY4") * tangent)) * sin(self("RVY5") * atan(self("RVY6") * kappa))
        fy = pure * weight_y + ply * self("LVYKA")
        ratio = self.stiffness_x(load) / self.stiffness_y(load, gamma) * kappa
        upright, _, _ = self.lateral(load, alpha, 0.0, speed)
        mz = -self.trail(load, alpha, gamma, ratio, scale) * upright * weight_y
        steep = self("QBZ9") * self("LKY") / scale + self("QBZ10") * steepness
        size = self.line("QDZ", dfz, 2, 8) * (1 + self("PPZ2") * self.dpi)
        size = (size + self.line("QDZ", dfz, 2, 10) * abs(lean)) * lean * self("LKZC")
        size += self.line("QDZ", dfz, 2, 6) * self("LRES")
        residual = load * self.radius * size * scale * cos(alpha)
        mz += residual * cos(atan(steep * _combined(turned, ratio)))
        arm = self("SSZ1") + self("SSZ2") * fy / self.nominal + self.line("SSZ", dfz, 2, 3) * gamma
        mz += arm * self.radius * self("LS") * fx
        mx, my = self.overturning(load, fy, gamma), self.resistance(load, fx, gamma, speed)
        return Wrench(share * fx, share * fy, share * mx, share * my, share * mz)

    def trail(self, load: Any, alpha: Any, gamma: Any, ratio: Any, scale: Any) -> Any:
        dfz, lean = self.excess(load), sin(gamma)
        angle = tan(alpha) + self.line("QHZ", dfz) + self.line("QHZ", dfz, 2, 3) * lean
        steep = self.line("QBZ", dfz, 3) * (1 + self("QBZ4") * gamma + self("QBZ5") * abs(gamma))
        steep *= self("LKY") / scale
        peak = load * self.line("QDZ", dfz) * (1 - self("PPZ1") * self.dpi) * self("LTR")
        peak *= (1 + self("QDZ3") * gamma + self("QDZ4") * gamma**2) * self.radius / self.nominal
        curve = (self("QEZ4") + self("QEZ5") * lean) * 2 / math.pi
        curve = self.line("QEZ", dfz, 3) * (1 + curve * atan(steep * self("QCZ1") * angle))
        return peak * cos(_phase(steep, self("QCZ1"), curve, _combined(angle, ratio))) * cos(alpha)

    def overturning(self, load: Any, fy: Any, gamma: Any) -> Any:
        pressed, aside = load / self.nominal, fy / self.nominal
        found = self("QSX1") * self("LVMX") - self("QSX2") * gamma * (1 + self("PPMX1") * self.dpi)
        found += self("QSX3") * aside - self("QSX12") * gamma * abs(gamma)
        swing = sin(self("QSX7") * gamma + self("QSX8") * atan(self("QSX9") * aside))
        found += self("QSX4") * cos(self("QSX5") * atan((self("QSX6") * pressed) ** 2)) * swing
        found += self("QSX10") * atan(self("QSX11") * pressed) * gamma
        sided = self("QSX13") + self("QSX14") * abs(gamma)
        return self.radius * self("LMX") * (load * found + fy * sided)

    def resistance(self, load: Any, fx: Any, gamma: Any, speed: Any) -> Any:
        relative, pressed = speed / self("LONGVL"), load / self.nominal
        drag = self("QSY1") + self("QSY2") * fx / self.nominal + self("QSY3") * abs(relative)
        drag += self("QSY4") * relative**4 + (self("QSY5") + self("QSY6") * pressed) * gamma**2
        drag *= power(pressed, self("QSY7")) * power(1 + self.dpi, self("QSY8"))
        way = _smaller(larger(speed / self("VXLOW"), -1.0), 1.0)
        return -self.radius * self.nominal * drag * way * self("LMY")


class Simple:
    """What linear, Fiala's and brush tyres share; numbers by the keys of the file."""

    side = 1.0

    def __init__(self, numbers: Mapping[str, float]) -> None:
        self.at = numbers
        self.radius, self.nominal = numbers["radius"], numbers["nominal_load"]
        self.low_speed = numbers["low_speed"]

    def load(self, deflection: Any, rate: Any, spin: Any) -> Any:
        return larger(self.at["vertical_stiffness"] * deflection + self.at["vertical_damping"] * rate, 0.0)

    def yielded(self, load: Any, kappa: Any, alpha: Any, gamma: Any, speed: Any) -> Any:
        return load

    def effective_radius(self, deflection: Any, load: Any, spin: Any) -> Any:
        return self.radius - deflection / 3

    def stiffness_x(self, load: Any) -> Any:
        return self.at["slip_stiffness"] * load / self.nominal

    def stiffness_y(self, load: Any, gamma: Any) -> Any:
        return self.at["cornering_stiffness"] * load / self.nominal

    def relaxation(self, load: Any, gamma: Any) -> tuple[Any, Any]:
        return self.at["relaxation_x"], self.at["relaxation_y"]

    def wrench(self, load: Any, kappa: Any, alpha: Any, gamma: Any, speed: Any) -> Wrench:
        touching = larger(load, 1e-9 * self.nominal)
        fx, fy, mz = (load / touching * part for part in self.forces(touching, kappa, tan(alpha), gamma))
        way = _smaller(larger(speed / self.low_speed, -1.0), 1.0)
        return Wrench(fx, fy, 0.0, -self.at["rolling_resistance"] * self.radius * load * way, mz)

    def forces(self, load: Any, kappa: Any, tangent: Any, gamma: Any) -> tuple[Any, Any, Any]:
        """Linear in slips."""
        fy = -self.stiffness_y(load, gamma) * tangent
        fy -= self.at["camber_stiffness"] * load / self.nominal * sin(gamma)
        return self.stiffness_x(load) * kappa, fy, -self.at["trail"] * fy


class Fiala(Simple):
    """Fiala's formulas by their branches."""

    def forces(self, load: Any, kappa: Any, tangent: Any, gamma: Any) -> tuple[Any, Any, Any]:
        slid = _smaller(sqrt(kappa**2 + tangent**2), 1.0)
        held = load * (self.at["friction"] + (self.at["sliding_friction"] - self.at["friction"]) * slid)
        stiffness = self.stiffness_x(load)
        critical = held / (2 * stiffness)
        beyond = held - held**2 / (4 * stiffness * larger(abs(kappa), critical))
        fx = choose(critical - abs(kappa), stiffness * kappa, sign(kappa) * beyond)
        left = 1 - self.stiffness_y(load, gamma) * abs(tangent) / (3 * held)
        fy = -sign(tangent) * choose(left, held * (1 - left**3), held)
        mz = choose(left, held * self.at["width"] * (1 - left) * left**3, 0.0) * sign(tangent)
        return fx, fy, mz


class Brush(Simple):
    """The brush in combined slip: the deflections of bristles along the contact."""

    def forces(self, load: Any, kappa: Any, tangent: Any, gamma: Any) -> tuple[Any, Any, Any]:
        rolled = larger(abs(1 + kappa), 1e-3)
        bent_x = self.stiffness_x(load) * kappa / rolled
        bent_y = self.stiffness_y(load, gamma) * tangent / rolled
        bent = larger(sqrt(bent_x**2 + bent_y**2), 1e-300)
        held = self.at["friction"] * load
        x = _smaller(bent / (3 * held), 1.0)
        force = held * (3 * x - 3 * x**2 + x**3)
        fx, fy = force * bent_x / bent, -force * bent_y / bent
        trail = self.at["contact_length"] / 6 * (1 - 3 * x + 3 * x**2 - x**3) / (1 - x + x**2 / 3)
        return fx, fy, -trail * fy


def larger(a: Any, b: Any) -> Any:
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
