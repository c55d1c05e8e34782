"""A first sketch of the posture: walk from the ground outward along joints and drivers.

Rotations come first, then positions. Start values of bodies count most, then those of joints and drivers;
where nothing is said a coordinate is taken as zero. The sketch need not close any loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fmugen.ir.formula import TIME
from fmugen.ir.model import QUATERNION, Body, Driver, DriverType, Joint, JointType
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.layout import Layout
from fmugen.verify.measures import BodyPoint
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.rotations import IDENTITY, Array, about, nearest_rotation, turned

_ONE_ANGLE = (JointType.REVOLUTE, JointType.CYLINDRICAL, JointType.SCREW, JointType.PLANAR)
_FREE_ATTITUDE = (JointType.SPHERICAL, JointType.FREE)


class _Attitude(NamedTuple):
    """A rotation, as a matrix and, in the plane, as an angle that counts turns."""

    matrix: Array
    angle: float = 0.0

    def then(self, other: _Attitude) -> _Attitude:
        return _Attitude(self.matrix @ other.matrix, self.angle + other.angle)

    def back(self) -> _Attitude:
        return _Attitude(self.matrix.T, -self.angle)


_UNTURNED = _Attitude(IDENTITY)


@dataclass(frozen=True)
class _Link:
    """A relation between two bodies; ``known`` when its rotation rests on a start value or a constant.

    ``displacement`` is in the axes of the tail's body; ``vague`` if only its length is meant.
    """

    tail: BodyPoint
    head: BodyPoint
    rotation: _Attitude | None
    displacement: Array | None
    known: bool
    vague: bool = False


def initial_pose(mechanism: Mechanism, starts: Mapping[str, float], time: float) -> Array:
    """Rough coordinates of the moving bodies from start values of any quantity of position."""
    layout = mechanism.layout
    known = {TIME: time, **layout.parameters, **mechanism.moved(time)}
    links = [_Joints(layout, joint, starts).link() for joint in layout.model.joints]
    links += [_driver_link(layout, driver, known) for driver in layout.model.drivers]
    attitudes = _attitudes(layout, links, starts)
    centers = _centers(layout, links, starts, attitudes)
    moving = range(layout.ground)
    driven = _driven_angles(layout, known)
    memory = np.array([{**driven, **starts}.get(name, 0.0) for name in mechanism.remembered])
    return mechanism.chart.coordinates(
        np.array([centers[index] for index in moving]).reshape(-1, 3),
        np.array([attitudes[index].matrix for index in moving]).reshape(-1, 3, 3),
        np.array([attitudes[index].angle for index in moving]),
        memory,
    )


# --- the walk ----------------------------------------------------------------------------------------


def _attitudes(layout: Layout, links: list[_Link], starts: Mapping[str, float]) -> list[_Attitude]:
    attitudes = {layout.ground: _UNTURNED}
    for index, body in enumerate(layout.model.bodies):
        given = _given_attitude(layout, body, starts)
        if given is not None:
            attitudes[index] = given

    def walk(usable: Callable[[_Link], bool]) -> None:
        reached = True
        while reached:
            reached = False
            for link in filter(usable, links):
                tail, head, rotation = link.tail.body, link.head.body, link.rotation
                if rotation is not None and (tail in attitudes) != (head in attitudes):
                    reached = True
                    if tail in attitudes:
                        attitudes[head] = attitudes[tail].then(rotation)
                    else:
                        attitudes[tail] = attitudes[head].then(rotation.back())

    walk(lambda link: link.known)
    walk(lambda link: True)
    return [attitudes.get(index, _UNTURNED) for index in range(layout.ground + 1)]


def _centers(
    layout: Layout, links: list[_Link], starts: Mapping[str, float], attitudes: list[_Attitude]
) -> list[Array]:
    centers: dict[int, Array] = {layout.ground: np.zeros(3)}
    given = [_given_center(layout, body, starts, attitudes) for body in layout.model.bodies]
    for index, center in enumerate(given):
        if not np.any(np.isnan(center)):
            centers[index] = center

    def walk(usable: Callable[[_Link], bool]) -> None:
        reached = True
        while reached:
            reached = False
            for link in filter(usable, links):
                tail, head, displacement = link.tail.body, link.head.body, link.displacement
                if displacement is None or (tail in centers) == (head in centers):
                    continue
                reached = True
                way = attitudes[tail].matrix @ (np.array(link.tail.arm) + displacement)
                way = way - attitudes[head].matrix @ np.array(link.head.arm)
                if tail in centers:
                    centers[head] = centers[tail] + way
                else:
                    centers[tail] = centers[head] - way

    walk(lambda link: not link.vague)
    walk(lambda link: True)
    found = [centers.get(index, np.zeros(3)) for index in range(layout.ground)]
    return [np.where(np.isnan(center), other, center) for center, other in zip(given, found, strict=True)]


def _given_center(
    layout: Layout, body: Body, starts: Mapping[str, float], attitudes: list[_Attitude]
) -> Array:
    """The mass centre as far as start values of a body tell it; components that they do not are NaN."""
    offset = attitudes[layout.index(body.name)].matrix @ layout.center(body.name)
    position = np.zeros(3)
    for number, axis in enumerate(layout.axes):
        of_origin = starts.get(f"{body.name}.{axis}", np.nan) + offset[number]
        position[number] = starts.get(f"{body.center_node}.{axis}", of_origin)
    return position


def _given_attitude(layout: Layout, body: Body, starts: Mapping[str, float]) -> _Attitude | None:
    """The attitude that start values of a body tell: an angle, Euler angles or direction cosines."""
    name = body.name
    if layout.planar:
        angle = starts.get(f"{name}.angle")
        return None if angle is None else _Attitude(about(IDENTITY[2], angle), angle)
    if any(f"{name}.angle{number}" in starts for number in (1, 2, 3)):
        return _Attitude(turned(body.attitude, [starts.get(f"{name}.angle{n}", 0.0) for n in (1, 2, 3)]))
    given = [(i, j) for i in range(3) for j in range(3) if f"{name}.r{'xyz'[i]}{'xyz'[j]}" in starts]
    if not given:
        return None
    matrix = IDENTITY.copy()
    for i, j in given:
        matrix[i, j] = starts[f"{name}.r{'xyz'[i]}{'xyz'[j]}"]
    return _Attitude(nearest_rotation(matrix))


# --- links -------------------------------------------------------------------------------------------


class _Joints:
    """The link that a joint makes for given start values of its coordinates."""

    def __init__(self, layout: Layout, joint: Joint, starts: Mapping[str, float]) -> None:
        self.layout, self.joint = layout, joint
        prefix = f"{joint.name}."
        self.starts = {name.removeprefix(prefix): x for name, x in starts.items() if name.startswith(prefix)}

    def link(self) -> _Link:
        layout, joint = self.layout, self.joint
        tail, head = layout.place(joint.tail), layout.place(joint.head)
        if joint.type is JointType.ROD:
            length = layout.number(joint.length)
            return _Link(tail, head, None, length * IDENTITY[0], known=False, vague=True)
        rotation, displacement = self._rotation(), self._displacement()
        turning = any(name.startswith("angle") for name in self.starts)
        if joint.type is JointType.VIRTUAL:
            sliding = any(name in self.starts for name in ("s", "x", "y", "z"))
            return _Link(
                tail, head, rotation if turning else None, displacement if sliding else None, turning
            )
        fixed = joint.kind in (JointType.PRISMATIC, JointType.WELD, JointType.TRANSLATIONAL)
        return _Link(tail, head, rotation, displacement, known=turning or fixed)

    def _start(self, kind: str) -> float:
        return self.starts.get(kind, 0.0)

    def _rotation(self) -> _Attitude:
        layout, joint = self.layout, self.joint
        if layout.planar:
            moves = joint.kind in (JointType.REVOLUTE, JointType.FREE)
            angle = self._start("angle") if moves else layout.number(joint.angle)
            return _Attitude(about(IDENTITY[2], angle), angle)
        before, after = layout.axes_of(joint.tail), layout.axes_of(joint.head)
        return _Attitude(before @ self._relative_rotation() @ after.T)

    def _relative_rotation(self) -> Array:
        """The rotation from the axes of one attachment to those of the other, in space."""
        layout, joint, kind = self.layout, self.joint, self.joint.kind
        triad = layout.triad(joint.axis, joint.second_axis, joint.name)
        if kind in _ONE_ANGLE:
            return about(triad[0], self._start("angle"))
        if kind is JointType.UNIVERSAL:
            result: Array = about(triad[0], self._start("angle1")) @ about(triad[1], self._start("angle2"))
            return result
        if kind in _FREE_ATTITUDE:
            angles = [self._start(f"angle{number}") for number in (1, 2, 3)]
            return IDENTITY if joint.attitude == QUATERNION else turned(joint.attitude, angles)
        return about(IDENTITY[2], layout.number(joint.angle))

    def _displacement(self) -> Array:
        layout, joint, kind = self.layout, self.joint, self.joint.kind
        triad = layout.triad(joint.axis, joint.second_axis, joint.name)
        if kind is JointType.PLANAR:
            way = self._start("x") * triad[1] + self._start("y") * triad[2]
        elif kind in (JointType.FREE, JointType.TRANSLATIONAL):
            way = np.array([self._start(axis) for axis in "xyz"])
        else:
            way = self._start("s") * triad[0]
        result: Array = layout.axes_of(joint.tail) @ way
        return result


def _driven_angles(layout: Layout, known: Mapping[str, float]) -> dict[str, float]:
    """The angles that rotation drivers prescribe, by the names of their quantities."""
    return {
        f"{driver.name}.angle": compile_formula(driver.angle)(known)
        for driver in layout.model.drivers
        if driver.type is DriverType.ROTATION
    }


def _driver_link(layout: Layout, driver: Driver, known: Mapping[str, float]) -> _Link:
    tail, head = layout.place(driver.tail), layout.place(driver.head)
    before, after = layout.axes_of(driver.tail), layout.axes_of(driver.head)
    if driver.type is DriverType.ROTATION:
        angle = compile_formula(driver.angle)(known)
        axis = IDENTITY[2] if layout.planar else layout.triad(driver.axis, None, driver.name)[0]
        turn = _Attitude(before @ about(axis, angle) @ after.T, angle)
        return _Link(tail, head, turn, None, known=True)
    way = np.array([compile_formula(part)(known) for part in driver.displacement])
    if driver.axis is not None:
        way = way[0] * layout.triad(driver.axis, None, driver.name)[0]
    return _Link(tail, head, None, before @ way, known=False)
