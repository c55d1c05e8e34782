"""Prim's algorithm with weights that depend on the tree grown so far, and with all its ties.

Léger, figures 4.9 and D.1: the ground is placed in the tree; then, edge by edge, the lightest of the edges
that connect a node of the tree with a node outside.

The weight of an edge has two parts. One depends on the edge and on its path to the ground: it is known once
the edge can be reached, and stays. The other is common to all edges of a group and changes with the tree.
So the edges of a group wait in a heap, and only the first edges of the groups are compared in each round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol

from fmugen.ir.graph import DomainGraph, Edge
from fmugen.ir.tree import SpanningTree
from fmugen.trees.freedoms import ALWAYS_BRANCH

__all__ = ["FixedWeights", "GrownTree", "Totals", "Weights", "grow_all"]


@dataclass(frozen=True)
class GrownTree:
    """A tree in growth.

    ``arrivals`` maps every reached node to its branch and to the node before it, in the order in which the
    nodes were reached. The ground has neither. ``weights`` are those that decided.
    """

    arrivals: Mapping[str, tuple[str, str] | None]
    weights: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def rooted(graph: DomainGraph) -> GrownTree:
        return GrownTree({graph.nodes[0]: None})

    @staticmethod
    def of(tree: SpanningTree) -> GrownTree:
        """A complete tree, its branches from the ground outwards."""
        arrivals: dict[str, tuple[str, str] | None] = {tree.root: None}
        arrivals |= {step.node: (step.branch, step.parent) for step in tree.steps}
        return GrownTree(arrivals)

    @property
    def branches(self) -> tuple[str, ...]:
        """The branches in the order in which they were taken."""
        return tuple(arrival[0] for arrival in self.arrivals.values() if arrival)

    def inner(self, edge: Edge) -> str | None:
        """The node of the tree from which ``edge`` leads outside, if it does."""
        inside = [node for node in (edge.tail, edge.head) if node in self.arrivals]
        return inside[0] if len(inside) == 1 else None

    def loads(self, load: Mapping[str, int]) -> dict[str, int]:
        """The sum of the loads of the branches between the ground and every node."""
        sums: dict[str, int] = {}
        for node, arrival in self.arrivals.items():
            sums[node] = sums[arrival[1]] + load[arrival[0]] if arrival else 0
        return sums


class Totals(NamedTuple):
    """Sums over the branches of a tree: see :class:`Weights`."""

    dynamic: int = 0
    equations: int = 0


class Weights(Protocol):
    """The weights of edges, whole numbers, so that ties are ties.

    The weight of an edge is ``common`` of its group plus its own ``part``. Its path has the sum of the
    ``load`` of the branches on it.
    """

    def load(self, edge: Edge) -> int: ...

    def group(self, edge: Edge) -> int: ...

    def part(self, edge: Edge, path_load: int) -> int: ...

    def common(self, group: int, totals: Totals) -> int: ...

    def added(self, edge: Edge, path_load: int) -> Totals:
        """The contribution of an edge to the totals as a branch."""


@dataclass(frozen=True)
class FixedWeights:
    """Weights that do not depend on the tree."""

    weights: Mapping[str, int]

    def load(self, edge: Edge) -> int:
        return 0

    def group(self, edge: Edge) -> int:
        return 0

    def part(self, edge: Edge, path_load: int) -> int:
        return self.weights[edge.name]

    def common(self, group: int, totals: Totals) -> int:
        return 0

    def added(self, edge: Edge, path_load: int) -> Totals:
        return Totals()


#: Limit of trees in growth that are kept because of ties; symmetric mechanisms have very many.
_TREES_TRIED = 1000


def grow_all(graph: DomainGraph, edges: Iterable[Edge], weights: Weights, limit: int) -> list[GrownTree]:
    """Every tree that ties allow, at most ``limit``; that of the declared order of edges first.

    Edges that are always branches have no rivals: of these, the first of a tie is taken.
    """
    surroundings = _Surroundings(graph, tuple(edges), weights)
    found: list[GrownTree] = []
    seen: set[frozenset[str]] = set()
    stack: list[tuple[_Growth, int | None]] = [(_Growth(surroundings), None)]
    while stack and len(found) < limit:
        growth, taken = stack.pop()
        if taken is not None:
            growth.take(taken)
        key = frozenset(growth.weights)
        if key in seen:
            continue
        seen.add(key)
        if len(growth.arrivals) == len(graph.nodes):
            found.append(GrownTree(dict(growth.arrivals), dict(growth.weights)))
            continue
        lightest = growth.lightest()
        if surroundings.edges[lightest[0]].role in ALWAYS_BRANCH or len(seen) > _TREES_TRIED:
            lightest = lightest[:1]
        # The first tie continues this growth; each other needs its own copy, made before.
        stack.extend((growth.copy(), edge) for edge in reversed(lightest[1:]))
        stack.append((growth, lightest[0]))
    return found


class _Surroundings:
    """The edges at every node, in declared order."""

    def __init__(self, graph: DomainGraph, edges: Sequence[Edge], weights: Weights) -> None:
        self.root, self.edges, self.weights = graph.nodes[0], edges, weights
        self.at: dict[str, list[int]] = defaultdict(list)
        for number, edge in enumerate(edges):
            self.at[edge.tail].append(number)
            self.at[edge.head].append(number)


class _Growth:
    """A tree in growth with the edges that it can reach, as (part, number of the edge) in heaps by group."""

    def __init__(self, surroundings: _Surroundings) -> None:
        self._at = surroundings
        self._heaps: dict[int, list[tuple[int, int]]] = {}
        self._loads: dict[str, int] = {}
        self._totals = Totals()
        self._weight = 0
        self.arrivals: dict[str, tuple[str, str] | None] = {}
        self.weights: dict[str, int] = {}
        self._reach(surroundings.root, None, 0)

    def copy(self) -> _Growth:
        other = object.__new__(_Growth)
        other._at, other._totals, other._weight = self._at, self._totals, self._weight
        other._heaps = {group: list(heap) for group, heap in self._heaps.items()}
        other._loads, other.arrivals = dict(self._loads), dict(self.arrivals)
        other.weights = dict(self.weights)
        return other

    def _reach(self, node: str, arrival: tuple[str, str] | None, load: int) -> None:
        self.arrivals[node], self._loads[node] = arrival, load
        weights = self._at.weights
        for number in self._at.at[node]:
            edge = self._at.edges[number]
            other = edge.head if edge.tail == node else edge.tail
            if other not in self.arrivals:
                heap = self._heaps.setdefault(weights.group(edge), [])
                heappush(heap, (weights.part(edge, load), number))

    def lightest(self) -> list[int]:
        """The edges of the least weight that lead outside, in declared order."""
        least: int | None = None
        ties: list[int] = []
        for group, heap in self._heaps.items():
            while heap and not self._leads_outside(heap[0][1]):
                heappop(heap)
            if not heap:
                continue
            weight = self._at.weights.common(group, self._totals) + heap[0][0]
            if least is None or weight < least:
                least, ties = weight, []
            if weight == least:
                ties += self._first(heap)
        if least is None:
            raise ValueError("the edges do not span the graph")
        self._weight = least
        return sorted(ties)

    def _first(self, heap: list[tuple[int, int]]) -> list[int]:
        """All edges outside with the least part in a heap, which keeps them."""
        least, found = heap[0][0], []
        while heap and heap[0][0] == least:
            found.append(heappop(heap))
        found = [item for item in found if self._leads_outside(item[1])]
        heap.extend(found)
        heapify(heap)
        return [number for _, number in found]

    def _leads_outside(self, number: int) -> bool:
        edge = self._at.edges[number]
        return (edge.tail in self.arrivals) != (edge.head in self.arrivals)

    def take(self, number: int) -> None:
        """Make a branch of an edge, by the weight that :meth:`lightest` found last."""
        edge, weights = self._at.edges[number], self._at.weights
        inner, outer = (edge.tail, edge.head) if edge.tail in self.arrivals else (edge.head, edge.tail)
        load = self._loads[inner]
        added = weights.added(edge, load)
        self._totals = Totals(self._totals.dynamic + added.dynamic, self._totals.equations + added.equations)
        self.weights[edge.name] = self._weight
        self._reach(outer, (edge.name, inner), load + weights.load(edge))
