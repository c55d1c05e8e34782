"""Formulas as numbers.

A formula is compiled once to nested closures. They compute with floats or with jets: a value with its first
and second time derivative. Prescribed motions need these derivatives. Jets give them to machine precision
without symbolic algebra, so the judge does not differentiate as the compiler does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from fmugen.errors import UnsolvableError
from fmugen.ir.formula import CONSTANTS, TIME, Call, Formula, Name, Number, Term


@dataclass(frozen=True, slots=True)
class Jet:
    """A function of time at one instant: its value, rate and acceleration."""

    value: float
    rate: float = 0.0
    acceleration: float = 0.0


Scalar = float | Jet
Evaluator = Callable[[Mapping[str, Scalar]], Scalar]
_Real = Callable[[float], float]


def compile_formula(formula: Formula) -> Callable[[Mapping[str, float]], float]:
    """A function from the values of the names in a formula to the value of the formula."""
    evaluator = _compile(formula.root)

    def evaluate(values: Mapping[str, float]) -> float:
        try:
            result = float(evaluator(values))  # type: ignore[arg-type]
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise _no_value(formula) from error
        if not math.isfinite(result):
            raise _no_value(formula)
        return result

    return evaluate


def compile_motion(formula: Formula, parameters: Mapping[str, float]) -> Callable[..., Jet]:
    """A function from time, and jets of moving inputs, to the value, rate and acceleration of a formula."""
    evaluator = _compile(formula.root)
    constants: dict[str, Scalar] = dict(parameters)

    def evaluate(time: float, moved: Mapping[str, Scalar] = MappingProxyType({})) -> Jet:
        values = {**constants, **moved, TIME: Jet(time, 1.0)}
        try:
            jet = _lift(evaluator(values))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise _no_value(formula, f" with two time derivatives at t = {time:g} s") from error
        if not math.isfinite(jet.value + jet.rate + jet.acceleration):
            raise _no_value(formula, f" with two time derivatives at t = {time:g} s")
        return jet

    return evaluate


def compile_jet(formula: Formula) -> Callable[[Mapping[str, Scalar]], Jet]:
    """A function from values and jets of the names in a formula to the jet of the formula."""
    evaluator = _compile(formula.root)

    def evaluate(values: Mapping[str, Scalar]) -> Jet:
        try:
            jet = _lift(evaluator(values))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise _no_value(formula, " with two derivatives") from error
        if not math.isfinite(jet.value + jet.rate + jet.acceleration):
            raise _no_value(formula, " with two derivatives")
        return jet

    return evaluate


def _no_value(formula: Formula, where: str = "") -> UnsolvableError:
    return UnsolvableError(f"the formula {formula.text!r} has no finite value{where}")


def _compile(term: Term) -> Evaluator:
    if isinstance(term, Number):
        number = float(term.value)
        return lambda values: number
    if isinstance(term, Name):
        if term.text in CONSTANTS:
            constant = CONSTANTS[term.text]
            return lambda values: constant
        name = term.text
        return lambda values: values[name]
    return _compile_call(term)


def _compile_call(call: Call) -> Evaluator:
    arguments = [_compile(argument) for argument in call.arguments]
    if call.function == "if":
        condition, one, other = arguments
        return lambda values: one(values) if _value(condition(values)) >= 0.0 else other(values)
    if len(arguments) == 1:
        unary = _UNARY[call.function]
        (only,) = arguments
        return lambda values: unary(only(values))
    binary = _BINARY[call.function]
    left, right = arguments
    return lambda values: binary(left(values), right(values))


# --- functions of one argument: f, f', f'' ------------------------------------------------------


def _sign(x: float) -> float:
    return float((x > 0.0) - (x < 0.0))


def _zero(x: float) -> float:
    return 0.0


def _value(x: Scalar) -> float:
    return x.value if isinstance(x, Jet) else x


def _smooth(function: _Real, first: _Real, second: _Real) -> Callable[[Scalar], Scalar]:
    """Extend a real function to jets by the chain rule."""

    def apply(x: Scalar) -> Scalar:
        if not isinstance(x, Jet):
            return function(x)
        slope = first(x.value)
        curvature = second(x.value)
        return Jet(
            function(x.value),
            slope * x.rate,
            slope * x.acceleration + curvature * x.rate * x.rate,
        )

    return apply


_UNARY: dict[str, Callable[[Scalar], Scalar]] = {
    "neg": _smooth(lambda x: -x, lambda x: -1.0, _zero),
    "abs": _smooth(abs, _sign, _zero),
    "sign": _smooth(_sign, _zero, _zero),
    "step": _smooth(lambda x: float(x >= 0.0), _zero, _zero),
    "acos": _smooth(math.acos, lambda x: -1.0 / math.sqrt(1.0 - x * x), lambda x: -x / (1.0 - x * x) ** 1.5),
    "asin": _smooth(math.asin, lambda x: 1.0 / math.sqrt(1.0 - x * x), lambda x: x / (1.0 - x * x) ** 1.5),
    "atan": _smooth(math.atan, lambda x: 1.0 / (1.0 + x * x), lambda x: -2.0 * x / (1.0 + x * x) ** 2),
    "cos": _smooth(math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x)),
    "cosh": _smooth(math.cosh, math.sinh, math.cosh),
    "exp": _smooth(math.exp, math.exp, math.exp),
    "log": _smooth(math.log, lambda x: 1.0 / x, lambda x: -1.0 / (x * x)),
    "sin": _smooth(math.sin, math.cos, lambda x: -math.sin(x)),
    "sinh": _smooth(math.sinh, math.cosh, math.sinh),
    "sqrt": _smooth(math.sqrt, lambda x: 0.5 / math.sqrt(x), lambda x: -0.25 / (x * math.sqrt(x))),
    "tan": _smooth(
        math.tan,
        lambda x: 1.0 + math.tan(x) ** 2,
        lambda x: 2.0 * math.tan(x) * (1.0 + math.tan(x) ** 2),
    ),
    "tanh": _smooth(
        math.tanh,
        lambda x: 1.0 - math.tanh(x) ** 2,
        lambda x: -2.0 * math.tanh(x) * (1.0 - math.tanh(x) ** 2),
    ),
}


# --- functions of two arguments --------------------------------------------------------------------


def _lift(x: Scalar) -> Jet:
    return x if isinstance(x, Jet) else Jet(x)


def _paired(
    real: Callable[[float, float], float], jets: Callable[[Jet, Jet], Jet]
) -> Callable[[Scalar, Scalar], Scalar]:
    """A function of two floats and its extension to jets."""

    def apply(a: Scalar, b: Scalar) -> Scalar:
        if isinstance(a, Jet) or isinstance(b, Jet):
            return jets(_lift(a), _lift(b))
        return real(a, b)

    return apply


def _add(a: Jet, b: Jet) -> Jet:
    return Jet(a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration)


def _subtract(a: Jet, b: Jet) -> Jet:
    return Jet(a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration)


def _multiply(a: Jet, b: Jet) -> Jet:
    return Jet(
        a.value * b.value,
        a.rate * b.value + a.value * b.rate,
        a.acceleration * b.value + 2.0 * a.rate * b.rate + a.value * b.acceleration,
    )


def _divide(a: Jet, b: Jet) -> Jet:
    value = a.value / b.value
    rate = (a.rate - value * b.rate) / b.value
    return Jet(value, rate, (a.acceleration - 2.0 * rate * b.rate - value * b.acceleration) / b.value)


def _power(a: Jet, b: Jet) -> Jet:
    if b.rate == 0.0 and b.acceleration == 0.0:
        n = b.value
        slope = n * math.pow(a.value, n - 1.0) if n != 0.0 else 0.0
        curvature = n * (n - 1.0) * math.pow(a.value, n - 2.0) if n not in (0.0, 1.0) else 0.0
        return Jet(math.pow(a.value, n), slope * a.rate, slope * a.acceleration + curvature * a.rate * a.rate)
    return _lift(_UNARY["exp"](_multiply(b, _lift(_UNARY["log"](a)))))


def _atan2(y: Jet, x: Jet) -> Jet:
    square = x.value * x.value + y.value * y.value
    turn = x.value * y.rate - y.value * x.rate
    growth = x.value * x.rate + y.value * y.rate
    bend = x.value * y.acceleration - y.value * x.acceleration
    rate = turn / square
    return Jet(math.atan2(y.value, x.value), rate, (bend - 2.0 * rate * growth) / square)


_BINARY: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "+": _paired(lambda a, b: a + b, _add),
    "-": _paired(lambda a, b: a - b, _subtract),
    "*": _paired(lambda a, b: a * b, _multiply),
    "/": _paired(lambda a, b: a / b, _divide),
    "^": _paired(math.pow, _power),
    "atan2": _paired(math.atan2, _atan2),
    "max": _paired(max, lambda a, b: a if a.value >= b.value else b),
    "min": _paired(min, lambda a, b: a if a.value <= b.value else b),
}
