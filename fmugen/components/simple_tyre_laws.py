"""Laws of tyres with few numbers: linear, Fiala, and the brush.

Stiffnesses are those at the nominal load and grow with the load, so that a wheel in the air has no force. In
the formulas k is the longitudinal slip, t the tangent of the slip angle, s the sine of the inclination.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from fmugen.components.tyre_law import Contact, Patch, Pressed, TyreLaw, larger, magnitude, rolling_way
from fmugen.expr.dag import Dag, Expr

__all__ = ["BrushLaw", "FialaLaw", "LinearLaw", "SimpleLaw", "TyreNumbers"]

_TINY = Fraction(1, 10**300)
#: The brush slides wholly where 1 + slip is less than this.
_LOCKED = Fraction(1, 1000)


@dataclass(frozen=True)
class TyreNumbers:
    """What all of these laws have; stiffnesses at the nominal load."""

    radius: Expr
    nominal_load: Expr
    vertical_stiffness: Expr
    vertical_damping: Expr
    slip_stiffness: Expr
    cornering_stiffness: Expr
    relaxation_x: Expr
    relaxation_y: Expr
    rolling_resistance: Expr
    low_speed: Expr


class SimpleLaw(TyreLaw):
    """Base of these laws."""

    def __init__(self, dag: Dag, numbers: TyreNumbers) -> None:
        super().__init__(dag)
        self.numbers = numbers

    @property
    def radius(self) -> Expr:
        return self.numbers.radius

    @property
    def low_speed(self) -> Expr:
        return self.numbers.low_speed

    def load(self, at: Pressed) -> Expr:
        elastic = self.numbers.vertical_stiffness * at.deflection
        return self.dag.call("max", elastic + self.numbers.vertical_damping * at.rate, 0)

    def effective_radius(self, at: Pressed, load: Expr) -> Expr:
        """A third of the deflection is lost, as in a tyre with a stiff belt."""
        return self.radius - at.deflection / 3

    def relaxation_lengths(self, load: Expr, tilt: Expr) -> tuple[Expr, Expr]:
        return self.numbers.relaxation_x, self.numbers.relaxation_y

    def slip_stiffness(self, load: Expr) -> Expr:
        return self.numbers.slip_stiffness / self.numbers.nominal_load

    def cornering_stiffness(self, load: Expr, tilt: Expr) -> Expr:
        return self.numbers.cornering_stiffness / self.numbers.nominal_load

    def patch(self, at: Contact) -> Patch:
        fx, fy, mz = self.forces(at)
        way = rolling_way(self.dag, at.speed, self.low_speed)
        my = -1 * self.numbers.rolling_resistance * self.radius * at.load * way
        return Patch(at.load * fx, at.load * fy, self.dag.zero, my, at.load * mz)

    @abstractmethod
    def forces(self, at: Contact) -> tuple[Expr, Expr, Expr]:
        """The two forces and the aligning moment, divided by the load."""


class LinearLaw(SimpleLaw):
    """F_x = C_k k,  F_y = -C_a t - C_s s,  M_z = -trail F_y: without a limit of friction."""

    def __init__(self, dag: Dag, numbers: TyreNumbers, camber_stiffness: Expr, trail: Expr) -> None:
        super().__init__(dag, numbers)
        self._camber, self._trail = camber_stiffness / numbers.nominal_load, trail

    def forces(self, at: Contact) -> tuple[Expr, Expr, Expr]:
        fy = -1 * self.cornering_stiffness(at.load, at.tilt) * at.tangent - self._camber * at.tilt
        return self.slip_stiffness(at.load) * at.slip, fy, -1 * self._trail * fy


class FialaLaw(SimpleLaw):
    """Fiala's tyre: friction falls from its static to its sliding value with u = sqrt(k^2 + t^2) <= 1.

    With r = 2 C_k |k|/(mu F_z) the longitudinal force is mu F_z r/2 up to r = 1, then mu F_z (1 - 1/(2 r)).
    With H = 1 - C_a |t|/(3 mu F_z), at least 0, the lateral force is mu F_z (1 - H^3), the aligning moment
    mu F_z width (1 - H) H^3.
    """

    def __init__(
        self, dag: Dag, numbers: TyreNumbers, friction: Expr, sliding_friction: Expr, width: Expr
    ) -> None:
        super().__init__(dag, numbers)
        self._friction, self._sliding, self._width = friction, sliding_friction, width

    def forces(self, at: Contact) -> tuple[Expr, Expr, Expr]:
        dag = self.dag
        slid = dag.call("sqrt", at.slip**2 + at.tangent**2 + _TINY)
        slid = (1 + slid - magnitude(dag, 1 - slid)) / 2
        friction = self._friction - (self._friction - self._sliding) * slid
        # r/m (1 - 1/(2 m)) with m = max(r, 1) is both branches.
        stiffness = 2 * self.slip_stiffness(at.load) / friction
        beyond = larger(stiffness * magnitude(dag, at.slip), 1)
        fx = friction * stiffness * at.slip / beyond * (1 - 1 / (2 * beyond))
        aside = self.cornering_stiffness(at.load, at.tilt) * magnitude(dag, at.tangent) / (3 * friction)
        left = larger(1 - aside, 0)
        way = at.tangent / magnitude(dag, at.tangent)
        fy = -1 * friction * (1 - left**3) * way
        return fx, fy, friction * self._width * (1 - left) * left**3 * way


class BrushLaw(SimpleLaw):
    """Bristles under a parabolic pressure over a contact of the length 2 a (Pacejka, section 3.2).

    With the deflections p = C_k k/(1 + k) and q = C_a t/(1 + k), and x = sqrt(p^2 + q^2)/(3 mu F_z), at
    most 1, the force mu F_z (1 - (1 - x)^3) opposes the sliding of the bristles. The trail of the lateral
    force is a/3 (1 - x)^3/(1 - x + x^2/3).
    """

    def __init__(self, dag: Dag, numbers: TyreNumbers, friction: Expr, contact_length: Expr) -> None:
        super().__init__(dag, numbers)
        self._friction, self._length = friction, contact_length

    def forces(self, at: Contact) -> tuple[Expr, Expr, Expr]:
        dag = self.dag
        p = self.slip_stiffness(at.load) * at.slip
        q = self.cornering_stiffness(at.load, at.tilt) * at.tangent
        size = dag.call("sqrt", p * p + q * q + _TINY)
        rolled = larger(magnitude(dag, 1 + at.slip), self.dag.number(_LOCKED))
        left = larger(1 - size / (3 * self._friction * rolled), 0)
        used = 1 - left
        force = self._friction * (1 - left**3) / size
        fy = -1 * force * q
        trail = self._length / 6 * left**3 / (left + used * used / 3)
        return force * p, fy, -1 * trail * fy
