"""A block of loop constraints -> exact steps.

The search runs over orders of the unknowns. At each stage what is solved counts as known, so that the
polynomials are lumped again and stay tiny; the best continuation depends only on which unknowns are left.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from fmugen.algebra.budget import Meter
from fmugen.algebra.costs import expressions_of, operations_of
from fmugen.algebra.lumps import lump
from fmugen.algebra.polynomials import Polynomial, polynomial_rows, turning, variables_of
from fmugen.algebra.samples import PointValues
from fmugen.algebra.stage import NextStep, StageReport, StepCheck, accept_all, choices
from fmugen.expr.code import Operations
from fmugen.expr.dag import Expr
from fmugen.ir.steps import ExactStep

__all__ = ["BlockReport", "BlockSolution", "Unsolved", "solve_block"]

#: With more unknowns left than this only the cheapest next step is followed.
_ALL_ORDERS = 3

#: The work to find generic points of a block, to lump what is known at a stage, and for each of its terms.
_BLOCK = 1000
_STAGE = 600
_STAGE_TERM = 25


@dataclass(frozen=True)
class BlockReport:
    """The cost of a block: the work to solve it, and the operations of the coefficients of its steps."""

    work: int
    stages: tuple[StageReport, ...]
    operations: Operations


@dataclass(frozen=True)
class BlockSolution:
    """The steps, in order."""

    steps: tuple[ExactStep, ...]
    report: BlockReport


@dataclass(frozen=True)
class Unsolved:
    """Why a block has no steps, as the end of a sentence."""

    reason: str


def solve_block(
    rows: Sequence[Expr],
    unknowns: Mapping[int, Expr],
    angles: Collection[int],
    meter: Meter,
    judge: StepCheck = accept_all,
) -> BlockSolution | Unsolved:
    """Exact steps for ``unknowns`` (coordinate number -> its symbol) from the constraints ``rows``.

    Parameters
    ----------
    rows
        Expressions that are zero; more than one row for an unknown is allowed if they agree.
    angles
        Which of the unknowns are angles; the others are lengths.
    meter
        Within its budget the steps are sought; the work is charged to it.
    judge
        The operations by which a step is dearer than it looks, infinite for a step that must not be taken.

    Returns
    -------
    BlockSolution or Unsolved
        Unsolved if the constraints are not polynomial in the unknowns or leave one free, or if the budget
        is spent.
    """
    before = meter.spent
    meter.charge(_BLOCK)
    search = _Search(rows, unknowns, angles, meter, judge)
    way = search.best(frozenset(unknowns))
    if way is None:
        return Unsolved(search.why_not())
    operations = operations_of([e for step in way.steps for e in expressions_of(step)])
    return BlockSolution(way.steps, BlockReport(meter.spent - before, way.stages, operations))


@dataclass(frozen=True)
class _Way:
    """Steps for all that is left, with their cost."""

    cost: float
    steps: tuple[ExactStep, ...]
    stages: tuple[StageReport, ...]

    def after(self, choice: NextStep) -> _Way:
        steps = (choice.candidate.step, *self.steps)
        return _Way(self.cost + choice.cost, steps, (choice.report, *self.stages))


class _Search:
    """The cheapest order, by the unknowns that are left."""

    def __init__(
        self,
        rows: Sequence[Expr],
        unknowns: Mapping[int, Expr],
        angles: Collection[int],
        meter: Meter,
        judge: StepCheck,
    ) -> None:
        self._rows = rows
        self._unknowns = unknowns
        self._angles = turning(rows, unknowns, angles)
        self._meter = meter
        self._judge = judge
        self._samples = PointValues(rows)
        self._is_late = False
        self._known: dict[frozenset[int], _Way | None] = {frozenset(): _Way(0, (), ())}

    def best(self, left: frozenset[int]) -> _Way | None:
        if left not in self._known:
            self._known[left] = self._search(left)
        return self._known[left]

    def _search(self, left: frozenset[int]) -> _Way | None:
        best: _Way | None = None
        for choice in self._choices(left):
            rest = self.best(left - {choice.report.unknown})
            if rest is not None and (best is None or choice.cost + rest.cost < best.cost):
                best = rest.after(choice)
            if best is not None and len(left) > _ALL_ORDERS:
                break
        return best

    def why_not(self) -> str:
        """Why no steps are found for the unknowns, or which limit ended the search."""
        if self._is_late:
            return f"{self._meter.budget.work} units of algebra were not enough"
        if any(row is None for row in polynomial_rows(self._rows, self._unknowns, self._angles)):
            return "the constraints are not polynomials in sines, cosines and lengths"
        return "neither bases within their limits nor resultants gave an equation in one unknown"

    def _choices(self, left: frozenset[int]) -> list[NextStep]:
        unknowns = {number: symbol for number, symbol in self._unknowns.items() if number in left}
        if self._meter.is_spent:
            self._is_late = True
            return []
        rows = polynomial_rows(self._rows, unknowns, self._angles)
        present = [self._without_zero_terms(row) for row in rows if row is not None]
        useful = [row for row in present if any(any(monomial) for monomial in row)]
        variables = variables_of(unknowns, self._angles)
        self._meter.charge(_STAGE + _STAGE_TERM * sum(map(len, useful)))
        ring, polynomials = lump(self._rows[0].dag, variables, useful, self._samples)
        found = choices(ring, polynomials, self._samples, self._meter, self._judge)
        self._is_late = self._is_late or (not found and self._meter.is_spent)
        return found

    def _without_zero_terms(self, row: Polynomial) -> Polynomial:
        """``row`` without terms whose coefficient is always zero, which the DAG need not have seen."""
        return {
            monomial: coefficient
            for monomial, coefficient in row.items()
            if not self._samples.vanish((coefficient,))
        }
