"""Joints: constraints between two attachments, and the coordinates that they leave free."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from fmugen.ir.formula import ZERO
from fmugen.ir.model import QUATERNION, X_AXIS
from fmugen.verify.catalogue.base import (
    Attitude,
    Parts,
    Pose,
    Reader,
    Relation,
    Row,
    StartGuesses,
    law,
    law_of,
)
from fmugen.verify.catalogue.bodies import euler_angles
from fmugen.verify.measures import Length, Measure, NamedMeasure, ScrewGap, angular, linear
from fmugen.verify.rotations import IDENTITY, Array, about, turned

_Start = Callable[[StartGuesses], Array]
_Turn = Callable[[StartGuesses], tuple[Array, float]]


# --- the types -----------------------------------------------------------------------------------


@law("joints", "revolute")
def revolute(at: Reader) -> Parts:
    """Turns about ``axis``."""
    if at.planar:
        return _joint(at, (*_coincident(at),), (_angle(at),), turn=_about(IDENTITY[2]))
    triad = at.triad("axis", X_AXIS)
    rows = (*_coincident(at), *_aligned(at, triad))
    return _axial(at, rows, (_angle(at, triad),), triad)


@law("joints", "prismatic")
def prismatic(at: Reader) -> Parts:
    """Slides along ``axis``, turned by the constant ``angle`` about z."""
    triad, turn = at.triad("axis", X_AXIS), at.number("angle")
    rows = (*_across(at, triad), *_unturned(at, "angle", turn))
    return _rigid(at, rows, (_slide(at, triad),), turn, slide=lambda start: start("s") * triad[0])


@law("joints", "universal")
def universal(at: Reader) -> Parts:
    """Turns about ``axis``, fixed in the tail, then about ``second_axis``, fixed in the head."""
    along, across, _ = triad = at.triad("axis", at.direction("second_axis"))
    rows = (*_coincident(at), _row(at, "angle of the axes", at.coupling.cosine(along, across)))
    angles = at.coupling.universal(triad, (at.slot(), at.slot()))
    measures = tuple(angular(at.name, measure, str(n)) for n, measure in enumerate(angles, start=1))

    def turn(start: StartGuesses) -> tuple[Array, float]:
        return about(along, start("angle1")) @ about(across, start("angle2")), 0.0

    return _joint(at, rows, measures, turn=turn)


@law("joints", "spherical")
def spherical(at: Reader) -> Parts:
    """Turns about a point."""
    measures = tuple(euler_angles(at, at.coupling, at.text("attitude")))
    return _joint(at, tuple(_coincident(at)), measures, turn=_by_attitude(at))


@law("joints", "cylindrical")
def cylindrical(at: Reader) -> Parts:
    """Turns about ``axis`` and slides along it."""
    triad = at.triad("axis", X_AXIS)
    rows = (*_across(at, triad), *_aligned(at, triad))
    measures = (_slide(at, triad), _angle(at, triad))
    return _axial(at, rows, measures, triad, slide=lambda start: start("s") * triad[0])


@law("joints", "planar")
def planar(at: Reader) -> Parts:
    """Slides across its normal ``axis`` and turns about it; x is on the side of ``second_axis``."""
    triad = at.triad("axis", at.direction("second_axis"))
    normal = at.in_tail(_in_body(at, triad)[0])
    rows = (_row(at, "along the normal", normal), *_aligned(at, triad))
    slides = tuple(
        linear(at.name, letter, at.in_tail(at.tail_axes @ axis))
        for letter, axis in zip("xy", triad[1:], strict=True)
    )

    def slide(start: StartGuesses) -> Array:
        result: Array = start("x") * triad[1] + start("y") * triad[2]
        return result

    return _axial(at, rows, (*slides, _angle(at, triad)), triad, slide=slide)


@law("joints", "weld")
def weld(at: Reader) -> Parts:
    """Does not move; ``angle`` is its constant rotation about z."""
    turn = at.number("angle")
    return _rigid(at, (*_coincident(at), *_unturned(at, "angle", turn)), (), turn)


@law("joints", "free")
def free(at: Reader) -> Parts:
    """Moves freely."""
    if at.planar:
        return _joint(at, (), (*_slides(at), _angle(at)), turn=_about(IDENTITY[2]), slide=_displaced)
    angles = euler_angles(at, at.coupling, at.text("attitude"))
    return _joint(at, (), (*_slides(at), *angles), turn=_by_attitude(at), slide=_displaced)


@law("joints", "translational")
def translational(at: Reader) -> Parts:
    """Slides in all directions and does not turn."""
    return _rigid(at, tuple(_unturned(at, None, 0.0)), tuple(_slides(at)), 0.0, slide=_displaced)


@law("joints", "screw")
def screw(at: Reader) -> Parts:
    """Turns about ``axis`` and advances along it by ``lead`` per turn."""
    triad, advance = at.triad("axis", X_AXIS), at.number("lead") / (2.0 * math.pi)
    gap = ScrewGap(at.in_tail(_in_body(at, triad)[0]), at.coupling.angle(triad), advance)
    rows = (*_across(at, triad), *_aligned(at, triad), _row(at, "advance", gap))
    if advance == 0.0:
        angle = _angle(at, triad)
    else:  # The advance counts the turns.
        angle = angular(at.name, at.in_tail(at.coupling.tail_axes @ triad[0] / advance))
    measures = (_slide(at, triad), angle)
    return _axial(at, rows, measures, triad, slide=lambda start: start("s") * triad[0])


@law("joints", "rod")
def rod(at: Reader) -> Parts:
    """Two points at the constant distance ``length``."""
    length = at.number("length")
    distance = Length(at.tail, at.head, at.ground)
    row = Row(at.name, "length", distance, at.head, at.formula("length"), effort="tension")
    relation = Relation(None, length * IDENTITY[0], known=False, vague=True)
    return Parts((row,), pose=Pose(lambda starts: relation), reactions=("tension", *at.force_kinds))


@law("joints", "virtual")
def virtual(at: Reader) -> Parts:
    """Constrains nothing; has the coordinates of a joint of the type ``like``."""
    model = law_of("joints", at.text("like"))(at)
    relation = model.pose.relation if model.pose else None

    def loose(starts: StartGuesses) -> Relation:
        found = relation(starts) if relation else Relation(None, None, known=False)
        return replace(
            found,
            rotation=found.rotation if starts.turning else None,
            displacement=found.displacement if starts.sliding else None,
            known=starts.turning,
        )

    return Parts(measures=model.measures, pose=Pose(loose))


# --- what types share ----------------------------------------------------------------------------


def _joint(
    at: Reader,
    rows: tuple[Row, ...],
    measures: tuple[NamedMeasure, ...],
    *,
    turn: _Turn,
    slide: _Start = lambda start: np.zeros(3),
    fixed: bool = False,
    pose: Pose | None = None,
) -> Parts:
    """A joint from its rows, coordinates, and the pose that start values of the coordinates give.

    ``turn`` and ``slide`` are in the axes of the attachments.
    """
    before, after = at.tail_axes, at.head_axes

    def relation(starts: StartGuesses) -> Relation:
        matrix, angle = turn(starts)
        rotation = Attitude(before @ matrix @ after.T, angle)
        return Relation(rotation, before @ slide(starts), known=starts.turning or fixed)

    reactions = (*at.force_kinds, *at.torque_kinds)
    return Parts(rows, measures, pose=replace(pose or Pose(), relation=relation), reactions=reactions)


def _axial(
    at: Reader,
    rows: tuple[Row, ...],
    measures: tuple[NamedMeasure, ...],
    triad: Array,
    slide: _Start = lambda start: np.zeros(3),
) -> Parts:
    """A joint in space that turns about the first row of a triad."""
    upright = (at.coupling.cosine(triad[0], triad[0]),)
    pose = Pose(upright=upright, axle=at.axle(triad[0], f"{at.name}.angle"))
    return _joint(at, rows, measures, turn=_about(triad[0]), slide=slide, pose=pose)


def _rigid(
    at: Reader,
    rows: tuple[Row, ...],
    measures: tuple[NamedMeasure, ...],
    angle: float,
    slide: _Start = lambda start: np.zeros(3),
) -> Parts:
    """A joint that does not turn."""
    turn = about(IDENTITY[2], angle)
    pose = Pose()
    if not at.planar:
        upright = tuple(at.coupling.cosine(turn @ axis, axis) for axis in IDENTITY)
        pose = Pose(upright=upright, axle=at.axle(None, None))
    return _joint(at, rows, measures, turn=lambda starts: (turn, angle), slide=slide, fixed=True, pose=pose)


# Rows.


def _row(at: Reader, label: str, measure: Measure) -> Row:
    return Row(at.name, label, measure, at.head)


def _coincident(at: Reader) -> Iterator[Row]:
    for label, direction in zip(at.layout.axes, IDENTITY, strict=False):
        yield _row(at, label, at.in_ground(direction))


def _across(at: Reader, triad: Array) -> Iterator[Row]:
    for direction in _in_body(at, triad)[1 : len(at.layout.axes)]:
        yield _row(at, "across the axis", at.in_tail(direction))


def _aligned(at: Reader, triad: Array) -> Iterator[Row]:
    along, across, third = triad
    for direction in (across, third):
        yield _row(at, "direction of the axis", at.coupling.cosine(direction, along))


def _unturned(at: Reader, key: str | None, angle: float) -> Iterator[Row]:
    """A constant angle about z, a formula of parameters under ``key``."""
    if at.planar:
        target = ZERO if key is None else at.formula(key)
        yield Row(at.name, "angle", at.planar_angle(), at.head, target)
        return
    turn = about(IDENTITY[2], angle)
    for label, (one, other) in zip("zxy", ((0, 1), (1, 2), (2, 0)), strict=True):
        yield _row(at, f"angle about {label}", at.coupling.cosine(turn @ IDENTITY[one], IDENTITY[other]))


def _in_body(at: Reader, triad: Array) -> Array:
    """A triad in the axes of the tail's body, as rows."""
    result: Array = triad @ at.tail_axes.T
    return result


