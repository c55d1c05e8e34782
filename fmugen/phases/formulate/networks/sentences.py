"""Messages about faults of a network; they name its components."""

from __future__ import annotations

from fmugen.errors import NetworkError
from fmugen.ir.graph import NetworkGraph, Rank
from fmugen.ir.tree import SpanningTree

__all__ = ["require_drivers_apart"]


def require_drivers_apart(network: NetworkGraph, tree: SpanningTree) -> None:
    """Raise if across drivers form a loop, or if through drivers alone feed a part of the network."""
    ranks = {edge.name: edge.rank for edge in network.edges}
    across, through = network.domain.across[0][0], network.domain.through[0]
    for chord in tree.chords:
        if ranks[chord] is Rank.ACROSS_DRIVER:
            loop = ", ".join([chord, *(branch for branch, _ in tree.circuits[chord])])
            raise NetworkError(
                f"{loop} form a loop of {network.domain.value} sources, whose {across} contradict or repeat "
                "one another: take one of them out, or put an element in series with it"
            )
    for branch in tree.branches:
        if ranks[branch] is Rank.THROUGH_DRIVER:
            cut = ", ".join([branch, *(chord for chord, _ in tree.cutsets[branch])])
            raise NetworkError(
                f"a part of the {network.domain.value} network is connected by {cut} alone, which "
                f"prescribe {through}: connect it by another element"
            )
