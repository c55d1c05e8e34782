"""Linear graph theory: incidence, spanning trees, fundamental cutsets and circuits (McPhee, 2.2).

For a graph with incidence matrix A (+1 where an edge leaves a node, -1 where it enters), a spanning
tree gives the fundamental cutset matrix ``A_f = [1 A_c]`` and the fundamental circuit matrix
``B_f = [B_b 1]``, in the column order branches, chords. They are orthogonal: ``B_f A_f^T = 0``,
whence ``B_b = -A_c^T`` (McPhee (13)).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fmugen.errors import TreeError
from fmugen.ir.graph import Domain
from fmugen.ir.network import Discipline
from fmugen.ir.tree import SpanningTree, TreeStep

__all__ = [
    "circuit_matrix",
    "cutset_matrix",
    "greedy_branches",
    "incidence_matrix",
    "require_edges",
    "span",
]

IntMatrix = NDArray[np.int_]
#: Branches, each with the sign in which it is passed.
_Path = tuple[tuple[str, int], ...]


class _Edge(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def tail(self) -> str: ...
    @property
    def head(self) -> str: ...
    @property
    def branchable(self) -> bool: ...


class _Graph(Protocol):
    @property
    def domain(self) -> Domain | Discipline: ...
    @property
    def nodes(self) -> tuple[str, ...]: ...
    @property
    def edges(self) -> Sequence[_Edge]: ...


def incidence_matrix(graph: _Graph) -> IntMatrix:
    """Rows are nodes, columns edges, in declared order."""
    row = {node: index for index, node in enumerate(graph.nodes)}
    matrix = np.zeros((len(graph.nodes), len(graph.edges)), dtype=int)
    for column, edge in enumerate(graph.edges):
        matrix[row[edge.tail], column] += 1
        matrix[row[edge.head], column] -= 1
    return matrix


def greedy_branches(graph: _Graph, ranked: Iterable[str]) -> tuple[str, ...]:
    """Kruskal: take each edge in the given order unless it closes a loop or can only be a chord."""
    leader = {node: node for node in graph.nodes}

    def find(node: str) -> str:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    edges = {edge.name: edge for edge in graph.edges}
    taken = []
    for name in ranked:
        tail, head = find(edges[name].tail), find(edges[name].head)
        if tail != head and edges[name].branchable:
            leader[head] = tail
            taken.append(name)
    return tuple(taken)


def span(graph: _Graph, branches: Iterable[str]) -> SpanningTree:
    """The rooted tree with the given branches, its f-cutsets and f-circuits.

    Raises
    ------
    TreeError
        If the branches do not form a spanning tree; the message names what is wrong.
    """
    chosen = tuple(branches)
    require_edges(graph, chosen)
    steps = _steps(graph, chosen)
    paths = _paths(graph.nodes[0], steps)
    _require_spanning(graph, chosen, paths)
    members = {name: place for place, name in enumerate(chosen)}
    circuits = {
        edge.name: _through(paths[edge.tail], paths[edge.head], members)
        for edge in graph.edges
        if edge.name not in members
    }
    cutsets: dict[str, list[tuple[str, int]]] = {name: [] for name in chosen}
    for chord, circuit in circuits.items():
        for branch, sign in circuit:
            cutsets[branch].append((chord, -sign))
    return SpanningTree(
        graph.domain,
        graph.nodes[0],
        chosen,
        tuple(circuits),
        steps,
        {branch: tuple(chords) for branch, chords in cutsets.items()},
        circuits,
    )


def _steps(graph: _Graph, chosen: tuple[str, ...]) -> tuple[TreeStep, ...]:
    """The branches in the order of a walk from the root, nearest first."""
    edges = {edge.name: edge for edge in graph.edges}
    neighbours: dict[str, list[tuple[str, str, bool]]] = defaultdict(list)
    for name in chosen:
        edge = edges[name]
        neighbours[edge.tail].append((edge.head, name, True))
        neighbours[edge.head].append((edge.tail, name, False))
    steps: list[TreeStep] = []
    queue = [graph.nodes[0]]
    reached = set(queue)
    for node in queue:
        for other, name, forward in neighbours[node]:
            if other not in reached:
                reached.add(other)
                steps.append(TreeStep(other, node, name, forward))
                queue.append(other)
    return tuple(steps)


def _paths(root: str, steps: Iterable[TreeStep]) -> dict[str, _Path]:
    """The branches from the root to each node."""
    paths: dict[str, _Path] = {root: ()}
    for step in steps:
        paths[step.node] = (*paths[step.parent], (step.branch, 1 if step.forward else -1))
    return paths


def _through(tail: _Path, head: _Path, places: Mapping[str, int]) -> _Path:
    """The circuit of a chord: from its head back to its tail, minus the path from tail to head."""
    signs = dict(tail)
    for branch, sign in head:
        signs[branch] = signs.get(branch, 0) - sign
    met = sorted((branch for branch in signs if signs[branch]), key=places.__getitem__)
    return tuple((branch, signs[branch]) for branch in met)


def require_edges(graph: _Graph, chosen: Sequence[str]) -> None:
    """Raise if a graph does not have some edges, or has them as chords alone."""
    known = {edge.name for edge in graph.edges}
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise TreeError(
            f"the {graph.domain.value} tree names {', '.join(unknown)}, which the {graph.domain.value} graph "
            f"does not have; its edges are {', '.join(sorted(known))}"
        )

    members = set(chosen)
    chords = [edge for edge in graph.edges if edge.name in members and not edge.branchable]
    if chords:
        raise TreeError(
            f"{chords[0].name}, a {chords[0].label}, cannot be in the {graph.domain.value} tree: "
            "its motion is not described by coordinates of its own"
        )


def _require_spanning(graph: _Graph, chosen: tuple[str, ...], reached: Iterable[str]) -> None:
    found = set(reached)
    missing = [node for node in graph.nodes if node not in found]
    if missing:
        raise TreeError(
            f"the {graph.domain.value} tree does not reach {', '.join(missing)}: "
            "add one edge for each of them, or write complete = true"
        )
    if len(chosen) != len(graph.nodes) - 1:
        extra = set(chosen) - set(greedy_branches(graph, chosen))
        raise TreeError(
            f"the {graph.domain.value} tree has a closed loop: leave out {', '.join(sorted(extra))}"
        )


def cutset_matrix(tree: SpanningTree) -> IntMatrix:
    """``A_f``, one row a branch; columns are branches then chords."""
    column = {name: index for index, name in enumerate(tree.branches + tree.chords)}
    matrix = np.zeros((len(tree.branches), len(column)), dtype=int)
    for row, branch in enumerate(tree.branches):
        matrix[row, row] = 1
        for chord, sign in tree.cutsets[branch]:
            matrix[row, column[chord]] = sign
    return matrix


def circuit_matrix(tree: SpanningTree) -> IntMatrix:
    """``B_f``, one row a chord; columns are branches then chords."""
    column = {name: index for index, name in enumerate(tree.branches + tree.chords)}
    matrix = np.zeros((len(tree.chords), len(column)), dtype=int)
    for row, chord in enumerate(tree.chords):
        matrix[row, column[chord]] = 1
        for branch, sign in tree.circuits[chord]:
            matrix[row, column[branch]] = sign
    return matrix
