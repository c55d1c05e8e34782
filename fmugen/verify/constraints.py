"""Joints and drivers as scalar constraints: measures that equal functions of time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fmugen.ir.formula import ZERO, Formula
from fmugen.ir.model import Driver, DriverType, Joint, JointType
from fmugen.verify.couplings import coupling, planar_angle
from fmugen.verify.layout import Layout, triple
from fmugen.verify.measures import BodyPoint, Cosine, Displacement, Length, Measure, ScrewGap, Turn
from fmugen.verify.rotations import IDENTITY, Array, about

_SLIDING = (JointType.PRISMATIC, JointType.CYLINDRICAL, JointType.SCREW)
_TURNING = (JointType.REVOLUTE, JointType.CYLINDRICAL, JointType.SCREW, JointType.PLANAR)
_FIXED_ROTATION = (JointType.PRISMATIC, JointType.WELD, JointType.TRANSLATIONAL)
_FREE_TRANSLATION = (JointType.FREE, JointType.TRANSLATIONAL, JointType.VIRTUAL)


@dataclass(frozen=True)
class Row:
    """A scalar constraint of an element; its reaction is told at ``head``."""

    element: str
    label: str
    measure: Measure
    head: BodyPoint
    target: Formula = ZERO

    @property
    def name(self) -> str:
        return f"{self.element}, {self.label}"

    @property
    def periodic(self) -> bool:
        """Whether whole turns make no difference."""
        return isinstance(self.measure, Turn)


def constraint_rows(layout: Layout) -> Iterator[Row]:
    """All constraints of a model."""
    for joint in layout.model.joints:
        yield from _translation(layout, joint)
        yield from _rotation(layout, joint)
    for driver in layout.model.drivers:
        yield from _driver(layout, driver)


def upright(layout: Layout) -> Iterator[Cosine]:
    """Cosines that are one: the constraints of a joint alone would allow a part to sit upside down."""
    if layout.planar:
        return
    for joint in layout.model.joints:
        if joint.type in _TURNING:
            along = layout.triad(joint.axis, joint.second_axis, joint.name)[0]
            yield coupling(layout, joint.tail, joint.head).cosine(along, along)
        if joint.type in _FIXED_ROTATION:
            pair, turn = coupling(layout, joint.tail, joint.head), _constant_turn(layout, joint)
            for axis in IDENTITY:
                yield pair.cosine(turn @ axis, axis)


# --- joints ------------------------------------------------------------------------------------------


def _translation(layout: Layout, joint: Joint) -> Iterator[Row]:
    tail, head = layout.place(joint.tail), layout.place(joint.head)
    if joint.type in _FREE_TRANSLATION:
        return
    if joint.type is JointType.ROD:
        yield Row(joint.name, "length", Length(tail, head, layout.ground), head, joint.length)
    elif joint.type in _SLIDING:
        for direction in _tail_triad(layout, joint)[1 : len(layout.axes)]:
            measure = Displacement(tail, head, tail.body, triple(direction))
            yield Row(joint.name, "across the axis", measure, head)
    elif joint.type is JointType.PLANAR:
        normal = triple(_tail_triad(layout, joint)[0])
        yield Row(joint.name, "along the normal", Displacement(tail, head, tail.body, normal), head)
    else:
        for label, direction in zip(layout.axes, IDENTITY, strict=False):
            yield Row(joint.name, label, Displacement(tail, head, layout.ground, triple(direction)), head)


def _rotation(layout: Layout, joint: Joint) -> Iterator[Row]:
    head = layout.place(joint.head)
    if layout.planar:
        if joint.type in _FIXED_ROTATION:
            angle = planar_angle(layout, joint.tail, joint.head)
            yield Row(joint.name, "angle", angle, head, joint.angle)
        return
    pair = coupling(layout, joint.tail, joint.head)
    along, across, third = triad = layout.triad(joint.axis, joint.second_axis, joint.name)
    if joint.type in _TURNING:
        for direction in (across, third):
            yield Row(joint.name, "direction of the axis", pair.cosine(direction, along), head)
    if joint.type is JointType.SCREW:
        slide = Displacement(layout.place(joint.tail), head, pair.tail, triple(_tail_triad(layout, joint)[0]))
        gap = ScrewGap(slide, pair.angle(triad), layout.number(joint.lead) / (2.0 * math.pi))
        yield Row(joint.name, "advance", gap, head)
    if joint.type is JointType.UNIVERSAL:
        yield Row(joint.name, "angle of the axes", pair.cosine(along, across), head)
    if joint.type in _FIXED_ROTATION:
        turn = _constant_turn(layout, joint)
        for label, (one, other) in zip("zxy", ((0, 1), (1, 2), (2, 0)), strict=True):
            measure = pair.cosine(turn @ IDENTITY[one], IDENTITY[other])
            yield Row(joint.name, f"angle about {label}", measure, head)


def _tail_triad(layout: Layout, joint: Joint) -> Array:
    """The joint's triad in the axes of the tail's body, as rows."""
    result: Array = layout.triad(joint.axis, joint.second_axis, joint.name) @ layout.axes_of(joint.tail).T
    return result


def _constant_turn(layout: Layout, joint: Joint) -> Array:
    return about(IDENTITY[2], layout.number(joint.angle))


# --- drivers -----------------------------------------------------------------------------------------


def _driver(layout: Layout, driver: Driver) -> Iterator[Row]:
    tail, head = layout.place(driver.tail), layout.place(driver.head)
    if driver.type is DriverType.ROTATION:
        angle = _driven_angle(layout, driver)
        yield Row(driver.name, "angle", angle, head, driver.angle)
        return
    axes = layout.axes_of(driver.tail)
    if driver.axis is not None:
        along = axes @ layout.triad(driver.axis, None, driver.name)[0]
        measure = Displacement(tail, head, tail.body, triple(along))
        yield Row(driver.name, "along the axis", measure, head, driver.displacement[0])
        return
    for number, label in enumerate(layout.axes):
        measure = Displacement(tail, head, tail.body, triple(axes[:, number]))
        yield Row(driver.name, label, measure, head, driver.displacement[number])


def _driven_angle(layout: Layout, driver: Driver) -> Measure:
    if layout.planar:
        return planar_angle(layout, driver.tail, driver.head)
    triad = layout.triad(driver.axis, None, driver.name)
    return coupling(layout, driver.tail, driver.head).angle(triad)
