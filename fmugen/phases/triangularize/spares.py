"""Further sets of independent coordinates, for the parts of the motion where the chosen one is weak.

A mechanism with several freedoms may have no set that is good all along its motion, while at every position
some set with exact steps is. The running model holds a few of them and changes from one to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.partition import Pivots, telling_positions

__all__ = ["choose_spares"]

Set = TypeVar("Set")

#: Where a set has this part of the best pivots, the running model returns to it (see partition.c).
_EASY = 0.5
#: How many sets are held beside the first, how many are triangularized for that, and what a set must add:
#: the sum over positions of what it has more of the pivots, as far as they are needed.
_MOST_SPARES = 3
_MOST_TRIED = 6
_LEAST_GAIN = 0.1


def choose_spares(
    pivots: Pivots,
    passed: Sequence[Numbers],
    home: Sequence[int],
    candidates: Iterable[tuple[Sequence[int], Set]],
    exact: Callable[[Set], Set | None],
) -> tuple[Set, ...]:
    """The candidates that are needed where ``home`` is weak, in the order in which they help.

    Parameters
    ----------
    pivots, passed
        What judges sets, and the Jacobian at positions along the declared motion.
    home, candidates
        Dependent coordinates of the set that is chosen, and of others.
    exact
        The candidate with steps for all its blocks, or ``None`` if something is left to iteration.
    """
    telling = telling_positions(passed)
    weak = [(j, pivot) for j, pivot in telling if pivots.smallest(j, home) < _EASY * pivot]
    if not weak:
        return ()

    def easiness(dependent: Sequence[int]) -> Numbers:
        return np.minimum([pivots.smallest(j, dependent) / pivot for j, pivot in weak], _EASY)

    held = easiness(home)
    left = [(easiness(dependent), candidate) for dependent, candidate in candidates]
    spares: list[Set] = []
    for _ in range(_MOST_TRIED):
        gains = [float(np.maximum(each - held, 0.0).sum()) for each, _ in left]
        if len(spares) == _MOST_SPARES or max(gains, default=0.0) < _LEAST_GAIN:
            break
        each, candidate = left.pop(int(np.argmax(gains)))
        solved = exact(candidate)
        if solved is not None:
            held = np.maximum(held, each)
            spares.append(solved)
    return tuple(spares)
