"""The operations and functions of expressions, as functions of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fmugen.expr.dag import Expr, Operation

__all__ = ["FUNCTION_VALUES", "operation_value"]

_TURN = 2.0 * math.pi


def _turns(angle: float, near: float) -> float:
    """The whole turns, in radians, that bring an angle closest to another one; zero if that is not finite."""
    return _TURN * math.floor((near - angle) / _TURN + 0.5) if math.isfinite(near) else 0.0


FUNCTION_VALUES: dict[str, Callable[..., float]] = {
    "abs": abs,
    "if": lambda x, a, b: a if x >= 0 else b,
    "max": max,
    "min": min,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "step": lambda x: 1.0 if x >= 0 else 0.0,
    "turns": _turns,
    **{
        name: getattr(math, name)
        for name in (
            *("sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
            *("sinh", "cosh", "tanh", "exp", "log", "sqrt", "pow"),
        )
    },
}


def operation_value(node: Expr, values: Sequence[float]) -> float:
    """The value of an operation or a function whose arguments have ``values``; NaN where it has none."""
    try:
        match node.operation:
            case Operation.ADD:
                return math.fsum(values)
            case Operation.MUL:
                return math.prod(values)
            case Operation.POWER:
                return float(values[0] ** node.exponent)
        return float(FUNCTION_VALUES[node.name](*values))
    except (ArithmeticError, ValueError):  # a division by zero, the root of a negative number
        return math.nan
