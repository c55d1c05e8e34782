"""Mass matrices and forces, folded from unknowns that depend on others onto those others.

Where accelerations of unknowns U follow from those of known coordinates K,

    Phi_U a_U + Phi_K a_K = gamma,   that is   a_U = J a_K + c,   J = -Phi_U^-1 Phi_K,   c = Phi_U^-1 gamma,

the virtual work of M a = F for all motions that the constraints allow is that of

    M_KK + J^T M_UU J + J^T M_UK + M_KU J,   F_K - M_KU c + J^T (F_U - M_UU c).

J is not needed: J^T M_UU J is Phi_K^T (Phi_U^-T M_UU Phi_U^-1) Phi_K, where a loop that closes on a body
has but few entries in Phi_K.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from fmugen.algebra.systems import Matrix, System
from fmugen.expr.dag import Dag, Expr

__all__ = ["Folding"]


@dataclass
class Folding:
    """``mass``, on and below its diagonal, and ``force``: what is left of them."""

    dag: Dag
    mass: dict[tuple[int, int], Expr]
    force: list[Expr]

    def fold(
        self,
        system: System,
        unknowns: Sequence[int],
        known: Mapping[int, Sequence[Expr]],
        gamma: Sequence[Expr],
    ) -> None:
        """Fold ``unknowns`` onto ``known``, whose values are the columns of Phi_K; ``system`` is Phi_U."""
        drift = system.solve(gamma)
        met = {k for place in self.mass for k in place if any(u in place for u in unknowns)}
        others = sorted(met.difference(unknowns))
        self._fold_force(system, unknowns, known, others, drift)
        self._fold_mass(system, unknowns, known)
        for other in others:
            pulled = system.solve_transposed([self.entry(u, other) for u in unknowns])
            for k, column in known.items():
                share = -self._dot(column, pulled)
                self._add(k, other, 2 * share if k == other else share)
        gone = [place for place in self.mass if any(u in place for u in unknowns)]
        for place in gone:
            del self.mass[place]

    def _fold_force(
        self,
        system: System,
        unknowns: Sequence[int],
        known: Mapping[int, Sequence[Expr]],
        others: Sequence[int],
        drift: Sequence[Expr],
    ) -> None:
        def without_drift(k: int) -> Expr:
            return self.force[k] - self._dot([self.entry(k, u) for u in unknowns], drift)

        pulled = system.solve_transposed([without_drift(u) for u in unknowns])
        for k in others:
            self.force[k] = without_drift(k)
        for k, column in known.items():
            self.force[k] = self.force[k] - self._dot(column, pulled)

    def _fold_mass(
        self, system: System, unknowns: Sequence[int], known: Mapping[int, Sequence[Expr]]
    ) -> None:
        own: Matrix = [[self.entry(u, w) for w in unknowns] for u in unknowns]
        if all(entry.is_zero for row in own for entry in row):
            return
        half = [system.solve_transposed(row) for row in own]  # columns of Phi_U^-T M_UU
        seen = [system.solve_transposed(row) for row in zip(*half, strict=True)]
        size = range(len(unknowns))
        seen = [[seen[max(i, j)][min(i, j)] for j in size] for i in size]
        moved = {k: [self._dot(row, column) for row in seen] for k, column in known.items()}
        for i, j in combinations_with_replacement(known, 2):
            self._add(i, j, self._dot(known[j], moved[i]))

    def entry(self, row: int, column: int) -> Expr:
        """An entry of M."""
        return self.mass.get((max(row, column), min(row, column)), self.dag.zero)

    def _add(self, row: int, column: int, share: Expr) -> None:
        if not share.is_zero:
            self.mass[max(row, column), min(row, column)] = self.entry(row, column) + share

    def _dot(self, left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
        return self.dag.add(a * b for a, b in zip(left, right, strict=True))
