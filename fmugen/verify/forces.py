"""Applied forces: gravity, and the force laws of all elements.

A law acts along measures: an effort along one is a generalized force by that measure's Jacobian. It acts on
its head and, with the opposite sign, on its tail. A law also gives its stored energy, the power it feeds in,
which the energy balance needs, and the rates of its states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.formula import TIME
from fmugen.verify.catalogue import Action, ElementParts, ForceLaw, Inertia, Observation
from fmugen.verify.charts import TWIST, Chart, Posture, Twist
from fmugen.verify.layout import Layout
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import NamedMeasure
from fmugen.verify.readings import Readings, watched_by
from fmugen.verify.rotations import Array


class ForceState(NamedTuple):
    """A state of an element: its quantity, default start value and usual size."""

    name: str
    start: float
    nominal: float


class _Placed(NamedTuple):
    """A law with the places of its measures and of its element's states."""

    law: ForceLaw
    measures: slice
    states: slice


class Forces:
    """All applied forces of a mechanism."""

    def __init__(
        self,
        layout: Layout,
        chart: Chart,
        elements: Sequence[ElementParts],
        measures: Sequence[NamedMeasure],
        inertias: Sequence[Inertia],
    ) -> None:
        self._parameters = layout.parameters
        #: The states of force laws, element after element.
        self.states = tuple(
            ForceState(f"{each.name}.{state.kind}", state.start, state.nominal)
            for each in elements
            for state in each.parts.states
        )
        self._laws = _placed(elements)
        self._batch = MeasureBatch([m for placed in self._laws for m in placed.law.measures], chart)
        #: The names that the laws read.
        self.names = frozenset(name for placed in self._laws for name in placed.law.names)
        self._readings = Readings(watched_by(measures, self.names), chart)
        #: Whether any of them depends on accelerations.
        self.accelerated = any(named.acceleration in self.names for named in measures)
        masses = np.array([inertia.mass for inertia in inertias])
        #: The weight of every body; the ground has none.
        self._weights = np.outer(layout.vector(layout.model.gravity), np.append(masses, 0.0))
        twists = np.zeros((len(masses) + 1, TWIST))
        twists[:, :3] = self._weights.T
        self._weight = twists.reshape(-1)[chart.columns]

    def generalized(
        self,
        time: float,
        posture: Posture,
        twist: Twist,
        velocities: Array,
        inputs: Mapping[str, float],
        states: Array,
        accelerations: Array | None = None,
    ) -> tuple[Array, list[Action]]:
        """The force on each rate of the chart, and what every law does.

        ``states`` are those of the force laws. Without ``accelerations`` they count as zero.
        """
        if not self._laws:
            return self._weight.copy(), []
        if self.accelerated and accelerations is None:
            accelerations = np.zeros_like(velocities)
        readings = self._readings.read(posture, twist, velocities, accelerations)
        own = states.tolist()
        names = {TIME: time, **self._parameters, **inputs, **readings, **self.state_values(states)}
        values = self._batch.at(posture)
        positions, rates = values.value.tolist(), (values.jacobian @ velocities).tolist()
        actions: list[Action] = []
        efforts: list[float] = []
        for law, mine, held in self._laws:
            seen = Observation(posture, positions[mine], rates[mine], names, own[held])
            action = law.act(seen)
            efforts.extend(action.efforts)
            actions.append(action)
        force: Array = self._weight + np.array(efforts) @ values.jacobian
        return force, actions

    def state_values(self, states: Array) -> dict[str, float]:
        """The states by the names of their quantities."""
        return {state.name: value for state, value in zip(self.states, states.tolist(), strict=True)}

    def state_rates(self, actions: Sequence[Action]) -> Array:
        """The rates of all states.

        Raises
        ------
        VerificationError
            If the laws of an element do not give a rate for each of its states.
        """
        rates = [rate for action in actions for rate in action.rates]
        if len(rates) != len(self.states):
            raise VerificationError(
                f"force laws give {len(rates)} rates for {len(self.states)} states: return one for each state"
            )
        return np.array(rates) if rates else np.zeros(0)

    def gravity_potential(self, posture: Posture) -> float:
        """The energy of the weights relative to the origin of the ground."""
        found: float = -np.sum(self._weights * posture.position)
        return found


def _placed(elements: Sequence[ElementParts]) -> list[_Placed]:
    placed = []
    measures = states = 0
    for each in elements:
        held = slice(states, states + len(each.parts.states))
        for law in each.parts.actions:
            placed.append(_Placed(law, slice(measures, measures + len(law.measures)), held))
            measures += len(law.measures)
        states = held.stop
    return placed
