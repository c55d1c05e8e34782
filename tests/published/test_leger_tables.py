"""Every tree set of Léger's appendix A: numbers of equations, the algorithms' choices, complexities."""

from __future__ import annotations

from statistics import median

import pytest
from bench.leger import OUTLIERS, TABLES, counted, mechanism, rank_correlation

from fmugen.ir.graph import Domain, LinearGraph, Role
from fmugen.ir.tree import TreeSelection
from fmugen.phases.graph import build_graph
from fmugen.trees import select_trees, tied_trees
from fmugen.trees.freedoms import freedoms

ROWS = [(table, number) for table in TABLES for number in range(1, len(TABLES[table]["rows"]) + 1)]


@pytest.mark.parametrize(("table", "number"), ROWS)
def test_numbers_of_dynamic_and_kinematic_equations(table: str, number: int) -> None:
    row = TABLES[table]["rows"][number - 1]
    ours = counted(table, number)
    assert (ours.coordinates, ours.constraints) == (row["dynamic"], row["kinematic"])


def coordinates_of(graph: LinearGraph, trees: TreeSelection) -> tuple[frozenset[object], ...]:
    """The trees without arms, by what their branches connect: of parallel edges any one will do."""
    found = []
    for domain in Domain:
        edges = {edge.name: edge for edge in graph.domain(domain).edges}
        branches = [edges[name] for name in trees.domain(domain).branches]
        bodies = {node: graph.body_of.get(node, node) for edge in branches for node in (edge.tail, edge.head)}
        found.append(
            frozenset(
                (frozenset((bodies[edge.tail], bodies[edge.head])), freedoms(edge))
                for edge in branches
                if edge.role is not Role.ARM
            )
        )
    return tuple(found)


@pytest.mark.parametrize("method", ["variable", "formulation"])
@pytest.mark.parametrize("table", TABLES)
def test_algorithms_choose_what_the_tables_mark(table: str, method: str) -> None:
    """Up to ties, which the text describes as decided at random."""
    model = mechanism(table)
    graph = build_graph(model)
    marked = [number for number, row in enumerate(TABLES[table]["rows"], 1) if row[method]]
    printed = {coordinates_of(graph, select_trees(model, graph, str(number))) for number in marked}
    chosen = [coordinates_of(graph, trees) for trees in tied_trees(model, graph, method)]
    assert printed
    assert printed <= set(chosen)


def test_complexities_rank_as_those_of_the_thesis() -> None:
    """In the median of all tables; those that do not are explained."""
    ranks = {table: rank_correlation(table) for table in TABLES}
    assert median(ranks.values()) >= 0.8, ranks
    assert {table for table, rank in ranks.items() if rank < 0.8} == set(OUTLIERS)
