"""The other two substitutions that make goniometric equations polynomial (Uchida 3.2.1).

Sine and cosine as two indeterminates give the smallest bases and are what this package solves with. The
tangent of the half angle and Euler's exponential have one indeterminate an angle, and higher degrees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flint import fmpz_mpoly, fmpz_mpoly_ctx

__all__ = ["euler", "tangent_half"]

#: The new indeterminate of an angle -> the names of its sine and cosine.
Angles = Mapping[str, tuple[str, str]]


def tangent_half(polynomials: Sequence[fmpz_mpoly], angles: Angles) -> list[fmpz_mpoly]:
    """With t = tan(angle/2): sin = 2t / (1 + t^2), cos = (1 - t^2) / (1 + t^2); denominators cleared."""
    context = _context(polynomials, angles, ())
    gens = dict(zip(context.names(), context.gens(), strict=True))
    parts = {t: (2 * gens[t], 1 - gens[t] ** 2, 1 + gens[t] ** 2) for t in angles}
    return [_substituted(p, angles, context, parts) for p in polynomials]


def euler(polynomials: Sequence[fmpz_mpoly], angles: Angles, imaginary: str = "j") -> list[fmpz_mpoly]:
    """With y = exp(j angle): sin = j (1 - y^2) / 2y, cos = (1 + y^2) / 2y; j^2 + 1 is appended."""
    context = _context(polynomials, angles, (imaginary,))
    gens = dict(zip(context.names(), context.gens(), strict=True))
    unit = gens[imaginary] ** 2 + 1
    parts = {y: (gens[imaginary] * (1 - gens[y] ** 2), 1 + gens[y] ** 2, 2 * gens[y]) for y in angles}
    return [*(_substituted(p, angles, context, parts) % unit for p in polynomials), unit]


def _context(polynomials: Sequence[fmpz_mpoly], angles: Angles, more: tuple[str, ...]) -> fmpz_mpoly_ctx:
    gone = {name for pair in angles.values() for name in pair}
    kept = [name for name in polynomials[0].context().names() if name not in gone]
    return fmpz_mpoly_ctx.get([*kept, *angles, *more], "lex")


def _substituted(
    polynomial: fmpz_mpoly,
    angles: Angles,
    context: fmpz_mpoly_ctx,
    parts: Mapping[str, tuple[fmpz_mpoly, fmpz_mpoly, fmpz_mpoly]],
) -> fmpz_mpoly:
    """Numerators of sine and cosine put in, each angle's denominator as often as its degree asks."""
    names = polynomial.context().names()
    gens = dict(zip(context.names(), context.gens(), strict=True))
    places = {new: (names.index(sine), names.index(cosine)) for new, (sine, cosine) in angles.items()}
    terms = polynomial.to_dict()
    degrees = {new: max(int(e[s]) + int(e[c]) for e in terms) for new, (s, c) in places.items()}
    taken = {place for pair in places.values() for place in pair}
    total = context.constant(0)
    for exponents, number in terms.items():
        term = context.constant(int(number))
        for new, (s, c) in places.items():
            sine, cosine, below = parts[new]
            i, k = int(exponents[s]), int(exponents[c])
            term = term * sine**i * cosine**k * below ** (degrees[new] - i - k)
        for place, exponent in enumerate(exponents):
            if place not in taken and exponent:
                term = term * gens[names[place]] ** int(exponent)
        total = total + term
    return total
