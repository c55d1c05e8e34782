"""Sparse elimination on the DAG: linear equations solved by straight-line code.

Pivots are chosen for little fill (Markowitz) among entries that are not small at the default parameters.
Plain numbers come first: they cost no operations and never vanish.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from fmugen.expr.dag import Expr

__all__ = ["Row", "Solved", "eliminate"]

#: An entry is not a pivot if it is smaller than the largest of its row by this factor.
_SMALL = 1e-8
#: How many of the shortest rows are searched for a pivot.
_ROWS_TO_COMPARE = 6


@dataclass
class Row:
    """``sum of coefficient * unknown + rest`` = 0."""

    coefficients: dict[Expr, Expr]
    rest: Expr
    label: int


@dataclass(frozen=True)
class Solved:
    """``unknown`` from its pivot row; unknowns that were eliminated later may stand in it."""

    unknown: Expr
    row: Row
    pivot: Expr

    def value(self, known: dict[Expr, Expr]) -> Expr:
        """The unknown, where those eliminated later are known."""
        dag = self.pivot.dag
        others = [c * known[u] for u, c in self.row.coefficients.items() if u is not self.unknown]
        return -dag.add([self.row.rest, *others]) / self.pivot


def eliminate(rows: list[Row], sample: Callable[[Expr], float]) -> tuple[list[Solved], list[Row]]:
    """Pivot rows in order of elimination, and the rows that are left, free of unknowns.

    An unknown that no row determines stays in the rows that are left.
    """
    return _Elimination(rows, sample).run()


class _Elimination:
    def __init__(self, rows: list[Row], sample: Callable[[Expr], float]) -> None:
        self._sample = sample
        self._active = {row.label: row for row in rows}
        self._columns: dict[Expr, set[int]] = {}
        for row in rows:
            for unknown in row.coefficients:
                self._columns.setdefault(unknown, set()).add(row.label)
        # Rows by the number of their entries. An outdated number is corrected when its row is taken.
        self._heap = [(len(row.coefficients), row.label) for row in rows]
        heapify(self._heap)

    def run(self) -> tuple[list[Solved], list[Row]]:
        solved: list[Solved] = []
        while (choice := self._pivot()) is not None:
            label, unknown = choice
            source = self._active.pop(label)
            pivot = source.coefficients[unknown]
            for other in source.coefficients:
                self._columns[other].discard(label)
            for target in sorted(self._columns.pop(unknown)):
                self._subtract(self._active[target], source, unknown, pivot)
            solved.append(Solved(unknown, source, pivot))
        return solved, list(self._active.values())

    def _pivot(self) -> tuple[int, Expr] | None:
        """The best pivot of the shortest rows."""
        best: tuple[tuple[int, bool, int, int], Expr] | None = None
        looked_at: list[tuple[int, int]] = []
        while self._heap and (best is None or len(looked_at) < _ROWS_TO_COMPARE):
            width, label = heappop(self._heap)
            row = self._active.get(label)
            if row is None or not row.coefficients:
                continue
            if width != len(row.coefficients):
                heappush(self._heap, (len(row.coefficients), label))
                continue
            looked_at.append((width, label))
            for unknown in self._usable(row):
                fill = (width - 1) * (len(self._columns[unknown]) - 1)
                rank = (fill, not row.coefficients[unknown].is_number, label, unknown.serial)
                if best is None or rank < best[0]:
                    best = (rank, unknown)
        for entry in looked_at:
            heappush(self._heap, entry)
        return None if best is None else (best[0][2], best[1])

    def _usable(self, row: Row) -> list[Expr]:
        sizes = {unknown: abs(self._sample(entry)) for unknown, entry in row.coefficients.items()}
        largest = max((size for size in sizes.values() if not math.isnan(size)), default=0.0)
        return [unknown for unknown, size in sizes.items() if size > _SMALL * largest]

    def _subtract(self, target: Row, source: Row, unknown: Expr, pivot: Expr) -> None:
        """Remove ``unknown`` from ``target`` by means of the pivot row ``source``."""
        factor = target.coefficients.pop(unknown) / pivot
        for other, entry in source.coefficients.items():
            if other is unknown:
                continue
            old = target.coefficients.get(other)
            new = -factor * entry if old is None else old - factor * entry
            if new.is_zero:
                target.coefficients.pop(other, None)
                self._columns[other].discard(target.label)
            else:
                target.coefficients[other] = new
                self._columns[other].add(target.label)
        target.rest = target.rest - factor * source.rest
        heappush(self._heap, (len(target.coefficients), target.label))
