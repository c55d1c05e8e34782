"""The sparse elimination of the runtime against a dense one in numpy."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from ctypes import CDLL, POINTER, Structure, byref, c_double, c_int
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .conftest import RUNTIME, STRICT, compiler

Array = np.ndarray
Eliminate = Callable[[Array], tuple[float, list[int]]]

_REALS, _INTEGERS = POINTER(c_double), POINTER(c_int)


class SparseRows(Structure):
    _fields_ = [
        *(("m", c_int), ("n", c_int)),
        *(("value", _REALS), ("column", _INTEGERS), ("count", _INTEGERS)),
        *(("largest", _REALS), ("at", _INTEGERS)),
        *(("rows", _INTEGERS), ("row_count", _INTEGERS), ("place", _INTEGERS)),
    ]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    target: Path = tmp_path_factory.mktemp("sparse") / "sparse.so"
    command = [compiler(), *STRICT, "-fPIC", "-shared", str(RUNTIME / "sparse.c"), "-lm", "-o", str(target)]
    subprocess.run(command, check=True, timeout=60)
    opened = CDLL(str(target))
    opened.eliminate_sparse.restype = c_double
    return opened


@pytest.fixture(scope="module")
def eliminate(library: Any) -> Eliminate:
    """The smallest pivot of a matrix, and the columns that were taken."""

    def run(matrix: Array) -> tuple[float, list[int]]:
        m, n = matrix.shape
        integers = {
            name: np.full(max(size, 1), -7, dtype=np.intc)
            for name, size in [
                *(("column", m * n), ("rows", m * n), ("count", m), ("at", m)),
                *(("row_count", n), ("place", n), ("columns", m)),
            ]
        }
        reals = {name: np.full(max(size, 1), np.nan) for name, size in [("value", m * n), ("largest", m)]}
        for i, row in enumerate(matrix):
            columns = np.flatnonzero(row)
            integers["count"][i] = len(columns)
            integers["column"][i * n : i * n + len(columns)] = columns
            reals["value"][i * n : i * n + len(columns)] = row[columns]
        taken = integers.pop("columns")
        vectors = {name: x.ctypes.data_as(_INTEGERS) for name, x in integers.items()}
        vectors |= {name: x.ctypes.data_as(_REALS) for name, x in reals.items()}
        rows = SparseRows(m, n, **vectors)
        smallest = library.eliminate_sparse(byref(rows), taken.ctypes.data_as(_INTEGERS))
        return smallest, list(taken[:m])

    return run


def dense(matrix: Array) -> tuple[float, list[int]]:
    """Complete pivoting as in the textbook; of equal pivots the first row and column."""
    work, columns, pivot = matrix.copy(), [], 1.0
    for _ in range(len(matrix)):
        row, column = np.unravel_index(np.argmax(np.abs(work)), work.shape)
        pivot = abs(work[row, column])
        if pivot == 0.0:
            return 0.0, columns
        columns.append(int(column))
        held = work[row] / work[row, column]
        work -= np.outer(work[:, column], held)
        work[row] = work[:, column] = 0.0
    return pivot, columns


@pytest.mark.parametrize("density", [0.15, 0.4, 1.0])
@pytest.mark.parametrize(("m", "n"), [(0, 3), (1, 1), (2, 5), (4, 4), (6, 9), (20, 27), (40, 40)])
def test_pivots_and_columns_are_those_of_a_dense_elimination(
    eliminate: Eliminate, m: int, n: int, density: float
) -> None:
    random = np.random.default_rng(1000 * m + n)
    matrix = random.standard_normal((m, n)) * (random.random((m, n)) < density)
    matrix[range(m), range(m)] = random.uniform(0.5, 1.0, m)
    expected, expected_columns = dense(matrix)
    smallest, columns = eliminate(matrix)
    assert smallest == pytest.approx(expected, rel=1e-9)
    assert columns == expected_columns


def test_the_dead_column_is_avoided_and_dependent_rows_are_seen(eliminate: Eliminate) -> None:
    smallest, columns = eliminate(np.array([[1e-9, 0.5, 0.0], [0.0, 0.0, 0.8]]))
    assert smallest == pytest.approx(0.5)
    assert sorted(columns) == [1, 2]
    assert eliminate(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]))[0] == 0.0
    assert eliminate(np.zeros((1, 2)))[0] == 0.0


def test_of_equal_pivots_the_first_is_taken(eliminate: Eliminate) -> None:
    assert eliminate(np.array([[0.0, 1.0, -1.0], [1.0, 1.0, 0.0]]))[1] == [1, 0]


def test_entries_that_cancel_fill_in_once(eliminate: Eliminate) -> None:
    """A difference of zero stays an entry of its row: what is added later must not be added twice."""
    matrix = np.array([[4.0, 2.0, 0.0, 1.0], [2.0, 1.0, 3.0, 0.0], [0.0, 1.0, 2.0, 2.0]])
    expected, columns = dense(matrix)
    assert eliminate(matrix) == (pytest.approx(expected, rel=1e-12), columns)
