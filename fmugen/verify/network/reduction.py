"""A tableau as an ordinary differential equation: x' = f(t, x).

Where storages are tied to each other or to sources (loops of capacitors, cutsets of inductors, rigidly
coupled inertias), the tableau does not determine all rates: combinations N^T r = 0 of its equations contain
no unknowns but only states, and are constraints. Their rates

    N^T (r_x x' + r_t) = 0

take the place of as many equations. N is found by numbers, from a singular value decomposition of r_w.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lu_factor, lu_solve, qr, svd
from scipy.sparse import csc_array, csr_array, diags_array, vstack
from scipy.sparse.linalg import SuperLU, splu

from fmugen.errors import VerificationError
from fmugen.verify.network.tableau import Point, Tableau
from fmugen.verify.rotations import Array

#: Singular values of the equilibrated tableau below this count as zero.
_RANK_TOLERANCE = 1e-11
#: Tableaus up to this size are searched for constraints by dense algebra.
_DENSE = 1500
_ITERATIONS = 60
_HALVINGS = 30
_CONVERGED = 1e-13


class Solved(NamedTuple):
    """The unknowns at a point, and the rates of the states."""

    w: Array
    rates: Array


class ReducedNetwork:
    """A network whose unknowns follow from its states."""

    def __init__(self, tableau: Tableau, point: Point) -> None:
        self.tableau = tableau
        self._affine = tableau.affine
        matrix, _ = tableau.jacobians(point, _generic(tableau.size, 1))
        self.row_scale, self.column_scale = _equilibrium(matrix)
        self.constraints = self._find_constraints(point)
        self._kept = np.setdiff1d(np.arange(tableau.size), self._replaceable())
        self._factors: _Factors | None = None
        self._last = np.zeros(tableau.size)

    def _find_constraints(self, point: Point) -> Array:
        """Combinations of equations that contain no unknowns, a column each."""
        matrix, _ = self.tableau.jacobians(point, _generic(self.tableau.size, 1))
        scaled = self._scaled(matrix)
        if self.tableau.size > _DENSE:
            return np.empty((self.tableau.size, 0))
        left, singular, _ = svd(scaled.toarray(), lapack_driver="gesdd")
        empty = left[:, singular <= _RANK_TOLERANCE * singular[0]]
        empty[np.abs(empty) < 1e-10] = 0.0
        other, _ = self.tableau.jacobians(point, _generic(self.tableau.size, 2))
        if empty.size and np.max(np.abs(self._scaled(other).T @ empty)) > 1e-8:
            raise VerificationError("the reference cannot follow storages that a nonlinear law ties together")
        return self.row_scale[:, None] * empty

    def _replaceable(self) -> Array:
        """Equations that the rates of the constraints can take the place of."""
        count = self.constraints.shape[1]
        if not count:
            return np.empty(0, dtype=int)
        _, _, order = qr((self.constraints / self.row_scale[:, None]).T, pivoting=True, mode="economic")
        return np.asarray(order[:count])

    def _scaled(self, matrix: csr_array) -> csr_array:
        return csr_array(diags_array(self.row_scale) @ matrix @ diags_array(self.column_scale))

    # --- unknowns ---------------------------------------------------------------------------------------

    def solve(self, point: Point, e_rate: Array) -> Solved:
        """The unknowns at a point, flange motions having the given rate.

        Raises
        ------
        VerificationError
            If the network has no or no unique solution there.
        """
        w = self._last
        residual = self._residual(point, w, e_rate)
        norm = float(np.linalg.norm(residual))
        for _ in range(_ITERATIONS):
            step = self._factorized(point, w).solve(-residual) * self.column_scale
            size = float(np.max(np.abs(step / self.column_scale), initial=0.0))
            reach = float(np.max(np.abs(w / self.column_scale), initial=1.0))
            for halving in range(_HALVINGS):
                trial = w + step * 0.5**halving
                residual = self._residual(point, trial, e_rate)
                trial_norm = float(np.linalg.norm(residual))
                if trial_norm <= norm or size <= _CONVERGED * reach or self._affine:
                    break
            w, norm = trial, trial_norm
            if self._affine or size <= _CONVERGED * reach:
                break
        else:
            raise VerificationError(f"t = {point.time:g} s: the network's laws have no solution nearby")
        if not np.all(np.isfinite(w)):
            raise VerificationError(f"t = {point.time:g} s: the network has no finite solution")
        self._last = w
        return Solved(w, w[self.tableau.rate_columns])

    def _residual(self, point: Point, w: Array, e_rate: Array) -> Array:
        """The scaled residual of the reduced system."""
        plain = self.tableau.residual(point, w)
        kept = (self.row_scale * plain)[self._kept]
        if not self.constraints.shape[1]:
            return kept
        _, by_x = self.tableau.jacobians(point, w)
        pace = by_x @ w[self.tableau.rate_columns] + self.tableau.explicit_rate(point, w, e_rate)
        return np.concatenate((kept, self.constraints.T @ pace))

    def _factorized(self, point: Point, w: Array) -> _Factors:
        if self._affine and self._factors is not None:
            return self._factors
        by_w, by_x = self.tableau.jacobians(point, w)
        matrix = self._scaled(by_w)[self._kept]
        if self.constraints.shape[1]:
            rates = csr_array((self.constraints.T @ by_x)) @ self._selection()
            matrix = vstack([matrix, csr_array(rates @ diags_array(self.column_scale))])
        self._factors = _Factors(csc_array(matrix))
        return self._factors

    def _selection(self) -> csr_array:
        """S of x' = S w."""
        count = self.tableau.states
        ones = np.ones(count)
        places = (np.arange(count), self.tableau.rate_columns)
        return csr_array((ones, places), shape=(count, self.tableau.size))

    def state_jacobian(self, point: Point, w: Array) -> Array:
        """The derivative of the rates of the states by the states, the laws being affine near the point."""
        _, by_x = self.tableau.jacobians(point, w)
        kept = (diags_array(self.row_scale) @ by_x)[self._kept].toarray()
        zeros = np.zeros((self.constraints.shape[1], self.tableau.states))
        change = -self._factorized(point, w).solve(np.vstack((kept, zeros)))
        result: Array = (self.column_scale[:, None] * change)[self.tableau.rate_columns]
        return result

    def unknown_rates(self, point: Point, solved: Solved, e_rate: Array) -> Array:
        """The rates of the unknowns that the tableau determines, such as accelerations."""
        by_w, by_x = self.tableau.jacobians(point, solved.w)
        pace = by_x @ solved.rates + self.tableau.explicit_rate(point, solved.w, e_rate)
        scaled = self._scaled(by_w).toarray()
        found = np.linalg.lstsq(scaled, -self.row_scale * pace, rcond=_RANK_TOLERANCE)[0]
        result: Array = self.column_scale * found
        return result


