"""A motion at sampled times, with what the equations of motion give there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fmugen.verify.charts import Posture
from fmugen.verify.compiled import WELL_CONDITIONED, Compiled
from fmugen.verify.mechanism import Instant, Mechanism
from fmugen.verify.rotations import Array

__all__ = ["Samples", "sampled"]

Inputs = Mapping[str, float]


@dataclass(frozen=True)
class Samples:
    """A motion at sampled times; arrays have a row for each time.

    ``kinetic`` and ``potential`` are energies; ``power`` is that of loads, dampers, actuators, drivers and
    the network. ``quantities`` are those of every element, if they were asked for.
    """

    mechanism: Mechanism
    times: Array
    inputs: Sequence[Inputs]
    coordinates: Array
    velocities: Array
    states: Array
    accelerations: Array
    state_rates: Array
    kinetic: Array
    potential: Array
    power: Array
    quantities: dict[str, Array]

    def reading(self, number: int) -> dict[str, float]:
        """All quantities at one time."""
        return {name: float(column[number]) for name, column in self.quantities.items()}

    def under(self, inputs: Sequence[Inputs]) -> Samples:
        """The same states under other inputs."""
        if all(mine == theirs for mine, theirs in zip(self.inputs, inputs, strict=True)):
            return self
        motion = self.coordinates, self.velocities, self.states
        return sampled(self.mechanism, self.times, inputs, *motion, quantities=bool(self.quantities))

    def one(self, number: int, inputs: Inputs) -> Samples:
        """The state at one time under other inputs."""
        rows = slice(number, number + 1)
        motion = self.coordinates[rows], self.velocities[rows], self.states[rows]
        return sampled(self.mechanism, self.times[rows], [inputs], *motion)

    def posture(self, number: int) -> Posture:
        return self.mechanism.chart.posture(self.coordinates[number])


def sampled(
    mechanism: Mechanism,
    times: Array,
    inputs: Sequence[Inputs],
    coordinates: Array,
    velocities: Array,
    states: Array,
    *,
    quantities: bool = True,
) -> Samples:
    """The samples of a motion; ``inputs`` are the values of all inputs at each time."""
    motion = _Motion(times, inputs, coordinates, velocities, states)
    report = _all_quantities if quantities else _energies
    program = mechanism.compiled
    if program is None or mechanism.drive is not None:
        accelerations, rates, found = _by_laws(mechanism, motion, report)
    else:
        accelerations, rates, found = _by_program(mechanism, program, motion, report)
    return Samples(
        mechanism,
        *motion,
        accelerations,
        rates,
        kinetic=found.pop("kinetic"),
        potential=found.pop("potential"),
        power=found.pop("power"),
        quantities=found,
    )


class _Motion(NamedTuple):
    times: Array
    inputs: Sequence[Inputs]
    coordinates: Array
    velocities: Array
    states: Array

    def instant(self, mechanism: Mechanism, number: int) -> Instant:
        _, inputs, coordinates, velocities, states = self
        time = float(self.times[number])
        return mechanism.motion(time, coordinates[number], velocities[number], inputs[number], states[number])


_Report = Callable[[Mechanism, Instant], dict[str, float]]
_Columns = dict[str, Array]


def _by_laws(mechanism: Mechanism, motion: _Motion, report: _Report) -> tuple[Array, Array, _Columns]:
    """Accelerations, rates of states and what is reported, one time after the other."""
    instants = [motion.instant(mechanism, number) for number in range(len(motion.times))]
    reports = [report(mechanism, instant) for instant in instants]
    return (
        np.array([instant.accelerations for instant in instants]),
        np.array([instant.state_rates for instant in instants]),
        {name: np.array([each[name] for each in reports]) for name in reports[0]},
    )


def _by_program(
    mechanism: Mechanism, program: Compiled, motion: _Motion, report: _Report
) -> tuple[Array, Array, _Columns]:
    """The same for all times at once."""
    given = program.table(*motion)
    solved = program.solved(given)
    for number in np.flatnonzero(solved.conditioning <= WELL_CONDITIONED).tolist():
        instant = motion.instant(mechanism, number)
        solved.accelerations[number], solved.multipliers[number] = instant.accelerations, instant.multipliers
    ends = np.cumsum([mechanism.chart.count, mechanism.size, len(mechanism.forces.states), mechanism.size])

    def evaluate(row: NDArray[Any]) -> dict[str, Any]:
        time, values, rest = program.named(row)
        instant = _instant(mechanism, time, values, *np.split(rest, ends))
        rates = {str(number): rate for number, rate in enumerate(instant.state_rates)}
        return {**report(mechanism, instant), **rates}

    columns = program.reported(report, evaluate, np.hstack((given, solved.accelerations, solved.multipliers)))
    rates = [columns.pop(str(number)) for number in range(len(mechanism.forces.states))]
    return solved.accelerations, np.array(rates).reshape(-1, len(given)).T, columns


def _instant(
    mechanism: Mechanism,
    time: float,
    inputs: Inputs,
    coordinates: Array,
    velocities: Array,
    states: Array,
    accelerations: Array,
    multipliers: Array,
) -> Instant:
    """The instant of a mechanism without a network whose accelerations are known."""
    forces = mechanism.forces
    posture, twist = mechanism.chart.posture(coordinates), mechanism.chart.twist(velocities)
    known = accelerations if forces.accelerated else None
    _, actions = forces.generalized(time, posture, twist, velocities, inputs, states, known)
    return Instant(
        time=time,
        coordinates=coordinates,
        posture=posture,
        twist=twist,
        velocities=velocities,
        accelerations=accelerations,
        multipliers=multipliers,
        conditioning=1.0,
        actions=actions,
        inputs=inputs,
        states=states,
        state_rates=forces.state_rates(actions),
        network=None,
    )


def _energies(mechanism: Mechanism, instant: Instant) -> dict[str, float]:
    """Energies, and the power of loads, dampers, actuators, drivers and the network.

    That of drivers is minus multiplier times rate.
    """
    stored = sum(action.potential for action in instant.actions)
    prescribed = mechanism.constraints.targets(instant.time, instant.inputs)[1]
    power: Any = sum(action.power for action in instant.actions) - instant.multipliers @ prescribed
    return {
        "kinetic": mechanism.kinetic_energy(instant.posture, instant.velocities),
        "potential": mechanism.gravity_potential(instant.posture) + stored,
        "power": power + (instant.network.power if instant.network else 0.0),
    }


def _all_quantities(mechanism: Mechanism, instant: Instant) -> dict[str, float]:
    return {**mechanism.quantities(instant), **_energies(mechanism, instant)}
