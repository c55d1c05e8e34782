"""How the given parts of edges change: by time, inputs, and the freedoms of elements themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fmugen.expr.calculus import Tangent, symbols_of
from fmugen.expr.dag import Expr
from fmugen.ir.graph import Freedom, LinearGraph

__all__ = ["GivenMotion"]


class GivenMotion:
    """Derivatives of expressions of parameters, inputs, time and freedoms of elements."""

    def __init__(self, graph: LinearGraph) -> None:
        self.dag = graph.symbols.dag
        self._freedoms = graph.freedoms
        own = {freedom.position: freedom.velocity for freedom in self._freedoms}
        #: The time derivative, without the part that the second derivatives of freedoms have in it.
        self.rate = Tangent(self.dag, {**graph.symbols.rates, **own})

    def partial(self, given: Sequence[Expr]) -> Iterator[tuple[Freedom, tuple[Expr, ...]]]:
        """The freedoms that expressions depend on, each with the derivatives by it."""
        if not self._freedoms:
            return
        present = set(symbols_of(given))
        for freedom in self._freedoms:
            if freedom.position in present:
                by_freedom = Tangent(self.dag, {freedom.position: self.dag.one})
                yield freedom, tuple(by_freedom(each) for each in given)
