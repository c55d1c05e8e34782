"""Many measures evaluated together, with derivatives.

For a measure f of the posture, and twists t of all bodies, the bank gives

    f' = J t            f'' = J t' + b

The ground is the last body: its columns exist, so that no formula asks which end of an element is on the
ground. The arrays run over measures of one kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fmugen.verify.charts import TWIST, Chart, Posture, Twist
from fmugen.verify.measures import (
    Branch,
    Cosine,
    Displacement,
    Length,
    Measure,
    ScrewGap,
    Simple,
    Spin,
    Tilt,
    Turn,
)
from fmugen.verify.rotations import Array, Indices, cross, dot

_REVOLUTION = 2.0 * np.pi


class Values(NamedTuple):
    """Measures at a state: ``f``, its Jacobian and the bias of its second derivative."""

    value: Array
    #: With respect to the rates of the chart.
    jacobian: Array
    bias: Array
    #: The Jacobian with respect to the twists of all bodies.
    twists: Array


class Bank:
    """Measures of a chart's bodies."""

    def __init__(self, measures: Sequence[Measure], chart: Chart) -> None:
        self.measures = tuple(measures)
        self._columns = chart.columns
        self._parts = _Parts(list(dict.fromkeys(p for m in self.measures for p in _parts(m))), chart)
        self._composites = [
            (row, measure) for row, measure in enumerate(self.measures) if not isinstance(measure, Simple)
        ]
        number = self._parts.number
        self._source = np.array([number[next(_parts(measure))] for measure in self.measures], dtype=np.intp)
        self._inputs = {row: [number[part] for part in _parts(measure)] for row, measure in self._composites}

    def at(self, posture: Posture, twist: Twist | None = None) -> Values:
        """Evaluate all measures; without a twist the bias is zero."""
        parts = self._parts.at(posture, twist)
        value, twists, bias = (table[self._source] for table in parts)
        if self._composites:
            rate = np.zeros(len(parts.value)) if twist is None else parts.jacobian @ twist.flat
            for row, measure in self._composites:
                inputs = self._inputs[row]
                jets = _Jets(parts.value[inputs], rate[inputs], parts.bias[inputs], parts.jacobian[inputs])
                value[row], twists[row], bias[row] = _composite(measure, jets, posture.memory)
        return Values(value, twists[:, self._columns], bias, twists)


def wrapped(angle: Array) -> Array:
    """Angles less the whole turns in them."""
    result: Array = angle - _REVOLUTION * np.round(angle / _REVOLUTION)
    return result


# --- composite measures ----------------------------------------------------------------------------


class _Jets(NamedTuple):
    """The parts of one composite measure."""

    value: Array
    rate: Array
    bias: Array
    jacobian: Array


class _Result(NamedTuple):
    value: float
    jacobian: Array
    bias: float


def _parts(measure: Measure) -> Iterator[Simple]:
    """The simple measures that a measure is made of."""
    match measure:
        case Turn(sine, cosine):
            yield from (sine, cosine)
        case Tilt(projection, across):
            yield from (projection, *across)
        case Length():
            yield from measure.components
        case ScrewGap(slide, turn):
            yield from (slide, turn.sine, turn.cosine)
        case Displacement() | Cosine() | Spin():
            yield measure


def _composite(measure: Measure, parts: _Jets, memory: Array) -> _Result:
    match measure:
        case Turn():
            return _turn(measure, parts, memory)
        case Tilt():
            return _tilt(measure, parts, memory)
        case ScrewGap():
            return _screw_gap(measure, parts, memory)
    return _length(parts)


def _turn(measure: Turn, parts: _Jets, memory: Array) -> _Result:
    """The angle of a pair (sine, cosine) of any length."""
    sign = 1.0 if measure.branch is None else _sign(measure.branch, memory)
    near = 0.0 if measure.slot is None else memory[measure.slot]
    sine, cosine = parts.value
    square = sine * sine + cosine * cosine
    value = _nearest(float(np.arctan2(sign * sine, sign * cosine)), near)
    if square == 0.0:
        return _undefined(value, parts)
    weights = np.array([cosine, -sine]) / square
    rate, growth = weights @ parts.rate, parts.value @ parts.rate
    return _Result(
        value,
        weights @ parts.jacobian,
        float(weights @ parts.bias - 2.0 * rate * growth / square),
    )


