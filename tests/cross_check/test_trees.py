"""How the measured choice is judged against the rows of a table."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


def verdict(mine: tuple[int, float], *rows: tuple[int, float]) -> Any:
    trees = importlib.import_module("bench.trees")
    timed = [trees.Timed(operations, 0.0, nanoseconds) for operations, nanoseconds in (mine, *rows)]
    return trees.verdict({trees.CHEAPEST: timed[0], **{str(i): row for i, row in enumerate(timed[1:], 1)}})


@pytest.mark.parametrize(
    ("mine", "is_good"),
    [
        ((300, 100.0), True),
        ((290, 90.0), True),
        ((300, 102.0), True),  # 3 % are noise
        ((300, 110.0), False),
        ((310, 100.0), False),
    ],
)
def test_the_choice_must_be_as_good_as_a_row_that_is_best_in_both(
    mine: tuple[int, float], is_good: bool
) -> None:
    found = verdict(mine, (300, 100.0), (310, 120.0))
    assert found.best_in_both == "1"
    assert found.is_good is is_good


@pytest.mark.parametrize(
    ("mine", "better", "is_good"),
    [
        ((300, 120.0), "", True),  # the shortest
        ((350, 100.0), "", True),  # the fastest
        ((340, 110.0), "", False),  # neither
        ((360, 100.0), "2", False),  # as fast as the fastest, which is shorter
        ((300, 130.0), "1", False),  # as short as the shortest, which is faster
    ],
)
def test_where_no_row_is_best_in_both_the_choice_is_best_in_one(
    mine: tuple[int, float], better: str, is_good: bool
) -> None:
    found = verdict(mine, (300, 120.0), (350, 100.0))
    assert not found.best_in_both
    assert found.better == better
    assert found.is_good is is_good


def test_the_conflict_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    trees = importlib.import_module("bench.trees")
    trees.print_verdict(verdict((300, 120.0), (300, 120.0), (350, 100.0)))
    said = capsys.readouterr().out
    assert "no row is best in both: row 1 has 300 operations and takes 120 ns, row 2 350 and 100 ns" in said
