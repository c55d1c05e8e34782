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
from typing import Any

from flint import fmpz_mpoly, fmpz_mpoly_ctx, fmpz_mpoly_vec

from fmugen.algebra.budget import Meter
from fmugen.algebra.cache import Kept, recall, remember
from fmugen.algebra.ring import Ring

__all__ = ["Basis", "buchberger", "degrevlex_bases", "generators", "lex_bases"]

#: The limits of the first rung: enough for every dyad and leg, a few milliseconds at most.
_FIRST_RUNG = (40, 60, 64)

#: The work of a basis in addition to its terms.
_BASIS = 20

#: Longer polynomials of an unfinished basis are dropped.
_WORTH_HAVING = 200


@dataclass(frozen=True)
class Basis:
    """Polynomials of an ideal, a Gröbner basis if ``complete``, and the work to find them."""

    method: str
    polynomials: tuple[fmpz_mpoly, ...]
    complete: bool
    work: int


def degrevlex_bases(ring: Ring, rows: Sequence[fmpz_mpoly], meter: Meter) -> Iterator[Basis]:
    """Degrevlex bases of ``rows`` and all circles: with small limits, then with the whole budget."""
    start = generators(ring, rows)
    for limits in (_FIRST_RUNG, meter.budget.limits):
        if meter.is_spent:
            return
        basis = buchberger(ring, start, "degrevlex", limits)
        meter.charge(basis.work)
        yield basis
        if basis.complete:
            return


def lex_bases(ring: Ring, seed: Sequence[fmpz_mpoly], meter: Meter) -> Iterator[Basis]:
    """Lexicographic bases that leave each unknown in turn to the last; best from a degrevlex basis."""
    for coordinate in dict.fromkeys(variable.coordinate for variable in ring.variables):
        if meter.is_spent:
            return
        basis = buchberger(ring, seed, "lex", meter.budget.limits, coordinate)
        meter.charge(basis.work)
        yield basis


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
    names = _names(ring, last)
    key = f"{order} {limits} {names} {ring.canonical(polynomials)}"
    method = order if last is None else f"{order}, {last} last"
    known = recall(key)
    if known is not None:
        texts = known.polynomials
        return Basis(method, tuple(fmpz_mpoly(t, ring.context) for t in texts), known.complete, known.work)
    context = fmpz_mpoly_ctx.get(names, order)
    inner = [p.project_to_context(context) for p in polynomials]
    system: Any = fmpz_mpoly_vec(inner, context)  # the type stubs do not know the limits
    found, complete = system.buchberger_naive(limits=limits)
    work = _BASIS + sum(map(len, inner)) + sum(map(len, found))
    useful = (p for p in found if complete or len(p) <= _WORTH_HAVING)
    basis = Basis(method, tuple(p.project_to_context(ring.context) for p in useful), complete, work)
    remember(key, Kept([str(p) for p in basis.polynomials], complete, work))
    return basis


def _names(ring: Ring, last: int | None) -> list[str]:
    """The generators in order, those of the unknown ``last`` behind the other variables."""
    count = len(ring.variables)
    first = [name for name, v in zip(ring.names, ring.variables, strict=False) if v.coordinate != last]
    final = [name for name, v in zip(ring.names, ring.variables, strict=False) if v.coordinate == last]
    return [*first, *final, *ring.names[count:]]
