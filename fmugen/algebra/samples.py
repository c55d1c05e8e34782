"""Expressions at generic values of their symbols: what vanishes there vanishes always.

A polynomial identity between known quantities (a rotation's u^2 + v^2 = 1, a pivot that is always zero) is
seen by evaluation at a few fixed pseudo-random points, every node once.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from fmugen.expr.calculus import postorder
from fmugen.expr.dag import Expr, Operation

__all__ = ["Samples"]

_POINTS = 3
_UNDEFINED = (math.nan,) * _POINTS

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "max": max,
    "min": min,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "step": lambda x: float(x >= 0),
    **{
        name: getattr(math, name)
        for name in (
            *("sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
            *("sinh", "cosh", "tanh", "exp", "log", "sqrt", "pow"),
        )
    },
}


class Samples:
    """The values of nodes at the points, not-a-number where a function is not defined."""

    def __init__(self) -> None:
        self._values: dict[Expr, tuple[float, ...]] = {}

    def __call__(self, root: Expr) -> tuple[float, ...]:
        known = self._values.get(root)
        if known is not None:
            return known
        for node in postorder((root,)):
            if node not in self._values:
                self._values[node] = self._evaluate(node)
        return self._values[root]

    def vanish(self, roots: Sequence[Expr]) -> bool:
        """Whether all ``roots`` are zero at every point."""
        return all(abs(value) < 1e-12 for root in roots for value in self(root))

    def on_unit_circle(self, u: Expr, v: Expr) -> bool:
        return all(abs(x * x + y * y - 1.0) < 1e-12 for x, y in zip(self(u), self(v), strict=True))

    def _evaluate(self, node: Expr) -> tuple[float, ...]:
        match node.operation:
            case Operation.NUMBER:
                return (float(node.number),) * _POINTS
            case Operation.SYMBOL:
                source = random.Random(node.name)
                return tuple(source.uniform(0.2, 0.9) for _ in range(_POINTS))
        columns = list(zip(*(self._values[arg] for arg in node.args), strict=True))
        try:
            return tuple(_apply(node, column) for column in columns)
        except (ValueError, ZeroDivisionError, OverflowError):
            return _UNDEFINED


def _apply(node: Expr, values: Sequence[float]) -> float:
    match node.operation:
        case Operation.ADD:
            return math.fsum(values)
        case Operation.MUL:
            return math.prod(values)
        case Operation.POWER:
            return float(values[0] ** node.exponent)
    return float(_FUNCTIONS[node.name](*values))
