"""The reference motion of a model.

Mechanisms with degrees of freedom are integrated with DOP853 from one output time to the next, positions
and velocities being projected onto the constraints after every accepted step. Mechanisms without, which
are moved by their drivers alone, are solved by Newton's method at each output time, unless a network acts
on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.integrate import DOP853

from fmugen.errors import VerificationError
from fmugen.ir.formula import TIME
from fmugen.ir.model import SystemModel
from fmugen.verify.assembly import (
    Start,
    assemble,
    project_positions,
    project_velocities,
)
from fmugen.verify.energy import EnergyBalance, balance
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.frames import body_kinds
from fmugen.verify.mechanism import NO_STATES, Instant, Mechanism, split
from fmugen.verify.network.drive import Drive
from fmugen.verify.network.follow import start_values
from fmugen.verify.network.start import StartValues
from fmugen.verify.outputs import output_value
from fmugen.verify.rotations import Array

RELATIVE_TOLERANCE = 1e-11
ABSOLUTE_TOLERANCE = 1e-12
#: Factors on the tolerances, tried in turn.
_LOOSENINGS = (1.0, 1e2, 1e4, 1e6)
#: Steps that shrink below this fraction of the largest step so far are a collapse.
_COLLAPSE = 1e-4
#: The conditioning of the constraints below which a position counts as near a singular one.
_POORLY_CONDITIONED = 0.02
_MAX_HALVINGS = 20
#: How far a driven mechanism may end from where it was expected, and move in one step, in its own scale.
_NEAR, _SHORT = 0.05, 1.0

Signal = Callable[[float], float]
Progress = Callable[[float], None]
_Formula = Callable[[Mapping[str, float]], float]


@dataclass(frozen=True)
class Reference:
    """The motion at the output times.

    ``coordinates`` and ``velocities`` have a row per time for all moving bodies. ``bodies`` has, for each
    body, a row per time of the quantities that :func:`body_kinds` names. ``residual`` is the largest
    constraint violation met; ``undetermined`` names the reactions that redundant constraints leave open;
    ``tolerance`` is the loosest relative tolerance the integration needed.
    """

    mechanism: Mechanism
    start: Start
    times: Array
    outputs: dict[str, Array]
    coordinates: Array
    velocities: Array
    bodies: dict[str, Array]
    quantities: dict[str, Array]
    residual: float
    energy: EnergyBalance
    undetermined: frozenset[str]
    tolerance: float

    def quantity(self, name: str) -> Array:
        """Any quantity of the model over the output times."""
        if name not in self.quantities:
            raise VerificationError(f"{self.mechanism.model.name} has no quantity {name!r}")
        return self.quantities[name]


def solve_reference(
    model: SystemModel,
    times: Array,
    *,
    inputs: Mapping[str, Signal] | None = None,
    parameters: Mapping[str, float] | None = None,
    initial: Mapping[str, float] | None = None,
    hints: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> Reference:
    """Compute the motion of a model to about ten digits.

    Parameters
    ----------
    model
        The mechanism.
    times
        Output times, increasing; the first one is the start.
    inputs
        Signals by input name, sampled at each output time and held until the next, as a co-simulation
        master does. Inputs without a signal keep their start value.
    parameters
        Parameter values that replace the model's.
    initial
        Extra fixed start values, by the name of a position or velocity quantity.
    hints
        Extra guesses of position quantities.
    progress
        Called with the fraction done.

    Raises
    ------
    AssemblyError
        If the loops cannot be closed.
    VerificationError
        If the motion cannot be followed, for example through a singular position.
    """
    mechanism = Mechanism(model, parameters)
    held = hold_inputs(model, inputs)
    initial, hints = dict(initial or {}), dict(hints or {})
    times = np.asarray(times, dtype=np.float64)
    start = assemble(mechanism, float(times[0]), initial, hints)
    _, jacobian = mechanism.violation(float(times[0]), start.coordinates)
    driven = split(jacobian).free.shape[1] == 0
    integrator = _Integrator(mechanism)
    # A network has states of its own, which must be integrated even where drivers determine all positions.
    advance = _follow_drivers if driven and mechanism.drive is None else integrator.advance

    state = _State(start.coordinates, start.velocities, NO_STATES)
    if mechanism.drive is not None:
        state = _with_network(mechanism, mechanism.drive, state, float(times[0]), held, {**hints, **initial})
    instants = [state.instant(mechanism, float(times[0]), held(float(times[0])))]
    for begin, end in zip(times[:-1].tolist(), times[1:].tolist(), strict=True):
        state = advance(mechanism, begin, end, state, held(begin))
        instants.append(state.instant(mechanism, end, held(end)))
        if progress is not None:
            progress((end - times[0]) / (times[-1] - times[0]))
    return _collect(mechanism, start, times, instants, held, integrator.tolerance)


def hold_inputs(
    model: SystemModel, signals: Mapping[str, Signal] | None
) -> Callable[[float], dict[str, float]]:
    """Input values at a sample time: those of the signals, and start values for the others."""
    signals = signals or {}
    starts = {entry.name: entry.start for entry in model.inputs}
    unknown = sorted(set(signals) - set(starts))
    if unknown:
        raise VerificationError(f"{model.name} has no input {unknown[0]!r}")
    return lambda time: {name: signals[name](time) if name in signals else starts[name] for name in starts}


class _State(NamedTuple):
    """What a motion goes on from."""

    coordinates: Array
    velocities: Array
    #: Those of the network.
    states: Array

    def instant(self, mechanism: Mechanism, time: float, inputs: Mapping[str, float]) -> Instant:
        return mechanism.motion(time, self.coordinates, self.velocities, inputs, self.states)


def _with_network(
    mechanism: Mechanism,
    drive: Drive,
    state: _State,
    time: float,
    held: Callable[[float], dict[str, float]],
    hints: Mapping[str, float],
) -> _State:
    """A start of the mechanism with a consistent start of its network."""
    own = drive.system.tableau.quantities
    known = {name: value for name, value in hints.items() if name in own}
    wanted = start_values(mechanism.model, mechanism.layout.parameters, known)
    fixed = {name: value for name, value in wanted.fixed.items() if name in own}
    guesses = {name: value for name, value in wanted.hints.items() if name in own}
    nothing = np.zeros(drive.system.tableau.states)
    posture = mechanism.chart.posture(state.coordinates)
    point = drive.at(time, posture, state.velocities, held(time), nothing)
    return state._replace(states=drive.system.start(point, StartValues(fixed, guesses, wanted.steady)))


class _Integrator:
    """DOP853 with projection; remembers the step size from interval to interval.

    Next to a singular position rounding errors of the constraints are magnified beyond the tolerance,
    and error control alone would shrink the step for ever. An interval whose steps collapse is therefore
    repeated with a looser tolerance, which carries it across.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._step: float | None = None
        of_coordinates = mechanism.chart.coordinate_scale(mechanism.layout.length)
        of_states = np.ones(mechanism.drive.system.tableau.states if mechanism.drive else 0)
        self._scale = np.concatenate((of_coordinates, mechanism.scale, of_states))
        #: The loosest relative tolerance that was needed.
        self.tolerance = RELATIVE_TOLERANCE

    def advance(
        self,
        mechanism: Mechanism,
        begin: float,
        end: float,
        state: _State,
        inputs: Mapping[str, float],
    ) -> _State:
        """The state at ``end``."""
        for loosening in _LOOSENINGS:
            found = self._attempt(mechanism, (begin, end), state, inputs, loosening)
            if found is not None:
                self.tolerance = max(self.tolerance, loosening * RELATIVE_TOLERANCE)
                return found
        raise VerificationError(
            f"the reference cannot be followed between t = {begin:g} s and {end:g} s: "
            f"{mechanism.model.name} is in a singular position, or too stiff for an explicit method"
        )

    def _attempt(
        self,
        mechanism: Mechanism,
        interval: tuple[float, float],
        state: _State,
        inputs: Mapping[str, float],
        loosening: float,
    ) -> _State | None:
        """The state at the end of the interval, or ``None`` if the steps collapse."""
        chart, count = mechanism.chart, mechanism.chart.count
        moving = count + mechanism.size
        begin, end = interval
        largest = self._step or 0.0

        def rates(time: float, state: Array) -> Array:
            near, speed, states = state[:count], state[count:moving], state[moving:]
            instant = mechanism.motion(float(time), near, speed, inputs, states)
            if instant.conditioning < _POORLY_CONDITIONED:
                # Near a singular position, and off the constraints by a little, accelerations are wrong by
                # much. On the constraints they stay smooth even through such a position.
                near = project_positions(mechanism, time, near)
                speed = project_velocities(mechanism, time, near, speed)
                instant = mechanism.motion(float(time), near, speed, inputs, states)
            return np.concatenate((chart.rates(near, speed), instant.accelerations, instant.state_rates))

        solver = DOP853(
            rates,
            begin,
            np.concatenate(state),
            end,
            rtol=loosening * RELATIVE_TOLERANCE,
            atol=loosening * ABSOLUTE_TOLERANCE * self._scale,
            first_step=None if self._step is None else min(self._step, end - begin),
        )
        while solver.status == "running":
            before = solver.h_abs
            solver.step()
            largest = max(largest, before)
            collapsed = solver.h_abs < min(before, _COLLAPSE * largest)
            if solver.status == "failed" or (collapsed and solver.status == "running"):
                return None
            coordinates = project_positions(mechanism, solver.t, solver.y[:count])
            velocities = project_velocities(mechanism, solver.t, coordinates, solver.y[count:moving])
            states = self._settled(mechanism, solver.t, coordinates, velocities, inputs, solver.y[moving:])
            solver.y = np.concatenate((coordinates, velocities, states))
            if solver.status == "running":
                solver.f = rates(solver.t, solver.y)
        # The last step is cut at the end of the interval: keep the size from before the cut.
        self._step = max(before, solver.h_abs)
        return _State(coordinates, velocities, states)

    def _settled(
        self,
        mechanism: Mechanism,
        time: float,
        coordinates: Array,
        velocities: Array,
        inputs: Mapping[str, float],
        states: Array,
    ) -> Array:
        """The states of the network, on their constraints."""
        if mechanism.drive is None:
            return states
        posture = mechanism.chart.posture(coordinates)
        point = mechanism.drive.at(float(time), posture, velocities, inputs, states)
        return mechanism.drive.system.projected(point)


