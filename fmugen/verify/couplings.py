"""Relative rotations of two bodies as measures: angles about axes, and Euler angles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fmugen.ir.model import Attachment
from fmugen.verify.layout import Layout, triple
from fmugen.verify.measures import Branch, Cosine, Spin, Tilt, Turn
from fmugen.verify.rotations import IDENTITY, Array

_Z = (0.0, 0.0, 1.0)


class Coupling(NamedTuple):
    """Two bodies, with the axes of the attachments that an element joins."""

    tail: int
    tail_axes: Array
    head: int
    head_axes: Array

    def cosine(self, tail_direction: Array, head_direction: Array) -> Cosine:
        """The cosine of directions given in the axes of the attachments."""
        return Cosine(
            self.tail,
            triple(self.tail_axes @ tail_direction),
            self.head,
            triple(self.head_axes @ head_direction),
        )

    def entry(self, row: int, column: int, sign: float = 1.0) -> Cosine:
        """An entry of the matrix that resolves vectors of the head's attachment in the tail's."""
        return self.cosine(sign * IDENTITY[row], IDENTITY[column])

    def angle(self, triad: Array, slot: int | None = None) -> Turn:
        """The angle about the first row of a triad, by which the second row turns."""
        _, zero, third = triad
        return Turn(self.cosine(third, zero), self.cosine(zero, zero), slot)

    def universal(self, triad: Array, slots: tuple[int, int]) -> tuple[Turn, Turn]:
        """The angles about the first row of a triad, fixed in the tail, and the second, fixed in the head."""
        first, second, third = triad
        return (
            Turn(self.cosine(third, second), self.cosine(second, second), slots[0]),
            Turn(self.cosine(first, third), self.cosine(first, first), slots[1]),
        )

    def euler(self, sequence: str, slots: tuple[int, int, int]) -> tuple[Turn, Tilt, Turn]:
        """The angles about the axes of ``sequence``, each about the axes reached so far."""
        i, j, last = ("xyz".index(letter) for letter in sequence)
        k = 3 - i - j
        sign = float(np.linalg.det(IDENTITY[[i, j, k]]))
        entry, branch = self.entry, Branch(slots[1], proper=last == i)
        if last == i:
            return (
                Turn(entry(j, i), entry(k, i, -sign), slots[0], branch),
                Tilt(entry(i, i), (entry(i, j), entry(i, k)), branch),
                Turn(entry(i, j), entry(i, k, sign), slots[2], branch),
            )
        return (
            Turn(entry(j, k, -sign), entry(k, k), slots[0], branch),
            Tilt(entry(i, k, sign), (entry(i, i), entry(i, j)), branch),
            Turn(entry(i, j, -sign), entry(i, i), slots[2], branch),
        )


def coupling(layout: Layout, tail: Attachment, head: Attachment) -> Coupling:
    """The bodies and axes that an element joins."""
    return Coupling(
        layout.place(tail).body, layout.axes_of(tail), layout.place(head).body, layout.axes_of(head)
    )


def planar_angle(layout: Layout, tail: Attachment, head: Attachment) -> Spin:
    """The angle of the head's body relative to the tail's, in the plane."""
    return Spin(layout.place(tail).body, layout.place(head).body, layout.ground, _Z)
