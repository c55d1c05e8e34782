"""Sums of rows that are free of an angle: rotations of a loop before its lengths.

Two axes of a loop enclose an angle that does not depend on turns about either of them. Seen along one axis,
the other has the same component whichever way round the loop it is followed. Where rows are the components
of an axis in other directions, the weights of their sum are the components of the first axis: it is normal
to all columns of coefficients of that angle, so it is the cross product of two of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from flint import fmpz_mpoly
from numpy.typing import NDArray

from fmugen.algebra.polynomials import Monomial
from fmugen.algebra.ring import Ring

__all__ = ["free_sums"]

#: So many unknowns are left in a sum at most, and so many rows are combined.
_MOST_LEFT = 2
_MOST_ROWS = 8
#: Products of more terms than this are not formed.
_MOST_PRODUCTS = 400
#: A singular value or a cross product this small against the largest is zero.
_ZERO = 1e-9
#: Columns nearer to parallel are no pair.
_APART = 1e-3

Points = Sequence[Sequence[float]]
Column = tuple[fmpz_mpoly, ...]


def free_sums(
    ring: Ring, rows: Sequence[fmpz_mpoly], points: Points, normal: Callable[[fmpz_mpoly], fmpz_mpoly]
) -> Iterator[fmpz_mpoly]:
    """Sums of three rows that are free of one of their angles.

    Parameters
    ----------
    points
        Values of the lumps of the ring.
    normal
        Simplifies a polynomial by all that is known to be zero.
    """
    for angle in ring.circles:
        having = [row for row in rows if angle in ring.coordinates(row)][:_MOST_ROWS]
        for three in combinations(having, 3):
            others = {other for row in three for other in ring.coordinates(row)} - {angle}
            if 0 < len(others) <= _MOST_LEFT:
                found = _without(ring, angle, three, points, normal)
                if found is not None:
                    yield found


def _without(
    ring: Ring,
    angle: int,
    rows: Sequence[fmpz_mpoly],
    points: Points,
    normal: Callable[[fmpz_mpoly], fmpz_mpoly],
) -> fmpz_mpoly | None:
    columns = _columns(ring, angle, rows)
    values = np.array([[[_value(ring, part, at) for part in each] for each in columns] for at in points])
    if not values.size or not _are_in_a_plane(values):
        return None
    for one, other in sorted(combinations(range(len(columns)), 2), key=lambda pair: _length(columns, pair)):
        if _length(columns, (one, other)) > _MOST_PRODUCTS:
            return None
        if _are_apart(values[:, one], values[:, other]):
            weights = _cross(columns[one], columns[other])
            total = normal(
                sum((w * row for w, row in zip(weights, rows, strict=True)), ring.context.constant(0))
            )
            return None if angle in ring.coordinates(total) else total
    return None


def _columns(ring: Ring, angle: int, rows: Sequence[fmpz_mpoly]) -> list[Column]:
    """The coefficients in all rows of each monomial that has the angle."""
    positions = [i for i, variable in enumerate(ring.variables) if variable.coordinate == angle]
    parts = [ring.by_variables(row) for row in rows]
    monomials: dict[Monomial, None] = {}
    for part in parts:
        monomials |= dict.fromkeys(e for e in part if any(e[i] for i in positions))
    zero = ring.context.constant(0)
    return [tuple(part.get(monomial, zero) for part in parts) for monomial in monomials]


def _value(ring: Ring, part: fmpz_mpoly, at: Sequence[float]) -> float:
    count = len(ring.variables)
    return math.fsum(
        int(number) * math.prod(x ** int(e) for x, e in zip(at, exponents[count:], strict=True) if e)
        for exponents, number in part.to_dict().items()
    )


def _are_in_a_plane(values: NDArray[np.float64]) -> bool:
    singular = np.linalg.svd(values, compute_uv=False)
    if singular.shape[1] < 3:
        return True
    return bool((singular[:, 2] <= _ZERO * singular[:, 0]).all())


def _are_apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    across = np.linalg.norm(np.cross(one, other), axis=1)
    sizes = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return bool((across > _APART * sizes).all())


def _length(columns: Sequence[Column], pair: tuple[int, int]) -> int:
    return math.prod(sum(map(len, columns[number])) for number in pair)


def _cross(a: Column, b: Column) -> Column:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
