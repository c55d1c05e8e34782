"""Gröbner bases with bracket coefficients: numbers of some digits, each with a bound of its error.

A coefficient that is not larger than its error is zero (Shirayanagi; Uchida, section 2.2.6). Power products
are pairs of exponents, compared lexicographically.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import NamedTuple

__all__ = ["Polynomial", "bracket_basis", "polynomial"]

Powers = tuple[int, int]


class Bracket(NamedTuple):
    """A number and a bound of its error."""

    value: Decimal
    error: Decimal


Polynomial = dict[Powers, Bracket]


class _Arithmetic:
    """Operations that round to some digits."""

    def __init__(self, digits: int) -> None:
        self._context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
        self._errors = Context(prec=8)

    def rounded(self, exact: Decimal, error: Decimal = Decimal(0)) -> Bracket:
        value = self._context.plus(exact)
        digit = Decimal(0) if value == exact else Decimal((0, (5,), value.adjusted() - self._context.prec))
        return Bracket(value, self._errors.add(error, digit))

    def product(self, a: Bracket, b: Bracket) -> Bracket:
        add, mul = self._errors.add, self._errors.multiply
        error = add(add(mul(abs(a.value), b.error), mul(abs(b.value), a.error)), mul(a.error, b.error))
        return self.rounded(_WIDE.multiply(a.value, b.value), error)

    def difference(self, a: Bracket, b: Bracket) -> Bracket:
        return self.rounded(_WIDE.subtract(a.value, b.value), self._errors.add(a.error, b.error))

    def quotient(self, a: Bracket, b: Bracket) -> Bracket:
        exact = _WIDE.divide(a.value, b.value)
        error = self._errors.divide(
            self._errors.add(a.error, self._errors.multiply(abs(exact), b.error)), abs(b.value)
        )
        return self.rounded(exact, error)

    def monic(self, p: Polynomial) -> Polynomial:
        lead = p[max(p)]
        one = Bracket(Decimal(1), Decimal(0))
        return {e: one if e == max(p) else self.quotient(c, lead) for e, c in p.items()}

    def reduced_by(self, p: Polynomial, q: Polynomial, shift: Powers, factor: Bracket) -> Polynomial:
        """p - factor * (shift) * q, without what is zero."""
        found = dict(p)
        none = Bracket(Decimal(0), Decimal(0))
        for e, c in q.items():
            at = (e[0] + shift[0], e[1] + shift[1])
            found[at] = self.difference(found.get(at, none), self.product(factor, c))
        lead = max(q)
        found.pop((lead[0] + shift[0], lead[1] + shift[1]), None)
        return {e: c for e, c in found.items() if abs(c.value) > c.error}


_WIDE = Context(prec=60)


def polynomial(terms: dict[Powers, str]) -> dict[Powers, Decimal]:
    """A polynomial with decimal coefficients."""
    return {powers: Decimal(number) for powers, number in terms.items()}


def bracket_basis(polynomials: list[dict[Powers, Decimal]], digits: int) -> list[dict[Powers, Decimal]]:
    """The reduced, monic, lexicographic basis with coefficients of so many digits."""
    arithmetic = _Arithmetic(digits)
    basis = [
        arithmetic.monic({e: arithmetic.rounded(c) for e, c in polynomial.items()})
        for polynomial in polynomials
    ]
    pairs = [(i, j) for j in range(len(basis)) for i in range(j)]
    while pairs:
        i, j = pairs.pop(0)
        new = _remainder(_s_polynomial(basis[i], basis[j], arithmetic), basis, arithmetic)
        if new:
            pairs += [(k, len(basis)) for k in range(len(basis))]
            basis.append(arithmetic.monic(new))
    return _interreduced(basis, arithmetic)


def _s_polynomial(p: Polynomial, q: Polynomial, arithmetic: _Arithmetic) -> Polynomial:
    a, b = max(p), max(q)
    top = (max(a[0], b[0]), max(a[1], b[1]))
    shifted = {(e[0] + top[0] - a[0], e[1] + top[1] - a[1]): c for e, c in p.items()}
    one = Bracket(Decimal(1), Decimal(0))
    return arithmetic.reduced_by(shifted, q, (top[0] - b[0], top[1] - b[1]), one)


def _remainder(p: Polynomial, basis: list[Polynomial], arithmetic: _Arithmetic) -> Polynomial:
    rest: Polynomial = {}
    p = dict(p)
    while p:
        lead = max(p)
        divisor = next((q for q in basis if _divides(max(q), lead)), None)
        if divisor is None:
            rest[lead] = p.pop(lead)
        else:
            by = max(divisor)
            p = arithmetic.reduced_by(p, divisor, (lead[0] - by[0], lead[1] - by[1]), p[lead])
    return rest


def _divides(a: Powers, b: Powers) -> bool:
    return a[0] <= b[0] and a[1] <= b[1]


def _interreduced(basis: list[Polynomial], arithmetic: _Arithmetic) -> list[dict[Powers, Decimal]]:
    kept: list[Polynomial] = []
    for p in sorted(basis, key=max):
        if not any(_divides(max(other), max(p)) for other in kept):
            kept.append(p)
    reduced = []
    for p in kept:
        others = [q for q in kept if q is not p]
        reduced.append(arithmetic.monic(_remainder(p, others, arithmetic)))
    return [{e: c.value for e, c in p.items()} for p in sorted(reduced, key=max)]
