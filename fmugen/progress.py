"""Stages of a compilation, which are computed once, and the progress of long work, which the user sees."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from time import perf_counter
from typing import Any, TypeVar

__all__ = ["Progress", "counted", "rare_collection", "stage", "timed", "tried"]

#: Called with the name of each phase when it begins and, with its seconds, when it ends.
Progress = Callable[[str, float | None], None]

_T = TypeVar("_T")

#: Characters of a bar that shows how far a phase has come.
_BAR = 24
#: New objects between two collections of the youngest. At about 100 bytes each this is 20 MB of garbage.
_YOUNG = 200_000
#: Collections of one generation for each collection of the next.
_OLDER = (20, 100)


@contextmanager
def timed(phase: str, progress: Progress | None) -> Iterator[None]:
    """Tell ``progress`` that a phase begins and, when it ends, how long it took."""
    if progress is None:
        yield
        return
    progress(phase, None)
    begin = perf_counter()
    yield
    progress(phase, perf_counter() - begin)


def stage(name: str, needs: str = "") -> Callable[[Callable[[Any], _T]], cached_property[_T]]:
    """A property that is computed once. ``self.progress`` is told when it begins and ends.

    Cyclic garbage is collected rarely meanwhile.

    ``needs`` names an earlier stage, which is computed first, so that its time does not count here.
    """

    def decorate(function: Callable[[Any], _T]) -> cached_property[_T]:
        @wraps(function)
        def computed(self: Any) -> _T:
            if needs:
                getattr(self, needs)
            with timed(name, self.progress), rare_collection():
                return function(self)

        return cached_property(computed)

    return decorate


@contextmanager
def rare_collection() -> Iterator[None]:
    """Collect cyclic garbage rarely. The thresholds from before return at the end.

    A compilation makes hundreds of thousands of objects that live as long as it does. The collector visits
    them again and again and finds almost nothing, since reference counts free what is no longer used.
    """
    before = gc.get_threshold()
    if before[0] == 0 or before[0] >= _YOUNG:  # 0: the caller has switched it off
        yield
        return
    gc.set_threshold(_YOUNG, *_OLDER)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def counted(phase: str, progress: Progress | None) -> Callable[[int, int], None]:
    """A function that tells ``progress`` how far a running phase has come."""

    def count(done: int, total: int) -> None:
        if progress is not None:
            progress(f"{phase} {'━' * (_BAR * done // total):╌<{_BAR}} {done} of {total}", None)

    return count


def tried(progress: Progress | None) -> Callable[[int, str], None]:
    """A function that tells ``progress`` how many pairs of trees a search has tried."""

    def tell(count: int, name: str) -> None:
        if progress is not None:
            progress(f"trees: {count} priced, {name}", None)

    return tell
