"""The order in which a block is eliminated without a search for pivots while the model runs.

Rows and unknowns are paired so that the smallest of each pivot over many positions is large, and, among pairs
that are nearly as good, so that little is filled in (threshold pivoting after Markowitz).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fmugen.ir.flow import Block
from fmugen.phases.triangularize.numeric import Numbers

__all__ = ["LARGEST_UNORDERED", "in_order_of_pivots"]

#: Smaller blocks are not eliminated, but solved by determinants.
LARGEST_UNORDERED = 3
#: Pivots of this part of the best are good enough if they fill in less.
_GOOD_ENOUGH = 0.3
#: The part of its scale below which an entry counts as zero wherever it is.
_VANISHING = 1e-12


def in_order_of_pivots(block: Block, rows: Sequence[int], jacobians: Sequence[Numbers]) -> Block:
    """``block`` with its rows and unknowns in the order of elimination.

    ``jacobians`` are those of the constraints ``rows`` at positions that the mechanism reaches.
    """
    if len(block.rows) <= LARGEST_UNORDERED:
        return block
    places = [list(rows).index(row) for row in block.rows]
    samples = np.array([jacobian[np.ix_(places, list(block.unknowns))] for jacobian in jacobians])
    for axis in (
        2,
        1,
    ):  # the largest over all positions: one where it vanishes is not scaled up
        largest = np.abs(samples).max(axis=(0, axis), keepdims=True)
        samples = samples / np.where(largest > 0, largest, 1.0)
    order = _pivots(samples)
    return replace(
        block,
        rows=tuple(block.rows[row] for row, _ in order),
        unknowns=tuple(block.unknowns[column] for _, column in order),
    )


def _pivots(samples: Numbers) -> list[tuple[int, int]]:
    """Row and column of each pivot."""
    left = samples.copy()
    rows, columns = list(range(left.shape[1])), list(range(left.shape[2]))
    order: list[tuple[int, int]] = []
    while rows:
        active = np.abs(left[np.ix_(range(len(left)), rows, columns)])
        row, column = _best(active)
        pivot = (rows.pop(row), columns.pop(column))
        order.append(pivot)
        value = left[:, pivot[0], pivot[1]]
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.nan_to_num(left[:, :, pivot[1]] / value[:, None], posinf=0.0, neginf=0.0)
        factors[:, pivot[0]] = 0.0
        left -= factors[:, :, None] * left[:, pivot[0], None, :]
    return order


def _best(active: Numbers) -> tuple[int, int]:
    """The entry that stays large everywhere and fills in least; the first of equals."""
    smallest, anywhere = active.min(axis=0), active.max(axis=0) > _VANISHING
    if smallest.max() <= _VANISHING:  # singular somewhere: entries that are large in most positions
        smallest = np.median(active, axis=0)
    fill = np.outer(anywhere.sum(axis=1) - 1, anywhere.sum(axis=0) - 1)
    good = smallest >= _GOOD_ENOUGH * smallest.max()
    least = np.where(good & anywhere, fill, np.inf).min()
    candidates = np.where(good & anywhere & (fill == least), smallest, -1.0)
    row, column = np.unravel_index(int(np.argmax(candidates)), candidates.shape)
    return int(row), int(column)
