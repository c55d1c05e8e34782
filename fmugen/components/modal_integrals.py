"""The integrals of a body from a finite-element model, from the masses and modes at its nodes.

Modes are displacements per unit of their coordinates. Masses at nodes give all integrals. Where the file has
mass matrices of the finite-element model besides, they take the place of those of first order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fmugen.components.deforming import MassIntegrals
from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import Matrix3, Vector3
from fmugen.ir.arrays import Array, Arrays

__all__ = ["ModalIntegrals", "rigid_problem"]

#: Entries below this part of the largest one of their kind are rounding.
_ROUNDING = 1e-13
#: A rigid mass matrix has the entries of one to this part of the largest.
_RIGID = 1e-6


def _cross(vectors: Array) -> Array:
    """The cross product matrices of vectors."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    rows = [np.stack(row, -1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    return np.stack(rows, -2)


@dataclass(frozen=True)
class ModalIntegrals:
    """Numbers of the body; ``arrays`` have the names of the file."""

    arrays: Arrays

    @property
    def count(self) -> int:
        return len(self.arrays["stiffness"])

    @cached_property
    def _spins(self) -> Array:
        """The angular momenta of the turning nodes, per rate of each mode."""
        if "inertias" not in self.arrays:
            return np.zeros((self.count, 3))
        found: Array = np.einsum("nab,mnb->ma", self.arrays["inertias"], self.arrays["rotations"])
        return found

    @cached_property
    def rigid(self) -> Array:
        """The mass matrix of the rigid body, by the velocity of the origin and the angular velocity."""
        if "rigid" in self.arrays:
            return self.arrays["rigid"]
        masses, nodes = self.arrays["masses"], self.arrays["nodes"]
        found = np.zeros((6, 6))
        crossed = _cross(nodes)
        found[:3, :3] = masses.sum() * np.eye(3)
        found[3:, :3] = np.einsum("n,nab->ab", masses, crossed)
        found[:3, 3:] = found[3:, :3].T
        found[3:, 3:] = -np.einsum("n,nab,nbc->ac", masses, crossed, crossed)
        if "inertias" in self.arrays:
            found[3:, 3:] += self.arrays["inertias"].sum(axis=0)
        return found

    @cached_property
    def coupling(self) -> Array:
        """The momentum and the angular momentum about the origin, per rate of each mode."""
        if "coupling" in self.arrays:
            return self.arrays["coupling"]
        masses, modes = self.arrays["masses"], self.arrays["modes"]
        momenta = np.einsum("n,mna->am", masses, modes)
        turning = np.einsum("n,mna->am", masses, np.cross(self.arrays["nodes"][None], modes))
        return np.vstack((momenta, turning + self._spins.T))

    @cached_property
    def mass(self) -> Array:
        """The mass matrix of the modes."""
        if "mass" in self.arrays:
            return self.arrays["mass"]
        masses, modes, turns = (self.arrays[name] for name in ("masses", "modes", "rotations"))
        found: Array = np.einsum("n,mna,kna->mk", masses, modes, modes)
        if "inertias" in self.arrays:
            found = found + np.einsum("mna,nab,knb->mk", turns, self.arrays["inertias"], turns)
        return found

    @cached_property
    def whole(self) -> Array:
        """The mass matrix at rest: rigid motion, then modes."""
        return np.block([[self.rigid, self.coupling], [self.coupling.T, self.mass]])

    @property
    def stiffness(self) -> Array:
        return self.arrays["stiffness"]

    @cached_property
    def frequencies(self) -> Array:
        """Those of the modes while the frame is held, in rad/s."""
        found: Array = np.sqrt(np.maximum(self._modes[0], 0.0))
        return found

    @cached_property
    def _modes(self) -> tuple[Array, Array]:
        """Squares of frequencies, and modes of unit mass, a column each."""
        root = np.linalg.cholesky(self.mass)
        half = np.linalg.solve(root, self.stiffness)
        squares, vectors = np.linalg.eigh(np.linalg.solve(root, half.T))
        return squares, np.linalg.solve(root.T, vectors)

    def damping(self, ratios: Array) -> Array:
        """The damping matrix of which the modes with the frame held have these ratios, lowest first."""
        moved = self.mass @ self._modes[1]
        found: Array = (moved * (2.0 * ratios * self.frequencies)) @ moved.T
        return found

    def over_mass(self, dag: Dag) -> MassIntegrals:
        masses, nodes, modes = (self.arrays[name] for name in ("masses", "nodes", "modes"))
        identity = np.eye(3)
        both = np.einsum("n,na,mnb->mab", masses, nodes, modes)
        turns = np.einsum("maa,bc->mbc", both, identity) - both.swapaxes(1, 2)
        # The part that is a cross product is the angular momentum of the mode.
        turns = (turns + turns.swapaxes(1, 2)) / 2 - _cross(self.coupling[3:].T) / 2
        products = np.einsum("n,mna,knb->mkab", masses, modes, modes)
        bends = np.zeros((self.count, self.count, 3))
        if "second_order" in self.arrays:
            second = self.arrays["second_order"]
            bends = np.einsum("n,mkna->mka", masses, second)
            products = products + np.einsum("n,mkna,nb->mkab", masses, second, nodes)
        swings = np.einsum("mkaa,bc->mkbc", products, identity) - products
        pairs = [(i, j) for i in range(self.count) for j in range(self.count)]
        return MassIntegrals(
            dag.number(_fraction(self.rigid[0, 0])),
            _vector(dag, _clean(_axial(self.rigid[3:, :3]))),
            _matrix(dag, _clean(self.rigid[3:, 3:])),
            [_vector(dag, each) for each in _clean(self.coupling[:3].T)],
            [_matrix(dag, each) for each in _clean(turns)],
            {pair: _vector(dag, each) for pair, each in _present(pairs, bends)},
            {pair: _matrix(dag, each) for pair, each in _present(pairs, swings)},
            square(dag, self.mass),
        )


