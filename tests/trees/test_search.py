"""Trees by measurement: the cheapest of all that are offered, the same on every run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from fmugen.errors import FmugenError, TreeError
from fmugen.expr.code import Operations
from fmugen.ir.flow import Closure
from fmugen.ir.model import NamedTrees
from fmugen.ir.options import ExportOptions
from fmugen.phases.formulate import formulate
from fmugen.phases.graph import build_graph
from fmugen.pipeline import Compilation
from fmugen.trees import promising_trees, select_trees
from fmugen.trees.price import PRICE_ERROR, Cost, lower_bound, program_cost
from fmugen.trees.search import Candidate, SearchEffort, SearchResult, search_trees, tree_cost
from tests.support import example

SMALL = SearchEffort(candidates=8, neighbours=2, rounds=1)


def branches(measurement: SearchResult) -> tuple[set[str], set[str]]:
    return set(measurement.chosen.translation.branches), set(measurement.chosen.rotation.branches)


@pytest.mark.parametrize(
    "name",
    [
        "four_bar",
        "five_bar",
        "slider_crank",
        "spatial_slider_crank",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("three_rrr", "three_rpr", "peaucellier_lipkin", "three_bodies", "spatial_serial")
        ),
    ],
)
def test_measured_trees_are_the_cheapest_of_the_tables(name: str) -> None:
    model = example(name)
    graph = build_graph(model)
    best = search_trees(model, graph, Closure.NEWTON).best
    named = [select_trees(model, graph, trees.name) for trees in model.trees]
    costs = {trees.name: tree_cost(model, trees, Closure.NEWTON).price for trees in named}
    assert best.price <= min(costs.values()) * (1 + PRICE_ERROR), (best.trees.name, costs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["three_rpr", "stewart_gough", "spatial_parallel_3dof", "double_wishbone"])
def test_exact_steps_are_found_for_the_cheapest_of_the_tables(name: str) -> None:
    """Few constraints make up for long equations; large searches end by their numbers, not by the clock."""
    model = example(name)
    graph = build_graph(model)
    found = search_trees(model, graph, Closure.TRIANGULAR)
    assert found.complete
    costs = {}
    for trees in model.trees:
        with suppress(FmugenError):
            costs[trees.name] = tree_cost(model, select_trees(model, graph, trees.name), Closure.TRIANGULAR)
    assert found.best.price <= min(cost.price for cost in costs.values()) * (1 + PRICE_ERROR)
    assert found.best.cost is not None
    assert found.best.cost.iterated == (1 if name == "spatial_parallel_3dof" else 0)


def test_the_result_is_the_same_in_several_processes() -> None:
    model = example("slider_crank")
    graph = build_graph(model)
    alone = search_trees(model, graph, Closure.NEWTON, SMALL)
    together = search_trees(
        model,
        graph,
        Closure.NEWTON,
        SearchEffort(SMALL.candidates, SMALL.neighbours, SMALL.rounds, processes=2),
    )
    assert branches(alone) == branches(together)
    assert alone.best.cost == together.best.cost


def test_measuring_stops_when_time_is_up() -> None:
    model = example("four_bar")
    hurried = search_trees(model, build_graph(model), Closure.NEWTON, SearchEffort(seconds=1e-9))
    assert not hurried.complete
    assert len(hurried.candidates) == 2
    assert hurried.best in hurried.candidates
    assert all("reached its time limit" in reason for reason in hurried.chosen.reasons.values())


def test_progress_names_what_is_measured() -> None:
    model = example("slider_crank")
    seen: list[tuple[int, str]] = []
    search_trees(
        model, build_graph(model), Closure.NEWTON, SMALL, lambda done, name: seen.append((done, name))
    )
    assert seen[0][1] == "aac"
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_hopeless_candidates_are_not_formulated() -> None:
    """Absolute coordinates of a slider-crank are nine, where two will do."""
    model = example("slider_crank")
    graph = build_graph(model)
    measurement = search_trees(model, graph, Closure.NEWTON)
    absolute = next(c for c in measurement.candidates if c.trees.name == "ac")
    assert absolute.cost is None
    assert "not formulated: 9 coordinates" in absolute.refusal
    full = tree_cost(model, select_trees(model, graph, "ac"), Closure.NEWTON)
    assert full.price > measurement.best.price


@pytest.mark.parametrize("closure", [Closure.TRIANGULAR, Closure.NEWTON, Closure.BAUMGARTE, Closure.PENALTY])
@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "spatial_slider_crank"])
def test_drafts_promise_less_than_candidates_cost(name: str, closure: Closure) -> None:
    """Else a good candidate could be left aside because of its draft."""
    model = example(name)
    for method in ("aac", "jc", "formulation"):
        graph = build_graph(model)
        trees = select_trees(model, graph, method)
        least = lower_bound(formulate(model, graph, trees), closure)
        assert 0 < least < tree_cost(model, trees, closure).price


def test_loops_are_closed_for_the_most_promising_drafts_only() -> None:
    model = example("four_bar")
    measurement = search_trees(
        model, build_graph(model), Closure.TRIANGULAR, SearchEffort(rounds=0, proposals=0, closed=2)
    )
    assert len(measurement.ranked) == 2
    left = [c.refusal for c in measurement.candidates if c.refusal.startswith("not closed")]
    assert left
    assert set(left) == {"not closed: 2 candidates with cheaper equations were closed first"}


def test_what_others_took_spares_candidates_and_changes_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    model = example("five_bar")
    graph = build_graph(model)
    spared = search_trees(model, graph, Closure.TRIANGULAR)
    monkeypatch.setattr("fmugen.trees.search._MIN_SAMPLES", 10**6)
    every = search_trees(model, graph, Closure.TRIANGULAR)
    assert len(spared.ranked) < len(every.ranked)
    assert any("times as long with closed loops" in c.refusal for c in spared.candidates)
    assert branches(spared) == branches(every)


def test_drafting_stops_where_the_equations_are_many() -> None:
    """Two at a time, in however many processes; but trees of the file are always tried."""
    model = example("four_bar")
    graph = build_graph(model)
    effort = SearchEffort(rounds=0, proposals=0, nodes=1)
    few = search_trees(replace(model, trees=()), graph, Closure.NEWTON, effort)
    assert len(few.candidates) == 2
    assert few.complete
    more = search_trees(model, graph, Closure.NEWTON, effort)
    further = {c.trees.name for c in more.candidates} - {c.trees.name for c in few.candidates}
    assert further
    assert further <= {trees.name for trees in model.trees}


def test_of_equal_prices_the_fewest_operations_are_chosen() -> None:
    model = example("pendulum")
    trees = select_trees(model, build_graph(model), "jc")

    def candidate(operations: Operations) -> Candidate:
        return Candidate(trees, Cost(1, 0, operations))

    cheap = candidate(Operations(additions=100, functions=10))
    short = candidate(Operations(additions=90, functions=11))
    dear = candidate(Operations(additions=10, functions=20))
    assert cheap.price < short.price < cheap.price * 1.03
    assert dear.operations < short.operations < cheap.operations
    assert SearchResult((cheap, short, dear), complete=True).best is short


def test_a_candidate_without_iteration_is_chosen_unless_it_is_far_dearer() -> None:
    model = example("pendulum")
    trees = select_trees(model, build_graph(model), "jc")
    iterated = Candidate(trees, Cost(1, 0, Operations(additions=100), iterated=1))
    exact = Candidate(trees, Cost(1, 0, Operations(additions=2500)))
    far_dearer = Candidate(trees, Cost(1, 0, Operations(additions=9000)))
    assert iterated.price < exact.price < far_dearer.price
    assert SearchResult((iterated, exact), complete=True).best is exact
    assert SearchResult((iterated, far_dearer), complete=True).best is iterated


def test_no_usable_trees_are_an_error_with_reasons() -> None:
    model = example("pendulum")
    trees = select_trees(model, build_graph(model), "jc")
    with pytest.raises(TreeError, match="no trees can be used: the loop stays open"):
        _ = SearchResult((Candidate(trees, None, "the loop stays open"),), complete=True).best


def test_other_closures_have_other_prices() -> None:
    """Without an embedding, what counts is the size of the system with multipliers."""
    model = example("four_bar")
    trees = select_trees(model, build_graph(model), "jc")
    costs = {closure: tree_cost(model, trees, closure) for closure in Closure}
    assert {(cost.coordinates, cost.constraints) for cost in costs.values()} == {(3, 2)}
    assert costs[Closure.BAUMGARTE].algebra == 2 * 5**3 // 3 + 2 * 5**2
    assert costs[Closure.BAUMGARTE].program.total < costs[Closure.NEWTON].program.total
    assert costs[Closure.NEWTON].program.total < costs[Closure.NEWTON_ALL].program.total
    assert (costs[Closure.NEWTON].iterated, costs[Closure.NEWTON].steps) == (1, 0)
    assert (costs[Closure.TRIANGULAR].iterated, costs[Closure.TRIANGULAR].steps) == (0, 2)


def test_the_pipeline_takes_measured_trees() -> None:
    formulation = Compilation(example("slider_crank"), ExportOptions("cheapest"))
    assert formulation.trees.name == "cheapest"
    assert len(formulation.formulated.coordinates) == 2
    assert all("cheapest of" in reason for reason in formulation.trees.reasons.values())


def test_proposed_joints_are_tried_after_all_others_and_only_if_wanted() -> None:
    model = example("four_bar")
    graph = build_graph(model)
    asked = search_trees(model, graph, Closure.NEWTON)
    (joint,) = asked.proposed
    using = [
        joint.name in (*c.trees.translation.branches, *c.trees.rotation.branches) for c in asked.candidates
    ]
    assert any(using)
    assert using == sorted(using)
    plain = search_trees(model, graph, Closure.NEWTON, replace(SearchEffort(), proposals=0))
    assert plain.proposed == ()
    assert plain.candidates == asked.candidates[: len(plain.candidates)]


@pytest.mark.parametrize("closure", [Closure.TRIANGULAR, Closure.NEWTON, Closure.PENALTY])
def test_what_is_priced_is_what_the_whole_program_costs(closure: Closure) -> None:
    model = example("slider_crank")
    trees = select_trees(model, build_graph(model), "aac")
    made = Compilation(model, ExportOptions("aac", closure))
    assert tree_cost(model, trees, closure) == program_cost(made.program)


def test_trees_of_the_file_are_candidates_however_many_coordinates_they_have() -> None:
    """Row 2 of table A.18 has two coordinates more than others, and the fewest operations."""
    model = example("three_rrr")
    turning = tuple(f"vp{number}" for number in range(34, 41))
    row = NamedTrees("row2", ("h25", "h26", "h28", "h29", "h31", "h32", "vp40"), turning)
    model = replace(model, trees=(row,))
    graph = build_graph(model)
    wanted = set(select_trees(model, graph, "row2").translation.branches)
    found = promising_trees(model, graph, limit=8)
    assert wanted in [set(pair.translation.branches) for pair in found]
