"""Laws that translation and rotation in one dimension have in common (McPhee, Table 3).

The coefficient of a law is the first of the component's ``values``, whatever its discipline calls it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.components.network import NetworkComponent, Variables, between
from fmugen.expr.dag import Expr
from fmugen.ir.graph import Rank

__all__ = ["AcrossSource", "Damping", "Elastic", "Inertial", "RateSource", "ThroughSource"]


class _Law(NetworkComponent):
    def coefficient(self, at: Variables) -> Expr:
        return at[self.values[0].name]


class Inertial(_Law):
    """Mass times acceleration, relative to the ground."""

    edges = (between("from", "to", Rank.CAPACITIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + self.coefficient(at) * at.across(order=2)


class Elastic(_Law):
    """Stiffness times what exceeds the relaxed displacement, the second value."""

    edges = (between("from", "to", Rank.INDUCTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + self.coefficient(at) * (at.across() - at[self.values[1].name])


class Damping(_Law):
    edges = (between("from", "to", Rank.RESISTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + self.coefficient(at) * at.across(order=1)


class AcrossSource(_Law):
    edges = (between("from", "to", Rank.ACROSS_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across() - self.coefficient(at)


class RateSource(_Law):
    edges = (between("from", "to", Rank.ACROSS_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across(order=1) - self.coefficient(at)


class ThroughSource(_Law):
    edges = (between("from", "to", Rank.THROUGH_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() - self.coefficient(at)
