"""Lumping: what is known becomes one symbol a coefficient before any basis is computed.

First each coefficient is read as a product of factors, so that a known rotation is seen as a pair of
factors u, v with u^2 + v^2 = 1. Two rows seen in a rotated frame are turned back (:mod:`.rotations`). Then
each coefficient is one lump, up to its sign and a rational factor; small rationals stay numbers. Pairs that
no turn removed stay lumps of their own, bound by their relation: without it the degree of a basis doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from flint import fmpz_mpoly

from fmugen.algebra.polynomials import Monomial, Polynomial, Variable
from fmugen.algebra.ring import Opening, Ring, is_given, number_content
from fmugen.algebra.rotations import shorten, unit_pairs
from fmugen.algebra.samples import PointValues
from fmugen.expr.calculus import postorder
from fmugen.expr.code import count_operations
from fmugen.expr.dag import Dag, Exact, Expr, Operation

__all__ = ["lump"]

#: Integers of at most this size stay numbers in the polynomials.
_SMALL = 100

#: A sum with more terms than this is one factor, not opened in search of rotations.
_OPENED = 8

_Factors = tuple[tuple[Expr, int], ...]
_Term = tuple[Monomial, Exact, _Factors]
_LumpedTerm = tuple[Monomial, int, dict[int, int]]


def lump(
    dag: Dag, variables: tuple[Variable, ...], rows: Sequence[Polynomial], samples: PointValues
) -> tuple[Ring, list[fmpz_mpoly]]:
    """``rows`` over a ring of as few lumps as possible."""
    closed, polynomials = _factored(dag, variables, rows, samples, opened=1)
    plain = _lumped(closed, polynomials)
    if not _is_worth_opening(rows):
        return plain
    opened = _lumped(*_factored(dag, variables, rows, samples, opened=_OPENED))
    return min((plain, opened), key=lambda pair: _size(*pair))


def _is_worth_opening(rows: Sequence[Polynomial]) -> bool:
    """Whether a sum or a known direction stands beside an unknown.

    A sum may be equal to another, written otherwise, and a direction may be a rotation to be undone. Where
    there is neither, what is known best stays as it was built.
    """
    beside = [part for row in rows for monomial, part in row.items() if any(monomial)]
    return any(
        node.operation is Operation.ADD or (node.operation is Operation.CALL and node.name in ("sin", "cos"))
        for node in postorder(beside)
    )


def _size(ring: Ring, rows: Sequence[fmpz_mpoly]) -> tuple[int, int, int]:
    """Terms, lumps, and the operations that give the lumps."""
    operations = count_operations((), ring.meanings, is_given).total
    return sum(map(len, rows)), len(ring.meanings), operations


def _lumped(factored: Ring, rows: Sequence[fmpz_mpoly]) -> tuple[Ring, list[fmpz_mpoly]]:
    return _Relumping(factored).lump(shorten(factored, rows))


def _factored(
    dag: Dag,
    variables: tuple[Variable, ...],
    rows: Sequence[Polynomial],
    samples: PointValues,
    *,
    opened: int,
) -> tuple[Ring, list[fmpz_mpoly]]:
    """The rows with every distinct factor of a coefficient as a lump; sums of few terms are opened."""
    numbers: dict[Expr, int] = {}
    read: list[list[_Term]] = []
    for row in rows:
        terms: list[_Term] = []
        for monomial, coefficient in row.items():
            for number, factors in _terms(coefficient, opened):
                for factor, _ in factors:
                    numbers.setdefault(factor, len(numbers))
                terms.append((monomial, number, factors))
        read.append(terms)
    meanings = tuple(numbers)
    ring = Ring(dag, variables, meanings, unit_pairs(meanings, samples))
    # One scale for all rows: a rotation mixes rows, and must find them in proportion.
    scale = lcm(*(number.denominator for terms in read for _, number, _ in terms))
    return ring, [_gather(ring, terms, numbers, scale) for terms in read]


def _gather(ring: Ring, terms: Sequence[_Term], numbers: dict[Expr, int], scale: int) -> fmpz_mpoly:
    gathered: dict[Monomial, int] = {}
    for monomial, number, factors in terms:
        exponents = [0] * len(ring.meanings)
        for factor, exponent in factors:
            exponents[numbers[factor]] += exponent
        key = (*monomial, *exponents)
        gathered[key] = gathered.get(key, 0) + int(number * scale)
    return ring.context.from_dict(gathered)


def _terms(coefficient: Expr, opened: int) -> list[tuple[Exact, _Factors]]:
    """A coefficient as a short sum of products, else as one product."""
    pieces: list[tuple[Exact, _Factors]] = []
    stack = [coefficient]
    while stack:
        term = stack.pop()
        number, factors = _product(term)
        sums = [factor for factor, exponent in factors if factor.operation is Operation.ADD and exponent == 1]
        if sums and len(pieces) + len(stack) + len(sums[0].args) <= opened:
            others = [_power(factor, exponent) for factor, exponent in factors if factor is not sums[0]]
            dag = term.dag
            stack += [dag.mul([dag.number(number), *others, part]) for part in sums[0].args]
        else:
            pieces.append((number, factors))
    return pieces


def _power(factor: Expr, exponent: int) -> Expr:
    return factor.dag.power(factor, exponent)


def _product(term: Expr) -> tuple[Exact, _Factors]:
    """A term as a number and factors with positive exponents; a quotient is a factor of its own."""
    number: Exact = 1
    factors: list[tuple[Expr, int]] = []
    stack = [term]
    while stack:
        part = stack.pop()
        if part.operation is Operation.MUL:
            stack.extend(reversed(part.args))
        elif part.is_number:
            sign = 1 if part.number > 0 else -1
            size = sign * part.number
            if max(size.numerator, size.denominator) <= _SMALL:
                number = number * part.number
            else:
                number = number * sign
                factors.append((part.dag.number(size), 1))
        elif part.operation is Operation.POWER and part.exponent > 0:
            factors.append((part.args[0], part.exponent))
        else:
            factors.append((part, 1))
    return number, tuple(factors)


class _Relumping:
    """The same polynomials with every coefficient one lump."""

    def __init__(self, factored: Ring) -> None:
        self._factored = factored
        self._numbers: dict[str, int] = {}
        self._lumps: list[fmpz_mpoly] = []

    def lump(self, polynomials: Sequence[fmpz_mpoly]) -> tuple[Ring, list[fmpz_mpoly]]:
        kept = self._kept(polynomials)
        rows = [self._row(p // number_content(p), kept) for p in polynomials]
        units = tuple(
            (self._numbers[str(kept[u])], self._numbers[str(kept[v])])
            for u, v in self._factored.units
            if {u, v} <= kept.keys() and {str(kept[u]), str(kept[v])} <= self._numbers.keys()
        )
        opening = Opening(self._factored, tuple(self._lumps))
        ring = Ring(self._factored.dag, self._factored.variables, opening.meanings, units, opening)
        return ring, [_assembled(ring, row) for row in rows]

    def _kept(self, polynomials: Sequence[fmpz_mpoly]) -> dict[int, fmpz_mpoly]:
        """The factors of pairs of which both occur beside an unknown, each alone in its coefficient."""
        occurring: set[int] = set()
        for polynomial in polynomials:
            for monomial, part in self._factored.by_variables(polynomial).items():
                if any(monomial) and len(part) == 1:
                    exponents = part.monoms()[0][len(monomial) :]
                    occurring |= {index for index, exponent in enumerate(exponents) if exponent}
        gens = self._factored.context.gens()
        offset = len(self._factored.variables)
        both = [pair for pair in self._factored.units if occurring.issuperset(pair)]
        return {index: gens[index + offset] for pair in both for index in pair}

    def _row(self, polynomial: fmpz_mpoly, kept: dict[int, fmpz_mpoly]) -> list[_LumpedTerm]:
        row: list[_LumpedTerm] = []
        for monomial, coefficient in self._factored.by_variables(polynomial).items():
            number, rest = _primitive(coefficient)
            powers: dict[int, int] = {}
            if any(monomial) and len(rest) == 1:
                exponents = rest.monoms()[0][len(monomial) :]
                for index, factor in kept.items():
                    if exponents[index]:
                        powers[self._number(factor)] = int(exponents[index])
                        rest = rest // factor ** int(exponents[index])
            if not rest.is_one():
                powers[self._number(rest)] = 1
            row.append((monomial, number, powers))
        return row

    def _number(self, lumped: fmpz_mpoly) -> int:
        key = str(lumped)
        if key not in self._numbers:
            self._numbers[key] = len(self._lumps)
            self._lumps.append(lumped)
        return self._numbers[key]


def _assembled(ring: Ring, row: Sequence[_LumpedTerm]) -> fmpz_mpoly:
    count = range(len(ring.meanings))
    return ring.context.from_dict(
        {(*monomial, *(powers.get(index, 0) for index in count)): number for monomial, number, powers in row}
    )


def _primitive(coefficient: fmpz_mpoly) -> tuple[int, fmpz_mpoly]:
    """A coefficient as a small number times a polynomial whose first number is positive.

    A long number is not drawn out: it would make the numbers of a basis longer still.
    """
    content = number_content(coefficient)
    sign = -1 if int(coefficient.leading_coefficient()) < 0 else 1
    drawn = sign * (content if content <= _SMALL else 1)
    return drawn, coefficient // drawn
