"""Bodies that deform by coordinates of their own: their laws, from integrals over their mass.

A material point is at ``r = x + sum phi_i q_i + sum G_ij q_i q_j / 2`` in the frame of the body. The
integrals are constants. The laws follow from the kinetic energy, of which terms up to second order in q and
its rates are kept::

    u M(q) u / 2,   u = (velocity of the origin, angular velocity, q')

so that energy and momenta of a free body are kept exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from fmugen.expr.affine import Affine, AffineScalar
from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import Matrix3, Vector3, add3, cross, dot, matvec, null, scale3, transpose
from fmugen.ir.element import GROUND
from fmugen.ir.motion import Motion

__all__ = ["DeformingBody", "MassIntegrals"]

AffineVector = tuple[AffineScalar, AffineScalar, AffineScalar]
Square = Sequence[Sequence[Expr]]


@dataclass(frozen=True)
class MassIntegrals:
    """Integrals over the mass of a body; those that are zero may be missing in the mappings.

    ``first`` is that of x, ``inertia`` of ``(x x) 1 - x x^T``. ``slides`` are of phi_i, ``bends`` of G_ij.
    ``turns`` are of ``(x phi_i) 1 - phi_i x^T``, and ``swings`` of their derivatives by q_j:
    ``(phi_i phi_j + x G_ij) 1 - phi_i phi_j^T - G_ij x^T``. ``mass_matrix`` is of phi_i phi_j. Where the
    rate of a coordinate is an angular momentum, such as that of a twist, its cross product matrix enters
    ``turns`` with the factor -1/2.
    """

    mass: Expr
    first: Vector3
    inertia: Matrix3
    slides: Sequence[Vector3]
    turns: Sequence[Matrix3]
    bends: Mapping[tuple[int, int], Vector3]
    swings: Mapping[tuple[int, int], Matrix3]
    mass_matrix: Square


# --- matrices ------------------------------------------------------------------------------------


def _added(a: Matrix3, b: Matrix3) -> Matrix3:
    return (add3(a[0], b[0]), add3(a[1], b[1]), add3(a[2], b[2]))


def _scaled(factor: Expr, a: Matrix3) -> Matrix3:
    return (scale3(factor, a[0]), scale3(factor, a[1]), scale3(factor, a[2]))


def _turning(a: Matrix3) -> Vector3:
    """The vector p whose cross product matrix is ``a^T - a``."""
    return (a[1][2] - a[2][1], a[2][0] - a[0][2], a[0][1] - a[1][0])


# --- vectors that are affine in unknowns -----------------------------------------------------------


def _crossed(a: AffineVector, b: Vector3) -> AffineVector:
    return (
        _times(a[1], b[2]) - _times(a[2], b[1]),
        _times(a[2], b[0]) - _times(a[0], b[2]),
        _times(a[0], b[1]) - _times(a[1], b[0]),
    )


def _times(a: AffineScalar, factor: Expr) -> AffineScalar:
    """Without the terms that would be zero."""
    return AffineScalar(factor.dag.zero, {}) if factor.is_zero else a * factor


def _product(rows: Iterable[Expr], a: Iterable[AffineScalar]) -> AffineScalar:
    terms = [_times(x, row) for row, x in zip(rows, a, strict=True)]
    return reduce(lambda total, term: total + term, terms)


def _plus(*vectors: AffineVector) -> AffineVector:
    x, y, z = (reduce(lambda total, each: total + each, column) for column in zip(*vectors, strict=True))
    return x, y, z


def _constant(vector: Vector3) -> AffineVector:
    x, y, z = (AffineScalar(part, {}) for part in vector)
    return x, y, z


# --- laws ----------------------------------------------------------------------------------------


class _State:
    """The motion of the frame and of the coordinates, in the axes of the frame, and what depends on q alone.

    The acceleration of the origin is that relative to free fall.
    """

    def __init__(
        self, integrals: MassIntegrals, motion: Motion, names: Sequence[str], gravity: Vector3
    ) -> None:
        self.q = [motion.freedom(name) for name in names]
        self.rates = [motion.freedom(name, 1) for name in names]
        self.seconds = [motion.second(name) for name in names]
        self.acceleration = motion.components(motion.acceleration() - motion.vector(gravity, GROUND))
        self.alpha = motion.components(motion.alpha())
        self.omega = motion.omega()
        self._integrals, self._dag = integrals, motion.dag

    def _sum(self, vectors: Iterable[Vector3]) -> Vector3:
        return reduce(add3, vectors, null(self._dag))

    def slides(self) -> list[Vector3]:
        """The derivatives of the first moments by each coordinate."""
        slides, bends = self._integrals.slides, self._integrals.bends
        return [
            self._sum([slide, *(scale3(self.q[j], g) for (k, j), g in bends.items() if k == i)])
            for i, slide in enumerate(slides)
        ]

    def first(self) -> Vector3:
        """The first moments."""
        linear = (scale3(q, slide) for q, slide in zip(self.q, self._integrals.slides, strict=True))
        bends = self._integrals.bends.items()
        quadratic = self._sum(scale3(self.q[i] * self.q[j], g) for (i, j), g in bends)
        half = (quadratic[0] / 2, quadratic[1] / 2, quadratic[2] / 2)
        return self._sum([self._integrals.first, *linear, half])

    def turns(self) -> list[Matrix3]:
        """``integral of (r d_i r) 1 - d_i r r^T`` for each coordinate."""
        swings = self._integrals.swings.items()
        return [
            reduce(_added, (_scaled(self.q[j], each) for (k, j), each in swings if k == i), turn)
            for i, turn in enumerate(self._integrals.turns)
        ]

    def inertia(self) -> Matrix3:
        found = self._integrals.inertia
        for q, turn in zip(self.q, self._integrals.turns, strict=True):
            found = _added(found, _scaled(q, _added(turn, transpose(turn))))
        for (i, j), swing in self._integrals.swings.items():
            half = self.q[i] * self.q[j] / 2
            found = _added(found, _scaled(half, _added(swing, transpose(swing))))
        return found

    def accelerated(self, factors: Sequence[Vector3]) -> AffineVector:
        """A sum of vectors times the second derivatives of the coordinates."""
        x, y, z = (_product(row, self.seconds) for row in zip(*factors, strict=True))
        return x, y, z

    def moved(self, factors: Iterable[Vector3]) -> Vector3:
        """A sum of vectors times the rates of the coordinates."""
        return self._sum(scale3(rate, factor) for rate, factor in zip(self.rates, factors, strict=True))


class DeformingBody:
    """The force and torque on the frame of a body, and the work on its coordinates ``names``."""

    def __init__(
        self,
        names: Sequence[str],
        integrals: MassIntegrals,
        stiffness: Square,
        damping: Square,
        gravity: Vector3,
    ) -> None:
        self._names, self._integrals, self._gravity = names, integrals, gravity
        self._stiffness, self._damping = stiffness, damping
        self._dag: Dag = integrals.mass.dag

    def _state(self, motion: Motion) -> _State:
        return _State(self._integrals, motion, self._names, self._gravity)

    def force(self, motion: Motion) -> Affine:
        at, slides = self._state(motion), self._state(motion).slides()
        first, drift = at.first(), at.moved(slides)
        bent = [scale3(at.rates[i] * at.rates[j], g) for (i, j), g in self._integrals.bends.items()]
        inner = add3(cross(at.omega, first), scale3(2, drift))
        x, y, z = _plus(
            _scaled_vector(at.acceleration, self._integrals.mass),
            _crossed(at.alpha, first),
            at.accelerated(slides),
            _constant(reduce(add3, bent, cross(at.omega, inner))),
        )
        return motion.composed((-x, -y, -z))

    def torque(self, motion: Motion) -> Affine:
        at = self._state(motion)
        turns, inertia = at.turns(), at.inertia()
        spun = cross(at.omega, matvec(inertia, at.omega))
        for rate, turn in zip(at.rates, turns, strict=True):
            spun = add3(spun, scale3(2 * rate, matvec(turn, at.omega)))
        turned = tuple(_product(row, at.alpha) for row in inertia)
        x, y, z = _plus(
            _negative(_crossed(at.acceleration, at.first())),
            (turned[0], turned[1], turned[2]),
            at.accelerated([_turning(turn) for turn in turns]),
            _constant(add3(spun, self._whirl(at))),
        )
        return motion.composed((-x, -y, -z)) - motion.moments()

    def _whirl(self, at: _State) -> Vector3:
        """The torque of the second order displacements: in pairs, since parts of two coordinates cancel."""
        found, swings = null(self._dag), self._integrals.swings
        for (i, j), swing in swings.items():
            if i == j:
                found = add3(found, scale3(at.rates[i] ** 2, _turning(swing)))
            elif i < j or (j, i) not in swings:
                pair = _added(swing, swings[j, i]) if (j, i) in swings else swing
                found = add3(found, scale3(at.rates[i] * at.rates[j], _turning(pair)))
        return found

    def work(self, motion: Motion) -> list[AffineScalar]:
        at = self._state(motion)
        slides, turns = at.slides(), at.turns()
        found = []
        for i, row in enumerate(self._integrals.mass_matrix):
            centrifugal = dot(at.omega, matvec(turns[i], at.omega))
            total = _product(row, at.seconds) + _product(slides[i], at.acceleration)
            total = total + _product(_turning(turns[i]), at.alpha)
            elastic = self._dag.add(k * q for k, q in zip(self._stiffness[i], at.q, strict=True))
            damped = self._dag.add(d * rate for d, rate in zip(self._damping[i], at.rates, strict=True))
            total = total + elastic + damped - centrifugal + dot(at.omega, self._coriolis(at, i))
            found.append(-total)
        return found

    def _coriolis(self, at: _State, i: int) -> Vector3:
        found, swings = null(self._dag), self._integrals.swings
        for j, rate in enumerate(at.rates):
            for pair, sign in (((i, j), 1), ((j, i), -1)):
                if i != j and pair in swings:
                    found = add3(found, scale3(sign * rate, _turning(swings[pair])))
        return found


def _scaled_vector(a: AffineVector, factor: Expr) -> AffineVector:
    return (_times(a[0], factor), _times(a[1], factor), _times(a[2], factor))


def _negative(a: AffineVector) -> AffineVector:
    return (-a[0], -a[1], -a[2])
