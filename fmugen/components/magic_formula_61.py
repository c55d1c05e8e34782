"""The Magic Formula 6.1: like PAC2002, with inflation pressure, large angles and more of inclination.

The equations are those of Pacejka, Tire and Vehicle Dynamics, 3rd edition, section 4.3 and appendix 3, and of
Besselink, Schmeitz and Pacejka (Vehicle System Dynamics 48, 2010) for the moments, without turn slip. Slip
angle and inclination enter by tangent and sine, but by the angle where the paper has it.

The load depends on the forces in the plane of the road, which depend on the load. They are taken as

    F_x = f_x F_z,   F_y = f_y F_z      with f_x, f_y at the load A that the tyre has without them

and F_z = A (1 - (c_x^2 + c_y^2) F_z^2) is solved for F_z.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from fmugen.components.magic_formula import DEFAULTS, MagicFormula
from fmugen.components.tyre_law import Contact, Patch, Pressed, magnitude, rolling_way
from fmugen.expr.dag import Expr

__all__ = ["MagicFormula61"]

_TINY = Fraction(1, 10**300)
#: The square of a relative load: below its root the stiffness over the load has its limit.
_LITTLE = Fraction(1, 10**18)
#: Friction falls less with its scaling factor where shifts are scaled (A_mu of Pacejka).
_DEGRESSIVE = 10


@dataclass(frozen=True)
class _Side:
    """The lateral force divided by the load at pure slip, and what the moments need of it."""

    force: Expr
    friction: Expr
    steepness: Expr
    residual: Expr


class MagicFormula61(MagicFormula):
    """The formulas of one tyre (FITTYP 61)."""

    defaults: Mapping[str, Fraction] = {
        **DEFAULTS,
        **dict.fromkeys(("LKYC", "LKZC", "LMP", "Q_RE0", "QSY7"), Fraction(1)),
        "PKY4": Fraction(2),
    }

    @property
    def pressure(self) -> Expr:
        """The deviation of the inflation pressure from the nominal one, as a part of it."""
        if "NOMPRES" not in self._coefficients or "INFLPRES" not in self._coefficients:
            return self.dag.zero
        return self["INFLPRES"] / self["NOMPRES"] - 1

    # --- vertical ------------------------------------------------------------------------------------

    @property
    def vertical_stiffness(self) -> Expr:
        return self["VERTICAL_STIFFNESS"] * self["LCZ"] * (1 + self["PFZ1"] * self.pressure)

    def _free_radius(self, at: Pressed) -> Expr:
        relative = self.radius * at.spin / self["LONGVL"]
        return self.radius * (self["Q_RE0"] + self["Q_V1"] * relative * relative)

    def load(self, at: Pressed) -> Expr:
        nominal, root = (
            self["FNOMIN"],
            self["VERTICAL_STIFFNESS"] * self["LCZ"] * self.radius / self["FNOMIN"],
        )
        linear = self.dag.call("sqrt", root * root - 4 * self["Q_FZ2"])
        pressed = (at.deflection + self._free_radius(at) - self.radius) / self.radius
        # Odd in the deflection: a wheel far above the road has no load, either.
        grown = pressed * (linear + self["Q_FZ2"] * magnitude(self.dag, pressed))
        spinning = 1 + self["Q_V2"] * magnitude(self.dag, at.spin) * self.radius / self["LONGVL"]
        elastic = nominal * spinning * grown * (1 + self["PFZ1"] * self.pressure)
        return self.dag.call("max", elastic + self["VERTICAL_DAMPING"] * at.rate, 0)

    @property
    def yielding(self) -> bool:  # type: ignore[override]  # it depends on the coefficients
        return not (self["Q_FCX"].is_zero and self["Q_FCY"].is_zero)

    def yielded(self, load: Expr, at: Contact) -> Expr:
        found = self._forces(replace(at, load=load))
        part_x, part_y = self["Q_FCX"] * found[0], self["Q_FCY"] * found[1]
        relative = load / self["FNOMIN"]
        lost = (part_x * part_x + part_y * part_y) * relative * relative
        return 2 * load / (1 + self.dag.call("sqrt", 1 + 4 * lost))

    def effective_radius(self, at: Pressed, load: Expr) -> Expr:
        relative, scale = load / self["FNOMIN"], self["FNOMIN"] / self.vertical_stiffness
        growth = self["DREFF"] * self.dag.call("atan", self["BREFF"] * relative) + self["FREFF"] * relative
        return self._free_radius(at) - scale * growth

    # --- stiffnesses ---------------------------------------------------------------------------------

    def relaxation_lengths(self, load: Expr, tilt: Expr) -> tuple[Expr, Expr]:
        dfz, dpi = self.relative_load(load), self.pressure
        along, across = (
            self[f"{name}_STIFFNESS"]
            * (1 + self[f"PCF{axis}1"] * dfz + self[f"PCF{axis}2"] * dfz**2)
            * (1 + self[f"PCF{axis}3"] * dpi)
            for name, axis in (("LONGITUDINAL", "X"), ("LATERAL", "Y"))
        )
        side = magnitude(self.dag, self.cornering_stiffness(load, tilt))
        return load * self.slip_stiffness(load) / along, load * side / across

    def slip_stiffness(self, load: Expr) -> Expr:
        dpi = self.pressure
        return super().slip_stiffness(load) * (1 + self["PPX1"] * dpi + self["PPX2"] * dpi**2)

    def cornering_stiffness(self, load: Expr, tilt: Expr) -> Expr:
        dpi, call = self.pressure, self.dag.call
        relative = load / self.nominal
        relative = call("sqrt", relative * relative + _LITTLE)
        peak = (self["PKY2"] + self["PKY5"] * tilt**2) * (1 + self["PPY2"] * dpi)
        curve = call("sin", self["PKY4"] * call("atan", relative / peak)) / relative
        leaning = 1 - self["PKY3"] * magnitude(self.dag, tilt)
        return self["PKY1"] * (1 + self["PPY1"] * dpi) * leaning * curve * self["LKY"]

    # --- forces, divided by the load -----------------------------------------------------------------

    def _scale(self, name: str, at: Contact, tangent: Expr) -> tuple[Expr, Expr]:
        """The friction's scaling factor at the speed of slip, and the one of shifts."""
        whole = self[name]
        if not self["LMUV"].is_zero:
            slid = self.dag.call("sqrt", at.slip**2 + tangent**2 + _TINY) * magnitude(self.dag, at.speed)
            whole = whole / (1 + self["LMUV"] * slid / self["LONGVL"])
        return whole, _DEGRESSIVE * whole / (1 + (_DEGRESSIVE - 1) * whole)

    def _along(self, at: Contact) -> Expr:
        """The longitudinal force at pure slip."""
        dfz, dpi = self.relative_load(at.load), self.pressure
        scale, shifted = self._scale("LMUX", at, self.dag.zero)
        slip = at.slip + (self["PHX1"] + self["PHX2"] * dfz) * self["LHX"]
        shape = self["PCX1"] * self["LCX"]
        friction = (self["PDX1"] + self["PDX2"] * dfz) * (1 + self["PPX3"] * dpi + self["PPX4"] * dpi**2)
        friction = friction * (1 - self["PDX3"] * at.inclination**2) * scale
        curve = self["PEX1"] + self["PEX2"] * dfz + self["PEX3"] * dfz**2
        curve = curve * (1 - self["PEX4"] * self._sign(slip)) * self["LEX"]
        steep = self.slip_stiffness(at.load) / (shape * friction)
        shift = (self["PVX1"] + self["PVX2"] * dfz) * self["LVX"] * shifted
        return friction * self._sine(steep, shape, curve, slip) + shift

    def _across(self, at: Contact) -> _Side:
        dfz, dpi, tilt = self.relative_load(at.load), self.pressure, at.tilt
        pure = replace(at, slip=self.dag.zero)
        scale, shifted = self._scale("LMUY", pure, at.tangent)
        stiffness = self.cornering_stiffness(at.load, tilt)
        leaning = (self["PVY3"] + self["PVY4"] * dfz) * tilt * self["LKYC"] * shifted
        shift = (self["PVY1"] + self["PVY2"] * dfz) * self["LVY"] * shifted + leaning
        camber = (self["PKY6"] + self["PKY7"] * dfz) * (1 + self["PPY5"] * dpi) * self["LKYC"]
        offset = (self["PHY1"] + self["PHY2"] * dfz) * self["LHY"] + (camber * tilt - leaning) / stiffness
        angle = at.tangent + offset
        shape = self["PCY1"] * self["LCY"]
        friction = self._lateral_friction(at) * scale
        sided = (self["PEY3"] + self["PEY4"] * tilt) * self._sign(angle)
        curve = (self["PEY1"] + self["PEY2"] * dfz) * (1 + self["PEY5"] * tilt**2 - sided) * self["LEY"]
        steep = stiffness / (shape * friction)
        force = friction * self._sine(steep, shape, curve, angle) + shift
        return _Side(force, friction, steep * shape, angle + shift / stiffness)

    def _lateral_friction(self, at: Contact) -> Expr:
        dfz, dpi = self.relative_load(at.load), self.pressure
        friction = (self["PDY1"] + self["PDY2"] * dfz) * (1 + self["PPY3"] * dpi + self["PPY4"] * dpi**2)
        return friction * (1 - self["PDY3"] * at.tilt**2)

    def _forces(self, at: Contact) -> tuple[Expr, Expr]:
        fx = self._along(at) * self._weight_x(at)
        return fx, self._across(at).force * self._weight_y(at) + self._ply(at)

    def _weight_x(self, at: Contact) -> Expr:
        dfz = self.relative_load(at.load)
        steep = (self["RBX1"] + self["RBX3"] * at.tilt**2) * self._cosine_of(self["RBX2"] * at.slip)
        curve, offset = self["REX1"] + self["REX2"] * dfz, self["RHX1"]
        return self._weight(steep * self["LXAL"], self["RCX1"], curve, at.tangent, offset)

    def _weight_y(self, at: Contact) -> Expr:
        dfz = self.relative_load(at.load)
        steep = self._cosine_of(self["RBY2"] * (at.tangent - self["RBY3"])) * self["LYKA"]
        steep = (self["RBY1"] + self["RBY4"] * at.tilt**2) * steep
        curve, offset = self["REY1"] + self["REY2"] * dfz, self["RHY1"] + self["RHY2"] * dfz
        return self._weight(steep, self["RCY1"], curve, at.slip, offset)

    def _weight(self, steep: Expr, shape: Expr, curve: Expr, slip: Expr, offset: Expr) -> Expr:
        return self._cosine(steep, shape, curve, slip + offset) / self._cosine(steep, shape, curve, offset)

    def _ply(self, at: Contact) -> Expr:
        """The lateral force that longitudinal slip induces."""
        dfz = self.relative_load(at.load)
        size = self["RVY1"] + self["RVY2"] * dfz + self["RVY3"] * at.tilt
        size = size * self._lateral_friction(at) * self._scale("LMUY", at, at.tangent)[0]
        phase = self["RVY5"] * self.dag.call("atan", self["RVY6"] * at.slip)
        return size * self._cosine_of(self["RVY4"] * at.tangent) * self.dag.call("sin", phase) * self["LVYKA"]

    # --- forces and moments --------------------------------------------------------------------------

    def patch(self, at: Contact) -> Patch:
        weight, side = self._weight_y(at), self._across(at)
        fx = at.load * self._along(at) * self._weight_x(at)
        fy = at.load * (side.force * weight + self._ply(at))
        # The trail acts on the force that there would be without inclination.
        upright = at.load * self._across(replace(at, tilt=self.dag.zero)).force * weight
        equivalent = (
            self.slip_stiffness(at.load) / self.cornering_stiffness(at.load, at.tilt) * at.slip
        ) ** 2
        dfz = self.relative_load(at.load)
        mz = self._residual(at, side, equivalent) - self._lever(at, equivalent) * upright
        mz = mz + self._arm(dfz, fy, at.inclination) * fx
        return Patch(fx, fy, self._overturning(at, fy), self._resistance(at, fx), mz)

    def _lever(self, at: Contact, equivalent: Expr) -> Expr:
        """The pneumatic trail."""
        dfz, gamma, call = self.relative_load(at.load), at.inclination, self.dag.call
        offset = self["QHZ1"] + self["QHZ2"] * dfz + (self["QHZ3"] + self["QHZ4"] * dfz) * at.tilt
        angle = at.tangent + offset
        combined = call("atan", call("sqrt", call("tan", angle) ** 2 + equivalent + _TINY))
        steep = self["QBZ1"] + self["QBZ2"] * dfz + self["QBZ3"] * dfz**2
        tilt = 1 + self["QBZ4"] * gamma + self["QBZ5"] * magnitude(self.dag, gamma)
        steep = steep * tilt * self["LKY"] / self._scale("LMUY", at, at.tangent)[0]
        peak = (self["QDZ1"] + self["QDZ2"] * dfz) * (1 - self["PPZ1"] * self.pressure)
        peak = peak * (1 + self["QDZ3"] * gamma + self["QDZ4"] * gamma**2)
        peak = at.load * peak * self.radius / self["FNOMIN"] * self["LTR"]
        sided = (self["QEZ4"] + self["QEZ5"] * at.tilt) * Fraction(2 / math.pi)
        curve = self["QEZ1"] + self["QEZ2"] * dfz + self["QEZ3"] * dfz**2
        curve = curve * (1 + sided * call("atan", steep * self["QCZ1"] * angle))
        return peak * self._cosine(steep, self["QCZ1"], curve, combined) * self._cosine_of(at.tangent)

    def _residual(self, at: Contact, side: _Side, equivalent: Expr) -> Expr:
        dfz, tilt, call = self.relative_load(at.load), at.tilt, self.dag.call
        scale = self._scale("LMUY", at, at.tangent)[0]
        combined = call("atan", call("sqrt", call("tan", side.residual) ** 2 + equivalent + _TINY))
        steep = self["QBZ9"] * self["LKY"] / scale + self["QBZ10"] * side.steepness
        leaning = (self["QDZ8"] + self["QDZ9"] * dfz) * (1 + self["PPZ2"] * self.pressure)
        leaning = leaning + (self["QDZ10"] + self["QDZ11"] * dfz) * magnitude(self.dag, tilt)
        peak = (self["QDZ6"] + self["QDZ7"] * dfz) * self["LRES"] + leaning * tilt * self["LKZC"]
        peak = at.load * self.radius * peak * scale * self._cosine_of(at.tangent)
        return peak * self._cosine_of(steep * combined)

    def _overturning(self, at: Contact, fy: Expr) -> Expr:
        gamma, call = at.inclination, self.dag.call
        pressed, sideways = at.load / self["FNOMIN"], fy / self["FNOMIN"]
        leant = magnitude(self.dag, gamma)
        sum_ = self["QSX1"] * self["LVMX"] - self["QSX2"] * gamma * (1 + self["PPMX1"] * self.pressure)
        sum_ = sum_ - self["QSX12"] * gamma * leant + self["QSX3"] * sideways
        curved = call("cos", self["QSX5"] * call("atan", (self["QSX6"] * pressed) ** 2))
        swung = self["QSX7"] * gamma + self["QSX8"] * call("atan", self["QSX9"] * sideways)
        sum_ = sum_ + self["QSX4"] * curved * call("sin", swung)
        sum_ = sum_ + self["QSX10"] * call("atan", self["QSX11"] * pressed) * gamma
        moved = fy * (self["QSX13"] + self["QSX14"] * leant)
        return self.radius * self["LMX"] * (at.load * sum_ + moved)

    def _resistance(self, at: Contact, fx: Expr) -> Expr:
        """M_y, which is negative where it resists rolling forward."""
        speed, call = at.speed / self["LONGVL"], self.dag.call
        pressed = at.load / self["FNOMIN"]
        relative = self["QSY1"] + self["QSY2"] * fx / self["FNOMIN"]
        relative = relative + self["QSY3"] * magnitude(self.dag, speed) + self["QSY4"] * speed**4
        relative = relative + (self["QSY5"] + self["QSY6"] * pressed) * at.inclination**2
        # The power of the load, with a factor that is one wherever there is a load.
        growth = call("pow", call("sqrt", pressed * pressed + _LITTLE), self["QSY7"] - 1)
        growth = growth * call("pow", 1 + self.pressure, self["QSY8"])
        way = rolling_way(self.dag, at.speed, self.low_speed)
        return -1 * self.radius * at.load * relative * growth * way * self["LMY"]
