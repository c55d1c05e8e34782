"""Angles that stay equal, or opposite, along every motion, as every other angle of a symmetric 6R linkage.

They are found by their values at positions of the mechanism. That one angle in place of the others closes the
loops is proved numerically in a neighbourhood of such positions in which all symbols vary, parameters among
them: as many constraints as there are unknowns left imply all the rest. The assembly mode is irreducible, so
this holds all along it, and no condition on parameters is left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from fmugen.expr.calculus import postorder, symbols_of
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Expr
from fmugen.expr.generic import ValueTable
from fmugen.expr.substitute import Substitution
from fmugen.ir.dae import CoordinateKind, Dae
from fmugen.ir.flow import Block
from fmugen.ir.steps import EqualAngleStep
from fmugen.phases.triangularize.numeric import Numbers

__all__ = ["Equals", "equals_of"]

#: Positions that are compared, at least, and those near which the proof looks: the first, near the start.
_FEWEST, _NEAR = 3, 4
#: Angles that differ by no more are equal (rad): positions are closed to 1e-12.
_EQUAL = 1e-9
#: A constraint that is missed by less is met.
_ZERO = 1e-9
#: How far symbols vary, in their units and as a part of their values.
_VARIED = 0.02
#: Larger blocks take too long to prove.
_LARGEST = 6
#: How many choices of constraints are tried.
_MOST_CHOICES = 20
_ITERATIONS = 25
#: Of equations that determine the unknowns: the smallest part of the largest singular value.
_REGULAR = 1e-6


@dataclass(frozen=True)
class Equals:
    """Steps for angles that equal a known one (``first``) or one that is solved for (``last``).

    ``rows`` are the constraints for the other unknowns, ``others``.
    """

    first: tuple[EqualAngleStep, ...]
    last: tuple[EqualAngleStep, ...]
    others: tuple[int, ...]
    rows: tuple[Expr, ...]


def equals_of(
    dae: Dae, block: Block, positions: Sequence[Numbers], known: ValueTable | None
) -> Equals | None:
    """The unknowns of ``block`` that are equal to another angle at all ``positions``, if that is proved.

    ``known`` has the values of symbols, and coordinates at these positions.
    """
    if known is None or len(positions) < _FEWEST or not 1 < len(block.rows) <= _LARGEST:
        return None
    leaders = _leaders(block.unknowns, _moving_angles(dae, positions))
    others = tuple(k for k in block.unknowns if k not in leaders)
    unknowns = [dae.coordinates[k].position for k in others]
    kept = _sufficient(_rows_left(dae, block, leaders), unknowns, known, len(positions)) if leaders else None
    if kept is None:
        return None
    steps = [(leader in others, _step(dae, k, leader, sign)) for k, (leader, sign) in leaders.items()]
    first, last = (tuple(step for is_last, step in steps if is_last is wanted) for wanted in (False, True))
    return Equals(first, last, others, kept)


def _moving_angles(dae: Dae, positions: Sequence[Numbers]) -> dict[int, Numbers]:
    """The values of angles that are not constant, by coordinate."""
    columns = np.array(positions)
    angles = (k for k, coordinate in enumerate(dae.coordinates) if coordinate.kind is CoordinateKind.ANGLE)
    return {k: columns[:, k] for k in angles if np.ptp(columns[:, k]) > _EQUAL}


def _leaders(unknowns: Collection[int], moving: Mapping[int, Numbers]) -> dict[int, tuple[int, int]]:
    """For each unknown that equals another angle: that angle, a known one if there is any, and the sign."""
    candidates = [k for k in moving if k not in unknowns]
    found: dict[int, tuple[int, int]] = {}
    for k in (k for k in moving if k in unknowns):
        signs = ((leader, _sign(moving[k], moving[leader])) for leader in candidates)
        match = next(((leader, sign) for leader, sign in signs if sign), None)
        if match is None:
            candidates.append(k)  # others may follow it
        else:
            found[k] = match
    return found


def _rows_left(dae: Dae, block: Block, leaders: Mapping[int, tuple[int, int]]) -> list[Expr]:
    """The constraints with leaders in place of the angles that equal them, short ones first."""
    symbol = [coordinate.position for coordinate in dae.coordinates]
    place = Substitution({symbol[k]: sign * symbol[leader] for k, (leader, sign) in leaders.items()})
    rows = [row for row in (place(dae.constraints[row].phi) for row in block.rows) if not row.is_zero]
    return sorted(rows, key=lambda row: len(list(postorder((row,)))))


def _sign(one: Numbers, other: Numbers) -> int:
    """1 for angles that are equal at all positions, -1 for opposite ones, else 0."""
    return next((sign for sign in (1, -1) if np.abs(one - sign * other).max() <= _EQUAL), 0)


def _step(dae: Dae, unknown: int, leader: int, sign: int) -> EqualAngleStep:
    angle = dae.coordinates[leader].position
    sine, cosine = (angle.dag.call(name, angle) for name in ("sin", "cos"))
    return EqualAngleStep(unknown, sine if sign > 0 else -sine, cosine, angle.dag.one)


# --- the proof -------------------------------------------------------------------------------------


def _sufficient(
    rows: Sequence[Expr], unknowns: Sequence[Expr], known: ValueTable, positions: int
) -> tuple[Expr, ...] | None:
    """As many rows as there are unknowns that imply all the others near the positions; short ones first."""
    if not rows:  # the equal angles alone meet all constraints
        return None if unknowns else ()
    symbols = sorted(symbols_of(rows), key=lambda symbol: symbol not in unknowns)
    try:
        values = np.array([known(symbol) for symbol in symbols]).reshape(len(symbols), positions)
    except KeyError:
        return None
    evaluate = compile_python(rows, {"x": symbols})
    count = len(unknowns)
    if set(symbols[:count]) != set(unknowns):
        return None  # an unknown is in no row

    def residual(x: Numbers) -> Numbers:
        return np.array(evaluate(x.tolist()))

    points = list(_varied(values, count, positions))
    chosen = islice(combinations(range(len(rows)), count), _MOST_CHOICES)
    closing = (kept for kept in chosen if all(_closes(residual, list(kept), count, at) for at in points))
    return next((tuple(rows[number] for number in kept) for kept in closing), None)


def _varied(values: Numbers, count: int, positions: int) -> Iterator[Numbers]:
    """Positions with all symbols moved but the first ``count``."""
    random = np.random.default_rng(5)
    for column in range(min(_NEAR, positions)):
        point = values[:, column].copy()
        away = random.uniform(-1.0, 1.0, len(point) - count)
        point[count:] += _VARIED * away * np.maximum(np.abs(point[count:]), 0.5)
        yield point


def _closes(residual: Callable[[Numbers], Numbers], kept: list[int], count: int, point: Numbers) -> bool:
    """Whether the rows ``kept`` determine the first ``count`` values, and all rows are met there."""
    x = point.copy()
    for _ in range(_ITERATIONS):
        value = residual(x)
        moved = [residual(x + 1e-7 * direction) - value for direction in np.eye(x.size)[:count]]
        matrix = np.array(moved).T[kept] / 1e-7 if count else np.zeros((0, 0))
        sizes = np.linalg.svd(matrix, compute_uv=False)
        if count and not sizes[-1] > _REGULAR * max(sizes[0], 1.0):
            return False
        step = np.linalg.solve(matrix, -value[kept]) if count else np.zeros(0)
        x[:count] += step * min(1.0, 0.2 / max(np.abs(step).max(initial=0.0), 1e-300))
        if np.abs(step).max(initial=0.0) < _ZERO / 100:
            break
    return bool(np.abs(residual(x)).max(initial=0.0) < _ZERO)
