"""The reference motion of a network without a mechanism.

States are integrated from one output time to the next with DOP853. If that takes too many steps, Radau's
method replaces it. At every output time the states are projected onto their constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.integrate import OdeSolver, Radau

from fmugen.errors import VerificationError
from fmugen.ir.formula import TIME
from fmugen.ir.model import SystemModel
from fmugen.verify.accuracy import OF_NETWORKS, Accuracy
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.network.start import StartValues
from fmugen.verify.network.system import NetworkSystem, held, known_values
from fmugen.verify.network.tableau import Point
from fmugen.verify.outputs import output_value
from fmugen.verify.rotations import Array

_TINY = 1e-15
#: Steps of the explicit method in one interval that show a system to be stiff.
_MANY = 400
_TOO_MANY = 200_000

Progress = Callable[[float], None]
_Formula = Callable[[Mapping[str, float]], float]
_Rates = Callable[[float, Array], Array]
_NOTHING = np.zeros(0)


@dataclass(frozen=True)
class NetworkReference:
    """The motion at the output times: outputs, and every across and through variable by its quantity."""

    system: NetworkSystem
    times: Array
    outputs: dict[str, Array]
    quantities: dict[str, Array]

    @property
    def values(self) -> dict[str, Array]:
        """All signals by the names of the variables of an FMU."""
        return {**self.quantities, **self.outputs}


def solve_network(
    model: SystemModel,
    times: Array,
    held_inputs: Callable[[float], Mapping[str, float]],
    *,
    parameters: Mapping[str, float] | None = None,
    hints: Mapping[str, float] | None = None,
    progress: Progress | None = None,
    accuracy: Accuracy = OF_NETWORKS,
) -> NetworkReference:
    """Compute the motion of a network, by default to about ten digits.

    Parameters
    ----------
    model
        A model without bodies.
    times
        Output times, increasing; the first one is the start.
    held_inputs
        Input values from an output time on until the next.
    parameters
        Parameter values that replace the model's.
    hints
        Start values of quantities for which the model has none.
    progress
        Called with the fraction done.
    accuracy
        The explicit method of integration and its tolerances.
    """
    known = known_values(model, parameters)
    begin = float(times[0])
    system = NetworkSystem(model, known, held(held_inputs(begin)))
    states = system.start(
        Point(begin, np.zeros(system.tableau.states), _NOTHING, held(held_inputs(begin))),
        start_values(model, known, hints),
    )
    follower = _Follower(system, accuracy)
    recorder = _Recorder(system, known)
    recorder.record(begin, states, held_inputs(begin))
    for start, end in zip(times[:-1].tolist(), times[1:].tolist(), strict=True):
        states = follower.advance(start, end, states, held_inputs(start))
        recorder.record(end, states, held_inputs(end))
        if progress is not None:
            progress((end - begin) / (float(times[-1]) - begin))
    return NetworkReference(system, times, *recorder.tables())


def start_values(
    model: SystemModel, known: Mapping[str, float], hints: Mapping[str, float] | None
) -> StartValues:
    """The fixed start values and guesses of a model, and hints for other quantities."""
    given = {start.quantity: compile_formula(start.value)(known) for start in model.starts}
    fixed = {start.quantity: given[start.quantity] for start in model.starts if start.fixed}
    guesses = {name: value for name, value in given.items() if name not in fixed}
    return StartValues(fixed, {**guesses, **(hints or {})}, model.steady)


class _Follower:
    """Integrates states; keeps the step size, magnitudes, and whether the network is stiff."""

    def __init__(self, system: NetworkSystem, accuracy: Accuracy) -> None:
        self._system = system
        self._accuracy = accuracy
        self._step: float | None = None
        self._stiff = False
        self._largest = np.zeros(system.tableau.states)

    def advance(self, begin: float, end: float, states: Array, inputs: Mapping[str, float]) -> Array:
        """The states at ``end``."""
        given = held(inputs)
        reduced = self._system.reduced

        def rates(time: float, x: Array) -> Array:
            return reduced.solve(Point(float(time), x, _NOTHING, given), _NOTHING).rates

        def slope(time: float, x: Array) -> Array:
            point = Point(float(time), x, _NOTHING, given)
            return reduced.state_jacobian(point, reduced.solve(point, _NOTHING).w)

        if not len(states):
            return states
        self._largest = np.maximum(self._largest, np.abs(states))
        found = None if self._stiff else self._run(self._explicit(rates, begin, end, states), _MANY)
        if found is None:
            self._stiff = True
            found = self._run(self._implicit(rates, slope, begin, end, states), _TOO_MANY)
        if found is None:
            raise VerificationError(f"the reference cannot be integrated from t = {begin:g} s to {end:g} s")
        return self._system.projected(Point(end, found, _NOTHING, given))

    def _explicit(self, rates: _Rates, begin: float, end: float, states: Array) -> OdeSolver:
        first = None if self._step is None else min(self._step, end - begin)
        relative = self._accuracy.relative
        return self._accuracy.method(
            rates, begin, states, end, rtol=relative, atol=self._smallest(), first_step=first
        )

    def _implicit(self, rates: _Rates, slope: _Rates, begin: float, end: float, states: Array) -> OdeSolver:
        relative = 10.0 * self._accuracy.relative
        return Radau(rates, begin, states, end, jac=slope, rtol=relative, atol=self._smallest())

    def _smallest(self) -> Array:
        """The smallest error that counts, relative to the largest value a state has had."""
        result: Array = self._accuracy.absolute * self._largest + _TINY
        return result

    def _run(self, solver: OdeSolver, patience: int) -> Array | None:
        """The states at the end of the interval, or ``None`` if it takes too many steps."""
        for _ in range(patience):
            before = solver.h_abs
            solver.step()
            if solver.status == "failed":
                return None
            if solver.status == "finished":
                # The last step is cut at the end of the interval: keep the size from before the cut.
                self._step = max(before, solver.h_abs)
                return np.asarray(solver.y)
        return None


class _Recorder:
    """Collects quantities and outputs at the output times."""

    def __init__(self, system: NetworkSystem, known: Mapping[str, float]) -> None:
        self._system, self._known = system, known
        self._formulas = {output: compile_formula(output.value) for output in system.model.outputs}
        self._seconds = system.needs_seconds()
        self._readings: list[dict[str, float]] = []
        self._outputs: list[dict[str, float]] = []

    def record(self, time: float, states: Array, inputs: Mapping[str, float]) -> None:
        known = {TIME: time, **self._known}
        here = self._read(time, states, inputs)
        row = {}
        for output, formula in self._formulas.items():

            def value(given: Mapping[str, float], formula: _Formula = formula) -> float:
                readings = here if given == inputs else self._read(time, states, given)
                return formula({**known, **given, **readings})

            row[output.name] = output_value(output, value, inputs)
        self._readings.append(here)
        self._outputs.append(row)

    def _read(self, time: float, states: Array, inputs: Mapping[str, float]) -> dict[str, float]:
        system = self._system
        point = Point(time, states, _NOTHING, held(inputs))
        solved = system.reduced.solve(point, _NOTHING)
        readings = system.readings(point, solved)
        if self._seconds:
            readings |= system.seconds(point, solved, _NOTHING)
        return readings

    def tables(self) -> tuple[dict[str, Array], dict[str, Array]]:
        return _columns(self._outputs), _columns(self._readings)


def _columns(rows: list[dict[str, float]]) -> dict[str, Array]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
