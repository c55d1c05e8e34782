"""Screen output: results on standard output, progress and warnings on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from types import TracebackType

from rich import box
from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

__all__ = ["Phases", "counted", "error_console", "print_line", "print_table", "print_warning"]

#: Columns of a file or pipe, where nothing needs to be wrapped.
_WIDE = 200


def _console(*, stderr: bool = False) -> Console:
    """A console that prints text as it is; colours only where a terminal wants them."""
    console = Console(stderr=stderr, markup=False, highlight=False)
    if not console.is_terminal:
        console.width = _WIDE
    return console


def error_console() -> Console:
    """Where progress is shown."""
    return _console(stderr=True)


def print_line(text: str = "", style: str = "") -> None:
    """A line of results."""
    _console().print(text, style=style or None, soft_wrap=True)


def print_warning(text: str) -> None:
    """A line for the user that is not a result."""
    _console(stderr=True).print(f"warning: {text}", style="yellow", soft_wrap=True)


def print_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A table of results.

    A column whose name begins with ``>`` is flush right; if no column has a name, there is no header.
    """
    names = tuple(columns)
    table = Table(
        title=title or None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        show_header=any(names),
        pad_edge=False,
    )
    for name in names:
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    _console().print(table)


def counted(count: int, noun: str) -> str:
    """``1 branch``, ``2 branches``: a number with its noun.

    >>> counted(1, "degree of freedom"), counted(3, "branch"), counted(0, "chord")
    ('1 degree of freedom', '3 branches', '0 chords')
    """
    if count == 1:
        return f"1 {noun}"
    first, _, rest = noun.partition(" of ")
    plural = first + ("es" if first.endswith("ch") else "s")
    return f"{count} {plural} of {rest}" if rest else f"{count} {plural}"


class Phases:
    """The phases of the compiler: a line for each, and on a terminal also the running one.

    An instance is the ``progress`` that the pipeline calls.
    """

    def __init__(self) -> None:
        self._console = _console(stderr=True)
        self._status: Status | None = None

    def __enter__(self) -> Phases:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def __call__(self, phase: str, seconds: float | None) -> None:
        if seconds is not None:
            self._stop()
            self._console.print(f"  {phase:<12} {seconds:7.2f} s")
        elif self._status is not None:
            self._status.update(phase)
        elif self._console.is_terminal:
            self._status = self._console.status(phase)
            self._status.start()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """A phase that lasts as long as the block."""
        self(name, None)
        begin = perf_counter()
        yield
        self(name, perf_counter() - begin)

    def say(self, text: str) -> None:
        """A line about the running phase that stays."""
        self._console.print(f"  {text}", soft_wrap=True)

    def note(self, text: str) -> None:
        """Show a detail of the running phase, on a terminal only."""
        if self._status is not None:
            self._status.update(text)

    def _stop(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
