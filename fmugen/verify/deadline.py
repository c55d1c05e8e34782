"""The time limit of the reference.

Each evaluation of the equations of motion calls :func:`check_time`. The limit ends with the function that is
decorated with :func:`limited_time`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from fmugen.errors import TimeLimitError

__all__ = ["REFERENCE_LIMIT", "check_time", "limited_time", "start_clock"]

#: The default time limit of a reference, in seconds.
REFERENCE_LIMIT = 1800.0

#: The seconds allowed, and the time at which they are over.
_deadline: ContextVar[tuple[float, float] | None] = ContextVar("deadline", default=None)


@contextmanager
def limited_time() -> Iterator[None]:
    """A scope, or decorator: time limits that are set inside it end with it."""
    token = _deadline.set(None)
    try:
        yield
    finally:
        _deadline.reset(token)


def start_clock(seconds: float) -> None:
    """Let :func:`check_time` raise an error after so many seconds."""
    _deadline.set((seconds, monotonic() + seconds))


def check_time() -> None:
    """Require that the time limit has not passed.

    Raises
    ------
    TimeLimitError
        If the time limit has passed.
    """
    deadline = _deadline.get()
    if deadline is not None and monotonic() > deadline[1]:
        raise TimeLimitError(f"the reference did not end within {deadline[0]:g} s")
