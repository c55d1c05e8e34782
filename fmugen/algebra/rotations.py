"""Known rotations, recognized among the factors of coefficients and undone; shared parts, subtracted.

Rows that are the components of one vector in a frame that is turned by a known angle carry the sine and
cosine of that angle in every term. Combined with the transposed rotation, which changes no solution, they
lose them; that is what keeps degrees and terms of a basis small.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from flint import fmpz_mpoly

from fmugen.algebra.ring import Ring
from fmugen.algebra.samples import PointValues
from fmugen.expr.dag import Expr

__all__ = ["shorten", "unit_pairs"]


def unit_pairs(factors: Sequence[Expr], samples: PointValues) -> tuple[tuple[int, int], ...]:
    """Pairs of factors u, v with u^2 + v^2 = 1, by their numbers."""
    return tuple(
        (first, second)
        for first, second in combinations(range(len(factors)), 2)
        if samples.on_unit_circle(factors[first], factors[second])
    )


def shorten(ring: Ring, rows: Sequence[fmpz_mpoly]) -> list[fmpz_mpoly]:
    """Equivalent rows with fewer terms, as long as two rows become shorter together.

    Two rows are turned back by a known pair, or one is added to the other or subtracted from it, which
    removes a part that two loops share; of two equivalent rows one is kept.
    """
    shorter = list(rows)
    improved = True
    while improved:
        improved = False
        for i, j in combinations(range(len(shorter)), 2):
            better = _combined(ring, shorter[i], shorter[j])
            if better is not None:
                shorter[i], shorter[j] = better
                improved = True
    return [row for row in shorter if len(row) > 0]


def _combined(ring: Ring, x: fmpz_mpoly, y: fmpz_mpoly) -> tuple[fmpz_mpoly, fmpz_mpoly] | None:
    """The shortest pair of rows that is equivalent to ``x`` and ``y``, if it is shorter."""
    if not ring.coordinates(x) & ring.coordinates(y):
        return None
    pairs = [(x, y), (x, y + x), (x, y - x), (x + y, y), (x - y, y)]
    for units in ring.units:
        pairs += _turned(ring, x, y, units)
    lengths = [_terms(ring, first) + _terms(ring, second) for first, second in pairs]
    shortest = lengths.index(min(lengths))
    return pairs[shortest] if shortest else None


def _turned(
    ring: Ring, x: fmpz_mpoly, y: fmpz_mpoly, units: tuple[int, int]
) -> list[tuple[fmpz_mpoly, fmpz_mpoly]]:
    """``x`` and ``y`` in a frame turned by a known angle, either way."""
    lumps = ring.context.gens()[len(ring.variables) :]
    u, v = lumps[units[0]], lumps[units[1]]
    circle = u**2 + v**2 - 1
    return [((u * x + s * v * y) % circle, (u * y - s * v * x) % circle) for s in (1, -1)]


def _terms(ring: Ring, polynomial: fmpz_mpoly) -> int:
    """The number of terms that contain an unknown; what is known is one lump later, however long."""
    count = len(ring.variables)
    return sum(any(monomial[:count]) for monomial in polynomial.monoms())
