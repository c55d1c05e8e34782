"""The limit of the algebra of loops, and the work done so far.

Work is counted, not time, so that equal models get equal steps on every machine. Its
unit is about what one term of a polynomial takes on its way through a basis: about twenty microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Budget", "Meter"]


@dataclass(frozen=True)
class Budget:
    """Limits of work and of the size of a basis: its polynomials, the terms of one, the bits of a number.

    The engine obeys the size limits itself; the work is checked between bases.
    """

    work: int = 400_000
    polynomials: int = 120
    terms: int = 400
    bits: int = 256

    @property
    def limits(self) -> tuple[int, int, int]:
        return self.polynomials, self.terms, self.bits

    def part(self, share: float) -> Budget:
        """Bases of the same size, and this share of the work."""
        return replace(self, work=round(share * self.work))


@dataclass
class Meter:
    """The work done, and its budget.

    Cached results are charged as if they were computed, so a second search gives the same result.
    """

    budget: Budget
    spent: int = 0

    def charge(self, work: int) -> None:
        self.spent += work

    @property
    def is_spent(self) -> bool:
        return self.spent >= self.budget.work
