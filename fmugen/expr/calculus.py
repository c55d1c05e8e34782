"""Differentiation and substitution on the DAG: one sweep, every node visited once."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from fmugen.expr.dag import Dag, Expr, Operation, Role

__all__ = ["Gathered", "Tangent", "arguments_first", "depends_on", "postorder", "symbols_of"]

_T = TypeVar("_T")


def arguments_first(roots: Iterable[_T], arguments: Callable[[_T], Sequence[_T]]) -> list[_T]:
    """Everything that ``roots`` are made of once, and they themselves, arguments before their users."""
    order: list[_T] = []
    seen: set[_T] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack += [(arg, False) for arg in reversed(arguments(node)) if arg not in seen]
    return order


def postorder(roots: Iterable[Expr], known: Container[Expr] = ()) -> list[Expr]:
    """Every node below ``roots`` once, arguments before their users, as far as it is not ``known``."""
    return arguments_first(
        (root for root in roots if root not in known),
        lambda node: [arg for arg in node.args if arg not in known] if known else node.args,
    )


def symbols_of(roots: Iterable[Expr], *roles: Role) -> list[Expr]:
    """The symbols below ``roots``, of the given roles (of any role if none is given)."""
    return [
        node
        for node in postorder(roots)
        if node.operation is Operation.SYMBOL and (not roles or node.role in roles)
    ]


def depends_on(root: Expr, *roles: Role) -> bool:
    return bool(symbols_of((root,), *roles))


class Gathered(Generic[_T]):
    """What the symbols below expressions contribute; shared nodes are visited once for all expressions."""

    def __init__(self, contribution: Callable[[Expr], frozenset[_T]]) -> None:
        self._contribution = contribution
        self._known: dict[Expr, frozenset[_T]] = {}

    def __call__(self, root: Expr) -> frozenset[_T]:
        known = self._known
        stack = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                known[node] = frozenset[_T]().union(*(known[arg] for arg in node.args))
            elif node in known:
                continue
            elif node.operation is Operation.SYMBOL:
                known[node] = self._contribution(node)
            else:
                stack.append((node, True))
                stack.extend((arg, False) for arg in node.args)
        return known[root]


class Tangent:
    """The derivative along a direction.

    ``seeds`` maps symbols to their derivatives; all other symbols are held constant. With
    ``{q: 1}`` this is a partial derivative, with ``{q: q', q': q'', time: 1}`` the time derivative.
    """

    def __init__(self, dag: Dag, seeds: Mapping[Expr, Expr]) -> None:
        self._dag = dag
        self._known: dict[Expr, Expr] = dict(seeds)

    def __call__(self, root: Expr) -> Expr:
        for node in postorder((root,), self._known):
            self._known[node] = self._differentiate(node)
        return self._known[root]

    def _differentiate(self, node: Expr) -> Expr:
        dag = self._dag
        tangents = [self._known[arg] for arg in node.args]
        if all(tangent.is_zero for tangent in tangents):
            return dag.zero
        if node.operation is Operation.ADD:
            return dag.add(tangents)
        if node.operation is Operation.MUL:
            return dag.add(
                dag.mul((tangent, *node.args[:index], *node.args[index + 1 :]))
                for index, tangent in enumerate(tangents)
                if not tangent.is_zero
            )
        if node.operation is Operation.POWER:
            return node.exponent * dag.power(node.args[0], node.exponent - 1) * tangents[0]
        if node.operation is Operation.CALL and node.name == "if":
            return dag.call("if", node.args[0], *tangents[1:])  # never a product with what is not chosen
        return dag.add(
            partial * tangent
            for partial, tangent in zip(_partials(node), tangents, strict=True)
            if not tangent.is_zero
        )


def _partials(node: Expr) -> tuple[Expr, ...]:
    """The partial derivatives of a function call by its arguments."""
    call, x = node.dag.call, node.args[0]
    match node.name:
        case "sin":
            return (call("cos", x),)
        case "cos":
            return (-call("sin", x),)
        case "tan":
            return (1 + node**2,)
        case "asin":
            return (1 / call("sqrt", 1 - x**2),)
        case "acos":
            return (-1 / call("sqrt", 1 - x**2),)
        case "atan":
            return (1 / (1 + x**2),)
        case "sinh":
            return (call("cosh", x),)
        case "cosh":
            return (call("sinh", x),)
        case "tanh":
            return (1 - node**2,)
        case "exp":
            return (node,)
        case "log":
            return (1 / x,)
        case "sqrt":
            return (1 / (2 * node),)
        case "abs":
            return (call("sign", x),)
        case "sign" | "step":
            return (node.dag.zero,)
        case "atan2":
            norm = x**2 + node.args[1] ** 2
            return (node.args[1] / norm, -x / norm)
        case "turns":  # whole numbers of them: constant but where the angle itself jumps
            return (node.dag.zero, node.dag.zero)
        case "max":
            first = call("step", x - node.args[1])
            return (first, 1 - first)
        case "min":
            first = call("step", node.args[1] - x)
            return (first, 1 - first)
        case "pow":
            base, exponent = node.args
            return (exponent * call("pow", base, exponent - 1), node * call("log", base))
    raise ValueError(f"no derivative is known for {node.name}")
