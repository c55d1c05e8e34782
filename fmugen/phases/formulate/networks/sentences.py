"""What is wrong with a network, in sentences that name its components."""

from __future__ import annotations

from fmugen.errors import NetworkError
from fmugen.ir.graph import Kind, NetworkGraph
from fmugen.ir.tree import SpanningTree

__all__ = ["require_drivers_apart"]


def require_drivers_apart(network: NetworkGraph, tree: SpanningTree) -> None:
    """Raise if across drivers form a loop, or if through drivers alone feed a part of the network."""
    kinds = {edge.name: edge.kind for edge in network.edges}
    across, through = network.domain.across[0][0], network.domain.through[0]
    for chord in tree.chords:
        if kinds[chord] is Kind.ACROSS_DRIVER:
            loop = ", ".join([chord, *(branch for branch, _ in tree.circuits[chord])])
            raise NetworkError(
                f"{loop} form a loop of {network.domain.value} sources, whose {across} contradict or repeat "
                "one another: take one of them out, or put an element in series with it"
            )
    for branch in tree.branches:
        if kinds[branch] is Kind.THROUGH_DRIVER:
            cut = ", ".join([branch, *(chord for chord, _ in tree.cutsets[branch])])
            raise NetworkError(
                f"a part of the {network.domain.value} network hangs on {cut} alone, which prescribe "
                f"{through}: connect it by another element"
            )
