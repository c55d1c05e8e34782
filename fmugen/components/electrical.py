"""Electrical components (McPhee, Table 1 and Figure 2).

``v`` is the voltage drop from ``from`` to ``to``, ``i`` the current that flows that way through a component.
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

_ENDS = ends(Discipline.ELECTRICAL)
_HALF = Fraction(1, 2)


class _Electrical(NetworkComponent):
    section = "electrical"
    terminals: ClassVar[tuple[Terminal, ...]] = _ENDS


class VoltageSource(_Electrical, laws.AcrossSource):
    """v = v(t); a controlled source where the formula uses quantities."""

    type = "voltage_source"
    values = (Value("voltage", "V", "give the voltage", free=True),)


class CurrentSource(_Electrical, laws.ThroughSource):
    """i = i(t); a controlled source where the formula uses quantities."""

    type = "current_source"
    values = (Value("current", "A", "give the current", free=True),)


class Resistor(_Electrical, laws.Resistive):
    """v = R i."""

    type = "resistor"
    values = (Value("resistance", "Ohm", "give the resistance", free=True),)


class Capacitor(_Electrical, laws.AcrossStorage):
    """i = C v'."""

    type = "capacitor"
    values = (Value("capacitance", "F", "give the capacitance"),)


class Inductor(_Electrical, laws.ThroughStorage):
    """v = L i'."""

    type = "inductor"
    values = (Value("inductance", "H", "give the inductance"),)


class Transformer(_Electrical, laws.Transforming):
    """v1 = n v2, i2 = -n i1.

    Power is neither stored nor lost (McPhee, Figure 2).
    """

    type = "transformer"
    terminals = (
        *_ENDS,
        Terminal("from2", Discipline.ELECTRICAL),
        Terminal("to2", Discipline.ELECTRICAL, "=to"),
    )
    values = (Value("ratio", "1", "give the ratio of turns, primary to secondary"),)
    edges = (
        between("from", "to", Rank.COUPLED_ACROSS, "1"),
        between("from2", "to2", Rank.COUPLED_THROUGH, "2"),
    )


class OpAmp(_Electrical):
    """v1 = 0 and i1 = 0 between the inputs; v2, i2 from the output to the ground are what the rest asks for.

    This is an ideal operational amplifier.
    """

    type = "op_amp"
    terminals = tuple(Terminal(name, Discipline.ELECTRICAL) for name in ("positive", "negative", "output"))
    edges = (
        between("positive", "negative", Rank.COUPLED_THROUGH, "1"),
        between("output", GROUND, Rank.COUPLED_ACROSS, "2"),
    )

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across(0)
        yield at.through(0)


class Diode(_Electrical):
    """i = Is (exp(v/Vt) - 1) + v/R, its tangent beyond the largest exponent, so that nothing overflows."""

    type = "diode"
    values = (
        Value("saturation_current", "A", "give the saturation current", 1e-6),
        Value("thermal_voltage", "V", "give the thermal voltage", 0.025852),
        Value("maximum_exponent", "1", "give the greatest exponent", 15.0),
        Value("leakage", "Ohm", "give the leakage resistance", 1e8),
    )
    edges = (between("from", "to", Rank.RESISTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        exponent, limit = at.across() / at["thermal_voltage"], at["maximum_exponent"]
        growth = at.dag.call("exp", at.dag.call("min", exponent, limit))
        beyond = at.dag.call("max", exponent - limit, 0)
        current = at["saturation_current"] * (growth * (1 + beyond) - 1) + at.across() / at["leakage"]
        yield at.through() - current


class Switch(_Electrical):
    """v = R i, with the small resistance while `control` is at least 1/2."""

    type = "switch"
    values = (
        Value("control", "1", "give an input or a formula: 1 closes the switch, 0 opens it", free=True),
        Value("on_resistance", "Ohm", "give the resistance of the closed switch", 1e-5),
        Value("off_resistance", "Ohm", "give the resistance of the open switch", 1e5),
    )
    edges = (between("from", "to", Rank.RESISTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        closed = at.dag.call("step", at["control"] - _HALF)
        resistance = at["off_resistance"] + (at["on_resistance"] - at["off_resistance"]) * closed
        yield at.across() - resistance * at.through()
