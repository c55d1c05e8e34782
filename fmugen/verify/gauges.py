"""The quantities of motion that formulas and outputs may name, as measures.

A gauge is one measure with the names of its value, rate and acceleration: ``pin.angle``,
``pin.omega``, ``pin.alpha``. Angles in space are remembered, each in a slot of its own, so that they count
turns.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from fmugen.ir.model import (
    GROUND,
    QUATERNION,
    Attachment,
    Body,
    DriverType,
    Joint,
    JointType,
    Spring,
    SpringType,
    Vector,
)
from fmugen.verify.bank import Bank
from fmugen.verify.charts import Chart, Posture, Twist
from fmugen.verify.couplings import Coupling, coupling, planar_angle
from fmugen.verify.layout import Layout, triple
from fmugen.verify.measures import Displacement, Length, Measure, Place, Spin, Tilt, Turn
from fmugen.verify.rotations import IDENTITY, Array

_SLIDING = (JointType.PRISMATIC, JointType.CYLINDRICAL, JointType.SCREW)
_TURNING = (JointType.REVOLUTE, JointType.CYLINDRICAL, JointType.PLANAR)


@dataclass(frozen=True)
class Gauge:
    """A measure and the quantities that are its value, rate and acceleration, where they have names."""

    measure: Measure
    position: str | None
    velocity: str | None = None
    acceleration: str | None = None

    @property
    def names(self) -> tuple[str | None, str | None, str | None]:
        return self.position, self.velocity, self.acceleration

    @property
    def slot(self) -> int | None:
        """Where the value is remembered."""
        match self.measure:
            case Turn(slot=slot):
                return slot
            case Tilt(branch=branch):
                return branch.slot
        return None


def gauges(layout: Layout) -> tuple[Gauge, ...]:
    """Every quantity of motion of a model."""
    return tuple(_Catalogue(layout).all())


class GaugeBoard:
    """Reads quantities of motion off a state."""

    def __init__(self, watched: Sequence[Gauge], chart: Chart) -> None:
        self._gauges = tuple(watched)
        self._bank = Bank([gauge.measure for gauge in self._gauges], chart)

    def read(
        self, posture: Posture, twist: Twist, velocities: Array, accelerations: Array | None = None
    ) -> dict[str, float]:
        """The quantities by name; those of acceleration only where accelerations are given."""
        if not self._gauges:
            return {}
        values = self._bank.at(posture, twist)
        readings: dict[str, float] = {}
        self._note(readings, [gauge.position for gauge in self._gauges], values.value)
        self._note(readings, [gauge.velocity for gauge in self._gauges], values.jacobian @ velocities)
        if accelerations is not None:
            seconds = values.jacobian @ accelerations + values.bias
            self._note(readings, [gauge.acceleration for gauge in self._gauges], seconds)
        return readings

    def memory(self, posture: Posture) -> Array:
        """The values of the remembered angles, in the order of their slots."""
        return self._bank.at(posture).value

    @staticmethod
    def _note(readings: dict[str, float], names: Sequence[str | None], values: Array) -> None:
        readings.update((name, value) for name, value in zip(names, values.tolist(), strict=True) if name)


def watched_by(catalogue: Sequence[Gauge], names: Collection[str]) -> list[Gauge]:
    """The gauges that tell any of the given names."""
    return [gauge for gauge in catalogue if any(name in names for name in gauge.names)]


class _Catalogue:
    """Makes the gauges of a model, giving slots to angles in space as it meets them."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._slots = count()

    def all(self) -> Iterator[Gauge]:
        layout, model = self.layout, self.layout.model
        for point in model.ground:
            yield from self._point(f"{GROUND}.{point.name}", layout.place(Attachment(GROUND, point.name)))
        for body in model.bodies:
            yield from self._body(body)
        for joint in model.joints:
            yield from self._slides(joint)
            yield from self._turns(joint)
        for driver in model.drivers:
            if driver.type is DriverType.ROTATION:
                yield self._about(driver.name, driver.tail, driver.head, driver.axis)
        for spring in model.springs:
            yield self._spring(spring)

    # --- bodies ----------------------------------------------------------------------------------

    def _point(self, owner: str, place: Place) -> Iterator[Gauge]:
        ground = self.layout.ground
        for axis, direction in zip(self.layout.axes, IDENTITY, strict=False):
            measure = Displacement(Place(ground), place, ground, triple(direction))
            yield _linear(owner, axis, measure)

    def _body(self, body: Body) -> Iterator[Gauge]:
        here, ground = Attachment(body.name), Attachment(GROUND)
        layout = self.layout
        yield from self._point(body.name, layout.place(here))
        if body.center_node != body.name:
            yield from self._point(body.center_node, Place(layout.index(body.name)))
        for point in body.points:
            attachment = Attachment(body.name, point.name)
            yield from self._point(attachment.node, layout.place(attachment))
        if layout.planar:
            yield _angular(body.name, planar_angle(layout, ground, here))
            return
        pair = coupling(layout, ground, here)
        for row, i in enumerate("xyz"):
            for column, j in enumerate("xyz"):
                yield Gauge(pair.entry(row, column), f"{body.name}.r{i}{j}")
        for axis, direction in zip("xyz", IDENTITY, strict=True):
            spin = Spin(pair.tail, pair.head, pair.tail, triple(direction))
            yield Gauge(spin, None, f"{body.name}.w{axis}", f"{body.name}.alpha{axis}")
        yield from self._euler(body.name, pair, body.attitude)

    def _euler(self, owner: str, pair: Coupling, attitude: str) -> Iterator[Gauge]:
        if attitude == QUATERNION:
            return
        slots = next(self._slots), next(self._slots), next(self._slots)
        angles: tuple[Measure, ...] = pair.euler(attitude, slots)
        for number, measure in enumerate(angles, start=1):
            yield _angular(owner, measure, str(number))

    # --- joints ----------------------------------------------------------------------------------

    def _slides(self, joint: Joint) -> Iterator[Gauge]:
        layout, kind = self.layout, joint.kind
        tail, head = layout.place(joint.tail), layout.place(joint.head)
        axes = layout.axes_of(joint.tail)

        def along(direction: Array) -> Displacement:
            return Displacement(tail, head, tail.body, triple(axes @ direction))

        if kind in _SLIDING:
            axis = layout.triad(joint.axis, joint.second_axis, joint.name)[0]
            yield Gauge(along(axis), f"{joint.name}.s", f"{joint.name}.v", f"{joint.name}.a")
        elif kind is JointType.PLANAR:
            triad = layout.triad(joint.axis, joint.second_axis, joint.name)
            for letter, axis in zip("xy", triad[1:], strict=True):
                yield _linear(joint.name, letter, along(axis))
        elif kind in (JointType.FREE, JointType.TRANSLATIONAL):
            for letter, axis in zip(layout.axes, IDENTITY, strict=False):
                yield _linear(joint.name, letter, along(axis))

    def _turns(self, joint: Joint) -> Iterator[Gauge]:
        layout, kind, name = self.layout, joint.kind, joint.name
        if layout.planar:
            if kind in (JointType.REVOLUTE, JointType.FREE):
                yield _angular(name, planar_angle(layout, joint.tail, joint.head))
            return
        pair = coupling(layout, joint.tail, joint.head)
        triad = layout.triad(joint.axis, joint.second_axis, name)
        if kind is JointType.SCREW:
            yield self._screw(joint, pair, triad)
        elif kind in _TURNING:
            yield _angular(name, pair.angle(triad, next(self._slots)))
        elif kind is JointType.UNIVERSAL:
            slots = next(self._slots), next(self._slots)
            for number, measure in enumerate(pair.universal(triad, slots), start=1):
                yield _angular(name, measure, str(number))
        elif kind in (JointType.SPHERICAL, JointType.FREE):
            yield from self._euler(name, pair, joint.attitude)

    def _screw(self, joint: Joint, pair: Coupling, triad: Array) -> Gauge:
        """The angle of a screw, told by its advance, which counts the turns."""
        advance = self.layout.number(joint.lead) / (2.0 * math.pi)
        if advance == 0.0:
            return _angular(joint.name, pair.angle(triad, next(self._slots)))
        tail, head = self.layout.place(joint.tail), self.layout.place(joint.head)
        direction = pair.tail_axes @ triad[0] / advance
        return _angular(joint.name, Displacement(tail, head, tail.body, triple(direction)))

    # --- drivers and springs ---------------------------------------------------------------------

    def _about(self, owner: str, tail: Attachment, head: Attachment, axis: Vector | None) -> Gauge:
        """The angle between two attachments about an axis."""
        if self.layout.planar:
            return _angular(owner, planar_angle(self.layout, tail, head))
        triad = self.layout.triad(axis, None, owner)
        return _angular(owner, coupling(self.layout, tail, head).angle(triad, next(self._slots)))

    def _spring(self, spring: Spring) -> Gauge:
        if spring.type is SpringType.ROTATIONAL:
            return self._about(spring.name, spring.tail, spring.head, spring.axis)
        layout = self.layout
        length = Length(layout.place(spring.tail), layout.place(spring.head), layout.ground)
        return Gauge(length, f"{spring.name}.length", f"{spring.name}.speed")


def _linear(owner: str, axis: str, measure: Measure) -> Gauge:
    return Gauge(measure, f"{owner}.{axis}", f"{owner}.v{axis}", f"{owner}.a{axis}")


def _angular(owner: str, measure: Measure, number: str = "") -> Gauge:
    return Gauge(measure, f"{owner}.angle{number}", f"{owner}.omega{number}", f"{owner}.alpha{number}")
