"""The inertia and weight of a body that deforms, from its kinetic energy.

With the velocity v of the frame and its angular velocity w in the axes of the frame, and coordinates q, the
energy is ``u M(q) u / 2`` for ``u = (v, w, q')``. Terms of third order in q and q' are left out, so that M
is a quadratic function of q. Boltzmann and Hamel's equations follow from M and its derivatives alone::

    (p_v)' + w x p_v = F,   (p_w)' + w x p_w + v x p_v = T,   (p_q)' - u (dM/dq) u / 2 = Q,   p = M u
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fmugen.verify.charts import Posture, Twist
from fmugen.verify.rotations import IDENTITY, Array, about, cross
from fmugen.verify.tape.scalar import zeros

__all__ = ["FlexibleBody", "FlexibleInertia", "HiddenBody", "Material", "Section"]

#: The components of a cross product: ``(a x b)_i = sum of _CROSS[i, j, k] a_j b_k``.
_CROSS = np.zeros((3, 3, 3))
for _i in range(3):
    _CROSS[_i, _i - 2, _i - 1], _CROSS[_i, _i - 1, _i - 2] = 1.0, -1.0


class FlexibleInertia(NamedTuple):
    """What a flexible body adds to the equations of its rates: mass matrix and force."""

    mass: Array
    force: Array


class Material(NamedTuple):
    """Masses at places of the straight body, with the displacements of first and second order in q there.

    The second order is half of a quadratic form. ``spun`` are polar inertias about x, with the twists there.
    ``rest`` takes the place of the mass matrix that these give without deflections.
    """

    masses: Array
    places: Array
    first: Array
    second: Array
    spun: Array
    twists: Array
    rest: Array | None = None


class Section(NamedTuple):
    """A body that is held at a place of another.

    ``first`` and ``second`` give its displacements as in :class:`Material`. ``turns`` are the rows of its
    turns about z, y and x, one after the other.
    """

    body: int
    place: Array
    first: Array
    second: Array
    turns: Array

    def rotations(self, q: Array) -> tuple[Array, Array, Array]:
        """After the first turn, the second, and all three."""
        angles = self.turns @ q
        once = about(IDENTITY[2], angles[0])
        twice = once @ about(IDENTITY[1], angles[1])
        return once, twice, twice @ about(IDENTITY[0], angles[2])


class HiddenBody(NamedTuple):
    """The pose of a body that the model does not name, and its velocity and angular velocity."""

    position: Array
    rotation: Array
    angle: float
    twist: Array


class FlexibleBody:
    """A body whose frame is ``frame``; ``coordinates`` are (body, axis) of carriers that hold q.

    ``freedoms`` are those of a body in the chart.
    """

    def __init__(
        self,
        frame: int,
        coordinates: list[tuple[int, int]],
        sections: list[Section],
        material: Material,
        gravity: Array,
        freedoms: Sequence[int],
    ) -> None:
        self.frame, self.sections, self._gravity = frame, sections, gravity
        self._bodies = np.array([body for body, _ in coordinates], dtype=np.intp)
        self._axes = np.array([axis for _, axis in coordinates], dtype=np.intp)
        size = len(freedoms)
        #: Its rates in the chart, and where these are in u.
        self.rates = np.array([*(size * frame + k for k in range(size)), *(size * self._bodies + self._axes)])
        self._kept = np.array([*freedoms, *(6 + k for k in range(len(coordinates)))])
        m, x, first, second, spun, twists, rest = material
        self._mass = float(m.sum())
        self._moments = m @ x, np.einsum("n,nai->ai", m, first), np.einsum("n,naij->aij", m, second)
        #: The integral of the products of the components of a place, less terms of third order.
        mixed = np.einsum("n,na,nbi->abi", m, x, first)
        bent = 0.5 * np.einsum("n,na,nbij->abij", m, x, second)
        own = np.einsum("n,nai,nbj->abij", m, first, first)
        self._products = (
            np.einsum("n,na,nb->ab", m, x, x),
            mixed + mixed.swapaxes(0, 1),
            own + bent + bent.swapaxes(0, 1),
        )
        spin = np.zeros_like(first[0])
        spin[0] = spun @ twists
        self._spins = (
            np.einsum("abc,nb,nci,n->ai", _CROSS, x, first, m) + spin,
            np.einsum("abc,nbj,nci,n->aij", _CROSS, first, first, m)
            + np.einsum("abc,nb,ncij,n->aij", _CROSS, x, second, m),
        )
        self._polar = np.diag([float(spun.sum()), 0.0, 0.0])
        #: The mass matrix of q alone.
        self.own_mass = np.einsum("aiaj->ij", own.transpose(0, 2, 1, 3)) + (twists.T * spun) @ twists
        if rest is not None:
            self._take(rest)

    def _take(self, rest: Array) -> None:
        """The mass matrix at rest, of the frame and the coordinates, as the one that all terms begin with."""
        crossed = rest[3:6, :3]
        self._mass = float(rest[0, 0])
        self._moments = (
            np.array([crossed[2, 1], crossed[0, 2], crossed[1, 0]]),
            rest[:3, 6:],
            self._moments[2],
        )
        summed = self._products[0]
        self._polar = rest[3:6, 3:6] - (np.trace(summed) * IDENTITY - summed)
        self._spins = rest[3:6, 6:], self._spins[1]
        self.own_mass = rest[6:, 6:]

    def _q(self, table: Array) -> Array:
        result: Array = table[self._axes, self._bodies]
        return result

    def _moment(self, q: Array) -> Array:
        constant, linear, quadratic = self._moments
        result: Array = constant + linear @ q + 0.5 * (quadratic @ q) @ q
        return result

    def _matrix(self, q: Array) -> Array:
        """M(q)."""
        constant, linear, quadratic = self._products
        products = constant + linear @ q + (quadratic @ q) @ q
        m = zeros((6 + len(q), 6 + len(q)), q)
        m[0, 0] = m[1, 1] = m[2, 2] = self._mass
        m[3:6, :3] = np.einsum("iak,a->ik", _CROSS, self._moment(q))
        m[:3, 3:6] = m[3:6, :3].T
        m[:3, 6:] = self._moments[1] + self._moments[2] @ q
        m[6:, :3] = m[:3, 6:].T
        m[3:6, 3:6] = np.trace(products) * IDENTITY - products + self._polar
        m[3:6, 6:] = self._spins[0] + self._spins[1] @ q
        m[6:, 3:6] = m[3:6, 6:].T
        m[6:, 6:] = self.own_mass
        return m

    def _slopes(self, q: Array) -> Array:
        """The derivative of M by each coordinate."""
        count = len(q)
        slopes = zeros((count, 6 + count, 6 + count), q)
        moments = self._moments[1] + self._moments[2] @ q
        products = self._products[1] + (self._products[2] + self._products[2].swapaxes(2, 3)) @ q
        for k, slope in enumerate(slopes):
            slope[3:6, :3] = np.einsum("iak,a->ik", _CROSS, moments[:, k])
            slope[:3, 3:6] = slope[3:6, :3].T
            slope[:3, 6:] = self._moments[2][:, :, k]
            slope[6:, :3] = slope[:3, 6:].T
            slope[3:6, 3:6] = np.trace(products[:, :, k]) * IDENTITY - products[:, :, k]
            slope[3:6, 6:] = self._spins[1][:, :, k]
            slope[6:, 3:6] = slope[3:6, 6:].T
        return slopes

    def _motion(self, posture: Posture, twist: Twist) -> tuple[Array, Array, Array]:
        """The rotation of the frame, q, and u."""
        turn = posture.rotation[self.frame]
        v, w = turn.T @ twist.velocity[:, self.frame], turn.T @ twist.spin[:, self.frame]
        return turn, self._q(posture.position), np.concatenate((v, w, self._q(twist.velocity)))

    def inertia(self, posture: Posture, twist: Twist) -> FlexibleInertia:
        """Mass matrix, and gyroscopic forces with the weight."""
        turn, q, u = self._motion(posture, twist)
        matrix, slopes = self._matrix(q), self._slopes(q)
        v, w, momentum = u[:3], u[3:6], matrix @ u
        bias = np.einsum("k,kij,j->i", u[6:], slopes, u) - matrix[:, :3] @ cross(w, v)
        bias[:3] += cross(w, momentum[:3])
        bias[3:6] += cross(w, momentum[3:6]) + cross(v, momentum[:3])
        bias[6:] -= 0.5 * np.einsum("i,kij,j->k", u, slopes, u)
        force = matrix[:, :3] @ (turn.T @ self._gravity) - bias
        axes = zeros((len(u), len(u)), turn)
        axes[np.diag_indices(len(u))] = 1.0
        axes[:3, :3] = axes[3:6, 3:6] = turn
        kept = np.ix_(self._kept, self._kept)
        return FlexibleInertia((axes @ matrix @ axes.T)[kept], (axes @ force)[self._kept])

    def hidden(
        self, position: Array, rotation: Array, angle: float, moving: Array, q: Array, rates: Array
    ) -> Iterator[HiddenBody]:
        """Its sections and then its carriers, for a pose of the frame, its twist, and q with its rates."""
        velocity, spin = moving[:3], moving[3:]
        for section in self.sections:
            bent = section.second @ q
            arm = rotation @ (section.place + section.first @ q + 0.5 * bent @ q)
            drift = rotation @ (section.first @ rates + bent @ rates)
            once, twice, turned = section.rotations(q)
            axes = np.array([IDENTITY[2], once @ IDENTITY[1], twice @ IDENTITY[0]])
            whirl = spin + rotation @ (axes.T @ (section.turns @ rates))
            twist = np.concatenate((velocity + np.cross(spin, arm) + drift, whirl))
            own = angle + float(section.turns[0] @ q)
            yield HiddenBody(position + arm, rotation @ turned, own, twist)
        for body in np.unique(self._bodies):
            mine = self._bodies == body
            place, twist = np.zeros(3), np.zeros(6)
            place[self._axes[mine]], twist[self._axes[mine]] = q[mine], rates[mine]
            yield HiddenBody(place, IDENTITY, 0.0, twist)

    def kinetic_energy(self, posture: Posture, twist: Twist) -> float:
        _, q, u = self._motion(posture, twist)
        found: float = 0.5 * np.dot(u, self._matrix(q) @ u)
        return found

    def gravity_potential(self, posture: Posture) -> float:
        turn, q = posture.rotation[self.frame], self._q(posture.position)
        center = self._mass * posture.position[:, self.frame] + turn @ self._moment(q)
        found: float = -np.dot(self._gravity, center)
        return found