def _follow_drivers(
    mechanism: Mechanism,
    begin: float,
    end: float,
    state: _State,
    inputs: Mapping[str, float],
) -> _State:
    """Newton from the extrapolated state, in as many substeps as it takes to stay near it."""
    coordinates, velocities, states = state
    time, step = begin, end - begin
    smallest = step * 0.5**_MAX_HALVINGS
    scale, chart = mechanism.scale, mechanism.chart
    while time < end:
        target = end if time + step >= end - 1e-9 * step else time + step
        instant = mechanism.motion(time, coordinates, velocities, inputs)
        width = target - time
        way = width * velocities + 0.5 * width**2 * instant.accelerations
        predicted = chart.move(coordinates, way)
        corrected = project_positions(mechanism, target, predicted)
        residual, _ = mechanism.violation(target, corrected)
        closed = np.max(np.abs(residual)) < 1e-11 * mechanism.layout.length
        change = (corrected - predicted) / chart.coordinate_scale(mechanism.layout.length)
        if closed and np.max(np.abs(change)) < _NEAR and np.max(np.abs(way / scale)) < _SHORT:
            time, coordinates = target, corrected
            velocities = project_velocities(mechanism, time, coordinates, velocities)
            continue
        step *= 0.5
        if step < smallest:
            worst = mechanism.rows[int(np.argmax(np.abs(residual)))].name
            raise VerificationError(
                f"t = {time:g} s: the drivers take {mechanism.model.name} to a position it cannot reach "
                f"(constraint '{worst}')"
            )
    return _State(coordinates, velocities, states)


