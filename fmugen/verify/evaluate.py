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
from typing import Any

from fmugen.errors import UnsolvableError
from fmugen.ir.formula import CONSTANTS, TIME, Call, Formula, Name, Number, Term
from fmugen.verify.tape import scalar
from fmugen.verify.tape.scalar import Recorded, choose


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
    evaluator: Callable[[Any], Any] = _compile(formula.root)

    def evaluate(values: Mapping[str, float]) -> Any:
        try:
            result = evaluator(values)
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise _no_value(formula) from error
        if isinstance(result, Recorded):
            return result
        if not math.isfinite(result):
            raise _no_value(formula)
        return float(result)

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
        if not _finite(jet):
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
        if not _finite(jet):
            raise _no_value(formula, " with two derivatives")
        return jet

    return evaluate


def _finite(jet: Jet) -> bool:
    total: Any = jet.value + jet.rate + jet.acceleration
    return isinstance(total, Recorded) or math.isfinite(total)


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
        return lambda values: _either(_value(condition(values)), one, other, values)
    if len(arguments) == 1:
        unary = _UNARY[call.function]
        (only,) = arguments
        return lambda values: unary(only(values))
    binary = _BINARY[call.function]
    left, right = arguments
    return lambda values: binary(left(values), right(values))


def _either(condition: Any, one: Evaluator, other: Evaluator, values: Mapping[str, Scalar]) -> Scalar:
    if not isinstance(condition, Recorded):
        return one(values) if condition >= 0.0 else other(values)
    return _chosen(condition, one(values), other(values))


def _chosen(condition: Any, a: Scalar, b: Scalar) -> Scalar:
    """One number or jet where the condition is at least zero, another where it is below."""
    if not isinstance(a, Jet) and not isinstance(b, Jet):
        number: float = choose(condition, a, b)
        return number
    a, b = _lift(a), _lift(b)
    if not isinstance(condition, Recorded):
        return a if condition >= 0.0 else b
    return Jet(
        choose(condition, a.value, b.value),
        choose(condition, a.rate, b.rate),
        choose(condition, a.acceleration, b.acceleration),
    )


# --- functions of one argument: f, f', f'' ------------------------------------------------------


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
    "abs": _smooth(abs, scalar.sign, _zero),
    "sign": _smooth(scalar.sign, _zero, _zero),
    "step": _smooth(lambda x: choose(x, 1.0, 0.0), _zero, _zero),
    "acos": _smooth(
        scalar.acos, lambda x: -1.0 / scalar.sqrt(1.0 - x * x), lambda x: -x / (1.0 - x * x) ** 1.5
    ),
    "asin": _smooth(
        scalar.asin, lambda x: 1.0 / scalar.sqrt(1.0 - x * x), lambda x: x / (1.0 - x * x) ** 1.5
    ),
    "atan": _smooth(scalar.atan, lambda x: 1.0 / (1.0 + x * x), lambda x: -2.0 * x / (1.0 + x * x) ** 2),
    "cos": _smooth(scalar.cos, lambda x: -scalar.sin(x), lambda x: -scalar.cos(x)),
    "cosh": _smooth(scalar.cosh, scalar.sinh, scalar.cosh),
    "exp": _smooth(scalar.exp, scalar.exp, scalar.exp),
    "log": _smooth(scalar.log, lambda x: 1.0 / x, lambda x: -1.0 / (x * x)),
    "sin": _smooth(scalar.sin, scalar.cos, lambda x: -scalar.sin(x)),
    "sinh": _smooth(scalar.sinh, scalar.cosh, scalar.sinh),
    "sqrt": _smooth(scalar.sqrt, lambda x: 0.5 / scalar.sqrt(x), lambda x: -0.25 / (x * scalar.sqrt(x))),
    "tan": _smooth(
        scalar.tan,
        lambda x: 1.0 + scalar.tan(x) ** 2,
        lambda x: 2.0 * scalar.tan(x) * (1.0 + scalar.tan(x) ** 2),
    ),
    "tanh": _smooth(
        scalar.tanh,
        lambda x: 1.0 - scalar.tanh(x) ** 2,
        lambda x: -2.0 * scalar.tanh(x) * (1.0 - scalar.tanh(x) ** 2),
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
        slope = n * scalar.power(a.value, n - 1.0) if n != 0.0 else 0.0
        curvature = n * (n - 1.0) * scalar.power(a.value, n - 2.0) if n not in (0.0, 1.0) else 0.0
        return Jet(
            scalar.power(a.value, n), slope * a.rate, slope * a.acceleration + curvature * a.rate * a.rate
        )
    return _lift(_UNARY["exp"](_multiply(b, _lift(_UNARY["log"](a)))))


def _atan2(y: Jet, x: Jet) -> Jet:
    square = x.value * x.value + y.value * y.value
    turn = x.value * y.rate - y.value * x.rate
    growth = x.value * x.rate + y.value * y.rate
    bend = x.value * y.acceleration - y.value * x.acceleration
    rate = turn / square
    return Jet(scalar.atan2(y.value, x.value), rate, (bend - 2.0 * rate * growth) / square)


_BINARY: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "+": _paired(lambda a, b: a + b, _add),
    "-": _paired(lambda a, b: a - b, _subtract),
    "*": _paired(lambda a, b: a * b, _multiply),
    "/": _paired(lambda a, b: a / b, _divide),
    "^": _paired(scalar.power, _power),
    "atan2": _paired(scalar.atan2, _atan2),
    "max": lambda a, b: _chosen(_value(a) - _value(b), a, b),
    "min": lambda a, b: _chosen(_value(b) - _value(a), a, b),
}
