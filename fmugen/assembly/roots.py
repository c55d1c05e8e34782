"""Exact steps in all assembly modes: which hold there, and all real values of their unknowns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fmugen.ir.flow import Block
from fmugen.ir.steps import (
    EqualAngleStep,
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)

__all__ = ["holds_in_all_modes", "real_roots"]

_DOUBLE_ROOT = 1e-9
_REAL_ROOT = 1e-6


def holds_in_all_modes(block: Block) -> bool:
    """Whether a block has exact steps whose equations follow from the constraints in all assembly modes.

    Equal angles and constants are those of the motion from the start.
    """
    equal = any(isinstance(step, EqualAngleStep) for step in block.steps)
    return bool(block.steps) and not equal and "constant" not in block.method


def real_roots(step: ExactStep, terms: list[float]) -> list[float]:
    """The real values that solve the equation of the step; ``terms`` are the values of its expressions."""
    match step:
        case LinearStep():
            numerator, denominator = terms
            return [numerator / denominator] if denominator else []
        case LinearAngleStep():
            sine, cosine, denominator = terms
            return [math.atan2(sine * denominator, cosine * denominator)] if denominator else []
        case GoniometricStep():
            return _goniometric_roots(*terms)
        case QuadraticStep():
            return _polynomial_roots(terms[::-1])
        case PolynomialStep(half_angle=True):
            turned = [math.pi] * (_magnitude_of_last(terms) <= _DOUBLE_ROOT)
            return turned + [2 * math.atan(root) for root in _polynomial_roots(terms)]
        case PolynomialStep():
            return _polynomial_roots(terms)


def _goniometric_roots(a: float, b: float, c: float) -> list[float]:
    square = a * a + b * b
    discriminant = square - c * c
    if square == 0.0 or discriminant < -_DOUBLE_ROOT * square:
        return []
    middle, half = math.atan2(a, b), math.atan2(math.sqrt(max(discriminant, 0.0)), c)
    return [middle + half] if discriminant <= _DOUBLE_ROOT * square else [middle + half, middle - half]


def _polynomial_roots(ascending: Sequence[float]) -> list[float]:
    """The distinct real roots; a leading coefficient that vanishes is a root at infinity, left out."""
    coefficients = list(ascending)
    while coefficients and _magnitude_of_last(coefficients) <= _DOUBLE_ROOT:
        coefficients.pop()
    distinct: list[float] = []
    for root in sorted(np.roots(coefficients[::-1]).tolist(), key=lambda root: root.real):
        is_real = abs(root.imag) <= _REAL_ROOT * (1.0 + abs(root))
        if is_real and (not distinct or root.real - distinct[-1] > _REAL_ROOT * (1.0 + abs(root))):
            distinct.append(root.real)
    return distinct


def _magnitude_of_last(coefficients: Sequence[float]) -> float:
    """The leading coefficient as a part of the largest one."""
    largest = max(map(abs, coefficients))
    return abs(coefficients[-1]) / largest if largest else 0.0
