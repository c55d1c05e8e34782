"""The inertia and weight of a beam that moves in the plane, from its kinetic energy.

With the velocity v of the frame and its spin w in the axes of the frame, and coordinates q, the energy is
``u M(q) u / 2`` for ``u = (v, w, q')``. Terms of third order in q and q' are left out, so that M is a
quadratic function of q. Boltzmann and Hamel's equations follow from M and its derivatives alone::

    (p_v)' + w x p_v = F,    (p_w)' + v x p_v = T,    (p_q)' - u (dM/dq) u / 2 = Q,    p = M u
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fmugen.verify.beam_shapes import Shapes, ShapeValues
from fmugen.verify.charts import Posture, Twist
from fmugen.verify.rotations import Array
from fmugen.verify.tape.scalar import zeros

__all__ = ["FlexibleInertia", "HiddenBody", "PlanarBeam", "Section"]

_TURN = np.array([[0.0, -1.0], [1.0, 0.0]])


class FlexibleInertia(NamedTuple):
    """What a flexible body adds to the equations of its rates: mass matrix and force."""

    mass: Array
    force: Array


class Section(NamedTuple):
    """A body that is held at a place along the beam, with the shapes there for the length of the beam."""

    body: int
    place: float
    values: ShapeValues


class HiddenBody(NamedTuple):
    """The pose of a body that the model does not name, and its velocity and spin."""

    position: Array
    angle: float
    twist: Array


class PlanarBeam:
    """A beam whose frame is body ``frame``; ``coordinates`` are (body, axis) of carriers that hold q."""

    def __init__(
        self,
        frame: int,
        coordinates: list[tuple[int, int]],
        sections: list[Section],
        shapes: Shapes,
        density: float,
        length: float,
        gravity: Array,
    ) -> None:
        """``density`` is the mass per unit of length."""
        self.frame, self.sections, self._gravity = frame, sections, gravity[:2]
        self._bodies = np.array([body for body, _ in coordinates], dtype=np.intp)
        self._axes = np.array([axis for _, axis in coordinates], dtype=np.intp)
        #: The rates of a planar chart: three for each body.
        self.rates = np.array([*(3 * frame + k for k in range(3)), *(3 * self._bodies + self._axes)])
        places, weights, values = shapes.sampled()
        share = density * length * weights
        across = np.array([value.deflection for value in values])
        nearer = np.array([value.shortening for value in values]) / length
        self._mass = float(share.sum())
        self._first = float(share @ places) * length
        self._shorter = np.einsum("n,nij->ij", share, nearer)
        self._across = share @ across
        self._inertia = float(share @ places**2) * length**2
        lever = np.einsum("n,nij->ij", share * places * length, nearer)
        #: The integral of the products of shapes, times the mass.
        self.bending = np.einsum("n,ni,nj->ij", share, across, across)
        self._swelling = self.bending - lever
        self._turning = (share * places * length) @ across

    def _q(self, table: Array) -> Array:
        result: Array = table[self._axes, self._bodies]
        return result

    def _matrix(self, q: Array) -> Array:
        """M(q)."""
        m = zeros((3 + len(q), 3 + len(q)), q)
        m[0, 0] = m[1, 1] = self._mass
        m[0, 2] = m[2, 0] = -self._across @ q
        m[1, 2] = m[2, 1] = self._first - 0.5 * q @ self._shorter @ q
        m[2, 2] = self._inertia + q @ self._swelling @ q
        m[0, 3:] = m[3:, 0] = -self._shorter @ q
        m[1, 3:] = m[3:, 1] = self._across
        m[2, 3:] = m[3:, 2] = self._turning
        m[3:, 3:] = self.bending
        return m

    def _slopes(self, q: Array) -> Array:
        """The derivative of M by each coordinate."""
        count = len(q)
        slopes = zeros((count, 3 + count, 3 + count), q)
        slopes[:, 0, 2] = slopes[:, 2, 0] = -self._across
        slopes[:, 1, 2] = slopes[:, 2, 1] = -self._shorter @ q
        slopes[:, 2, 2] = 2.0 * self._swelling @ q
        slopes[:, 0, 3:] = slopes[:, 3:, 0] = -self._shorter
        return slopes

    def _motion(self, posture: Posture, twist: Twist) -> tuple[Array, Array, Array]:
        """The rotation of the frame, q, and u."""
        turn = posture.rotation[self.frame][:2, :2]
        v = turn.T @ twist.velocity[:2, self.frame]
        q = self._q(posture.position)
        return turn, q, np.concatenate((v, twist.spin[2:, self.frame], self._q(twist.velocity)))

    def inertia(self, posture: Posture, twist: Twist) -> FlexibleInertia:
        """Mass matrix, and gyroscopic forces with the weight."""
        turn, q, u = self._motion(posture, twist)
        matrix, slopes = self._matrix(q), self._slopes(q)
        v, w, momentum = u[:2], u[2], matrix @ u
        bias = np.einsum("k,kij,j->i", u[3:], slopes, u) - matrix[:, :2] @ (w * _TURN @ v)
        bias[:2] += w * _TURN @ momentum[:2]
        bias[2] += v[0] * momentum[1] - v[1] * momentum[0]
        bias[3:] -= 0.5 * np.einsum("i,kij,j->k", u, slopes, u)
        force = matrix[:, :2] @ (turn.T @ self._gravity) - bias
        axes = zeros((len(u), len(u)), turn)
        axes[np.diag_indices(len(u))] = 1.0
        axes[:2, :2] = turn
        return FlexibleInertia(axes @ matrix @ axes.T, axes @ force)

    def hidden(
        self, position: Array, angle: float, moving: Array, q: Array, rates: Array
    ) -> Iterator[HiddenBody]:
        """Its sections and then its carriers, for a pose of the frame, its twist, and q with its rates."""
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for section in self.sections:
            values = section.values
            slope = values.shortening @ q
            arm = turn @ np.array([section.place - 0.5 * q @ slope, values.deflection @ q])
            drift = turn @ np.array([-slope @ rates, values.deflection @ rates])
            spin = moving[5]
            speed = moving[:2] + spin * _TURN @ arm + drift
            twist = np.array([*speed, 0.0, 0.0, 0.0, spin + values.slope @ rates])
            place = np.array([*(position[:2] + arm), 0.0])
            yield HiddenBody(place, angle + float(values.slope @ q), twist)
        for body in np.unique(self._bodies):
            mine = self._bodies == body
            place, twist = np.zeros(3), np.zeros(6)
            place[self._axes[mine]], twist[self._axes[mine]] = q[mine], rates[mine]
            yield HiddenBody(place, 0.0, twist)

    def kinetic_energy(self, posture: Posture, twist: Twist) -> float:
        _, q, u = self._motion(posture, twist)
        found: float = 0.5 * np.dot(u, self._matrix(q) @ u)
        return found

    def gravity_potential(self, posture: Posture) -> float:
        q = self._q(posture.position)
        moment = np.array([self._first - 0.5 * (q @ self._shorter @ q), self._across @ q])
        center = self._mass * posture.position[:2, self.frame]
        center = center + posture.rotation[self.frame][:2, :2] @ moment
        found: float = -np.dot(self._gravity, center)
        return found
