"""The tangent of the half angle: a polynomial in sine and cosine as one in a single unknown.

With t = tan(angle / 2), sin = 2t / (1 + t^2) and cos = (1 - t^2) / (1 + t^2) (Uchida (3.34)). The
coefficients may be of any kind that can be added and multiplied: polynomials in lumps, expressions, numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

__all__ = ["half_angle_coefficients", "without_circle_factor"]

T = TypeVar("T", bound=Any)


def half_angle_coefficients(terms: Mapping[tuple[int, int], T]) -> list[T]:
    """Ascending coefficients in t of a polynomial with exponents (of the sine, of the cosine).

    >>> half_angle_coefficients({(1, 0): 3, (0, 1): 4, (0, 0): -5})
    [-1, 6, -9]
    """
    degree = max(sum(exponents) for exponents in terms)
    total: list[T | int] = [0] * (2 * degree + 1)
    for (sine, cosine), coefficient in terms.items():
        factors = [[0, 2]] * sine + [[1, 0, -1]] * cosine + [[1, 0, 1]] * (degree - sine - cosine)
        for power, number in enumerate(_product(factors)):
            if number:
                total[power] = coefficient * number + total[power]
    zero = next(iter(terms.values())) * 0
    return [zero + value for value in total]


def _product(factors: Sequence[Sequence[int]]) -> list[int]:
    product = [1]
    for factor in factors:
        longer = [0] * (len(product) + len(factor) - 1)
        for i, left in enumerate(product):
            for j, right in enumerate(factor):
                longer[i + j] += left * right
        product = longer
    return product


def without_circle_factor(coefficients: Sequence[T]) -> list[T]:
    """The quotient by 1 + t^2 of a polynomial that it divides.

    >>> without_circle_factor([1, 2, 1, 2])
    [1, 2]
    """
    quotient = list(coefficients[2:])
    for power in range(len(quotient) - 3, -1, -1):
        quotient[power] = quotient[power] - quotient[power + 2]
    return quotient
