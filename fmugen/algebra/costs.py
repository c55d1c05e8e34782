"""The cost of a step in operations, with surcharges for its weaknesses."""

from __future__ import annotations

from collections.abc import Sequence

from fmugen.algebra.ring import is_given
from fmugen.expr.code import Operations, count_operations
from fmugen.expr.dag import Expr
from fmugen.ir.steps import (
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)

__all__ = ["cost_of", "expressions_of", "is_unique", "operations_of", "pivots_of"]

#: Surcharges in operations: of a root with its guard and assembly mode, and of an iteration.
_ROOT = 40
_ITERATION = 400
_DEGREE = 40

#: Price of a denominator that depends on the position: it may vanish.
_MOVING_DENOMINATOR = 6


def expressions_of(step: ExactStep) -> tuple[Expr, ...]:
    """Everything that must be evaluated before the step is taken."""
    match step:
        case LinearStep():
            return step.numerator, step.denominator
        case LinearAngleStep():
            return step.sine, step.cosine, step.denominator
        case GoniometricStep() | QuadraticStep():
            return step.a, step.b, step.c
        case PolynomialStep():
            return step.coefficients


def pivots_of(step: ExactStep) -> tuple[Expr, ...]:
    """The quantities that must not all vanish."""
    match step:
        case LinearStep() | LinearAngleStep():
            return (step.denominator,)
        case GoniometricStep():
            return step.a, step.b
        case QuadraticStep():
            return (step.a,)
        case PolynomialStep():
            return step.coefficients[1:]


def is_unique(step: ExactStep) -> bool:
    """Whether the step has one result, without a choice of assembly mode."""
    return isinstance(step, LinearStep | LinearAngleStep)


def cost_of(step: ExactStep) -> int:
    """The operations of a step, and a surcharge for what may fail or must be chosen."""
    operations = operations_of(expressions_of(step)).total
    match step:
        case LinearStep():
            return operations + 1 + _moving(step.denominator)
        case LinearAngleStep():
            return operations + 4 + _moving(step.denominator)  # two quotients, and the angle of both
        case GoniometricStep():
            return operations + 4 + 5 * (2 - step.a.is_zero - step.b.is_zero) + _ROOT
        case QuadraticStep():
            return operations + 8 + _ROOT + _moving(step.a)
        case PolynomialStep():
            return operations + _ITERATION + _DEGREE * len(step.coefficients)


def operations_of(roots: Sequence[Expr]) -> Operations:
    """The operations of an evaluation; what depends on parameters alone was evaluated before."""
    return count_operations((), roots, is_given)


def _moving(denominator: Expr) -> int:
    return 0 if denominator.constant else _MOVING_DENOMINATOR
