"""The quantities of motion that formulas and outputs may name, read off a state.

A named measure has the names of its value, rate and acceleration: ``pin.angle``, ``pin.omega``,
``pin.alpha``. Angles in space are remembered, each in a slot of its own, so that they count turns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fmugen.verify.charts import Chart, Posture, Twist
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import NamedMeasure
from fmugen.verify.rotations import Array


class Readings:
    """Reads quantities of motion off a state."""

    def __init__(self, watched: Sequence[NamedMeasure], chart: Chart) -> None:
        self._named = tuple(watched)
        self._batch = MeasureBatch([named.measure for named in self._named], chart)

    def read(
        self, posture: Posture, twist: Twist, velocities: Array, accelerations: Array | None = None
    ) -> dict[str, float]:
        """The quantities by name; those of acceleration only where accelerations are given."""
        if not self._named:
            return {}
        values = self._batch.at(posture, twist)
        readings: dict[str, float] = {}
        self._note(readings, [named.position for named in self._named], values.value)
        self._note(readings, [named.velocity for named in self._named], values.jacobian @ velocities)
        if accelerations is not None:
            seconds = values.jacobian @ accelerations + values.bias
            self._note(readings, [named.acceleration for named in self._named], seconds)
        return readings

    def memory(self, posture: Posture) -> Array:
        """The values of the remembered angles, in the order of their slots."""
        return self._batch.at(posture).value

    @staticmethod
    def _note(readings: dict[str, float], names: Sequence[str | None], values: Array) -> None:
        readings.update((name, value) for name, value in zip(names, values.tolist(), strict=True) if name)


def watched_by(measures: Sequence[NamedMeasure], names: Collection[str]) -> list[NamedMeasure]:
    """The measures that have any of the given names."""
    return [named for named in measures if any(name in names for name in named.names)]
