"""Sets of independent coordinates, judged along a motion as the running model judges them (see partition.c).

Constraint derivatives are measured by their usual size in the mechanism. The quality of a set is the smallest
pivot of its dependent coordinates, as a part of that of the best set at the same position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmugen.ir.dae import CoordinateKind
from fmugen.phases.triangularize.assemble import Assembly
from fmugen.phases.triangularize.numeric import Numbers
from fmugen.phases.triangularize.partition import SINGULAR, Pivots, whole_attitudes

__all__ = ["KEEP_WHOLE", "Judgement", "Sizes", "quality_shown", "usual_sizes"]

#: Attitudes stay whole where this costs no more of the pivots, as in partition.c.
KEEP_WHOLE = 0.5
#: The least that a set of independent coordinates counts as having somewhere.
_LEAST_QUALITY = 0.1
#: Positions at which the usual size is taken, as in scales.c, and the amplitude of a sine of mean size 1.
SIZING_POSITIONS = 16
_AMPLITUDE = np.pi / 2
#: The travel of points by a unit of deflection, as in scales.c.
_USUAL_DEFLECTION = 1.0
#: Positions that are judged: so many, or fewer where matrices have more entries than these together.
_MOST_POSITIONS = 500
_FEWEST_POSITIONS = 40
_MOST_ENTRIES = 400_000


@dataclass(frozen=True)
class Sizes:
    """The usual size of constraint derivatives: by column, and relative to these by row."""

    columns: Numbers
    rows: Numbers


def usual_sizes(assembly: Assembly, rows: Sequence[int], start: Numbers) -> Sizes:
    """The mean over positions with arbitrary angles and attitudes; the runtime takes the same positions."""
    matrices = np.abs([assembly.constraints(at)[1][list(rows)] for at in _scattered(assembly, start)])
    matrices = np.where(np.isfinite(matrices), matrices, 0.0)
    columns = _AMPLITUDE * matrices.mean(axis=0).max(axis=0, initial=0.0)
    deflects = [c.kind is CoordinateKind.DEFLECTION for c in assembly.dae.coordinates]
    columns = np.where(deflects, np.maximum(columns, _USUAL_DEFLECTION), columns)
    relative = matrices / np.where(columns > 0.0, columns, np.inf)
    return Sizes(columns, relative.max(axis=2, initial=0.0).mean(axis=0))


def quality_shown(qualities: Numbers) -> float:
    """The best of the qualities of a set, which thresholds of the running model are relative to."""
    return min(1.0, float(qualities.max(initial=_LEAST_QUALITY)))


def _scattered(assembly: Assembly, start: Numbers) -> list[Numbers]:
    kinds = [coordinate.kind for coordinate in assembly.dae.coordinates]
    seed, found = 1, []
    for _ in range(SIZING_POSITIONS):
        position = start.copy()
        for number, kind in enumerate(kinds):
            seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
            x = (seed >> 8) / 8388608.0 - 1.0
            match kind:
                case CoordinateKind.ANGLE:
                    position[number] = np.pi * x
                case CoordinateKind.COMPONENT:
                    position[number] = np.sqrt(0.75) * x
                case _:
                    position[number] = start[number] * (1.0 + 0.5 * x)
        found.append(position)
    return found


class Judgement:
    """Qualities of sets at the positions of a motion where sets differ.

    ``places`` are the numbers of these positions in ``jacobians``. ``columns`` are the dependent coordinates
    of the best set at each of them.
    """

    def __init__(self, pivots: Pivots, sizes: Sizes, jacobians: Sequence[Numbers]) -> None:
        self._pivots, self._count = pivots, len(sizes.columns)
        rows = len(pivots.rows)
        most = max(_FEWEST_POSITIONS, min(_MOST_POSITIONS, _MOST_ENTRIES // max(rows * self._count, 1)))
        stride = -(-len(jacobians) // most) or 1
        scale = sizes.rows[:, None] * sizes.columns
        scale = np.where(scale > 0.0, scale, np.inf)
        places = range(0, len(jacobians), stride)
        stacked = np.array([jacobians[place] for place in places]).reshape(len(places), rows, self._count)
        self._scaled: Numbers = stacked / scale
        best, columns = self._best()
        regular = best > SINGULAR
        self._scaled, self._largest = self._scaled[regular], best[regular]
        self.places = [place for place, counts in zip(places, regular, strict=True) if counts]
        self.columns = [tuple(sorted(map(int, order))) for order in columns[regular]]

    def __len__(self) -> int:
        return len(self.places)

    def qualities(self, dependent: Sequence[int]) -> Numbers:
        """The quality at each position."""
        found: Numbers = self._smallest(dependent)[0] / self._largest
        return found

    def _smallest(self, dependent: Sequence[int]) -> tuple[Numbers, Numbers]:
        """The smallest pivot, with whole attitudes left out, and the columns in the order of their pivots."""
        whole = whole_attitudes(self._pivots.attitudes, dependent)
        return self._without(
            {row.row for row in whole}, {c for row in whole for c in row.components}, dependent
        )

    def _without(
        self, lengths: set[int], carried: set[int], columns: Sequence[int]
    ) -> tuple[Numbers, Numbers]:
        kept = [column for column in columns if column not in carried]
        places = [place for place, row in enumerate(self._pivots.rows) if row not in lengths]
        smallest, order = _pivots(self._scaled[:, places][:, :, kept])
        return smallest, np.array(kept, dtype=int)[order] if kept else order

    def _best(self) -> tuple[Numbers, Numbers]:
        """The smallest pivot of the best set, and its dependent columns."""
        everything, attitudes = range(self._count), self._pivots.attitudes
        broken, columns = self._without(set(), set(), everything)
        if not attitudes:
            return broken, columns
        carried = {component for each in attitudes for component in each.components}
        whole, others = self._without({each.row for each in attitudes}, carried, everything)
        fourth = np.array([each.components[-1] for each in attitudes])
        others = np.hstack([others, np.broadcast_to(fourth, (len(whole), len(fourth)))])
        keep = whole >= KEEP_WHOLE * broken
        return np.where(keep, whole, broken), np.where(keep[:, None], others, columns)


def _pivots(matrices: Numbers) -> tuple[Numbers, Numbers]:
    """The last pivot of each matrix, and the columns by pivots: elimination with complete pivoting."""
    left = matrices.copy()
    count, rows, columns = left.shape
    each, smallest = np.arange(count), np.ones(count)
    order = np.zeros((count, rows), dtype=int)
    for step in range(rows):
        at = np.abs(left).reshape(count, rows * columns).argmax(axis=1)
        row, column = np.divmod(at, columns)
        pivot = left[each, row, column]
        smallest, order[:, step] = np.abs(pivot), column
        factors = left[each, :, column] / np.where(pivot != 0.0, pivot, 1.0)[:, None]
        left -= factors[:, :, None] * left[each, row, None, :]
        left[each, row, :] = 0.0
        left[each, :, column] = 0.0
    return smallest, order
