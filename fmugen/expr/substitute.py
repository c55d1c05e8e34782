"""Substitution and evaluation on the DAG, every node visited once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fmugen.expr.dag import Expr, Operation
from fmugen.expr.functions import operation_value

__all__ = ["Sample", "Substitution", "rebuilt", "substitute"]


def substitute(root: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """``root`` with symbols replaced by expressions, which are not searched for symbols again."""
    return Substitution(values)(root)


class Substitution:
    """Replaces the same symbols in many expressions, which may share subexpressions."""

    def __init__(self, values: Mapping[Expr, Expr]) -> None:
        self._values = values
        self._known: dict[Expr, Expr] = {}

    def __call__(self, root: Expr) -> Expr:
        known, values = self._known, self._values
        stack = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                known[node] = rebuilt(node, tuple(known[arg] for arg in node.args))
            elif node in known:
                continue
            elif node in values:
                known[node] = values[node]
            elif not node.args:
                known[node] = node
            else:
                stack.append((node, True))
                stack.extend((arg, False) for arg in node.args)
        return known[root]


def rebuilt(node: Expr, args: tuple[Expr, ...]) -> Expr:
    """The operation of ``node`` on other arguments."""
    if args == node.args:
        return node
    dag = node.dag
    match node.operation:
        case Operation.ADD:
            return dag.add(args)
        case Operation.MUL:
            return dag.mul(args)
        case Operation.POWER:
            return dag.power(args[0], node.exponent)
        case Operation.CALL:
            return dag.call(node.name, *args)
    return node


class Sample:
    """The value of expressions of symbols with given values; NaN where it has none."""

    def __init__(self, symbol: Callable[[Expr], float]) -> None:
        self._symbol = symbol
        self._known: dict[Expr, float] = {}

    def __call__(self, root: Expr) -> float:
        stack = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                self._known[node] = self._value(node)
            elif node not in self._known:
                stack.append((node, True))
                stack.extend((arg, False) for arg in node.args)
        return self._known[root]

    def _value(self, node: Expr) -> float:
        match node.operation:
            case Operation.NUMBER:
                return float(node.number)
            case Operation.SYMBOL:
                return self._symbol(node)
        return operation_value(node, [self._known[arg] for arg in node.args])
