"""Pages of what programs print."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

__all__ = ["kept_page", "names_and_page", "write_page"]


class _Both(io.StringIO):
    """Text that is kept, and shown on a screen at once."""

    def __init__(self, screen: TextIO) -> None:
        super().__init__()
        self._screen = screen

    def write(self, text: str) -> int:
        self._screen.write(text)
        return super().write(text)

    def flush(self) -> None:
        self._screen.flush()


def names_and_page(
    program: str, arguments: Sequence[str], known: Sequence[str]
) -> tuple[list[str], Path | None]:
    """What is asked for, and the page to write: the arguments of a program that prints tables."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; all by default")
    parser.add_argument("--output", type=Path, help="page to write, too")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in known:
            parser.error(f"there is no {name}; there are {', '.join(known)}")
    return options.names, options.output


@contextlib.contextmanager
def kept_page(page: Path | None) -> Iterator[None]:
    """What is printed is shown, and written to the page when all of it is there."""
    if page is None:
        yield
        return
    both = _Both(sys.stdout)
    with contextlib.redirect_stdout(both):
        yield
    write_page(page, both.getvalue())


def write_page(page: Path, text: str) -> None:
    """Write a page whole or not at all."""
    draft = page.with_name(f".{page.name}.part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(page)
