"""Expressions at generic points that satisfy the constraints: what vanishes there vanishes always.

An identity between known quantities (a rotation's u^2 + v^2 = 1, a pivot that is zero wherever the loops are
closed) is seen by evaluation at a few fixed pseudo-random points, every node once. All symbols, parameters
among them, are moved as little as possible until the constraints hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fmugen.expr.calculus import symbols_of
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.generic import ValueTable

__all__ = ["PointValues"]

#: Points may lie on different branches of the motion; an identity must hold at all of them.
_POINTS = 6

#: Newton steps to a point, and how many starts are tried for each.
_ITERATIONS = 40
_STARTS = 8

#: A symbol nearer to zero than this may have closed the loops by making all of it vanish.
_GENERIC = 0.02

#: Zero, for quantities of the order of one at points that satisfy the constraints to rounding.
_ZERO = 1e-9

Point = NDArray[np.float64]


class PointValues(ValueTable):
    """The values of nodes at the points."""

    def __init__(self, rows: Sequence[Expr]) -> None:
        symbols = symbols_of(rows)
        points = _points(rows, symbols)
        values = {s: tuple(float(point[index]) for point in points) for index, s in enumerate(symbols)}
        super().__init__(_POINTS, values)

    def vanish(self, roots: Sequence[Expr]) -> bool:
        """Whether all ``roots`` are zero at every point."""
        return all(abs(value) < _ZERO for root in roots for value in self(root))

    def on_unit_circle(self, u: Expr, v: Expr) -> bool:
        return all(abs(x * x + y * y - 1.0) < _ZERO for x, y in zip(self(u), self(v), strict=True))


def _points(rows: Sequence[Expr], symbols: Sequence[Expr]) -> list[Point]:
    """Generic values of ``symbols`` at which all ``rows`` are zero."""
    evaluate = compile_python(rows, {"x": symbols})
    source = np.random.default_rng(1)

    def residual(x: Point) -> Point:
        return np.array(evaluate(x.tolist()))

    points: list[Point] = []
    for _ in range(_POINTS):
        starts = [_start(symbols, source) for _ in range(_STARTS)]
        closed = next((x for x in (_closed(residual, start) for start in starts) if x is not None), None)
        points.append(starts[0] if closed is None else closed)
    return points


def _start(symbols: Sequence[Expr], source: np.random.Generator) -> Point:
    """Coordinates anywhere, so that no branch of the motion is favoured; all else of the order of one."""
    wide = np.array([symbol.role is SymbolRole.COORDINATE for symbol in symbols], dtype=bool)
    size = source.uniform(0.2, np.where(wide, 2.5, 0.9))
    return size * np.where(wide, source.choice([-1.0, 1.0], len(symbols)), 1.0)


def _closed(residual: Callable[[Point], Point], x: Point) -> Point | None:
    """The point near ``x`` where the residual vanishes, by Newton steps of least length."""
    try:
        for _ in range(_ITERATIONS):
            value = residual(x)
            if np.abs(value).max(initial=0.0) < 1e-13:
                return x if np.abs(x).min(initial=1.0) > _GENERIC else None
            steps = 1e-7 * np.eye(x.size)
            jacobian = np.array([(residual(x + step) - value) / 1e-7 for step in steps]).T
            move = np.linalg.lstsq(jacobian, -value, rcond=1e-10)[0]
            x = x + move * min(1.0, 1.0 / max(np.abs(move).max(), 1e-300))
    except (ValueError, ZeroDivisionError, OverflowError, np.linalg.LinAlgError):
        return None
    return None
