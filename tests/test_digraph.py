"""Own graph algorithms against networkx."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from fmugen.digraph import matching, reached_from, strong_components

_EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30)


@given(_EDGES)
def test_reached(edges: list[tuple[int, int]]) -> None:
    graph = nx.Graph(edges)
    graph.add_node(0)
    assert reached_from(0, edges) == nx.node_connected_component(graph, 0)


@given(_EDGES)
def test_strong_components_with_what_they_need_first(edges: list[tuple[int, int]]) -> None:
    successors = {node: [head for tail, head in edges if tail == node] for node in range(10)}
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(10))
    found = strong_components(successors)
    assert {frozenset(each) for each in found} == set(map(frozenset, nx.strongly_connected_components(graph)))
    assert sum(map(len, found)) == 10
    place = {node: number for number, nodes in enumerate(found) for node in nodes}
    assert all(place[head] <= place[tail] for tail, head in edges)


@given(_EDGES)
def test_matching_is_the_largest(edges: list[tuple[int, int]]) -> None:
    choices = {node: sorted({head for tail, head in edges if tail == node}) for node in range(10)}
    found = matching(choices)
    assert all(choice in choices[node] for node, choice in found.items())
    assert len(set(found.values())) == len(found)
    graph = nx.Graph((("left", tail), ("right", head)) for tail, head in edges)
    tops = [node for node in graph if node[0] == "left"]
    assert len(found) == len(nx.bipartite.hopcroft_karp_matching(graph, tops)) // 2
