"""The problems of one model, collected while it is read, with their places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fmugen.errors import FormulaError, Problem

__all__ = ["EntryOrigin", "KeyPath", "ProblemLog", "dotted", "formula_message"]

#: The keys that lead to a value in the file; integers count in arrays.
KeyPath = tuple[str | int, ...]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class EntryOrigin:
    """Where a flattened entry was written, and by which use it came into the model."""

    place: KeyPath
    use: str


@dataclass(frozen=True)
class _Entry:
    #: The number of the file, in the order they were read, and the line in it.
    line: tuple[int, int] | None
    problem: Problem


class ProblemLog:
    """Collects problems; gives them back in the order of the file.

    Parameters
    ----------
    file
        What places call the file.
    lines
        The line of each key, as from :func:`fmugen.phases.read.locate.line_numbers`; a place that is not
        in it has the line of the nearest enclosing key that is. Empty if there is no text.
    """

    def __init__(self, file: str = "", lines: Mapping[KeyPath, int] | None = None) -> None:
        self._files = [file]
        self._lines = {place: (0, line) for place, line in (lines or {}).items()}
        self._origins: Mapping[KeyPath, EntryOrigin] = {}
        self._entries: list[_Entry] = []
        self._told: set[tuple[str, str]] = set()

    def include(self, file: str, lines: Mapping[KeyPath, int]) -> None:
        """The lines of another file whose tables are part of the model."""
        self._files.append(file)
        number = len(self._files) - 1
        self._lines = {place: (number, line) for place, line in lines.items()} | self._lines

    def trace(self, origins: Mapping[KeyPath, EntryOrigin]) -> None:
        """Entries that came from assemblies; their problems are reported where they were written."""
        self._origins = origins

    def add(self, place: KeyPath, message: str, hint: str = "", use: str = "") -> None:
        """Log a problem; ``use`` is that of the assembly in which it is."""
        for length in range(len(place), 0, -1):
            origin = self._origins.get(place[:length])
            if origin is not None:
                place, use = (*origin.place, *place[length:]), origin.use
                break
        line = self._line(place)
        prefix = f"{self._files[line[0]]}:{line[1]}: " if line is not None else ""
        where = f"{prefix}{dotted(place)}" + (f" (as {use})" if use else "")
        entry = _Entry(line, Problem(where, message, hint))
        # The uses of one assembly share its mistakes: only the first is reported.
        told = (dotted(place), message.replace(f"{use}.", "") if use else message)
        if told not in self._told:
            self._told.add(told)
            self._entries.append(entry)

    def problems(self) -> tuple[Problem, ...]:
        """Sorted by line; problems without one come first, in the order they were found."""
        ordered = sorted(self._entries, key=lambda entry: entry.line or (-1, 0))
        return tuple(entry.problem for entry in ordered)

    def __bool__(self) -> bool:
        return bool(self._entries)

    def _line(self, place: KeyPath) -> tuple[int, int] | None:
        for length in range(len(place), 0, -1):
            if place[:length] in self._lines:
                return self._lines[place[:length]]
        return None


def dotted(place: KeyPath) -> str:
    """The place as a TOML key path: ``bodies.crank.points.A[1]``, ``start.fixed."pin.angle"``."""
    text = ""
    for key in place:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += ("." if text else "") + (key if _BARE_KEY.fullmatch(key) else f'"{key}"')
    return text


def formula_message(error: FormulaError) -> str:
    """The text of a formula error, short enough for one line."""
    text = error.text if len(error.text) <= 60 else f"{error.text[:57]}..."
    return f"{error.message} (column {error.column} of {text!r})"
