"""Places of the nodes of a drawn graph, in the plane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["places_by_distance"]

#: Iterations of the layout; it hardly moves after these.
_ITERATIONS = 300
#: How far apart nodes of different parts are, in the largest distance within a part.
_APART = 1.5


def places_by_distance(
    nodes: Sequence[str], lengths: Mapping[tuple[str, str], float]
) -> dict[str, tuple[float, float]]:
    """Places whose distances are near the shortest ways through the graph.

    Minimizes the energy of Kamada and Kawai, the sum of (distance / way - 1)^2 over all pairs, by
    majorization: every iteration solves linear equations, and none increases the energy. The start is a
    circle.

    Examples
    --------
    >>> places = places_by_distance("abc", {("a", "b"): 1.0, ("b", "c"): 2.0})
    >>> [round(abs(complex(*places[x]) - complex(*places[y])), 1) for x, y in ("ab", "bc", "ac")]
    [1.0, 2.0, 3.0]

    References
    ----------
    E. Gansner, Y. Koren, S. North: Graph drawing by stress majorization, 2004.
    """
    count = len(nodes)
    ways = _shortest_ways(nodes, lengths.items())
    weights = np.divide(1.0, ways**2, out=np.zeros_like(ways), where=ways > 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    angles = 2.0 * np.pi * np.arange(count) / max(count, 1)
    found = 0.5 * ways.max(initial=0.0) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for _ in range(_ITERATIONS):
        apart = np.linalg.norm(found[:, None] - found[None, :], axis=2)
        pull = np.divide(weights * ways, apart, out=np.zeros_like(ways), where=apart > 0.0)
        found = inverse @ (pull.sum(axis=1)[:, None] * found - pull @ found)
    return {node: (float(x), float(y)) for node, (x, y) in zip(nodes, found, strict=True)}


def _shortest_ways(
    nodes: Sequence[str], lengths: Iterable[tuple[tuple[str, str], float]]
) -> NDArray[np.float64]:
    """The lengths of the shortest ways between all pairs of nodes."""
    number = {node: place for place, node in enumerate(nodes)}
    ways = np.full((len(nodes), len(nodes)), np.inf)
    np.fill_diagonal(ways, 0.0)
    for (tail, head), length in lengths:
        i, j = number[tail], number[head]
        ways[i, j] = ways[j, i] = min(ways[i, j], length)
    for k in range(len(nodes)):
        ways = np.minimum(ways, ways[:, k, None] + ways[None, k, :])
    longest = ways.max(initial=0.0, where=np.isfinite(ways))
    return np.where(np.isfinite(ways), ways, _APART * (longest or 1.0))
