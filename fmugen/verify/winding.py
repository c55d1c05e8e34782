"""How many turns torsion springs in space have at the start.

The posture gives the angle of a spring up to whole turns. Where axles parallel to the spring's axis lead from
one of its ends to the other, the spring has the sum of their turns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from fmugen.verify.catalogue import Axle, Pose
from fmugen.verify.measures import wrapped
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.readings import Readings
from fmugen.verify.rotations import Array

#: Axes are parallel if the sine of the angle between them is below this.
_PARALLEL = 1e-9


class _Turned(NamedTuple):
    """An axle, with its axis in ground axes."""

    axle: Axle
    axis: Array


def with_spring_turns(mechanism: Mechanism, coordinates: Array, given: Collection[str]) -> Array:
    """The coordinates with the turns of springs whose angle has no start value.

    ``given`` are the quantities with start values.
    """
    layout, chart = mechanism.layout, mechanism.chart
    poses = [each.parts.pose for each in mechanism.elements if each.parts.pose is not None]
    springs = {angle: spring for angle, spring in _springs(poses) if angle not in given}
    if layout.planar or not springs:
        return coordinates
    posture = chart.posture(coordinates)
    axles = [_turned(pose.axle, posture.rotation) for pose in poses if pose.axle is not None]
    readings = Readings(mechanism.measures, chart)
    angles = readings.read(posture, chart.twist(np.zeros(mechanism.size)), np.zeros(mechanism.size))
    memory = posture.memory.copy()
    for angle, spring in springs.items():
        path = _path(_turned(spring, posture.rotation), axles)
        if path is not None:
            turned = sum(sign * angles[axle.angle] for axle, sign in path if axle.angle)
            slot = mechanism.remembered.index(angle)
            memory[slot] = turned + wrapped(memory[slot] - turned)
    return chart.remembering(coordinates, memory)


def _springs(poses: Iterable[Pose]) -> Iterator[tuple[str, Axle]]:
    """The springs that count turns, by the quantity that counts them."""
    for pose in poses:
        if pose.wound is not None and pose.wound.angle is not None:
            yield pose.wound.angle, pose.wound


def _turned(axle: Axle, rotations: Array) -> _Turned:
    return _Turned(axle, rotations[axle.tail] @ np.array(axle.axis))


def _path(spring: _Turned, axles: list[_Turned]) -> list[tuple[Axle, float]] | None:
    """The shortest path from tail to head over axles with the axis of the spring, each with its sense."""
    usable = [each for each in axles if np.linalg.norm(np.cross(spring.axis, each.axis)) < _PARALLEL]
    tail, head = spring.axle.tail, spring.axle.head
    paths: dict[int, list[tuple[Axle, float]]] = {tail: []}
    reached = [tail]
    for body in reached:
        for axle, axis in usable:
            forward = axle.tail == body
            end = axle.head if forward else axle.tail
            if body in (axle.tail, axle.head) and end not in paths:
                along = float(np.sign(spring.axis @ axis))
                paths[end] = [*paths[body], (axle, along if forward else -along)]
                reached.append(end)
    return paths.get(head)
