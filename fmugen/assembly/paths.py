"""Paths of complex solutions of analytic equations F(q) = e while the right-hand side e moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Complexes", "Equations", "Reals", "Tracked", "tracked"]

Complexes = NDArray[np.complex128]
Reals = NDArray[np.float64]

#: Steps as parts of a path: the longest, the first as a part of it, the shortest, and how many in all.
_LONGEST, _FIRST, _SHORTEST, _MOST_STEPS = 0.2, 0.2, 1e-8, 4000
#: The largest first correction after a prediction, one that permits longer steps, and the last one.
_CORRECTION, _EASY, _CORRECTED = 1e-3, 5e-5, 1e-9
#: Unknowns larger than this, and angles with a larger imaginary part, are on the way to infinity.
_FAR, _STEEP = 1e5, 40.0


@dataclass(frozen=True)
class Equations:
    """Equations for the coordinates ``unknowns``, and the ``scale`` of each of these.

    ``values`` and ``rates`` take positions in columns. ``rates`` gives the derivatives by all coordinates: by
    position, equation, coordinate. ``signature`` tells where bodies are.
    """

    unknowns: tuple[int, ...]
    scale: Reals
    angles: NDArray[np.bool_]
    values: Callable[[Complexes], Complexes]
    rates: Callable[[Complexes], Complexes]
    signature: Callable[[Complexes], Complexes]


@dataclass(frozen=True)
class Tracked:
    """The ends of paths in columns, and which of them arrived; the others stopped on the way."""

    ends: Complexes
    arrived: NDArray[np.bool_]
    parts: Reals


def tracked(
    equations: Equations,
    positions: Complexes,
    begin: Complexes,
    end: Complexes,
    target: Complexes | None = None,
    alive: NDArray[np.bool_] | None = None,
    longest: float = _LONGEST,
) -> Tracked:
    """Follow solutions from the right-hand sides ``begin`` to ``end``, one column for each.

    Coordinates that are not unknowns move to those of ``target``, through complex values, so that no path
    meets a singular position on the way. Predictions are by the classical Runge-Kutta method, corrections by
    Newton's. The step of each path is its own, and at most the part ``longest`` of it.
    """
    paths = _Paths(equations, begin, end, positions, positions if target is None else target)
    count = positions.shape[1]
    at, part = positions.copy(), np.zeros(count)
    step, running = (
        np.full(count, _FIRST * longest),
        np.ones(count, dtype=bool) if alive is None else alive.copy(),
    )
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            active = np.flatnonzero(running & (part < 1.0))
            if not active.size:
                break
            length = np.minimum(step[active], 1.0 - part[active])
            trial, first, good = paths.stepped(at[:, active], active, part[active], length)
            moved = active[good]
            at[:, moved] = trial[:, good]
            part[moved] = np.where(length[good] >= 1.0 - part[moved], 1.0, part[moved] + length[good])
            easy = active[good & (first < _EASY)]
            step[easy] = np.minimum(2.0 * step[easy], longest)
            step[active[~good]] = 0.4 * length[~good]
            running[active[step[active] < _SHORTEST]] = False
            running[active[_diverge(equations, at[:, active])]] = False
    return Tracked(at, running & (part >= 1.0), part)


def _diverge(equations: Equations, at: Complexes) -> NDArray[np.bool_]:
    """Which positions are on the way to infinity."""
    unknown = at[list(equations.unknowns)] / equations.scale[:, None]
    steep = np.abs(unknown.imag[equations.angles]).max(axis=0, initial=0.0) > _STEEP
    far = np.abs(unknown[~equations.angles]).max(axis=0, initial=0.0) > _FAR
    return np.asarray(steep | far)


class _Paths:
    """Steps along paths of solutions."""

    def __init__(
        self, equations: Equations, begin: Complexes, end: Complexes, origin: Complexes, target: Complexes
    ) -> None:
        self._equations, self._columns = equations, list(equations.unknowns)
        self._scale = equations.scale[:, None]
        self._begin, self._way = begin, end - begin
        given = np.ones(origin.shape[0], dtype=bool)
        given[self._columns] = False
        self._given = np.flatnonzero(given & np.any(origin != target, axis=1))
        self._origin, self._shift = origin[self._given], (target - origin)[self._given]
        self._detour = 1j * np.random.default_rng(2).uniform(0.4, 0.8, (self._given.size, 1)) * self._shift

    def stepped(
        self, at: Complexes, active: NDArray[np.intp], part: Reals, length: Reals
    ) -> tuple[Complexes, Reals, NDArray[np.bool_]]:
        """Positions a step further, the sizes of the first corrections, and which steps are good."""
        half, end = part + length / 2, part + length
        k1 = self._slope(at, active, part)
        k2 = self._slope(self._placed(at, active, half, length / 2 * k1), active, half)
        k3 = self._slope(self._placed(at, active, half, length / 2 * k2), active, half)
        k4 = self._slope(self._placed(at, active, end, length * k3), active, end)
        trial = self._placed(at, active, end, length / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
        right = self._begin[:, active] + end * self._way[:, active]
        sizes = []
        for _ in range(3):
            missed = self._equations.values(trial) - right
            change = _solved(self._equations.rates(trial)[:, :, self._columns], -missed)
            trial[self._columns] += change
            large = self._scale + np.abs(trial[self._columns])
            sizes.append(np.abs(change / large).max(axis=0, initial=0.0))
            if sizes[-1].max(initial=0.0) < _CORRECTED:
                break
        good = (sizes[0] < _CORRECTION) & (sizes[-1] < _CORRECTED)
        return trial, sizes[0], good & np.all(np.isfinite(trial), axis=0)

    def _placed(self, at: Complexes, active: NDArray[np.intp], part: Reals, move: Complexes) -> Complexes:
        placed = at.copy()
        placed[self._columns] += move
        shift = self._shift[:, active] + (1.0 - part) * self._detour[:, active]
        placed[self._given] = self._origin[:, active] + part * shift
        return placed

    def _slope(self, at: Complexes, active: NDArray[np.intp], part: Reals) -> Complexes:
        rates = self._equations.rates(at)
        right = self._way[:, active].copy()
        if self._given.size:
            shift = self._shift[:, active] + (1.0 - 2.0 * part) * self._detour[:, active]
            right -= np.einsum("bmk,kb->mb", rates[:, :, self._given], shift)
        return _solved(rates[:, :, self._columns], right)


def _solved(matrices: Complexes, right: Complexes) -> Complexes:
    """The solutions of square systems, one for each column; not finite where a system is singular."""
    finite = np.isfinite(matrices).all(axis=(1, 2)) & np.isfinite(right).all(axis=0)
    found = np.full(right.shape, np.nan, dtype=np.complex128)
    try:
        found[:, finite] = np.linalg.solve(matrices[finite], right.T[finite, :, None])[:, :, 0].T
    except np.linalg.LinAlgError:
        for column in np.flatnonzero(finite):
            solution = np.linalg.lstsq(matrices[column], right[:, column], rcond=None)[0]
            found[:, column] = solution
    return found
