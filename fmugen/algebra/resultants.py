"""Elimination between two equations in two unknowns, where no basis gave an equation in one.

Loops that can only be solved together end here (Uchida 4.2.3): the resultant of two equations linear in the
sine and cosine of one angle is a polynomial in the tangent of half the other. Coefficients are expressions
of the DAG all along, so that nothing is expanded that the generated code would have to evaluate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from flint import fmpz_mpoly

from fmugen.algebra.extract import StepCandidate, polynomial_step
from fmugen.algebra.halfangle import half_angle_coefficients, without_circle_factor
from fmugen.algebra.polynomials import Kind
from fmugen.algebra.ring import Ring
from fmugen.algebra.samples import PointValues
from fmugen.expr.dag import Dag, Expr

__all__ = ["eliminated"]

#: The number of shortest equations in the same two unknowns that are tried in pairs.
_PAIRED = 3

#: Polynomials of a higher degree than this are better left to an iteration on the loops themselves.
_HIGHEST = 16

_Exponents = tuple[int, int]
_Sparse = dict[_Exponents, Expr]


def eliminated(
    ring: Ring, polynomials: Sequence[fmpz_mpoly], samples: PointValues
) -> Iterator[StepCandidate]:
    """Polynomials in one unknown, from pairs of ``polynomials`` in two."""
    groups: dict[frozenset[int], list[fmpz_mpoly]] = {}
    for polynomial in sorted(polynomials, key=len):
        coordinates = ring.coordinates(polynomial)
        if len(coordinates) == 2:
            groups.setdefault(coordinates, []).append(polynomial)
    for coordinates, group in groups.items():
        for first, second in combinations(group[:_PAIRED], 2):
            for gone in sorted(coordinates):
                (left,) = coordinates - {gone}
                yield from _resultant(ring, (first, second), gone, left, samples)


def _resultant(
    ring: Ring, pair: tuple[fmpz_mpoly, fmpz_mpoly], gone: int, left: int, samples: PointValues
) -> Iterator[StepCandidate]:
    reader = _Reader(ring, gone, left)
    forms = [reader.read(polynomial) for polynomial in pair]
    eliminate = _angle_resultant if gone in ring.circles else _length_resultant
    if forms[0] is None or forms[1] is None:
        return
    algebra = _Algebra(ring.dag, is_angle=left in ring.circles)
    terms = eliminate(algebra, forms[0], forms[1])
    coefficients = _dense(terms, left in ring.circles, samples) if terms else []
    if 1 < len(coefficients) <= _HIGHEST + 1:
        step = polynomial_step(left, coefficients, is_angle=left in ring.circles)
        yield StepCandidate(step, sum(map(len, pair)), len(coefficients) - 1)


class _Reader:
    """Reads a polynomial in two unknowns as one in the first, linear, with coefficients in the second."""

    def __init__(self, ring: Ring, gone: int, left: int) -> None:
        self._ring = ring
        self._gone = [i for i, v in enumerate(ring.variables) if v.coordinate == gone]
        sought = [(v.kind, i) for i, v in enumerate(ring.variables) if v.coordinate == left]
        positions = dict(sought)
        self._first = positions.get(Kind.SINE, positions.get(Kind.LENGTH, 0))
        self._second = positions.get(Kind.COSINE)

    def read(self, polynomial: fmpz_mpoly) -> list[_Sparse] | None:
        """The coefficients of the variables of the first unknown, and last what is free of it."""
        form: list[_Sparse] = [{} for _ in range(len(self._gone) + 1)]
        for monomial, part in self._ring.by_variables(polynomial).items():
            powers = [monomial[i] for i in self._gone]
            if sum(powers) > 1:
                return None
            place = powers.index(1) if any(powers) else -1
            second = 0 if self._second is None else int(monomial[self._second])
            form[place][(int(monomial[self._first]), second)] = self._ring.expression(part)
        return form


class _Algebra:
    """Sparse polynomials in the unknown that is left; of an angle, sines squared are replaced."""

    def __init__(self, dag: Dag, *, is_angle: bool) -> None:
        self._dag = dag
        self._is_angle = is_angle

    def minor(self, a: _Sparse, b: _Sparse, c: _Sparse, d: _Sparse) -> _Sparse:
        """a d - b c."""
        return self.sum(self.product(a, d), self.product(b, c, -1))

    def sum(self, *parts: _Sparse) -> _Sparse:
        total: dict[_Exponents, list[Expr]] = {}
        for part in parts:
            for exponents, coefficient in part.items():
                total.setdefault(exponents, []).append(coefficient)
        return {exponents: self._dag.add(terms) for exponents, terms in total.items()}

    def product(self, left: _Sparse, right: _Sparse, sign: int = 1) -> _Sparse:
        raw = self.sum(
            *({(i + k, j + m): sign * x * y} for (i, j), x in left.items() for (k, m), y in right.items())
        )
        return self._reduced(raw) if self._is_angle else raw

    def _reduced(self, raw: _Sparse) -> _Sparse:
        while any(sine > 1 for sine, _ in raw):
            raw = self.sum(
                *({(i - 2, j): x, (i - 2, j + 2): -x} if i > 1 else {(i, j): x} for (i, j), x in raw.items())
            )
        return raw


def _length_resultant(algebra: _Algebra, one: list[_Sparse], other: list[_Sparse]) -> _Sparse:
    """Of a1 x + c1 and a2 x + c2: a1 c2 - a2 c1."""
    return algebra.minor(one[0], other[0], one[1], other[1])


def _angle_resultant(algebra: _Algebra, one: list[_Sparse], other: list[_Sparse]) -> _Sparse:
    """Of a sin + b cos + c, twice: the squares of sine and cosine by Cramer's rule must add up to one."""
    (a, b, c), (d, e, f) = one, other
    determinant = algebra.minor(a, d, b, e)
    sine = algebra.minor(b, e, c, f)
    cosine = algebra.minor(c, f, a, d)
    return algebra.sum(
        algebra.product(sine, sine),
        algebra.product(cosine, cosine),
        algebra.product(determinant, determinant, -1),
    )


def _dense(terms: _Sparse, is_angle: bool, samples: PointValues) -> list[Expr]:
    """Ascending coefficients, without what is always zero and without factors 1 + t^2."""
    terms = {exponents: value for exponents, value in terms.items() if not samples.vanish([value])}
    if not terms:
        return []
    if not is_angle:
        zero = next(iter(terms.values())).dag.zero
        return [terms.get((power, 0), zero) for power in range(max(i for i, _ in terms) + 1)]
    coefficients = _trimmed(half_angle_coefficients(terms), samples)
    while len(coefficients) > 2 and _has_circle_factor(coefficients, samples):
        coefficients = _trimmed(without_circle_factor(coefficients), samples)
    return coefficients


def _trimmed(coefficients: list[Expr], samples: PointValues) -> list[Expr]:
    while coefficients and samples.vanish(coefficients[-1:]):
        coefficients = coefficients[:-1]
    return coefficients


def _has_circle_factor(coefficients: Sequence[Expr], samples: PointValues) -> bool:
    """Whether the polynomial vanishes at t = i, at every sample."""
    columns = list(zip(*(samples(coefficient) for coefficient in coefficients), strict=True))
    for column in columns:
        scale = sum(map(abs, column))
        value = sum(x * 1j**power for power, x in enumerate(column))
        if not abs(value) <= 1e-9 * scale:
            return False
    return True
