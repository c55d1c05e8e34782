"""Many measures evaluated together, with derivatives.

For a measure f of the posture, and twists t of all bodies, the batch gives

    f' = J t            f'' = J t' + b

The ground is the last body: its columns exist, so that no formula asks which end of an element is on the
ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fmugen.verify.charts import Chart, Posture, Twist
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
from fmugen.verify.rotations import Array
from fmugen.verify.simple import SimpleMeasures

_REVOLUTION = 2.0 * np.pi


class Values(NamedTuple):
    """Measures at a state: ``f``, its Jacobian and the bias of its second derivative."""

    value: Array
    #: With respect to the rates of the chart.
    jacobian: Array
    bias: Array
    #: The Jacobian with respect to the twists of all bodies.
    twists: Array


class MeasureBatch:
    """Measures of a chart's bodies."""

    def __init__(self, measures: Sequence[Measure], chart: Chart) -> None:
        self.measures = tuple(measures)
        self._columns = chart.columns
        self._parts = SimpleMeasures(dict.fromkeys(p for m in self.measures for p in _parts(m)), chart)
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
