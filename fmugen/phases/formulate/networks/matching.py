"""Matching of equations and variables by augmenting paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Attempt", "match"]


@dataclass(frozen=True)
class Attempt:
    """Whether a node found a partner, and the nodes that were visited on the way, on either side."""

    succeeded: bool
    visited: list[int]
    partners_met: set[int]


def match(start: int, partners: Callable[[int], Sequence[int]], matched: dict[int, int]) -> Attempt:
    """Give ``start`` one of its possible partners, changing the other matches if needed.

    ``matched`` leads from partners back to the nodes that have them. It stays as it is if all fails.
    """
    met: set[int] = set()
    visited = [start]
    path: list[tuple[int, int]] = []
    stack: list[tuple[int, Iterator[int]]] = [(start, iter(partners(start)))]
    while stack:
        node, ahead = stack[-1]
        free = next((partner for partner in partners(node) if partner not in matched), None)
        if free is not None:
            for mover, partner in [*path, (node, free)]:
                matched[partner] = mover
            return Attempt(True, visited, met)
        taken = next((partner for partner in ahead if partner not in met), None)
        if taken is None:
            stack.pop()
            if path:
                path.pop()
            continue
        met.add(taken)
        path.append((node, taken))
        visited.append(matched[taken])
        stack.append((matched[taken], iter(partners(matched[taken]))))
    return Attempt(False, visited, met)
