"""Fewer operations for the same values: factors of sums drawn out, common parts of products and sums shared.

The DAG shares equal nodes, and its products and sums are flat: ``a*b*c`` and ``a*b*d`` have nothing in common
there. Code can do with less. Two greedy sweeps find how:

1. A factor that several terms of a sum have is drawn out, the one that most of them have first:
   ``a*b + a*c`` is ``a*(b + c)``. Terms that others read too stay as they are.
2. Two factors that stand together in most products become one, which all of them read; then the next two,
   until no pair stands in two products. So with the terms of sums, where signs may differ from sum to sum.

What comes out are nodes whose products and sums are nested as code is to compute them (:meth:`Dag.nested`).
They have the values of the given ones, and are meant for code only: :meth:`Dag.add` and :meth:`Dag.mul`
would flatten them again. Their operands are in the order in which they are known: processors begin with the
first while the last are still on their way. Ties are broken by the order of construction, so the result is
reproducible.

References
----------
M. A. Breuer, Generation of optimal code for expressions via factorization, Comm. ACM 12 (1969) 333-340.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fmugen.expr.compact.entries import Entries
from fmugen.expr.compact.pairs import share_pairs
from fmugen.expr.compact.reading import read
from fmugen.expr.compact.writing import written
from fmugen.expr.dag import Expr

__all__ = ["compact"]


def compact(roots: Sequence[Expr], is_leaf: Callable[[Expr], bool], sweeps: int = 1) -> list[Expr]:
    """``roots`` arranged so that code computes them with fewer operations.

    ``is_leaf`` tells which nodes have a name already: they are not looked into, nor are constants. Another
    sweep finds some more: what two sums turned out to share may have factors to draw out.

    Examples
    --------
    >>> from fmugen.expr.dag import Dag, SymbolRole
    >>> from fmugen.expr.code import print_expression
    >>> dag = Dag()
    >>> a, b, c = (dag.symbol(name, SymbolRole.COORDINATE) for name in "abc")
    >>> (root,) = compact([a * b + a * c], lambda node: not node.args)
    >>> print_expression(root, {a: "a", b: "b", c: "c"})
    'a*(b + c)'
    """
    found = list(roots)
    for _ in range(sweeps if found else 0):
        entries = Entries(found[0].dag)
        signed = read(entries, found, is_leaf)
        share_pairs(entries, entries.reached(number for _, number in signed))
        found = written(entries, signed)
    return found
