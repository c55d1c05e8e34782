"""The motion from one output time to the next.

Free motions are integrated. Motions that drivers determine are solved by Newton's method.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fmugen.errors import VerificationError
from fmugen.verify.accuracy import OF_MECHANISMS, Accuracy
from fmugen.verify.assembly import project_positions, project_velocities
from fmugen.verify.compiled import POORLY_CONDITIONED
from fmugen.verify.mechanism import Instant, Mechanism, split
from fmugen.verify.rotations import Array
from fmugen.verify.stages import at_once

#: Factors on the tolerances, tried in turn.
_LOOSENINGS = (1.0, 1e2, 1e4, 1e6)
#: The step size has collapsed if it is below this fraction of the largest so far.
_COLLAPSE = 1e-4
_MAX_HALVINGS = 20
#: The largest correction of a predicted position, and the largest motion in one step (scaled).
_NEAR, _SHORT = 0.05, 1.0
#: A singular value of the constraints below this part of the largest makes a position singular.
_SINGULAR = 1e-6
#: How far before and after a singular position the motion is looked at, in output intervals.
_BESIDE = 0.1
#: Differences are taken over this part of the usual size of a state.
_DIFFERENCE = 1e-7


class State(NamedTuple):
    """The state that determines the further motion."""

    coordinates: Array
    velocities: Array
    #: Those of the network, then those of force laws.
    states: Array

    def instant(self, mechanism: Mechanism, time: float, held: Mapping[str, float]) -> Instant:
        inputs = mechanism.at(time, held)
        return mechanism.motion(time, self.coordinates, self.velocities, inputs, self.states)


class Integrator:
    """A method with projection; it keeps the step size from run to run.

    A step may span several output times. The states at those inside it are interpolated and projected onto
    the constraints, as the ends of steps are.

    Near a singular position rounding errors of the constraints exceed the tolerance, and error control alone
    would shrink the step without end. An interval in which the step size collapses is therefore repeated
    with a looser tolerance.
    """

    def __init__(self, mechanism: Mechanism, accuracy: Accuracy = OF_MECHANISMS) -> None:
        self._mechanism = mechanism
        self._accuracy = accuracy
        program = mechanism.compiled
        self._compiled = program if program is not None and program.knows_rates else None
        self._step: float | None = None
        of_coordinates = mechanism.chart.coordinate_scale(mechanism.length)
        self._scale = np.concatenate((of_coordinates, mechanism.scale, mechanism.states.scale))
        self._count, self._moving = len(of_coordinates), len(of_coordinates) + mechanism.size
        #: The loosest relative tolerance that was needed.
        self.tolerance = accuracy.relative

    def follow(self, times: Sequence[float], state: State, inputs: Mapping[str, float]) -> Iterator[State]:
        """The states at all times but the first, which is the time of the given state."""
        done = 0
        while done + 1 < len(times):
            for loosening in _LOOSENINGS:
                # Only the interval that needs a loose tolerance gets it.
                ahead = times[done:] if loosening == 1.0 else times[done : done + 2]
                found = 0
                for following in self._attempt(ahead, state, inputs, loosening):
                    yield (state := following)
                    found += 1
                if found:
                    self.tolerance = max(self.tolerance, loosening * self._accuracy.relative)
                    done += found
                    break
            else:
                raise VerificationError(
                    f"the reference cannot be integrated from t = {times[done]:g} s to "
                    f"{times[done + 1]:g} s: {self._mechanism.model.name} is in a singular position or too "
                    "stiff for an explicit method; verify until an earlier stop"
                )

    def _attempt(
        self, times: Sequence[float], state: State, inputs: Mapping[str, float], loosening: float
    ) -> Iterator[State]:
        """The states at all times but the first, or at those before the steps collapse."""
        largest = self._step or 0.0
        program, method = self._compiled, self._accuracy.method
        if program is not None and self._accuracy.explicit:

            def stages(ends: Array, *step: Any) -> Array | None:
                given = [self._mechanism.at(time, inputs) for time in ends.tolist()]
                return program.stages(ends, given, *step)

            method = at_once(method, stages)
        scale, interval = self._scale.copy(), float(np.max(np.diff(times)))
        options: dict[str, Any] = {}
        if not self._accuracy.explicit:
            options["jac"] = lambda time, packed: self._slopes(float(time), packed, inputs)
            # Fast vibrations of tiny amplitude need not be followed.
            scale[self._count : self._moving] /= min(interval, 1.0)
        solver = method(
            lambda time, packed: self._rates(float(time), packed, inputs),
            times[0],
            np.concatenate(state),
            times[-1],
            rtol=loosening * self._accuracy.relative,
            atol=loosening * self._accuracy.absolute * scale,
            max_step=self._accuracy.intervals * interval,
            first_step=None if self._step is None else min(self._step, times[-1] - times[0]),
            **options,
        )
        due = 1
        while solver.status == "running":
            before = solver.h_abs
            solver.step()
            largest = max(largest, before)
            collapsed = solver.h_abs < min(before, _COLLAPSE * largest)
            if solver.status == "failed" or (collapsed and solver.status == "running"):
                return
            if times[due] < solver.t:
                between = solver.dense_output()
                while times[due] < solver.t:
                    yield self._settled(times[due], between(times[due]), inputs)
                    due += 1
            state = self._settled(float(solver.t), solver.y, inputs)
            if solver.status == "running":
                solver.y = np.concatenate(state)
                solver.f = self._rates(float(solver.t), solver.y, inputs)
        # The last step is cut at the end: keep the size from before the cut.
        self._step = max(before, solver.h_abs)
        yield state

    def _rates(self, time: float, packed: Array, inputs: Mapping[str, float]) -> Array:
        mechanism = self._mechanism
        inputs = mechanism.at(time, inputs)
        if self._compiled is not None:
            rates = self._compiled.rates(time, packed, inputs)
            if rates is not None:
                return rates
        coordinates, velocities, states = self._unpacked(packed)
        instant = mechanism.motion(time, coordinates, velocities, inputs, states)
        if instant.conditioning < POORLY_CONDITIONED:
            # Near a singular position a small violation of the constraints makes large errors of the
            # accelerations. On the constraints they stay smooth.
            coordinates, velocities = self._projected(time, coordinates, velocities)
            instant = mechanism.motion(time, coordinates, velocities, inputs, states)
        rates = mechanism.chart.rates(coordinates, velocities)
        return np.concatenate((rates, instant.accelerations, instant.state_rates))

    def _slopes(self, time: float, packed: Array, inputs: Mapping[str, float]) -> Array:
        """The derivatives of all rates by all states, by differences over a part of their usual sizes."""
        here = self._rates(time, packed, inputs)
        columns = []
        for number, size in enumerate((_DIFFERENCE * self._scale).tolist()):
            moved = packed.copy()
            moved[number] += size
            columns.append((self._rates(time, moved, inputs) - here) / size)
        return np.array(columns).T

    def _projected(self, time: float, coordinates: Array, velocities: Array) -> tuple[Array, Array]:
        program = self._mechanism.compiled
        found = (
            None
            if program is None
            else program.projected(time, coordinates, velocities, self._mechanism.moved(time))
        )
        if found is not None:
            return found
        coordinates = project_positions(self._mechanism, time, coordinates)
        return coordinates, project_velocities(self._mechanism, time, coordinates, velocities)

    def _settled(self, time: float, packed: Array, inputs: Mapping[str, float]) -> State:
        """A state projected onto the constraints of the mechanism and of the network."""
        mechanism, drive = self._mechanism, self._mechanism.drive
        near, speeds, states = self._unpacked(packed)
        coordinates, velocities = self._projected(time, near, speeds)
        if drive is not None:
            posture = mechanism.chart.posture(coordinates)
            of_network, own = mechanism.states.parted(states)
            point = drive.at(time, posture, velocities, mechanism.at(time, inputs), of_network)
            states = np.concatenate((drive.system.projected(point), own))
        return State(coordinates, velocities, states)

    def _unpacked(self, packed: Array) -> State:
        count, moving = self._count, self._moving
        return State(packed[:count], packed[count:moving], packed[moving:])


def follow_drivers(
    mechanism: Mechanism, times: Sequence[float], state: State, inputs: Mapping[str, float]
) -> Iterator[State]:
    """The states of a mechanism that its drivers alone move, at all times but the first."""
    for begin, end in pairwise(times):
        following = _driven(mechanism, begin, end, state, inputs)
        if lost_rank(mechanism, end, following.coordinates) > lost_rank(mechanism, begin, state.coordinates):
            following = _between(mechanism, begin, end, state, inputs)
        state = following
        yield state


def lost_rank(mechanism: Mechanism, time: float, coordinates: Array) -> int:
    """How many combinations of constraints hardly determine anything in a position."""
    _, jacobian = mechanism.constraints.violation(time, coordinates)
    return len(jacobian) - len(split(jacobian * mechanism.scale, _SINGULAR).singular)


def _between(
    mechanism: Mechanism, begin: float, end: float, state: State, inputs: Mapping[str, float]
) -> State:
    """The state in a singular position: the mean of those before and after it, to fourth order.

    There the constraints determine the position to half of the digits only, and rates not at all.
    """
    time, step = begin, _BESIDE * (end - begin)
    coordinates, velocities = np.zeros_like(state.coordinates), np.zeros_like(state.velocities)
    for steps, weight in ((-2, -1.0), (-1, 4.0), (1, 4.0), (2, -1.0)):
        state = _driven(mechanism, time, end + steps * step, state, inputs)
        time = end + steps * step
        coordinates += weight / 6.0 * state.coordinates
        velocities += weight / 6.0 * state.velocities
    return State(mechanism.normalized(coordinates), velocities, state.states)


def _driven(
    mechanism: Mechanism,
    begin: float,
    end: float,
    state: State,
    inputs: Mapping[str, float],
) -> State:
    """Newton's method from the extrapolated state, with substeps short enough to stay near it."""
    coordinates, velocities, states = state
    time, step = begin, end - begin
    smallest = step * 0.5**_MAX_HALVINGS
    scale, chart = mechanism.scale, mechanism.chart
    while time < end:
        target = end if time + step >= end - 1e-9 * step else time + step
        instant = mechanism.motion(time, coordinates, velocities, mechanism.at(time, inputs))
        width = target - time
        way = width * velocities + 0.5 * width**2 * instant.accelerations
        predicted = chart.move(coordinates, way)
        corrected = project_positions(mechanism, target, predicted)
        residual, _ = mechanism.constraints.violation(target, corrected)
        closed = np.max(np.abs(residual)) < 1e-11 * mechanism.length
        change = (corrected - predicted) / chart.coordinate_scale(mechanism.length)
        if closed and np.max(np.abs(change)) < _NEAR and np.max(np.abs(way / scale)) < _SHORT:
            time, coordinates = target, corrected
            velocities = project_velocities(mechanism, time, coordinates, velocities)
            continue
        step *= 0.5
        if step < smallest:
            worst = mechanism.constraints.position_rows[int(np.argmax(np.abs(residual)))].name
            raise VerificationError(
                f"t = {time:g} s: the drivers take {mechanism.model.name} to a position it cannot reach "
                f"(constraint '{worst}')"
            )
    return State(coordinates, velocities, states)
