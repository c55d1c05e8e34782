"""The shapes of a bent beam as functions of its length, by quadrature.

Ritz modes are the lowest modes of vibration of a uniform beam among ten polynomials (see ``docs/beams.md``).
They are found here from values at Gauss points, and evaluated by Legendre series.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev, Legendre, Polynomial
from scipy.linalg import eigh

from fmugen.verify.rotations import Array

__all__ = ["ShapeValues", "Shapes"]

_POLYNOMIALS = 10
#: Enough for products of three polynomials of degree 13 to be exact.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_BETWEEN_HINGES = (0.0, 1.0, -1.0)
_DOMAIN = (0.0, 1.0)
_Series = Polynomial | Chebyshev | Legendre


class ShapeValues(NamedTuple):
    """Shapes at one place: deflections, slopes, and the shortening matrix, all for a unit length."""

    deflection: Array
    slope: Array
    shortening: Array


class Shapes:
    """The shapes of one beam; places are parts of its length.

    ``factor`` is a polynomial that all others are multiplied by; it leaves so many ``rigid`` motions.
    """

    def __init__(self, factor: Sequence[float], rigid: int, basis: str, count: int) -> None:
        if basis == "ritz":
            self._series = _modes(factor, rigid, count)
        else:
            raw = _BETWEEN_HINGES if rigid else factor
            self._series = [_times(raw, each) for each in _family(basis, count)]
        #: The mean square of each mode.
        self.mean_square = 0.25 if _clamped(factor) else 0.5

    def at(self, place: float) -> ShapeValues:
        nodes = 0.5 * place * (1.0 + _NODES)
        slopes = np.array([each.deriv()(nodes) for each in self._series])
        return ShapeValues(
            np.array([float(each(place)) for each in self._series]),
            np.array([float(each.deriv()(place)) for each in self._series]),
            (slopes * (0.5 * place * _WEIGHTS)) @ slopes.T,
        )

    @property
    def bending(self) -> Array:
        """The integral of the products of second derivatives."""
        nodes = 0.5 * (1.0 + _NODES)
        second = np.array([each.deriv(2)(nodes) for each in self._series])
        result: Array = (second * (0.5 * _WEIGHTS)) @ second.T
        return result

    def sampled(self) -> tuple[Array, Array, list[ShapeValues]]:
        """Places, weights of a quadrature over the length, and the shapes there."""
        places = 0.5 * (1.0 + _NODES)
        return places, 0.5 * _WEIGHTS, [self.at(float(place)) for place in places]


def _clamped(factor: Sequence[float]) -> bool:
    """Whether shapes have no slope at the base."""
    return not any(factor[:2])


def _family(basis: str, count: int) -> list[_Series]:
    if basis == "taylor":
        return [Polynomial([0.0] * n + [1.0]) for n in range(count)]
    if basis == "chebyshev":
        return [Chebyshev.basis(n, domain=_DOMAIN) for n in range(count)]
    return [Legendre.basis(n, domain=_DOMAIN) for n in range(count)]


def _times(factor: Sequence[float], series: _Series) -> _Series:
    """The product with a polynomial."""
    if isinstance(series, Polynomial):
        return series * Polynomial(factor)
    return series * Polynomial(factor).convert(kind=type(series), domain=_DOMAIN)


def _modes(factor: Sequence[float], rigid: int, count: int) -> list[_Series]:
    nodes, weights = 0.5 * (1.0 + _NODES), 0.5 * _WEIGHTS
    family = [_times(factor, each) for each in _family("legendre", _POLYNOMIALS + rigid)]
    family = [each / np.sqrt(float(weights @ each(nodes) ** 2)) for each in family]
    values = np.array([each(nodes) for each in family])
    second = np.array([each.deriv(2)(nodes) for each in family])
    _, vectors = eigh((second * weights) @ second.T, (values * weights) @ values.T)
    found: list[_Series] = []
    for vector in vectors.T[rigid : rigid + count]:
        mode = sum((x * each for x, each in zip(vector[1:], family[1:], strict=True)), vector[0] * family[0])
        found.append(_from_chord(_scaled(mode, clamped=_clamped(factor)), rigid))
    return found


def _scaled(mode: _Series, *, clamped: bool) -> _Series:
    if clamped:
        return mode / float(mode(1.0))
    size = float(np.sqrt(_WEIGHTS @ mode(0.5 * (1.0 + _NODES)) ** 2))
    return mode / (size if float(mode.deriv()(0.0)) > 0.0 else -size)


def _from_chord(mode: _Series, rigid: int) -> _Series:
    """A mode less the line through its ends, where these can move."""
    if not rigid:
        return mode
    base, tip = float(mode(0.0)), float(mode(1.0))
    return mode - Polynomial([base, tip - base]).convert(kind=type(mode), domain=_DOMAIN)
