"""Further sets of independent coordinates, for the parts of the motion where the chosen set is weak.

A mechanism may have no set that is good along its whole motion, although at every position some set with
exact steps is good. The running model holds a few such sets and changes from one to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from fmugen.phases.triangularize.course import RETURN_ABOVE, Course
from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.sets import IndependentSet, shape

__all__ = ["choose_alternatives"]

#: How many sets are held beside the first, how many are triangularized for that, and the least gain of a set:
#: the sum over positions of the increase in quality, as far as it is needed.
_MOST_ALTERNATIVES = 3
_MOST_TRIED = 6
_LEAST_GAIN = 0.1
#: How many sets are held beside the first where the motion iterates with fewer.
_MOST_WITHOUT_ITERATION = 5

Solver = Callable[[IndependentSet], IndependentSet | None]


def choose_alternatives(
    course: Course,
    initial: IndependentSet,
    easy: Iterable[IndependentSet],
    hard: Callable[[], Iterable[IndependentSet]],
    exact: Solver,
) -> tuple[IndependentSet, ...]:
    """The sets that are needed where ``initial`` is weak, in the order in which they help.

    Parameters
    ----------
    course
        Positions along the declared motion.
    initial, easy, hard
        The set that is chosen, others that are no harder to solve, and further ones, which are tried only
        where the motion iterates without them.
    exact
        The set with steps for all its blocks, or ``None`` if some unknowns have none. Sets with roots of
        polynomials are held only where the motion iterates without them.
    """
    if not course.is_weak(initial):
        return ()
    easier = list(easy)
    alternatives = _stronger(course, initial, easier, exact)
    if not course.iterating([initial, *alternatives]):
        return tuple(alternatives)

    def without_roots(choice: IndependentSet) -> IndependentSet | None:
        solved = exact(choice)
        return solved if solved is not None and solved.cost[1] <= initial.cost[1] else None

    held, harder = [initial, *alternatives], list(hard())
    for solver in (without_roots, exact):
        for candidates in (easier, harder):
            held = _with_fewer_iterating(course, held, candidates, solver)
    return tuple(held[1:])


def _stronger(
    course: Course, initial: IndependentSet, candidates: list[IndependentSet], exact: Solver
) -> list[IndependentSet]:
    """Sets with better pivots where those of ``initial`` are weak."""

    def easiness(choice: IndependentSet) -> Numbers:
        return np.minimum(course.qualities(choice), RETURN_ABOVE)

    held = easiness(initial)
    left = [(easiness(candidate), candidate) for candidate in candidates]
    alternatives: list[IndependentSet] = []
    for _ in range(_MOST_TRIED):
        gains = [float(np.maximum(each - held, 0.0).sum()) for each, _ in left]
        if len(alternatives) == _MOST_ALTERNATIVES or max(gains, default=0.0) < _LEAST_GAIN:
            break
        each, candidate = left.pop(int(np.argmax(gains)))
        solved = exact(candidate)
        if solved is not None and solved.cost[1] <= initial.cost[1]:
            held = np.maximum(held, each)
            alternatives.append(solved)
    return alternatives


def _with_fewer_iterating(
    course: Course, held: list[IndependentSet], candidates: Iterable[IndependentSet], exact: Solver
) -> list[IndependentSet]:
    """The sets ``held``, and candidates with which fewer positions iterate."""
    least = course.iterating(held)
    known = {tuple(each.dependent) for each in held}
    left = [each for each in candidates if tuple(each.dependent) not in known] if least else []
    for _ in range(_MOST_TRIED):
        if not least or not left or len(held) > _MOST_WITHOUT_ITERATION:
            break
        counts = [(course.iterating([*held, each]), shape(each.blocks)) for each in left]
        best = min(range(len(left)), key=lambda number: counts[number])
        if counts[best][0] >= least:
            break
        solved = exact(left.pop(best))
        if solved is not None and (count := course.iterating([*held, solved])) < least:
            held, least = [*held, solved], count
    return held
