"""A steady start: a posture in which nothing accelerates.

Newton's method with derivatives by differences moves along the directions that constraints and fixed start
values leave free. In every posture that it tries, states are at their steady values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fmugen.errors import AssemblyError
from fmugen.verify.assembly import Target, closed, free_directions, start_targets
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.rotations import Array

__all__ = ["equilibrium"]

_ITERATIONS = 60
_HALVINGS = 12
#: Differences are taken over this part of a length or a radian.
_DIFFERENCE = 1e-5
_LARGEST_STEP = 0.25
_SMALLEST_STEP = 1e-13
#: Accelerations that remain, relative to those that a displacement by one unit causes.
_AT_REST = 1e-8


def equilibrium(
    mechanism: Mechanism,
    time: float,
    coordinates: Array,
    inputs: Mapping[str, float],
    states_at: Callable[[Array], Array],
) -> Array:
    """Coordinates of the equilibrium near the given ones.

    Parameters
    ----------
    mechanism, time, inputs
        The mechanism, and the time and inputs at which it is at rest.
    coordinates
        The first guess, with all loops closed.
    states_at
        The steady states in a posture.

    Raises
    ------
    AssemblyError
        If a prescribed motion has a velocity, or no equilibrium is found.
    """
    _, rates, _ = mechanism.constraints.targets(time)
    if np.max(np.abs(rates), initial=0.0) > 0.0:
        worst = mechanism.constraints.rows[int(np.argmax(np.abs(rates)))].name
        raise AssemblyError(
            f"{mechanism.model.name} cannot start at rest: the prescribed motion of {worst} has a velocity"
        )
    search = _Search(mechanism, time, inputs, states_at)
    return search.solve(coordinates)


class _Search:
    def __init__(
        self,
        mechanism: Mechanism,
        time: float,
        inputs: Mapping[str, float],
        states_at: Callable[[Array], Array],
    ) -> None:
        self._mechanism, self._time, self._inputs, self._states_at = mechanism, time, inputs, states_at
        targets = start_targets(mechanism).positions
        self._fixed: tuple[Target, ...] = tuple(target for target in targets if target.fixed)
        self._rest = np.zeros(mechanism.size)

    def _accelerations(self, coordinates: Array) -> Array:
        states = self._states_at(coordinates)
        instant = self._mechanism.motion(self._time, coordinates, self._rest, self._inputs, states)
        result: Array = instant.accelerations / self._mechanism.scale
        return result

    def _moved(self, coordinates: Array, step: Array) -> Array:
        moved = self._mechanism.chart.move(coordinates, self._mechanism.scale * step)
        return closed(self._mechanism, self._time, moved, self._fixed)

    def _free(self, coordinates: Array) -> Array:
        """An orthonormal basis of the feasible scaled steps."""
        free = free_directions(self._mechanism, self._time, coordinates, self._fixed)
        basis: Array = np.linalg.qr(free / self._mechanism.scale[:, None])[0]
        return basis

    def solve(self, coordinates: Array) -> Array:
        missed = self._accelerations(coordinates)
        stiffness = 0.0
        for _ in range(_ITERATIONS):
            free = self._free(coordinates)
            columns = [self._slope(coordinates, direction) for direction in free.T]
            jacobian = np.array(columns).reshape(-1, self._mechanism.size).T
            stiffness = float(np.max(np.abs(jacobian), initial=0.0))
            step = free @ np.linalg.lstsq(jacobian, -missed, rcond=1e-10)[0]
            step *= min(1.0, _LARGEST_STEP / max(float(np.max(np.abs(step), initial=0.0)), 1e-300))
            found = self._downhill(coordinates, step, missed)
            if found is None:
                break
            coordinates, missed = found
            if np.max(np.abs(step), initial=0.0) <= _SMALLEST_STEP:
                break
        worst = float(np.max(np.abs(missed), initial=0.0))
        if worst > _AT_REST * (1.0 + stiffness):
            raise AssemblyError(
                f"{self._mechanism.model.name} cannot start at rest: no equilibrium is found near its start "
                f"values; an acceleration of {worst:.3g} remains (relative to the size of the mechanism). "
                "Give better guesses."
            )
        return coordinates

    def _slope(self, coordinates: Array, direction: Array) -> Array:
        ahead = self._accelerations(self._moved(coordinates, _DIFFERENCE * direction))
        behind = self._accelerations(self._moved(coordinates, -_DIFFERENCE * direction))
        slope: Array = (ahead - behind) / (2 * _DIFFERENCE)
        return slope

    def _downhill(self, coordinates: Array, step: Array, missed: Array) -> tuple[Array, Array] | None:
        """The result of the step, halved until accelerations fall; ``None`` if they do not."""
        for halving in range(_HALVINGS):
            trial = self._moved(coordinates, step * 0.5**halving)
            left = self._accelerations(trial)
            if np.linalg.norm(left) < np.linalg.norm(missed):
                return trial, left
        return None