def square(dag: Dag, matrix: Array) -> list[list[Expr]]:
    """A matrix of numbers."""
    return [[dag.number(_fraction(entry)) for entry in row] for row in _clean(matrix).tolist()]


def _fraction(number: float) -> Fraction:
    return Fraction(float(number))


def _clean(entries: Array) -> Array:
    """Without entries that are rounding."""
    largest = np.abs(entries).max(initial=0.0)
    return np.where(np.abs(entries) > _ROUNDING * largest, entries, 0.0)


def _present(pairs: Sequence[tuple[int, int]], entries: Array) -> list[tuple[tuple[int, int], Array]]:
    """Those that are not zero."""
    kept = _clean(entries)
    return [(pair, kept[pair]) for pair in pairs if kept[pair].any()]


def _vector(dag: Dag, entries: Array) -> Vector3:
    x, y, z = (dag.number(_fraction(entry)) for entry in entries.tolist())
    return x, y, z


def _matrix(dag: Dag, entries: Array) -> Matrix3:
    a, b, c = (_vector(dag, row) for row in entries)
    return a, b, c


def _axial(crossed: Array) -> Array:
    """The vector of a cross product matrix."""
    return np.array([crossed[2, 1], crossed[0, 2], crossed[1, 0]])


def rigid_problem(rigid: Array) -> str:
    """Why a matrix is not the mass matrix of a rigid body by its origin; empty if it is one."""
    mass, axial = rigid[0, 0], _axial(rigid[3:, :3])
    largest = float(np.abs(rigid).max())
    if np.abs(rigid[:3, :3] - mass * np.eye(3)).max() > _RIGID * largest:
        return "its first three rows and columns are not the mass times the unit matrix"
    crossed = _cross(axial)
    lower, upper = rigid[3:, :3], rigid[:3, 3:]
    if max(np.abs(lower - crossed).max(), np.abs(upper + crossed).max()) > _RIGID * largest:
        return "it does not couple velocity and angular velocity by a first moment of mass"
    return ""
