"""The constraints and start conditions as numerical functions of the coordinates."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmugen.evaluation import Evaluation
from fmugen.expr.calculus import Tangent, postorder
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae

__all__ = ["Numbers", "Position", "Residuals", "least_norm", "without_value"]

Numbers = NDArray[np.float64]


def least_norm(matrix: Numbers, right: Numbers, rank: float) -> Numbers:
    """The smallest x of those with the least |matrix x - right|.

    By orthogonal factors with pivots, which take a third of the time of singular values. Pivots below the
    fraction ``rank`` of the largest count as zero.
    """
    if not matrix.size:
        return np.zeros(matrix.shape[1])
    from scipy.linalg import lstsq

    found: Numbers = lstsq(matrix, right, cond=rank, lapack_driver="gelsy", check_finite=False)[0]
    return found


@dataclass(frozen=True)
class Position:
    """Coordinates at which all loops are closed at a time."""

    q: Numbers
    time: float = 0.0


class Residuals:
    """Scalar expressions of the coordinates (or velocities) with their Jacobian.

    Parameters and start values have their defaults, inputs their start values. States and angles that count
    turns have those of the start.
    """

    def __init__(
        self,
        dae: Dae,
        expressions: Sequence[Expr],
        parameters: Sequence[float],
        *,
        by_velocity: bool = False,
        jacobian: Sequence[dict[int, Expr]] | None = None,
    ) -> None:
        self._columns = len(dae.coordinates)
        self._rows = len(expressions)
        variables = [c.velocity if by_velocity else c.position for c in dae.coordinates]
        entries = _jacobian_entries(expressions, variables) if jacobian is None else jacobian
        self._places = [(row, column) for row, found in enumerate(entries) for column in found]
        roots = [*expressions, *(entries[row][column] for row, column in self._places)]
        self._evaluate = Evaluation(dae, parameters).function(roots, dae.known_at_start)

    def __call__(self, q: Numbers, v: Numbers | None = None, time: float = 0.0) -> tuple[Numbers, Numbers]:
        """The values, and the matrix of their derivatives."""
        speeds = [0.0] * self._columns if v is None else v.tolist()
        values = self._evaluate(q.tolist(), speeds, time=time)
        matrix = np.zeros((self._rows, self._columns))
        for (row, column), value in zip(self._places, values[self._rows :], strict=True):
            matrix[row, column] = value
        return np.array(values[: self._rows]), matrix


def without_value(dae: Dae, parameters: Sequence[float]) -> str:
    """The prescribed motion that has no value at the start, as a sentence; empty if all have one."""
    at = Evaluation(dae, parameters)
    for row in dae.constraints:
        for part, what in ((row.phi, "value"), (row.nu, "rate"), (row.gamma, "acceleration")):
            try:
                found = at.function(_prescribed(part, at.given))(())
            except (ArithmeticError, ValueError):
                found = [float("nan")]
            if not np.isfinite(found).all():
                return f"in {row.origin}, the prescribed {what} is not a finite number at t = 0 s"
    return ""


def _prescribed(root: Expr, known: Collection[Expr]) -> list[Expr]:
    """The largest expressions below ``root`` that depend on time, inputs and parameters alone."""
    order = postorder((root,))
    found: set[Expr] = set()
    for node in order:
        if node in known or (node.args and found.issuperset(node.args)) or node.constant:
            found.add(node)
    inner = {arg for node in order if node in found for arg in node.args}
    return [node for node in order if node in found and node not in inner]


def _jacobian_entries(expressions: Sequence[Expr], variables: Sequence[Expr]) -> list[dict[int, Expr]]:
    entries: list[dict[int, Expr]] = [{} for _ in expressions]
    for column, variable in enumerate(variables):
        partial = Tangent(variable.dag, {variable: variable.dag.one})
        for row, expression in enumerate(expressions):
            derivative = partial(expression)
            if not derivative.is_zero:
                entries[row][column] = derivative
    return entries
