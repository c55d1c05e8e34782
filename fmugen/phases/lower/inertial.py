"""The terms of M q'', by entries of M, or by recursion where bodies form a tree."""

from __future__ import annotations

from functools import cached_property

from fmugen.algebra.recursion import inertial_forces
from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.ir.dae import Dae

__all__ = ["InertialTerms"]


class InertialTerms:
    """The terms of the rows of M q''."""

    def __init__(self, dae: Dae) -> None:
        self._dae = dae

    def __call__(self, row: int) -> list[Expr]:
        """The terms of a row."""
        if self._recursive is not None:
            return [self._recursive[row]]
        entries = self._entries(row)
        return [entry * self._dae.coordinates[column].acceleration for column, entry in entries.items()]

    def masses(self, row: int) -> tuple[list[Expr], list[Expr]]:
        """The accelerations that a row contains, and expressions that contain all else."""
        seconds = [c.acceleration for c in self._dae.coordinates]
        if self._recursive is not None:
            found = self._recursive[row]
            present = set(symbols_of((found,), SymbolRole.ACCELERATION))
            return [second for second in seconds if second in present], [found]
        entries = self._entries(row)
        return [seconds[column] for column in entries], list(entries.values())

    @cached_property
    def _recursive(self) -> list[Expr] | None:
        tree = self._dae.tree
        return (
            None if tree is None else inertial_forces(tree, [c.acceleration for c in self._dae.coordinates])
        )

    def _entries(self, row: int) -> dict[int, Expr]:
        """The entries of a row of M, by column."""
        mass, size = self._dae.mass, range(len(self._dae.coordinates))
        places = {column: (max(row, column), min(row, column)) for column in size}
        return {column: mass[place] for column, place in places.items() if place in mass}
