"""Reachability, strong components and matchings of small graphs.

Every export needs these few. Importing networkx takes longer than compiling a small model to C.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

__all__ = ["matching", "reached_from", "strong_components"]

_Node = TypeVar("_Node", bound=Hashable)
_Other = TypeVar("_Other", bound=Hashable)


def reached_from(node: _Node, edges: Iterable[tuple[_Node, _Node]]) -> set[_Node]:
    """The nodes that undirected edges connect with ``node``, itself included."""
    near: dict[_Node, list[_Node]] = {}
    for tail, head in edges:
        near.setdefault(tail, []).append(head)
        near.setdefault(head, []).append(tail)
    reached, waiting = {node}, [node]
    while waiting:
        for other in near.get(waiting.pop(), ()):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def strong_components(successors: Mapping[_Node, Iterable[_Node]]) -> list[list[_Node]]:
    """The strongly connected components; a component comes after all that it leads to (Tarjan).

    Every node is a key of ``successors``.

    Examples
    --------
    >>> [sorted(each) for each in strong_components({1: [2], 2: [3], 3: [2], 4: [1]})]
    [[2, 3], [1], [4]]
    """
    index: dict[_Node, int] = {}
    low: dict[_Node, int] = {}
    stack: list[_Node] = []
    placed: set[_Node] = set()
    found: list[list[_Node]] = []

    def enter(node: _Node) -> tuple[_Node, Iterator[_Node]]:
        index[node] = low[node] = len(index)
        stack.append(node)
        return node, iter(successors[node])

    def leave(node: _Node) -> None:
        if low[node] == index[node]:
            begin = stack.index(node)
            found.append(stack[begin:])
            placed.update(stack[begin:])
            del stack[begin:]

    for root in successors:
        path = [] if root in index else [enter(root)]
        while path:
            node, rest = path[-1]
            following = next((other for other in rest if other not in placed), None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                leave(node)
            elif following in index:
                low[node] = min(low[node], index[following])
            else:
                path.append(enter(following))
    return found


def matching(choices: Mapping[_Node, Sequence[_Other]]) -> dict[_Node, _Other]:
    """A largest matching: a choice of each node, all different; nodes without one are left out.

    Each node takes a free choice, or one whose owner can take another (augmenting paths).

    Examples
    --------
    >>> matching({"a": [1, 2], "b": [1]})
    {'a': 2, 'b': 1}
    """
    owner: dict[_Other, _Node] = {}
    for start in choices:
        free, came_from = _free_choice(choices, owner, start)
        while free is not None:
            node = came_from[free]
            given_up = next((each for each, of in owner.items() if of == node), None)
            owner[free] = node
            free = given_up if node != start else None
    taken = {node: choice for choice, node in owner.items()}
    return {node: taken[node] for node in choices if node in taken}


def _free_choice(
    choices: Mapping[_Node, Sequence[_Other]], owner: Mapping[_Other, _Node], start: _Node
) -> tuple[_Other | None, dict[_Other, _Node]]:
    """The nearest choice without an owner, if there is one, and the node that each choice is reached from."""
    came_from: dict[_Other, _Node] = {}
    waiting = [start]
    while waiting:
        node = waiting.pop(0)
        for choice in choices[node]:
            if choice not in came_from:
                came_from[choice] = node
                if choice not in owner:
                    return choice, came_from
                waiting.append(owner[choice])
    return None, came_from
