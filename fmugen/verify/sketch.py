"""A first sketch of the posture: walk from the ground outward along joints and drivers.

Angles come first, then positions. Start values of bodies count most, then those of joints and drivers;
where nothing is said a coordinate is taken as zero. The sketch need not close any loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fmugen.ir.model import Driver, DriverType, Joint, JointType
from fmugen.verify.evaluate import compile_motion
from fmugen.verify.layout import Layout
from fmugen.verify.measures import POSE, Array, Place
from fmugen.verify.mechanism import Mechanism


@dataclass(frozen=True)
class _Link:
    """A relation between two bodies; ``known`` when it rests on a start value or a constant."""

    tail: Place
    head: Place
    angle: float | None
    displacement: tuple[float, float] | None
    angle_known: bool


def sketch_poses(mechanism: Mechanism, starts: Mapping[str, float], time: float) -> Array:
    """Rough poses of the moving bodies from start values of any quantity of position."""
    layout = mechanism.layout
    links = [_joint_link(layout, joint, starts) for joint in layout.model.joints]
    links += [_driver_link(layout, driver, time) for driver in layout.model.drivers]
    angles = _sketch_angles(layout, links, starts)
    return _sketch_positions(layout, links, starts, angles)


def _sketch_angles(layout: Layout, links: list[_Link], starts: Mapping[str, float]) -> list[float]:
    angles: dict[int, float] = {layout.ground: 0.0}
    for index, body in enumerate(layout.bodies):
        if f"{body}.angle" in starts:
            angles[index] = starts[f"{body}.angle"]

    def walk(usable: Callable[[_Link], bool]) -> None:
        reached = True
        while reached:
            reached = False
            for link in filter(usable, links):
                tail, head, angle = link.tail.body, link.head.body, link.angle
                if angle is not None and (tail in angles) != (head in angles):
                    reached = True
                    if tail in angles:
                        angles[head] = angles[tail] + angle
                    else:
                        angles[tail] = angles[head] - angle

    walk(lambda link: link.angle_known)
    walk(lambda link: True)
    return [angles.get(index, 0.0) for index in range(layout.ground + 1)]


def _sketch_positions(
    layout: Layout, links: list[_Link], starts: Mapping[str, float], angles: list[float]
) -> Array:
    centres: dict[int, tuple[float, float]] = {layout.ground: (0.0, 0.0)}
    for index, body in enumerate(layout.bodies):
        if f"{body}.x" in starts and f"{body}.y" in starts:
            centres[index] = (starts[f"{body}.x"], starts[f"{body}.y"])
    reached = True
    while reached:
        reached = False
        for link in links:
            tail, head = link.tail.body, link.head.body
            if link.displacement is None or (tail in centres) == (head in centres):
                continue
            reached = True
            dx, dy = _turned(link.displacement, angles[tail])
            tail_x, tail_y = _turned((link.tail.x, link.tail.y), angles[tail])
            head_x, head_y = _turned((link.head.x, link.head.y), angles[head])
            way = (tail_x + dx - head_x, tail_y + dy - head_y)
            if tail in centres:
                centres[head] = (centres[tail][0] + way[0], centres[tail][1] + way[1])
            else:
                centres[tail] = (centres[head][0] - way[0], centres[head][1] - way[1])
    poses = np.zeros(POSE * layout.ground)
    for index, body in enumerate(layout.bodies):
        x, y = centres.get(index, (0.0, 0.0))
        at = POSE * index
        poses[at : at + POSE] = starts.get(f"{body}.x", x), starts.get(f"{body}.y", y), angles[index]
    return poses


def _joint_link(layout: Layout, joint: Joint, starts: Mapping[str, float]) -> _Link:
    def start(kind: str) -> float:
        return starts.get(f"{joint.name}.{kind}", 0.0)

    tail, head = layout.place(joint.tail), layout.place(joint.head)
    if joint.type is JointType.REVOLUTE:
        return _Link(tail, head, start("angle"), (0.0, 0.0), f"{joint.name}.angle" in starts)
    if joint.type is JointType.VIRTUAL:
        known = any(f"{joint.name}.{kind}" in starts for kind in ("x", "y"))
        angle = starts.get(f"{joint.name}.angle")
        return _Link(tail, head, angle, (start("x"), start("y")) if known else None, angle is not None)
    constant = layout.number(joint.angle)
    if joint.type is JointType.WELD:
        return _Link(tail, head, constant, (0.0, 0.0), True)
    x, y = layout.unit(joint.axis, joint.name)
    return _Link(tail, head, constant, (start("s") * x, start("s") * y), True)


def _driver_link(layout: Layout, driver: Driver, time: float) -> _Link:
    tail, head = layout.place(driver.tail), layout.place(driver.head)

    def at_start(number: int) -> float:
        return compile_motion(driver.displacement[number], layout.parameters)(time).value

    if driver.type is DriverType.ROTATION:
        return _Link(tail, head, compile_motion(driver.angle, layout.parameters)(time).value, None, True)
    if driver.axis is not None:
        x, y = layout.unit(driver.axis, driver.name)
        return _Link(tail, head, None, (at_start(0) * x, at_start(0) * y), False)
    return _Link(tail, head, None, (at_start(0), at_start(1)), False)


def _turned(vector: tuple[float, float], angle: float) -> tuple[float, float]:
    cosine, sine = math.cos(angle), math.sin(angle)
    return cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1]