def _tilt(measure: Tilt, parts: _Jets, memory: Array) -> _Result:
    projection = float(parts.value[0])
    other = _sign(measure.branch, memory) * float(np.hypot(*parts.value[1:]))
    # The slope of a sine is the cosine, that of a cosine minus the sine.
    sine, cosine, slope = (other, projection, -other) if measure.branch.proper else (projection, other, other)
    value = _nearest(float(np.arctan2(sine, cosine)), memory[measure.branch.slot])
    if slope == 0.0:
        return _undefined(value, parts)
    rate = parts.rate[0] / slope
    return _Result(
        value,
        parts.jacobian[0] / slope,
        float((parts.bias[0] + projection * rate * rate) / slope),
    )


def _length(parts: _Jets) -> _Result:
    length = float(np.linalg.norm(parts.value))
    if length == 0.0:
        return _undefined(length, parts)
    direction = parts.value / length
    across = parts.rate @ parts.rate - (direction @ parts.rate) ** 2
    return _Result(length, direction @ parts.jacobian, float(direction @ parts.bias + across / length))


def _screw_gap(measure: ScrewGap, parts: _Jets, memory: Array) -> _Result:
    slide = parts.value[0]
    angle = _turn(measure.turn, _Jets(*(table[1:] for table in parts)), memory)
    turned = _nearest(angle.value, slide / measure.lead) if measure.lead else 0.0
    return _Result(
        float(slide - measure.lead * turned),
        parts.jacobian[0] - measure.lead * angle.jacobian,
        float(parts.bias[0] - measure.lead * angle.bias),
    )


def _undefined(value: float, parts: _Jets) -> _Result:
    """A measure in a posture where it has no gradient: places that coincide, Euler angles in gimbal lock."""
    return _Result(value, np.zeros(parts.jacobian.shape[1]), 0.0)


def _sign(branch: Branch, memory: Array) -> float:
    angle = memory[branch.slot]
    return 1.0 if (np.sin(angle) if branch.proper else np.cos(angle)) >= 0.0 else -1.0


def _nearest(angle: float, memory: float) -> float:
    """The angle, by whole turns nearest to what is remembered."""
    return float(angle + _REVOLUTION * np.round((memory - angle) / _REVOLUTION))


# --- simple measures -------------------------------------------------------------------------------


class _Table(NamedTuple):
    value: Array
    jacobian: Array
    bias: Array


