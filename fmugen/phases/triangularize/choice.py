"""Independent coordinates and solution flow, chosen so that as little as possible is left to iteration.

Every choice of independent coordinates that is well conditioned at the start gives an order of blocks.
The most promising are triangularized, and the one with the fewest iterated unknowns, then the fewest
operations, is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from math import comb
from time import process_time

from fmugen.algebra import Budget, solve_block
from fmugen.expr.calculus import symbols_of
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Block
from fmugen.ir.steps import ExactStep, LinearStep
from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.partition import blocks_of, choose_independent, smallest_pivot

__all__ = ["Choice", "choose_triangular"]

#: A set whose smallest pivot is below this part of the best one is not considered.
_GOOD_ENOUGH = 0.05
#: How many sets are looked at, and how many of them are triangularized.
_MOST_SETS = 600
_MOST_TRIED = 6
#: Blocks with more unknowns are not worth a basis.
_LARGEST_BLOCK = 6


@dataclass(frozen=True)
class Choice:
    independent: list[int]
    dependent: list[int]
    pivot: float
    blocks: tuple[Block, ...]

    @property
    def cost(self) -> tuple[int, int]:
        """Unknowns left to iteration; operations of the exact steps."""
        iterated = sum(len(block.unknowns) for block in self.blocks if not block.steps)
        return iterated, sum(block.operations for block in self.blocks)


def choose_triangular(
    dae: Dae,
    jacobian: Numbers,
    rows: Sequence[int],
    preferred: Sequence[int],
    budget: Budget,
    is_right: Callable[[Sequence[ExactStep]], bool],
) -> Choice:
    """The flow with the least iteration over all sets of independent coordinates considered.

    ``is_right`` judges steps at positions where the answer is known; steps that fail are not used. The
    budget is that of the whole flow: when it is spent, the best flow so far is taken.
    """
    first, dependent, pivot = choose_independent(dae, jacobian, preferred)
    best_pivot = choose_independent(dae, jacobian, [])[2]
    home = Choice(first, dependent, pivot, blocks_of(dae, rows, dependent))
    sets = [home, *_alternatives(dae, jacobian, rows, home, _GOOD_ENOUGH * best_pivot)]
    ranked = sorted(range(len(sets)), key=lambda number: (_shape(sets[number].blocks), number))
    solved: list[Choice] = []
    deadline = process_time() + budget.seconds
    for number in ranked[:_MOST_TRIED]:
        choice = sets[number]
        blocks = []
        for block in choice.blocks:
            left = replace(budget, seconds=max(deadline - process_time(), 0.0))
            blocks.append(_solve(dae, block, left, is_right))
        solved.append(replace(choice, blocks=tuple(blocks)))
        if solved[-1].cost[0] == 0 or process_time() > deadline:
            break
    return min(solved, key=lambda choice: choice.cost)


def _shape(blocks: tuple[Block, ...]) -> tuple[int, int]:
    """Large blocks are hard: the largest decides, then the sum of cubes."""
    sizes = [len(block.rows) for block in blocks]
    return max(sizes, default=0), sum(size**3 for size in sizes)


def _alternatives(
    dae: Dae, jacobian: Numbers, rows: Sequence[int], home: Choice, threshold: float
) -> Iterator[Choice]:
    """Other sets of independent coordinates: all of them, or those one exchange away where they are many."""
    count, freedom = len(dae.coordinates), len(home.independent)
    if comb(count, freedom) <= _MOST_SETS:
        candidates: Iterator[tuple[int, ...]] = combinations(range(count), freedom)
    else:
        candidates = (
            tuple(sorted({*home.independent, new} - {old}))
            for old in home.independent
            for new in home.dependent
        )
    for independent in islice(candidates, _MOST_SETS):
        dependent = [column for column in range(count) if column not in independent]
        if list(independent) == home.independent:
            continue
        pivot = smallest_pivot(jacobian, dependent)
        if pivot >= threshold:
            yield Choice(list(independent), dependent, pivot, blocks_of(dae, rows, dependent))


def _solve(dae: Dae, block: Block, budget: Budget, is_right: Callable[[Sequence[ExactStep]], bool]) -> Block:
    assigned = _assignment(dae, block)
    if assigned is not None:
        return replace(block, steps=(assigned,), method="linear")
    unknowns = {number: dae.coordinates[number].position for number in block.unknowns}
    angles = {number for number in block.unknowns if dae.coordinates[number].unit == "rad"}
    if len(block.rows) > _LARGEST_BLOCK or budget.seconds <= 0.0:
        return block
    solution = solve_block([dae.constraints[row].phi for row in block.rows], unknowns, angles, budget)
    if solution is None or not is_right(solution.steps):
        return block
    methods = sorted({stage.method for stage in solution.report.stages})
    cost = solution.report.operations.total
    return replace(block, steps=solution.steps, method=", ".join(methods), operations=cost)


def _assignment(dae: Dae, block: Block) -> LinearStep | None:
    """A single unknown in which its constraint is linear: an angle among angles, a length among lengths."""
    if len(block.rows) != 1:
        return None
    (number,) = block.unknowns
    row, symbol = dae.constraints[block.rows[0]], dae.coordinates[number].position
    slope = row.jacobian[number]
    rest = slope * symbol - row.phi
    if symbol in symbols_of((slope, rest)):
        return None
    return LinearStep(number, rest, slope)
