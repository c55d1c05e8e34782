"""The short search of an export: rough prices, and trees that are about as good as those of a long one."""

from __future__ import annotations

import pytest
from bench.sizes import chain, robot

from fmugen.ir.flow import Closure
from fmugen.phases.embedding import embed
from fmugen.phases.formulate import formulate
from fmugen.phases.graph import build_graph
from fmugen.phases.lower import count_program, lower_program
from fmugen.phases.read import parse_model
from fmugen.phases.triangularize import close_loops, poses_at, with_poses
from fmugen.trees import select_trees
from fmugen.trees.drafts import Desk, tree_cost
from fmugen.trees.price import program_cost
from fmugen.trees.search import SHORT_EFFORT, SearchResult, search_trees
from tests.support import example

LONG = [
    "excavator",
    "four_loops",
    "jansen_walker",
    "landing_gear",
    "scissor_lift",
    "stewart_gough",
    "three_rpr",
]


@pytest.mark.parametrize(
    "name",
    ["double_pendulum", "slider_crank", *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)],
)
def test_trees_need_few_more_operations_than_those_of_a_thorough_search(name: str) -> None:
    model = example(name)
    short = search_trees(model, build_graph(model), Closure.TRIANGULAR, SHORT_EFFORT)
    thorough = search_trees(model, build_graph(model), Closure.TRIANGULAR)
    found = tree_cost(model, short.best.trees, Closure.TRIANGULAR)
    assert found.operations <= 1.05 * thorough.best.operations


@pytest.mark.parametrize("text", [robot(5), chain(6)], ids=["arm", "chain"])
def test_a_chain_gets_the_same_trees_without_a_look_at_its_neighbours(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> SearchResult:
        model = parse_model(text, "chain.toml")
        return search_trees(model, build_graph(model), Closure.TRIANGULAR, SHORT_EFFORT)

    short = found()
    monkeypatch.setattr("fmugen.trees.search._OPEN_EXCHANGES", 10_000)
    longer = found()
    assert len(short.candidates) <= SHORT_EFFORT.candidates < len(longer.candidates)
    assert short.best.trees == longer.best.trees


def test_drafts_on_one_graph_share_their_expressions() -> None:
    model = example("four_bar")
    desk = Desk(model, Closure.TRIANGULAR, rough=True)
    trees = [select_trees(model, build_graph(model), method) for method in ("aac", "formulation")]
    first, second = (desk.draft(pair) for pair in trees)
    alone = Desk(model, Closure.TRIANGULAR, rough=True).draft(trees[1])
    assert second.nodes < alone.nodes
    assert desk.draft(trees[0]).nodes == 0
    assert first.least == Desk(model, Closure.TRIANGULAR, rough=False).draft(trees[0]).least


@pytest.mark.parametrize("name", ["four_bar", "spatial_four_bar"])
def test_a_start_is_the_same_in_other_coordinates(name: str) -> None:
    model = example(name)
    poses = []
    for method in ("aac", "jc"):
        graph = build_graph(model)
        dae = formulate(model, graph, select_trees(model, graph, method))
        dae, flow = close_loops(model, with_poses(dae, poses[0] if poses else {}), Closure.NEWTON)
        poses.append(poses_at(model, dae, flow))
    # Angles of bodies in the plane are compared too: whole turns are those of the guesses.
    assert poses[1] == pytest.approx(poses[0], abs=1e-9)


@pytest.mark.parametrize(
    "closure", [Closure.TRIANGULAR, Closure.NEWTON, Closure.NEWTON_ALL, Closure.BAUMGARTE]
)
def test_operations_are_counted_as_in_the_whole_program(closure: Closure) -> None:
    model = example("four_bar")
    graph = build_graph(model)
    dae, flow = close_loops(
        model, formulate(model, graph, select_trees(model, graph, "aac")), closure, alternatives=False
    )
    motions = (
        [embed(dae, flow)] if closure in (Closure.TRIANGULAR, Closure.NEWTON, Closure.NEWTON_ALL) else []
    )
    counted = program_cost(count_program(model, dae, flow, motions))
    rough = program_cost(count_program(model, dae, flow, motions, compacted=False))
    assert counted == program_cost(lower_program(model, dae, flow, motions))
    assert rough.operations >= counted.operations
