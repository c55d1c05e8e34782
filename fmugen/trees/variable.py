"""Variable-based tree selection (Léger, chapter 3): as few coordinates as possible, near the ground.

Every edge has a fixed weight (3.3) in each domain, made of five factors in order of importance; the trees
are minimal spanning trees, the rotational one first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from fmugen.ir.graph import Domain, DomainGraph, Edge, LinearGraph, Role
from fmugen.trees.freedoms import ALWAYS_BRANCH, ALWAYS_CHORD, at_flexible_ends, freedoms, is_joint
from fmugen.trees.growth import FixedWeights, GrownTree, grow_all

__all__ = ["Factors", "edge_factors", "variable_based_trees"]

#: Distance and joint factor have two digits each in the weight.
_LARGEST = 99


@dataclass(frozen=True)
class Factors:
    """The factors of an edge's weight: 3.2.1, with the priorities of (3.3)."""

    absolute: int
    edge_type: int
    distance: int
    joint: int
    similarity: int

    @property
    def weight(self) -> int:
        return (
            1_000_000 * self.absolute
            + 100_000 * self.edge_type
            + 1_000 * self.distance
            + 10 * self.joint
            + self.similarity
        )

    def __str__(self) -> str:
        return (
            f"weight {self.weight}: {self.distance} coordinates and {self.joint} joints between it and the "
            f"ground{'' if self.similarity else ', in the rotational tree too'}"
        )


def edge_factors(graph: DomainGraph, first_tree: Collection[str] | None = None) -> dict[str, Factors]:
    """The factors of every edge; ``first_tree`` are the branches of the tree of the other domain."""
    distance = _shortest_paths(graph, freedoms)
    joints = _shortest_paths(graph, _joint_length)

    def nearer(lengths: dict[str, int], edge: Edge) -> int:
        return min(lengths[edge.tail], lengths[edge.head], _LARGEST)

    return {
        edge.name: Factors(
            _absolute_factor(edge),
            freedoms(edge),
            nearer(distance, edge),
            nearer(joints, edge),
            0 if first_tree is not None and edge.name in first_tree else 1,
        )
        for edge in graph.edges
    }


def _absolute_factor(edge: Edge) -> int:
    return 0 if edge.role in ALWAYS_BRANCH else 2 if edge.role in ALWAYS_CHORD else 1


def _joint_length(edge: Edge) -> int:
    """A driver counts as a joint: Léger's crank on a driver ties with a slide (table A.9)."""
    if edge.role is Role.ARM:
        return 0
    return 1 if is_joint(edge) or edge.role is Role.DRIVER else _LARGEST


def _shortest_paths(graph: DomainGraph, length: Callable[[Edge], int]) -> dict[str, int]:
    """Dijkstra's shortest path weight of every node (figure D.2)."""
    import networkx as nx

    network: nx.MultiGraph[str] = nx.MultiGraph()
    network.add_nodes_from(graph.nodes)
    for edge in graph.edges:
        if edge.branchable or not is_joint(edge):  # a rod holds no node
            network.add_edge(edge.tail, edge.head, length=length(edge))
    lengths = nx.single_source_dijkstra_path_length(network, graph.nodes[0], weight="length")
    return {node: int(value) for node, value in lengths.items()}


def variable_based_trees(
    graphs: LinearGraph, limit: int
) -> list[dict[Domain, tuple[GrownTree, dict[str, Factors]]]]:
    """The pairs of trees of the algorithm, with the factors that decided.

    Of tied pairs those come first in which flexible arms are leaves (4.1.5), then those in declared order.
    """
    pairs = []
    for rotation in _minimal_trees(graphs, Domain.ROTATION, None, limit):
        for translation in _minimal_trees(graphs, Domain.TRANSLATION, rotation[0].branches, limit):
            pairs.append({Domain.TRANSLATION: translation, Domain.ROTATION: rotation})
    flexible = at_flexible_ends(graphs)
    return sorted(pairs[:limit], key=lambda pair: _branches_among(pair, flexible))


def _branches_among(pair: Mapping[Domain, tuple[GrownTree, object]], names: Collection[str]) -> int:
    return sum(branch in names for tree, _ in pair.values() for branch in tree.branches)


def _minimal_trees(
    graphs: LinearGraph, domain: Domain, first_tree: Collection[str] | None, limit: int
) -> list[tuple[GrownTree, dict[str, Factors]]]:
    graph = graphs.domain(domain)
    factors = edge_factors(graph, first_tree)
    allowed = [edge for edge in graph.edges if edge.branchable]
    weights = FixedWeights({edge.name: factors[edge.name].weight for edge in allowed})
    trees = grow_all(graph, allowed, weights, limit)
    return [(tree, factors) for tree in trees]
