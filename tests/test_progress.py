"""Cyclic garbage is collected rarely during a compilation, and as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from fmugen.progress import rare_collection, stage


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


class _Compilation:
    progress = None

    @stage("lower")
    def thresholds(self) -> tuple[int, int, int]:
        return gc.get_threshold()


def test_a_stage_collects_rarely() -> None:
    assert _Compilation().thresholds[0] > 100_000
    assert gc.get_threshold() == (700, 10, 10)


def test_thresholds_return_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), rare_collection():
        raise ZeroDivisionError
    assert gc.get_threshold() == (700, 10, 10)


def test_a_collector_that_is_off_stays_off() -> None:
    gc.set_threshold(0)
    with rare_collection():
        assert gc.get_threshold()[0] == 0
    assert gc.get_threshold()[0] == 0
