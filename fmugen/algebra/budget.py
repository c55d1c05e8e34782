"""What the algebra of one block may cost."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Budget"]


@dataclass(frozen=True)
class Budget:
    """CPU seconds, and the size of a basis: its polynomials, the terms of one, the bits of a number.

    The sizes are limits that the engine itself obeys; between bases the clock is looked at.
    """

    seconds: float = 5.0
    polynomials: int = 120
    terms: int = 400
    bits: int = 256

    @property
    def limits(self) -> tuple[int, int, int]:
        return self.polynomials, self.terms, self.bits
