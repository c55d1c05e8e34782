"""Rank, redundant constraints, independent coordinates, and blocks of constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmugen.digraph import matching, strong_components
from fmugen.errors import AssemblyError
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.ir.dae import Constraint, Dae
from fmugen.ir.flow import Attitude, Block
from fmugen.ir.graph import Domain
from fmugen.phases.triangularize.assemble import Assembly
from fmugen.phases.triangularize.motion import nearby_positions
from fmugen.phases.triangularize.numeric import Numbers, Position

__all__ = [
    "SINGULAR",
    "Pivots",
    "attitudes_of",
    "blocks_of",
    "choose_independent",
    "independent_rows",
    "typical_length",
    "whole_attitudes",
]

#: At a position where even the best set has smaller pivots, sets cannot be compared.
SINGULAR = 1e-4
_RANK = 1e-8
#: A row whose entries are all below this fraction of the largest entry of the matrix vanishes.
_ROUNDING = 1e-12
#: A choice of independent coordinates that the user's start values suggest is taken if its smallest
#: pivot is at least this fraction of the best one.
_GOOD_ENOUGH = 0.02


def independent_rows(
    assembly: Assembly, q: Numbers, reached: Callable[[], Sequence[Position]]
) -> tuple[list[int], list[int]]:
    """The constraints to keep, and those that follow from them in every position.

    The rank is taken at consistent positions around the start, not only at the start, so that a
    singular start is not mistaken for redundancy. If constraints seem redundant there, the rank is also taken
    at the positions that are ``reached``: drivers may hold the mechanism in its singular start.
    """
    near = [q, *nearby_positions(assembly, q)]
    samples = [(assembly.constraints(at)[1], _RANK) for at in near]
    rows = len(assembly.dae.constraints)
    if max(_rank(*sample) for sample in samples) < rows:
        samples += [(assembly.constraints(at.q, time=at.time)[1], SINGULAR) for at in reached()]
    ranks = [_rank(*sample) for sample in samples]
    best, tolerance = samples[int(np.argmax(ranks))]
    if max(ranks) == rows:
        kept = list(range(rows))
    else:
        # Earlier rows first: a row is redundant if those before it already span it. Whether a row vanishes
        # is judged among all rows: alone, one of rounding errors would look like any other.
        scaled = _scaled_for_rank(best, tolerance)
        kept = []
        for row in range(rows):
            if _count(scaled[[*kept, row]], tolerance) == len(kept) + 1:
                kept.append(row)
    return kept, [row for row in range(rows) if row not in kept]


def _rank(matrix: Numbers, tolerance: float) -> int:
    return _count(_scaled_for_rank(matrix, tolerance), tolerance) if matrix.size else 0


def _scaled_for_rank(matrix: Numbers, tolerance: float) -> Numbers:
    """Scaled rows; a position that was found by iteration is less exact where it is singular."""
    return _row_scaled(matrix, _ROUNDING if tolerance <= _RANK else tolerance)


def _count(scaled: Numbers, tolerance: float) -> int:
    """How many independent rows there are."""
    singular = np.linalg.svd(scaled, compute_uv=False)
    return int(np.sum(singular > tolerance * max(singular.max(), 1.0)))


def typical_length(assembly: Assembly, q: Numbers) -> float:
    """The longest lever: how far a joint opens per radian of a coordinate; 1 m if nothing turns."""
    dae = assembly.dae
    rows = [n for n, row in enumerate(dae.constraints) if row.origin.domain is Domain.TRANSLATION]
    turns = [n for n, coordinate in enumerate(dae.coordinates) if coordinate.unit == "rad"]
    levers = np.abs(assembly.constraints(q)[1][np.ix_(rows, turns)])
    longest = float(levers.max(initial=0.0))
    return longest if longest > 0.0 else 1.0


def _closing(dae: Dae, scaled: Numbers) -> list[int]:
    """The coordinates that may depend on others."""
    every = list(range(scaled.shape[1]))
    branches = [number for number in every if not dae.coordinates[number].is_own]
    if len(branches) == len(every) or len(branches) < scaled.shape[0]:
        return every
    return branches if _pivots(scaled, branches)[1] >= SINGULAR else every


def choose_independent(
    dae: Dae, jacobian: Numbers, preferred: Sequence[int]
) -> tuple[list[int], list[int], float]:
    """Independent and dependent coordinates, and the smallest pivot of the dependent ones.

    The dependent coordinates are the pivots of a QR factorization with column pivoting, which keeps
    Phi_d far from singular; coordinates whose start values the user fixed are kept independent if that
    costs little. Coordinates of elements themselves are independent wherever the others close the loops: a
    deflection is small, and what closes a loop by it is nearly singular.
    """
    rows, columns = jacobian.shape
    if rows == 0:
        return list(range(columns)), [], 1.0
    scaled = _row_scaled(jacobian)
    closing = _closing(dae, scaled)
    best, best_pivot = _pivots(scaled, closing)
    allowed = [column for column in closing if column not in set(preferred)]
    if len(allowed) >= rows:
        wish, pivot = _pivots(scaled, allowed)
        if pivot >= _GOOD_ENOUGH * best_pivot:
            best, best_pivot = wish, pivot
    if best_pivot < _RANK:
        names = ", ".join(sorted({row.origin.edge for row in dae.constraints}))
        raise AssemblyError(
            f"the start position is singular: the loops closed by {names} do not determine the other "
            "coordinates there; start from a slightly different position"
        )
    dependent = sorted(best)
    return [c for c in range(columns) if c not in set(dependent)], dependent, best_pivot


def attitudes_of(dae: Dae, rows: Sequence[int]) -> tuple[Attitude, ...]:
    """The Euler parameters whose unit length is among the constraints ``rows``."""
    lengths = [row for row in rows if dae.constraints[row].origin.is_length]
    return tuple(Attitude(tuple(dae.constraints[row].jacobian), row) for row in lengths)


def whole_attitudes(attitudes: Sequence[Attitude], dependent: Sequence[int]) -> tuple[Attitude, ...]:
    """Those of which three components are independent."""
    found = set(dependent)
    return tuple(each for each in attitudes if len(found.intersection(each.components)) == 1)


@dataclass(frozen=True)
class Pivots:
    """How well the constraints ``rows`` determine dependent coordinates.

    The fourth component of a whole attitude is not determined by a division, however small it is.
    """

    rows: tuple[int, ...]
    attitudes: tuple[Attitude, ...] = ()

    def smallest(self, jacobian: Numbers, dependent: Sequence[int]) -> float:
        """The smallest pivot of the dependent columns, rows scaled."""
        rows, columns = self.divided(dependent)
        if not columns:
            return 1.0
        kept = set(rows)
        places = [place for place, row in enumerate(self.rows) if row in kept]
        return _pivots(_row_scaled(jacobian[places]), columns)[1]

    def divided(self, dependent: Sequence[int]) -> tuple[list[int], list[int]]:
        """The rows and columns that divisions solve: those of whole attitudes are known."""
        whole = whole_attitudes(self.attitudes, dependent)
        carried = {component for each in whole for component in each.components}
        lengths = {each.row for each in whole}
        rows = [row for row in self.rows if row not in lengths]
        return rows, [column for column in dependent if column not in carried]


def _row_scaled(matrix: Numbers, rounding: float = _ROUNDING) -> Numbers:
    """Rows scaled to a largest entry of one; a row that contains only rounding errors is unchanged."""
    scale = np.abs(matrix).max(axis=1, keepdims=True)
    scaled: Numbers = matrix / np.where(scale > rounding * scale.max(initial=0.0), scale, 1.0)
    return scaled


def _pivots(matrix: Numbers, columns: list[int]) -> tuple[list[int], float]:
    from scipy.linalg import qr

    _, upper, order = qr(matrix[:, columns], mode="economic", pivoting=True)
    rows = matrix.shape[0]
    return [columns[index] for index in order[:rows]], float(np.abs(np.diag(upper)).min())


def blocks_of(dae: Dae, pivots: Pivots, dependent: Sequence[int]) -> tuple[Block, ...]:
    """Strongly connected blocks of constraints, in an order in which each needs only earlier ones.

    Each constraint is matched to one dependent coordinate that is in its Jacobian. A
    constraint needs the constraints matched to the other coordinates it contains. Tarjan's components are
    the blocks. Whole attitudes are known: the constraints of their lengths are in no block.
    """
    rows, columns = pivots.divided(dependent)
    unknown = set(columns)
    numbers = {coordinate.position: number for number, coordinate in enumerate(dae.coordinates)}
    changes = {row: [c for c in dae.constraints[row].jacobian if c in unknown] for row in rows}
    contains = {row: _contained(dae.constraints[row], numbers) & unknown for row in rows}
    solves = matching(changes)
    owner = {column: row for row, column in solves.items()}
    needs = {row: {owner[column] for column in contains[row]} - {row} for row in rows}
    members = sorted(sorted(component) for component in strong_components(needs))
    return tuple(_block(dae, block, [solves[row] for row in block]) for block in _in_order(members, needs))


def _in_order(members: Sequence[list[int]], needs: Mapping[int, set[int]]) -> Iterator[list[int]]:
    """Blocks after those that they need, otherwise in the order of ``members``."""
    waiting, solved = list(members), set[int]()
    while waiting:
        block = next(each for each in waiting if all(needs[row] <= solved.union(each) for row in each))
        waiting.remove(block)
        solved.update(block)
        yield block


def _contained(constraint: Constraint, numbers: Mapping[Expr, int]) -> set[int]:
    """The coordinates that a constraint is evaluated with.

    These may be more than its Jacobian has. The Jacobian is right where the loops are closed: an angle
    that is read from a rotation matrix depends on the other angles in it only while a loop is open.
    """
    symbols = symbols_of((constraint.phi, *constraint.closed), SymbolRole.COORDINATE)
    return {*constraint.jacobian, *(numbers[symbol] for symbol in symbols if symbol in numbers)}


def _block(dae: Dae, rows: list[int], unknowns: list[int]) -> Block:
    loops = sorted({dae.constraints[row].origin.edge for row in rows})
    label = "loop " if len(loops) == 1 else "loops "
    names = ", ".join(dae.coordinates[column].name for column in sorted(unknowns))
    return Block(tuple(sorted(unknowns)), tuple(rows), f"{label}{', '.join(loops)} (for {names})")
