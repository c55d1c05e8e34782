"""``fmugen trees``: the promising choices of coordinates, their costs, and the reasons for the cheapest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fmugen.cli.terminal import Phases, counted, print_line, print_table, print_warning
from fmugen.ir.flow import Closure
from fmugen.ir.graph import Domain, LinearGraph, Role
from fmugen.ir.tree import TreeSelection
from fmugen.phases.graph import build_graph
from fmugen.phases.read import read_model
from fmugen.trees.search import Candidate, SearchEffort, SearchResult, search_trees
from fmugen.trees.store import apply_result

__all__ = ["TreesOptions", "show_trees"]


@dataclass(frozen=True)
class TreesOptions:
    """The limits of the search; ``None`` is the default."""

    candidates: int | None
    neighbours: int | None
    rounds: int | None
    seconds: float
    processes: int

    @property
    def effort(self) -> SearchEffort:
        usual = SearchEffort()
        return replace(
            usual,
            candidates=usual.candidates if self.candidates is None else self.candidates,
            neighbours=usual.neighbours if self.neighbours is None else self.neighbours,
            rounds=usual.rounds if self.rounds is None else self.rounds,
            seconds=self.seconds,
            processes=self.processes,
        )


def show_trees(path: Path, closure: Closure, wanted: TreesOptions) -> None:
    """Price the candidates for a model; print them, and the reasons for the cheapest."""
    model = read_model(path)
    graph = build_graph(model)
    if not model.bodies:
        print_line(
            "a network has one normal tree, which 'fmugen graph' shows; only mechanisms have trees to choose"
        )
        return
    with Phases() as phases, phases.phase("measure"):
        result = search_trees(
            model,
            graph,
            closure,
            wanted.effort,
            lambda done, name: phases.note(f"{counted(done, 'candidate')} priced, now {name}"),
        )
    widest = build_graph(model.with_elements(*result.proposed))
    _, graph, chosen = apply_result(model, graph, result)
    print_table(
        f"{model.name}: cost of one right-hand side, closure {closure.value}",
        ("trees", "rotation", "translation", ">dynamic", ">kinematic", ">program", ">algebra", ">price", ""),
        _rows(widest, result),
    )
    print_line(
        "program: operations of straight-line code; algebra: operations in loops; price: nanoseconds that "
        "both are expected to take; of equal prices the one with the fewest operations is taken"
    )
    for joint in result.proposed:
        ends = f"from {joint.tail.node} to {joint.head.node}, like {joint.values['like']}"
        print_line(f"{joint.name}: a virtual joint that the model does not have, {ends}")
    print_line(f"coordinates: {', '.join(_coordinates(graph, chosen))}")
    for domain in Domain:
        reasons = [(b, chosen.reasons[domain, b]) for b in _named(graph, chosen, domain)]
        print_table(f"{domain.value} tree", ("branch", "why"), reasons)
    for candidate in result.candidates:
        if candidate.cost is None:
            print_line(f"{candidate.trees.name}: {candidate.refusal}")
    if not result.complete:
        print_warning(
            f"time limit reached after {counted(len(result.candidates), 'candidate')}; a longer search "
            "(--seconds) may find a cheaper pair"
        )


def _rows(graph: LinearGraph, result: SearchResult) -> Iterator[tuple[object, ...]]:
    for candidate in result.ranked:
        if candidate.cost is not None:
            cost = candidate.cost
            yield (
                candidate.trees.name,
                _listed(graph, candidate.trees, Domain.ROTATION),
                _listed(graph, candidate.trees, Domain.TRANSLATION),
                cost.coordinates,
                cost.constraints,
                cost.program.total,
                cost.algebra + cost.elimination,
                round(cost.price),
                _mark(result, candidate),
            )


def _mark(result: SearchResult, candidate: Candidate) -> str:
    return "chosen" if candidate is result.best else ""


def _listed(graph: LinearGraph, trees: TreeSelection, domain: Domain) -> str:
    return " ".join(_named(graph, trees, domain))


def _named(graph: LinearGraph, trees: TreeSelection, domain: Domain) -> list[str]:
    """The branches in declared order; arms, which every translational tree has, are left out."""
    branches = set(trees.domain(domain).branches)
    edges = graph.domain(domain).edges
    return [edge.name for edge in edges if edge.name in branches and edge.role is not Role.ARM]


def _coordinates(graph: LinearGraph, trees: TreeSelection) -> Iterator[str]:
    for domain in (Domain.ROTATION, Domain.TRANSLATION):
        branches = set(trees.domain(domain).branches)
        for edge in graph.domain(domain).edges:
            if edge.name in branches:
                yield from (axis.coordinate for axis in edge.motion)
