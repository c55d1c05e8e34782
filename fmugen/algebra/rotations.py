"""Known rotations: recognized among the factors of coefficients, and undone.

Rows that are the components of one vector in a frame that is turned by a known angle carry the sine and
cosine of that angle in every term. Combined with the transposed rotation, which changes no solution, they
lose them; that is what keeps degrees and terms of a basis small.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from flint import fmpz_mpoly

from fmugen.algebra.ring import Ring
from fmugen.algebra.samples import Samples
from fmugen.expr.dag import Expr

__all__ = ["turn_back", "unit_pairs"]


def unit_pairs(factors: Sequence[Expr], samples: Samples) -> tuple[tuple[int, int], ...]:
    """Pairs of factors u, v with u^2 + v^2 = 1, by their numbers."""
    return tuple(
        (first, second)
        for first, second in combinations(range(len(factors)), 2)
        if samples.on_unit_circle(factors[first], factors[second])
    )


def turn_back(ring: Ring, rows: Sequence[fmpz_mpoly]) -> list[fmpz_mpoly]:
    """Equivalent rows with fewer terms, as long as undoing a rotation by a known pair shortens two."""
    turned = list(rows)
    improved = True
    while improved:
        improved = False
        for pair in ring.units:
            for i, j in combinations(range(len(turned)), 2):
                better = _turned(ring, turned[i], turned[j], pair)
                if better is not None:
                    turned[i], turned[j] = better
                    improved = True
    return turned


def _turned(
    ring: Ring, x: fmpz_mpoly, y: fmpz_mpoly, pair: tuple[int, int]
) -> tuple[fmpz_mpoly, fmpz_mpoly] | None:
    gens = ring.context.gens()
    offset = len(ring.variables)
    u, v = gens[offset + pair[0]], gens[offset + pair[1]]
    circle = u**2 + v**2 - 1
    shortest = None
    terms = _terms(ring, x) + _terms(ring, y)
    for sign in (1, -1):
        first = (u * x + sign * v * y) % circle
        second = (u * y - sign * v * x) % circle
        count = _terms(ring, first) + _terms(ring, second)
        if count < terms:
            shortest, terms = (first, second), count
    return shortest


def _terms(ring: Ring, polynomial: fmpz_mpoly) -> int:
    """The number of terms that contain an unknown; what is known is one lump later, however long."""
    count = len(ring.variables)
    return sum(any(monomial[:count]) for monomial in polynomial.monoms())
