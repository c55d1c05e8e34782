"""The functions of expressions, as functions of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["FUNCTION_VALUES"]

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
