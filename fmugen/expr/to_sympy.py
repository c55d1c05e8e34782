"""The bridge to sympy, for small systems, LaTeX and tests."""

from __future__ import annotations

from typing import Any

from fmugen.expr.calculus import postorder
from fmugen.expr.dag import Expr, Operation

__all__ = ["to_sympy"]


def to_sympy(root: Expr, symbols: dict[str, Any] | None = None) -> Any:
    """``root`` as a sympy expression; symbols by name, replaced where ``symbols`` names them."""
    import sympy

    functions = {
        "abs": sympy.Abs,
        "max": sympy.Max,
        "min": sympy.Min,
        "pow": sympy.Pow,
        "step": lambda x: sympy.Heaviside(x, 1),
        "turns": sympy.Function("turns"),
        "if": lambda x, a, b: sympy.Piecewise((a, x >= 0), (b, True)),
    }
    known: dict[Expr, Any] = {}
    for node in postorder((root,)):
        args = [known[arg] for arg in node.args]
        match node.operation:
            case Operation.NUMBER:
                known[node] = sympy.Rational(node.number.numerator, node.number.denominator)
            case Operation.SYMBOL:
                named = (symbols or {}).get(node.name)
                known[node] = sympy.Symbol(node.name, real=True) if named is None else named
            case Operation.ADD:
                known[node] = sympy.Add(*args)
            case Operation.MUL:
                known[node] = sympy.Mul(*args)
            case Operation.POWER:
                known[node] = args[0] ** node.exponent
            case Operation.CALL:
                function = functions[node.name] if node.name in functions else getattr(sympy, node.name)
                known[node] = function(*args)
    return known[root]
