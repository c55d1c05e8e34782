"""The energy balance of a motion of the FMU or the reference.

The sum of kinetic energy, potential of the weights and energy stored in force elements changes by the work of
loads, dampers, actuators and drivers. The powers come from the reference equations along the given motion.
Between two samples the coordinates are quintics with the sampled values, rates and accelerations at both
ends. The work is a Gauss-Legendre quadrature along them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fmugen.verify.charts import Chart
from fmugen.verify.mechanism import Instant, Mechanism
from fmugen.verify.rotations import Array

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
#: The smallest turnover, as a part of the potential energy: that of a mechanism at rest would be zero.
_LEAST_TURNOVER = 1e-9


@dataclass(frozen=True)
class EnergyBalance:
    """Energies and work along a motion.

    ``turnover`` is the scale of the balance: the largest of the kinetic energy, the range of the potential
    energy and the absolute work.
    """

    times: Array
    kinetic: Array
    potential: Array
    work: Array
    turnover: float

    @property
    def imbalance(self) -> Array:
        """The change of energy since the start that the work does not explain, relative to the turnover."""
        total = self.kinetic + self.potential
        result: Array = (total - total[0] - self.work) / self.turnover
        return result

    @property
    def largest(self) -> float:
        """The largest relative imbalance."""
        return float(np.max(np.abs(self.imbalance)))


def balance(mechanism: Mechanism, instants: Sequence[Instant]) -> EnergyBalance:
    """The energy balance of a sampled motion.

    Inputs are held between samples, except those that have derivatives. The work of a network on joints
    counts as work fed in.
    """
    steps, absolute = np.zeros(len(instants)), np.zeros(len(instants))
    for number, (here, there) in enumerate(pairwise(instants), start=1):
        held = mechanism.at(there.time, here.inputs)
        steps[number], absolute[number] = _work(mechanism, here, mechanism.with_inputs(there, held))
    times = np.array([instant.time for instant in instants])
    kinetic = np.array([mechanism.kinetic_energy(each.coordinates, each.velocities) for each in instants])
    potential = np.array([_potential(mechanism, instant) for instant in instants])
    turnover = max(float(np.max(kinetic)), float(np.ptp(potential)), float(np.sum(absolute)))
    turnover = max(turnover, _LEAST_TURNOVER * float(np.max(np.abs(potential))))
    return EnergyBalance(times, kinetic, potential, np.cumsum(steps), max(turnover, np.finfo(float).tiny))


def _potential(mechanism: Mechanism, instant: Instant) -> float:
    stored = sum(action.potential for action in instant.actions)
    return mechanism.forces.gravity_potential(instant.posture) + stored


def _work(mechanism: Mechanism, here: Instant, there: Instant) -> tuple[float, float]:
    """The work fed in between two instants, and its absolute amount."""
    step = there.time - here.time
    between = _Quintic(mechanism.chart, here, there)
    work = absolute = 0.0
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        fraction = 0.5 * (1.0 + float(node))
        coordinates, velocities = between.at(fraction)
        time = here.time + fraction * step
        states = _states_between(here, there, fraction)
        inputs = mechanism.at(time, here.inputs)
        power = _power(mechanism, time, coordinates, velocities, inputs, states)
        share = 0.5 * step * float(weight) * power
        work += share
        absolute += abs(share)
    return work, absolute


def _power(
    mechanism: Mechanism,
    time: float,
    coordinates: Array,
    velocities: Array,
    inputs: Mapping[str, float],
    states: Array,
) -> float:
    """Power of loads, dampers, actuators and the network, and of drivers: minus multiplier times rate."""
    posture, twist = mechanism.chart.posture(coordinates), mechanism.chart.twist(velocities)
    prescribed = mechanism.targets(time)[1]
    if mechanism.drive is None and not mechanism.forces.accelerated and not np.any(prescribed):
        own = mechanism.parted(states)[1]
        _, actions = mechanism.forces.generalized(time, posture, twist, velocities, inputs, own)
        return sum(action.power for action in actions)
    instant = mechanism.motion(time, coordinates, velocities, inputs, states)
    power = sum(action.power for action in instant.actions) - float(instant.multipliers @ prescribed)
    return power + (instant.network.power if instant.network else 0.0)


def _states_between(here: Instant, there: Instant, fraction: float) -> Array:
    """Cubic Hermite interpolation of the states."""
    step, s = there.time - here.time, fraction
    rise = there.states - here.states
    start, end = step * here.state_rates, step * there.state_rates
    result: Array = here.states + s * (
        start + s * (3.0 * rise - 2.0 * start - end + s * (start + end - 2.0 * rise))
    )
    return result


class _Quintic:
    """Quintic Hermite interpolation of the coordinates, and the velocities it has."""

    def __init__(self, chart: Chart, here: Instant, there: Instant) -> None:
        self._chart = chart
        self._step = there.time - here.time
        start, end = _taylor(chart, here, self._step), _taylor(chart, there, self._step)
        gap = end[0] - start[0] - start[1] - 0.5 * start[2]
        slope = end[1] - start[1] - start[2]
        bend = end[2] - start[2]
        self._powers = (
            start[0],
            start[1],
            0.5 * start[2],
            10.0 * gap - 4.0 * slope + 0.5 * bend,
            -15.0 * gap + 7.0 * slope - bend,
            6.0 * gap - 3.0 * slope + 0.5 * bend,
        )

    def at(self, s: float) -> tuple[Array, Array]:
        """Coordinates and velocities at a fraction of the step."""
        c0, c1, c2, c3, c4, c5 = self._powers
        found = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
        rate = c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + 5.0 * s * c5)))
        return self._chart.normalized(found), self._chart.velocities(found, rate / self._step)


def _taylor(chart: Chart, instant: Instant, step: float) -> tuple[Array, Array, Array]:
    """The coordinates, and their rates and accelerations per step."""
    coordinates, velocities = instant.coordinates, instant.velocities
    rates = chart.rates(coordinates, velocities)
    seconds = chart.seconds(coordinates, velocities, instant.accelerations)
    return coordinates, step * rates, step * step * seconds
