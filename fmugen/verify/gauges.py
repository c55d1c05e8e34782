"""The quantities of motion that formulas and outputs may name, as measures.

A gauge is one measure with the names of its value, rate and acceleration: ``pin.angle``,
``pin.omega``, ``pin.alpha``. The length of a translational spring is the one quantity of motion that
is not a measure; it is computed from two of them.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from dataclasses import dataclass

from fmugen.ir.model import GROUND, Attachment, DriverType, Joint, JointType, SpringType
from fmugen.verify.layout import Layout
from fmugen.verify.measures import Angle, Array, Bank, Displacement, Measure, Place

_AXES = (("x", (1.0, 0.0)), ("y", (0.0, 1.0)))


@dataclass(frozen=True)
class Gauge:
    """A measure and the quantities that are its value, rate and acceleration."""

    measure: Measure
    position: str
    velocity: str
    acceleration: str

    @property
    def names(self) -> tuple[str, str, str]:
        return self.position, self.velocity, self.acceleration


def gauges(layout: Layout) -> Iterator[Gauge]:
    """Every quantity of motion of a model except spring lengths."""
    model, ground = layout.model, layout.ground
    for owner, place in _points(layout):
        for axis, direction in _AXES:
            yield _linear(owner, axis, Displacement(Place(ground), place, ground, direction))
    for body in layout.bodies:
        yield _angular(body, Angle(ground, layout.index(body)))
    for joint in model.joints:
        yield from _joint_gauges(layout, joint)
    for driver in model.drivers:
        if driver.type is DriverType.ROTATION:
            yield _angular(driver.name, _relative_angle(layout, driver.tail, driver.head))
    for spring in model.springs:
        if spring.type is SpringType.ROTATIONAL:
            yield _angular(spring.name, _relative_angle(layout, spring.tail, spring.head))


class GaugeBoard:
    """Reads chosen quantities of motion off a state."""

    def __init__(self, layout: Layout, wanted: Container[str] | None = None) -> None:
        """Watch the ``wanted`` quantities, or all of them."""
        self._gauges = [
            gauge
            for gauge in gauges(layout)
            if wanted is None or any(name in wanted for name in gauge.names[:2])
        ]
        self._springs = [
            spring.name
            for spring in layout.model.springs
            if spring.type is SpringType.TRANSLATIONAL
            and (wanted is None or f"{spring.name}.length" in wanted or f"{spring.name}.speed" in wanted)
        ]
        ends = {spring.name: (spring.tail, spring.head) for spring in layout.model.springs}
        spans = [
            Displacement(layout.place(ends[name][0]), layout.place(ends[name][1]), layout.ground, direction)
            for name in self._springs
            for _, direction in _AXES
        ]
        measures = [gauge.measure for gauge in self._gauges]
        self._bank = Bank([*measures, *spans], len(layout.bodies) + 1)

    def read(self, poses: Array, velocities: Array, accelerations: Array | None = None) -> dict[str, float]:
        """The quantities by name; those of acceleration only where accelerations are given."""
        if not self._bank.measures:
            return {}
        value, jacobian, bias = self._bank.at(poses, velocities)
        rate = jacobian @ velocities
        readings: dict[str, float] = {}
        for row, gauge in enumerate(self._gauges):
            readings[gauge.position] = float(value[row])
            readings[gauge.velocity] = float(rate[row])
        if accelerations is not None:
            second = jacobian @ accelerations + bias
            for row, gauge in enumerate(self._gauges):
                readings[gauge.acceleration] = float(second[row])
        for number, name in enumerate(self._springs):
            row = len(self._gauges) + 2 * number
            (dx, dy), (ux, uy) = value[row : row + 2], rate[row : row + 2]
            length = math.hypot(dx, dy)
            readings[f"{name}.length"] = length
            readings[f"{name}.speed"] = float(dx * ux + dy * uy) / length if length > 0.0 else 0.0
        return readings


def _points(layout: Layout) -> Iterator[tuple[str, Place]]:
    for point in layout.model.ground:
        yield f"{GROUND}.{point.name}", layout.place(Attachment(GROUND, point.name))
    for body in layout.model.bodies:
        yield body.name, layout.place(Attachment(body.name))
        for point in body.points:
            yield f"{body.name}.{point.name}", layout.place(Attachment(body.name, point.name))


def _joint_gauges(layout: Layout, joint: Joint) -> Iterator[Gauge]:
    tail, head = layout.place(joint.tail), layout.place(joint.head)
    if joint.type is JointType.PRISMATIC:
        axis = layout.unit(joint.axis, joint.name)
        slide = Displacement(tail, head, tail.body, axis)
        yield Gauge(slide, f"{joint.name}.s", f"{joint.name}.v", f"{joint.name}.a")
    if joint.type is JointType.VIRTUAL:
        for axis_name, direction in _AXES:
            yield _linear(joint.name, axis_name, Displacement(tail, head, tail.body, direction))
    if joint.type in (JointType.REVOLUTE, JointType.VIRTUAL):
        yield _angular(joint.name, _relative_angle(layout, joint.tail, joint.head))


def _relative_angle(layout: Layout, tail: Attachment, head: Attachment) -> Angle:
    return Angle(layout.index(tail.body), layout.index(head.body))


def _linear(owner: str, axis: str, measure: Measure) -> Gauge:
    return Gauge(measure, f"{owner}.{axis}", f"{owner}.v{axis}", f"{owner}.a{axis}")


def _angular(owner: str, measure: Measure) -> Gauge:
    return Gauge(measure, f"{owner}.angle", f"{owner}.omega", f"{owner}.alpha")
