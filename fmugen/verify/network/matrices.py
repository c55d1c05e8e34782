"""Matrices of networks: dense if they are small, else sparse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs
from scipy.sparse import coo_array, csc_array, csr_array, diags_array, vstack
from scipy.sparse.linalg import SuperLU, splu

from fmugen.errors import VerificationError
from fmugen.verify.rotations import Array

#: Matrices with more rows are sparse.
DENSE = 250

#: An array, or a sparse matrix; scipy has no types for the latter.
Matrix = Any

_SINGULAR = (
    "the network has no unique solution: look for a loop of voltage (or pressure, or motion) sources alone, "
    "a node that only current (or flow, or force) sources touch, or a part that is not tied to the ground"
)


def matrix_of(rows: Sequence[Mapping[int, float]], width: int) -> Matrix:
    """Combinations as the rows of a matrix."""
    if len(rows) <= DENSE:
        dense = np.zeros((len(rows), width))
        for number, row in enumerate(rows):
            for column, value in row.items():
                dense[number, column] = value
        return dense
    entries = {(number, column): value for number, row in enumerate(rows) for column, value in row.items()}
    return _sparse(entries, (len(rows), width))


def as_dense(matrix: Matrix) -> Array:
    """The matrix as an array."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def scaled(rows: Array, matrix: Matrix, columns: Array) -> Matrix:
    """A matrix with scaled rows and columns."""
    if isinstance(matrix, np.ndarray):
        result: Array = rows[:, None] * matrix * columns
        return result
    return csr_array(diags_array(rows) @ matrix @ diags_array(columns))


def stacked(upper: Matrix, lower: Array) -> Matrix:
    """One matrix above another."""
    if isinstance(upper, np.ndarray):
        return np.vstack((upper, lower))
    return csr_array(vstack([upper, csr_array(lower)]))


class Additions:
    """Entries to be added to a matrix."""

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._entries: dict[tuple[int, int], float] = {}

    def add(self, row: int, combination: Mapping[int, float], factor: float) -> None:
        for column, coefficient in combination.items():
            place = row, column
            self._entries[place] = self._entries.get(place, 0.0) + factor * coefficient

    def total(self) -> Matrix:
        """The sum of the matrix and all added entries."""
        if isinstance(self._matrix, np.ndarray):
            result = self._matrix.copy()
            for place, value in self._entries.items():
                result[place] += value
            return result
        return csr_array(self._matrix + _sparse(self._entries, self._matrix.shape))


class Factors:
    """A factorized square matrix."""

    def __init__(self, matrix: Matrix) -> None:
        self._sparse: SuperLU | None = None
        if isinstance(matrix, np.ndarray):
            self._triangles, self._order, _ = dgetrf(matrix)
            pivots = np.abs(np.diagonal(self._triangles))
            if pivots.size and not np.min(pivots) > 1e-14 * np.max(pivots):
                raise VerificationError(_SINGULAR)
            self._inverse: Array | None = None
            return
        try:
            self._sparse = splu(csc_array(matrix))
        except RuntimeError as error:
            raise VerificationError(_SINGULAR) from error

    def solve(self, right: Array) -> Array:
        if self._sparse is None:
            return np.asarray(dgetrs(self._triangles, self._order, right)[0]) if len(right) else right
        return np.asarray(self._sparse.solve(right))

    def correct(self, residual: Array) -> Array:
        """The correction of an approximate solution, by the inverse."""
        if self._sparse is not None:
            return self.solve(residual)
        if self._inverse is None:
            self._inverse = self.solve(np.eye(len(residual)))
        result: Array = self._inverse @ residual
        return result


def equilibrium(matrix: Matrix) -> tuple[Array, Array]:
    """Scales of rows and columns that bring the largest entry of each near one."""
    rows, columns = np.ones(matrix.shape[0]), np.ones(matrix.shape[1])
    for _ in range(20):
        current = abs(scaled(rows, matrix, columns))
        rows /= np.sqrt(_largest(current, 1))
        columns /= np.sqrt(_largest(current, 0))
    return rows, columns


def _largest(matrix: Matrix, axis: int) -> Array:
    """The largest entry of each row or column, one where all are zero."""
    found = matrix.max(axis=axis)
    found = found if isinstance(matrix, np.ndarray) else np.asarray(found.todense()).ravel()
    return np.where(found > 0.0, found, 1.0)


def _sparse(entries: Mapping[tuple[int, int], float], shape: tuple[int, int]) -> csr_array:
    rows = [row for row, _ in entries]
    columns = [column for _, column in entries]
    return csr_array(coo_array((list(entries.values()), (rows, columns)), shape=shape))
