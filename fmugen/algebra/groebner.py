"""Gröbner bases of lumped systems, within a budget.

The engine is python-flint's Buchberger algorithm over the integers, all lumps being indeterminates. Its own
limits (number of polynomials, terms of one, bits of a number) make the budget real: a basis that outgrows
them stops at once, and what was found so far are still polynomials of the ideal, which may be all that is
needed. Bases therefore climb a ladder: degrevlex with small limits, degrevlex with the whole budget, then,
for each unknown to be left last, a lexicographic basis seeded with the degrevlex one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

from flint import fmpz_mpoly, fmpz_mpoly_vec

from fmugen.algebra.budget import Budget
from fmugen.algebra.cache import recall, remember
from fmugen.algebra.ring import Ring

__all__ = ["Basis", "buchberger", "degrevlex_bases", "generators", "lex_bases"]

#: The limits of the first rung: enough for every dyad and leg, a few milliseconds at most.
_FIRST_RUNG = (40, 60, 64)


#: Longer polynomials of an unfinished basis are of no use to anyone.
_WORTH_HAVING = 200


@dataclass(frozen=True)
class Basis:
    """Polynomials of an ideal; a Gröbner basis if ``complete``."""

    method: str
    polynomials: tuple[fmpz_mpoly, ...]
    complete: bool


def degrevlex_bases(
    ring: Ring, rows: Sequence[fmpz_mpoly], budget: Budget, deadline: float
) -> Iterator[Basis]:
    """Degrevlex bases of ``rows`` and all circles: with small limits, then with the whole budget."""
    start = generators(ring, rows)
    for limits in (_FIRST_RUNG, budget.limits):
        if process_time() >= deadline:
            return
        basis = buchberger(ring, start, "degrevlex", limits)
        yield basis
        if basis.complete:
            return


def lex_bases(ring: Ring, rows: Sequence[fmpz_mpoly], budget: Budget, deadline: float) -> Iterator[Basis]:
    """Lexicographic bases, seeded with the degrevlex one, that leave each unknown in turn to the last."""
    seed = generators(ring, rows)
    for basis in degrevlex_bases(ring, rows, budget, deadline):
        if basis.complete:
            seed = list(basis.polynomials)
    for coordinate in dict.fromkeys(variable.coordinate for variable in ring.variables):
        if process_time() >= deadline:
            return
        yield buchberger(ring, seed, "lex", budget.limits, coordinate)


def generators(ring: Ring, rows: Sequence[fmpz_mpoly]) -> list[fmpz_mpoly]:
    """The rows, the circles of the unknown angles, and the relations between lumps."""
    return [*rows, *ring.circles.values(), *ring.relations]


def buchberger(
    ring: Ring,
    polynomials: Sequence[fmpz_mpoly],
    order: str,
    limits: tuple[int, int, int],
    last: int | None = None,
) -> Basis:
    """A basis in ``order``; with ``last`` the variables of that unknown are the lowest of the variables."""
    positions = _positions(ring, last)
    key = _key(ring, polynomials, order, limits, positions)
    method = order if last is None else f"{order}, {last} last"
    known = recall(key)
    if known is not None:
        terms, complete = known
        return Basis(method, tuple(ring.context.from_dict(part) for part in terms), complete)
    begin = process_time()
    context = ring.ordered(order)
    inner = [context.from_dict(_permuted(p, positions)) for p in polynomials]
    system: Any = fmpz_mpoly_vec(inner, context)  # the type stubs do not know the limits
    found, complete = system.buchberger_naive(limits=limits)
    back = [0] * len(positions)
    for new, old in enumerate(positions):
        back[old] = new
    parts = [_permuted(p, back) for p in found if complete or len(p) <= _WORTH_HAVING]
    remember(key, parts, complete, process_time() - begin)
    return Basis(method, tuple(ring.context.from_dict(part) for part in parts), complete)


def _key(
    ring: Ring,
    polynomials: Sequence[fmpz_mpoly],
    order: str,
    limits: tuple[int, int, int],
    positions: Sequence[int],
) -> str:
    """What a basis depends on, as a text."""
    return f"{order} {limits} {list(positions)} {ring.canonical(polynomials)}"


def _positions(ring: Ring, last: int | None) -> list[int]:
    """The order of the generators: which old position stands at each new one."""
    count = len(ring.variables)
    first = [i for i in range(count) if ring.variables[i].coordinate != last]
    final = [i for i in range(count) if ring.variables[i].coordinate == last]
    return [*first, *final, *range(count, count + len(ring.meanings))]


def _permuted(polynomial: fmpz_mpoly, positions: Sequence[int]) -> dict[tuple[int, ...], int]:
    return {
        tuple(int(exponents[old]) for old in positions): int(number)
        for exponents, number in polynomial.to_dict().items()
    }
