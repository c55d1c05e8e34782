"""The small dense linear algebra of the runtime against numpy."""

from __future__ import annotations

import subprocess
from ctypes import CDLL, POINTER, c_double, c_int
from typing import Any

import numpy as np
import pytest

from .conftest import RUNTIME, STRICT, compiler

SIZES = (0, 1, 2, 3, 5, 8, 13)
Array = np.ndarray


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> Any:
    target = tmp_path_factory.mktemp("linear") / "linear.so"
    command = [compiler(), *STRICT, "-fPIC", "-shared", str(RUNTIME / "linear.c"), "-lm", "-o", str(target)]
    subprocess.run(command, check=True, timeout=60)
    library = CDLL(str(target))
    library.max_magnitude.restype = c_double
    return library


def _reals(values: Array) -> Any:
    return values.ctypes.data_as(POINTER(c_double))


def _integers(values: Array) -> Any:
    return values.ctypes.data_as(POINTER(c_int))


def _random(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def _lu(linear: Any, matrix: Array) -> tuple[int, Array, Array]:
    n = len(matrix)
    factors, pivots, scale = matrix.copy(), np.zeros(n, dtype=np.intc), np.zeros(n)
    failed = linear.lu_factor(n, _reals(factors), _integers(pivots), _reals(scale))
    return failed, factors, pivots


@pytest.mark.parametrize("n", SIZES)
def test_lu_solves_the_matrix_and_its_transpose(linear: Any, n: int) -> None:
    matrix, right = _random(n, n, n), _random(n + 100, n)
    failed, factors, pivots = _lu(linear, matrix)
    assert failed == -1
    for solve, system in ((linear.lu_solve, matrix), (linear.lu_solve_transposed, matrix.T)):
        solution = right.copy()
        solve(n, _reals(factors), _integers(pivots), _reals(solution))
        np.testing.assert_allclose(solution, np.linalg.solve(system, right), rtol=1e-10, atol=1e-12)


def test_lu_is_not_misled_by_the_scale_of_a_row(linear: Any) -> None:
    matrix = np.array([[1.0, 1e17], [1.0, 1.0]])
    failed, factors, pivots = _lu(linear, matrix)
    solution = np.array([1e17, 2.0])
    linear.lu_solve(2, _reals(factors), _integers(pivots), _reals(solution))
    assert failed == -1
    np.testing.assert_allclose(solution, [1.0, 1.0])


def test_lu_names_the_column_without_a_pivot(linear: Any) -> None:
    matrix = _random(1, 4, 4)
    matrix[:, 2] = 2.0 * matrix[:, 0] - matrix[:, 1]
    assert _lu(linear, matrix)[0] == 2
    assert _lu(linear, np.zeros((3, 3)))[0] == 0


@pytest.mark.parametrize("n", SIZES)
def test_cholesky_solves_a_positive_definite_matrix(linear: Any, n: int) -> None:
    root, right = _random(n, n, n), _random(n + 50, n)
    matrix = root @ root.T + 0.1 * np.eye(n)
    factor, solution = matrix.copy(), right.copy()
    assert linear.cholesky_factor(n, _reals(factor)) == -1
    linear.cholesky_solve(n, _reals(factor), _reals(solution))
    np.testing.assert_allclose(solution, np.linalg.solve(matrix, right), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    ("matrix", "row"),
    [([[1.0, 1.0], [1.0, 1.0]], 1), ([[0.0, 0.0], [0.0, 1.0]], 0), ([[np.nan, 0.0], [0.0, 1.0]], 0)],
)
def test_cholesky_names_the_row_that_is_not_positive(
    linear: Any, matrix: list[list[float]], row: int
) -> None:
    assert linear.cholesky_factor(2, _reals(np.array(matrix))) == row


def _minimal_norm(linear: Any, matrix: Array, right: Array) -> tuple[int, Array]:
    m, n = matrix.shape
    work, b, x, diagonal = matrix.copy(), right.copy(), np.zeros(n), np.zeros(max(1, min(m, n)))
    linear.minimal_norm.argtypes = [
        c_int,
        c_int,
        *[POINTER(c_double)] * 2,
        c_double,
        *[POINTER(c_double)] * 2,
    ]
    rank = linear.minimal_norm(m, n, _reals(work), _reals(b), 1e-10, _reals(x), _reals(diagonal))
    return rank, x


@pytest.mark.parametrize(("m", "n"), [(0, 2), (1, 1), (1, 4), (3, 5), (4, 4), (7, 12)])
def test_minimal_norm_is_the_pseudo_inverse(linear: Any, m: int, n: int) -> None:
    matrix, right = _random(m * n, m, n), _random(m + n, m)
    rank, x = _minimal_norm(linear, matrix, right)
    assert rank == m
    np.testing.assert_allclose(x, np.linalg.pinv(matrix) @ right, rtol=1e-9, atol=1e-11)


def test_minimal_norm_leaves_out_rows_that_follow_from_others(linear: Any) -> None:
    matrix = _random(3, 3, 4)
    redundant = np.vstack([matrix, matrix[0] + matrix[1], 2.0 * matrix[2]])
    right = redundant @ _random(4, 4)
    rank, x = _minimal_norm(linear, redundant, right)
    assert rank == 3
    np.testing.assert_allclose(x, np.linalg.pinv(matrix) @ right[:3], rtol=1e-9, atol=1e-11)


def test_the_largest_magnitude_of_a_nan_is_nan(linear: Any) -> None:
    assert linear.max_magnitude(3, _reals(np.array([1.0, -4.0, 2.0]))) == 4.0
    assert np.isnan(linear.max_magnitude(3, _reals(np.array([1.0, np.nan, 2.0]))))
    assert linear.max_magnitude(0, _reals(np.zeros(1))) == 0.0
