"""What can be measured between two bodies, with derivatives.

Everything the reference knows about geometry is built from two measures: the angle of one body
relative to another, and the displacement from a point of one body to a point of another along a
direction fixed in some body. A constraint is a measure that equals a function of time; a joint
coordinate, a point's position or a spring's length is a measure that is merely watched.

For a measure f(q) of the body poses q the module gives

    f' = J(q) q'            f'' = J(q) q'' + b(q, q')

A pose is (x, y, angle) of the mass centre in ground axes. The ground is the last body: its columns
exist, so that no formula asks which end of an element is on the ground, and are cut off by the user
of the Jacobian. A spatial version replaces this module and the pose size, and nothing else here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Coordinates of one body.
POSE = 3


@dataclass(frozen=True)
class Place:
    """A point of a body, by the body's index and the point's components in body axes."""

    body: int
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class Angle:
    """The angle of the body ``head`` relative to the body ``tail``."""

    tail: int
    head: int


@dataclass(frozen=True)
class Displacement:
    """The component of the way from ``tail`` to ``head`` along a direction fixed in body ``frame``."""

    tail: Place
    head: Place
    frame: int
    direction: tuple[float, float]


Measure = Angle | Displacement


class Values(NamedTuple):
    """Measures at a state: ``f``, its Jacobian and the bias of its second derivative."""

    value: Array
    jacobian: Array
    bias: Array


class Bank:
    """Many measures evaluated together.

    The arrays run over the displacements; angles are linear in the poses, so that their rows of the
    Jacobian never change.
    """

    def __init__(self, measures: Sequence[Measure], bodies: int) -> None:
        self.measures = tuple(measures)
        width = POSE * bodies
        self._constant = np.zeros((len(self.measures), width))
        rows = []
        for row, measure in enumerate(self.measures):
            if isinstance(measure, Angle):
                self._constant[row, POSE * measure.head + 2] += 1.0
                self._constant[row, POSE * measure.tail + 2] -= 1.0
            else:
                rows.append(row)
        moving = [measure for measure in self.measures if isinstance(measure, Displacement)]
        self._rows = np.array(rows, dtype=np.intp)
        self._head = np.array([measure.head.body for measure in moving], dtype=np.intp)
        self._tail = np.array([measure.tail.body for measure in moving], dtype=np.intp)
        self._frame = np.array([measure.frame for measure in moving], dtype=np.intp)
        self._head_arm = _pairs([(measure.head.x, measure.head.y) for measure in moving])
        self._tail_arm = _pairs([(measure.tail.x, measure.tail.y) for measure in moving])
        self._direction = _pairs([measure.direction for measure in moving])
        first = self._rows * width
        self._head_columns = first + POSE * self._head
        self._tail_columns = first + POSE * self._tail
        self._frame_angle = first + POSE * self._frame + 2

    def at(self, poses: Array, velocities: Array | None = None) -> Values:
        """Evaluate all measures; without velocities the bias is zero."""
        jacobian = self._constant.copy()
        value = self._constant @ poses
        bias = np.zeros(len(value))
        if len(self._rows) == 0:
            return Values(value, jacobian, bias)
        cosine, sine = np.cos(poses[2::POSE]), np.sin(poses[2::POSE])
        hx, hy = _rotate(self._head_arm, cosine[self._head], sine[self._head])
        tx, ty = _rotate(self._tail_arm, cosine[self._tail], sine[self._tail])
        ex, ey = _rotate(self._direction, cosine[self._frame], sine[self._frame])
        x, y = poses[0::POSE], poses[1::POSE]
        dx = x[self._head] + hx - x[self._tail] - tx
        dy = y[self._head] + hy - y[self._tail] - ty
        along = ex * dx + ey * dy
        value[self._rows] = along

        flat = jacobian.reshape(-1)
        flat[self._head_columns] += ex
        flat[self._head_columns + 1] += ey
        flat[self._head_columns + 2] += hx * ey - hy * ex
        flat[self._tail_columns] -= ex
        flat[self._tail_columns + 1] -= ey
        flat[self._tail_columns + 2] -= tx * ey - ty * ex
        flat[self._frame_angle] += ex * dy - ey * dx

        if velocities is not None:
            vx, vy, omega = velocities[0::POSE], velocities[1::POSE], velocities[2::POSE]
            wh, wt, wf = omega[self._head], omega[self._tail], omega[self._frame]
            ux = vx[self._head] - wh * hy - vx[self._tail] + wt * ty
            uy = vy[self._head] + wh * hx - vy[self._tail] - wt * tx
            centripetal = wt * wt * (ex * tx + ey * ty) - wh * wh * (ex * hx + ey * hy)
            bias[self._rows] = centripetal + 2.0 * wf * (ex * uy - ey * ux) - wf * wf * along
        return Values(value, jacobian, bias)


def _pairs(pairs: list[tuple[float, float]]) -> Array:
    return np.array(pairs, dtype=np.float64).reshape(-1, 2).T


def _rotate(vectors: Array, cosine: Array, sine: Array) -> tuple[Array, Array]:
    x, y = vectors
    return cosine * x - sine * y, sine * x + cosine * y
