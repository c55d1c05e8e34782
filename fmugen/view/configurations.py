"""The number of assembled positions with the same independent coordinates.

The exact steps are followed with all of their roots. A root of one step may leave a later one without
any, and elimination may add false roots. Only positions that close all loops count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fmugen.algebra.costs import expressions_of
from fmugen.assembly.roots import holds_in_all_modes, real_roots
from fmugen.evaluation import Evaluation
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.steps import ExactStep

__all__ = ["Configurations", "count_configurations"]

#: More combinations of roots than this are not followed.
_MOST_COMBINATIONS = 4096
_CLOSED = 1e-6

Function = Callable[[list[float]], list[float]]


@dataclass(frozen=True)
class Configurations:
    """The real roots of each step (by its unknown) at the assembled start, and the real configurations.

    ``real`` is ``None`` where they were not counted: an unknown is iterated, steps hold in one assembly mode
    alone, or there are too many.
    """

    real_roots: dict[int, int]
    real: int | None


def count_configurations(model: SystemModel, dae: Dae, flow: SolutionFlow) -> Configurations:
    """Count them at the start, with the default parameters and at time zero."""
    compiled = _Compiler(model, dae)
    start = list(flow.positions)
    blocks = [_Steps(block.steps, block.rows, dae, compiled) for block in flow.blocks]
    counts = {
        step.unknown: len(real_roots(step, compute(start)))
        for steps in blocks
        for step, compute in zip(steps.steps, steps.coefficients, strict=True)
    }
    is_general = all(holds_in_all_modes(block) for block in flow.blocks)
    if not is_general or math.prod(counts.values()) > _MOST_COMBINATIONS:
        return Configurations(counts, None)
    found = [start]
    for steps in blocks:
        found = [solved for q in found for solved in steps.solutions(q)]
        if len(found) > _MOST_COMBINATIONS:
            return Configurations(counts, None)
    return Configurations(counts, len(found))


class _Compiler:
    """Expressions as functions of the coordinates alone."""

    def __init__(self, model: SystemModel, dae: Dae) -> None:
        self._at, self._known = Evaluation.at_defaults(model, dae), dae.known_at_start

    def __call__(self, roots: Sequence[Expr]) -> Function:
        evaluate = self._at.function(roots, self._known)
        return lambda q: evaluate(q)


class _Steps:
    """The steps of a block, and its constraints to judge what they give."""

    def __init__(
        self, steps: tuple[ExactStep, ...], rows: tuple[int, ...], dae: Dae, compiled: _Compiler
    ) -> None:
        self.steps = steps
        self.coefficients = [compiled(expressions_of(step)) for step in steps]
        found = [dae.constraints[row] for row in rows]
        self._residuals = compiled([e for row in found for e in (row.phi, *row.closed)])
        self._facing = compiled([e for row in found for e in row.facing])

    def solutions(self, q: list[float]) -> list[list[float]]:
        """All positions that differ from ``q`` in the unknowns of the block and close its loops."""
        found = [q]
        for step, compute in zip(self.steps, self.coefficients, strict=True):
            found = [
                [*at[: step.unknown], root, *at[step.unknown + 1 :]]
                for at in found
                for root in real_roots(step, compute(at))
            ]
        return [at for at in found if self._is_closed(at)]

    def _is_closed(self, q: list[float]) -> bool:
        closed = max(map(abs, self._residuals(q)), default=0.0) < _CLOSED
        return closed and min(self._facing(q), default=1.0) > 0.0
