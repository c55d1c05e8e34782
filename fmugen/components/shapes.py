"""Shapes of a bent beam and their integrals over its length, as exact numbers.

A shape is a polynomial of xi, the place on the beam as a part of its length. All shapes vanish at the base;
those of a cantilever also have no slope there. In all other cases the frame of the beam is its chord: its x
axis leads from the base to the tip, and all shapes vanish at both ends.

Ritz modes are the lowest modes of vibration that ten polynomials can form. Mass and stiffness of a uniform
beam scale with its parameters, so that the modes are pure numbers.

    >>> float(tables("cantilever", "ritz", 1).stiffness[0][0] / tables("cantilever", "ritz", 1).mass[0][0])
    12.362363...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

__all__ = [
    "BASES",
    "RITZ",
    "SUPPORTS",
    "Integrals",
    "Polynomial",
    "at",
    "derivative",
    "held_polynomials",
    "products",
    "tables",
]

#: A polynomial by its coefficients, that of the constant first.
Polynomial = tuple[Fraction, ...]
Table = tuple[tuple[Fraction, ...], ...]

#: How many polynomials the Ritz modes are made of.
_POLYNOMIALS = 10
_DIGITS = 60
#: Modes are exact numbers with this denominator, so that boundary conditions hold far below rounding errors.
_GRID = 10**40
#: Integrals that are smaller than this part of the largest are zero by symmetry or orthogonality.
_NOTHING = Fraction(1, 10**13)


# --- polynomials ---------------------------------------------------------------------------------


def _product(a: Sequence[Fraction], b: Sequence[Fraction]) -> Polynomial:
    found = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return tuple(found)


def _sum(terms: Sequence[tuple[Fraction, Polynomial]]) -> Polynomial:
    found = [Fraction(0)] * max(len(each) for _, each in terms)
    for factor, each in terms:
        for n, x in enumerate(each):
            found[n] += factor * x
    return tuple(found)


def derivative(a: Sequence[Fraction]) -> Polynomial:
    return tuple(n * x for n, x in enumerate(a))[1:] or (Fraction(0),)


def antiderivative(a: Sequence[Fraction]) -> Polynomial:
    """The antiderivative that vanishes at zero."""
    return (Fraction(0), *(x / (n + 1) for n, x in enumerate(a)))


def _integral(a: Sequence[Fraction]) -> Fraction:
    return sum((x / (n + 1) for n, x in enumerate(a)), Fraction(0))


def at(a: Sequence[Fraction], place: Fraction) -> Fraction:
    """The value of a polynomial."""
    found = Fraction(0)
    for x in reversed(a):
        found = found * place + x
    return found


def _numbers(*values: int) -> Polynomial:
    return tuple(Fraction(value) for value in values)


# --- families ------------------------------------------------------------------------------------


def _recursive(count: int, step: Callable[[int, Polynomial, Polynomial], Polynomial]) -> list[Polynomial]:
    """Polynomials p0 = 1, p1 = 2 xi - 1, and those that ``step`` makes of the two before."""
    found = [_numbers(1), _numbers(-1, 2)]
    while len(found) < count:
        found.append(step(len(found), found[-1], found[-2]))
    return found[:count]


def _chebyshev(count: int) -> list[Polynomial]:
    def step(n: int, last: Polynomial, before: Polynomial) -> Polynomial:
        return _sum([(Fraction(2), _product(_numbers(-1, 2), last)), (Fraction(-1), before)])

    return _recursive(count, step)


def _legendre(count: int) -> list[Polynomial]:
    def step(n: int, last: Polynomial, before: Polynomial) -> Polynomial:
        slope = _product(_numbers(-1, 2), last)
        return _sum([(Fraction(2 * n - 1, n), slope), (Fraction(1 - n, n), before)])

    return _recursive(count, step)


def _taylor(count: int) -> list[Polynomial]:
    return [(Fraction(0),) * n + (Fraction(1),) for n in range(count)]


RITZ = "ritz"
_FAMILIES = {"chebyshev": _chebyshev, "legendre": _legendre, "taylor": _taylor}
#: The kinds of shapes.
BASES = (RITZ, *_FAMILIES)


@dataclass(frozen=True)
class _Held:
    """How ends are held: the factor of all polynomials, and how many rigid motions this leaves."""

    factor: Polynomial
    rigid: int = 0
    #: Whether the factor already makes the shapes vanish at the tip or lets the tip move.
    settled: bool = True


_HELD = {
    "cantilever": _Held(_numbers(0, 0, 1)),
    "chord": _Held(_numbers(0, 1, -1)),
    "pinned": _Held(_numbers(0, 1), 1, False),
    "free": _Held(_numbers(1), 2, False),
}
#: The ways in which the ends may be held.
SUPPORTS = tuple(_HELD)


def _shapes(supports: str, basis: str, count: int) -> list[Polynomial]:
    held = _HELD[supports]
    if basis != RITZ:
        # Relative to the chord all of them vanish at both ends.
        factor = held.factor if held.settled else _HELD["chord"].factor
        return [_product(factor, each) for each in _FAMILIES[basis](count)]
    modes = _ritz(held, count)
    if held.settled:
        return modes
    return [_from_chord(mode) for mode in modes]


def _from_chord(mode: Polynomial) -> Polynomial:
    base, tip = at(mode, Fraction(0)), at(mode, Fraction(1))
    return _sum([(Fraction(1), mode), (Fraction(-1), (base, tip - base))])


def _ritz(held: _Held, count: int) -> list[Polynomial]:
    """The lowest modes with a frequency."""
    import mpmath  # a model without beams does not wait for it

    family = [_product(held.factor, each) for each in _legendre(_POLYNOMIALS + held.rigid)]
    second = [derivative(derivative(each)) for each in family]
    with mpmath.workdps(_DIGITS):
        mass, stiffness = (_matrix(each) for each in (family, second))
        inverse = mpmath.inverse(mpmath.cholesky(mass))
        _, vectors = mpmath.eigsy(inverse * stiffness * inverse.T)
        columns = inverse.T * vectors
        found = []
        for mode in range(held.rigid, held.rigid + count):
            parts = [Fraction(int(mpmath.nint(columns[n, mode] * _GRID)), _GRID) for n in range(len(family))]
            found.append(_scaled(_sum(list(zip(parts, family, strict=True)))))
    return found


def _matrix(functions: Sequence[Polynomial]) -> Any:
    import mpmath

    size = len(functions)
    found = mpmath.matrix(size, size)
    for i, a in enumerate(functions):
        for j, b in enumerate(functions):
            entry = _integral(_product(a, b))
            found[i, j] = mpmath.mpf(entry.numerator) / entry.denominator
    return found


def _scaled(mode: Polynomial) -> Polynomial:
    """A mode with the mean square of a sine, 1/2, that rises at the base.

    That of a cantilever is one at its tip, which is a mean square of 1/4.
    """
    if at(derivative(mode), Fraction(0)) == 0:
        size = at(mode, Fraction(1))
    else:
        square = 2 * _integral(_product(mode, mode))
        size = Fraction(math.isqrt(square.numerator * _GRID**2 // square.denominator), _GRID)
        size = size if at(derivative(mode), Fraction(0)) > 0 else -size
    return tuple(x / size for x in mode)


# --- integrals -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Integrals:
    """Integrals over a beam of unit length, mass and bending stiffness; a row and column for each shape.

    ``c1`` is that of phi, ``c2`` of xi phi, ``mass`` of phi phi, ``stiffness`` of phi'' phi'', ``pull`` of
    (1 - xi) phi' phi', ``spin`` of (1 - xi²)/2 phi' phi'. ``mean_square`` is that of each Ritz mode.
    """

    shapes: tuple[Polynomial, ...]
    c1: tuple[Fraction, ...]
    c2: tuple[Fraction, ...]
    mass: Table
    stiffness: Table
    pull: Table
    spin: Table
    mean_square: Fraction

    def shortening(self) -> list[list[Polynomial]]:
        """Antiderivatives of phi' phi': by half of this a point of the beam comes nearer to the base."""
        slopes = [derivative(shape) for shape in self.shapes]
        return [[antiderivative(_product(a, b)) for b in slopes] for a in slopes]


@cache
def tables(supports: str, basis: str, count: int) -> Integrals:
    """The shapes of a beam whose ends are held in one of the ways :data:`SUPPORTS`, and their integrals."""
    shapes = _shapes(supports, basis, count)
    first = [derivative(shape) for shape in shapes]
    second = [derivative(slope) for slope in first]
    half = Fraction(1, 2)
    return Integrals(
        tuple(shapes),
        _rounded([[_integral(shape) for shape in shapes]])[0],
        _rounded([[_integral(_product(shape, _numbers(0, 1))) for shape in shapes]])[0],
        _weighted(shapes, _numbers(1)),
        _weighted(second, _numbers(1)),
        _weighted(first, _numbers(1, -1)),
        _weighted(first, (half, Fraction(0), -half)),
        half**2 if supports == "cantilever" else half,
    )


def held_polynomials(count: int) -> tuple[Polynomial, ...]:
    """Polynomials that vanish at the base, for stretch and twist; they contain the static ones."""
    return tuple(_product(_numbers(0, 1), each) for each in _legendre(count))


def products(one: Sequence[Polynomial], other: Sequence[Polynomial]) -> Table:
    """The integrals of products, a row for each of ``one``."""
    return _rounded([[_integral(_product(a, b)) for b in other] for a in one])


def _weighted(functions: Sequence[Polynomial], weight: Polynomial) -> Table:
    return _rounded([[_integral(_product(_product(a, b), weight)) for b in functions] for a in functions])


def _rounded(rows: Sequence[Sequence[Fraction]]) -> Table:
    """Entries that are zero but for the rounding of modes, as zeros."""
    largest = max(abs(entry) for row in rows for entry in row)
    return tuple(
        tuple(entry if abs(entry) > _NOTHING * largest else Fraction(0) for entry in row) for row in rows
    )
