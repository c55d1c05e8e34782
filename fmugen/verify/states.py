"""The start of states: those of the network, and those of force laws."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fmugen.errors import AssemblyError
from fmugen.verify.advance import State
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.network.drive import Drive
from fmugen.verify.network.follow import start_values
from fmugen.verify.network.start import StartValues
from fmugen.verify.rotations import Array

__all__ = ["started"]

_ITERATIONS = 50
#: Differences are taken over this part of the usual size of a state.
_DIFFERENCE = 1e-6
#: Rates that remain, relative to those that a change by one usual size causes.
_AT_REST = 1e-9


def started(
    mechanism: Mechanism,
    state: State,
    time: float,
    inputs: Mapping[str, float],
    hints: Mapping[str, float],
) -> State:
    """A start of the mechanism with a consistent start of all states.

    ``hints`` are values of quantities where the model has no start value.

    Raises
    ------
    AssemblyError
        If the network has no consistent start, or no steady values of the states of force laws are found.
    """
    own = mechanism.forces.states
    of_network = np.zeros(0)
    if mechanism.drive is not None:
        of_network = _of_network(mechanism, mechanism.drive, state, time, inputs, hints)
    if not own:
        return state._replace(states=of_network)
    wanted = start_values(mechanism.model, mechanism.layout.parameters, hints)
    given = {**wanted.hints, **wanted.fixed}
    values = np.array([given.get(each.name, each.start) for each in own])
    found = state._replace(states=np.concatenate((of_network, values)))
    if not wanted.steady:
        return found
    free = [number for number, each in enumerate(own) if each.name not in wanted.fixed]
    return _Rest(mechanism, found, time, inputs, free).solve()


def _of_network(
    mechanism: Mechanism,
    drive: Drive,
    state: State,
    time: float,
    inputs: Mapping[str, float],
    hints: Mapping[str, float],
) -> Array:
    own = drive.system.tableau.quantities
    known = {name: value for name, value in hints.items() if name in own}
    wanted = start_values(mechanism.model, mechanism.layout.parameters, known)
    fixed = {name: value for name, value in wanted.fixed.items() if name in own}
    guesses = {name: value for name, value in wanted.hints.items() if name in own}
    posture = mechanism.chart.posture(state.coordinates)
    point = drive.at(time, posture, state.velocities, inputs, np.zeros(mechanism.states.of_network))
    return drive.system.start(point, StartValues(fixed, guesses, wanted.steady))


class _Rest:
    """States of force laws whose rates vanish, by Newton's method with derivatives by differences."""

    def __init__(
        self,
        mechanism: Mechanism,
        state: State,
        time: float,
        inputs: Mapping[str, float],
        free: list[int],
    ) -> None:
        self._mechanism, self._state, self._time, self._inputs = mechanism, state, time, inputs
        self._names = [mechanism.forces.states[number].name for number in free]
        self._columns = mechanism.states.of_network + np.array(free, dtype=np.intp)
        self._scale = mechanism.states.scale[self._columns]

    def _rates(self, states: Array) -> Array:
        state = self._state._replace(states=states)
        return state.instant(self._mechanism, self._time, self._inputs).state_rates[self._columns]

    def _jacobian(self, states: Array) -> Array:
        """The derivatives of the rates by the states, per usual size of a state."""
        columns = []
        for column, scale in zip(self._columns, self._scale, strict=True):
            step = np.zeros(len(states))
            step[column] = _DIFFERENCE * scale
            columns.append((self._rates(states + step) - self._rates(states - step)) / (2.0 * _DIFFERENCE))
        return np.array(columns).reshape(len(columns), -1).T

    def solve(self) -> State:
        states = self._state.states
        missed = self._rates(states)
        slope = 0.0
        for _ in range(_ITERATIONS):
            jacobian = self._jacobian(states)
            slope = float(np.max(np.abs(jacobian), initial=0.0))
            trial = states.copy()
            trial[self._columns] -= self._scale * np.linalg.lstsq(jacobian, missed, rcond=None)[0]
            left = self._rates(trial)
            if not np.linalg.norm(left) < np.linalg.norm(missed):
                break
            states, missed = trial, left
        if np.max(np.abs(missed), initial=0.0) > _AT_REST * slope:
            worst = self._names[int(np.argmax(np.abs(missed)))]
            raise AssemblyError(
                f"{self._mechanism.model.name} cannot start at rest: no steady value of {worst} is found; "
                "give it a fixed start value"
            )
        return self._state._replace(states=states)
