"""A set of independent coordinates, and the blocks that give all the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fmugen.ir.flow import Block, closure_effort

__all__ = ["IndependentSet", "SetRank", "preference", "shape"]


@dataclass(frozen=True)
class IndependentSet:
    """Independent and dependent coordinates, the smallest pivot of these at the start, and their blocks.

    ``alternatives`` are further sets, which the running model changes to.
    """

    independent: list[int]
    dependent: list[int]
    pivot: float
    blocks: tuple[Block, ...]
    alternatives: tuple[IndependentSet, ...] = ()

    @property
    def cost(self) -> tuple[int, int, int]:
        return closure_effort(self.blocks)

    @property
    def is_closed(self) -> bool:
        """Whether no unknown is left to iteration."""
        return self.cost[:2] == (0, 0)

    @property
    def is_stepped(self) -> bool:
        """Whether steps give every unknown, some of them perhaps as roots of polynomials."""
        return self.cost[0] == 0


def shape(blocks: tuple[Block, ...]) -> tuple[int, int]:
    """Large blocks are hard: the largest decides, then the sum of cubes."""
    sizes = [len(block.rows) for block in blocks]
    return max(sizes, default=0), sum(size**3 for size in sizes)


class SetRank(NamedTuple):
    """Small blocks first, of these the sets that are never or seldom near to singular along the motion.

    Sets with a hard block come last, since the order of solution alone tells that little is left to algebra
    in the others: alternatives take over where these are near to singular.
    """

    is_hard: bool
    is_often_weak: bool
    largest: int
    weak: int
    total: int


def preference(rank: SetRank, choice: IndependentSet) -> tuple[int, int, bool, int, int]:
    """Little iteration first, then few roots. Operations count only between sets that are equally good.

    Near to singular, steps lose digits and iteration may fail: no saving of operations is worth that.
    """
    iterated, roots, operations = choice.cost
    return iterated, roots, rank.is_often_weak, rank.weak, operations
