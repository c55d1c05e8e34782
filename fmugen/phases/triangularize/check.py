"""Exact steps, evaluated where the answer is known: at positions that are already assembled."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fmugen.algebra.costs import expressions_of
from fmugen.expr.code import compile_python
from fmugen.ir.dae import Dae
from fmugen.ir.steps import (
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)
from fmugen.phases.triangularize.numeric import Numbers

__all__ = ["reproduces"]

_TOLERANCE = 1e-7


def reproduces(
    dae: Dae, steps: Sequence[ExactStep], positions: Sequence[Numbers], parameters: Sequence[float]
) -> bool:
    """Whether the steps give back the unknowns of each assembled position, for one of their roots."""
    symbols = dae.symbols
    roots = [expression for step in steps for expression in expressions_of(step)]
    arguments = {
        "p": list(symbols.parameters.values()),
        "t": [symbols.time],
        "q": [coordinate.position for coordinate in dae.coordinates],
    }
    evaluate = compile_python(roots, arguments)
    for q in positions:
        values = iter(evaluate(list(parameters), [0.0], q.tolist()))
        for step in steps:
            terms = [next(values) for _ in expressions_of(step)]
            if not _has_root(step, terms, float(q[step.unknown])):
                return False
    return True


def _has_root(step: ExactStep, terms: list[float], x: float) -> bool:
    """Whether ``x`` solves the equation of the step, relative to the size of its terms."""
    match step:
        case LinearAngleStep():
            sine, cosine, denominator = terms
            errors = [denominator * math.sin(x) - sine, denominator * math.cos(x) - cosine]
            return max(map(abs, errors)) <= _TOLERANCE * abs(denominator)
        case LinearStep():
            factors, coefficients = [1.0, x], [-terms[0], terms[1]]
        case GoniometricStep():
            factors, coefficients = [math.sin(x), math.cos(x), 1.0], [terms[0], terms[1], -terms[2]]
        case QuadraticStep():
            factors, coefficients = [x * x, x, 1.0], terms
        case PolynomialStep():
            at = math.tan(x / 2) if step.half_angle else x
            factors, coefficients = [at**power for power in range(len(terms))], terms
    error = sum(f * c for f, c in zip(factors, coefficients, strict=True))
    size = sum(max(1.0, abs(f)) * abs(c) for f, c in zip(factors, coefficients, strict=True))
    return abs(error) <= _TOLERANCE * size
