"""Applied forces: gravity, given loads, springs, dampers and actuators.

An element acts along measures: what it exerts along one is a generalized force by that measure's Jacobian,
which is how it acts on its head and, with the opposite sign, on its tail. Besides the forces the elements
tell their stored energy and the power they feed in, which the energy balance needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from fmugen.ir.formula import TIME
from fmugen.ir.model import Load, LoadType, Spring, SpringType
from fmugen.verify.charts import TWIST, Chart, Posture, Twist
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.layout import Layout, triple
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import Displacement, Length, Measure, Spin
from fmugen.verify.readings import NamedMeasure, Readings, watched_by
from fmugen.verify.rotations import IDENTITY, Array

_Function = Callable[[Mapping[str, float]], float]


class Action(NamedTuple):
    """What an element does: its efforts along its measures, energy, power, and its quantities."""

    efforts: Sequence[float]
    #: Energy stored in the element.
    potential: float = 0.0
    #: Power the element feeds into the mechanism beyond what its stored energy accounts for.
    power: float = 0.0
    quantities: tuple[tuple[str, float], ...] = ()


class Reading(NamedTuple):
    """A state as an element sees it: its measures, their rates, and the values its formulas may use."""

    posture: Posture
    positions: list[float]
    rates: list[float]
    values: Mapping[str, float]


class Element(Protocol):
    """A load or a spring."""

    @property
    def measures(self) -> tuple[Measure, ...]: ...
    def act(self, reading: Reading) -> Action: ...


@dataclass(frozen=True)
class _GivenLoad:
    """A force or torque with given components; its measures are those of the ground's directions."""

    measures: tuple[Measure, ...]
    quantities: tuple[str, ...]
    frame: int
    components: tuple[_Function, _Function, _Function]
    #: Which ground components exist: in the plane two of a force, one of a torque.
    kept: tuple[int, ...]

    def act(self, reading: Reading) -> Action:
        given = np.array([component(reading.values) for component in self.components])
        ground = (reading.posture.rotation[self.frame] @ given).tolist()
        efforts = [ground[number] for number in self.kept]
        power = sum(effort * rate for effort, rate in zip(efforts, reading.rates, strict=True))
        return Action(efforts, power=power, quantities=tuple(zip(self.quantities, efforts, strict=True)))


@dataclass(frozen=True)
class _Spring:
    """Spring, damper and actuator in parallel.

    The first measure is stretched, the last one acted along. They differ only for a torque about an axis
    of the tail between bodies that share no such axis: the rate of the angle is then not the spin.
    """

    measures: tuple[Measure, ...]
    quantity: str
    #: The sign of the quantity: tension is opposite to the effort, a torque is the effort.
    sign: float
    stiffness: float
    damping: float
    free: float
    actuator: _Function

    def act(self, reading: Reading) -> Action:
        stretch, rate = reading.positions[0] - self.free, reading.rates[0]
        elastic = self.stiffness * stretch
        effort = -(elastic + self.damping * rate + self.actuator(reading.values))
        efforts = [0.0] * (len(self.measures) - 1) + [effort]
        return Action(
            efforts,
            potential=0.5 * elastic * stretch,
            power=effort * reading.rates[-1] + elastic * rate,
            quantities=((self.quantity, self.sign * effort),),
        )


class Forces:
    """All applied forces of a mechanism."""

    def __init__(self, layout: Layout, chart: Chart, catalogue: Sequence[NamedMeasure]) -> None:
        model = layout.model
        self._parameters = layout.parameters
        self._elements: list[Element] = [_load(layout, load) for load in model.loads]
        self._elements += [_spring(layout, spring, catalogue) for spring in model.springs]
        self._batch = MeasureBatch(
            [measure for element in self._elements for measure in element.measures], chart
        )
        #: What the formulas of loads and actuators use.
        self.names = frozenset(_names_in_forces(model.loads, model.springs))
        self._board = Readings(watched_by(catalogue, self.names), chart)
        #: Whether any of them depends on accelerations.
        self.accelerated = any(named.acceleration in self.names for named in catalogue)
        masses = np.array([layout.number(body.mass) for body in model.bodies])
        #: The weight of every body; the ground has none.
        self._weights = np.outer(layout.vector(model.gravity), np.append(masses, 0.0))
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
        accelerations: Array | None = None,
    ) -> tuple[Array, list[Action]]:
        """The force on each rate of the chart, and what every element does.

        Without ``accelerations`` they count as zero.
        """
        if not self._elements:
            return self._weight.copy(), []
        if self.accelerated and accelerations is None:
            accelerations = np.zeros_like(velocities)
        readings = self._board.read(posture, twist, velocities, accelerations)
        names = {TIME: time, **self._parameters, **inputs, **readings}
        values = self._batch.at(posture)
        positions, rates = values.value.tolist(), (values.jacobian @ velocities).tolist()
        actions: list[Action] = []
        efforts: list[float] = []
        for element in self._elements:
            mine = slice(len(efforts), len(efforts) + len(element.measures))
            action = element.act(Reading(posture, positions[mine], rates[mine], names))
            efforts.extend(action.efforts)
            actions.append(action)
        force: Array = self._weight + np.array(efforts) @ values.jacobian
        return force, actions

    def gravity_potential(self, posture: Posture) -> float:
        """The energy of the weights relative to the origin of the ground."""
        return -float(np.sum(self._weights * posture.position))


def _load(layout: Layout, load: Load) -> Element:
    tail, head, ground = layout.place(load.tail), layout.place(load.head), layout.ground
    measures: tuple[Measure, ...]
    if load.type is LoadType.FORCE:
        kept = tuple(range(len(layout.axes)))
        kinds = tuple(f"f{axis}" for axis in layout.axes)
        measures = tuple(Displacement(tail, head, ground, triple(IDENTITY[number])) for number in kept)
        formulas = load.force
    else:
        kept = (2,) if layout.planar else (0, 1, 2)
        kinds = ("torque",) if layout.planar else ("tx", "ty", "tz")
        measures = tuple(Spin(tail.body, head.body, ground, triple(IDENTITY[number])) for number in kept)
        formulas = load.torque
    x, y, z = (compile_formula(formula) for formula in formulas)
    names = tuple(f"{load.name}.{kind}" for kind in kinds)
    return _GivenLoad(measures, names, layout.index(load.frame), (x, y, z), kept)


def _spring(layout: Layout, spring: Spring, catalogue: Sequence[NamedMeasure]) -> Element:
    tail, head = layout.place(spring.tail), layout.place(spring.head)
    measures: tuple[Measure, ...]
    if spring.type is SpringType.TRANSLATIONAL:
        measures, kind, sign = (Length(tail, head, layout.ground),), "force", -1.0
    else:
        axis = IDENTITY[2]
        if not layout.planar:
            axis = layout.axes_of(spring.tail) @ layout.triad(spring.axis, None, spring.name)[0]
        angle = next(named.measure for named in catalogue if named.position == f"{spring.name}.angle")
        acting = Spin(tail.body, head.body, tail.body, triple(axis))
        measures, kind, sign = (angle, acting), "torque", 1.0
    return _Spring(
        measures,
        f"{spring.name}.{kind}",
        sign,
        layout.number(spring.stiffness),
        layout.number(spring.damping),
        layout.number(spring.free),
        compile_formula(spring.actuator),
    )


def _names_in_forces(loads: Iterable[Load], springs: Iterable[Spring]) -> Iterator[str]:
    for load in loads:
        for formula in (*load.force, *load.torque):
            yield from formula.names()
    for spring in springs:
        yield from spring.actuator.names()
