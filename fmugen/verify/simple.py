"""Simple measures evaluated together: arrays run over the measures of one kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fmugen.verify.charts import TWIST, Chart, Posture, Twist
from fmugen.verify.measures import Cosine, Displacement, Simple, Spin, Triple, Velocity
from fmugen.verify.rotations import Array, Indices, cross, dot
from fmugen.verify.tape.scalar import zeros


class Table(NamedTuple):
    """Values, Jacobians with respect to the twists of all bodies, and biases."""

    value: Array
    jacobian: Array
    bias: Array


class SimpleMeasures:
    """Measures that are not made of others; ``number`` maps them to rows."""

    def __init__(self, measures: Iterable[Simple], chart: Chart) -> None:
        known = list(measures)
        self.number: dict[Simple, int] = {}
        self._width = TWIST * (chart.size // len(chart.freedoms) + 1)
        self._kinds: list[_Kind] = []
        for described, kind in _KINDS.items():
            mine = [measure for measure in known if isinstance(measure, described)]
            if mine:
                self._kinds.append(kind(mine, len(self.number), self._width))
                self.number |= {measure: row for row, measure in enumerate(mine, start=len(self.number))}
        ends = np.cumsum([len(kind.owners) for kind in self._kinds], dtype=int).tolist()
        #: The columns of each kind's vectors among all.
        self._parts = [slice(*ends_of) for ends_of in pairwise([0, *ends])]
        # All vectors that are fixed in bodies, arms and directions, are turned together.
        owners = [kind.owners for kind in self._kinds]
        self._owners = np.concatenate([*owners, np.empty(0, dtype=np.intp)])
        self._fixed = np.array([v for kind in self._kinds for v in kind.vectors]).reshape(-1, 3, 1)

    def at(self, posture: Posture, twist: Twist | None) -> Table:
        """All measures; without a twist the biases are zero."""
        count = len(self.number)
        like = (posture.position, *(() if twist is None else twist))
        table = Table(zeros(count, *like), zeros((count, self._width), *like), zeros(count, *like))
        turned = (posture.rotation[self._owners] @ self._fixed)[:, :, 0].T
        for kind, part in zip(self._kinds, self._parts, strict=True):
            kind.fill(table, turned[:, part], posture, twist)
        return table


class _Kind(ABC):
    """Measures of one kind: a range of rows, and vectors with the bodies they are fixed in."""

    def __init__(self, count: int, first: int, width: int) -> None:
        self.count = count
        self.rows = slice(first, first + count)
        self._starts = np.arange(first, first + count, dtype=np.intp) * width
        self.owners: Indices = np.empty(0, dtype=np.intp)
        self.vectors: list[Triple] = []

    def own(self, *sets: tuple[Indices, Sequence[Triple]]) -> None:
        """Set the vectors of all measures, a set for each vector of one measure."""
        self.owners = np.concatenate([bodies for bodies, _ in sets])
        self.vectors = [vector for _, vectors in sets for vector in vectors]

    def columns(self, bodies: Indices, first: int, count: int) -> Indices:
        """The flat indices in the Jacobian of entries of the bodies' twists."""
        places: Indices = self._starts + TWIST * bodies + np.arange(first, first + count)[:, None]
        return places

    @abstractmethod
    def fill(self, table: Table, vectors: Array, posture: Posture, twist: Twist | None) -> None:
        """Enter the measures into the table, from the turned vectors."""


class _Ways(_Kind):
    def __init__(self, measures: Sequence[Displacement], first: int, width: int) -> None:
        super().__init__(len(measures), first, width)
        self._head = _indices([measure.head.body for measure in measures])
        self._tail = _indices([measure.tail.body for measure in measures])
        self._frame = _indices([measure.frame for measure in measures])
        self.own(
            (self._head, [measure.head.arm for measure in measures]),
            (self._tail, [measure.tail.arm for measure in measures]),
            (self._frame, [measure.direction for measure in measures]),
        )
        self._of_head = self.columns(self._head, 0, TWIST)
        self._of_tail = self.columns(self._tail, 0, TWIST)
        self._of_frame = self.columns(self._frame, 3, 3)

    def fill(self, table: Table, vectors: Array, posture: Posture, twist: Twist | None) -> None:
        n = self.count
        h, t, e = vectors[:, :n], vectors[:, n : 2 * n], vectors[:, 2 * n :]
        way = posture.position[:, self._head] + h - posture.position[:, self._tail] - t
        table.value[self.rows] = along = dot(e, way)
        moments = cross(np.concatenate((h, t, way), axis=1), np.concatenate((e, e, e), axis=1))
        flat = table.jacobian.reshape(-1)
        flat[self._of_head] += np.concatenate((e, moments[:, :n]))
        flat[self._of_tail] -= np.concatenate((e, moments[:, n : 2 * n]))
        flat[self._of_frame] -= moments[:, 2 * n :]
        if twist is not None:
            spins = twist.spin[:, self.owners]
            wh, wt, wf = spins[:, :n], spins[:, n : 2 * n], spins[:, 2 * n :]
            turning = cross(spins, vectors)
            speed = twist.velocity[:, self._head] - twist.velocity[:, self._tail]
            speed += turning[:, :n] - turning[:, n : 2 * n]
            coriolis = 2.0 * dot(turning[:, 2 * n :], speed)
            table.bias[self.rows] = (
                _inward(wh, h, e)
                - _inward(wt, t, e)
                + coriolis
                + dot(wf, e) * dot(wf, way)
                - along * dot(wf, wf)
            )


