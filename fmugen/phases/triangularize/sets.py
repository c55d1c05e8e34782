"""A set of independent coordinates, and the blocks that give all the others."""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.ir.flow import Block, closure_effort

__all__ = ["IndependentSet", "shape"]


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
