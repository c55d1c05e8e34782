"""A consistent start of a network: states that satisfy all laws, ties and fixed start values.

States that these leave open are as close as possible to the hints: guesses of the model, or values of an FMU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fmugen.errors import AssemblyError
from fmugen.verify.network.matrices import as_dense
from fmugen.verify.network.reduction import ReducedNetwork
from fmugen.verify.network.tableau import Point
from fmugen.verify.network.variables import Row
from fmugen.verify.rotations import Array

_ITERATIONS = 100
_CLOSED = 1e-12
#: Singular values below this fraction of the largest count as directions that nothing determines.
_RANK_TOLERANCE = 1e-10


@dataclass(frozen=True)
class StartValues:
    """Fixed values and hints of quantities, by name; ``steady`` asks for states at rest."""

    fixed: Mapping[str, float]
    hints: Mapping[str, float]
    steady: bool = False


def consistent_states(network: ReducedNetwork, point: Point, wanted: StartValues) -> Array:
    """The states of a start; the states of ``point`` are the first guess.

    Raises
    ------
    AssemblyError
        If the start values contradict each other or the laws.
    """
    tableau = network.tableau
    combinations = tableau.quantities
    unknown = [name for name in (*wanted.fixed, *wanted.hints) if name not in combinations]
    if unknown:
        raise AssemblyError(f"{unknown[0]} cannot have a start value: it is not a quantity of the network")
    direct = _direct(network, wanted)
    if direct is not None:
        return direct
    conditions = _Conditions(network, point, wanted)
    return conditions.solve()


def _direct(network: ReducedNetwork, wanted: StartValues) -> Array | None:
    """The states by their own start values, if no other condition concerns them."""
    tableau = network.tableau
    names = tableau.storage_names
    if network.constraints.shape[1] or tableau.states > len(names) or wanted.steady:
        return None
    if any(name not in names for name in wanted.fixed):
        return None
    return np.array([wanted.fixed.get(name, wanted.hints.get(name, 0.0)) for name in names])


class _Conditions:
    """The conditions of a start, as functions of states and unknowns."""

    def __init__(self, network: ReducedNetwork, point: Point, wanted: StartValues) -> None:
        self._network, self._point, self._wanted = network, point, wanted
        tableau = network.tableau
        self._states, self._size = tableau.states, tableau.size
        self._fixed = [(tableau.quantities[name], value) for name, value in wanted.fixed.items()]
        self._hints = [(tableau.quantities[name], value) for name, value in wanted.hints.items()]
        self._scale = np.concatenate((self._state_scale(), network.column_scale))

    def _state_scale(self) -> Array:
        """The scales of states: those of the unknowns that they are values of."""
        tableau = self._network.tableau
        scale = np.ones(self._states)
        for place, name in enumerate(tableau.storage_names):
            columns = list(tableau.quantities[name].w)
            if columns:
                scale[place] = max(self._network.column_scale[columns])
        return scale

    def _at(self, z: Array) -> tuple[Point, Array]:
        point = self._point
        return Point(point.time, z[: self._states], point.e, point.given), z[self._states :]

    def residual(self, z: Array) -> tuple[Array, Array]:
        """The violation of every condition and its derivative, in scaled unknowns."""
        point, w = self._at(z)
        network, tableau = self._network, self._network.tableau
        by_w, by_x = tableau.jacobians(point, w)
        row_scale = network.row_scale
        laws = row_scale * tableau.residual(point, w)
        rows = [row_scale[:, None] * np.hstack((as_dense(by_x), as_dense(by_w)))]
        values = [laws]
        tied, tie_rows = tableau.tie_residual(point)
        values.append(tied)
        rows.append(np.hstack((tie_rows, np.zeros((len(tied), self._size)))))
        values.append(self._errors(self._fixed, point, w))
        rows.append(self._gradients(self._fixed))
        if self._wanted.steady:
            values.append(w[tableau.rate_columns] / network.column_scale[tableau.rate_columns])
            selection = np.zeros((self._states, self._states + self._size))
            places = self._states + tableau.rate_columns
            selection[np.arange(self._states), places] = 1.0 / network.column_scale[tableau.rate_columns]
            rows.append(selection)
        return np.concatenate(values), np.vstack(rows) * self._scale

    def _errors(self, targets: list[tuple[Row, float]], point: Point, w: Array) -> Array:
        return np.array([row.value(w, point.x, point.e) - value for row, value in targets])

    def _gradients(self, targets: list[tuple[Row, float]]) -> Array:
        rows = np.zeros((len(targets), self._states + self._size))
        for number, (row, _) in enumerate(targets):
            for column, coefficient in row.x.items():
                rows[number, column] += coefficient
            for column, coefficient in row.w.items():
                rows[number, self._states + column] += coefficient
        return rows

    def solve(self) -> Array:
        """Gauss-Newton: steps of least norm onto the conditions, then along them towards the hints."""
        z = np.concatenate((self._point.x, np.zeros(self._size)))
        error = np.inf
        for _ in range(_ITERATIONS):
            values, rows = self.residual(z)
            error = float(np.max(np.abs(values), initial=0.0))
            left, singular, right = np.linalg.svd(rows)
            rank = int(np.count_nonzero(singular > _RANK_TOLERANCE * singular[0]))
            step = -right[:rank].T @ ((left[:, :rank].T @ values) / singular[:rank])
            step += self._towards_hints(z, step, right[rank:].T)
            z, before = z + self._damped(z, self._scale * step, values), z
            moved = float(np.max(np.abs(z - before) / self._scale, initial=0.0))
            if moved <= _CLOSED * max(1.0, float(np.max(np.abs(z / self._scale), initial=0.0))):
                break
        if error > 1e-8 * max(1.0, float(np.max(np.abs(z / self._scale), initial=0.0))):
            raise AssemblyError(
                "the network cannot start with its fixed values: they contradict each other or the laws "
                f"(off by {error:.3g})"
            )
        return z[: self._states]

    def _towards_hints(self, z: Array, step: Array, free: Array) -> Array:
        if not free.shape[1] or not self._hints:
            return np.zeros(len(step))
        rows = self._gradients(self._hints) * self._scale
        point, w = self._at(z)
        missing = -self._errors(self._hints, point, w) - rows @ step
        weights = 1.0 / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
        along = np.linalg.lstsq(weights[:, None] * (rows @ free), weights * missing, rcond=None)[0]
        result: Array = free @ along
        return result

    def _damped(self, z: Array, step: Array, values: Array) -> Array:
        """The step, shortened until the violation of nonlinear laws does not grow."""
        if self._network.tableau.affine:
            return step
        norm = float(np.linalg.norm(values))
        for halving in range(12):
            trial = step * 0.5**halving
            if np.linalg.norm(self.residual(z + trial)[0]) <= max(norm, 1e-9):
                return trial
        return trial
