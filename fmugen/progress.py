"""What long work tells the user while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

__all__ = ["Progress", "counted", "timed"]

#: Called with the name of each phase when it begins and, with its seconds, when it ends.
Progress = Callable[[str, float | None], None]

#: Characters of a bar that shows how far a phase has come.
_BAR = 24


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


def counted(phase: str, progress: Progress | None) -> Callable[[int, int], None]:
    """A function that tells ``progress`` how far a running phase has come."""

    def count(done: int, total: int) -> None:
        if progress is not None:
            progress(f"{phase} {'━' * (_BAR * done // total):╌<{_BAR}} {done} of {total}", None)

    return count
