"""All solutions of analytic equations F(q) = e for a random e, by loops of the right-hand side e.

A random complex position q solves the equations for e = F(q). If e moves around a closed loop, each solution
moves to a solution, often to another one (monodromy). The domain of q is connected, even without the
positions where F is singular, so loops lead from one solution to all others. Each isolated solution for
e = 0 is the end of a path from a solution for the random e.

Solutions are told apart by their signature: the poses of bodies. Angles of joints that put all bodies in the
same place count once.

The list is complete if the sum of the signatures is a rational function of e along a line. That of a part of
the solutions is not, since loops exchange solutions of the part with others (trace test).

References
----------
T. Duff, C. Hill, A. Jensen, K. Lee, A. Leykin, J. Sommars: Solving polynomial systems via homotopy
continuation and monodromy. IMA Journal of Numerical Analysis 39 (2019).
A. Leykin, J. I. Rodriguez, F. Sottile: Trace test. Arnold Mathematical Journal 4 (2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fmugen.assembly.paths import Complexes, Equations, Reals, tracked

__all__ = ["Solutions", "generic_solutions"]

#: More solutions than this are not followed.
_MOST_SOLUTIONS = 400
#: Paths that are followed together, at least; loops without a new solution before the trace test.
_TOGETHER, _QUIET = 24, 4
#: How often the trace test may fail, and how many loops in a row may.
_MOST_TESTS, _MOST_FAILURES = 4, 12
#: How far a random position is from the start, in units of each unknown: angles go all around. Those that
#: give the corners of loops are a random factor further: some solutions are far from all others. The largest
#: factor grows by a part with each trace test that fails.
_AWAY, _AWAY_ANGLE, _FACTORS, _GROWTH = 0.8 + 0.8j, 3.2 + 0.8j, (0.5, 3.0), 1.5
#: Signatures that differ by less, as a part of their size, are the same.
_SAME = 1e-6
#: Points of the trace test on a circle, the first number for at most so many solutions, and the highest
#: degree of the rational function for each point.
_POINTS, _FEW, _DEGREES = (64, 128), 8, 0.4
#: At the degree of the function, what it misses is below the first number, as a part of the values, and falls
#: by more than the second one. Where it is not rational, it falls more slowly from degree to degree.
_RATIONAL, _FALL = 1e-8, 1e5


@dataclass(frozen=True)
class Solutions:
    """The solutions for a random right-hand side, in columns.

    ``reason`` says why some may be missing; it is empty if the trace test holds.
    """

    positions: Complexes
    right: Complexes
    reason: str = ""

    @property
    def count(self) -> int:
        return int(self.positions.shape[1])


def generic_solutions(equations: Equations, start: Reals) -> Solutions:
    """All solutions for a random right-hand side, found from one by loops.

    The random numbers are the same in every run.
    """
    search = _Search(equations, start)
    reason = search.run()
    return Solutions(search.known, search.right, reason)


class _Search:
    """The solutions found so far."""

    def __init__(self, equations: Equations, start: Reals) -> None:
        self._equations, self._start = equations, start
        self._random, self._failed = np.random.default_rng(1), 0
        self.known = self._scattered(1, np.full(len(equations.unknowns), _AWAY))
        self.right = equations.values(self.known)[:, 0]
        self._keys = equations.signature(self.known)

    def run(self) -> str:
        """Look for solutions until the trace test holds; the reason if it never does."""
        for _ in range(_MOST_TESTS):
            reason = self._loops()
            if reason or self._is_complete():
                return reason
            self._failed += 1
        return "the trace test fails: some complex configurations are missing"

    def _loops(self) -> str:
        """Loops until some in a row give no new solution."""
        quiet = failures = 0
        while quiet < _QUIET:
            count = self.known.shape[1]
            if count > _MOST_SOLUTIONS:
                return f"there are more than {_MOST_SOLUTIONS} complex configurations"
            at_once = max(1, _TOGETHER // count)
            came, whole = self._around(at_once)
            if self._added(came):
                quiet = 0
            elif whole:
                quiet += 1
            else:
                failures += 1
                if failures > _MOST_FAILURES:
                    return "some complex configurations could not be followed around loops"
        return ""

    def _added(self, came: Complexes) -> bool:
        """Whether there are new solutions among these, which are added."""
        found = self._equations.signature(came)
        new = _new_columns(found, self._keys)
        self.known = np.hstack([self.known, came[:, new]])
        self._keys = np.hstack([self._keys, found[:, new]])
        return bool(new)

    def _scattered(self, count: int, away: Complexes) -> Complexes:
        """Random complex positions about the start; ``away`` is how far real and imaginary parts go."""
        equations = self._equations
        found = np.repeat(self._start.astype(np.complex128)[:, None], count, axis=1)
        real, imaginary = self._random.uniform(-1.0, 1.0, (2, len(away), count))
        moved = away.real[:, None] * real + 1j * away.imag[:, None] * imaginary
        found[list(equations.unknowns)] += equations.scale[:, None] * moved
        return found

    def _corners(self, count: int) -> Complexes:
        """Random right-hand sides."""
        away = np.where(self._equations.angles, _AWAY_ANGLE, _AWAY)
        least, most = np.log(_FACTORS)
        factors = np.exp(self._random.uniform(least, most + self._failed * np.log(_GROWTH), count))
        return self._equations.values(np.hstack([self._scattered(1, factor * away) for factor in factors]))

    def _around(self, loops: int) -> tuple[Complexes, bool]:
        """Where the known solutions come back around random triangles, and whether all of them do.

        Paths that end at the same solution jumped from one to another: their loop is left out.
        """
        count, right = self.known.shape[1], self.right[:, None]
        corners = [np.repeat(self._corners(loops), count, axis=1) for _ in range(2)]
        at, alive = np.tile(self.known, (1, loops)), np.ones(loops * count, dtype=bool)
        for begin, end in pairwise([right, *corners, right]):
            both = np.broadcast_arrays(begin, end, at[: len(right)])
            moved = tracked(self._equations, at, both[0], both[1], alive=alive)
            at, alive = moved.ends, moved.arrived
        back, whole = [], True
        for loop in range(loops):
            columns = np.arange(loop * count, (loop + 1) * count)
            columns = columns[alive[columns]]
            found = self._equations.signature(at[:, columns])
            distinct = len(_new_columns(found, found[:, :0])) == len(columns)
            whole &= distinct and len(columns) == count
            if distinct:
                back.append(at[:, columns])
        return np.hstack([at[:, :0], *back]), whole

    # --- the trace test ------------------------------------------------------------------------------

    def _is_complete(self) -> bool:
        """Whether the sum of the signatures is rational on a circle in a complex line of right-hand sides."""
        [way] = self._corners(1).T - self.right
        size = len(self._keys)
        weights = self._random.uniform(-1.0, 1.0, size) + 1j * self._random.uniform(-1.0, 1.0, size)
        points = _POINTS[self.known.shape[1] > _FEW]
        turns = np.exp(2j * np.pi * np.arange(points + 1) / points)
        parts = 0.5 * (1.0 - turns)
        at, sums = self.known, [weights @ self._keys.sum(axis=1)]
        count = at.shape[1]
        for begin, end in pairwise(parts):
            before, after = (
                np.repeat((self.right + part * way)[:, None], count, axis=1) for part in (begin, end)
            )
            moved = tracked(self._equations, at, before, after, longest=1.0)
            if not moved.arrived.all():
                return False
            at = moved.ends
            sums.append(weights @ self._equations.signature(at).sum(axis=1))
        is_new = self._added(at)
        return not is_new and _is_rational(turns[:-1], np.array(sums[:-1]))


def _is_rational(places: Complexes, values: Complexes) -> bool:
    """Whether a rational function of low degree has these values."""
    scale = float(np.abs(values).max(initial=0.0)) or 1.0
    most = int(_DEGREES * len(places))
    powers = places[:, None] ** np.arange(most + 1)
    before = 1.0
    for degree in range(most + 1):
        top = powers[:, : degree + 1]
        matrix = np.hstack([top, -(values / scale)[:, None] * top])
        missed = float(np.linalg.svd(matrix, compute_uv=False)[-1])
        if missed <= _RATIONAL and missed * _FALL <= before:
            return True
        before = missed
    return False


def _new_columns(found: Complexes, keys: Complexes) -> list[int]:
    """The columns that differ from those known and from each other."""
    new: list[int] = []
    for column in range(found.shape[1]):
        here = found[:, [column]]
        others = np.hstack([keys, found[:, new]])
        size = 1.0 + np.abs(here).max(initial=0.0)
        if np.abs(others - here).max(axis=0, initial=0.0).min(initial=np.inf) > _SAME * size:
            new.append(column)
    return new
