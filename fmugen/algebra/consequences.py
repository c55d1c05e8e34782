"""Equations that follow from two or three rows by a theorem, before any basis is computed.

A link between two joints has a constant length: the squares of the components of its vector add up to
something free of the angles at its end (Uchida (5.2)). That eliminates one angle of a planar dyad, both
angles of a universal joint, the three of a spherical one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from flint import fmpz_mpoly

from fmugen.algebra.extract import content_of
from fmugen.algebra.ring import Ring

__all__ = ["consequences"]

#: Products of more terms than this are no shortcut.
_MOST_PRODUCTS = 5000

#: So many angles at most are eliminated at once: those of a spherical joint.
_MOST_ANGLES = 3


def consequences(ring: Ring, rows: Sequence[fmpz_mpoly]) -> list[fmpz_mpoly]:
    """Equations with fewer unknowns: constant lengths, and else angles between two linear equations."""
    found = list(_lengths(ring, rows))
    for angle in ring.circles:
        pair = _with(ring, rows, {angle})
        if len(pair) == 2 and _without(ring, pair, {angle}) is None:
            forms = [_linear(ring, angle, row) for row in pair]
            if forms[0] is not None and forms[1] is not None:
                found += _cramer(ring, forms[0], forms[1])
    # Two rows may bind what is known, and nothing else.
    return [p // content_of(list(ring.by_variables(p).values())) for p in found if ring.coordinates(p)]


def _lengths(ring: Ring, rows: Sequence[fmpz_mpoly]) -> Iterator[fmpz_mpoly]:
    done: list[frozenset[int]] = []
    for count in range(1, _MOST_ANGLES + 1):
        for angles in map(frozenset, combinations(ring.circles, count)):
            group = _with(ring, rows, angles)
            if len(group) in (2, 3) and not any(smaller < angles for smaller in done):
                length = _without(ring, group, angles)
                if length is not None:
                    done.append(angles)
                    yield length


def _with(ring: Ring, rows: Sequence[fmpz_mpoly], angles: Collection[int]) -> list[fmpz_mpoly]:
    return [row for row in rows if ring.coordinates(row) & set(angles)]


def _without(ring: Ring, rows: Sequence[fmpz_mpoly], angles: Collection[int]) -> fmpz_mpoly | None:
    """The length of the vector whose components are the terms with ``angles``, if it is free of them."""
    positions = [i for i, variable in enumerate(ring.variables) if variable.coordinate in angles]
    difference = ring.context.constant(0)
    vector = ring.context.constant(0)
    for row in rows:
        turning: dict[tuple[int, ...], int] = {}
        resting: dict[tuple[int, ...], int] = {}
        for exponents, number in row.to_dict().items():
            part = turning if any(exponents[i] for i in positions) else resting
            part[tuple(map(int, exponents))] = int(number)
        if len(turning) ** 2 + len(resting) ** 2 > _MOST_PRODUCTS:
            return None
        vector = vector + ring.context.from_dict(turning) ** 2
        difference = difference + ring.context.from_dict(resting) ** 2
    length = _normal(ring, vector)
    if ring.coordinates(length) & set(angles):
        return None
    return _normal(ring, difference) - length


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


def _cramer(ring: Ring, one: _Linear, other: _Linear) -> list[fmpz_mpoly]:
    """Of a sin + b cos + c = 0, twice: (bf - ec)^2 + (cd - af)^2 = (ae - bd)^2."""
    (a, b, c), (d, e, f) = one, other
    minors = [_normal(ring, minor) for minor in (b * f - e * c, c * d - a * f, a * e - b * d)]
    if sum(len(minor) ** 2 for minor in minors) > _MOST_PRODUCTS:
        return []
    return [_normal(ring, minors[0] ** 2 + minors[1] ** 2 - minors[2] ** 2)]


def _normal(ring: Ring, polynomial: fmpz_mpoly) -> fmpz_mpoly:
    """``polynomial`` with the squares of sines replaced, and known pairs on the unit circle as well."""
    for relation in (*ring.circles.values(), *ring.relations):
        polynomial = polynomial % relation
    return polynomial
