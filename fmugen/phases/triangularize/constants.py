"""Unknowns that stay constant along every motion, as the attitude of a Delta robot's platform on rod pairs.

They are found by their values at positions of the mechanism, and proved at generic values of all symbols,
parameters among them: with the constants in place, as many constraints as there are other unknowns imply all
the rest. So no condition on parameters is left. Where lengths are equal by their values alone, nothing is
proved, and the constraints are solved as any others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fmugen.algebra.samples import PointValues
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr
from fmugen.expr.substitute import Substitution
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Block
from fmugen.phases.triangularize.numeric import Numbers

__all__ = ["Constants", "constants_of"]

#: Positions that are compared, at least.
_FEWEST = 3
#: Values that differ by no more are equal (m, rad or 1): positions are closed to 1e-12.
_EQUAL = 1e-9
#: Larger blocks take too long to prove.
_LARGEST = 12


@dataclass(frozen=True)
class Constants:
    """Values of unknowns, and the constraints that are left for the others."""

    values: dict[int, Expr]
    rows: tuple[Expr, ...]


def constants_of(dae: Dae, block: Block, positions: Sequence[Numbers]) -> Constants | None:
    """The unknowns of ``block`` that are constant at all ``positions``, if that is proved."""
    if len(positions) < _FEWEST or not 1 < len(block.rows) <= _LARGEST:
        return None
    columns = np.array(positions)
    constant = [k for k in block.unknowns if np.ptp(columns[:, k]) <= _EQUAL]
    if not constant or not _moves(columns):
        return None
    dag = dae.symbols.dag
    values = {number: dag.number(_exact(float(columns[0, number]))) for number in constant}
    place = Substitution({dae.coordinates[number].position: value for number, value in values.items()})
    others = {dae.coordinates[k].position for k in block.unknowns if k not in values}
    kept = _independent([place(dae.constraints[row].phi) for row in block.rows], others)
    if kept is None or len(kept) != len(others):
        return None
    return Constants(values, kept)


def _independent(rows: Sequence[Expr], unknowns: Collection[Expr]) -> tuple[Expr, ...] | None:
    """The rows from which all others follow; ``None`` if they are too many, or one is without unknowns.

    A row without unknowns is a condition on parameters: nothing is constant for all of their values.
    """
    kept: list[Expr] = []
    for row in rows:
        if row.is_zero or _follows(row, kept):
            continue
        if len(kept) == len(unknowns) or set(unknowns).isdisjoint(symbols_of((row,))):
            return None
        kept.append(row)
    return tuple(kept)


def _follows(row: Expr, kept: Sequence[Expr]) -> bool:
    """Whether ``row`` is zero wherever the rows kept are."""
    if not set(symbols_of((row,))) <= set(symbols_of(kept)):
        return False
    return PointValues(kept).vanish((row,))


def _moves(columns: Numbers) -> bool:
    """Whether the positions are those of a motion at all."""
    return bool(np.ptp(columns, axis=0).max(initial=0.0) > _EQUAL)


def _exact(value: float) -> Fraction:
    """A value as a number, whole where it is one up to rounding."""
    whole = round(value)
    return Fraction(whole) if abs(value - whole) <= _EQUAL else Fraction(value)
