"""One-dimensional translation (McPhee, Table 3).

``s`` is the displacement of ``to`` relative to ``from``, ``f`` the force of the component on ``to``; the
opposite force acts on ``from``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from fmugen.components.network import NetworkComponent, Terminal, Value, Variables, between, ends
from fmugen.expr.dag import Expr
from fmugen.ir.graph import Kind
from fmugen.ir.model import GROUND
from fmugen.ir.network import Discipline

__all__: list[str] = []


class _Translational(NetworkComponent):
    section = "translational"
    terminals: ClassVar[tuple[Terminal, ...]] = ends(Discipline.TRANSLATIONAL)


class Mass(_Translational):
    """f = -m a."""

    type = "mass"
    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)
    values = (Value("mass", "kg", "give the mass"),)
    edges = (between("from", "to", Kind.CAPACITIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + at["mass"] * at.across(order=2)


class Spring(_Translational):
    """f = -c (s - s0)."""

    type = "spring"
    values = (
        Value("stiffness", "N/m", "give the stiffness", free=True),
        Value("free_length", "m", "give the displacement without force", 0.0, free=True),
    )
    edges = (between("from", "to", Kind.INDUCTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + at["stiffness"] * (at.across() - at["free_length"])


class Damper(_Translational):
    """f = -d v."""

    type = "damper"
    values = (Value("damping", "N.s/m", "give the damping constant", free=True),)
    edges = (between("from", "to", Kind.RESISTIVE),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() + at["damping"] * at.across(order=1)


class PositionSource(_Translational):
    """s = s(t)."""

    type = "position_source"
    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)
    values = (Value("position", "m", "give the displacement", free=True),)
    edges = (between("from", "to", Kind.ACROSS_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across() - at["position"]


class SpeedSource(_Translational):
    """v = v(t); the displacement is integrated."""

    type = "speed_source"
    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)
    values = (Value("speed", "m/s", "give the speed", free=True),)
    edges = (between("from", "to", Kind.ACROSS_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across(order=1) - at["speed"]


class Force(_Translational):
    """f = f(t), on `to`."""

    type = "force"
    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)
    values = (Value("force", "N", "give the force", free=True),)
    edges = (between("from", "to", Kind.THROUGH_DRIVER),)

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.through() - at["force"]
