"""Which sets of independent coordinates the running model uses along a motion, and where it iterates.

The rules are those of partition.c for steps of fixed size, with a review at every position. Adaptive steps
iterate at fewer positions, and at none where these do not. A position iterates where no set that is held is
good, or where a guard of the exact steps of the present set fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmugen.ir.flow import Block
from fmugen.phases.triangularize.judgement import Judgement, quality_shown
from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.sets import IndependentSet

__all__ = ["LEAVE_BELOW", "RETURN_ABOVE", "Course"]

#: Thresholds of partition.c.
LEAVE_BELOW = 0.3
RETURN_ABOVE = 0.5
CLEARLY_BETTER = 1.5
POOR = 0.2
#: A quality of this times the threshold may fall below it on another motion.
_NEARLY = 1.2


@dataclass(frozen=True)
class _Held:
    dependent: tuple[int, ...]
    quality: float
    qualities: list[float]
    exact: list[bool]


class Course:
    """Positions along the declared motion, with the judgement of sets there.

    ``guards`` gives the positions of the judgement where the exact steps of blocks are reliable.
    """

    def __init__(self, judgement: Judgement, guards: Callable[[Sequence[Block]], NDArray[np.bool_]]) -> None:
        self._judgement, self._guards = judgement, guards
        self._qualities: dict[tuple[int, ...], Numbers] = {}
        self._exact: dict[tuple[tuple[int, ...], bool], list[bool]] = {}

    def __len__(self) -> int:
        return len(self._judgement)

    def qualities(self, choice: IndependentSet) -> Numbers:
        key = tuple(choice.dependent)
        if key not in self._qualities:
            self._qualities[key] = self._judgement.qualities(key)
        return self._qualities[key]

    def is_weak(self, choice: IndependentSet) -> bool:
        """Whether the running model leaves this set, or nearly does."""
        found = self.qualities(choice)
        nearly = _NEARLY * LEAVE_BELOW * quality_shown(found)
        return bool((found < nearly).any()) or self.iterating([choice]) > 0

    def iterating(self, choices: Sequence[IndependentSet]) -> int:
        """The number of positions that iterate if the running model holds these sets, the first at the start.

        A set without steps counts as one that will have exact ones.
        """
        if not len(self):
            return 0
        held = [self._held(choice) for choice in choices]
        present, count = 0, 0
        for place in range(len(self)):
            present = self._review(held, present, place) if place == 0 else present
            count += present < 0 or not held[present].exact[place]
            present = self._review(held, present, place)
        return count

    def _held(self, choice: IndependentSet) -> _Held:
        dependent, solved = tuple(choice.dependent), all(block.steps for block in choice.blocks)
        if (dependent, solved) not in self._exact:
            exact = self._guards(choice.blocks).tolist() if solved else [True] * len(self)
            self._exact[dependent, solved] = exact
        found = self.qualities(choice)
        return _Held(dependent, quality_shown(found), found.tolist(), self._exact[dependent, solved])

    def _review(self, held: Sequence[_Held], present: int, place: int) -> int:
        """The set after a review at an accepted position; -1 for coordinates that no set belongs to."""
        found = [each.qualities[place] for each in held]
        again = _earlier(held, present, place)
        if present < 0 or again >= 0:
            return again
        others = [number for number in range(len(held)) if number != present]
        other = max(others, key=lambda number: found[number], default=None)
        weak = LEAVE_BELOW * held[present].quality
        limit = weak if other is None else min(weak, max(POOR, found[other] / CLEARLY_BETTER))
        if found[present] >= limit:
            return present
        if other is not None and found[other] >= POOR and found[other] > found[present]:
            return other
        best = self._judgement.columns[place]
        return next((number for number, each in enumerate(held) if each.dependent == best), -1)


def _earlier(held: Sequence[_Held], present: int, place: int) -> int:
    """The first set that is good again, -1 if there is none.

    It is needed where coordinates belong to no set, or where the present set iterates.
    """
    iterates = present > 0 and not held[present].exact[place]
    before = len(held) if present < 0 else present if iterates else 0
    good = (n for n in range(before) if held[n].qualities[place] >= RETURN_ABOVE * held[n].quality)
    return next(good, -1)
