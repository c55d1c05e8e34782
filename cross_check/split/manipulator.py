"""The 3-RRR manipulator of Khan's chapter 4, written down by hand, and his three methods for it.

Nothing here knows the compiler: these are the equations of the thesis (2.1 to 2.37 and 3.41), in numpy, to
see which of its statements belong to the methods and which to a program. Coordinates are the angles of the
shank and the thigh of each leg against the x axis, and angle, x and y of the platform:
``q = (a1, b1, a2, b2, a3, b3, phi, x, y)``.

Two slips of the print are mended: the inertia of the distal link in (2.1) has its own mass, and gravity has
the sign that makes links fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import pi, sqrt
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebfit

Array = np.ndarray[Any, np.dtype[np.float64]]

GRAVITY = 9.81
SHANK, THIGH, SIDE = 0.4, 0.6, 0.4
MASSES = (3.0, 4.0, 8.0)
INERTIAS = (0.04, 0.12, 0.0817)
PERIOD = 3.0
#: The ground joints are 1 m apart: not printed, but the printed posture requires it.
BASE = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, sqrt(3) / 2]])
#: From the mass centre of the platform to its hips, in its own axes.
HIPS = SIDE / sqrt(3) * np.array([[np.cos(a), np.sin(a)] for a in (-5 * pi / 6, -pi / 6, pi / 2)])
#: Start and amplitude of the prescribed motion of each ankle (4.0.2), and the posture that goes with it.
STARTS = np.array([pi / 3, 4 * pi / 3, 11 * pi / 6])
AMPLITUDES = np.array([1 / 6, 1 / 6, 1 / 12])
#: The printed posture; it closes the loops if thighs are measured against their shanks.
KNEES = (-0.865, -2.102, -0.976)
POSTURE = np.array([x for k in range(3) for x in (STARTS[k], STARTS[k] + KNEES[k])] + [3.916, 0.728, 0.233])
ACTUATED = (0, 2, 4)
PLATFORM = (6, 7, 8)


def prescribed(time: float) -> tuple[Array, Array, Array]:
    """Angles, rates and accelerations of the ankles at a time."""
    w = 2 * pi / PERIOD
    return (
        STARTS + AMPLITUDES * (w * time - np.sin(w * time)),
        AMPLITUDES * w * (1 - np.cos(w * time)),
        AMPLITUDES * w * w * np.sin(w * time),
    )


def unit(angle: float) -> tuple[Array, Array]:
    """The direction of an angle, and its derivative."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c, s]), np.array([-s, c])


def mass_matrix(q: Array) -> Array:
    """I(q) of (2.5): three open chains and a free body."""
    m1, m2, mp = MASSES
    M = np.diag([0.0] * 6 + [INERTIAS[2], mp, mp])
    for leg in range(3):
        a, b = q[2 * leg], q[2 * leg + 1]
        M[2 * leg, 2 * leg] = INERTIAS[0] + m1 * SHANK**2 / 4 + m2 * SHANK**2
        M[2 * leg + 1, 2 * leg + 1] = INERTIAS[1] + m2 * THIGH**2 / 4
        M[2 * leg, 2 * leg + 1] = M[2 * leg + 1, 2 * leg] = m2 * SHANK * THIGH / 2 * np.cos(b - a)
    return M


def bias(q: Array, v: Array) -> Array:
    """b(q, q') of (2.5), with gravity."""
    m1, m2, mp = MASSES
    h = np.zeros(9)
    for leg in range(3):
        a, b, wa, wb = q[2 * leg], q[2 * leg + 1], v[2 * leg], v[2 * leg + 1]
        swing = m2 * SHANK * THIGH / 2 * np.sin(b - a)
        h[2 * leg] = -swing * wb**2 + (m1 / 2 + m2) * SHANK * GRAVITY * np.cos(a)
        h[2 * leg + 1] = swing * wa**2 + m2 * THIGH / 2 * GRAVITY * np.cos(b)
    h[8] = mp * GRAVITY
    return h


