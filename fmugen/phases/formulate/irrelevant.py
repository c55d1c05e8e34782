"""Constraints without the angles that they do not depend on.

The spin of a body about the line of two ball joints moves neither joint. The expression of the second joint's
constraint contains the angle nevertheless: local simplification does not see that two directions are
perpendicular. Such an angle is found numerically and set to zero in the row. The row then shows the
coordinates that it really needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fmugen.expr.calculus import postorder, symbols_of
from fmugen.expr.dag import Dag, Expr, Operation, SymbolRole
from fmugen.expr.generic import Generic
from fmugen.expr.substitute import Substitution
from fmugen.ir.dae import Constraint, Coordinate

__all__ = ["IrrelevantAngles"]


class IrrelevantAngles:
    """Finds the angles that a constraint contains and does not depend on."""

    def __init__(self, dag: Dag, coordinates: Sequence[Coordinate]) -> None:
        self._dag = dag
        self._coordinates = coordinates
        self._angles = {c.position: number for number, c in enumerate(coordinates) if c.unit == "rad"}
        self._rates = {c.velocity: number for number, c in enumerate(coordinates) if c.unit == "rad"}
        self._generic = Generic()

    def set_to_zero(self, row: Constraint) -> Constraint:
        """``row`` with its irrelevant angles at rest at zero; itself if it has none."""
        irrelevant = [number for number in self._present(row) if self._is_irrelevant(row, number)]
        if not irrelevant:
            return row
        zero = self._dag.zero
        found = [self._coordinates[number] for number in irrelevant]
        at_rest = Substitution({s: zero for c in found for s in (c.position, c.velocity)})
        entries = {
            n: self._simpler(entry, at_rest) for n, entry in row.jacobian.items() if n not in irrelevant
        }
        phi, gamma = self._simpler(row.phi, at_rest), self._simpler(row.gamma, at_rest)
        return replace(row, phi=phi, jacobian=entries, gamma=gamma, nu=self._simpler(row.nu, at_rest))

    def _present(self, row: Constraint) -> list[int]:
        numbers = self._angles | self._rates
        symbols = symbols_of(
            (row.phi, row.gamma, *row.jacobian.values()), SymbolRole.COORDINATE, SymbolRole.VELOCITY
        )
        found = {numbers[symbol] for symbol in symbols if symbol in numbers}
        return sorted(found | (set(row.jacobian) & set(self._angles.values())))

    def _is_irrelevant(self, row: Constraint, number: int) -> bool:
        entry = row.jacobian.get(number, self._dag.zero)
        return entry.is_zero or self._generic.are_equal(entry, self._dag.zero)

    def _simpler(self, expression: Expr, at_rest: Substitution) -> Expr:
        simple = at_rest(expression)
        sums = (node for node in postorder((simple,)) if node.constant and node.operation is Operation.ADD)
        zero = self._dag.zero
        nothing = {node: zero for node in sums if self._generic.are_equal(node, zero)}
        simple = Substitution(nothing)(simple)
        return simple if self._generic.are_equal(simple, expression) else expression
