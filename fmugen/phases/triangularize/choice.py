"""Independent coordinates and solution flow, chosen so that as little as possible is left to iteration.

Every choice of independent coordinates that is well conditioned at the start gives an order of blocks.
The most promising, those that stay well conditioned along the motion first, are triangularized, and the one
with the fewest iterated unknowns, then the fewest operations, is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice
from math import comb

import numpy as np

from fmugen.algebra import Budget, Meter, Unsolved, solve_block
from fmugen.expr.calculus import symbols_of
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Block, closure_effort
from fmugen.ir.steps import ExactStep, LinearStep
from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.partition import (
    SINGULAR,
    Pivots,
    blocks_of,
    choose_independent,
    telling_positions,
    whole_attitudes,
)
from fmugen.phases.triangularize.spares import choose_spares

__all__ = ["Choice", "Situation", "choose_triangular"]

#: A set whose smallest pivot is below this part of the best one is not considered.
_GOOD_ENOUGH = 0.05
#: Where it is below this part along the motion, the running model leaves it (see partition.c); that should
#: be seldom, and sets that are left for more than this share of the motion come last.
_WEAK = 0.3
_SELDOM = 0.25
#: How many sets are looked at, how many of them along the motion, and how many are triangularized.
_MOST_SETS = 600
_MOST_MOVED = 24
_MOST_TRIED = 6
#: The first set may take all the work there is, others until this part of it is spent.
_FOR_OTHERS = 0.3
#: Blocks with more unknowns are not worth a basis.
_LARGEST_BLOCK = 6


@dataclass(frozen=True)
class Situation:
    """The constraints that are kept (of ``pivots``), their Jacobian at the start, and those along the motion.

    ``passed`` gives those at many positions of the declared motion; none where it is not known.
    """

    pivots: Pivots
    jacobian: Numbers
    moved: Sequence[Numbers]
    passed: Callable[[], Sequence[Numbers]] = list


@dataclass(frozen=True)
class Choice:
    independent: list[int]
    dependent: list[int]
    pivot: float
    blocks: tuple[Block, ...]
    spares: tuple[Choice, ...] = ()

    @property
    def cost(self) -> tuple[int, int, int]:
        return closure_effort(self.blocks)

    @property
    def is_closed(self) -> bool:
        """Whether nothing at all is left to iteration."""
        return self.cost[:2] == (0, 0)


def choose_triangular(
    dae: Dae,
    situation: Situation,
    home: Choice,
    budget: Budget,
    judge: Callable[[ExactStep], float],
    *,
    fixed: bool = False,
) -> Choice:
    """The flow with the least iteration over all sets of independent coordinates considered.

    ``home`` is considered in any case, and alone if it is ``fixed``. ``judge`` knows positions of the
    mechanism, and prices steps by how they fare there. The budget is that of the whole flow: when it is
    spent, the best flow so far is taken. A flow without iteration has spares where the motion needs them.
    """
    ranked = [home] if fixed else _ranked(situation, [home, *_alternatives(dae, situation, home)])
    solved: list[Choice] = []
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], Block] = {}
    meter = Meter(budget)

    def with_steps(choice: Choice) -> Choice:
        for block in choice.blocks:
            if (block.rows, block.unknowns) not in known:
                known[block.rows, block.unknowns] = _solve(dae, block, meter, judge)
        return replace(choice, blocks=tuple(known[b.rows, b.unknowns] for b in choice.blocks))

    def exact(choice: Choice) -> Choice | None:
        found = with_steps(choice)
        return found if found.is_closed else None

    for choice in ranked[:_MOST_TRIED]:
        solved.append(with_steps(choice))
        meter.budget = budget.part(_FOR_OTHERS)
        if solved[-1].is_closed or meter.is_spent:
            break
    best = min(solved, key=lambda choice: choice.cost)
    if fixed or not best.is_closed or not best.independent or not best.dependent:
        return best
    meter.budget = budget
    others = _no_harder(dae, situation, best)
    return replace(
        best, spares=choose_spares(situation.pivots, situation.passed(), best.dependent, others, exact)
    )


def _ranked(situation: Situation, sets: Sequence[Choice]) -> list[Choice]:
    """Small blocks first, of these the sets that are seldom near to singular along the motion."""
    promising = sorted(sets, key=lambda choice: _shape(choice.blocks))[:_MOST_MOVED]
    telling = telling_positions(situation.moved)

    def rank(choice: Choice) -> tuple[bool, int, int, int]:
        smallest = situation.pivots.smallest
        weak = sum(smallest(j, choice.dependent) < _WEAK * pivot for j, pivot in telling)
        share = weak / max(len(telling), 1)
        largest, total = _shape(choice.blocks)
        return share > _SELDOM, largest, round(20 * share), total

    return sorted(promising, key=rank)


def _shape(blocks: tuple[Block, ...]) -> tuple[int, int]:
    """Large blocks are hard: the largest decides, then the sum of cubes."""
    sizes = [len(block.rows) for block in blocks]
    return max(sizes, default=0), sum(size**3 for size in sizes)


def _alternatives(dae: Dae, situation: Situation, home: Choice) -> Iterator[Choice]:
    """Other sets of independent coordinates that are well conditioned at the start."""
    threshold = _GOOD_ENOUGH * choose_independent(dae, situation.jacobian, [])[2]
    for independent, dependent in _other_sets(dae, situation.pivots, home):
        pivot = situation.pivots.smallest(situation.jacobian, dependent)
        if pivot >= threshold:
            yield Choice(independent, dependent, pivot, blocks_of(dae, situation.pivots, dependent))


def _no_harder(dae: Dae, situation: Situation, best: Choice) -> Iterator[tuple[list[int], Choice]]:
    """Other sets with blocks that are no larger, wherever they are well conditioned."""
    largest = _shape(best.blocks)[0]
    pivots = situation.pivots
    generic = _generic_jacobian(dae, pivots.rows)
    for independent, dependent in _other_sets(dae, pivots, best):
        if pivots.smallest(generic, dependent) > SINGULAR:
            blocks = blocks_of(dae, pivots, dependent)
            if _shape(blocks)[0] <= largest:
                pivot = pivots.smallest(situation.jacobian, dependent)
                yield dependent, Choice(independent, dependent, pivot, blocks)


def _generic_jacobian(dae: Dae, rows: Sequence[int]) -> Numbers:
    """Entries without relations among them: singular are the sets that no position makes regular."""
    random, generic = np.random.default_rng(3), np.zeros((len(rows), len(dae.coordinates)))
    for place, row in enumerate(rows):
        for column in dae.constraints[row].jacobian:
            generic[place, column] = random.standard_normal()
    return generic


def _other_sets(dae: Dae, pivots: Pivots, home: Choice) -> Iterator[tuple[list[int], list[int]]]:
    """Independent and dependent coordinates: all sets, or, where they are many, some.

    These are the coordinates of one body or joint, as the pose of a platform, and what is one exchange away.
    Which component of a whole attitude is the fourth makes no difference: it is the last.
    """
    seen = {_with_last_components(pivots, home.dependent)}
    count, freedom = len(dae.coordinates), len(home.independent)
    if comb(count, freedom) <= _MOST_SETS:
        candidates: Iterator[tuple[int, ...]] = combinations(range(count), freedom)
    else:
        exchanged = (
            tuple(sorted({*home.independent, new} - {old}))
            for old in home.independent
            for new in home.dependent
        )
        candidates = chain(_of_one_element(dae, freedom), exchanged)
    for independent in islice(candidates, _MOST_SETS):
        dependent = _with_last_components(pivots, [k for k in range(count) if k not in independent])
        if dependent not in seen:
            seen.add(dependent)
            yield [k for k in range(count) if k not in dependent], list(dependent)


def _with_last_components(pivots: Pivots, dependent: Sequence[int]) -> tuple[int, ...]:
    """The dependent coordinates, with the last component of each whole attitude for its fourth."""
    found = set(dependent)
    for attitude in whole_attitudes(pivots.attitudes, dependent):
        found = found.difference(attitude.components) | {attitude.components[-1]}
    return tuple(sorted(found))


def _of_one_element(dae: Dae, freedom: int) -> Iterator[tuple[int, ...]]:
    """Elements with exactly as many coordinates as there are freedoms."""
    owned: dict[str, list[int]] = {}
    for number, coordinate in enumerate(dae.coordinates):
        owned.setdefault(coordinate.name.rpartition(".")[0], []).append(number)
    return (tuple(numbers) for numbers in owned.values() if len(numbers) == freedom)


def _solve(dae: Dae, block: Block, meter: Meter, judge: Callable[[ExactStep], float]) -> Block:
    assigned = _assignment(dae, block)
    if assigned is not None:
        return replace(block, steps=(assigned,), method="linear")
    if len(block.rows) > _LARGEST_BLOCK:
        return replace(block, reason=f"more than {_LARGEST_BLOCK} unknowns are too many for a basis")
    unknowns = {number: dae.coordinates[number].position for number in block.unknowns}
    angles = {number for number in block.unknowns if dae.coordinates[number].unit == "rad"}
    rows = [dae.constraints[row] for row in block.rows]
    vanishing = [e for row in rows for e in (row.phi, *row.closed)]
    answer = solve_block(vanishing, unknowns, angles, meter, judge)
    if isinstance(answer, Unsolved):
        return replace(block, reason=answer.reason)
    methods = sorted({stage.method for stage in answer.report.stages})
    cost = answer.report.operations.total
    return replace(block, steps=answer.steps, method=", ".join(methods), operations=cost)


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
