"""The inertia of the moving bodies: mass at the mass centre and an inertia tensor about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fmugen.verify.catalogue import Inertia
from fmugen.verify.charts import TWIST, Chart, Posture
from fmugen.verify.rotations import Array, cross
from fmugen.verify.tape.scalar import zeros


class MassMatrix(NamedTuple):
    """The mass matrix of a posture, a block for each body."""

    blocks: Array
    #: Inertia tensors in ground axes; ``None`` in the plane.
    tensors: Array | None

    def times(self, vectors: Array) -> Array:
        """The product with a vector, or with the columns of a matrix."""
        stacked = vectors.reshape(len(self.blocks), self.blocks.shape[1], -1)
        result: Array = (self.blocks @ stacked).reshape(vectors.shape)
        return result

    def gyroscopic(self, velocities: Array) -> Array:
        """The torques ``omega x J omega``, among the forces of all rates."""
        result = zeros(len(velocities), velocities)
        if self.tensors is not None:
            spins = velocities.reshape(-1, TWIST)[:, 3:]
            momenta = (self.tensors @ spins[:, :, None])[:, :, 0]
            result.reshape(-1, TWIST)[:, 3:] = cross(spins.T, momenta.T).T
        return result


class Masses:
    """The masses and inertia tensors of a model."""

    def __init__(self, inertias: Sequence[Inertia], chart: Chart, *, planar: bool) -> None:
        self._tensors = np.array([inertia.tensor for inertia in inertias]).reshape(-1, 3, 3)
        blocks = np.zeros((len(inertias), TWIST, TWIST))
        for number, inertia in enumerate(inertias):
            blocks[number, :3, :3] = inertia.mass * np.eye(3)
            blocks[number, 3:, 3:] = self._tensors[number]
        freedoms = list(chart.freedoms)
        self._blocks = blocks[:, freedoms][:, :, freedoms]
        # About z alone a tensor does not change as the body turns.
        self._turning = not planar

    def at(self, posture: Posture) -> MassMatrix:
        if not self._turning:
            return MassMatrix(self._blocks, None)
        rotation = posture.rotation[:-1]
        tensors = rotation @ self._tensors @ rotation.transpose(0, 2, 1)
        blocks = self._blocks.astype(tensors.dtype)
        blocks[:, 3:, 3:] = tensors
        return MassMatrix(blocks, tensors)
