"""Exact steps, evaluated where the answer is known: at positions that are already assembled."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

from fmugen.algebra.costs import expressions_of
from fmugen.expr.generic import ValueTable
from fmugen.ir.dae import Dae
from fmugen.ir.steps import (
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)
from fmugen.phases.triangularize.numeric import Position

__all__ = ["StepCheck", "table_of"]

_TOLERANCE = 1e-7

#: A pivot that shrinks to this part of its largest value loses digits.
_WEAK = 0.01
#: One that shrinks to this part is rounding.
_VANISHING = 1e-6
#: The price of a weak pivot in operations: more than that of a root with its assembly mode.
_SURCHARGE = 100.0


class StepCheck:
    """What is wrong with a step at positions of the mechanism, for the default parameters.

    A step must give the unknown at all positions ``nearby`` the start; at ``reachable`` positions, its
    pivot may vanish, which is a weakness.
    """

    def __init__(
        self, dae: Dae, nearby: Sequence[Position], reachable: Sequence[Position], parameters: Sequence[float]
    ) -> None:
        self._near = len(nearby)
        self._values = table_of(dae, [*nearby, *reachable], parameters)
        self._unknowns = [self._values(coordinate.position) for coordinate in dae.coordinates]

    def __call__(self, step: ExactStep) -> float:
        """Operations to add to the price of the step; infinite if it misses a known position."""
        columns = [self._values(expression) for expression in expressions_of(step)]
        terms = list(zip(*columns, strict=True))
        sizes = [_pivot(step, values) for values in terms]
        largest = max(sizes)
        for number, (values, x) in enumerate(zip(terms, self._unknowns[step.unknown], strict=True)):
            is_certain = number < self._near or sizes[number] > _VANISHING * largest
            if is_certain and not _has_root(step, values, x):
                return math.inf
        return _SURCHARGE if min(sizes) < _WEAK * largest else 0.0


def table_of(
    dae: Dae, positions: Sequence[Position], parameters: Sequence[float], without: Container[int] = ()
) -> ValueTable:
    """Values of the symbols that closures are made of, at positions, ``without`` some coordinates."""
    symbols, count = dae.symbols, len(positions)
    values = {
        symbol: (value,) * count
        for symbol, value in zip(symbols.parameters.values(), parameters, strict=True)
    }
    inputs = zip(symbols.inputs.values(), dae.input_starts, strict=True)
    values |= {symbol: (value,) * count for symbol, value in inputs}
    values[symbols.time] = tuple(position.time for position in positions)
    for number, coordinate in enumerate(dae.coordinates):
        values[coordinate.position] = tuple(float(position.q[number]) for position in positions)
    at_start = ValueTable(count, values)
    values |= {symbol: at_start(value) for symbol, value in dae.held_at_start.items()}
    hidden = {c.position for number, c in enumerate(dae.coordinates) if number in without}
    return ValueTable(count, {symbol: value for symbol, value in values.items() if symbol not in hidden})


def _pivot(step: ExactStep, terms: Sequence[float]) -> float:
    """The size of what must not vanish."""
    match step:
        case LinearStep() | LinearAngleStep():
            return abs(terms[-1])
        case GoniometricStep():
            return math.hypot(terms[0], terms[1])
        case QuadraticStep():
            return abs(terms[0])
        case PolynomialStep():
            return max(map(abs, terms[1:]))


def _has_root(step: ExactStep, terms: Sequence[float], x: float) -> bool:
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
            factors, coefficients = [x * x, x, 1.0], list(terms)
        case PolynomialStep():
            at = math.tan(x / 2) if step.half_angle else x
            factors, coefficients = [at**power for power in range(len(terms))], list(terms)
    error = sum(f * c for f, c in zip(factors, coefficients, strict=True))
    size = sum(max(1.0, abs(f)) * abs(c) for f, c in zip(factors, coefficients, strict=True))
    return abs(error) <= _TOLERANCE * size
