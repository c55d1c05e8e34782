"""The constraints of a mechanism: Phi(q) = c(t) for positions, G v = d(t) for velocities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from operator import attrgetter

import numpy as np

from fmugen.ir.model import SystemModel
from fmugen.verify.catalogue import Row
from fmugen.verify.charts import Chart
from fmugen.verify.deadline import check_time
from fmugen.verify.evaluate import Jet, Scalar, compile_motion
from fmugen.verify.layout import Layout
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import Length, wrapped
from fmugen.verify.moved import Moved
from fmugen.verify.rotations import Array

_PARTS = attrgetter("value"), attrgetter("rate"), attrgetter("acceleration")


class Constraints:
    """The rows of all elements, with the values they prescribe."""

    def __init__(self, rows: Sequence[Row], layout: Layout, chart: Chart, moved: Moved) -> None:
        self.rows = tuple(rows)
        self._layout, self._chart, self._moved = layout, chart, moved
        self.batch = MeasureBatch([row.measure for row in self.rows], chart)
        #: The constraints that have a position level, and their places among all.
        self.position_rows = tuple(row for row in self.rows if not row.velocity_only)
        self._with_position = np.array([not row.velocity_only for row in self.rows], dtype=bool)
        #: Whether some constraints have a velocity level only.
        self.nonholonomic = len(self.position_rows) < len(self.rows)
        self._positions = (
            MeasureBatch([row.measure for row in self.position_rows], chart)
            if self.nonholonomic
            else self.batch
        )
        self._still = np.array([self._constant(row) for row in self.rows])
        self._moving = [
            (number, compile_motion(self.rows[number].target, layout.parameters))
            for number in np.flatnonzero(np.isnan(self._still)).tolist()
        ]
        self._prescribing = _prescribing(layout.model)
        self._periodic = np.array([row.periodic for row in self.position_rows], dtype=bool)

    @property
    def rods(self) -> list[float]:
        """The constant lengths that constraints prescribe."""
        targets = [self._constant(row) for row in self.rows if isinstance(row.measure, Length)]
        return [target for target in targets if not np.isnan(target)]

    def _constant(self, row: Row) -> float:
        """The target of a row, NaN if it depends on time."""
        known = all(name in self._layout.parameters for name in row.target.names())
        return self._layout.number(row.target) if known else np.nan

    def targets(self, time: float, inputs: Mapping[str, float] | None = None) -> tuple[Array, Array, Array]:
        """The prescribed value, rate and acceleration of every constraint, by ``inputs`` if given.

        A constraint without a position level prescribes a rate; its value is zero.
        """
        value, rate, acceleration = self._still, np.zeros(len(self.rows)), np.zeros(len(self.rows))
        if self._moving:
            values = self._moved(time) if inputs is None else inputs
            jets: dict[str, Scalar] = {
                name: Jet(values[name], values[first], values[second])
                for name, first, second in self._prescribing
            }
            moves = {number: motion(time, jets) for number, motion in self._moving}
            table = [moves.get(number, Jet(target)) for number, target in enumerate(self._still.tolist())]
            value, rate, acceleration = (np.array([part(jet) for jet in table]) for part in _PARTS)
        if self.nonholonomic:
            rates = ~self._with_position
            acceleration = np.where(rates, rate, acceleration)
            rate, value = np.where(rates, value, rate), np.where(rates, 0.0, value)
        return value, rate, acceleration

    def violation(
        self, time: float, coordinates: Array, inputs: Mapping[str, float] | None = None
    ) -> tuple[Array, Array]:
        """Phi - c(t) and its Jacobian with respect to the rates of the moving bodies.

        It has a row for each of ``position_rows``.
        """
        check_time()
        values = self._positions.at(self._chart.posture(coordinates))
        residual = values.value - self.targets(time, inputs)[0][self._with_position]
        if self._periodic.any():
            residual[self._periodic] = wrapped(residual[self._periodic])
        return residual, values.jacobian

    def velocity_rows(
        self, time: float, coordinates: Array, inputs: Mapping[str, float] | None = None
    ) -> tuple[Array, Array]:
        """G and d(t): the rows of all constraints and the rates they prescribe."""
        check_time()
        return self.batch.at(self._chart.posture(coordinates)).jacobian, self.targets(time, inputs)[1]

    def under(self, moved: Moved) -> Constraints:
        """The same constraints under other inputs that change."""
        other = copy(self)
        other._moved = moved
        return other

    def slip(self, time: float, coordinates: Array, velocities: Array) -> float:
        """The largest violation of a constraint on velocities alone (m/s or rad/s)."""
        jacobian, rates = self.velocity_rows(time, coordinates)
        missed = (jacobian @ velocities - rates)[~self._with_position]
        return float(np.max(np.abs(missed), initial=0.0))


def _prescribing(model: SystemModel) -> list[tuple[str, str, str]]:
    """The inputs that have first and second derivatives, with these."""
    rates = {variable.name: variable.rate for variable in model.inputs}
    return [(name, first, second) for name, first in rates.items() if first and (second := rates[first])]
