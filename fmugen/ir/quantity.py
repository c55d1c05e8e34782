"""Quantities: the scalars of elements that formulas, outputs and start values may name.

``crank.angle``, ``crank.tip.vx``, ``pin.fx`` and ``R1.i`` are quantities.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Kinds", "Level", "Quantity"]


class Level(Enum):
    """What a quantity needs: positions, velocities, or accelerations and reactions."""

    POSITION = 0
    VELOCITY = 1
    ACCELERATION = 2


@dataclass(frozen=True)
class Quantity:
    """``owner`` is an element, a ``body.point`` or a node; ``kind`` is the last word of the name.

    ``network`` tells variables of networks from quantities of the mechanism.
    """

    owner: str
    kind: str
    level: Level
    unit: str
    network: bool = False

    @property
    def name(self) -> str:
        return f"{self.owner}.{self.kind}"


#: The kinds of quantities that an element has, each with its level and unit.
Kinds = tuple[tuple[str, Level, str], ...]