class _Factors:
    """A factorized square matrix, dense if it is small."""

    def __init__(self, matrix: csc_array) -> None:
        self._sparse: SuperLU | None = None
        if matrix.shape[0] <= 200:
            dense = matrix.toarray()
            self._dense = lu_factor(dense, check_finite=False)
            pivots = np.abs(np.diagonal(self._dense[0]))
            if pivots.size and not np.min(pivots) > 1e-14 * np.max(pivots):
                raise VerificationError(_SINGULAR)
        else:
            try:
                self._sparse = splu(matrix)
            except RuntimeError as error:
                raise VerificationError(_SINGULAR) from error

    def solve(self, right: Array) -> Array:
        result = lu_solve(self._dense, right) if self._sparse is None else self._sparse.solve(right)
        return np.asarray(result, dtype=np.float64)


_SINGULAR = (
    "the network has no unique solution: look for a loop of voltage (or pressure, or motion) sources alone, "
    "a node that only current (or flow, or force) sources touch, or a part that is not tied to the ground"
)


def _generic(size: int, seed: int) -> Array:
    return 1e-2 * np.random.default_rng(seed).standard_normal(size)


def _equilibrium(matrix: csr_array) -> tuple[Array, Array]:
    """Scales of rows and columns that bring the largest entry of each near one."""
    absolute = csr_array(abs(matrix))
    rows, columns = np.ones(matrix.shape[0]), np.ones(matrix.shape[1])
    for _ in range(20):
        current = diags_array(rows) @ absolute @ diags_array(columns)
        high_rows = np.asarray(current.max(axis=1).todense()).ravel()
        high_columns = np.asarray(current.max(axis=0).todense()).ravel()
        rows /= np.sqrt(np.where(high_rows > 0.0, high_rows, 1.0))
        columns /= np.sqrt(np.where(high_columns > 0.0, high_columns, 1.0))
    return rows, columns
