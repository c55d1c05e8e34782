"""Prim's algorithm with weights that may depend on the tree grown so far, and with all its ties.

Léger, figures 4.9 and D.1: the ground is placed in the tree; then, edge by edge, the lightest of the edges
that connect a node of the tree with a node outside. The weight of an edge is asked for anew in each round,
so that fixed weights (chapter 3) and weights of the tree that would result (chapter 4) are treated alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from fmugen.ir.graph import DomainGraph, Edge
from fmugen.ir.tree import SpanningTree
from fmugen.trees.freedoms import ALWAYS_BRANCH

__all__ = ["GrownTree", "Weigh", "grow_all"]


@dataclass(frozen=True)
class GrownTree:
    """A tree in growth.

    ``branches`` are in the order in which they were taken, with the ``weights`` that decided; ``paths`` maps
    every node reached to its branches from the ground.
    """

    paths: dict[str, tuple[str, ...]]
    branches: tuple[str, ...] = ()
    weights: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def rooted(graph: DomainGraph) -> GrownTree:
        return GrownTree({graph.nodes[0]: ()})

    @staticmethod
    def of(tree: SpanningTree) -> GrownTree:
        """A complete tree, its branches from the ground outwards."""
        paths: dict[str, tuple[str, ...]] = {tree.root: ()}
        for link in tree.links:
            paths[link.node] = (*paths[link.parent], link.branch)
        return GrownTree(paths, tuple(link.branch for link in tree.links))

    def inner(self, edge: Edge) -> str | None:
        """The node of the tree from which ``edge`` leads outside, if it does."""
        inside = [node for node in (edge.tail, edge.head) if node in self.paths]
        return inside[0] if len(inside) == 1 else None

    def potential(self, edges: Iterable[Edge]) -> list[Edge]:
        """The edges that lead from the tree to a node outside."""
        return [edge for edge in edges if self.inner(edge) is not None]

    def path(self, edge: Edge) -> tuple[str, ...]:
        """The branches between the ground and a potential edge."""
        inner = self.inner(edge)
        return () if inner is None else self.paths[inner]

    def with_branch(self, edge: Edge, weight: int = 0) -> GrownTree:
        outer = edge.head if self.inner(edge) == edge.tail else edge.tail
        paths = self.paths | {outer: (*self.path(edge), edge.name)}
        return GrownTree(paths, (*self.branches, edge.name), self.weights | {edge.name: weight})


#: The weights of potential edges for a tree in growth; whole numbers, so that ties are ties.
Weigh = Callable[[GrownTree, Sequence[Edge]], Sequence[int]]


#: Trees in growth that are looked at for the sake of ties; symmetric mechanisms have very many.
_TREES_TRIED = 1000


def grow_all(graph: DomainGraph, edges: Iterable[Edge], weigh: Weigh, limit: int) -> list[GrownTree]:
    """Every tree that ties allow, at most ``limit``; that of the declared order of edges first.

    Edges that are always branches have no rivals: of these, the first of a tie is taken.
    """
    allowed = tuple(edges)
    found: list[GrownTree] = []
    seen: set[frozenset[str]] = set()
    stack = [GrownTree.rooted(graph)]
    while stack and len(found) < limit:
        tree = stack.pop()
        key = frozenset(tree.branches)
        if key in seen:
            continue
        seen.add(key)
        if len(tree.paths) == len(graph.nodes):
            found.append(tree)
            continue
        weight, lightest = _lightest(tree, allowed, weigh)
        if lightest[0].kind in ALWAYS_BRANCH or len(seen) > _TREES_TRIED:
            lightest = lightest[:1]
        stack.extend(tree.with_branch(edge, weight) for edge in reversed(lightest))
    return found


def _lightest(tree: GrownTree, edges: tuple[Edge, ...], weigh: Weigh) -> tuple[int, list[Edge]]:
    potential = tree.potential(edges)
    weights = weigh(tree, potential)
    least = min(weights)
    return least, [edge for weight, edge in zip(weights, potential, strict=True) if weight == least]
