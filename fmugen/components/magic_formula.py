"""The Magic Formula of a tyre: forces and moments in the contact patch from load, slips and inclination.

The equations are those of PAC2002 (MF-Tyre 5.2): Pacejka, Tire and Vehicle Dynamics, 2nd edition, section
4.3, with `alpha` and `gamma` as angles in rad. They are written for few operations. Stiffnesses and peaks
are divided by the load, so that nothing is 0/0 where the wheel lifts off, and

    cos(atan x) = 1/sqrt(1 + x^2)        sin(2 atan x) = 2 x/(1 + x^2)

Aligning and residual moment are even functions of the equivalent slips, whose signs drop out.

The frame of the contact is ISO-W: x forward, y to the left, z up; longitudinal slip is -V_sx/|V_x|, and
the tangent of the slip angle is V_sy/|V_x|.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from fmugen.components.tyre_law import Contact, Patch, Pressed, TyreLaw, magnitude, rolling_way
from fmugen.expr.dag import Dag, Expr

__all__ = ["DEFAULTS", "REQUIRED_COEFFICIENTS", "MagicFormula"]

#: Far below the square of any slip angle.
_TINY = Fraction(1, 10**300)

#: Coefficients without which there is no tyre.
REQUIRED_COEFFICIENTS = (
    *("UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "FNOMIN"),
    *("PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2"),
)
#: What coefficients are that a file leaves out and that are not zero.
DEFAULTS: Mapping[str, Fraction] = {
    **dict.fromkeys(
        (
            *("LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LGAX"),
            *("LCY", "LMUY", "LEY", "LKY", "LHY", "LVY", "LGAY", "LTR", "LRES", "LGAZ"),
            *("LXAL", "LYKA", "LVYKA", "LS", "LSGKP", "LSGAL", "LMX", "LVMX", "LMY", "LCZ"),
        ),
        Fraction(1),
    ),
    "LONGVL": Fraction("16.6"),
    "VXLOW": Fraction(1),
    "PTY2": Fraction(1),
    # One for a file of a left tyre, minus one for that of a right tyre.
    "TYRESIDE": Fraction(1),
}


class MagicFormula(TyreLaw):
    """The formulas of one tyre.

    ``coefficients`` are those of its file by their names; what is left out has the neutral value.
    """

    defaults = DEFAULTS

    def __init__(self, dag: Dag, coefficients: Mapping[str, Expr]) -> None:
        super().__init__(dag)
        self._coefficients = coefficients

    def __getitem__(self, name: str) -> Expr:
        found = self._coefficients.get(name)
        return self.dag.number(self.defaults.get(name, Fraction(0))) if found is None else found

    @property
    def radius(self) -> Expr:
        return self["UNLOADED_RADIUS"]

    @property
    def low_speed(self) -> Expr:
        return self["VXLOW"]

    @property
    def side(self) -> Expr:
        return self["TYRESIDE"]

    # --- vertical ------------------------------------------------------------------------------------

    @property
    def nominal(self) -> Expr:
        """The nominal load, scaled."""
        return self["FNOMIN"] * self["LFZO"]

    def relative_load(self, load: Expr) -> Expr:
        return load / self.nominal - 1

    def load(self, at: Pressed) -> Expr:
        stiffness = self["VERTICAL_STIFFNESS"] * self["LCZ"]
        return self.dag.call("max", stiffness * at.deflection + self["VERTICAL_DAMPING"] * at.rate, 0)

    def effective_radius(self, at: Pressed, load: Expr) -> Expr:
        scale = self["FNOMIN"] / (self["VERTICAL_STIFFNESS"] * self["LCZ"])
        relative = at.deflection / scale
        growth = self["DREFF"] * self.dag.call("atan", self["BREFF"] * relative) + self["FREFF"] * relative
        return self["UNLOADED_RADIUS"] - scale * growth

    # --- relaxation ----------------------------------------------------------------------------------

    def relaxation_lengths(self, load: Expr, tilt: Expr) -> tuple[Expr, Expr]:
        dfz, radius = self.relative_load(load), self["UNLOADED_RADIUS"]
        along = load / self["FNOMIN"] * (self["PTX1"] + self["PTX2"] * dfz)
        along = along * self.dag.call("exp", -1 * self["PTX3"] * dfz) * radius * self["LSGKP"]
        peak = self._double_sine(load / (self["PTY2"] * self.nominal))
        return along, self["PTY1"] * peak * self._leaning(tilt) * radius * self["LFZO"] * self["LSGAL"]

    # --- stiffnesses, per unit of load ---------------------------------------------------------------

    def slip_stiffness(self, load: Expr) -> Expr:
        dfz = self.relative_load(load)
        growth = self.dag.call("exp", self["PKX3"] * dfz)
        return (self["PKX1"] + self["PKX2"] * dfz) * growth * self["LKX"]

    def cornering_stiffness(self, load: Expr, tilt: Expr) -> Expr:
        relative = load / (self["PKY2"] * self.nominal)
        # sin(2 atan x) = 2 x/(1 + x^2), of which x is the load but for a constant.
        upright = self["PKY1"] / self["PKY2"] * 2 / (1 + relative * relative)
        return upright * self._leaning(tilt) * self["LKY"]

    def _leaning(self, tilt: Expr) -> Expr:
        """How inclination weakens the cornering stiffness."""
        return 1 - self["PKY3"] * magnitude(self.dag, self.dag.call("asin", tilt) * self["LGAY"])

    # --- all forces and moments ----------------------------------------------------------------------

    def patch(self, at: Contact) -> Patch:
        dfz, load, slip, angle = self.relative_load(at.load), at.load, at.slip, at.angle
        kx, ky = self.slip_stiffness(load), self.cornering_stiffness(load, at.tilt)

        gamma = at.inclination * self["LGAX"]
        slip_x = slip + (self["PHX1"] + self["PHX2"] * dfz) * self["LHX"]
        shape_x = self["PCX1"] * self["LCX"]
        mu_x = (self["PDX1"] + self["PDX2"] * dfz) * (1 - self["PDX3"] * gamma**2) * self["LMUX"]
        curve_x = self["PEX1"] + self["PEX2"] * dfz + self["PEX3"] * dfz**2
        curve_x = curve_x * (1 - self["PEX4"] * self._sign(slip_x)) * self["LEX"]
        shift_x = (self["PVX1"] + self["PVX2"] * dfz) * self["LVX"] * self["LMUX"]
        pure_x = mu_x * self._sine(kx / (shape_x * mu_x), shape_x, curve_x, slip_x) + shift_x
        fx = load * pure_x * self._longitudinal_weight(dfz, slip, angle)

        gamma = at.inclination * self["LGAY"]
        offset_y = (self["PHY1"] + self["PHY2"] * dfz) * self["LHY"] + self["PHY3"] * gamma
        angle_y = angle + offset_y
        shape_y = self["PCY1"] * self["LCY"]
        mu_y = (self["PDY1"] + self["PDY2"] * dfz) * (1 - self["PDY3"] * gamma**2) * self["LMUY"]
        sided = self["PEY3"] + self["PEY4"] * gamma
        curve_y = (self["PEY1"] + self["PEY2"] * dfz) * (1 - sided * self._sign(angle_y)) * self["LEY"]
        shift_y = (self["PVY1"] + self["PVY2"] * dfz) * self["LVY"]
        shift_y = (shift_y + (self["PVY3"] + self["PVY4"] * dfz) * gamma) * self["LMUY"]
        stiff_y = ky / (shape_y * mu_y)
        pure_y = mu_y * self._sine(stiff_y, shape_y, curve_y, angle_y) + shift_y
        weighted = load * pure_y * self._lateral_weight(dfz, slip, angle)
        fy = weighted + load * mu_y * self._ply_steer(dfz, at)

        equivalent = (kx / ky * slip) ** 2
        residual_angle = angle + offset_y + shift_y / ky
        residual_stiffness = self["QBZ9"] * self["LKY"] / self["LMUY"] + self["QBZ10"] * stiff_y * shape_y
        mz = self._residual_moment(dfz, at, residual_stiffness, residual_angle, equivalent)
        mz = mz - self._trail(dfz, at, equivalent) * weighted + self._arm(dfz, fy, at.inclination) * fx
        return Patch(fx, fy, self._overturning_moment(at, fy), self._rolling_resistance(at, fx), mz)

    def _longitudinal_weight(self, dfz: Expr, slip: Expr, angle: Expr) -> Expr:
        """G_x alpha: how the slip angle weakens the longitudinal force."""
        stiffness = self["RBX1"] * self._cosine_of(self["RBX2"] * slip) * self["LXAL"]
        curve, offset = self["REX1"] + self["REX2"] * dfz, self["RHX1"]
        weight = self._cosine(stiffness, self["RCX1"], curve, angle + offset)
        return weight / self._cosine(stiffness, self["RCX1"], curve, offset)

    def _lateral_weight(self, dfz: Expr, slip: Expr, angle: Expr) -> Expr:
        """G_y kappa: how the longitudinal slip weakens the lateral force."""
        stiffness = self["RBY1"] * self._cosine_of(self["RBY2"] * (angle - self["RBY3"])) * self["LYKA"]
        curve, offset = self["REY1"] + self["REY2"] * dfz, self["RHY1"] + self["RHY2"] * dfz
        weight = self._cosine(stiffness, self["RCY1"], curve, slip + offset)
        return weight / self._cosine(stiffness, self["RCY1"], curve, offset)

    def _ply_steer(self, dfz: Expr, at: Contact) -> Expr:
        """S_Vy kappa, the lateral force that longitudinal slip induces, divided by the load and mu_y."""
        size = self["RVY1"] + self["RVY2"] * dfz + self["RVY3"] * at.inclination
        phase = self["RVY5"] * self.dag.call("atan", self["RVY6"] * at.slip)
        return size * self._cosine_of(self["RVY4"] * at.angle) * self.dag.call("sin", phase) * self["LVYKA"]

    def _trail(self, dfz: Expr, at: Contact, equivalent: Expr) -> Expr:
        """The pneumatic trail; ``equivalent`` is the square of the longitudinal slip as a slip angle."""
        gamma, call = at.inclination * self["LGAZ"], self.dag.call
        offset = self["QHZ1"] + self["QHZ2"] * dfz + (self["QHZ3"] + self["QHZ4"] * dfz) * gamma
        angle = at.angle + offset
        combined = call("atan", call("sqrt", call("tan", angle) ** 2 + equivalent + _TINY))
        stiffness = self["QBZ1"] + self["QBZ2"] * dfz + self["QBZ3"] * dfz**2
        tilt = 1 + self["QBZ4"] * gamma + self["QBZ5"] * magnitude(self.dag, gamma)
        stiffness = stiffness * tilt * self["LKY"] / self["LMUY"]
        shape = self["QCZ1"]
        peak = (self["QDZ1"] + self["QDZ2"] * dfz) * (1 + self["QDZ3"] * gamma + self["QDZ4"] * gamma**2)
        peak = at.load * peak * self["UNLOADED_RADIUS"] / self["FNOMIN"] * self["LTR"]
        sided = (self["QEZ4"] + self["QEZ5"] * gamma) * Fraction(2 / math.pi)
        curve = self["QEZ1"] + self["QEZ2"] * dfz + self["QEZ3"] * dfz**2
        curve = curve * (1 + sided * call("atan", stiffness * shape * angle))
        return peak * self._cosine(stiffness, shape, curve, combined) * call("cos", at.angle)

    def _residual_moment(
        self, dfz: Expr, at: Contact, stiffness: Expr, angle: Expr, equivalent: Expr
    ) -> Expr:
        call, gamma = self.dag.call, at.inclination * self["LGAZ"]
        combined = call("atan", call("sqrt", call("tan", angle) ** 2 + equivalent + _TINY))
        peak = (self["QDZ6"] + self["QDZ7"] * dfz) * self["LRES"]
        peak = peak + (self["QDZ8"] + self["QDZ9"] * dfz) * gamma
        peak = at.load * peak * self["UNLOADED_RADIUS"] * self["LMUY"]
        return peak * self._cosine_of(stiffness * combined) * call("cos", at.angle)

    def _arm(self, dfz: Expr, fy: Expr, inclination: Expr) -> Expr:
        """The lateral displacement of the longitudinal force."""
        sided = (self["SSZ3"] + self["SSZ4"] * dfz) * inclination
        relative = self["SSZ1"] + self["SSZ2"] * fy / self["FNOMIN"] + sided
        return relative * self["UNLOADED_RADIUS"] * self["LS"]

    def _overturning_moment(self, at: Contact, fy: Expr) -> Expr:
        sided = -1 * self["QSX2"] * at.inclination + self["QSX3"] * fy / self["FNOMIN"]
        relative = self["QSX1"] * self["LVMX"] + sided * self["LMX"]
        return self["UNLOADED_RADIUS"] * at.load * relative

    def _rolling_resistance(self, at: Contact, fx: Expr) -> Expr:
        """M_y, which is negative where it resists rolling forward."""
        speed = at.speed / self["LONGVL"]
        relative = self["QSY1"] + self["QSY2"] * fx / self["FNOMIN"]
        relative = relative + self["QSY3"] * magnitude(self.dag, speed) + self["QSY4"] * speed**4
        # It turns round with the direction of rolling, and vanishes at standstill.
        way = rolling_way(self.dag, at.speed, self.low_speed)
        return -1 * self["UNLOADED_RADIUS"] * at.load * relative * way * self["LMY"]

    # --- curves --------------------------------------------------------------------------------------

    def _phase(self, stiffness: Expr, shape: Expr, curve: Expr, x: Expr) -> Expr:
        """``C atan(B x - E (B x - atan B x))`` with a curvature E of at most one."""
        steep, call = stiffness * x, self.dag.call
        beyond = steep - call("atan", steep)
        return shape * call("atan", steep - self._at_most_one(curve) * beyond)

    def _sine(self, stiffness: Expr, shape: Expr, curve: Expr, x: Expr) -> Expr:
        return self.dag.call("sin", self._phase(stiffness, shape, curve, x))

    def _cosine(self, stiffness: Expr, shape: Expr, curve: Expr, x: Expr) -> Expr:
        return self.dag.call("cos", self._phase(stiffness, shape, curve, x))

    def _cosine_of(self, tangent: Expr) -> Expr:
        """``cos(atan x)``."""
        return 1 / self.dag.call("sqrt", 1 + tangent * tangent)

    def _double_sine(self, tangent: Expr) -> Expr:
        """``sin(2 atan x)``."""
        return 2 * tangent / (1 + tangent * tangent)

    def _sign(self, x: Expr) -> Expr:
        """The sign of x, where only what vanishes with x has it as a factor."""
        return x / magnitude(self.dag, x)

    def _at_most_one(self, x: Expr) -> Expr:
        if x.constant:
            return self.dag.call("min", x, 1)
        return (1 + x - magnitude(self.dag, x - 1)) / 2