# Coordinates.


def _angle(at: Reader, triad: Array | None = None) -> NamedMeasure:
    if triad is None:
        return angular(at.name, at.planar_angle())
    return angular(at.name, at.coupling.angle(triad, at.slot()))


def _slide(at: Reader, triad: Array) -> NamedMeasure:
    measure = at.in_tail(at.tail_axes @ triad[0])
    return NamedMeasure(measure, f"{at.name}.s", f"{at.name}.v", f"{at.name}.a")


def _slides(at: Reader) -> Iterator[NamedMeasure]:
    for letter, axis in zip(at.layout.axes, IDENTITY, strict=False):
        yield linear(at.name, letter, at.in_tail(at.tail_axes @ axis))


# Poses.


def _about(axis: Array) -> _Turn:
    def turn(start: StartGuesses) -> tuple[Array, float]:
        return about(axis, start("angle")), start("angle")

    return turn


def _by_attitude(at: Reader) -> _Turn:
    attitude = at.text("attitude")

    def turn(start: StartGuesses) -> tuple[Array, float]:
        if attitude == QUATERNION:
            return IDENTITY, 0.0
        return turned(attitude, [start(f"angle{number}") for number in (1, 2, 3)]), 0.0

    return turn


def _displaced(start: StartGuesses) -> Array:
    return np.array([start(axis) for axis in "xyz"])