def closure(q: Array, v: Array) -> tuple[Array, Array, Array]:
    """c(q) of (2.4), its Jacobian A, and A' q'."""
    c, A, rest = np.zeros(6), np.zeros((6, 9)), np.zeros(6)
    turn = np.array([[np.cos(q[6]), -np.sin(q[6])], [np.sin(q[6]), np.cos(q[6])]])
    for leg in range(3):
        rows = slice(2 * leg, 2 * leg + 2)
        (ua, na), (ub, nb) = unit(q[2 * leg]), unit(q[2 * leg + 1])
        arm = turn @ HIPS[leg]
        c[rows] = BASE[leg] + SHANK * ua + THIGH * ub - q[7:9] - arm
        A[rows, 2 * leg], A[rows, 2 * leg + 1] = SHANK * na, THIGH * nb
        A[rows, 6] = [arm[1], -arm[0]]
        A[rows, 7:9] = -np.eye(2)
        rest[rows] = -SHANK * ua * v[2 * leg] ** 2 - THIGH * ub * v[2 * leg + 1] ** 2 + arm * v[6] ** 2
    return c, A, rest


def _others(independent: tuple[int, ...]) -> list[int]:
    return [k for k in range(9) if k not in independent]


def assembled(q: Array, independent: tuple[int, ...] = ACTUATED) -> Array:
    """Close the loops by Newton's method; the independent coordinates stay."""
    q, dependent = q.copy(), _others(independent)
    for _ in range(50):
        c, A, _ = closure(q, np.zeros(9))
        if np.abs(c).max() < 1e-15:
            break
        q[dependent] -= np.linalg.solve(A[:, dependent], c)
    return q


@cache
def torques() -> Array:
    """Torques of the ankles for the prescribed motion (4.0.3): Chebyshev series over the period."""
    dependent = _others(ACTUATED)
    degree = 60
    times = PERIOD / 2 * (1 + np.cos(pi * (np.arange(degree + 1) + 0.5) / (degree + 1)))
    times = np.sort(times)
    values, q = [], POSTURE
    for time in times:
        angle, rate, acceleration = prescribed(time)
        q = q.copy()
        q[list(ACTUATED)] = angle
        q = assembled(q)
        A = closure(q, np.zeros(9))[1]
        v, a = np.zeros(9), np.zeros(9)
        v[list(ACTUATED)], a[list(ACTUATED)] = rate, acceleration
        v[dependent] = np.linalg.solve(A[:, dependent], -A @ v)
        rest = closure(q, v)[2]
        a[dependent] = np.linalg.solve(A[:, dependent], -A @ a - rest)
        # M a + b = E tau - A^T lambda: three torques and six multipliers.
        system = np.hstack([np.eye(9)[:, list(ACTUATED)], -A.T])
        values.append(np.linalg.solve(system, mass_matrix(q) @ a + bias(q, v))[:3])
    return chebfit(2 * times / PERIOD - 1, np.array(values), degree)


def applied(time: float) -> Array:
    """u of (2.5)."""
    u = np.zeros(9)
    series = torques()
    turn = np.arccos(np.clip(2 * time / PERIOD - 1, -1, 1))
    u[list(ACTUATED)] = np.cos(np.arange(len(series)) * turn) @ series
    return u


@dataclass(frozen=True)
class Penalty:
    """Method I (2.7): virtual springs and dampers, d = 2 sqrt(k) as in 4.1."""

    stiffness: float

    def start(self) -> Array:
        return np.concatenate([assembled(POSTURE), np.zeros(9)])

    def derivative(self, time: float, x: Array) -> Array:
        q, v = x[:9], x[9:]
        c, A, _ = closure(q, v)
        pull = self.stiffness * c + 2 * sqrt(self.stiffness) * A @ v
        return np.concatenate([v, np.linalg.solve(mass_matrix(q), applied(time) - bias(q, v) - A.T @ pull)])


@dataclass(frozen=True)
class Projection:
    """Method II (2.19), the complement by coordinate partitioning (Gaussian triangularization)."""

    sigma: float
    independent: tuple[int, ...] = ACTUATED

    def start(self) -> Array:
        return np.concatenate([assembled(POSTURE), np.zeros(3)])

    def derivative(self, time: float, x: Array) -> Array:
        q, free, bound = x[:9], list(self.independent), _others(self.independent)
        c, A, _ = closure(q, np.zeros(9))
        inverse = np.linalg.inv(A[:, bound])
        S = np.zeros((9, 3))
        S[free] = np.eye(3)
        S[bound] = -inverse @ A[:, free]
        v = S @ x[9:]
        v[bound] -= self.sigma * inverse @ c
        rest = closure(q, v)[2]
        gamma = np.zeros(9)
        gamma[bound] = -inverse @ (self.sigma * A @ v + rest)
        M = mass_matrix(q)
        force = S.T @ (applied(time) - bias(q, v) - M @ gamma)
        return np.concatenate([v, np.linalg.solve(S.T @ M @ S, force)])