class _Cosines(_Kind):
    def __init__(self, measures: Sequence[Cosine], first: int, width: int) -> None:
        super().__init__(len(measures), first, width)
        head = _indices([measure.head for measure in measures])
        tail = _indices([measure.tail for measure in measures])
        self.own(
            (head, [measure.head_direction for measure in measures]),
            (tail, [measure.tail_direction for measure in measures]),
        )
        self._of_head, self._of_tail = self.columns(head, 3, 3), self.columns(tail, 3, 3)

    def fill(self, table: Table, vectors: Array, posture: Posture, twist: Twist | None) -> None:
        head, tail = vectors[:, : self.count], vectors[:, self.count :]
        table.value[self.rows] = dot(head, tail)
        moment = cross(head, tail)
        flat = table.jacobian.reshape(-1)
        flat[self._of_head] += moment
        flat[self._of_tail] -= moment
        if twist is not None:
            spins = twist.spin[:, self.owners]
            wh, wt = spins[:, : self.count], spins[:, self.count :]
            turning = cross(spins, vectors)
            mixed = 2.0 * dot(turning[:, : self.count], turning[:, self.count :])
            table.bias[self.rows] = _inward(wh, head, tail) + _inward(wt, tail, head) + mixed


class _Spins(_Kind):
    def __init__(self, measures: Sequence[Spin], first: int, width: int) -> None:
        super().__init__(len(measures), first, width)
        self._head = _indices([measure.head for measure in measures])
        self._tail = _indices([measure.tail for measure in measures])
        self.own((_indices([measure.frame for measure in measures]), [m.direction for m in measures]))
        self._of_head, self._of_tail = self.columns(self._head, 3, 3), self.columns(self._tail, 3, 3)

    def fill(self, table: Table, vectors: Array, posture: Posture, twist: Twist | None) -> None:
        table.value[self.rows] = vectors[2] * (posture.angle[self._head] - posture.angle[self._tail])
        flat = table.jacobian.reshape(-1)
        flat[self._of_head] += vectors
        flat[self._of_tail] -= vectors
        if twist is not None:
            relative = twist.spin[:, self._head] - twist.spin[:, self._tail]
            table.bias[self.rows] = dot(cross(twist.spin[:, self.owners], vectors), relative)


class _Velocities(_Kind):
    def __init__(self, measures: Sequence[Velocity], first: int, width: int) -> None:
        super().__init__(len(measures), first, width)
        self._head = _indices([measure.head.body for measure in measures])
        self._tail = _indices([measure.tail.body for measure in measures])
        self.own(
            (self._head, [measure.head.arm for measure in measures]),
            (self._tail, [measure.tail.arm for measure in measures]),
            (_indices([measure.frame for measure in measures]), [m.direction for m in measures]),
        )
        self._of_head = self.columns(self._head, 0, TWIST)
        self._of_tail = self.columns(self._tail, 0, TWIST)

    def fill(self, table: Table, vectors: Array, posture: Posture, twist: Twist | None) -> None:
        n = self.count
        h, t, e = vectors[:, :n], vectors[:, n : 2 * n], vectors[:, 2 * n :]
        flat = table.jacobian.reshape(-1)
        flat[self._of_head] += np.concatenate((e, cross(h, e)))
        flat[self._of_tail] -= np.concatenate((e, cross(t, e)))
        if twist is not None:
            spins = twist.spin[:, self.owners]
            turning = cross(spins, vectors)
            speed = twist.velocity[:, self._head] - twist.velocity[:, self._tail]
            speed += turning[:, :n] - turning[:, n : 2 * n]
            inward = _inward(spins[:, :n], h, e) - _inward(spins[:, n : 2 * n], t, e)
            table.bias[self.rows] = inward + dot(turning[:, 2 * n :], speed)


#: The kinds of simple measures, in the order of their rows.
_KINDS: dict[type[Simple], Callable[[list[Any], int, int], _Kind]] = {
    Displacement: _Ways,
    Cosine: _Cosines,
    Spin: _Spins,
    Velocity: _Velocities,
}


def _inward(spin: Array, arm: Array, direction: Array) -> Array:
    """The centripetal acceleration of arms along directions."""
    result: Array = dot(spin, arm) * dot(spin, direction) - dot(arm, direction) * dot(spin, spin)
    return result


def _indices(bodies: list[int]) -> Indices:
    return np.array(bodies, dtype=np.intp)
