"""The variables of a network as combinations of its unknowns, its states and the motions of flanges.

The unknowns are the potentials of all nodes (voltages, pressures, velocities), the through variables of all
edges, the reactions of the joints, and the rates of all storages. The states are the storages' values and the
displacements of all mechanical nodes that do not belong to joints. The motions of flanges are displacements,
then velocities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from fmugen.errors import VerificationError
from fmugen.verify.network.parts import (
    GROUND,
    Domain,
    Edge,
    NetworkParts,
    Variable,
    VariableKind,
    quantity_names,
)
from fmugen.verify.rotations import Array

FLANGE = "joint:"

Node = tuple[Domain, str]


@dataclass
class Row:
    """A linear combination of unknowns, states and flange motions."""

    w: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    x: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    e: dict[int, float] = field(default_factory=lambda: defaultdict(float))

    @classmethod
    def unknown(cls, column: int) -> Row:
        """One unknown alone."""
        row = cls()
        row.w[column] = 1.0
        return row

    def add(self, other: Row, factor: float) -> None:
        for mine, theirs in ((self.w, other.w), (self.x, other.x), (self.e, other.e)):
            for column, coefficient in theirs.items():
                mine[column] += factor * coefficient

    def value(self, w: Array, x: Array, e: Array) -> float:
        total = 0.0
        for mine, vector in ((self.w, w), (self.x, x), (self.e, e)):
            for column, coefficient in mine.items():
                total += coefficient * float(vector[column])
        return total


@dataclass(frozen=True)
class Component:
    """A component with the places of its first edge and its first storage among all."""

    name: str
    parts: NetworkParts
    edge: int
    storage: int

    @property
    def storages(self) -> Iterator[tuple[int, Variable]]:
        """The variables that are states, each with its place among all."""
        return enumerate(self.parts.storages, start=self.storage)


class Variables:
    """The columns of all unknowns and states, and the variables of edges in terms of them."""

    def __init__(self, components: Iterable[tuple[str, NetworkParts]]) -> None:
        self.components = tuple(_placed(components))
        self.edges = [edge for component in self.components for edge in component.parts.edges]
        nodes = _nodes(self.edges)
        self.nodes = {node: column for column, node in enumerate(nodes)}
        #: The joints whose flanges the network acts on, in the order of the flange motions.
        self.flanges = tuple(node for node in nodes if node[1].startswith(FLANGE))
        #: The nodes that are not flanges of joints.
        self.own_nodes = {node: column for node, column in self.nodes.items() if node not in self.flanges}
        self._through = len(nodes)
        reactions = self._through + len(self.edges)
        self.reactions = slice(reactions, reactions + len(self.flanges))
        self._rates = self.reactions.stop
        storages = sum(len(component.parts.storages) for component in self.components)
        self.size = self._rates + storages
        mobile = [node for node in self.own_nodes if node[0].mechanical]
        self._displacements = {node: storages + place for place, node in enumerate(mobile)}
        self.states = storages + len(mobile)
        #: The column of the unknown that is the rate of each state.
        self.rate_columns = np.array(
            [*range(self._rates, self.size), *(self.nodes[node] for node in mobile)], dtype=int
        )

    def of(self, component: Component, variable: Variable) -> Row:
        """A variable of a component."""
        match variable.kind:
            case VariableKind.ACROSS:
                return self.across(component.parts.edges[variable.place])
            case VariableKind.DISPLACEMENT:
                return self._displacement(component.parts.edges[variable.place])
            case VariableKind.THROUGH:
                return self.through(component.edge + variable.place)
            case VariableKind.RATE:
                return self._rate(component.storage + variable.place)

    def across(self, edge: Edge) -> Row:
        """The drop from tail to head; of velocities, that of the head relative to the tail."""
        row = Row()
        sign = -1.0 if edge.domain.mechanical else 1.0
        for node, weight in ((edge.tail, sign), (edge.head, -sign)):
            if node != GROUND:
                row.w[self.nodes[edge.domain, node]] += weight
        return row

    def through(self, place: int) -> Row:
        """The through variable of the edge at a place among all."""
        return Row.unknown(self._through + place)

    def _rate(self, place: int) -> Row:
        return Row.unknown(self._rates + place)

    def _displacement(self, edge: Edge) -> Row:
        row = Row()
        for name, weight in ((edge.tail, -1.0), (edge.head, 1.0)):
            if name != GROUND:
                row.add(self._position((edge.domain, name)), weight)
        return row

    def _position(self, node: Node) -> Row:
        row = Row()
        if node in self._displacements:
            row.x[self._displacements[node]] = 1.0
        else:
            row.e[self.flanges.index(node)] = 1.0
        return row

    def balances(self) -> dict[Node, Row]:
        """The sum of the through variables that leave each node."""
        balances = {node: Row() for node in self.nodes}
        for place, edge in enumerate(self.edges):
            for name, sign in ((edge.tail, 1.0), (edge.head, -1.0)):
                if name != GROUND:
                    balances[edge.domain, name].w[self._through + place] += sign
        for place, node in enumerate(self.flanges):
            balances[node].w[self.reactions.start + place] -= 1.0
        return balances

    def flange_motions(self) -> Iterator[tuple[Node, Row]]:
        """For each joint: the velocity of its node, less the given velocity."""
        for place, node in enumerate(self.flanges, start=len(self.flanges)):
            row = Row.unknown(self.nodes[node])
            row.e[place] = -1.0
            yield node, row

    # --- quantities -------------------------------------------------------------------------------------

    def quantities(self) -> Iterator[tuple[str, Row]]:
        """Every quantity that the unknowns and states give, by name."""
        for place, edge in enumerate(self.edges):
            known = {
                "across": self.across(edge),
                "through": self.through(place),
                **({"displacement": self._displacement(edge)} if edge.domain.mechanical else {}),
            }
            yield from ((name, known[kind]) for kind, name in quantity_names(edge) if kind in known)
        yield from self._accelerations()
        for node, column in self.own_nodes.items():
            domain, name = node
            yield f"{name}.{domain.across}", Row.unknown(column)
            if domain.mechanical:
                yield f"{name}.{domain.value[0]}", self._position(node)

    def _accelerations(self) -> Iterator[tuple[str, Row]]:
        """Those of masses and inertias, which are the rates of their storages."""
        for component in self.components:
            for place, stored in component.storages:
                edge = component.parts.edges[stored.place]
                if stored.kind is VariableKind.ACROSS and edge.domain.mechanical:
                    yield _acceleration(edge), self._rate(place)

    def second_rates(self) -> dict[str, Row]:
        """The quantities that are accelerations, by the velocities they are the rates of."""
        of_edges = {_acceleration(edge): self.across(edge) for edge in self.edges if edge.domain.mechanical}
        of_nodes = {
            f"{name}.{domain.value[2]}": Row.unknown(column)
            for (domain, name), column in self.own_nodes.items()
            if domain.mechanical
        }
        return of_edges | of_nodes


def stored_name(component: Component, variable: Variable) -> str:
    """The quantity that is the value of a storage.

    Raises
    ------
    VerificationError
        If the quantity has no name.
    """
    edge = component.parts.edges[variable.place]
    names = dict(quantity_names(edge))
    if variable.kind.value not in names:
        raise VerificationError(f"{edge.component} stores a quantity without a name")
    return names[variable.kind.value]


def _nodes(edges: Iterable[Edge]) -> tuple[Node, ...]:
    """The ends of all edges, without the ground."""
    ends = ((edge.domain, name) for edge in edges for name in (edge.tail, edge.head) if name != GROUND)
    return tuple(dict.fromkeys(ends))


def _acceleration(edge: Edge) -> str:
    return f"{edge.component}.{edge.domain.value[2]}{edge.number}"


def _placed(components: Iterable[tuple[str, NetworkParts]]) -> Iterator[Component]:
    edge = storage = 0
    for name, parts in components:
        yield Component(name, parts, edge, storage)
        edge += len(parts.edges)
        storage += len(parts.storages)
