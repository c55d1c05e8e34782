"""Candidates on their way to a price: drafts, whose loops are open, then the cost with closed loops.

Candidates of a thorough search are written on graphs of their own, since expressions that others share would
change how theirs are written. A rough desk writes all on one graph, which takes half of the time. It closes
their loops from the positions of the first candidate that was closed. It counts operations before common
parts are drawn out, and after that for the cheapest alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fmugen.algebra import Budget
from fmugen.errors import FmugenError
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.graph import Domain, LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate import formulate, linked_variants
from fmugen.phases.graph import build_graph
from fmugen.phases.triangularize import close_loops, poses_at, with_poses
from fmugen.trees.price import Cost, cost_of, count, lower_bound
from fmugen.trees.topology import span
from fmugen.trees.virtual import require_reactions

__all__ = ["Candidate", "Desk", "Draft", "close_elsewhere", "draft_elsewhere", "on_graph", "tree_cost"]

#: Work for the exact steps of a candidate. The best tree sets of Léger's tables need 39 000 at most.
_CANDIDATE_BUDGET = Budget(work=60_000)


@dataclass(frozen=True)
class Candidate:
    """A pair of trees and its cost, or the reason why it has none."""

    trees: TreeSelection
    cost: Cost | None
    refusal: str = ""

    @property
    def price(self) -> float:
        return self._known.price

    @property
    def operations(self) -> int:
        return self._known.operations

    @property
    def _known(self) -> Cost:
        if self.cost is None:
            raise ValueError(f"{self.trees.name} has no cost: {self.refusal}")
        return self.cost


@dataclass(frozen=True)
class Draft:
    """A candidate with its equations, whose loops are still open, or why it cannot be used.

    ``nodes`` is how many nodes of expressions it added.
    """

    trees: TreeSelection
    nodes: int = 0
    least: float = 0.0
    constraints: int = 0
    refusal: str = ""
    equations: tuple[Dae, Iterator[Dae]] | None = None

    @property
    def forecast(self) -> float:
        """The price that closed loops are expected to have, up to a factor.

        The exponents were fitted to the candidates of 35 examples; the root mean square error is 21 %.
        """
        return math.pow(self.least, 1.05) * math.pow(1 + self.constraints, 0.25)


class Desk:
    """Where the candidates of a model are written and closed; all on one graph if they are ``rough``."""

    def __init__(self, model: SystemModel, closure: Closure, *, rough: bool) -> None:
        self._model, self._closure, self._rough = model, closure, rough
        self._bare = replace(model, outputs=())
        self._poses: dict[str, float] = {}
        #: The equations and flows of rough candidates, by the names of their trees.
        self._loops: dict[str, tuple[Dae, SolutionFlow]] = {}

    @cached_property
    def _shared(self) -> LinearGraph:
        return build_graph(self._bare)

    def _formulated(self, trees: TreeSelection) -> tuple[Dae, Iterator[Dae]]:
        """The equations and their variants."""
        graph = self._shared if self._rough else build_graph(self._bare)
        here = on_graph(graph, trees)
        return formulate(self._bare, graph, here), linked_variants(self._bare, graph, here)

    def draft(self, trees: TreeSelection) -> Draft:
        before = len(self._shared.symbols.dag.nodes) if self._rough else 0
        try:
            require_reactions(self._model, trees)
            dae, others = self._formulated(trees)
        except FmugenError as error:
            return Draft(trees, refusal=str(error))
        nodes, least = len(dae.symbols.dag.nodes) - before, lower_bound(dae, self._closure)
        return Draft(trees, nodes, least, len(dae.constraints), equations=(dae, others))

    def closed(self, draft: Draft) -> Candidate:
        try:
            dae, others = draft.equations or self._formulated(draft.trees)
            if self._rough:
                return Candidate(draft.trees, self._rough_cost(draft.trees, dae, others))
            return Candidate(draft.trees, cost_of(self._bare, dae, self._closure, others, _CANDIDATE_BUDGET))
        except FmugenError as error:
            return Candidate(draft.trees, None, str(error))

    def _rough_cost(self, trees: TreeSelection, dae: Dae, others: Iterator[Dae]) -> Cost:
        forms = (with_poses(other, self._poses) for other in others)
        here = with_poses(dae, self._poses)
        best, flow = close_loops(
            self._bare, here, self._closure, forms, _CANDIDATE_BUDGET, alternatives=False
        )
        self._poses = self._poses or poses_at(self._bare, best, flow)
        self._loops[trees.name] = best, flow
        return count(self._bare, best, flow, compacted=False)

    def counted(self, candidate: Candidate) -> Candidate:
        """A rough candidate with the operations that remain where common parts are drawn out."""
        dae, flow = self._loops[candidate.trees.name]
        return replace(candidate, cost=count(self._bare, dae, flow))


def draft_elsewhere(model: SystemModel, trees: TreeSelection, closure: Closure) -> Draft:
    """In another process: the equations are written again where they are needed."""
    return replace(Desk(model, closure, rough=False).draft(trees), equations=None)


def close_elsewhere(model: SystemModel, draft: Draft, closure: Closure) -> Candidate:
    return Desk(model, closure, rough=False).closed(draft)


def tree_cost(model: SystemModel, trees: TreeSelection, closure: Closure) -> Cost:
    """The cost of one evaluation in the coordinates of ``trees``; outputs are not counted."""
    model = replace(model, outputs=())
    graph = build_graph(model)
    here = on_graph(graph, trees)
    dae, others = formulate(model, graph, here), linked_variants(model, graph, here)
    return cost_of(model, dae, closure, others, _CANDIDATE_BUDGET)


def on_graph(graph: LinearGraph, trees: TreeSelection) -> TreeSelection:
    """The same branches as trees of another graph."""
    translation, rotation = (span(graph.domain(domain), trees.domain(domain).branches) for domain in Domain)
    return replace(trees, translation=translation, rotation=rotation)
