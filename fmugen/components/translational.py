"""One-dimensional translation (McPhee, Table 3).

``s`` is the displacement of ``to`` relative to ``from``, ``f`` the force of the component on ``to``; the
opposite force acts on ``from``.
"""

from __future__ import annotations

from typing import ClassVar

from fmugen.components import laws
from fmugen.components.network import NetworkComponent, Terminal, Value, ends
from fmugen.ir.model import GROUND
from fmugen.ir.network import Discipline

__all__: list[str] = []


class _Translational(NetworkComponent):
    section = "translational"
    terminals: ClassVar[tuple[Terminal, ...]] = ends(Discipline.TRANSLATIONAL)


class _FromGround(_Translational):
    """A component that is between the ground and `to`, unless `from` is named."""

    terminals = ends(Discipline.TRANSLATIONAL, tail=GROUND)


class Mass(_FromGround, laws.Inertial):
    """f = -m a."""

    type = "mass"
    values = (Value("mass", "kg", "give the mass"),)


class Spring(_Translational, laws.Elastic):
    """f = -c (s - s0)."""

    type = "spring"
    values = (
        Value("stiffness", "N/m", "give the stiffness", free=True),
        Value("free_length", "m", "give the displacement without force", 0.0, free=True),
    )


class Damper(_Translational, laws.Damping):
    """f = -d v."""

    type = "damper"
    values = (Value("damping", "N.s/m", "give the damping constant", free=True),)


class PositionSource(_FromGround, laws.AcrossSource):
    """s = s(t)."""

    type = "position_source"
    values = (Value("position", "m", "give the displacement", free=True),)


class SpeedSource(_FromGround, laws.AcrossRateSource):
    """v = v(t); the displacement is integrated."""

    type = "speed_source"
    values = (Value("speed", "m/s", "give the speed", free=True),)


class Force(_FromGround, laws.ThroughSource):
    """f = f(t), on `to`."""

    type = "force"
    values = (Value("force", "N", "give the force", free=True),)
