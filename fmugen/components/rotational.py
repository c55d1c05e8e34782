"""One-dimensional rotation (McPhee, Table 3).

``phi`` is the angle of ``to`` relative to ``from``, ``tau`` the torque of the component on ``to``; the
opposite torque acts on ``from``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from fmugen.components.network import NetworkComponent, Terminal, Value, Variables, between, ends
from fmugen.components.one_dimensional import (
    AcrossSource,
    Damping,
    Elastic,
    Inertial,
    RateSource,
    ThroughSource,
)
from fmugen.expr.dag import Expr
from fmugen.ir.graph import Rank
from fmugen.ir.model import GROUND
from fmugen.ir.network import Discipline

__all__: list[str] = []


class _Rotational(NetworkComponent):
    section = "rotational"
    terminals: ClassVar[tuple[Terminal, ...]] = ends(Discipline.ROTATIONAL)


class Inertia(_Rotational, Inertial):
    """tau = -J alpha."""

    type = "inertia"
    terminals = ends(Discipline.ROTATIONAL, tail=GROUND)
    values = (Value("inertia", "kg.m2", "give the moment of inertia"),)


class Spring(_Rotational, Elastic):
    """tau = -c (phi - phi0)."""

    type = "spring"
    values = (
        Value("stiffness", "N.m/rad", "give the stiffness", free=True),
        Value("free_angle", "rad", "give the angle without torque", 0.0, free=True),
    )


class Damper(_Rotational, Damping):
    """tau = -d w."""

    type = "damper"
    values = (Value("damping", "N.m.s/rad", "give the damping constant", free=True),)


class AngleSource(_Rotational, AcrossSource):
    """phi = phi(t)."""

    type = "angle_source"
    terminals = ends(Discipline.ROTATIONAL, tail=GROUND)
    values = (Value("angle", "rad", "give the angle", free=True),)


class SpeedSource(_Rotational, RateSource):
    """w = w(t); the angle is integrated."""

    type = "speed_source"
    terminals = ends(Discipline.ROTATIONAL, tail=GROUND)
    values = (Value("speed", "rad/s", "give the angular velocity", free=True),)


class Torque(_Rotational, ThroughSource):
    """tau = tau(t), on `to`."""

    type = "torque"
    terminals = ends(Discipline.ROTATIONAL, tail=GROUND)
    values = (Value("torque", "N.m", "give the torque", free=True),)


class Gear(_Rotational):
    """phi1 = n phi2, tau2 = -n tau1, angles relative to the support."""

    type = "gear"
    terminals = (*ends(Discipline.ROTATIONAL), Terminal("support", Discipline.ROTATIONAL, GROUND))
    values = (Value("ratio", "1", "give the ratio of the angles, from to to"),)
    edges = (
        between("support", "from", Rank.COUPLED_ACROSS, "1"),
        between("support", "to", Rank.COUPLED_THROUGH, "2"),
    )

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across(0) - at["ratio"] * at.across(1)
        yield at.through(1) + at["ratio"] * at.through(0)
