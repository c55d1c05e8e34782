"""Equations that follow from two or three rows by a theorem, before any basis is computed.

A link between two joints has a constant length: the squares of the components of its vector add up to
something free of the angles at its end (Uchida (5.2)). That eliminates one angle of a planar dyad, both
angles of a universal joint, the three of a spherical one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from flint import fmpz_mpoly

from fmugen.algebra.combinations import free_sums
from fmugen.algebra.extract import content_of
from fmugen.algebra.polynomials import Kind, Variable
from fmugen.algebra.ring import Ring
from fmugen.algebra.samples import PointValues

__all__ = ["consequences"]

#: Products of more terms than this are not formed.
_MOST_PRODUCTS = 3000

#: A sum this small against its terms is zero.
_ZERO = 1e-9

#: Blocks of more angles than this are too large to be searched for vectors.
_MOST_UNKNOWNS = 8

#: The most angles that are eliminated at once: those of a spherical joint.
_MOST_ANGLES = 3


Terms = dict[tuple[int, ...], int]


def consequences(ring: Ring, rows: Sequence[fmpz_mpoly], samples: PointValues) -> list[fmpz_mpoly]:
    """Equations with fewer unknowns: constant lengths, and else angles between two linear equations."""
    algebra = _Algebra(ring, samples)
    found = [*_lengths(algebra, rows), *free_sums(ring, rows, algebra.points, algebra.normal)]
    for angle in ring.circles:
        pair = [row for row in rows if angle in ring.coordinates(row)]
        if len(pair) == 2 and _without(algebra, pair, {angle}) is None:
            forms = [_linear(ring, angle, row) for row in pair]
            if forms[0] is not None and forms[1] is not None:
                found += _cramer(algebra, forms[0], forms[1])
    # Two rows may relate known quantities only.
    return [p // content_of(list(ring.by_variables(p).values())) for p in found if ring.coordinates(p)]


class _Algebra:
    """Polynomials modulo all that is known to be zero."""

    def __init__(self, ring: Ring, samples: PointValues) -> None:
        self.ring = ring
        self.points = list(zip(*(samples(meaning) for meaning in ring.meanings), strict=True))
        self._source = random.Random(1)

    def normal(self, polynomial: fmpz_mpoly) -> fmpz_mpoly:
        """``polynomial`` with the squares of sines replaced, and without terms that always vanish.

        The columns of a known rotation are orthogonal, but lumps do not say so.
        """
        for relation in (*self.ring.circles.values(), *self.ring.relations):
            polynomial = polynomial % relation
        count = len(self.ring.variables)
        kept: dict[tuple[int, ...], int] = {}
        for monomial, part in self.ring.by_variables(polynomial).items():
            terms = {tuple(map(int, e)): int(n) for e, n in part.to_dict().items()}
            if len(terms) < 2 or not self._vanishes({e[count:]: n for e, n in terms.items()}):
                kept |= {(*monomial, *e[count:]): n for e, n in terms.items()}
        return self.ring.context.from_dict(kept)

    def is_free(self, vector: Sequence[Terms], angles: Collection[int]) -> bool:
        """Whether the length of ``vector`` seems not to depend on ``angles``, by a numerical test."""
        turns = {angle: self._source.uniform(-3.0, 3.0) for angle in self.ring.circles}
        others = {angle: self._source.uniform(-3.0, 3.0) for angle in angles}
        lumps = self.points[0] if self.points else ()
        one, other = (self._length(vector, at, lumps) for at in (turns, turns | others))
        return abs(one - other) <= _ZERO * (abs(one) + abs(other))

    def _length(self, vector: Sequence[Terms], turns: dict[int, float], lumps: Sequence[float]) -> float:
        values = [_value(variable, turns) for variable in self.ring.variables] + list(lumps)
        return sum(_evaluated(terms, values) ** 2 for terms in vector)

    def _vanishes(self, terms: dict[tuple[int, ...], int]) -> bool:
        for point in self.points:
            values = [
                n * math.prod(x**e for x, e in zip(point, lumps, strict=True) if e)
                for lumps, n in terms.items()
            ]
            if not abs(sum(values)) <= _ZERO * sum(map(abs, values)):
                return False
        return bool(self.points)


def _lengths(algebra: _Algebra, rows: Sequence[fmpz_mpoly]) -> Iterator[fmpz_mpoly]:
    """The lengths of vectors whose components are neighbouring rows, free of some of their angles."""
    if len(algebra.ring.circles) > _MOST_UNKNOWNS:
        return
    for size in (2, 3):
        for start in range(len(rows) - size + 1):
            yield from _lengths_of(algebra, rows[start : start + size])


def _lengths_of(algebra: _Algebra, vector: Sequence[fmpz_mpoly]) -> Iterator[fmpz_mpoly]:
    """The lengths of one vector, each free of angles that no earlier one is free of."""
    ring = algebra.ring
    present = [ring.coordinates(row) for row in vector]
    turning = [angle for angle in ring.circles if any(angle in row for row in present)]
    gone: list[frozenset[int]] = []
    for angles in _subsets(turning):
        if all(angles & row for row in present) and not any(angles <= others for others in gone):
            length = _without(algebra, vector, angles)
            if length is not None:
                gone.append(frozenset(turning) - ring.coordinates(length))
                yield length


def _subsets(angles: Sequence[int]) -> Iterator[frozenset[int]]:
    for count in range(1, _MOST_ANGLES + 1):
        yield from map(frozenset, combinations(angles, count))


def _without(algebra: _Algebra, rows: Sequence[fmpz_mpoly], angles: Collection[int]) -> fmpz_mpoly | None:
    """The length of the vector whose components are the terms with ``angles``, if it is free of them."""
    ring = algebra.ring
    positions = [i for i, variable in enumerate(ring.variables) if variable.coordinate in angles]
    parted = [_parted(row, positions) for row in rows]
    turning = [terms for terms, _ in parted]
    resting = [terms for _, terms in parted]
    products = sum(len(terms) ** 2 for terms in (*turning, *resting))
    if products > _MOST_PRODUCTS or not algebra.is_free(turning, angles):
        return None
    length = algebra.normal(_squares(ring, turning))
    if ring.coordinates(length) & set(angles):
        return None
    return algebra.normal(_squares(ring, resting) - length)


def _parted(row: fmpz_mpoly, positions: Sequence[int]) -> tuple[Terms, Terms]:
    """The terms with any of the indeterminates at ``positions``, and those without."""
    terms = {tuple(map(int, exponents)): int(number) for exponents, number in row.to_dict().items()}
    having = {e: n for e, n in terms.items() if any(e[i] for i in positions)}
    return having, {e: n for e, n in terms.items() if e not in having}


def _squares(ring: Ring, vector: Sequence[Terms]) -> fmpz_mpoly:
    total = ring.context.constant(0)
    for terms in vector:
        total = total + ring.context.from_dict(terms) ** 2
    return total


def _value(variable: Variable, turns: dict[int, float]) -> float:
    match variable.kind:
        case Kind.SINE:
            return math.sin(turns[variable.coordinate])
        case Kind.COSINE:
            return math.cos(turns[variable.coordinate])
        case Kind.LENGTH:
            return 0.7


def _evaluated(terms: Terms, values: Sequence[float]) -> float:
    return sum(
        n * math.prod(x**e for x, e in zip(values, exponents, strict=True) if e)
        for exponents, n in terms.items()
    )


_Linear = tuple[fmpz_mpoly, fmpz_mpoly, fmpz_mpoly]


def _linear(ring: Ring, angle: int, row: fmpz_mpoly) -> _Linear | None:
    """The coefficients of sine, cosine and the rest, polynomials in the other unknowns."""
    positions = [i for i, v in enumerate(ring.variables) if v.coordinate == angle]
    parts: list[dict[tuple[int, ...], int]] = [{}, {}, {}]
    for exponents, number in row.to_dict().items():
        powers = [int(exponents[i]) for i in positions]
        if sum(powers) > 1:
            return None
        rest = tuple(0 if i in positions else int(e) for i, e in enumerate(exponents))
        parts[powers.index(1) if any(powers) else 2][rest] = int(number)
    a, b, c = (ring.context.from_dict(part) for part in parts)
    return a, b, c


def _cramer(algebra: _Algebra, one: _Linear, other: _Linear) -> list[fmpz_mpoly]:
    """Of a sin + b cos + c = 0, twice: (bf - ec)^2 + (cd - af)^2 = (ae - bd)^2."""
    (a, b, c), (d, e, f) = one, other
    minors = [algebra.normal(minor) for minor in (b * f - e * c, c * d - a * f, a * e - b * d)]
    if sum(len(minor) ** 2 for minor in minors) > _MOST_PRODUCTS:
        return []
    return [algebra.normal(minors[0] ** 2 + minors[1] ** 2 - minors[2] ** 2)]
