"""Dae -> Dae, SolutionFlow: the form of the loop constraints that needs the least iteration."""

from __future__ import annotations

from collections.abc import Iterable

from fmugen.algebra import Budget
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow, closure_effort
from fmugen.ir.model import SystemModel
from fmugen.phases.triangularize.flow import solution_flow

__all__ = ["close_loops"]


def close_loops(
    model: SystemModel,
    dae: Dae,
    closure: Closure,
    others: Iterable[Dae] = (),
    budget: Budget | None = None,
    *,
    alternatives: bool = True,
) -> tuple[Dae, SolutionFlow]:
    """``dae`` and its flow, or one of the ``others`` where that needs less iteration.

    ``others`` are the same equations with other forms of the loop constraints. They are asked for one by
    one, as long as the best flow iterates. ``budget`` limits the search for exact steps of each. Without
    ``alternatives`` the flow is enough to know what an evaluation costs.
    """
    best, best_flow = dae, solution_flow(model, dae, closure, budget, alternatives=alternatives)
    if closure is not Closure.TRIANGULAR:
        return best, best_flow
    known, remaining = {_rows(dae)}, iter(others)
    while any(closure_effort(best_flow.blocks)[:2]):
        other = next(remaining, None)
        if other is None:
            break
        if _rows(other) in known:
            continue
        known.add(_rows(other))
        flow = solution_flow(model, other, closure, budget, alternatives=alternatives)
        if closure_effort(flow.blocks) < closure_effort(best_flow.blocks):
            best, best_flow = other, flow
    return best, best_flow


def _rows(dae: Dae) -> tuple[str, ...]:
    return tuple(row.name for row in dae.constraints)
