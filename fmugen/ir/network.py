"""Components of networks as the user described them: a type, nodes, values (McPhee, chapters 2 and 3).

A component is a tree of edges, its *ports*; each belongs to a discipline, which has one across and one
through variable. Across variables of mechanics are displacements: their derivatives are variables too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from fmugen.ir.formula import Formula
from fmugen.ir.quantity import Kinds, Level, Quantity

__all__ = ["FLANGE", "Component", "Discipline", "Port", "flange_joint", "node_quantities"]

#: ``joint:crank_pin`` is the node at which components act on a joint of the mechanism.
FLANGE = "joint:"


class Discipline(Enum):
    """The physics of a network."""

    ELECTRICAL = "electrical"
    HYDRAULIC = "hydraulic"
    TRANSLATIONAL = "translational"
    ROTATIONAL = "rotational"

    @property
    def is_mechanical(self) -> bool:
        """Whether across variables are displacements, of the head relative to the tail."""
        return self in (Discipline.TRANSLATIONAL, Discipline.ROTATIONAL)

    @property
    def across(self) -> Kinds:
        """The across variable, and in mechanics its derivatives."""
        return _ACROSS[self]

    @property
    def through(self) -> tuple[str, Level, str]:
        return _THROUGH[self]


_P, _V, _A = Level.POSITION, Level.VELOCITY, Level.ACCELERATION
_ACROSS: dict[Discipline, Kinds] = {
    Discipline.ELECTRICAL: (("v", _V, "V"),),
    Discipline.HYDRAULIC: (("p", _V, "Pa"),),
    Discipline.TRANSLATIONAL: (("s", _P, "m"), ("v", _V, "m/s"), ("a", _A, "m/s2")),
    Discipline.ROTATIONAL: (("phi", _P, "rad"), ("w", _V, "rad/s"), ("alpha", _A, "rad/s2")),
}
_THROUGH: dict[Discipline, tuple[str, Level, str]] = {
    Discipline.ELECTRICAL: ("i", _V, "A"),
    Discipline.HYDRAULIC: ("q", _V, "m3/s"),
    Discipline.TRANSLATIONAL: ("f", _A, "N"),
    Discipline.ROTATIONAL: ("tau", _A, "N.m"),
}


@dataclass(frozen=True)
class Port:
    """An edge of a component; ``suffix`` tells the variables of several ports apart (``v1``, ``v2``)."""

    discipline: Discipline
    tail: str
    head: str
    suffix: str = ""

    def kinds(self) -> Kinds:
        """The variables of the edge."""
        variables = (*self.discipline.across, self.discipline.through)
        return tuple((f"{kind}{self.suffix}", level, unit) for kind, level, unit in variables)


@dataclass(frozen=True)
class Component:
    """A component of a network.

    ``section`` is where the file lists it (``electrical`` ... ``couplers``), ``terminals`` its nodes and
    ``values`` its formulas, both in the order of its type and with defaults filled in.
    """

    name: str
    section: str
    type: str
    terminals: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, Formula], ...]
    ports: tuple[Port, ...]
    description: str = ""

    def terminal(self, name: str) -> str:
        return dict(self.terminals)[name]

    def value(self, name: str) -> Formula:
        return dict(self.values)[name]


def flange_joint(node: str) -> str | None:
    """The joint whose flange a node is, if it is one."""
    return node.removeprefix(FLANGE) if node.startswith(FLANGE) else None


def node_quantities(ports: Iterable[tuple[Port, ...]], datum: str) -> Iterator[Quantity]:
    """The across variables of all nodes of ``ports``.

    The nodes of a joint have the quantities of the joint itself, and the datum has none.
    """
    nodes: dict[str, Discipline] = {}
    for own in ports:
        for port in own:
            for node in (port.tail, port.head):
                if node != datum and flange_joint(node) is None:
                    nodes.setdefault(node, port.discipline)
    for node, discipline in nodes.items():
        for kind, level, unit in discipline.across:
            yield Quantity(node, kind, level, unit, network=True)
