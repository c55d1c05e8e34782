"""Bodies from finite-element models: masses at nodes that move by modes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from scipy.linalg import eigh

from fmugen.errors import VerificationError
from fmugen.ir.arrays import Arrays
from fmugen.ir.model import Point
from fmugen.verify.catalogue.base import Action, ForceLaw, Observation, Parts, Reader, law
from fmugen.verify.catalogue.deforming import Deforming
from fmugen.verify.flexible import Material, Section
from fmugen.verify.layout import triple
from fmugen.verify.measures import Spin
from fmugen.verify.rotations import IDENTITY, Array
from fmugen.verify.tape.scalar import sqrt


@law("bodies", "modal")
def modal(at: Reader) -> Parts:
    """A body with the modes of a file."""
    return _Modal(at).parts()


class _Modal(Deforming):
    @cached_property
    def _file(self) -> Arrays:
        file = self.at.element.values["file"]
        if not isinstance(file, Arrays):
            raise VerificationError(f"file of {self.at.name} is not a file of arrays")
        return file

    @cached_property
    def _size(self) -> float:
        nodes = self._file["nodes"]
        return float(np.linalg.norm(nodes.max(axis=0) - nodes.min(axis=0)))

    def _displaced(self) -> tuple[Array, Array]:
        """The displacements of all nodes: of first order, and the quadratic forms of second order."""
        first = self._file["modes"].transpose(1, 2, 0)
        count, _, modes = first.shape
        if "second_order" in self._file:
            return first, self._file["second_order"].transpose(2, 3, 0, 1)
        return first, np.zeros((count, 3, modes, modes))

    # --- inertia -------------------------------------------------------------------------------------

    @cached_property
    def _rest(self) -> Array:
        """The mass matrix at rest, from the momenta of all nodes for unit rates, or as the file gives it."""
        nodes, masses = self._file["nodes"], self._file["masses"]
        moves = np.zeros((len(nodes), 3, 6 + len(self.own)))
        turns = np.zeros_like(moves)
        moves[:, :, :3] = IDENTITY
        moves[:, :, 3:6] = np.cross(IDENTITY[None], nodes[:, None]).swapaxes(1, 2)
        moves[:, :, 6:] = self._displaced()[0]
        turns[:, :, 3:6] = IDENTITY
        turns[:, :, 6:] = self._file["rotations"].transpose(1, 2, 0)
        found: Array = np.einsum("nai,n,naj->ij", moves, masses, moves)
        if "inertias" in self._file:
            found += np.einsum("nai,nab,nbj->ij", turns, self._file["inertias"], turns)
        if "rigid" in self._file:
            found[:6, :6] = self._file["rigid"]
        if "coupling" in self._file:
            found[:6, 6:], found[6:, :6] = self._file["coupling"], self._file["coupling"].T
        if "mass" in self._file:
            found[6:, 6:] = self._file["mass"]
        return found

    def material(self) -> Material:
        first, second = self._displaced()
        none = np.zeros(len(first))
        twists = np.zeros((len(first), len(self.own)))
        return Material(
            self._file["masses"], self._file["nodes"], first, second, none, twists, rest=self._rest
        )

    def matrices(self, own_mass: Array) -> tuple[Array, Array]:
        at, stiffness = self.at, self._file["stiffness"]
        squares, modes = eigh(stiffness, own_mass)
        ratios = at.number("damping_ratio") * np.ones(len(squares))
        if "damping_ratios" in self._file:
            ratios = ratios + self._file["damping_ratios"]
        # The modes have unit mass, so that their inverse is their transpose times the mass.
        inverse = np.linalg.inv(modes)
        modal = inverse.T @ np.diag(2.0 * ratios * np.sqrt(np.maximum(squares, 0.0))) @ inverse
        return stiffness, modal + at.number("damping") * stiffness + at.number("mass_damping") * own_mass

    # --- points and quantities -----------------------------------------------------------------------

    def _node(self, point: Point) -> int:
        away = self._file["nodes"] - self.at.layout.vector(point.position)
        return int(np.argmin((away**2).sum(axis=1)))

    def section(self, point: Point) -> Section:
        node = self._node(point)
        first, second = self._displaced()
        turns = self._file["rotations"][:, node].T[::-1]
        return Section(self.body(point), self._file["nodes"][node], first[node], second[node], turns)

    def deflected(self) -> Array:
        """Of the displacements of nodes where a mode is largest, for unit size."""
        first = self._displaced()[0]
        sizes = (first**2).sum(axis=1).T
        # The first of nodes that move equally, as those of a symmetric body do.
        nodes = {int(np.argmax(size > (1.0 - 1e-6) ** 2 * size.max())) for size in sizes}
        return np.concatenate([first[node] / self._size for node in sorted(nodes)])

    def reported(self, point: Point) -> Iterator[tuple[str, Array]]:
        first = self.section(point).first
        yield from ((f"deflection_{letter}", row) for letter, row in zip("xyz", first, strict=True))

    def diagnostics(self) -> Iterator[ForceLaw]:
        """How fast the body spins, for its lowest frequency."""
        if "second_order" in self._file:
            return
        squares = eigh(self._file["stiffness"], self._rest[6:, 6:], eigvals_only=True)
        lowest = float(np.sqrt(max(squares[0], 0.0))) or 1.0
        ground, name = self.at.ground, f"{self.at.name}.spin_ratio"
        spins = tuple(Spin(ground, self.frame, ground, triple(axis)) for axis in IDENTITY)

        def act(seen: Observation) -> Action:
            x, y, z = seen.rates
            return Action([0.0, 0.0, 0.0], quantities=((name, sqrt(x * x + y * y + z * z) / lowest),))

        yield ForceLaw(spins, act)
