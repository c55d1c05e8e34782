"""TreeSelections from branches, with a reason for every branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fmugen.digraph import reached_from
from fmugen.errors import NetworkError
from fmugen.ir.graph import Domain, Edge, LinearGraph, NetworkGraph, Rank
from fmugen.ir.model import GROUND
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.trees.topology import greedy_branches, span

__all__ = ["Branches", "make_selection", "reasons_of"]

Branches = Mapping[Domain, Sequence[str]]


def make_selection(
    graphs: LinearGraph, name: str, branches: Branches, why: Callable[[Domain, str], str]
) -> TreeSelection:
    """The trees with the given branches; ``why`` says what spoke for each of them."""
    translation, rotation = (span(graphs.domain(domain), branches[domain]) for domain in Domain)
    return TreeSelection(name, translation, rotation, reasons_of(graphs, branches, why), normal_trees(graphs))


def reasons_of(
    graphs: LinearGraph, branches: Branches, why: Callable[[Domain, str], str]
) -> dict[tuple[Domain, str], str]:
    """What each branch brings, and ``why`` it was taken."""
    reasons: dict[tuple[Domain, str], str] = {}
    for domain in Domain:
        edges = {edge.name: edge for edge in graphs.domain(domain).edges}
        trees_edges = [branch for branch in branches[domain] if branch in edges]
        reasons |= {(domain, b): f"{_brings(edges[b])}; {why(domain, b)}" for b in trees_edges}
    return reasons


def normal_trees(graphs: LinearGraph) -> tuple[SpanningTree, ...]:
    """The normal tree of every network: across drivers, capacitive edges ..., through drivers last.

    Edges of one rank are taken in declared order (McPhee, 2.5).
    """
    order = list(Rank)
    trees = []
    for graph in graphs.networks:
        _require_connected(graph)
        ranked = sorted(graph.edges, key=lambda edge: order.index(edge.rank))
        trees.append(span(graph, greedy_branches(graph, [edge.name for edge in ranked])))
    return tuple(trees)


def _require_connected(graph: NetworkGraph) -> None:
    """Raise if a part of a network floats: its potentials would be anything."""
    reached = reached_from(GROUND, ((edge.tail, edge.head) for edge in graph.edges))
    floating = [node for node in graph.nodes if node not in reached]
    if floating:
        raise NetworkError(
            f"the {graph.domain.value} nodes {', '.join(floating)} are not connected to the ground, so that "
            f"nothing determines their {graph.domain.across[0][0]}: connect one of them"
        )


def _brings(edge: Edge) -> str:
    coordinates = ", ".join(axis.coordinate for axis in edge.motion) or "no coordinate"
    return f"{edge.label}, brings {coordinates}"
