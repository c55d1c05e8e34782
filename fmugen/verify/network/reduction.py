"""A tableau as an ordinary differential equation: x' = f(t, x).

If storages are coupled to each other or to sources (loops of capacitors, cutsets of inductors, rigidly
coupled inertias), the tableau does not determine all rates. Combinations N^T r = 0 of its equations then
contain states but no unknowns: they are constraints. Their rates

    N^T (r_x x' + r_t) = 0

replace as many equations. N comes from a singular value decomposition of r_w.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, svd

from fmugen.errors import UnsolvableError, VerificationError
from fmugen.verify.deadline import check_time
from fmugen.verify.network.matrices import Factors, Matrix, as_dense, equilibrium, scaled, stacked
from fmugen.verify.network.tableau import Point, Tableau
from fmugen.verify.rotations import Array

#: Singular values of the equilibrated tableau below this count as zero.
_RANK_TOLERANCE = 1e-11
#: Larger tableaus are not searched for constraints.
_SEARCHED = 1500
_ITERATIONS = 60
_HALVINGS = 30
#: Relative steps that end an iteration, and relative steps that may be rounding errors.
_CONVERGED, _ROUNDING = 1e-12, 1e-7


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
        self.row_scale, self.column_scale = equilibrium(matrix)
        self.constraints = self._find_constraints(point)
        self._kept = np.setdiff1d(np.arange(tableau.size), self._replaceable())
        self._factors: Factors | None = None
        self._last = np.zeros(tableau.size)

    def _find_constraints(self, point: Point) -> Array:
        """Combinations of equations that contain no unknowns, a column each."""
        matrix, _ = self.tableau.jacobians(point, _generic(self.tableau.size, 1))
        if self.tableau.size > _SEARCHED:
            return np.empty((self.tableau.size, 0))
        left, singular, _ = svd(as_dense(self._scaled(matrix)), lapack_driver="gesdd")
        empty = left[:, singular <= _RANK_TOLERANCE * singular[0]]
        empty[np.abs(empty) < 1e-10] = 0.0
        other, _ = self.tableau.jacobians(point, _generic(self.tableau.size, 2))
        if empty.size and np.max(np.abs(self._scaled(other).T @ empty)) > 1e-8:
            raise VerificationError(
                "the reference cannot solve a network whose storages are coupled by a nonlinear law"
            )
        combinations: Array = self.row_scale[:, None] * empty
        return combinations

    def _replaceable(self) -> Array:
        """Equations that the rates of the constraints can replace."""
        count = self.constraints.shape[1]
        if not count:
            return np.empty(0, dtype=int)
        _, _, order = qr((self.constraints / self.row_scale[:, None]).T, pivoting=True, mode="economic")
        return np.asarray(order[:count])

    def _scaled(self, matrix: Matrix) -> Matrix:
        return scaled(self.row_scale, matrix, self.column_scale)

    # --- unknowns ---------------------------------------------------------------------------------------

    def solve(self, point: Point, e_rate: Array) -> Solved:
        """The unknowns at a point, for given rates of flange motions.

        Raises
        ------
        VerificationError
            If the network has no or no unique solution there.
        """
        check_time()
        w = self._last
        residual = self._residual(point, w, e_rate)
        if self._affine:
            factors = self._factorized(point, w)
            w = w + factors.correct(-residual) * self.column_scale
            # A second correction removes the rounding errors of the inverse.
            w = w + factors.correct(-self._residual(point, w, e_rate)) * self.column_scale
            return self._accepted(point, w)
        for iteration in range(_ITERATIONS):
            try:
                step = self._factorized(point, w).solve(-residual) * self.column_scale
            except VerificationError as error:
                if iteration == 0:
                    raise
                # The residual has a minimum that is not zero.
                raise UnsolvableError(
                    f"t = {point.time:g} s: the network's laws have no solution nearby"
                ) from error
            size = float(np.max(np.abs(step / self.column_scale), initial=0.0))
            near = size / max(1.0, float(np.max(np.abs(w / self.column_scale), initial=0.0)))
            if near <= _CONVERGED:
                w = w + step
                break
            better = self._shortened(point, w, step, residual, e_rate)
            if better is None:
                if near > _ROUNDING:
                    raise UnsolvableError(f"t = {point.time:g} s: the network's laws have no solution nearby")
                break
            w, residual = better
        else:
            raise UnsolvableError(f"t = {point.time:g} s: Newton's method does not converge on the network")
        return self._accepted(point, w)

    def _accepted(self, point: Point, w: Array) -> Solved:
        if not np.all(np.isfinite(w)):
            raise UnsolvableError(f"t = {point.time:g} s: the network has no finite solution")
        self._last = w
        return Solved(w, w[self.tableau.rate_columns])

    def _shortened(
        self, point: Point, w: Array, step: Array, residual: Array, e_rate: Array
    ) -> tuple[Array, Array] | None:
        """The unknowns after a step, shortened until the residual falls, and the residual."""
        norm = np.linalg.norm(residual)
        for halving in range(_HALVINGS):
            trial = w + step * 0.5**halving
            found = self._residual(point, trial, e_rate)
            if np.linalg.norm(found) < norm:
                return trial, found
        return None

    def _residual(self, point: Point, w: Array, e_rate: Array) -> Array:
        """The scaled residual of the reduced system."""
        plain = self.tableau.residual(point, w)
        kept = (self.row_scale * plain)[self._kept]
        if not self.constraints.shape[1]:
            return kept
        _, by_x = self.tableau.jacobians(point, w)
        pace = by_x @ w[self.tableau.rate_columns] + self.tableau.explicit_rate(point, w, e_rate)
        return np.concatenate((kept, self.constraints.T @ pace))

    def _factorized(self, point: Point, w: Array) -> Factors:
        if self._affine and self._factors is not None:
            return self._factors
        by_w, by_x = self.tableau.jacobians(point, w)
        matrix = self._scaled(by_w)[self._kept]
        if self.constraints.shape[1]:
            paces = np.zeros((self.constraints.shape[1], self.tableau.size))
            paces[:, self.tableau.rate_columns] = self.constraints.T @ by_x
            matrix = stacked(matrix, paces * self.column_scale)
        self._factors = Factors(matrix)
        return self._factors

    def state_jacobian(self, point: Point, w: Array) -> Array:
        """The derivative of the rates of the states by the states, with the laws linearized at the point."""
        _, by_x = self.tableau.jacobians(point, w)
        kept = (self.row_scale[:, None] * as_dense(by_x))[self._kept]
        zeros = np.zeros((self.constraints.shape[1], self.tableau.states))
        change = -self._factorized(point, w).solve(np.vstack((kept, zeros)))
        result: Array = (self.column_scale[:, None] * change)[self.tableau.rate_columns]
        return result

    def unknown_rates(self, point: Point, solved: Solved, e_rate: Array) -> Array:
        """The rates of the unknowns that the tableau determines, such as accelerations."""
        by_w, by_x = self.tableau.jacobians(point, solved.w)
        pace = by_x @ solved.rates + self.tableau.explicit_rate(point, solved.w, e_rate)
        found = np.linalg.lstsq(as_dense(self._scaled(by_w)), -self.row_scale * pace, rcond=_RANK_TOLERANCE)[
            0
        ]
        result: Array = self.column_scale * found
        return result


def _generic(size: int, seed: int) -> Array:
    return 1e-2 * np.random.default_rng(seed).standard_normal(size)
