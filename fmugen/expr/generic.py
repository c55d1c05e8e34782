"""Expressions at generic points: an expression that vanishes at all of them vanishes identically.

Local rules of the DAG do not see every identity. For example, to see that two vectors are perpendicular by
construction takes an expansion, but their numerical product is zero at once.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from fmugen.expr.calculus import postorder
from fmugen.expr.dag import Expr, Operation
from fmugen.expr.functions import operation_value

__all__ = ["Generic", "ValueTable"]

_POINTS = 3

#: Two values of the order of one that differ by less are equal.
_ZERO = 1e-10


class ValueTable:
    """Values of nodes at several points, every node once; not-a-number where a function is not defined."""

    def __init__(self, points: int, symbols: Mapping[Expr, tuple[float, ...]]) -> None:
        self._points = points
        self._values = dict(symbols)

    def __call__(self, root: Expr) -> tuple[float, ...]:
        for node in postorder((root,), self._values):
            self._values[node] = self._evaluate(node)
        return self._values[root]

    def put(self, node: Expr, values: Iterable[float]) -> None:
        """Give a node its values, before anything that is made of it is asked for."""
        self._values[node] = tuple(values)

    def _evaluate(self, node: Expr) -> tuple[float, ...]:
        match node.operation:
            case Operation.NUMBER:
                return (float(node.number),) * self._points
            case Operation.SYMBOL:
                return self._of_symbol(node)
        columns = zip(*(self._values[arg] for arg in node.args), strict=True)
        return tuple(operation_value(node, column) for column in columns)

    def _of_symbol(self, symbol: Expr) -> tuple[float, ...]:
        raise KeyError(f"{symbol!r} has no values")


class Generic(ValueTable):
    """Values at random points: the same values for symbols of the same name."""

    def __init__(self) -> None:
        super().__init__(_POINTS, {})

    def are_equal(self, one: Expr, other: Expr) -> bool:
        """Whether two expressions are the same function; in doubt they are not."""
        pairs = zip(self(one), self(other), strict=True)
        return all(abs(a - b) <= _ZERO * max(1.0, abs(a)) for a, b in pairs)

    def _of_symbol(self, symbol: Expr) -> tuple[float, ...]:
        source = random.Random(symbol.name)
        return tuple(source.uniform(0.2, 0.9) for _ in range(_POINTS))
