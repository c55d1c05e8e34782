"""What temporaries of the equations of motion are, where they equal a known expression."""

from __future__ import annotations

from collections.abc import Iterable

from fmugen.expr.dag import Expr, Operation
from fmugen.expr.generic import Generic

__all__ = ["Labels"]


class Labels:
    """The labels of temporaries that equal a known expression in another form."""

    def __init__(self, labels: Iterable[tuple[Expr, str]]) -> None:
        self._generic = Generic()
        self._known = [(node, text) for node, text in labels if not node.constant]

    def of(self, node: Expr) -> str:
        if node.operation in (Operation.CALL, Operation.POWER):
            return ""
        for known, text in self._known:
            if self._generic.are_equal(node, known):
                return text
            if self._generic.are_equal(-node, known):
                return f"-({text})"
        return ""
