"""One-dimensional rotation (McPhee, Table 3).

``phi`` is the angle of ``to`` relative to ``from``, ``tau`` the torque of the component on ``to``; the
opposite torque acts on ``from``.
"""

from __future__ import annotations

from typing import ClassVar

from fmugen.components import laws
from fmugen.components.network import NetworkComponent, Terminal, Value, between, ends
from fmugen.ir.graph import Rank
from fmugen.ir.model import GROUND
from fmugen.ir.network import Discipline

__all__: list[str] = []


class _Rotational(NetworkComponent):
    section = "rotational"
    terminals: ClassVar[tuple[Terminal, ...]] = ends(Discipline.ROTATIONAL)


class _FromGround(_Rotational):
    """A component that is between the ground and `to`, unless `from` is named."""

    terminals = ends(Discipline.ROTATIONAL, tail=GROUND)


class Inertia(_FromGround, laws.Inertial):
    """tau = -J alpha."""

    type = "inertia"
    values = (Value("inertia", "kg.m2", "give the moment of inertia"),)


class Spring(_Rotational, laws.Elastic):
    """tau = -c (phi - phi0)."""

    type = "spring"
    values = (
        Value("stiffness", "N.m/rad", "give the stiffness", free=True),
        Value("free_angle", "rad", "give the angle without torque", 0.0, free=True),
    )


class Damper(_Rotational, laws.Damping):
    """tau = -d w."""

    type = "damper"
    values = (Value("damping", "N.m.s/rad", "give the damping constant", free=True),)


class AngleSource(_FromGround, laws.AcrossSource):
    """phi = phi(t)."""

    type = "angle_source"
    values = (Value("angle", "rad", "give the angle", free=True),)


class SpeedSource(_FromGround, laws.AcrossRateSource):
    """w = w(t); the angle is integrated."""

    type = "speed_source"
    values = (Value("speed", "rad/s", "give the angular velocity", free=True),)


class Torque(_FromGround, laws.ThroughSource):
    """tau = tau(t), on `to`."""

    type = "torque"
    values = (Value("torque", "N.m", "give the torque", free=True),)


class Gear(_Rotational, laws.Transforming):
    """phi1 = n phi2, tau2 = -n tau1, angles relative to the support."""

    type = "gear"
    terminals = (*ends(Discipline.ROTATIONAL), Terminal("support", Discipline.ROTATIONAL, GROUND))
    values = (Value("ratio", "1", "give the ratio of the angles, from to to"),)
    edges = (
        between("support", "from", Rank.COUPLED_ACROSS, "1"),
        between("support", "to", Rank.COUPLED_THROUGH, "2"),
    )
