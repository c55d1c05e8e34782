"""Chooses the independent coordinates and the solution flow that need the least iteration.

Each set of independent coordinates that is well conditioned at the start gives an order of blocks. The most
promising sets are triangularized; sets that stay well conditioned along the motion come first. The result is
the set with the fewest iterated unknowns, then the one that is best conditioned, then the fewest operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fmugen.algebra import Budget, Meter, Unsolved, solve_block
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr
from fmugen.expr.generic import ValueTable
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Block, closure_effort
from fmugen.ir.steps import ExactStep, LinearStep
from fmugen.phases.triangularize.alternatives import choose_alternatives
from fmugen.phases.triangularize.attitudes import stages_of
from fmugen.phases.triangularize.constants import Constants, constants_of
from fmugen.phases.triangularize.course import LEAVE_BELOW, Course
from fmugen.phases.triangularize.equal import Equals, equals_of
from fmugen.phases.triangularize.judgement import Judgement
from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.other_sets import other_sets
from fmugen.phases.triangularize.partition import (
    SINGULAR,
    Pivots,
    blocks_of,
    choose_independent,
)
from fmugen.phases.triangularize.sets import IndependentSet, SetRank, preference, shape

__all__ = ["Situation", "choose_triangular"]

#: A set is not considered if its smallest pivot is below this share of the best one.
_GOOD_ENOUGH = 0.05
#: Sets that the running model leaves for more than this share of the motion come last.
_SELDOM = 0.25
#: How many sets are examined along the motion, and how many are triangularized.
_MOST_RANKED = 24
_MOST_TRIED = 6
#: How many sets are considered as alternatives: sets that are as easy to solve, and others.
_MOST_EASY = 200
_MOST_HARD = 40
#: How many of the alternatives are tried in the place of the first set.
_MOST_FIRST = 2
#: The first set may use the whole budget; further sets are tried until this share of it is spent.
_FOR_OTHERS = 0.3
#: The share of the budget for a stage of an attitude, which is not charged: others get what it leaves.
_FOR_ATTITUDES = 0.1
#: With more unknowns a block seldom has steps.
_HARD = 4
#: Blocks with more unknowns are not tried with a Gröbner basis.
_LARGEST_BLOCK = 6


@dataclass(frozen=True)
class Situation:
    """The constraints that are kept (of ``pivots``), their Jacobian at the start, and sets along the motion.

    ``along_motion`` judges sets at some positions, ``course`` at many positions of the declared motion.
    Without a course there are no alternatives. What does not change over ``positions`` may be constant;
    ``known`` has the values of all symbols there.
    """

    pivots: Pivots
    jacobian: Numbers
    along_motion: Judgement
    course: Callable[[], Course] | None = None
    positions: Sequence[Numbers] = ()
    known: ValueTable | None = None


def choose_triangular(
    dae: Dae,
    situation: Situation,
    initial: IndependentSet,
    budget: Budget,
    judge: Callable[[ExactStep], float],
    *,
    fixed: bool = False,
) -> IndependentSet:
    """The set of independent coordinates with the least iteration among all sets that are tried.

    ``initial`` is always tried; it is the only one if it is ``fixed``. ``judge`` prices steps by their
    accuracy at positions of the mechanism. ``budget`` limits the whole flow: when it is spent, the best set
    so far is taken. A set without iteration gets alternatives if the motion needs them.
    """
    sets = [initial] if fixed else [initial, *_well_conditioned(dae, situation, initial)]
    promising = sorted(sets, key=lambda choice: shape(choice.blocks))[:_MOST_RANKED]
    ranked = sorted(
        ((_rank(situation.along_motion, each), each) for each in promising), key=lambda pair: pair[0]
    )
    solved: list[tuple[SetRank, IndependentSet]] = []
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], Block] = {}
    meter = Meter(budget)

    def with_steps(choice: IndependentSet) -> IndependentSet:
        for block in choice.blocks:
            if (block.rows, block.unknowns) not in known:
                known[block.rows, block.unknowns] = _solve(dae, block, meter, judge, situation)
        return replace(choice, blocks=tuple(known[b.rows, b.unknowns] for b in choice.blocks))

    def exact(choice: IndependentSet) -> IndependentSet | None:
        found = with_steps(choice)
        return found if found.is_stepped else None

    reached = ranked[0][0]
    for rank, choice in ranked[:_MOST_TRIED]:
        if any(each.is_closed for _, each in solved) and rank != reached:
            break  # among equally good sets the one with the fewest operations is taken
        reached = rank
        solved.append((rank, with_steps(choice)))
        meter.budget = budget.part(_FOR_OTHERS)
        if meter.is_spent:
            break
    best = min(solved, key=lambda pair: preference(*pair))[1]
    if fixed or situation.course is None or not best.is_stepped or not best.independent or not best.dependent:
        return best
    meter.budget = budget
    return _with_alternatives(dae, situation, situation.course(), best, exact)


def _with_alternatives(
    dae: Dae,
    situation: Situation,
    course: Course,
    initial: IndependentSet,
    exact: Callable[[IndependentSet], IndependentSet | None],
) -> IndependentSet:
    """``initial`` with its alternatives.

    Another set takes its place if that iterates less and has no more operations.
    """

    def alternatives_of(choice: IndependentSet) -> tuple[IndependentSet, ...]:
        easy, hard = _other_choices(dae, situation, choice)
        return choose_alternatives(course, choice, easy, lambda: hard, exact)

    def cost(choice: IndependentSet) -> tuple[int, int, int]:
        return course.iterating([choice, *choice.alternatives]), choice.cost[-1], course.iterating([choice])

    initial = replace(initial, alternatives=alternatives_of(initial))
    threshold = _GOOD_ENOUGH * choose_independent(dae, situation.jacobian, [])[2]
    no_dearer = [
        each for each in initial.alternatives if each.cost <= initial.cost and each.pivot >= threshold
    ]
    others = sorted(no_dearer, key=lambda choice: (choice.cost, course.iterating([choice])))[:_MOST_FIRST]
    return min([initial, *(replace(each, alternatives=alternatives_of(each)) for each in others)], key=cost)


def _rank(judgement: Judgement, choice: IndependentSet) -> SetRank:
    weak = int(np.sum(judgement.qualities(choice.dependent) < LEAVE_BELOW))
    share = weak / max(len(judgement), 1)
    largest, total = shape(choice.blocks)
    return SetRank(largest > _HARD, share > _SELDOM, largest, max(round(20 * share), min(weak, 1)), total)


def _well_conditioned(dae: Dae, situation: Situation, initial: IndependentSet) -> Iterator[IndependentSet]:
    """Other sets of independent coordinates that are well conditioned at the start."""
    threshold = _GOOD_ENOUGH * choose_independent(dae, situation.jacobian, [])[2]
    for independent, dependent in other_sets(dae, situation.pivots, initial):
        pivot = situation.pivots.smallest(situation.jacobian, dependent)
        if pivot >= threshold:
            yield IndependentSet(independent, dependent, pivot, blocks_of(dae, situation.pivots, dependent))


def _other_choices(
    dae: Dae, situation: Situation, best: IndependentSet
) -> tuple[list[IndependentSet], list[IndependentSet]]:
    """Other sets that are well conditioned somewhere.

    First those with blocks of at most the same size, then the rest.
    """
    largest = shape(best.blocks)[0]
    pivots = situation.pivots
    generic = _generic_jacobian(dae, pivots.rows)
    easy: list[IndependentSet] = []
    hard: list[IndependentSet] = []
    for independent, dependent in other_sets(dae, pivots, best):
        if pivots.smallest(generic, dependent) > SINGULAR:
            blocks = blocks_of(dae, pivots, dependent)
            pivot = pivots.smallest(situation.jacobian, dependent)
            found = easy if shape(blocks)[0] <= largest else hard
            found.append(IndependentSet(independent, dependent, pivot, blocks))
    hard = [choice for choice in hard if shape(choice.blocks)[0] <= _LARGEST_BLOCK]
    return easy[:_MOST_EASY], sorted(hard, key=lambda choice: shape(choice.blocks))[:_MOST_HARD]


def _generic_jacobian(dae: Dae, rows: Sequence[int]) -> Numbers:
    """Random numbers for the entries that are not zero. A set singular here is singular at all positions."""
    random, generic = np.random.default_rng(3), np.zeros((len(rows), len(dae.coordinates)))
    for place, row in enumerate(rows):
        for column in dae.constraints[row].jacobian:
            generic[place, column] = random.standard_normal()
    return generic


def _solve(
    dae: Dae,
    block: Block,
    meter: Meter,
    judge: Callable[[ExactStep], float],
    situation: Situation,
) -> Block:
    assigned = _assignment(dae, block)
    if assigned is not None:
        return replace(block, steps=(assigned,), method="linear")
    constants = constants_of(dae, block, situation.positions)
    if constants is not None:
        return _with_constants(dae, block, constants, meter, judge)
    equals = equals_of(dae, block, situation.positions, situation.known)
    if equals is not None and (found := _with_equals(dae, block, equals, meter, judge)).steps:
        return found
    staged = _with_attitude(dae, block, meter, judge)
    if staged is not None:
        return staged
    if len(block.rows) > _LARGEST_BLOCK:
        return replace(block, reason=f"more than {_LARGEST_BLOCK} unknowns are too many for a Gröbner basis")
    rows = [dae.constraints[row] for row in block.rows]
    vanishing = [e for row in rows for e in (row.phi, *row.closed)]
    return _with_steps(dae, block, vanishing, block.unknowns, meter, judge)


def _with_constants(
    dae: Dae, block: Block, constants: Constants, meter: Meter, judge: Callable[[ExactStep], float]
) -> Block:
    """``block`` with steps, of which the first say what is constant."""
    one = dae.symbols.dag.one
    fixed = tuple(LinearStep(number, value, one) for number, value in constants.values.items())
    others = [number for number in block.unknowns if number not in constants.values]
    if not others:
        return replace(block, steps=fixed, method="constant")
    found = _with_steps(dae, block, constants.rows, others, meter, judge)
    if not found.steps:
        return found
    return replace(found, steps=(*fixed, *found.steps), method=f"constant, {found.method}")


def _with_equals(
    dae: Dae, block: Block, equals: Equals, meter: Meter, judge: Callable[[ExactStep], float]
) -> Block:
    """``block`` with steps for what is left once equal angles count as one."""
    if not equals.others:
        return replace(block, steps=equals.first, method="equal angles")
    found = _with_steps(dae, block, equals.rows, equals.others, meter, judge)
    if not found.steps:
        return found
    steps = (*equals.first, *found.steps, *equals.last)
    return replace(found, steps=steps, method=f"equal angles, {found.method}")


def _with_attitude(dae: Dae, block: Block, meter: Meter, judge: Callable[[ExactStep], float]) -> Block | None:
    """``block`` with the cheapest steps by way of vectors that a body turns; ``None`` if there are none."""
    solved: list[Block] = []
    for stages in stages_of(dae, block):
        parts = []
        for stage in stages:
            if len(stage.unknowns) > _LARGEST_BLOCK:
                break
            own = Meter(meter.budget.part(_FOR_ATTITUDES))
            parts.append(_with_steps(dae, block, stage.rows, stage.unknowns, own, judge))
            if not parts[-1].steps:
                break
        if len(parts) == len(stages) and parts[-1].steps:
            steps = tuple(step for part in parts for step in part.steps)
            methods = ", ".join(dict.fromkeys(part.method for part in parts))
            operations = sum(part.operations for part in parts)
            solved.append(replace(block, steps=steps, method=f"attitude, {methods}", operations=operations))
    return min(solved, key=lambda each: closure_effort([each]), default=None)


def _with_steps(
    dae: Dae,
    block: Block,
    vanishing: Sequence[Expr],
    sought: Sequence[int],
    meter: Meter,
    judge: Callable[[ExactStep], float],
) -> Block:
    """``block`` with steps for the unknowns ``sought`` from expressions that are zero, or with a reason."""
    unknowns = {number: dae.coordinates[number].position for number in sought}
    angles = {number for number in sought if dae.coordinates[number].unit == "rad"}
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
