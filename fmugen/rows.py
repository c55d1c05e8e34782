"""Dae -> Dae, SolutionFlow: the form of the loop constraints that leaves the least to iteration.

The constraints of a ball may be written along fixed axes or in the axes of a link that ends in it, by its
constant length (Uchida 5.2). Which is better for the flow is known when both are triangularized.
"""

from __future__ import annotations

from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow, closure_effort
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate import formulate
from fmugen.phases.formulate.links import BALL, PIN
from fmugen.phases.triangularize import solution_flow

__all__ = ["closed_equations"]

#: What the links hang on that may be written by their length, beside crosses.
_VARIANTS = ((PIN,), (BALL,), (PIN, BALL))


def closed_equations(
    model: SystemModel, graph: LinearGraph, trees: TreeSelection, dae: Dae, closure: Closure
) -> tuple[Dae, SolutionFlow]:
    """``dae`` and its flow; where that iterates, more links are written by their length if that is better."""
    best, best_flow = dae, solution_flow(model, dae, closure)
    if closure is not Closure.TRIANGULAR:
        return best, best_flow
    known = {_rows(dae)}
    possible = _kinds_of_links(graph, trees)
    for kinds in _VARIANTS:
        if not any(closure_effort(best_flow.blocks)[:2]):
            break
        if not possible.issuperset(kinds):
            continue
        other = formulate(model, graph, trees, linked_by=kinds)
        if _rows(other) in known:
            continue
        known.add(_rows(other))
        flow = solution_flow(model, other, closure)
        if closure_effort(flow.blocks) < closure_effort(best_flow.blocks):
            best, best_flow = other, flow
    return best, best_flow


def _kinds_of_links(graph: LinearGraph, trees: TreeSelection) -> set[int]:
    """How many turns the joints have that bodies hang on, if there is a ball that closes a loop."""
    if all(graph.turns_at_a_point(chord) != BALL for chord in trees.translation.chords):
        return set()
    branches = {link.branch for link in trees.rotation.links}.intersection(trees.translation.branches)
    return {graph.turns_at_a_point(branch) for branch in branches}


def _rows(dae: Dae) -> tuple[str, ...]:
    return tuple(row.name for row in dae.constraints)
