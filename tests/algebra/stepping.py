"""Steps taken with numbers: what the tests of the algebra share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from fmugen.algebra.costs import expressions_of
from fmugen.expr.calculus import Tangent, symbols_of
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Expr
from fmugen.ir.steps import (
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)

State = Mapping[Expr, float]


def evaluate(roots: Iterable[Expr], state: State) -> list[float]:
    listed = list(roots)
    symbols = symbols_of(listed)
    return compile_python(listed, {"x": symbols})([state[symbol] for symbol in symbols])


def outcomes(step: ExactStep, state: State) -> list[float]:
    """The value of the unknown in every assembly mode."""
    values = evaluate(expressions_of(step), state)
    match step:
        case LinearStep():
            return [values[0] / values[1]]
        case LinearAngleStep():
            sine, cosine, denominator = values
            return [math.atan2(sine / denominator, cosine / denominator)]
        case GoniometricStep():
            return _goniometric(*values)
        case QuadraticStep():
            a, b, c = values
            root = math.sqrt(max(b * b - 4 * a * c, 0.0))
            return [(-b + sign * root) / (2 * a) for sign in (1, -1)]
        case PolynomialStep():
            return _polynomial(values, step.half_angle)


def _goniometric(a: float, b: float, c: float) -> list[float]:
    norm = a * a + b * b
    root = math.sqrt(max(norm - c * c, 0.0))
    return [math.atan2((a * c + m * b * root) / norm, (b * c - m * a * root) / norm) for m in (1, -1)]


def _polynomial(coefficients: list[float], half_angle: bool) -> list[float]:
    polynomial = np.polynomial.Polynomial(coefficients)
    real = [float(root.real) for root in polynomial.roots() if abs(root.imag) < 1e-6 * max(1.0, abs(root))]
    slope = polynomial.deriv()
    for _ in range(3):  # the eigenvalue solver leaves a few digits to be found
        real = [x - float(polynomial(x)) / float(slope(x)) for x in real]
    return [2 * math.atan(t) for t in real] if half_angle else real


def distance(one: float, other: float, is_angle: bool) -> float:
    gap = one - other
    return abs(math.remainder(gap, 2 * math.pi)) if is_angle else abs(gap)


def follow(
    steps: Iterable[ExactStep], unknowns: Mapping[int, Expr], angles: Iterable[int], state: State
) -> float:
    """The largest error of any unknown, each step taken in the mode nearest to ``state``.

    Later steps use what the earlier ones gave, as the generated code does.
    """
    found = {symbol: value for symbol, value in state.items() if symbol not in set(unknowns.values())}
    turning = set(angles)
    worst = 0.0
    for step in steps:
        symbol = unknowns[step.unknown]
        wanted = state[symbol]
        values = outcomes(step, found)
        nearest = min(values, key=lambda x: distance(x, wanted, step.unknown in turning))
        worst = max(worst, distance(nearest, wanted, step.unknown in turning))
        found[symbol] = nearest
    return worst


def every_mode(steps: Sequence[ExactStep], unknowns: Mapping[int, Expr], state: State) -> Iterator[State]:
    """``state`` with the unknowns of every combination of real assembly modes."""
    if not steps:
        yield state
        return
    step, *rest = steps
    if isinstance(step, GoniometricStep):
        a, b, c = evaluate(expressions_of(step), state)
        if a * a + b * b < c * c:
            return
    for value in outcomes(step, state):
        yield from every_mode(rest, unknowns, {**state, unknowns[step.unknown]: value})


def close(rows: list[Expr], moving: list[Expr], state: State) -> dict[Expr, float] | None:
    """``state`` with the symbols ``moving`` changed as little as possible until ``rows`` are zero."""
    symbols = symbols_of(rows)
    residual = compile_python(rows, {"x": symbols})
    dag = rows[0].dag
    partials = [Tangent(dag, {symbol: dag.one})(row) for symbol in moving for row in rows]
    slopes = compile_python(partials, {"x": symbols})
    found = dict(state)
    for _ in range(60):
        x = [found[symbol] for symbol in symbols]
        value = np.array(residual(x))
        if np.abs(value).max(initial=0.0) < 1e-14:
            break
        jacobian = np.array(slopes(x)).reshape(len(moving), len(rows)).T
        move = np.linalg.lstsq(jacobian, -value, rcond=1e-11)[0]
        move *= min(1.0, 0.5 / max(float(np.abs(move).max()), 1e-300))
        for symbol, change in zip(moving, move, strict=True):
            found[symbol] += float(change)
    return found if np.abs(value).max(initial=0.0) < 1e-13 else None
