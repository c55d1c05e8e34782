"""Whether recursions say what cutsets say: by values at points that are nothing special."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fmugen.algebra.recursion import inertial_forces
from fmugen.expr.generic import Generic
from fmugen.ir.body_tree import BodyTree, Free
from fmugen.ir.dae import Coordinate
from fmugen.phases.formulate.cutsets import Cutsets
from fmugen.phases.formulate.newton_euler import Recursion

__all__ = ["is_true"]

#: What recursion and cutsets may differ by, relative to their terms.
_SAME = 1e-9


def is_true(recursion: Recursion, coordinates: Sequence[Coordinate], cutsets: Cutsets) -> bool:
    """Whether the recursion says what the cutsets say, by their values at points that are nothing special."""
    sample = _Attitudes(coordinates, recursion.tree)
    needed = inertial_forces(recursion.tree, [c.acceleration for c in coordinates])
    for coordinate, force, moved_by in zip(coordinates, recursion.forces, needed, strict=True):
        balance = cutsets.equation(coordinate).const
        pairs = zip(sample(balance), sample(force), sample(moved_by), strict=True)
        if not all(abs(a - (b - c)) <= _SAME * (1 + abs(b) + abs(c)) for a, b, c in pairs):
            return False
    return True


class _Attitudes(Generic):
    """Values at points where Euler parameters have unit length, and so have their velocities."""

    def __init__(self, coordinates: Sequence[Coordinate], tree: BodyTree) -> None:
        super().__init__()
        for body in tree.bodies:
            for step in body.way:
                if isinstance(step, Free) and step.is_attitude:
                    self._normalize([coordinates[number] for number in step.numbers])

    def _normalize(self, components: Sequence[Coordinate]) -> None:
        positions = list(zip(*(self(c.position) for c in components), strict=True))
        sizes = [math.sqrt(math.fsum(p * p for p in point)) for point in positions]
        units = [[p / size for p in point] for point, size in zip(positions, sizes, strict=True)]
        for c, values in zip(components, zip(*units, strict=True), strict=True):
            self.put(c.position, values)
        for level in ("velocity", "acceleration"):
            given = list(zip(*(self(getattr(c, level)) for c in components), strict=True))
            along = [
                math.fsum(a * b for a, b in zip(*each, strict=True))
                for each in zip(given, units, strict=True)
            ]
            lying = [
                [a - size * b for a, b in zip(point, unit, strict=True)]
                for point, unit, size in zip(given, units, along, strict=True)
            ]
            for c, values in zip(components, zip(*lying, strict=True), strict=True):
                self.put(getattr(c, level), values)
