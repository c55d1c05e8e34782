"""Loops that turn a vector by unknown Euler parameters: linear in these, and free of them.

Where a loop says R(p) c = w for the rotation of a body, multiplication of quaternions says p c = w p. That is
linear in p: two of its four components are independent. The third equation is |w|^2 = |c|^2; two loops of one
body add w.w' = c.c'. These are free of p. All other constraints are reduced by the unit length of p, so that
the square of a turned vector is seen to be constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from fmugen.algebra.polynomials import Monomial, Polynomial, polynomial_rows
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Dag, Expr
from fmugen.expr.generic import ValueTable
from fmugen.expr.vectors import Vector3, add3, cross, dot, scale3
from fmugen.ir.dae import Constraint, Dae
from fmugen.ir.flow import Block
from fmugen.phases.triangularize.partition import attitudes_of

__all__ = ["Stage", "stages_of"]

#: Points at which identities are tested, and what is zero there.
_POINTS = 3
_ZERO = 1e-9
#: Two linear equations of the first vector, one of the second.
_LINEAR = (2, 1)


@dataclass(frozen=True)
class Stage:
    """Expressions that are zero, and the unknowns that they give."""

    rows: tuple[Expr, ...]
    unknowns: tuple[int, ...]


@dataclass(frozen=True)
class _Turned:
    """A vector that a body carries, and what it is in the axes of the ground."""

    carried: Vector3
    seen: Vector3

    def linear(self, p: Sequence[Expr], left_out: int) -> Iterator[Expr]:
        """Two equations linear in ``p``; those across the axis ``left_out``."""
        apart = add3(self.seen, scale3(-1, self.carried))
        across = cross(add3(self.seen, self.carried), (p[1], p[2], p[3]))
        for axis in range(3):
            if axis != left_out:
                yield p[0] * apart[axis] + across[axis]


def stages_of(dae: Dae, block: Block) -> Iterator[tuple[Stage, ...]]:
    """Other forms of the constraints of a block with one unknown attitude, in stages of solution.

    The forms differ in the equations that are linear in the Euler parameters: which of them are independent
    depends on the position.
    """
    lengths = attitudes_of(dae, block.rows)
    if len(lengths) != 1:
        return
    components = sorted(lengths[0].components)
    p = [dae.coordinates[number].position for number in components]
    sought = tuple(number for number in block.unknowns if number in components)
    left = tuple(number for number in block.unknowns if number not in components)
    if len(sought) < 2:
        return
    turned, others = _sorted_loops(dae, block, _Reader(dae, p), lengths[0].row)
    free = _with_any(_products(turned), [dae.coordinates[number].position for number in left])
    for axis in range(3) if turned else ():
        bound = (dae.constraints[lengths[0].row].phi, *_linear(turned, p, axis), *others)
        if left and len(free) == len(left):
            yield Stage(free, left), Stage(bound, sought)
        else:
            yield (Stage((*free, *bound), block.unknowns),)


def _with_any(rows: Iterable[Expr], unknowns: Sequence[Expr]) -> tuple[Expr, ...]:
    """The rows in which any of the unknowns occurs."""
    return tuple(row for row in rows if not set(unknowns).isdisjoint(symbols_of((row,))))


def _sorted_loops(dae: Dae, block: Block, reader: _Reader, length: int) -> tuple[list[_Turned], list[Expr]]:
    """The vectors that loops turn, and the constraints of all other loops but the unit ``length``."""
    turned: list[_Turned] = []
    others: list[Expr] = []
    loops: dict[str, list[Constraint]] = {}
    for row in sorted(block.rows):
        if row != length:
            loops.setdefault(dae.constraints[row].origin.edge, []).append(dae.constraints[row])
    for own in loops.values():
        found = _turned_by(reader, own)
        if found is None:
            others += [reader.reduced(row.phi) for row in own]
        else:
            turned.append(found)
    return turned, others


def _turned_by(reader: _Reader, own: Sequence[Constraint]) -> _Turned | None:
    """The vector that the constraints of one loop turn: as they are, or by what vanishes beside them."""
    for rows in ([row.phi for row in own], *(row.closed for row in own)):
        found = reader.turned(rows)
        if found is not None:
            return found
    return None


def _linear(turned: Sequence[_Turned], p: Sequence[Expr], axis: int) -> Iterator[Expr]:
    for vector, count in zip(turned, _LINEAR, strict=False):
        yield from islice(vector.linear(p, axis), count)


def _products(turned: Sequence[_Turned]) -> Iterator[Expr]:
    """Products of the vectors, the same in both axes."""
    pairs = [*((each, each) for each in turned), *combinations(turned, 2)]
    for one, other in pairs:
        yield dot(one.seen, other.seen) - dot(one.carried, other.carried)


class _Reader:
    """Reads expressions as polynomials in Euler parameters of unit length."""

    def __init__(self, dae: Dae, p: Sequence[Expr]) -> None:
        self._dag: Dag = dae.symbols.dag
        self._p = p
        self._unknowns = dict(enumerate(p))

    def reduced(self, row: Expr) -> Expr:
        """``row`` with the square of the first parameter replaced, if that makes it shorter."""
        polynomial = self._normal(row)
        if polynomial is None:
            return row
        terms = []
        for monomial, coefficient in polynomial.items():
            powers = [x**e for x, e in zip(self._p, monomial, strict=True) if e]
            terms.append(self._dag.mul([coefficient, *powers]))
        return self._dag.add(terms)

    def turned(self, rows: Sequence[Expr]) -> _Turned | None:
        """The vector that ``rows`` turn, if they are the components of one."""
        if len(rows) != 3:
            return None
        normal = [self._normal(row) for row in rows]
        if any(row is None or max(map(sum, row), default=0) > 2 for row in normal):
            return None
        x, y, _ = (row for row in normal if row is not None)
        zero, half = self._dag.zero, self._dag.number(1) / 2
        carried = (
            half * y.get((1, 0, 0, 1), zero),
            -half * x.get((1, 0, 0, 1), zero),
            half * x.get((1, 0, 1, 0), zero),
        )
        if all(part.is_zero for part in carried):
            return None
        first = [row.get((0, 0, 0, 0), zero) for row in normal if row is not None]
        seen = tuple(part - constant for part, constant in zip(carried, first, strict=True))
        found = _Turned(carried, (seen[0], seen[1], seen[2]))
        return found if self._is(found, rows) else None

    def _is(self, found: _Turned, rows: Sequence[Expr]) -> bool:
        """Whether ``rows`` are those of the vector, at random positions."""
        p0, p1, p2, p3 = self._p
        c, q = found.carried, (p1, p2, p3)
        # R c = c + 2 q x (q x c + p0 c)
        way = add3(cross(q, c), scale3(p0, c))
        turned = add3(c, scale3(2, cross(q, way)))
        gaps = [row - (a - b) for row, a, b in zip(rows, turned, found.seen, strict=True)]
        return self._vanish(gaps)

    def _normal(self, row: Expr) -> Polynomial | None:
        """``row`` as a polynomial without squares of the first parameter, and without terms that vanish."""
        (polynomial,) = polynomial_rows([row], self._unknowns, ())
        if polynomial is None:
            return None
        gathered: dict[Monomial, list[Expr]] = {}
        waiting = list(polynomial.items())
        while waiting:
            monomial, coefficient = waiting.pop()
            if monomial[0] < 2:
                gathered.setdefault(monomial, []).append(coefficient)
                continue
            rest = (monomial[0] - 2, *monomial[1:])
            waiting.append((rest, coefficient))
            for place in range(1, 4):
                more = tuple(e + 2 * (k == place) for k, e in enumerate(rest))
                waiting.append((more, -coefficient))
        total = {monomial: self._dag.add(terms) for monomial, terms in gathered.items()}
        return {monomial: part for monomial, part in total.items() if not self._vanish([part])}

    def _vanish(self, rows: Sequence[Expr]) -> bool:
        """Whether ``rows`` are zero at random values of all symbols, the parameters of unit length."""
        if all(row.is_zero for row in rows):
            return True
        random = np.random.default_rng(4)
        symbols = [symbol for symbol in symbols_of(rows) if symbol not in self._p]
        values = {s: tuple(random.uniform(0.3, 1.4, _POINTS).tolist()) for s in symbols}
        attitudes = random.standard_normal((4, _POINTS))
        attitudes /= np.linalg.norm(attitudes, axis=0)
        values |= {s: tuple(part.tolist()) for s, part in zip(self._p, attitudes, strict=True)}
        table = ValueTable(_POINTS, values)
        return all(abs(value) < _ZERO for row in rows for value in table(row))
