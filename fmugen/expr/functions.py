"""The functions of expressions, as functions of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["FUNCTION_VALUES"]

FUNCTION_VALUES: dict[str, Callable[..., float]] = {
    "abs": abs,
    "if": lambda x, a, b: a if x >= 0 else b,
    "max": max,
    "min": min,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "step": lambda x: 1.0 if x >= 0 else 0.0,
    **{
        name: getattr(math, name)
        for name in (
            *("sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
            *("sinh", "cosh", "tanh", "exp", "log", "sqrt", "pow"),
        )
    },
}
