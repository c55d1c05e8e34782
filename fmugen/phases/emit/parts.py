"""Long functions in parts: what a part computes for later ones is kept in an array, all else is local."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fmugen.expr.dag import Expr
from fmugen.expr.statements import Statement, Temporary, Written

__all__ = ["LONGEST_FUNCTION", "LONGEST_MOTION", "chunks", "with_shared_array"]

#: Functions with more names and numbers than this are cut into chunks: compilers take too long for them.
LONGEST_FUNCTION = 1_800
#: Equations of motion with more names and numbers than this are cut into chunks: of shorter ones a compiler
#: keeps more in registers.
LONGEST_MOTION = 8_000

Body = list[tuple[Statement, Written]]


def chunks(body: Sequence[tuple[Statement, Written]]) -> Iterator[Body]:
    """Statements in order, a chunk as long as a function may be."""
    chunk: Body = []
    size = 0
    for statement, written in body:
        if chunk and size + written.size >= LONGEST_FUNCTION:
            yield chunk
            chunk, size = [], 0
        chunk.append((statement, written))
        size += written.size + 1  # what is assigned to
    yield chunk


def with_shared_array(parts: Sequence[Body], array: str) -> tuple[list[list[Statement]], int]:
    """The statements of each part, and how long the array is that later parts read from."""
    made = {
        statement.value: number
        for number, part in enumerate(parts)
        for statement, _ in part
        if isinstance(statement, Temporary)
    }
    later = {
        node
        for number, part in enumerate(parts)
        for _, written in part
        for node in written.read
        if made.get(node, number) != number
    }
    places: dict[Expr, int] = {}

    def placed(statement: Statement) -> Statement:
        if not isinstance(statement, Temporary) or statement.value not in later:
            return statement
        places[statement.value] = len(places)
        return replace(statement, name=f"{array}[{places[statement.value]}]")

    return [[placed(statement) for statement, _ in part] for part in parts], len(places)
