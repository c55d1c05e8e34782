"""Switching functions (if, step, sign, abs, max, min) as functions of signs that are held between events.

A *relation* is an expression whose sign switches others. Where equations are integrated, the sign is held
from one event to the next, so that the integrator sees smooth functions:

    abs(x)  ->  if(e, x, -x)     max(a, b)  ->  if(e, a, b)  with the relation a - b     sign(x)  ->  e
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fmugen.expr.calculus import Tangent, postorder, symbols_of
from fmugen.expr.dag import Dag, Expr, Operation, SymbolRole
from fmugen.expr.substitute import rebuilt, substitute

__all__ = ["Relations"]

_SWITCHING = frozenset({"abs", "if", "max", "min", "sign", "step"})


class Relations:
    """The relations below some expressions, and the expressions with their signs held.

    ``by_time`` are linear in time and depend on parameters otherwise: their sign changes at one known time.
    ``by_state`` are all others. Both map a relation, itself with held signs, to the symbol of its sign.
    ``modes`` are symbols of signs with relations that depend on them: such a sign remembers.
    """

    def __init__(
        self, dag: Dag, time: Expr, roots: Iterable[Expr], modes: Mapping[Expr, Expr] | None = None
    ) -> None:
        self._dag, self._time = dag, time
        self._held: dict[Expr, Expr] = {}
        self.by_time: dict[Expr, Expr] = {}
        self.by_state: dict[Expr, Expr] = {}
        self._collecting = True
        for root in roots:
            self.hold(root)
        for symbol, relation in (modes or {}).items():
            self.by_state[self.hold(relation)] = symbol
        self._collecting = False

    @property
    def by_sign(self) -> dict[Expr, Expr]:
        """The relation that each symbol is the sign of: those of ``by_time``, then those of ``by_state``."""
        return {sign: relation for known in (self.by_time, self.by_state) for relation, sign in known.items()}

    def hold(self, root: Expr) -> Expr:
        """``root`` with held signs; functions without a switch are unchanged."""
        for node in postorder((root,), self._held):
            self._held[node] = self._rewrite(node)
        return self._held[root]

    def line(self, relation: Expr) -> tuple[Expr, Expr]:
        """The value at time zero and the slope of a relation of ``by_time``."""
        slope = Tangent(self._dag, {self._time: self._dag.one})(relation)
        return substitute(relation, {self._time: self._dag.zero}), slope

    def _rewrite(self, node: Expr) -> Expr:
        if node.constant or not node.args:
            return node
        args = tuple(self._held[arg] for arg in node.args)
        if node.operation is Operation.CALL and node.name in _SWITCHING:
            return self._switch(node.name, args)
        return rebuilt(node, args)

    def _switch(self, name: str, args: tuple[Expr, ...]) -> Expr:
        call = self._dag.call
        relation = args[0] - args[1] if name in ("max", "min") else args[0]
        sign = self._sign(relation)
        if sign is None:
            return call(name, *args)
        match name:
            case "sign":
                return sign
            case "step":
                return call("step", sign)
            case "abs":
                return call("if", sign, args[0], -args[0])
            case "min":
                return call("if", sign, args[1], args[0])
            case "max":
                return call("if", sign, args[0], args[1])
        return call("if", sign, args[1], args[2])

    def _sign(self, relation: Expr) -> Expr | None:
        """The held sign of a relation; ``None`` if no event is located for it."""
        if relation.constant:
            return None
        if relation.role is SymbolRole.RELATION:
            return relation
        for known in (self.by_time, self.by_state):
            if relation in known:
                return known[relation]
            if -relation in known:
                return -known[-relation]
        if not self._collecting:
            return None
        found = self.by_time if self._is_line(relation) else self.by_state
        number = len(self.by_time) + len(self.by_state)
        found[relation] = self._dag.symbol(f"sign {number}", SymbolRole.RELATION)
        return found[relation]

    def _is_line(self, relation: Expr) -> bool:
        if any(
            symbol.role not in (SymbolRole.TIME, SymbolRole.PARAMETER) for symbol in symbols_of((relation,))
        ):
            return False
        return Tangent(self._dag, {self._time: self._dag.one})(relation).constant
