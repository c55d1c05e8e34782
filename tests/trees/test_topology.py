"""Graph theory: matrices, orthogonality, errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmugen.errors import TreeError
from fmugen.expr import Dag
from fmugen.expr.vectors import null
from fmugen.ir.graph import Displacement, Domain, DomainGraph, Edge, Role
from fmugen.trees.topology import circuit_matrix, cutset_matrix, greedy_branches, incidence_matrix, span


def graph_of(nodes: int, ends: list[tuple[int, int]]) -> DomainGraph:
    origin = null(Dag())
    edges = tuple(
        Edge(f"e{i}", Role.BODY, f"n{tail}", f"n{head}", Displacement("n0", origin), label="body")
        for i, (tail, head) in enumerate(ends)
    )
    return DomainGraph(Domain.TRANSLATION, tuple(f"n{i}" for i in range(nodes)), edges)


@st.composite
def connected_graphs(draw: st.DrawFn) -> tuple[DomainGraph, list[str]]:
    """A connected graph with directed edges, and an order in which to try edges."""
    nodes = draw(st.integers(2, 9))
    ends = []
    for head in range(1, nodes):
        pair = (draw(st.integers(0, head - 1)), head)
        ends.append(pair if draw(st.booleans()) else pair[::-1])
    for _ in range(draw(st.integers(0, 8))):
        tail, head = draw(st.integers(0, nodes - 1)), draw(st.integers(0, nodes - 1))
        if tail != head:
            ends.append((tail, head))
    graph = graph_of(nodes, draw(st.permutations(ends)))
    return graph, draw(st.permutations([edge.name for edge in graph.edges]))


@settings(deadline=None)
@given(connected_graphs())
def test_cutsets_and_circuits_are_orthogonal(case: tuple[DomainGraph, list[str]]) -> None:
    """``B_f A_f^T = 0`` (McPhee (13)), and both agree with the incidence matrix."""
    graph, order = case
    tree = span(graph, greedy_branches(graph, order))
    cutsets, circuits = cutset_matrix(tree), circuit_matrix(tree)
    assert not (circuits @ cutsets.T).any()
    column = {edge.name: index for index, edge in enumerate(graph.edges)}
    reordered = incidence_matrix(graph)[:, [column[name] for name in tree.branches + tree.chords]]
    assert not (reordered @ circuits.T).any()  # across variables around a loop sum to zero
    assert np.linalg.matrix_rank(np.vstack([reordered, cutsets])) == len(tree.branches)


@settings(deadline=None)
@given(connected_graphs())
def test_steps_list_parents_before_children(case: tuple[DomainGraph, list[str]]) -> None:
    graph, order = case
    tree = span(graph, greedy_branches(graph, order))
    placed = {tree.root}
    edges = {edge.name: edge for edge in graph.edges}
    for step in tree.steps:
        assert step.parent in placed and step.node not in placed
        edge = edges[step.branch]
        ends = (edge.tail, edge.head) if step.forward else (edge.head, edge.tail)
        assert ends == (step.parent, step.node)
        placed.add(step.node)
    assert placed == set(graph.nodes)


def test_refusals_say_what_is_wrong() -> None:
    graph = graph_of(3, [(0, 1), (1, 2), (2, 0)])
    with pytest.raises(TreeError, match="does not reach n2"):
        span(graph, ["e0"])
    with pytest.raises(TreeError, match="closed loop: leave out e2"):
        span(graph, ["e0", "e1", "e2"])
    with pytest.raises(TreeError, match="names e9"):
        span(graph, ["e0", "e9"])
    only_chord = replace(graph, edges=(replace(graph.edges[0], branchable=False), *graph.edges[1:]))
    assert greedy_branches(only_chord, ["e0", "e1", "e2"]) == ("e1", "e2")
    with pytest.raises(TreeError, match="e0, a body, cannot be in the translation tree"):
        span(only_chord, ["e0", "e1"])
