"""How large an expression would be if its terms did not cancel: the scale by which a small value is small."""

from __future__ import annotations

from collections.abc import Collection

from fmugen.expr.dag import Expr, Operation

__all__ = ["size_of"]


def size_of(root: Expr, units: Collection[Expr] = ()) -> Expr:
    """The product of the sizes of factors, where the size of a sum is that of its terms without their signs.

    Sines and cosines count as one, and so do the symbols ``units``, which are never larger. Any other symbol
    and function counts with its own magnitude, so that it is never small.

    >>> from fmugen.expr.dag import Dag, SymbolRole
    >>> dag = Dag()
    >>> x, y = (dag.symbol(name, SymbolRole.COORDINATE) for name in "xy")
    >>> size_of(2 * dag.call("sin", x)), size_of(x - 2 * y)
    (2, add(abs(x), abs(mul(2, y))))
    """
    dag = root.dag
    match root.operation:
        case Operation.NUMBER:
            return _magnitude(root)
        case Operation.MUL:
            return dag.mul(size_of(factor, units) for factor in root.args)
        case Operation.POWER if root.exponent > 0:
            return dag.power(size_of(root.args[0], units), root.exponent)
        case Operation.ADD:
            return dag.add(_magnitude(term) for term in root.args)
        case Operation.CALL if root.name in ("sin", "cos"):
            return dag.one
    return dag.one if root in units else _magnitude(root)


def _magnitude(value: Expr) -> Expr:
    """The absolute value, of the term without its sign, which is what the sum itself evaluates."""
    dag = value.dag
    if value.is_number:
        return -value if value.number < 0 else value
    if value.operation is Operation.POWER and value.exponent % 2 == 0:
        return value
    negative = value.operation is Operation.MUL and any(f.is_number and f.number < 0 for f in value.args)
    return dag.call("abs", -value if negative else value)
