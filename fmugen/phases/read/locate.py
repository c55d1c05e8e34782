"""The line of each key in a TOML text, for messages.

``tomllib`` keeps no positions. This scan assumes a text that ``tomllib`` has parsed, so it only has to
distinguish statements from the inside of multi-line values. Keys inside an inline table are not listed: their
line is that of the key of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fmugen.phases.read.problems import KeyPath

__all__ = ["line_numbers"]

_TOKEN = re.compile(
    r'''
      """(?:\\.|[^\\])*?"{3,5}      # multi-line strings first: they begin like empty plain ones
    | \'{3}.*?\'{3,5}
    | "(?:\\.|[^"\\\n])*"
    | '[^'\n]*'
    | \#[^\n]*
    | [\[\]{}\n]
    ''',
    re.VERBOSE | re.DOTALL,
)
_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*({_DOTTED})[ \t]*\]")
_ASSIGNMENT = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=")


def line_numbers(text: str) -> dict[KeyPath, int]:
    """The line, counted from 1, of every table header and every key outside inline tables.

    Examples
    --------
    >>> line_numbers("[joints.pin]\\ntype = 'revolute'")
    {('joints',): 1, ('joints', 'pin'): 1, ('joints', 'pin', 'type'): 2}
    """
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for start, line in _statements(text):
        if header := _HEADER.match(text, start):
            table = _keys(header[1])
            _note(lines, table, 0, line)
        elif assignment := _ASSIGNMENT.match(text, start):
            _note(lines, table + _keys(assignment[1]), len(table), line)
    return lines


def _note(lines: dict[KeyPath, int], place: KeyPath, known: int, line: int) -> None:
    """Enter a place and those that enclose it, which a dotted key may be the first to mention."""
    for length in range(known + 1, len(place)):
        lines.setdefault(place[:length], line)
    lines[place] = line


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """The offset and line of each line that does not continue a value begun earlier."""
    yield 0, 1
    line, depth = 1, 0
    for token in _TOKEN.finditer(text):
        line += token[0].count("\n")
        if token[0] in ("[", "{"):
            depth += 1
        elif token[0] in ("]", "}"):
            depth -= 1
        elif token[0] == "\n" and depth == 0:
            yield token.end(), line


def _keys(dotted_key: str) -> KeyPath:
    return tuple(_unquoted(match[0]) for match in re.finditer(_KEY, dotted_key))


def _unquoted(key: str) -> str:
    return key[1:-1] if key[0] in "\"'" else key
