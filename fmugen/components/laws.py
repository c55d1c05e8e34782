"""Laws that components of several disciplines have in common (McPhee, Tables 1 to 3).

A class of a discipline adds its type, terminals and values to one of them. The coefficient of a law is the
first of the component's ``values``, whatever its discipline calls it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.network import NetworkComponent, Variables, between
from fmugen.expr.dag import Expr
from fmugen.ir.graph import Rank

__all__ = [
    "AcrossRateSource",
    "AcrossSource",
    "AcrossStorage",
    "Damping",
    "Elastic",
    "Inertial",
    "Resistive",
    "ThroughSource",
    "ThroughStorage",
    "Transforming",
]


class _Law(NetworkComponent):
    def coefficient(self, at: Variables) -> Expr:
        return at[self.values[0].name]


# --- every discipline ----------------------------------------------------------------------------


class AcrossSource(_Law):
    """The across variable is given."""

    edges = (between("from", "to", Rank.ACROSS_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across() - self.coefficient(at)


class ThroughSource(_Law):
    """The through variable is given."""

    edges = (between("from", "to", Rank.THROUGH_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() - self.coefficient(at)


class Transforming(_Law):
    """Two edges with a fixed ratio of their across variables; power is neither stored nor lost."""

    def equations(self, at: Variables) -> Iterator[Expr]:
        ratio = self.coefficient(at)
        yield at.across(0) - ratio * at.across(1)
        yield at.through(1) + ratio * at.through(0)


# --- electrical and hydraulic --------------------------------------------------------------------


class Resistive(_Law):
    """across = coefficient * through"""

    edges = (between("from", "to", Rank.RESISTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across() - self.coefficient(at) * at.through()


class AcrossStorage(_Law):
    """through = coefficient * rate of across"""

    edges = (between("from", "to", Rank.CAPACITIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() - self.coefficient(at) * at.across(order=1)


class ThroughStorage(_Law):
    """across = coefficient * rate of through"""

    edges = (between("from", "to", Rank.INDUCTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across() - self.coefficient(at) * at.through(order=1)


# --- translation and rotation, whose across variable is a displacement ---------------------------


class Inertial(_Law):
    """Mass times acceleration, relative to the ground."""

    edges = (between("from", "to", Rank.CAPACITIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + self.coefficient(at) * at.across(order=2)


class Elastic(_Law):
    """Stiffness times the displacement beyond the relaxed one, which is the second value."""

    edges = (between("from", "to", Rank.INDUCTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + self.coefficient(at) * (at.across() - at[self.values[1].name])


class Damping(_Law):
    """Damping constant times velocity."""

    edges = (between("from", "to", Rank.RESISTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + self.coefficient(at) * at.across(order=1)


class AcrossRateSource(_Law):
    """The velocity is given."""

    edges = (between("from", "to", Rank.ACROSS_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across(order=1) - self.coefficient(at)
