"""Hydraulic components (McPhee, Table 2 and Figure 3).

``p`` is the pressure drop from ``from`` to ``to``, ``q`` the volume flow that way through the component.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from fmugen.components import laws
from fmugen.components.network import NetworkComponent, Terminal, Value, Variables, between, ends
from fmugen.expr.dag import Expr
from fmugen.ir.graph import Rank
from fmugen.ir.model import GROUND
from fmugen.ir.network import Discipline

__all__: list[str] = []

_HALF = Fraction(1, 2)
_FLOW = Value("flow", "m3/s", "give the volume flow", free=True)
_CAPACITANCE = Value("capacitance", "m3/Pa", "give the volume stored per pressure")


class _Hydraulic(NetworkComponent):
    section = "hydraulic"
    terminals: ClassVar[tuple[Terminal, ...]] = ends(Discipline.HYDRAULIC)


class PressureSource(_Hydraulic, laws.AcrossSource):
    """p = p(t): a constant head, or a pressure that is given."""

    type = "pressure_source"
    values = (Value("pressure", "Pa", "give the pressure", free=True),)


class FlowSource(_Hydraulic, laws.ThroughSource):
    """q = q(t)."""

    type = "flow_source"
    values = (_FLOW,)


class Pump(FlowSource):
    """q = q(t), into `to`."""

    type = "pump"
    terminals = ends(Discipline.HYDRAULIC, tail=GROUND)


class Consumption(FlowSource):
    """q = q(t), out of `from`."""

    type = "consumption"
    terminals = ends(Discipline.HYDRAULIC, head=GROUND)


class Resistance(_Hydraulic):
    """p = R q (q² + q0²)^((k-1)/2), nearly R q^k with the sign of q; q0 is `smoothing`."""

    type = "resistance"
    values = (
        Value("resistance", "1", "give R of p = R q^k", free=True),
        Value("exponent", "1", "give k of p = R q^k", 1.0),
        Value("smoothing", "m3/s", "give the flow below which the law is linear", 1e-6),
    )
    edges = (between("from", "to", Rank.RESISTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        flow, exponent = at.through(), (at["exponent"] - 1) * _HALF
        slope = at["resistance"]
        if not exponent.is_zero:
            slope = slope * at.dag.call("pow", flow**2 + at["smoothing"] ** 2, exponent)
        yield at.across() - slope * flow


class Inertance(_Hydraulic, laws.ThroughStorage):
    """p = L q'."""

    type = "inertance"
    values = (Value("inertance", "kg/m4", "give the inertance"),)


class Compliance(_Hydraulic, laws.AcrossStorage):
    """q = C p'."""

    type = "compliance"
    values = (_CAPACITANCE,)


class Reservoir(Compliance):
    """q = C p', the pressure of a tank that rises with what flows in."""

    type = "reservoir"
    terminals = ends(Discipline.HYDRAULIC, head=GROUND)


class TwoOutletReservoir(_Hydraulic):
    """p1 = p2, q1 + q2 = C p1', against the ground (McPhee, Figure 3)."""

    type = "two_outlet_reservoir"
    terminals = (Terminal("first", Discipline.HYDRAULIC), Terminal("second", Discipline.HYDRAULIC))
    values = (_CAPACITANCE,)
    edges = (
        between("first", GROUND, Rank.CAPACITIVE, "1"),
        between("second", GROUND, Rank.COUPLED_ACROSS, "2"),
    )

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through(0) + at.through(1) - at["capacitance"] * at.across(0, order=1)
        yield at.across(0) - at.across(1)
