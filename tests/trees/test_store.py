"""The cheapest trees are searched for once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from element_views import joints_of, with_views

import fmugen.trees.store
from fmugen.ir.flow import Closure
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import TreeSelection
from fmugen.phases.graph import build_graph
from fmugen.trees import choose_trees
from fmugen.trees.search import SHORT_EFFORT, SearchEffort, search_trees
from fmugen.trees.store import apply_result, cheapest_trees
from tests.support import example

SMALL = SearchEffort(candidates=3, rounds=0, proposals=0)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path))
    return tmp_path / "trees"


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the models that were searched."""
    names: list[str] = []

    def search(model: SystemModel, *rest: object) -> object:
        names.append(model.name)
        return search_trees(model, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(fmugen.trees.store, "search_trees", search)
    return names


def chosen(model: SystemModel, effort: SearchEffort = SMALL) -> TreeSelection:
    return cheapest_trees(model, build_graph(model), Closure.NEWTON, effort)[2]


def test_a_choice_that_is_kept_is_the_one_that_was_measured(searches: list[str]) -> None:
    model = example("slider_crank")
    graph = build_graph(model)
    first, again = chosen(model), chosen(model)
    assert len(searches) == 1
    assert first == again
    measured = search_trees(model, graph, Closure.NEWTON, SMALL)
    assert again == apply_result(model, graph, measured)[2]
    assert again.reasons == measured.chosen.reasons


def test_what_changed_is_searched_again(searches: list[str]) -> None:
    model = example("slider_crank")
    chosen(model)
    chosen(with_views(model, joints=joints_of(model)[::-1]))
    chosen(model, replace(SMALL, candidates=2))
    cheapest_trees(model, build_graph(model), Closure.PENALTY, SMALL)
    assert len(searches) == 4


@pytest.mark.parametrize("damage", ["", "{}", '{"name": "x", "joints": [], "reasons": {}}', "\xff"])
def test_a_damaged_file_is_no_file(searches: list[str], folder: Path, damage: str) -> None:
    model = example("slider_crank")
    first = chosen(model)
    (file,) = folder.iterdir()
    file.write_bytes(damage.encode("latin-1"))
    assert chosen(model) == first
    assert len(searches) == 2


def test_a_search_that_ran_out_of_time_is_not_kept(folder: Path) -> None:
    chosen(example("slider_crank"), replace(SMALL, seconds=1e-9))
    assert not folder.exists()


@pytest.mark.parametrize(("method", "effort"), [("cheapest", SHORT_EFFORT), ("thorough", SearchEffort())])
def test_the_name_of_trees_says_how_long_the_search_is(
    method: str, effort: SearchEffort, monkeypatch: pytest.MonkeyPatch
) -> None:
    efforts: list[SearchEffort] = []

    def search(
        model: SystemModel, graph: LinearGraph, closure: Closure, asked: SearchEffort, _: object
    ) -> object:
        efforts.append(asked)
        return search_trees(model, graph, closure, SMALL)

    monkeypatch.setattr(fmugen.trees.store, "search_trees", search)
    choose_trees(example("pendulum"), method, Closure.NEWTON)
    assert efforts == [effort]
