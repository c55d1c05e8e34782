"""SolutionFlow: which coordinates are independent, and how all others follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Closure", "Move", "NewtonBlock", "SolutionFlow"]


class Closure(Enum):
    """How the loop constraints are met while the model runs."""

    NEWTON = "newton"
    NEWTON_ALL = "newton-all"
    BAUMGARTE = "baumgarte"
    PENALTY = "penalty"
    AUGMENTED = "augmented"


@dataclass(frozen=True)
class NewtonBlock:
    """Constraints ``rows`` solved together for the coordinates ``unknowns``, by bounded Newton."""

    unknowns: tuple[int, ...]
    rows: tuple[int, ...]
    name: str


@dataclass(frozen=True)
class Move:
    """How far assembly moved a start value away from the user's guess."""

    quantity: str
    distance: float


@dataclass(frozen=True)
class SolutionFlow:
    """The order of solution for given independent coordinates.

    ``rows`` are the constraints kept, numbered as in the Dae; ``redundant`` the ones that follow from
    them. ``blocks`` solve for the dependent coordinates in order. ``positions`` and ``velocities`` are an
    assembled start for the default parameters.
    """

    closure: Closure
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]
    redundant: tuple[int, ...]
    blocks: tuple[NewtonBlock, ...]
    positions: tuple[float, ...]
    velocities: tuple[float, ...]
    moves: tuple[Move, ...]
    condition: float

    @property
    def degrees_of_freedom(self) -> int:
        return len(self.independent)
