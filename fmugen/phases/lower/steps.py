"""Exact steps as expressions around helpers of the runtime."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from fmugen.expr.code import Operations
from fmugen.expr.dag import Expr, Operation, SymbolRole
from fmugen.expr.sizes import size_of
from fmugen.ir.program import Vector
from fmugen.ir.steps import (
    EqualAngleStep,
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)
from fmugen.phases.lower.solved import SolvedAngle

__all__ = ["CIRCLE", "StepForm", "form_of"]


@dataclass(frozen=True)
class StepForm:
    """A step as expressions around a helper of the runtime; see ``StepCode``.

    ``leaves`` are what the step finds before its results: the root, and the direction that is expected of an
    angle. ``solved`` is the equation that later steps may use.
    """

    unknown: int
    is_angle: bool
    helper: str
    arguments: tuple[Expr, ...]
    results: tuple[Expr, ...]
    own: Operations
    leaves: dict[Expr, Vector] = field(default_factory=dict)
    root: Expr | None = None
    check: str = ""
    solved: SolvedAngle | None = None


#: Operations of the helpers in exact.h; comparisons, signs and magnitudes are not counted. The way to an
#: angle is the short one, near its anchor.
_TURN = Operations(9, 11)
_PREDICT = Operations(5, 6)
_ROOT = Operations(0, 1, 0, 1)
_UNIT = Operations(2, 2)
_EXPECTED = Operations(1, 2)
_REGULAR = Operations(0, 2)
_SQUARE = Operations(0, 1, 0, 1)
_QUADRATIC = Operations(5, 5, 2, 1)
_HALF_ANGLE = Operations(3, 4, 3)
#: The sine and the cosine of an angle that a step gives itself.
CIRCLE = Operations(0, 0, 0, 2)


def form_of(step: ExactStep, name: str, angle: Expr, units: Collection[Expr] = ()) -> StepForm:
    """The form of a step for the coordinate ``angle``, which has this name.

    ``units`` are coordinates that are never larger than one.
    """
    match step:
        case LinearStep(denominator=denominator) if denominator.is_number:
            return StepForm(step.unknown, False, "", (), (step.numerator / denominator,), Operations())
        case LinearStep():
            arguments = (step.numerator, step.denominator, size_of(step.denominator, units))
            length = step.numerator / step.denominator
            return StepForm(step.unknown, False, "exact_regular", arguments, (length,), _REGULAR)
        case LinearAngleStep():
            return _linear_form(step)
        case GoniometricStep():
            return _goniometric_form(step, name, angle)
        case QuadraticStep() if step.b.is_zero:
            size = size_of(step.c, units) / step.a.dag.call("abs", step.a)
            return StepForm(step.unknown, False, "exact_square", (-step.c / step.a, size), (), _SQUARE)
        case QuadraticStep():
            return StepForm(step.unknown, False, "exact_quadratic", (step.a, step.b, step.c), (), _QUADRATIC)
        case PolynomialStep(half_angle=True):
            own = _HALF_ANGLE + _PREDICT + _TURN
            return StepForm(step.unknown, True, "exact_half_angle", step.coefficients, (), own)
        case PolynomialStep():
            return StepForm(step.unknown, False, "exact_polynomial", step.coefficients, (), Operations())


def _linear_form(step: LinearAngleStep) -> StepForm:
    """Sine and cosine; equations may contradict each other, equal angles belong to one assembly mode."""
    results = (step.sine / step.denominator, step.cosine / step.denominator)
    equal = isinstance(step, EqualAngleStep)
    own = (_PREDICT + _EXPECTED if equal else _UNIT) + _TURN
    check = "exact_expected" if equal else "exact_unit"
    return StepForm(step.unknown, True, "", (), results, own, check=check)


def _goniometric_form(step: GoniometricStep, name: str, angle: Expr) -> StepForm:
    """``a sin + b cos = c``; with a or b zero the equation gives one of both, and the circle the other."""
    dag = step.c.dag
    a, b, c = _without_common_factor(step.a, step.b, step.c)
    sine = dag.symbol(f"sine expected of {name}", SymbolRole.COORDINATE)
    cosine = dag.symbol(f"cosine expected of {name}", SymbolRole.COORDINATE)
    root = dag.symbol(f"root for {name}", SymbolRole.COORDINATE)
    if a.is_zero:
        results = (root, c / b)
        arguments = (1 - results[1] ** 2, dag.one, sine)
    elif b.is_zero:
        results = (c / a, root)
        arguments = (1 - results[0] ** 2, dag.one, cosine)
    elif c.is_zero:
        square = a**2 + b**2
        results = (b / root, -a / root)
        arguments = (square, square, b * sine - a * cosine)
    else:
        square = a**2 + b**2
        results = ((a * c + b * root) / square, (b * c - a * root) / square)
        arguments = (square - c**2, square, b * sine - a * cosine)
    leaves = {sine: Vector.EXPECTED_SINES, cosine: Vector.EXPECTED_COSINES, root: Vector.ROOTS}
    own = _PREDICT + _ROOT + _TURN
    solved = None
    if not a.is_zero and not b.is_zero:
        solved = SolvedAngle(dag.call("sin", angle), dag.call("cos", angle), a, b, c, root, arguments[0])
    return StepForm(step.unknown, True, "exact_root", arguments, results, own, leaves, root, solved=solved)


def _without_common_factor(a: Expr, b: Expr, c: Expr) -> tuple[Expr, Expr, Expr]:
    """The equation divided by the common numbers and parameters of a and b."""
    factor = _constant_factor(a)
    if (factor.is_number and factor.number in (0, 1)) or _constant_factor(b) not in (factor, -factor):
        return a, b, c
    return a / factor, b / factor, c / factor


def _constant_factor(root: Expr) -> Expr:
    dag = root.dag
    factors = root.args if root.operation is Operation.MUL else (root,)
    return dag.mul(factor for factor in factors if factor.constant)