class _Parts:
    """Displacements, cosines and spins, in this order."""

    def __init__(self, parts: Sequence[Simple], chart: Chart) -> None:
        ways = [part for part in parts if isinstance(part, Displacement)]
        cosines = [part for part in parts if isinstance(part, Cosine)]
        spins = [part for part in parts if isinstance(part, Spin)]
        ordered: list[Simple] = [*ways, *cosines, *spins]
        self.number = {part: row for row, part in enumerate(ordered)}
        n, m = len(ways), len(cosines)
        self._ways, self._cosines, self._spins = slice(0, n), slice(n, n + m), slice(n + m, len(ordered))
        self._width = TWIST * (len(chart.columns) // len(chart.freedoms) + 1)
        self._rows = np.arange(len(ordered), dtype=np.intp) * self._width
        # All vectors that are fixed in bodies: arms and directions, turned together.
        self._fixed = np.array(
            [
                *(way.head.arm for way in ways),
                *(way.tail.arm for way in ways),
                *(way.direction for way in ways),
                *(cosine.head_direction for cosine in cosines),
                *(cosine.tail_direction for cosine in cosines),
                *(spin.direction for spin in spins),
            ],
            dtype=np.float64,
        ).reshape(-1, 3, 1)
        self._head = _indices([w.head.body for w in ways])
        self._tail = _indices([w.tail.body for w in ways])
        self._frame = _indices([w.frame for w in ways])
        self._cosine_head = _indices([c.head for c in cosines])
        self._cosine_tail = _indices([c.tail for c in cosines])
        self._spin_head = _indices([s.head for s in spins])
        self._spin_tail = _indices([s.tail for s in spins])
        self._spin_frame = _indices([s.frame for s in spins])
        self._owners = np.concatenate(
            (self._head, self._tail, self._frame, self._cosine_head, self._cosine_tail, self._spin_frame)
        )
        self._bounds = np.cumsum([n, n, n, m, m])

    def at(self, posture: Posture, twist: Twist | None) -> _Table:
        count = len(self._rows)
        table = _Table(np.zeros(count), np.zeros((count, self._width)), np.zeros(count))
        turned = (posture.rotation[self._owners] @ self._fixed)[:, :, 0].T
        head, tail, direction, head_side, tail_side, axis = np.split(turned, self._bounds, axis=1)
        if len(self._head):
            self._displacements(table, posture, twist, (head, tail, direction))
        if len(self._cosine_head):
            self._all_cosines(table, twist, (head_side, tail_side))
        if len(self._spin_head):
            self._all_spins(table, posture, twist, axis)
        return table

    def _add(self, table: _Table, rows: slice, bodies: Indices, block: Array, *, spin: bool) -> None:
        """Add a block of three rows to the columns of velocities or spins of some bodies."""
        first = self._rows[rows] + TWIST * bodies + (3 if spin else 0)
        flat = table.jacobian.reshape(-1)
        flat[first] += block[0]
        flat[first + 1] += block[1]
        flat[first + 2] += block[2]

    def _displacements(
        self, table: _Table, posture: Posture, twist: Twist | None, vectors: tuple[Array, Array, Array]
    ) -> None:
        h, t, e = vectors
        rows = self._ways
        way = posture.position[:, self._head] + h - posture.position[:, self._tail] - t
        table.value[rows] = along = dot(e, way)
        moments = cross(np.hstack((h, t, way)), np.hstack((e, e, e)))
        of_head, of_tail, of_way = np.split(moments, 3, axis=1)
        self._add(table, rows, self._head, e, spin=False)
        self._add(table, rows, self._tail, -e, spin=False)
        self._add(table, rows, self._head, of_head, spin=True)
        self._add(table, rows, self._tail, -of_tail, spin=True)
        self._add(table, rows, self._frame, -of_way, spin=True)
        if twist is None:
            return
        wh, wt, wf = twist.spin[:, self._head], twist.spin[:, self._tail], twist.spin[:, self._frame]
        turning = cross(np.hstack((wh, wt, wf)), np.hstack((h, t, e)))
        of_head, of_tail, of_direction = np.split(turning, 3, axis=1)
        speed = twist.velocity[:, self._head] + of_head - twist.velocity[:, self._tail] - of_tail
        table.bias[rows] = (
            _inward(wh, h, e)
            - _inward(wt, t, e)
            + 2.0 * dot(of_direction, speed)
            + dot(wf, e) * dot(wf, way)
            - along * dot(wf, wf)
        )

    def _all_cosines(self, table: _Table, twist: Twist | None, vectors: tuple[Array, Array]) -> None:
        head, tail = vectors
        rows = self._cosines
        moment = cross(head, tail)
        table.value[rows] = dot(head, tail)
        self._add(table, rows, self._cosine_head, moment, spin=True)
        self._add(table, rows, self._cosine_tail, -moment, spin=True)
        if twist is not None:
            wh, wt = twist.spin[:, self._cosine_head], twist.spin[:, self._cosine_tail]
            mixed = dot(cross(wh, head), cross(wt, tail))
            table.bias[rows] = _inward(wh, head, tail) + _inward(wt, tail, head) + 2.0 * mixed

    def _all_spins(self, table: _Table, posture: Posture, twist: Twist | None, axis: Array) -> None:
        rows = self._spins
        table.value[rows] = axis[2] * (posture.angle[self._spin_head] - posture.angle[self._spin_tail])
        self._add(table, rows, self._spin_head, axis, spin=True)
        self._add(table, rows, self._spin_tail, -axis, spin=True)
        if twist is not None:
            relative = twist.spin[:, self._spin_head] - twist.spin[:, self._spin_tail]
            table.bias[rows] = dot(cross(twist.spin[:, self._spin_frame], axis), relative)


def _inward(spin: Array, arm: Array, direction: Array) -> Array:
    """The centripetal acceleration of arms along directions."""
    result: Array = dot(spin, arm) * dot(spin, direction) - dot(arm, direction) * dot(spin, spin)
    return result


def _indices(bodies: list[int]) -> Indices:
    return np.array(bodies, dtype=np.intp)
