"""The compiler replays what partition.c and exact.h do: same thresholds, same rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from fmugen.expr.dag import Dag
from fmugen.ir.flow import Block
from fmugen.ir.steps import LinearStep
from fmugen.phases.triangularize import course, guards, judgement
from fmugen.phases.triangularize.course import Course
from fmugen.phases.triangularize.sets import IndependentSet, SetRank, preference
from fmugen.resources import template_dir


@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        ("partition.c", "LEAVE_BELOW", course.LEAVE_BELOW),
        ("partition.c", "RETURN_ABOVE", course.RETURN_ABOVE),
        ("partition.c", "CLEARLY_BETTER", course.CLEARLY_BETTER),
        ("partition.c", "POOR", course.POOR),
        ("partition.c", "KEEP_WHOLE", judgement.KEEP_WHOLE),
        ("scales.c", "SCALING_POSITIONS", judgement.SIZING_POSITIONS),
        ("exact.h", "EXACT_BLURRED", guards.BLURRED),
        ("exact.h", "EXACT_CONSISTENT", guards.CONSISTENT),
        ("exact.h", "EXACT_CANCELLED", guards.CANCELLED),
    ],
)
def test_thresholds_are_those_of_the_runtime(file: str, name: str, value: float) -> None:
    text = (template_dir() / "runtime" / file).read_text()
    (found,) = re.findall(rf"^#define {name} (\S+)", text, re.MULTILINE)
    assert float(found) == value


class Told:
    """A judgement of sets of one dependent coordinate that is told, with the best set at each position."""

    def __init__(self, *qualities: Sequence[float]) -> None:
        self._qualities = np.array(qualities)
        self.columns = [(-1,)] * self._qualities.shape[1]

    def __len__(self) -> int:
        return len(self.columns)

    def qualities(self, dependent: Sequence[int]) -> NDArray[np.float64]:
        return self._qualities[dependent[0]]


def set_of(number: int) -> IndependentSet:
    """A set whose one dependent coordinate has an exact step."""
    one = Dag().one
    return IndependentSet([], [number], 1.0, (Block((number,), (0,), "", (LinearStep(number, one, one),)),))


def course_of(*qualities: Sequence[float], failing: dict[int, list[int]] | None = None) -> Course:
    def hold(blocks: Sequence[Block]) -> NDArray[np.bool_]:
        found = np.ones(len(qualities[0]), dtype=bool)
        found[(failing or {}).get(blocks[0].unknowns[0], [])] = False
        return found

    return Course(Told(*qualities), hold)  # type: ignore[arg-type]


def test_a_weak_set_is_left_for_iteration_until_it_is_good_again() -> None:
    """The change follows the review of an accepted position: what is weak is left behind it."""
    assert course_of([1.0, 0.25, 0.1, 0.4, 0.6, 1.0]).iterating([set_of(0)]) == 3


def test_another_set_that_is_held_takes_over() -> None:
    motion = course_of([1.0, 0.25, 0.1, 0.4, 0.6, 1.0], [0.1, 0.9, 1.0, 0.9, 0.5, 0.4])
    assert motion.iterating([set_of(0), set_of(1)]) == 0


def test_an_alternative_whose_steps_fail_returns_to_a_good_set_before_it() -> None:
    qualities = [1.0, 0.25, 0.1, 0.6, 1.0, 1.0], [0.1, 0.9, 1.0, 0.9, 0.9, 0.9]
    assert course_of(*qualities, failing={1: [3, 4, 5]}).iterating([set_of(0), set_of(1)]) == 1


def test_a_first_set_whose_steps_fail_stays() -> None:
    """It does not go back and forth with an alternative."""
    motion = course_of([1.0] * 5, [0.9] * 5, failing={0: [1, 3]})
    assert motion.iterating([set_of(0), set_of(1)]) == 2


def test_operations_count_only_between_sets_that_are_equally_good() -> None:
    def made(operations: int, *, steps: bool = True) -> IndependentSet:
        (block,) = set_of(0).blocks
        block = replace(block, operations=operations, steps=block.steps if steps else ())
        return replace(set_of(0), blocks=(block,))

    good, weak = SetRank(False, False, 1, 0, 1), SetRank(False, True, 1, 20, 1)
    assert preference(good, made(40)) < preference(weak, made(10))
    assert preference(good, made(10)) < preference(good, made(40))
    assert preference(weak, made(40)) < preference(good, made(10, steps=False)), "iteration counts most"
