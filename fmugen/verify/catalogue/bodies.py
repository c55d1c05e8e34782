"""Bodies: inertia, and the quantities of their frames and points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from fmugen.ir.model import GROUND, QUATERNION, Attachment, Point, Tensor
from fmugen.verify.catalogue.base import Attitude, BodyPose, Inertia, Parts, Pose, Reader, StartGuesses, law
from fmugen.verify.couplings import Coupling, coupling, planar_angle
from fmugen.verify.layout import Layout, triple
from fmugen.verify.measures import BodyPoint, Displacement, Measure, NamedMeasure, Spin, angular, linear
from fmugen.verify.rotations import IDENTITY, Array, about, nearest_rotation, turned


@law("bodies", "body")
def body(at: Reader) -> Parts:
    """A rigid body."""
    return Parts(
        measures=(*_frame(at), *attitude_measures(at)),
        inertia=Inertia(at.number("mass"), _matrix(at)),
        pose=Pose(body=lambda starts: BodyPose(given_attitude(at, starts), *_given_position(at, starts))),
    )


def ground_measures(layout: Layout) -> Iterator[NamedMeasure]:
    """The positions of the points of the ground."""
    for point in layout.model.ground:
        yield from point_measures(
            layout, f"{GROUND}.{point.name}", layout.place(Attachment(GROUND, point.name))
        )


def euler_angles(at: Reader, pair: Coupling, attitude: str) -> Iterator[NamedMeasure]:
    """The Euler angles of an attitude; Euler parameters are not quantities."""
    if attitude == QUATERNION:
        return
    slots = at.slot(), at.slot(), at.slot()
    angles: tuple[Measure, ...] = pair.euler(attitude, slots)
    for number, measure in enumerate(angles, start=1):
        yield angular(at.name, measure, str(number))


def _center_node(at: Reader) -> str:
    """The owner of the quantities of the mass centre: the body itself unless its frame sits elsewhere."""
    center = at.direction("center") or ()
    return at.name if all(component.number == 0 for component in center) else f"{at.name}.center"


def _frame(at: Reader) -> Iterator[NamedMeasure]:
    layout, name = at.layout, at.name
    yield from point_measures(layout, name, layout.place(Attachment(name)))
    if _center_node(at) != name:
        yield from point_measures(layout, _center_node(at), BodyPoint(layout.index(name)))
    for point in cast("tuple[Point, ...]", at.element.values["points"]):
        attachment = Attachment(name, point.name)
        yield from point_measures(layout, attachment.node, layout.place(attachment))


def point_measures(layout: Layout, owner: str, place: BodyPoint) -> Iterator[NamedMeasure]:
    ground = layout.ground
    for axis, direction in zip(layout.axes, IDENTITY, strict=False):
        yield linear(owner, axis, Displacement(BodyPoint(ground), place, ground, triple(direction)))


def attitude_measures(at: Reader) -> Iterator[NamedMeasure]:
    name, here, ground = at.name, Attachment(at.name), Attachment(GROUND)
    if at.planar:
        yield angular(name, planar_angle(at.layout, ground, here))
        return
    pair = coupling(at.layout, ground, here)
    for row, i in enumerate("xyz"):
        for column, j in enumerate("xyz"):
            yield NamedMeasure(pair.entry(row, column), f"{name}.r{i}{j}")
    for axis, direction in zip("xyz", IDENTITY, strict=True):
        spin = Spin(pair.tail, pair.head, pair.tail, triple(direction))
        yield NamedMeasure(spin, None, f"{name}.w{axis}", f"{name}.alpha{axis}")
    yield from euler_angles(at, pair, at.text("attitude"))


def _matrix(at: Reader) -> Array:
    tensor = cast(Tensor, at.element.values["inertia"])
    xx, yy, zz, xy, xz, yz = (
        at.layout.number(entry)
        for entry in (tensor.xx, tensor.yy, tensor.zz, tensor.xy, tensor.xz, tensor.yz)
    )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# --- start values --------------------------------------------------------------------------------


def _given_position(at: Reader, starts: StartGuesses) -> tuple[Array, Array]:
    """Origin and mass centre; where the frame sits at the mass centre they are the same."""
    axes = at.layout.axes
    center = "" if _center_node(at) == at.name else "center."
    origin, middle = np.zeros(3), np.zeros(3)
    origin[: len(axes)] = [starts.own.get(axis, np.nan) for axis in axes]
    middle[: len(axes)] = [starts.own.get(f"{center}{axis}", np.nan) for axis in axes]
    return origin, middle


def given_attitude(at: Reader, starts: StartGuesses) -> Attitude | None:
    """The attitude by an angle, Euler angles or direction cosines."""
    own = starts.own
    if at.planar:
        angle = own.get("angle")
        return None if angle is None else Attitude(about(IDENTITY[2], angle), angle)
    if any(f"angle{number}" in own for number in (1, 2, 3)):
        return Attitude(turned(at.text("attitude"), [starts(f"angle{number}") for number in (1, 2, 3)]))
    given = [(i, j) for i in range(3) for j in range(3) if f"r{'xyz'[i]}{'xyz'[j]}" in own]
    if not given:
        return None
    matrix = IDENTITY.copy()
    for i, j in given:
        matrix[i, j] = own[f"r{'xyz'[i]}{'xyz'[j]}"]
    return Attitude(nearest_rotation(matrix))
