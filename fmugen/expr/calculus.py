"""Differentiation and substitution on the DAG: one sweep, every node visited once."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from fmugen.expr.dag import Dag, Expr, Operation, SymbolRole

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
    """Every node below ``roots`` once, arguments before their users, without nodes below ``known`` ones."""
    return arguments_first(
        (root for root in roots if root not in known),
        lambda node: [arg for arg in node.args if arg not in known] if known else node.args,
    )


def symbols_of(roots: Iterable[Expr], *roles: SymbolRole) -> list[Expr]:
    """The symbols below ``roots``, of the given roles (of any role if none is given)."""
    return [
        node
        for node in postorder(roots)
        if node.operation is Operation.SYMBOL and (not roles or node.role in roles)
    ]


def depends_on(root: Expr, *roles: SymbolRole) -> bool:
    return bool(symbols_of((root,), *roles))


class Gathered(Generic[_T]):
    """The contributions of the symbols below expressions; each shared node is visited once."""

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
    if node.name in _OF_ONE:
        return (_OF_ONE[node.name](node, node.args[0]),)
    if node.name in _OF_TWO:
        return _OF_TWO[node.name](node, *node.args)
    raise ValueError(f"no derivative is known for {node.name}")


#: f'(x), from the call f(x) and x.
_OF_ONE: dict[str, Callable[[Expr, Expr], Expr]] = {
    "sin": lambda f, x: f.dag.call("cos", x),
    "cos": lambda f, x: -f.dag.call("sin", x),
    "tan": lambda f, x: 1 + f**2,
    "asin": lambda f, x: 1 / f.dag.call("sqrt", 1 - x**2),
    "acos": lambda f, x: -1 / f.dag.call("sqrt", 1 - x**2),
    "atan": lambda f, x: 1 / (1 + x**2),
    "sinh": lambda f, x: f.dag.call("cosh", x),
    "cosh": lambda f, x: f.dag.call("sinh", x),
    "tanh": lambda f, x: 1 - f**2,
    "exp": lambda f, x: f,
    "log": lambda f, x: 1 / x,
    "sqrt": lambda f, x: 1 / (2 * f),
    "abs": lambda f, x: f.dag.call("sign", x),
    "sign": lambda f, x: f.dag.zero,
    "step": lambda f, x: f.dag.zero,
}


def _of_atan2(_: Expr, y: Expr, x: Expr) -> tuple[Expr, ...]:
    norm = y**2 + x**2
    return x / norm, -y / norm


def _of_turns(f: Expr, *_: Expr) -> tuple[Expr, ...]:
    """A whole number, so constant except where the angle itself jumps."""
    return f.dag.zero, f.dag.zero


def _of_max(f: Expr, a: Expr, b: Expr) -> tuple[Expr, ...]:
    first = f.dag.call("step", a - b)
    return first, 1 - first


def _of_min(f: Expr, a: Expr, b: Expr) -> tuple[Expr, ...]:
    first = f.dag.call("step", b - a)
    return first, 1 - first


def _of_pow(f: Expr, base: Expr, exponent: Expr) -> tuple[Expr, ...]:
    return exponent * f.dag.call("pow", base, exponent - 1), f * f.dag.call("log", base)


#: The two partial derivatives, from the call f(a, b), a and b.
_OF_TWO: dict[str, Callable[..., tuple[Expr, ...]]] = {
    "atan2": _of_atan2,
    "turns": _of_turns,
    "max": _of_max,
    "min": _of_min,
    "pow": _of_pow,
}
