"""What a law of tyres is: the load, radius, slip stiffness, force and moment of a tyre on its road.

The frame of the contact is ISO-W: x forward, y to the left, z up. The longitudinal slip is -V_sx/|V_x|, the
tangent of the slip angle is V_sy/|V_x|, and the sine of the inclination is the component along z of the axle,
which points to the left.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from fmugen.expr.dag import Dag, Expr

__all__ = ["Contact", "Patch", "Pressed", "TyreLaw", "larger", "magnitude", "rolling_way"]

#: Far below the square of any slip: the root of x^2 plus this has a derivative at zero.
_TINY = Fraction(1, 10**300)


def magnitude(dag: Dag, x: Expr) -> Expr:
    """``|x|`` as a smooth function: laws that use it have no event at zero."""
    return dag.call("sqrt", x * x + _TINY)


def larger(a: Expr, b: Expr | int) -> Expr:
    """The larger of two, without an event where they are equal."""
    return (a + b + magnitude(a.dag, a - b)) / 2


def rolling_way(dag: Dag, speed: Expr, low_speed: Expr) -> Expr:
    """One where the wheel rolls forward, minus one backward, in between below the low speed."""
    slow = speed / low_speed
    return (magnitude(dag, slow + 1) - magnitude(dag, slow - 1)) / 2


@dataclass(frozen=True)
class Pressed:
    """The unloaded radius less the loaded one, its rate, and the spin about the axle."""

    deflection: Expr
    rate: Expr
    spin: Expr


@dataclass(frozen=True)
class Contact:
    """What force and moment depend on: load, slips, inclination and forward speed.

    ``tangent`` is that of the slip angle, ``tilt`` the sine of the inclination.
    """

    load: Expr
    slip: Expr
    tangent: Expr
    tilt: Expr
    speed: Expr

    @property
    def angle(self) -> Expr:
        return self.load.dag.call("atan", self.tangent)

    @property
    def inclination(self) -> Expr:
        return self.load.dag.call("asin", self.tilt)


@dataclass(frozen=True)
class Patch:
    """The force in the plane of the road and the moment, in the frame of the contact."""

    fx: Expr
    fy: Expr
    mx: Expr
    my: Expr
    mz: Expr


class TyreLaw(ABC):
    """The law of one tyre.

    ``radius`` is that of the unloaded tyre. Below ``low_speed`` slips are limited. ``side`` is one if the law
    is that of a left tyre, minus one for a right one.
    """

    def __init__(self, dag: Dag) -> None:
        self.dag = dag

    @property
    @abstractmethod
    def radius(self) -> Expr: ...

    @property
    @abstractmethod
    def low_speed(self) -> Expr: ...

    @property
    def side(self) -> Expr:
        return self.dag.one

    @abstractmethod
    def load(self, at: Pressed) -> Expr:
        """The load, which never pulls."""

    #: Whether the forces in the plane of the road change the load.
    yielding = False

    def yielded(self, load: Expr, at: Contact) -> Expr:
        """The load that is left of ``load`` under the forces in the plane of the road."""
        return load

    @abstractmethod
    def effective_radius(self, at: Pressed, load: Expr) -> Expr:
        """The radius that takes the spin of a freely rolling wheel to its speed."""

    @abstractmethod
    def relaxation_lengths(self, load: Expr, tilt: Expr) -> tuple[Expr, Expr]:
        """How far the tyre rolls until the longitudinal and the lateral slip have built up to 1 - 1/e."""

    @abstractmethod
    def slip_stiffness(self, load: Expr) -> Expr:
        """The growth of the longitudinal force with slip, divided by the load."""

    @abstractmethod
    def cornering_stiffness(self, load: Expr, tilt: Expr) -> Expr:
        """The growth of the lateral force with the slip angle, divided by the load."""

    @abstractmethod
    def patch(self, at: Contact) -> Patch:
        """The force and the moment."""
