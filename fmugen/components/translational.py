"""One-dimensional translation (McPhee, Table 3).

``s`` is the displacement of ``to`` relative to ``from``, ``f`` the force of the component on ``to``; the
opposite force acts on ``from``.
"""

from __future__ import annotations

from typing import ClassVar

from fmugen.components.network import NetworkComponent, Terminal, Value, ends
from fmugen.components.one_dimensional import (
    AcrossSource,
    Damping,
    Elastic,
    Inertial,
    RateSource,
    ThroughSource,
)
from fmugen.ir.model import GROUND
from fmugen.ir.network import Discipline

__all__: list[str] = []


class _Translational(NetworkComponent):
    section = "translational"
    terminals: ClassVar[tuple[Terminal, ...]] = ends(Discipline.TRANSLATIONAL)


class Mass(_Translational, Inertial):
    """f = -m a."""

    type = "mass"
    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)
    values = (Value("mass", "kg", "give the mass"),)


class Spring(_Translational, Elastic):
    """f = -c (s - s0)."""

    type = "spring"
    values = (
        Value("stiffness", "N/m", "give the stiffness", free=True),
        Value("free_length", "m", "give the displacement without force", 0.0, free=True),
    )


class Damper(_Translational, Damping):
    """f = -d v."""

    type = "damper"
    values = (Value("damping", "N.s/m", "give the damping constant", free=True),)


class PositionSource(_Translational, AcrossSource):
    """s = s(t)."""

    type = "position_source"
    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)
    values = (Value("position", "m", "give the displacement", free=True),)


class SpeedSource(_Translational, RateSource):
    """v = v(t); the displacement is integrated."""

    type = "speed_source"
    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)
    values = (Value("speed", "m/s", "give the speed", free=True),)


class Force(_Translational, ThroughSource):
    """f = f(t), on `to`."""

    type = "force"
    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)
    values = (Value("force", "N", "give the force", free=True),)
