"""Simplification of later steps by a solved equation.

Once ``a sin x + b cos x = c`` is solved with the root r, later steps need not compute its terms again:

    a sin x + b cos x = c,    b sin x - a cos x = r,    r^2 = a^2 + b^2 - c^2

The same holds for all multiples by numbers and parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from fmugen.expr.calculus import postorder
from fmugen.expr.dag import Expr, Operation
from fmugen.expr.generic import Generic
from fmugen.expr.substitute import rebuilt
from fmugen.ir.steps import ExactStep

__all__ = ["SolvedAngle", "SolvedEquations"]


@dataclass(frozen=True)
class SolvedAngle:
    """``a sine + b cosine = c`` with its ``root``, the square of which is ``discriminant``."""

    sine: Expr
    cosine: Expr
    a: Expr
    b: Expr
    c: Expr
    root: Expr
    discriminant: Expr


class SolvedEquations:
    """The equations that are solved so far, in the order of the steps."""

    def __init__(self) -> None:
        self._equations: list[SolvedAngle] = []
        self._generic = Generic()

    def learn(self, equation: SolvedAngle) -> None:
        self._equations.append(equation)

    def step(self, step: ExactStep) -> ExactStep:
        """``step`` with the combinations in it that are known."""
        changes: dict[str, Any] = {}
        for field in fields(step):
            value = getattr(step, field.name)
            if isinstance(value, Expr):
                changes[field.name] = self.expression(value)
            elif isinstance(value, tuple):
                changes[field.name] = tuple(map(self.expression, value))
        return replace(step, **changes)

    def expression(self, root: Expr) -> Expr:
        """``root`` with the combinations in it that are known."""
        known: dict[Expr, Expr] = {}
        for node in postorder((root,)):
            fresh = rebuilt(node, tuple(known[arg] for arg in node.args))
            for equation in reversed(self._equations):
                fresh = self._reduced(fresh, equation)
            known[node] = fresh
        return known[root]

    def _reduced(self, node: Expr, equation: SolvedAngle) -> Expr:
        if node.operation is Operation.POWER and node.args[0] is equation.root and node.exponent == 2:
            return equation.discriminant
        if node.operation is not Operation.ADD:
            return node
        x, y, rest = _combination(node, equation)
        if x.is_zero or y.is_zero:
            return node
        along = self._multiple(x, y, equation.a, equation.b)
        if along is not None:
            return node.dag.add([*rest, along * equation.c])
        across = self._multiple(x, y, equation.b, -equation.a)
        if across is not None:
            return node.dag.add([*rest, across * equation.root])
        return node

    def _multiple(self, x: Expr, y: Expr, a: Expr, b: Expr) -> Expr | None:
        """The constant by which (a, b) is multiplied in (x, y), if there is one."""
        if not self._generic.are_equal(x * b, y * a):
            return None
        return next((ratio for ratio in _ratios(x, y, a, b) if ratio.constant), None)


def _ratios(x: Expr, y: Expr, a: Expr, b: Expr) -> Iterator[Expr]:
    if not a.is_zero:
        yield x / a
    if not b.is_zero:
        yield y / b


def _combination(node: Expr, equation: SolvedAngle) -> tuple[Expr, Expr, list[Expr]]:
    """A sum as ``x sin + y cos + rest`` of the angle of an equation: x, y and the terms of the rest."""
    parts = [_parted(term, equation) for term in node.args]
    x = node.dag.add(factor for kind, factor in parts if kind is equation.sine)
    y = node.dag.add(factor for kind, factor in parts if kind is equation.cosine)
    return x, y, [factor for kind, factor in parts if kind is None]


def _parted(term: Expr, equation: SolvedAngle) -> tuple[Expr | None, Expr]:
    """Sine or cosine of the equation and what it is multiplied by; the term alone, if it has neither."""
    dag = term.dag
    factors = term.args if term.operation is Operation.MUL else (term,)
    turning = [factor for factor in factors if factor in (equation.sine, equation.cosine)]
    if len(turning) != 1:
        return None, term
    return turning[0], dag.mul(factor for factor in factors if factor is not turning[0])
