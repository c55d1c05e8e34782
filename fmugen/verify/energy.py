"""The energy balance of a motion, whoever computed it.

Kinetic energy, the potential of the weights and the energy stored in springs change exactly by the
work of loads, dampers, actuators and drivers. The powers come from the reference equations evaluated
along the given motion; between two samples the coordinates are the quintics that have the sampled values,
rates and accelerations at both ends, and the work is a Gauss-Legendre quadrature along them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fmugen.verify.mechanism import Instant, Mechanism
from fmugen.verify.rotations import Array

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)


@dataclass(frozen=True)
class EnergyBalance:
    """Energies and work along a motion.

    ``turnover`` is what flows: the largest of the kinetic energy, the swing of the potential energy and the
    work done in either direction.
    """

    times: Array
    kinetic: Array
    potential: Array
    work: Array
    turnover: float

    @property
    def imbalance(self) -> Array:
        """Energy that appeared from nowhere since the start, relative to the turnover."""
        total = self.kinetic + self.potential
        result: Array = (total - total[0] - self.work) / self.turnover
        return result

    @property
    def largest(self) -> float:
        """The largest relative imbalance."""
        return float(np.max(np.abs(self.imbalance)))


def balance(
    mechanism: Mechanism,
    times: Array,
    coordinates: Array,
    velocities: Array,
    held_inputs: Callable[[float], Mapping[str, float]],
    states: Array | None = None,
) -> EnergyBalance:
    """The energy balance of a sampled motion.

    Parameters
    ----------
    mechanism
        The equations that tell forces and multipliers.
    times, coordinates, velocities
        Samples: one row per time, coordinates and rates of the moving bodies.
    held_inputs
        Input values from a sample on until the next one.
    states
        One row per time of the states of the network, where the model has one. The work of the
        network on the joints counts as work fed in.
    """
    states = np.zeros((len(times), 0)) if states is None else states
    kinetic, potential = np.empty(len(times)), np.empty(len(times))
    steps = np.zeros(len(times))
    absolute = np.zeros(len(times))
    for number, time in enumerate(times):
        inputs = held_inputs(float(time))
        here = mechanism.motion(float(time), coordinates[number], velocities[number], inputs, states[number])
        kinetic[number] = mechanism.kinetic_energy(here.coordinates, here.velocities)
        potential[number] = _potential(mechanism, here)
        if number + 1 < len(times):
            end = number + 1
            there = mechanism.motion(
                float(times[end]), coordinates[end], velocities[end], inputs, states[end]
            )
            steps[end], absolute[end] = _work(mechanism, here, there)
    turnover = max(float(np.max(kinetic)), float(np.ptp(potential)), float(np.sum(absolute)))
    return EnergyBalance(times, kinetic, potential, np.cumsum(steps), max(turnover, np.finfo(float).tiny))


def _potential(mechanism: Mechanism, instant: Instant) -> float:
    stored = sum(action.potential for action in instant.actions)
    return mechanism.forces.gravity_potential(instant.posture) + stored


def _work(mechanism: Mechanism, here: Instant, there: Instant) -> tuple[float, float]:
    """The work fed in between two instants, and its absolute amount."""
    step = there.time - here.time
    work = absolute = 0.0
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        fraction = 0.5 * (1.0 + float(node))
        coordinates, velocities = _between(mechanism, here, there, fraction)
        time = here.time + fraction * step
        states = _states_between(here, there, fraction)
        power = _power(mechanism, time, coordinates, velocities, here.inputs, states)
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
        _, actions = mechanism.forces.generalized(time, posture, twist, velocities, inputs)
        return sum(action.power for action in actions)
    instant = mechanism.motion(time, coordinates, velocities, inputs, states)
    power = sum(action.power for action in instant.actions) - float(instant.multipliers @ prescribed)
    return power + (instant.network.power if instant.network else 0.0)


def _states_between(here: Instant, there: Instant, fraction: float) -> Array:
    """Cubic Hermite interpolation of the states of the network."""
    step, s = there.time - here.time, fraction
    rise = there.states - here.states
    start, end = step * here.state_rates, step * there.state_rates
    result: Array = here.states + s * (
        start + s * (3.0 * rise - 2.0 * start - end + s * (start + end - 2.0 * rise))
    )
    return result


def _between(mechanism: Mechanism, here: Instant, there: Instant, fraction: float) -> tuple[Array, Array]:
    """Quintic Hermite interpolation of the coordinates, and the velocities it has."""
    step = there.time - here.time
    start, end = _taylor(mechanism, here, step), _taylor(mechanism, there, step)
    gap = end[0] - start[0] - start[1] - 0.5 * start[2]
    slope = end[1] - start[1] - start[2]
    bend = end[2] - start[2]
    cubic = 10.0 * gap - 4.0 * slope + 0.5 * bend
    quartic = -15.0 * gap + 7.0 * slope - bend
    quintic = 6.0 * gap - 3.0 * slope + 0.5 * bend
    s = fraction
    found = start[0] + s * (start[1] + s * (0.5 * start[2] + s * (cubic + s * (quartic + s * quintic))))
    rate = start[1] + s * (start[2] + s * (3.0 * cubic + s * (4.0 * quartic + 5.0 * s * quintic)))
    chart = mechanism.chart
    return chart.normalized(found), chart.velocities(found, rate / step)


def _taylor(mechanism: Mechanism, instant: Instant, step: float) -> tuple[Array, Array, Array]:
    """The coordinates, and their rates and accelerations per step."""
    chart, coordinates, velocities = mechanism.chart, instant.coordinates, instant.velocities
    rates = chart.rates(coordinates, velocities)
    seconds = chart.seconds(coordinates, velocities, instant.accelerations)
    return coordinates, step * rates, step * step * seconds
