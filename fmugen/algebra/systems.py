"""Small systems of linear equations written out on the expression DAG, with guards on their pivots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fmugen.expr.dag import Expr
from fmugen.ir.program import Guard

__all__ = ["Matrix", "System", "solve_symmetric", "written_out"]

#: Up to this size Cramer's rule takes fewer operations than a factorization, and one division.
_LARGEST_BY_CRAMER = 3
#: A pivot below this part of the largest one met so far is nearly singular; below the second, a review of
#: the independent coordinates is due.
_NEARLY_SINGULAR = 1e-3
_EASE = 0.3

Matrix = list[list[Expr]]


class System(Protocol):
    """A matrix that any number of systems is solved with."""

    @property
    def guards(self) -> tuple[Guard, ...]: ...

    def solve(self, sides: Sequence[Expr]) -> list[Expr]: ...

    def solve_transposed(self, sides: Sequence[Expr]) -> list[Expr]: ...


def written_out(matrix: Matrix) -> System:
    """``matrix`` ready to be solved with: by determinants if it is small, else by factors."""
    return _Cramer(matrix) if len(matrix) <= _LARGEST_BY_CRAMER else _Factors(matrix)


class _Cramer:
    """Cramer's rule; one division, shared by all right-hand sides."""

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._determinant = _determinant(matrix)
        self._inverse = 1 / self._determinant

    @property
    def guards(self) -> tuple[Guard, ...]:
        return _guards(self._determinant, _EASE)

    def solve(self, sides: Sequence[Expr]) -> list[Expr]:
        return self._solution(self._matrix, sides)

    def solve_transposed(self, sides: Sequence[Expr]) -> list[Expr]:
        return self._solution([list(column) for column in zip(*self._matrix, strict=True)], sides)

    def _solution(self, m: Matrix, sides: Sequence[Expr]) -> list[Expr]:
        inverse = self._inverse
        if len(m) == 1:
            return [sides[0] * inverse]
        if len(m) == 2:
            first = m[1][1] * sides[0] - m[0][1] * sides[1]
            second = m[0][0] * sides[1] - m[1][0] * sides[0]
            return [first * inverse, second * inverse]
        dag = sides[0].dag
        return [dag.add(_cofactor(m, i, j) * sides[i] for i in range(3)) * inverse for j in range(3)]


class _Factors:
    """LU: ones on the diagonal of L; of the pivots the inverses are kept."""

    def __init__(self, matrix: Matrix) -> None:
        self._size = len(matrix)
        self._dag = matrix[0][0].dag
        self._lower: Matrix = [[] for _ in matrix]
        self._upper = [list(row) for row in matrix]
        self._inverses: list[Expr] = []
        for k in range(self._size):
            self._inverses.append(1 / self._upper[k][k])
            for i in range(k + 1, self._size):
                factor = self._upper[i][k] * self._inverses[k]
                self._lower[i].append(factor)
                for j in range(k + 1, self._size):
                    self._upper[i][j] = self._upper[i][j] - factor * self._upper[k][j]

    @property
    def guards(self) -> tuple[Guard, ...]:
        """Whether small pivots need a review: others may compensate for them, so the determinant decides."""
        pivots = [self._upper[k][k] for k in range(self._size)]
        each = (guard for pivot in pivots for guard in _guards(pivot))
        return (*each, *_guards(self._dag.mul(pivots), _EASE))

    def solve(self, sides: Sequence[Expr]) -> list[Expr]:
        found = list(sides)
        for i in range(self._size):
            found[i] = self._dag.add([found[i], *(-self._lower[i][k] * found[k] for k in range(i))])
        for i in reversed(range(self._size)):
            later = (-self._upper[i][k] * found[k] for k in range(i + 1, self._size))
            found[i] = self._dag.add([found[i], *later]) * self._inverses[i]
        return found

    def solve_transposed(self, sides: Sequence[Expr]) -> list[Expr]:
        found = list(sides)
        for i in range(self._size):
            earlier = (-self._upper[k][i] * found[k] for k in range(i))
            found[i] = self._dag.add([found[i], *earlier]) * self._inverses[i]
        for i in reversed(range(self._size)):
            later = (-self._lower[k][i] * found[k] for k in range(i + 1, self._size))
            found[i] = self._dag.add([found[i], *later])
        return found


def _guards(pivot: Expr, ease: float = 0.0) -> tuple[Guard, ...]:
    """What is asked of a pivot: one of parameters alone is as large as it ever was, if it is not zero."""
    if pivot.is_number:
        return ()
    size = pivot.dag.call("abs", pivot)
    return (Guard(size) if pivot.constant else Guard(size, _NEARLY_SINGULAR, ease),)


def _determinant(m: Matrix) -> Expr:
    if len(m) == 1:
        return m[0][0]
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    dag = m[0][0].dag
    return dag.add(m[0][j] * _cofactor(m, 0, j) for j in range(3))


def _cofactor(m: Matrix, row: int, column: int) -> Expr:
    a, b = (i for i in range(3) if i != row)
    c, d = (j for j in range(3) if j != column)
    minor = m[a][c] * m[b][d] - m[a][d] * m[b][c]
    return minor if (row + column) % 2 == 0 else -minor


def solve_symmetric(lower: Matrix, sides: Sequence[Expr]) -> tuple[list[Expr], Matrix, list[Expr]]:
    """LDL^T without pivoting, which a positive definite matrix does not need: D, L and the solution."""
    size = len(sides)
    if size == 0:
        return [], [], []
    dag = sides[0].dag
    pivots: list[Expr] = []
    factors: Matrix = []
    for i in range(size):
        row: list[Expr] = []
        scaled: list[Expr] = []  # L_ij d_j
        for j in range(i):
            value = dag.add([lower[i][j], *(-scaled[k] * factors[j][k] for k in range(j))])
            scaled.append(value)
            row.append(value / pivots[j])
        pivots.append(dag.add([lower[i][i], *(-scaled[k] * row[k] for k in range(i))]))
        factors.append(row)
    forward: list[Expr] = []
    for i in range(size):
        forward.append(dag.add([sides[i], *(-factors[i][k] * forward[k] for k in range(i))]))
    solution = [value / pivot for value, pivot in zip(forward, pivots, strict=True)]
    for i in reversed(range(size)):
        later = (-factors[k][i] * solution[k] for k in range(i + 1, size))
        solution[i] = dag.add([solution[i], *later])
    return pivots, factors, solution
