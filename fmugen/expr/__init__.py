"""The expression DAG: every distinct subexpression exists once.

``dag`` builds and simplifies locally, ``calculus`` differentiates, ``vectors`` is the algebra of
triples, ``ccode`` and ``python`` print straight-line code, ``to_sympy`` is the bridge for small
systems, LaTeX and tests.
"""

from fmugen.expr.dag import Dag, Expr, SymbolRole

__all__ = ["Dag", "Expr", "SymbolRole"]
