"""Components with edges in two disciplines, between which they transfer power."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fmugen.components.network import EdgeBetween, NetworkComponent, Terminal, Value, Variables, between, ends
from fmugen.expr.dag import Expr
from fmugen.ir.graph import Rank
from fmugen.ir.model import GROUND
from fmugen.ir.network import Discipline

__all__: list[str] = []


class _Coupler(NetworkComponent):
    section = "couplers"


class Rack(_Coupler):
    """A rack and a pinion: s = r phi, tau = -r f."""

    type = "rack"
    terminals = (Terminal("shaft", Discipline.ROTATIONAL), Terminal("rod", Discipline.TRANSLATIONAL))
    values = (Value("radius", "m", "radius of the pinion"),)
    edges = (
        between(GROUND, "shaft", Rank.COUPLED_ACROSS),
        between(GROUND, "rod", Rank.COUPLED_THROUGH),
    )

    def equations(self, at: Variables) -> Iterator[Expr]:
        yield at.across(1) - at["radius"] * at.across(0)
        yield at.through(0) + at["radius"] * at.through(1)


class DcMotor(_Coupler):
    """v = R i + L i' + k w, tau = k i, tau being the torque on the shaft."""

    type = "dc_motor"
    terminals = (
        Terminal("plus", Discipline.ELECTRICAL),
        Terminal("minus", Discipline.ELECTRICAL),
        Terminal("shaft", Discipline.ROTATIONAL),
        Terminal("housing", Discipline.ROTATIONAL, GROUND),
    )
    values = (
        Value("constant", "V.s/rad", "voltage per speed, which is the torque per current"),
        Value("resistance", "Ohm", "resistance of the winding", 0.0),
        Value("inductance", "H", "inductance of the winding", 0.0),
    )
    edges = (
        between("plus", "minus", Rank.INDUCTIVE),
        between("housing", "shaft", Rank.COUPLED_THROUGH),
    )

    def equations(self, at: Variables) -> Iterator[Expr]:
        induced = at["constant"] * at.across(1, order=1)
        yield at.across(0) - at["resistance"] * at.through(0) - at["inductance"] * at.through(0, 1) - induced
        yield at.through(1) - at["constant"] * at.through(0)


class Cylinder(_Coupler):
    """q1 = A1 v, q2 = -A2 v, f = A1 p1 - A2 p2, f being the force on `to`.

    Pressures are those of the ports against the ground. A rod side that is open to the ground has no edge.
    """

    type = "cylinder"
    terminals = (
        Terminal("head", Discipline.HYDRAULIC),
        Terminal("rod", Discipline.HYDRAULIC, GROUND),
        *ends(Discipline.TRANSLATIONAL, tail=GROUND),
    )
    values = (
        Value("area", "m2", "area of the piston"),
        Value("rod_area", "m2", "area of the piston on the side of the rod", 0.0),
    )
    edges = (
        between("head", GROUND, Rank.COUPLED_ACROSS, "1"),
        between("from", "to", Rank.COUPLED_THROUGH),
        between("rod", GROUND, Rank.COUPLED_ACROSS, "2"),
    )

    @classmethod
    def edges_for(cls, nodes: Mapping[str, str]) -> tuple[EdgeBetween, ...]:
        return cls.edges if nodes["rod"] != GROUND else cls.edges[:2]

    def equations(self, at: Variables) -> Iterator[Expr]:
        speed, force = at.across(1, order=1), at["area"] * at.across(0)
        yield at.through(0) - at["area"] * speed
        if len(at.symbols) > 2:
            force = force - at["rod_area"] * at.across(2)
            yield at.through(2) + at["rod_area"] * speed
        yield at.through(1) - force
