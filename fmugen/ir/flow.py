"""SolutionFlow: which coordinates are independent, and how all others follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from fmugen.ir.graph import Domain
from fmugen.ir.steps import ExactStep, PolynomialStep

__all__ = ["EMBEDDED", "Attitude", "Block", "Closure", "Move", "SolutionFlow", "closure_effort"]


class Closure(Enum):
    """The treatment of the loop constraints while the model runs."""

    TRIANGULAR = "triangular"
    NEWTON = "newton"
    NEWTON_ALL = "newton-all"
    BAUMGARTE = "baumgarte"
    PENALTY = "penalty"
    AUGMENTED = "augmented"
    PROJECTION = "projection"


#: The closures that integrate independent coordinates only.
EMBEDDED = (Closure.TRIANGULAR, Closure.NEWTON, Closure.NEWTON_ALL)


@dataclass(frozen=True)
class Block:
    """Constraints ``rows`` solved together for the coordinates ``unknowns``.

    ``steps`` solve them exactly, one unknown after the other; without steps, and where a guard of a step
    fails, bounded Newton iteration does. ``method`` says how the steps were found, ``reason`` why there are
    none.
    """

    unknowns: tuple[int, ...]
    rows: tuple[int, ...]
    name: str
    steps: tuple[ExactStep, ...] = ()
    method: str = "Newton"
    operations: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Attitude:
    """Four Euler parameters, by the numbers of their coordinates, and the constraint of their length."""

    components: tuple[int, ...]
    row: int


def closure_effort(blocks: Sequence[Block]) -> tuple[int, int, int]:
    """Unknowns left to iteration, roots of polynomials, operations of exact steps: the less the better."""
    iterated = sum(len(block.unknowns) for block in blocks if not block.steps)
    steps = [step for block in blocks for step in block.steps]
    roots = sum(isinstance(step, PolynomialStep) for step in steps)
    return iterated, roots, sum(block.operations for block in blocks)


@dataclass(frozen=True)
class Move:
    """How far assembly moved a start value away from the user's guess."""

    quantity: str
    distance: float


@dataclass(frozen=True)
class SolutionFlow:
    """The order of solution for given independent coordinates.

    ``rows`` are the constraints kept, numbered as in the Dae; ``redundant`` the ones that follow from
    them with the default parameters. ``blocks`` solve for the dependent coordinates in order.
    ``positions`` and ``velocities`` are an assembled start for the default parameters. ``alternatives``
    are flows of the same rows from other independent coordinates. The running model changes to one of them
    where these are badly conditioned. ``length`` is typical of the mechanism, in metres.

    Of the attitudes ``whole`` three components are independent. The fourth is not solved for: all four are
    integrated with their angular velocity, and normalized, which is accurate wherever one of them is small.
    ``quality`` is the best that these independent coordinates show on the declared motion, as a part of what
    the best ones have there. ``distances`` are those of the assembly modes found from the guesses, that of
    ``positions`` first; more modes are looked for only where the first is not near. ``iterations`` is the
    fixed number of Newton steps over an iterated block; 0: the model never iterates.
    """

    closure: Closure
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]
    redundant: tuple[int, ...]
    blocks: tuple[Block, ...]
    positions: tuple[float, ...]
    velocities: tuple[float, ...]
    moves: tuple[Move, ...]
    condition: float
    alternatives: tuple[SolutionFlow, ...] = ()
    length: float = 1.0
    whole: tuple[Attitude, ...] = ()
    quality: float = 1.0
    distances: tuple[float, ...] = ()
    iterations: int | None = None

    @property
    def carried(self) -> tuple[int, ...]:
        """The dependent components of whole attitudes."""
        return tuple(k for attitude in self.whole for k in attitude.components if k in self.dependent)

    @property
    def may_change(self) -> bool:
        """Whether other coordinates may become independent on the way."""
        partitioned = self.closure in (*EMBEDDED, Closure.PROJECTION)
        return partitioned and bool(self.independent) and len(self.rows) > len(self.whole)

    @property
    def sets(self) -> tuple[SolutionFlow, ...]:
        """This flow and its alternatives."""
        return (self, *self.alternatives)

    def size_of(self, domain: Domain) -> float:
        """The scale of the residual of a constraint: the length of the mechanism, or one radian."""
        return self.length if domain is Domain.TRANSLATION else 1.0

    @property
    def degrees_of_freedom(self) -> int:
        return len(self.independent)

    @property
    def iterated(self) -> int:
        """How many coordinates are found by iteration."""
        return closure_effort(self.blocks)[0]
