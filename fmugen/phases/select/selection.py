"""TreeSelections from branches, with a reason for every branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fmugen.ir.graph import Domain, Edge, LinearGraph
from fmugen.ir.tree import TreeSelection
from fmugen.topology import span

__all__ = ["Branches", "make_selection"]

Branches = Mapping[Domain, Sequence[str]]


def make_selection(
    graphs: LinearGraph, name: str, branches: Branches, why: Callable[[Domain, str], str]
) -> TreeSelection:
    """The trees with the given branches; ``why`` says what spoke for each of them."""
    reasons: dict[tuple[Domain, str], str] = {}
    for domain in Domain:
        edges = {edge.name: edge for edge in graphs.domain(domain).edges}
        trees_edges = [branch for branch in branches[domain] if branch in edges]
        reasons |= {(domain, b): f"{_brings(edges[b])}; {why(domain, b)}" for b in trees_edges}
    translation, rotation = (span(graphs.domain(domain), branches[domain]) for domain in Domain)
    return TreeSelection(name, translation, rotation, reasons)


def _brings(edge: Edge) -> str:
    coordinates = ", ".join(axis.coordinate for axis in edge.motion) or "no coordinate"
    return f"{edge.kind.value}, brings {coordinates}"
