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
from fmugen.ir.flow import Attitude, Block
from fmugen.ir.steps import ExactStep, LinearStep
from fmugen.phases.triangularize.course import LEAVE_BELOW, Course
from fmugen.phases.triangularize.judgement import Judgement
from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.partition import (
    SINGULAR,
    Pivots,
    blocks_of,
    choose_independent,
    whole_attitudes,
)
from fmugen.phases.triangularize.sets import Choice, shape
from fmugen.phases.triangularize.spares import choose_spares

__all__ = ["Situation", "choose_triangular"]

#: A set whose smallest pivot is below this part of the best one is not considered.
_GOOD_ENOUGH = 0.05
#: Sets that the running model leaves for more than this share of the motion come last.
_SELDOM = 0.25
#: How many sets are looked at, how many of them along the motion, and how many are triangularized.
_MOST_SETS = 600
_MOST_MOVED = 24
_MOST_TRIED = 6
#: How many sets are looked at as spares: of those that are no harder to solve, and of the others.
_MOST_EASY = 200
_MOST_HARD = 40
#: How many of the spares are looked at in the place of the first set.
_MOST_HOMES = 2
#: The first set may take all the work there is, others until this part of it is spent.
_FOR_OTHERS = 0.3
#: Blocks with more unknowns are not worth a basis.
_LARGEST_BLOCK = 6


@dataclass(frozen=True)
class Situation:
    """The constraints that are kept (of ``pivots``), their Jacobian at the start, and sets along the motion.

    ``moved`` judges sets at some positions, ``course`` at many positions of the declared motion. Without a
    course there are no spares.
    """

    pivots: Pivots
    jacobian: Numbers
    moved: Judgement
    course: Callable[[], Course] | None = None


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
    sets = [home] if fixed else [home, *_alternatives(dae, situation, home)]
    promising = sorted(sets, key=lambda choice: shape(choice.blocks))[:_MOST_MOVED]
    ranked = sorted(((_rank(situation.moved, each), each) for each in promising), key=lambda pair: pair[0])
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
        return found if found.is_stepped else None

    reached = ranked[0][0]
    for rank, choice in ranked[:_MOST_TRIED]:
        if any(each.is_closed for each in solved) and rank != reached:
            break  # of equally good sets the one with the fewest operations is taken
        reached = rank
        solved.append(with_steps(choice))
        meter.budget = budget.part(_FOR_OTHERS)
        if meter.is_spent:
            break
    best = min(solved, key=lambda choice: choice.cost)
    if fixed or situation.course is None or not best.is_stepped or not best.independent or not best.dependent:
        return best
    meter.budget = budget
    return _with_spares(dae, situation, situation.course(), best, exact)


def _with_spares(
    dae: Dae, situation: Situation, course: Course, home: Choice, exact: Callable[[Choice], Choice | None]
) -> Choice:
    """``home`` with its spares; or another set in its place that iterates less and has no more operations."""

    def spares_of(choice: Choice) -> tuple[Choice, ...]:
        easy, hard = _other_choices(dae, situation, choice)
        return choose_spares(course, choice, easy, lambda: hard, exact)

    def cost(choice: Choice) -> tuple[int, int, int]:
        return course.iterating([choice, *choice.spares]), choice.cost[-1], course.iterating([choice])

    home = replace(home, spares=spares_of(home))
    threshold = _GOOD_ENOUGH * choose_independent(dae, situation.jacobian, [])[2]
    no_dearer = [each for each in home.spares if each.cost <= home.cost and each.pivot >= threshold]
    others = sorted(no_dearer, key=lambda choice: (choice.cost, course.iterating([choice])))[:_MOST_HOMES]
    return min([home, *(replace(each, spares=spares_of(each)) for each in others)], key=cost)


def _rank(judgement: Judgement, choice: Choice) -> tuple[bool, int, int, int]:
    """Small blocks first, of these the sets that are never or seldom near to singular along the motion."""
    weak = int(np.sum(judgement.qualities(choice.dependent) < LEAVE_BELOW))
    share = weak / max(len(judgement), 1)
    largest, total = shape(choice.blocks)
    return share > _SELDOM, largest, max(round(20 * share), min(weak, 1)), total


def _alternatives(dae: Dae, situation: Situation, home: Choice) -> Iterator[Choice]:
    """Other sets of independent coordinates that are well conditioned at the start."""
    threshold = _GOOD_ENOUGH * choose_independent(dae, situation.jacobian, [])[2]
    for independent, dependent in _other_sets(dae, situation.pivots, home):
        pivot = situation.pivots.smallest(situation.jacobian, dependent)
        if pivot >= threshold:
            yield Choice(independent, dependent, pivot, blocks_of(dae, situation.pivots, dependent))


def _other_choices(dae: Dae, situation: Situation, best: Choice) -> tuple[list[Choice], list[Choice]]:
    """Other sets that are well conditioned anywhere: with blocks that are no larger, and with larger ones."""
    largest = shape(best.blocks)[0]
    pivots = situation.pivots
    generic = _generic_jacobian(dae, pivots.rows)
    easy: list[Choice] = []
    hard: list[Choice] = []
    for independent, dependent in _other_sets(dae, pivots, best):
        if pivots.smallest(generic, dependent) > SINGULAR:
            blocks = blocks_of(dae, pivots, dependent)
            pivot = pivots.smallest(situation.jacobian, dependent)
            found = easy if shape(blocks)[0] <= largest else hard
            found.append(Choice(independent, dependent, pivot, blocks))
    hard = [choice for choice in hard if shape(choice.blocks)[0] <= _LARGEST_BLOCK]
    return easy[:_MOST_EASY], sorted(hard, key=lambda choice: shape(choice.blocks))[:_MOST_HARD]


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
    Which component of a whole attitude is the fourth makes no difference: it is the last. Coordinates of
    elements themselves depend on others only where they do so in ``home``.
    """
    seen = {_with_last_components(pivots, home.dependent)}
    own = {number for number, coordinate in enumerate(dae.coordinates) if coordinate.is_own}
    bends = bool(own.intersection(home.dependent))
    count, freedom = len(dae.coordinates), len(home.independent)
    if comb(count, freedom) <= _MOST_SETS:
        candidates: Iterator[tuple[int, ...]] = combinations(range(count), freedom)
    else:
        exchanged = (
            tuple(sorted({*home.independent, new} - {old}))
            for old in home.independent
            for new in home.dependent
        )
        candidates = chain(_of_one_element(dae, pivots.attitudes, freedom), exchanged)
    for independent in islice(candidates, _MOST_SETS):
        dependent = _with_last_components(pivots, [k for k in range(count) if k not in independent])
        if dependent not in seen and (bends or not own.intersection(dependent)):
            seen.add(dependent)
            yield [k for k in range(count) if k not in dependent], list(dependent)


def _with_last_components(pivots: Pivots, dependent: Sequence[int]) -> tuple[int, ...]:
    """The dependent coordinates, with the last component of each whole attitude for its fourth."""
    found = set(dependent)
    for attitude in whole_attitudes(pivots.attitudes, dependent):
        found = found.difference(attitude.components) | {attitude.components[-1]}
    return tuple(sorted(found))


def _of_one_element(dae: Dae, attitudes: Sequence[Attitude], freedom: int) -> Iterator[tuple[int, ...]]:
    """The coordinates of elements that have exactly as many as there are freedoms.

    Of four Euler parameters, whose length is one, three count.
    """
    fourth = {attitude.components[-1] for attitude in attitudes}
    owned: dict[str, list[int]] = {}
    for number, coordinate in enumerate(dae.coordinates):
        if number not in fourth:
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