class DeNoc:
    """Method III (3.41) on the extended states of 3.3: all joint angles, rates of the ankles.

    The platform is cut into three, so that each chain ends at its mass centre; states are the angles of
    shank, thigh and fragment of each chain, and the rates of the three shanks.
    """

    def start(self) -> Array:
        q = assembled(POSTURE)
        return np.concatenate([[q[0], q[1], q[6], q[2], q[3], q[6], q[4], q[5], q[6]], np.zeros(3)])

    def derivative(self, time: float, x: Array) -> Array:
        angles, rates = x[:9].reshape(3, 3), x[9:]
        inertia, forces, inverses, tips = [], [], [], []
        m1, m2, m3 = MASSES[0], MASSES[1], MASSES[2] / 3
        for leg in range(3):
            d = HIPS[leg]
            (ua, na), (ub, nb), (uc, nc) = (unit(angle) for angle in angles[leg])
            # From the hip to the mass centre: back along the arm of the platform.
            arm, narm = -(d[0] * uc + d[1] * nc), -(d[0] * nc - d[1] * uc)
            J = np.zeros((3, 3))
            J[0, 2] = 1.0
            J[1:, 0], J[1:, 1], J[1:, 2] = SHANK * na, THIGH * nb, narm
            centres = (
                (m1, np.column_stack([SHANK / 2 * na, 0 * na, 0 * na]), (SHANK / 2 * ua, 0 * ua, 0 * ua)),
                (
                    m2,
                    np.column_stack([SHANK * na, THIGH / 2 * nb, 0 * na]),
                    (SHANK * ua, THIGH / 2 * ub, 0 * ua),
                ),
                (m3, J[1:], (SHANK * ua, THIGH * ub, arm)),
            )
            I = np.diag([INERTIAS[0], INERTIAS[1], INERTIAS[2] / 3])  # noqa: E741
            for mass, jacobian, _ in centres:
                I = I + mass * jacobian.T @ jacobian  # noqa: E741
            inertia.append(I)
            inverses.append(np.linalg.inv(J))
            tips.append((SHANK * ua, THIGH * ub, arm))
            forces.append(centres)
        B = np.array([inverse[0] for inverse in inverses])
        twist = np.linalg.solve(B, rates)
        complement = [inverse @ np.linalg.inv(B) for inverse in inverses]
        speeds = [inverse @ twist for inverse in inverses]
        # What accelerates without accelerations of the ankles.
        drift = [
            np.concatenate([[0.0], -sum(r * w**2 for r, w in zip(tip, speed, strict=True))])
            for tip, speed in zip(tips, speeds, strict=True)
        ]
        common = np.linalg.solve(B, [(inverse @ d)[0] for inverse, d in zip(inverses, drift, strict=True)])
        gamma = [inverse @ (common - d) for inverse, d in zip(inverses, drift, strict=True)]
        M, force = np.zeros((3, 3)), applied(time)[list(ACTUATED)]
        for leg in range(3):
            load = -inertia[leg] @ gamma[leg]
            for mass, jacobian, radii in forces[leg]:
                turning = -sum(r * w**2 for r, w in zip(radii, speeds[leg], strict=True))
                load = load - mass * jacobian.T @ (turning + np.array([0.0, GRAVITY]))
            M += complement[leg].T @ inertia[leg] @ complement[leg]
            force = force + complement[leg].T @ load
        return np.concatenate([*speeds, np.linalg.solve(M, force)])


