"""One stage of a block: the next step, for every unknown that can be next.

Methods are tried in the order of their cost, until one finds a closed form: the equations themselves and
combinations of two of them, degrevlex bases, resultants, lexicographic bases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from flint import fmpz_mpoly

from fmugen.algebra.budget import Meter
from fmugen.algebra.consequences import consequences
from fmugen.algebra.costs import cost_of, is_unique
from fmugen.algebra.extract import StepCandidate, candidates
from fmugen.algebra.groebner import degrevlex_bases, generators, lex_bases
from fmugen.algebra.resultants import eliminated
from fmugen.algebra.ring import Ring
from fmugen.algebra.samples import PointValues
from fmugen.ir.steps import ExactStep, PolynomialStep

__all__ = ["NextStep", "StageReport", "StepCheck", "accept_all", "choices"]


#: Work per term to make a step of a polynomial and to check it.
_OFFERED_TERM = 15


@dataclass(frozen=True)
class StageReport:
    """Where one step came from.

    ``basis`` is the number of polynomials at hand, ``terms`` and ``degree`` are those of the ones solved.
    """

    unknown: int
    method: str
    lumps: int
    basis: int
    terms: int
    degree: int


@dataclass(frozen=True)
class NextStep:
    """A step that can be next."""

    cost: float
    candidate: StepCandidate
    report: StageReport


#: The extra cost of a step in operations; infinite for a step that must not be taken.
StepCheck = Callable[[ExactStep], float]


def accept_all(step: ExactStep) -> float:
    """The check that accepts every step."""
    return 0.0


def choices(
    ring: Ring,
    rows: Sequence[fmpz_mpoly],
    samples: PointValues,
    meter: Meter,
    judge: StepCheck = accept_all,
) -> list[NextStep]:
    """The cheapest step to each unknown that can be next, cheapest first; none if the budget is spent."""
    found = _Found(ring, judge, meter)
    gathered = [*rows, *consequences(ring, rows, samples)]
    found.offer("direct", candidates(ring, gathered, samples), len(gathered))
    if found.is_settled:
        return found.cheapest_first()
    _search(ring, rows, gathered, samples, meter, found)
    return found.cheapest_first()


def _search(
    ring: Ring,
    rows: Sequence[fmpz_mpoly],
    gathered: list[fmpz_mpoly],
    samples: PointValues,
    meter: Meter,
    found: _Found,
) -> None:
    """Bases and resultants, until some unknown can be found without iteration."""
    seed = generators(ring, rows)
    for basis in degrevlex_bases(ring, rows, meter):
        if basis.complete:
            seed = list(basis.polynomials)
        gathered += basis.polynomials
        found.offer(basis.method, candidates(ring, gathered, samples), len(basis.polynomials))
        if found.is_closed:
            return
    found.offer("resultant", eliminated(ring, gathered, samples), len(gathered))
    if not found.is_empty:
        return
    for basis in lex_bases(ring, seed, meter):
        found.offer(basis.method, candidates(ring, basis.polynomials, samples), len(basis.polynomials))
        if found.is_closed:
            return


class _Found:
    """The cheapest choice of every unknown so far."""

    def __init__(self, ring: Ring, judge: StepCheck, meter: Meter) -> None:
        self._ring = ring
        self._judge = judge
        self._meter = meter
        self._best: dict[int, NextStep] = {}

    def offer(self, method: str, offered: Iterable[StepCandidate], size: int) -> None:
        for candidate in offered:
            self._meter.charge(_OFFERED_TERM * candidate.terms)
            unknown, cost = candidate.step.unknown, cost_of(candidate.step) + self._judge(candidate.step)
            if cost == inf:
                continue
            if unknown not in self._best or cost < self._best[unknown].cost:
                lumps = len(self._ring.meanings)
                report = StageReport(unknown, method, lumps, size, candidate.terms, candidate.degree)
                self._best[unknown] = NextStep(cost, candidate, report)

    @property
    def is_empty(self) -> bool:
        return not self._best

    @property
    def is_closed(self) -> bool:
        """Whether some unknown can be found without iteration."""
        return any(not isinstance(c.candidate.step, PolynomialStep) for c in self._best.values())

    @property
    def is_settled(self) -> bool:
        """Whether the only unknown left has a step that leaves no choice: no basis gives a better one."""
        unknowns = {variable.coordinate for variable in self._ring.variables}
        return len(unknowns) == 1 and any(is_unique(c.candidate.step) for c in self._best.values())

    def cheapest_first(self) -> list[NextStep]:
        return sorted(self._best.values(), key=lambda choice: (choice.cost, choice.report.unknown))
