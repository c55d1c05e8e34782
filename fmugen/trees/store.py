"""The cheapest trees, cached on disk.

The search of :mod:`fmugen.trees.search` takes longer than the rest of an export. Its result is kept in the
cache under a digest of the model, the closure, the effort and the program.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from fmugen.cache import keep, kept_text, place_of
from fmugen.ir.flow import Closure
from fmugen.ir.graph import Domain, LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import TreeSelection
from fmugen.phases.graph import build_graph
from fmugen.trees import METHODS, select_trees
from fmugen.trees.search import CandidateProgress, SearchEffort, SearchResult, search_trees
from fmugen.trees.topology import span
from fmugen.trees.virtual import propose_virtual_joints

__all__ = ["apply_result", "cheapest_trees"]


@dataclass(frozen=True)
class _StoredTrees:
    """Branches and their reasons, by domain, and the joints among them that the program proposed."""

    name: str
    reasons: dict[Domain, dict[str, str]]
    joints: tuple[str, ...]


def cheapest_trees(
    model: SystemModel,
    graph: LinearGraph,
    closure: Closure,
    effort: SearchEffort | None = None,
    progress: CandidateProgress | None = None,
) -> tuple[SystemModel, LinearGraph, TreeSelection]:
    """The cheapest trees with their model and graph, which have the proposed joints that the trees use.

    An incomplete search is not cached.
    """
    effort = effort or SearchEffort()
    place = place_of("trees", (repr(model), closure.value, repr(effort)), ".json")
    choice = _recalled(place)
    if choice is None:
        result = search_trees(model, graph, closure, effort, progress)
        choice = _stored(result)
        if result.complete:
            keep(place, _written(choice).encode())
    return _apply(model, graph, choice)


def apply_result(
    model: SystemModel, graph: LinearGraph, result: SearchResult
) -> tuple[SystemModel, LinearGraph, TreeSelection]:
    """The cheapest trees of a result, as :func:`cheapest_trees` gives them."""
    return _apply(model, graph, _stored(result))


def _stored(result: SearchResult) -> _StoredTrees:
    trees = result.chosen
    reasons = {d: {b: trees.reasons[d, b] for b in trees.domain(d).branches} for d in Domain}
    return _StoredTrees(trees.name, reasons, tuple(joint.name for joint in result.used))


def _apply(
    model: SystemModel, graph: LinearGraph, choice: _StoredTrees
) -> tuple[SystemModel, LinearGraph, TreeSelection]:
    if choice.joints:
        wider = propose_virtual_joints(model).in_section("joints")
        model = model.with_elements(*(joint for joint in wider if joint.name in choice.joints))
        graph = build_graph(model)
    # The trees of networks are the same whatever those of the mechanism are.
    some = select_trees(model, graph, next(iter(METHODS)))
    translation, rotation = (span(graph.domain(d), tuple(choice.reasons[d])) for d in Domain)
    reasons = {(d, branch): why for d in Domain for branch, why in choice.reasons[d].items()}
    return model, graph, TreeSelection(choice.name, translation, rotation, reasons, some.networks)


# --- the cache -------------------------------------------------------------------------------


def _written(choice: _StoredTrees) -> str:
    reasons = {domain.value: whys for domain, whys in choice.reasons.items()}
    return json.dumps({"name": choice.name, "joints": choice.joints, "reasons": reasons})


def _recalled(place: Path) -> _StoredTrees | None:
    """The result cached at ``place``; a damaged file counts as missing."""
    text = kept_text(place)
    if text is None:
        return None
    try:
        data = json.loads(text)
        reasons = {domain: dict(data["reasons"][domain.value]) for domain in Domain}
        return _StoredTrees(data["name"], reasons, tuple(data["joints"]))
    except (ValueError, KeyError, TypeError):
        return None
