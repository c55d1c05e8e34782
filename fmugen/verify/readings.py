"""The quantities of motion that formulas and outputs may name, as measures.

A named measure is one measure with the names of its value, rate and acceleration: ``pin.angle``,
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
from fmugen.verify.charts import Chart, Posture, Twist
from fmugen.verify.couplings import Coupling, coupling, planar_angle
from fmugen.verify.layout import Layout, triple
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import BodyPoint, Displacement, Length, Measure, Spin, Tilt, Turn
from fmugen.verify.rotations import IDENTITY, Array

_SLIDING = (JointType.PRISMATIC, JointType.CYLINDRICAL, JointType.SCREW)
_TURNING = (JointType.REVOLUTE, JointType.CYLINDRICAL, JointType.PLANAR)


@dataclass(frozen=True)
class NamedMeasure:
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


def named_measures(layout: Layout) -> tuple[NamedMeasure, ...]:
    """Every quantity of motion of a model."""
    return tuple(_Catalogue(layout).all())


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


def watched_by(catalogue: Sequence[NamedMeasure], names: Collection[str]) -> list[NamedMeasure]:
    """The measures that tell any of the given names."""
    return [named for named in catalogue if any(name in names for name in named.names)]


class _Catalogue:
    """Makes the measures of a model, giving slots to angles in space as it meets them."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._slots = count()

    def all(self) -> Iterator[NamedMeasure]:
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

    def _point(self, owner: str, place: BodyPoint) -> Iterator[NamedMeasure]:
        ground = self.layout.ground
        for axis, direction in zip(self.layout.axes, IDENTITY, strict=False):
            measure = Displacement(BodyPoint(ground), place, ground, triple(direction))
            yield _linear(owner, axis, measure)

    def _body(self, body: Body) -> Iterator[NamedMeasure]:
        here, ground = Attachment(body.name), Attachment(GROUND)
        layout = self.layout
        yield from self._point(body.name, layout.place(here))
        if body.center_node != body.name:
            yield from self._point(body.center_node, BodyPoint(layout.index(body.name)))
        for point in body.points:
            attachment = Attachment(body.name, point.name)
            yield from self._point(attachment.node, layout.place(attachment))
        if layout.planar:
            yield _angular(body.name, planar_angle(layout, ground, here))
            return
        pair = coupling(layout, ground, here)
        for row, i in enumerate("xyz"):
            for column, j in enumerate("xyz"):
                yield NamedMeasure(pair.entry(row, column), f"{body.name}.r{i}{j}")
        for axis, direction in zip("xyz", IDENTITY, strict=True):
            spin = Spin(pair.tail, pair.head, pair.tail, triple(direction))
            yield NamedMeasure(spin, None, f"{body.name}.w{axis}", f"{body.name}.alpha{axis}")
        yield from self._euler(body.name, pair, body.attitude)

    def _euler(self, owner: str, pair: Coupling, attitude: str) -> Iterator[NamedMeasure]:
        if attitude == QUATERNION:
            return
        slots = next(self._slots), next(self._slots), next(self._slots)
        angles: tuple[Measure, ...] = pair.euler(attitude, slots)
        for number, measure in enumerate(angles, start=1):
            yield _angular(owner, measure, str(number))

    # --- joints ----------------------------------------------------------------------------------

    def _slides(self, joint: Joint) -> Iterator[NamedMeasure]:
        layout, kind = self.layout, joint.kind
        tail, head = layout.place(joint.tail), layout.place(joint.head)
        axes = layout.axes_of(joint.tail)

        def along(direction: Array) -> Displacement:
            return Displacement(tail, head, tail.body, triple(axes @ direction))

        if kind in _SLIDING:
            axis = layout.triad(joint.axis, joint.second_axis, joint.name)[0]
            yield NamedMeasure(along(axis), f"{joint.name}.s", f"{joint.name}.v", f"{joint.name}.a")
        elif kind is JointType.PLANAR:
            triad = layout.triad(joint.axis, joint.second_axis, joint.name)
            for letter, axis in zip("xy", triad[1:], strict=True):
                yield _linear(joint.name, letter, along(axis))
        elif kind in (JointType.FREE, JointType.TRANSLATIONAL):
            for letter, axis in zip(layout.axes, IDENTITY, strict=False):
                yield _linear(joint.name, letter, along(axis))

    def _turns(self, joint: Joint) -> Iterator[NamedMeasure]:
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

    def _screw(self, joint: Joint, pair: Coupling, triad: Array) -> NamedMeasure:
        """The angle of a screw, told by its advance, which counts the turns."""
        advance = self.layout.number(joint.lead) / (2.0 * math.pi)
        if advance == 0.0:
            return _angular(joint.name, pair.angle(triad, next(self._slots)))
        tail, head = self.layout.place(joint.tail), self.layout.place(joint.head)
        direction = pair.tail_axes @ triad[0] / advance
        return _angular(joint.name, Displacement(tail, head, tail.body, triple(direction)))

    # --- drivers and springs ---------------------------------------------------------------------

    def _about(self, owner: str, tail: Attachment, head: Attachment, axis: Vector | None) -> NamedMeasure:
        """The angle between two attachments about an axis."""
        if self.layout.planar:
            return _angular(owner, planar_angle(self.layout, tail, head))
        triad = self.layout.triad(axis, None, owner)
        return _angular(owner, coupling(self.layout, tail, head).angle(triad, next(self._slots)))

    def _spring(self, spring: Spring) -> NamedMeasure:
        if spring.type is SpringType.ROTATIONAL:
            return self._about(spring.name, spring.tail, spring.head, spring.axis)
        layout = self.layout
        length = Length(layout.place(spring.tail), layout.place(spring.head), layout.ground)
        return NamedMeasure(length, f"{spring.name}.length", f"{spring.name}.speed")


def _linear(owner: str, axis: str, measure: Measure) -> NamedMeasure:
    return NamedMeasure(measure, f"{owner}.{axis}", f"{owner}.v{axis}", f"{owner}.a{axis}")


def _angular(owner: str, measure: Measure, number: str = "") -> NamedMeasure:
    return NamedMeasure(measure, f"{owner}.angle{number}", f"{owner}.omega{number}", f"{owner}.alpha{number}")