class Exact:
    """The pose of the platform alone is integrated; legs follow by closed formulas."""

    def start(self) -> Array:
        return np.concatenate([assembled(POSTURE)[6:], np.zeros(3)])

    def coordinates(self, pose: Array) -> Array:
        """All coordinates by the law of cosines, in the assembly mode of the start posture."""
        q = np.concatenate([np.zeros(6), pose])
        turn = np.array([[np.cos(pose[0]), -np.sin(pose[0])], [np.sin(pose[0]), np.cos(pose[0])]])
        for leg in range(3):
            reach = pose[1:] + turn @ HIPS[leg] - BASE[leg]
            distance = np.hypot(*reach)
            opening = np.arccos((SHANK**2 + distance**2 - THIGH**2) / (2 * SHANK * distance))
            q[2 * leg] = np.arctan2(reach[1], reach[0]) + self._modes()[leg] * opening
            knee = SHANK * unit(q[2 * leg])[0]
            q[2 * leg + 1] = np.arctan2(*(reach - knee)[::-1])
        return q

    @staticmethod
    @cache
    def _modes() -> tuple[float, ...]:
        q = assembled(POSTURE)
        return tuple(float(np.sign(np.sin(q[2 * leg] - q[2 * leg + 1]))) for leg in range(3))

    def derivative(self, time: float, x: Array) -> Array:
        q = self.coordinates(x[:3])
        change = Projection(0.0, PLATFORM).derivative(time, np.concatenate([q, x[3:]]))
        return np.concatenate([x[3:], change[9:]])


@dataclass(frozen=True)
class Snapshot:
    """The manipulator as its three legs see it: a row each of shank angle, pose of the thigh's mass centre
    (x, y, angle), pose of the platform (x, y, angle)."""

    rows: Array

    @property
    def ankles(self) -> Array:
        return self.rows[:, 0]

    @property
    def gap(self) -> float:
        """How far the loops are open: at hips, from ankles to knees, between views of the platform."""
        largest = float(np.abs(self.rows[:, 4:] - self.rows[0, 4:]).max())
        for leg, (shank, x, y, thigh, px, py, angle) in enumerate(self.rows):
            (ua, _), (ub, _), (uc, nc) = unit(shank), unit(thigh), unit(angle)
            hip = HIPS[leg][0] * uc + HIPS[leg][1] * nc
            upper = np.array([x - px, y - py]) + THIGH / 2 * ub - hip
            lower = BASE[leg] + SHANK * ua + THIGH / 2 * ub - np.array([x, y])
            largest = max(largest, float(np.abs([upper, lower]).max()))
        return largest


def snapshot(method: Any, x: Array) -> Snapshot:
    """What a state of a method means."""
    if isinstance(method, DeNoc):
        legs = [(a, b, None) for a, b, _ in x[:9].reshape(3, 3)]
        turns = x[[2, 5, 8]]
    else:
        q = method.coordinates(x[:3]) if isinstance(method, Exact) else x[:9]
        legs = [(q[2 * leg], q[2 * leg + 1], q[7:9]) for leg in range(3)]
        turns = np.full(3, q[6])
    rows = []
    for leg, (a, b, place) in enumerate(legs):
        (ua, _), (ub, _), (uc, nc) = unit(a), unit(b), unit(turns[leg])
        knee = BASE[leg] + SHANK * ua
        if place is None:
            place = knee + THIGH * ub - HIPS[leg][0] * uc - HIPS[leg][1] * nc
        rows.append([a, *(knee + THIGH / 2 * ub), b, *place, turns[leg]])
    return Snapshot(np.array(rows))


def deviation(times: Sequence[float], seen: Sequence[Snapshot], until: float = PERIOD) -> float:
    """The largest error of an ankle against the prescribed motion, up to whole turns."""
    largest = 0.0
    for time, each in zip(times, seen, strict=True):
        if time <= until:
            turns = (each.ankles - prescribed(time)[0] + pi) % (2 * pi) - pi
            largest = max(largest, float(np.abs(turns).max()))
    return largest


class ByHand:
    """A method of this module in the shape of connected models, for the same integrators."""

    def __init__(self, method: Any) -> None:
        self.method, self.evaluations, self._x = method, 0, method.start()

    def states(self) -> Array:
        return self._x

    def derivative(self, time: float, x: Array) -> Array:
        self.evaluations += 1
        return self.method.derivative(time, x)

    def accept(self, time: float, x: Array) -> bool:
        self._x = x
        return False

    def values(self, places: Any) -> Array:
        return snapshot(self.method, self._x).rows.reshape(-1)


def snapshots(values: Sequence[Array]) -> list[Snapshot]:
    """Rows of recorded values as snapshots."""
    return [Snapshot(np.asarray(row).reshape(3, 7)) for row in values]
