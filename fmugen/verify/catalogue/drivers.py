"""Drivers: prescribed relative motions, functions of time and inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from fmugen.ir.model import Vector
from fmugen.verify.catalogue.base import Attitude, Parts, Pose, Reader, Relation, Row, StartGuesses, law
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.measures import Measure, angular
from fmugen.verify.rotations import IDENTITY, Array, about


@law("drivers", "rotation")
def rotation(at: Reader) -> Parts:
    """The angle of the head relative to the tail about ``axis`` (z in the plane) is ``value``."""
    quantity = f"{at.name}.angle"
    axis, pose = IDENTITY[2], Pose()
    prescribed: Measure = at.planar_angle()
    watched = prescribed
    if not at.planar:
        triad = at.triad("axis")
        axis = triad[0]
        # The constraint holds whatever the number of turns; the quantity counts them.
        prescribed, watched = at.coupling.angle(triad), at.coupling.angle(triad, at.slot())
        pose = Pose(axle=at.axle(axis, quantity))
    motion = compile_formula(at.formula("value"))

    def relation(starts: StartGuesses) -> Relation:
        angle = motion(starts.values)
        turn = Attitude(at.tail_axes @ about(axis, angle) @ at.head_axes.T, angle)
        return Relation(turn, None, known=True, angles={quantity: angle})

    return Parts(
        (Row(at.name, "angle", prescribed, at.head, at.formula("value")),),
        (angular(at.name, watched),),
        pose=Pose(relation, axle=pose.axle),
        reactions=at.torque_kinds,
    )


@law("drivers", "translation")
def translation(at: Reader) -> Parts:
    """The displacement from tail to head along ``axis``, or all its components, equal ``value``."""
    along = None if at.direction("axis") is None else at.triad("axis")[0]
    rows = tuple(_components(at) if along is None else [_along(at, at.tail_axes @ along)])
    motions = [compile_formula(row.target) for row in rows]

    def relation(starts: StartGuesses) -> Relation:
        values = [motion(starts.values) for motion in motions]
        way = np.append(values, 0.0)[:3] if along is None else values[0] * along
        return Relation(None, at.tail_axes @ way, known=False)

    return Parts(rows, pose=Pose(relation), reactions=at.force_kinds)


def _along(at: Reader, direction: Array) -> Row:
    return Row(at.name, "along the axis", at.in_tail(direction), at.head, at.formula("value"))


def _components(at: Reader) -> Iterator[Row]:
    targets = cast(Vector, at.element.values["value"])
    for number, label in enumerate(at.layout.axes):
        yield Row(at.name, label, at.in_tail(at.tail_axes[:, number]), at.head, targets[number])
