"""The energy balance of a motion of the FMU or the reference.

The sum of kinetic energy, potential of the weights and energy stored in force elements changes by the work of
loads, dampers, actuators and drivers. The powers come from the reference equations along the given motion.
Between two samples the coordinates are quintics with the sampled values, rates and accelerations at both
ends. The work is a Gauss-Legendre quadrature along them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmugen.verify.charts import Chart
from fmugen.verify.compiled import mapped
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.rotations import Array
from fmugen.verify.samples import Samples, sampled

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


def balance(samples: Samples) -> EnergyBalance:
    """The energy balance of a sampled motion.

    Inputs are held between samples, except those that have derivatives. The work of a network on joints
    counts as work fed in.
    """
    steps = np.zeros((len(samples.times), len(_NODES)))
    if len(samples.times) > 1:
        steps[1:] = _work(samples)
    kinetic, potential = samples.kinetic, samples.potential
    turnover = max(float(np.max(kinetic)), float(np.ptp(potential)), float(np.sum(np.abs(steps))))
    turnover = max(turnover, _LEAST_TURNOVER * float(np.max(np.abs(potential))))
    work = np.cumsum(np.sum(steps, axis=1))
    return EnergyBalance(samples.times, kinetic, potential, work, max(turnover, np.finfo(float).tiny))


def _work(samples: Samples) -> Array:
    """The work fed in between samples, at each node of the quadrature."""
    mechanism, times = samples.mechanism, samples.times
    held = [
        here if there is here else mechanism.at(time, here)
        for time, here, there in zip(times[1:].tolist(), samples.inputs, samples.inputs[1:], strict=False)
    ]
    ends = samples.under([samples.inputs[0], *held])
    fractions = 0.5 * (1.0 + _NODES)
    widths = np.diff(times)
    nodes = (times[:-1, None] + widths[:, None] * fractions).reshape(-1)
    table = np.hstack((widths[:, None], _rows(samples)[:-1], _rows(ends)[1:]))

    def evaluate(row: NDArray[Any]) -> list[Any]:
        here, there = np.split(row[1:], 2)
        between = _Between(mechanism, row[0], here, there)
        return [number for s in fractions.tolist() for part in between.at(s) for number in part]

    motion = mapped(mechanism, _Between, evaluate, table).reshape(len(nodes), -1)
    count, size = mechanism.chart.count, mechanism.size
    coordinates, velocities, states = np.split(motion, [count, count + size], axis=1)
    inputs = [
        mechanism.at(time, samples.inputs[number // len(_NODES)])
        for number, time in enumerate(nodes.tolist())
    ]
    found = sampled(mechanism, nodes, inputs, coordinates, velocities, states, quantities=False)
    result: Array = 0.5 * widths[:, None] * _WEIGHTS * found.power.reshape(len(widths), -1)
    return result


def _rows(samples: Samples) -> Array:
    parts = samples.coordinates, samples.velocities, samples.accelerations, samples.states
    return np.hstack((*parts, samples.state_rates))


class _Between:
    """The motion between two samples.

    Coordinates are quintics with the values, rates and accelerations of both ends, states cubics with their
    values and rates.
    """

    def __init__(self, mechanism: Mechanism, step: float, here: Array, there: Array) -> None:
        self._chart = mechanism.chart
        self._step = step
        ends = np.cumsum([self._chart.count, mechanism.size, mechanism.size])
        start, end = (_taylor(self._chart, step, *np.split(each, ends)[:3]) for each in (here, there))
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
        self._states = [np.split(each[ends[-1] :], 2) for each in (here, there)]

    def at(self, s: float) -> tuple[Array, Array, Array]:
        """Coordinates, velocities and states at a fraction of the step."""
        c0, c1, c2, c3, c4, c5 = self._powers
        found = c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
        rate = c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + 5.0 * s * c5)))
        velocities = self._chart.velocities(found, rate / self._step)
        return self._chart.normalized(found), velocities, self._states_at(s)

    def _states_at(self, s: float) -> Array:
        (here, pace), (there, last_pace) = self._states
        rise, start, end = there - here, self._step * pace, self._step * last_pace
        result: Array = here + s * (
            start + s * (3.0 * rise - 2.0 * start - end + s * (start + end - 2.0 * rise))
        )
        return result


def _taylor(
    chart: Chart, step: float, coordinates: Array, velocities: Array, accelerations: Array
) -> tuple[Array, Array, Array]:
    """The coordinates, and their rates and accelerations per step."""
    rates = chart.rates(coordinates, velocities)
    return coordinates, step * rates, step * step * chart.seconds(coordinates, velocities, accelerations)
