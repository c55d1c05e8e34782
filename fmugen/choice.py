"""SystemModel, LinearGraph -> the cheapest trees, which are measured once and then known.

The search of :mod:`fmugen.measure` takes longer than the rest of an export. What it chose is kept in the
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
from fmugen.measure import Effort, Measurement, measure_trees
from fmugen.phases.graph import build_graph
from fmugen.phases.select import METHODS, select_trees
from fmugen.topology import span
from fmugen.virtual import propose_virtual_joints

__all__ = ["cheapest_trees", "settled_trees"]


@dataclass(frozen=True)
class _Choice:
    """Branches and their reasons, by domain, and the joints among them that the program proposed."""

    name: str
    reasons: dict[Domain, dict[str, str]]
    joints: tuple[str, ...]


def cheapest_trees(
    model: SystemModel, graph: LinearGraph, closure: Closure, effort: Effort | None = None
) -> tuple[SystemModel, LinearGraph, TreeSelection]:
    """The cheapest trees with their model and graph, which have the proposed joints that the trees use.

    A search that ran out of time is not kept: the next one may be luckier.
    """
    effort = effort or Effort()
    place = place_of("trees", (repr(model), closure.value, repr(effort)), ".json")
    choice = _recalled(place)
    if choice is None:
        measurement = measure_trees(model, graph, closure, effort)
        choice = _choice_of(measurement)
        if measurement.complete:
            keep(place, _written(choice).encode())
    return _settled(model, graph, choice)


def settled_trees(
    model: SystemModel, graph: LinearGraph, measurement: Measurement
) -> tuple[SystemModel, LinearGraph, TreeSelection]:
    """The cheapest trees of a measurement, as :func:`cheapest_trees` gives them."""
    return _settled(model, graph, _choice_of(measurement))


def _choice_of(measurement: Measurement) -> _Choice:
    trees = measurement.chosen
    reasons = {d: {b: trees.reasons[d, b] for b in trees.domain(d).branches} for d in Domain}
    return _Choice(trees.name, reasons, tuple(joint.name for joint in measurement.used))


def _settled(
    model: SystemModel, graph: LinearGraph, choice: _Choice
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


def _written(choice: _Choice) -> str:
    reasons = {domain.value: whys for domain, whys in choice.reasons.items()}
    return json.dumps({"name": choice.name, "joints": choice.joints, "reasons": reasons})


def _recalled(place: Path) -> _Choice | None:
    """What is kept at ``place``; a damaged file is no file."""
    text = kept_text(place)
    if text is None:
        return None
    try:
        data = json.loads(text)
        reasons = {domain: dict(data["reasons"][domain.value]) for domain in Domain}
        return _Choice(data["name"], reasons, tuple(data["joints"]))
    except (ValueError, KeyError, TypeError):
        return None
