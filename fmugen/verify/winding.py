"""How far torsion springs in space are wound at the start.

The posture tells the angle of a spring up to whole turns. Where joints and drivers with the axis of the
spring lead from one of its ends to the other, it is wound as far as these have turned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from fmugen.ir.model import Driver, DriverType, Joint, JointType, Spring, SpringType
from fmugen.verify.measure_batch import wrapped
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.readings import Readings
from fmugen.verify.rotations import Array

_TURNING = (JointType.REVOLUTE, JointType.CYLINDRICAL, JointType.SCREW, JointType.PLANAR)
_RIGID = (JointType.PRISMATIC, JointType.WELD, JointType.TRANSLATIONAL)
#: Axes are parallel if the sine of the angle between them is below this.
_PARALLEL = 1e-9


class _Axle(NamedTuple):
    """An element between two bodies: its angle about an axis, in ground axes; no angle if it is rigid."""

    tail: int
    head: int
    axis: Array
    angle: str | None


def wound(mechanism: Mechanism, coordinates: Array, told: Collection[str]) -> Array:
    """The coordinates with the angles of springs that no start value, one of ``told``, is given for."""
    layout, chart = mechanism.layout, mechanism.chart
    open_springs = [
        spring
        for spring in layout.model.springs
        if spring.type is SpringType.ROTATIONAL and f"{spring.name}.angle" not in told
    ]
    if layout.planar or not open_springs:
        return coordinates
    posture = chart.posture(coordinates)
    axles = list(_axles(mechanism, posture.rotation))
    readings = Readings(mechanism.measures, chart)
    angles = readings.read(posture, chart.twist(np.zeros(mechanism.size)), np.zeros(mechanism.size))
    memory = posture.memory.copy()
    for spring in open_springs:
        way = _way(mechanism, spring, axles, posture.rotation)
        if way is not None:
            turned = sum(sign * angles[axle.angle] for axle, sign in way if axle.angle)
            slot = mechanism.remembered.index(f"{spring.name}.angle")
            memory[slot] = turned + wrapped(memory[slot] - turned)
    return chart.remembering(coordinates, memory)


def _axles(mechanism: Mechanism, rotations: Array) -> Iterator[_Axle]:
    for joint in mechanism.model.joints:
        if joint.type in (*_TURNING, *_RIGID):
            turning = joint.type in _TURNING
            yield _axle(mechanism, rotations, joint, f"{joint.name}.angle" if turning else None)
    for driver in mechanism.model.drivers:
        if driver.type is DriverType.ROTATION:
            yield _axle(mechanism, rotations, driver, f"{driver.name}.angle")


def _axle(mechanism: Mechanism, rotations: Array, element: Joint | Driver, angle: str | None) -> _Axle:
    layout = mechanism.layout
    second = element.second_axis if isinstance(element, Joint) else None
    tail, head = layout.index(element.tail.body), layout.index(element.head.body)
    axis = layout.triad(element.axis, second, element.name)[0] if angle else np.zeros(3)
    return _Axle(tail, head, rotations[tail] @ layout.axes_of(element.tail) @ axis, angle)


def _way(
    mechanism: Mechanism, spring: Spring, axles: list[_Axle], rotations: Array
) -> list[tuple[_Axle, float]] | None:
    """The shortest way from tail to head over axles with the axis of the spring, each with its sense."""
    layout = mechanism.layout
    tail, head = layout.index(spring.tail.body), layout.index(spring.head.body)
    axis = rotations[tail] @ layout.axes_of(spring.tail) @ layout.triad(spring.axis, None, spring.name)[0]
    usable = [axle for axle in axles if np.linalg.norm(np.cross(axis, axle.axis)) < _PARALLEL]
    ways: dict[int, list[tuple[_Axle, float]]] = {tail: []}
    reached = [tail]
    for body in reached:
        for axle in usable:
            forward = axle.tail == body
            end = axle.head if forward else axle.tail
            if body in (axle.tail, axle.head) and end not in ways:
                along = float(np.sign(axis @ axle.axis))
                ways[end] = [*ways[body], (axle, along if forward else -along)]
                reached.append(end)
    return ways.get(head)
