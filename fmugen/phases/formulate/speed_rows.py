"""Rows of velocity constraints combined, so that each has an entry of one in a column of its own.

Rows of one element, such as the two of a wheel that rolls, are solved together: each alone may lose every
entry on the way although both never do. E has the entries of as many coordinates as there are rows. The
combined rows are ``E^-1`` times the rows; with their multipliers mu, ``lambda = E^-T mu``.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.expr.generic import Generic, ValueTable
from fmugen.ir.dae import Constraint, Dae

__all__ = ["MOST_ROWS", "Combined", "combined", "is_void"]

#: Positions at which the sizes of entries are compared: near the guesses, within this of every coordinate.
_POINTS, _SPREAD = 6, 0.4
#: A determinant below this part of what the lengths of rows allow is none.
_VANISHING = 1e-9
#: Sets of columns whose determinants differ by less than this part are equally good.
_ALIKE = 0.05
#: More rows than this are not solved together.
MOST_ROWS = 3


@dataclass(frozen=True)
class Combined:
    """Combined rows, the column in which each is one, and the multipliers of the rows by theirs."""

    rows: tuple[Constraint, ...]
    columns: tuple[int, ...]
    multipliers: dict[Expr, Expr]


def is_void(row: Constraint) -> bool:
    """Whether a row says nothing: it follows from others that are solved already."""
    generic = Generic()
    zero = row.multiplier.dag.zero
    return all(generic.are_equal(entry, zero) for entry in (*row.jacobian.values(), row.nu))


def combined(
    dae: Dae, rows: Sequence[Constraint], free: Sequence[int], defaults: Mapping[str, float]
) -> Combined | None:
    """``rows`` solved for the columns of ``free`` that determine them best near the guesses, if any do."""
    columns = _best(dae, rows, free, defaults)
    if columns is None:
        return None
    dag = dae.symbols.dag
    inverse = _inverse(dag, [[row.jacobian.get(k, dag.zero) for k in columns] for row in rows])
    own = [dag.symbol(f"mu[{row.name}]", SymbolRole.MULTIPLIER) for row in rows]
    found = []
    for row, column, factors, multiplier in zip(rows, columns, inverse, own, strict=True):
        jacobian, nu = _sum(dag, factors, rows, column, columns)
        found.append(replace(row, jacobian=jacobian, nu=nu, gamma=dag.zero, multiplier=multiplier))
    multipliers = {
        row.multiplier: dag.add(inverse[i][j] * own[i] for i in range(len(rows)))
        for j, row in enumerate(rows)
    }
    return Combined(tuple(found), columns, multipliers)


def _sum(
    dag: Dag, factors: Sequence[Expr], rows: Sequence[Constraint], one: int, none: Collection[int]
) -> tuple[dict[int, Expr], Expr]:
    """Jacobian and rate of the sum of rows times factors.

    Its entry in the column ``one`` is one, those in ``none`` are zero.
    """
    jacobian = {one: dag.one}
    for k in sorted({k for row in rows for k in row.jacobian} - {one, *none}):
        parts = [f * row.jacobian[k] for f, row in zip(factors, rows, strict=True) if k in row.jacobian]
        jacobian[k] = dag.add(parts)
    nu = dag.add(f * row.nu for f, row in zip(factors, rows, strict=True))
    return {k: entry for k, entry in jacobian.items() if not entry.is_zero}, nu


def _best(
    dae: Dae, rows: Sequence[Constraint], free: Sequence[int], defaults: Mapping[str, float]
) -> tuple[int, ...] | None:
    """The columns whose determinant is largest where it is smallest; lengths before angles."""
    values = _entries(dae, rows, defaults)
    lengths = np.linalg.norm(values, axis=2).prod(axis=1)

    def size(columns: tuple[int, ...]) -> float:
        determinants = np.abs(np.linalg.det(values[:, :, list(columns)]))
        return float(np.min(determinants / np.where(lengths > 0, lengths, 1.0)))

    sizes = {columns: size(columns) for columns in combinations(free, len(rows))}
    largest = max(sizes.values(), default=0.0)
    if not largest > _VANISHING:
        return None
    good = [columns for columns, found in sizes.items() if found > (1 - _ALIKE) * largest]
    return min(good, key=lambda each: (-sum(dae.coordinates[k].unit == "m" for k in each), each))


def _entries(dae: Dae, rows: Sequence[Constraint], defaults: Mapping[str, float]) -> np.ndarray:
    """The entries of the rows, by point, row and coordinate."""
    roots = [entry for row in rows for entry in row.jacobian.values()]
    table = ValueTable(_POINTS, dict(_points(dae, symbols_of(roots), defaults)))
    values = np.zeros((_POINTS, len(rows), len(dae.coordinates)))
    for i, row in enumerate(rows):
        for k, entry in row.jacobian.items():
            values[:, i, k] = table(entry)
    return np.nan_to_num(values)


def _points(
    dae: Dae, symbols: Sequence[Expr], defaults: Mapping[str, float]
) -> Iterator[tuple[Expr, tuple[float, ...]]]:
    guesses = {c.position: c.guess for c in dae.coordinates}
    for symbol in symbols:
        if symbol.role is SymbolRole.PARAMETER and symbol.name in defaults:
            yield symbol, (defaults[symbol.name],) * _POINTS
        else:
            source, near = random.Random(symbol.name), guesses.get(symbol, 0.0)
            yield symbol, tuple(near + source.uniform(-_SPREAD, _SPREAD) for _ in range(_POINTS))


def _inverse(dag: Dag, matrix: list[list[Expr]]) -> list[list[Expr]]:
    """The inverse by cofactors."""
    size = range(len(matrix))
    cofactors = [[_determinant(dag, _minor(matrix, i, j)) * (-1) ** (i + j) for j in size] for i in size]
    over = 1 / dag.add(matrix[0][j] * cofactors[0][j] for j in size)
    return [[cofactors[j][i] * over for j in size] for i in size]


def _minor(matrix: list[list[Expr]], row: int, column: int) -> list[list[Expr]]:
    return [[x for j, x in enumerate(each) if j != column] for i, each in enumerate(matrix) if i != row]


def _determinant(dag: Dag, matrix: list[list[Expr]]) -> Expr:
    if not matrix:
        return dag.one
    first = matrix[0]
    return dag.add(
        entry * (-1) ** j * _determinant(dag, _minor(matrix, 0, j)) for j, entry in enumerate(first)
    )
