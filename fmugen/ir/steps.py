"""Steps of an exact closure: each gives one coordinate from what is already known, without iteration.

All expressions are over parameters, time, and coordinates solved earlier. The unknown of a step is a
coordinate; an angle is found by its sine and cosine together, so that its quadrant is never in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.expr.dag import Expr

__all__ = [
    "EqualAngleStep",
    "ExactStep",
    "GoniometricStep",
    "LinearAngleStep",
    "LinearStep",
    "PolynomialStep",
    "QuadraticStep",
]


@dataclass(frozen=True)
class LinearStep:
    """A length: ``numerator / denominator``; the guard is the denominator."""

    unknown: int
    numerator: Expr
    denominator: Expr


@dataclass(frozen=True)
class LinearAngleStep:
    """An angle from two equations linear in its sine and cosine.

    ``sine / denominator`` and ``cosine / denominator``; the guard is the denominator.
    """

    unknown: int
    sine: Expr
    cosine: Expr
    denominator: Expr


@dataclass(frozen=True)
class EqualAngleStep(LinearAngleStep):
    """An angle that equals another one, or its opposite, while the mechanism keeps its assembly mode.

    The guard is that the angle is where it is expected.
    """


@dataclass(frozen=True)
class GoniometricStep:
    """An angle from ``a sin + b cos = c``: two assembly modes.

    With r = sqrt(a^2 + b^2 - c^2): sin = (a c + m b r) / (a^2 + b^2), cos = (b c - m a r) / (a^2 + b^2), the
    mode m being +1 or -1. The guards are a^2 + b^2 and the discriminant.
    """

    unknown: int
    a: Expr
    b: Expr
    c: Expr


@dataclass(frozen=True)
class QuadraticStep:
    """A length from ``a x^2 + b x + c = 0``: two assembly modes; the guards are a and the discriminant."""

    unknown: int
    a: Expr
    b: Expr
    c: Expr


@dataclass(frozen=True)
class PolynomialStep:
    """A root of a polynomial, found by bounded, safeguarded iteration from the last one.

    ``coefficients`` ascend from the constant. The polynomial is in the length itself, or, with
    ``half_angle``, in the tangent of half the angle.
    """

    unknown: int
    coefficients: tuple[Expr, ...]
    half_angle: bool


ExactStep = LinearStep | LinearAngleStep | GoniometricStep | QuadraticStep | PolynomialStep