def _collect(
    mechanism: Mechanism,
    start: Start,
    times: Array,
    instants: list[Instant],
    held: Callable[[float], dict[str, float]],
    tolerance: float,
) -> Reference:
    readings = [mechanism.quantities(instant) for instant in instants]
    quantities = {name: np.array([reading[name] for reading in readings]) for name in readings[0]}
    coordinates = np.array([instant.coordinates for instant in instants])
    velocities = np.array([instant.velocities for instant in instants])
    states = np.array([instant.states for instant in instants])
    kinds = body_kinds(mechanism.model)
    return Reference(
        mechanism=mechanism,
        start=start,
        times=times,
        outputs=_outputs(mechanism, instants, readings),
        coordinates=coordinates,
        velocities=velocities,
        bodies={
            name: np.column_stack([quantities[f"{name}.{kind}"] for kind in kinds])
            for name in mechanism.layout.bodies
        },
        quantities=quantities,
        residual=largest_violation(mechanism, times, coordinates),
        energy=balance(mechanism, times, coordinates, velocities, held, states),
        undetermined=_undetermined(mechanism, instants),
        tolerance=tolerance,
    )


def largest_violation(mechanism: Mechanism, times: Array, coordinates: Array) -> float:
    """The largest violation of any constraint along a motion (m or rad)."""
    return max(
        float(np.max(np.abs(mechanism.violation(float(time), sample)[0]), initial=0.0))
        for time, sample in zip(times, coordinates, strict=True)
    )


def _outputs(
    mechanism: Mechanism, instants: list[Instant], readings: list[dict[str, float]]
) -> dict[str, Array]:
    outputs = {}
    for output in mechanism.model.outputs:
        formula = compile_formula(output.value)

        def value(inputs: Mapping[str, float], number: int, formula: _Formula = formula) -> float:
            instant, reading = instants[number], readings[number]
            if inputs != instant.inputs:
                state = _State(instant.coordinates, instant.velocities, instant.states)
                reading = mechanism.quantities(state.instant(mechanism, instant.time, inputs))
            return formula({TIME: instant.time, **mechanism.layout.parameters, **inputs, **reading})

        outputs[output.name] = np.array(
            [
                output_value(output, partial(value, number=number), instant.inputs)
                for number, instant in enumerate(instants)
            ]
        )
    return outputs


def _undetermined(mechanism: Mechanism, instants: list[Instant]) -> frozenset[str]:
    """Reactions undetermined throughout; a singular position alone does not make one."""
    samples = instants[:: max(1, len(instants) // 5)]
    return frozenset.intersection(*(mechanism.undetermined(instant) for instant in samples))
