"""The search for a start: positions that satisfy all equations, as near to the guesses as there are any.

The distance of a position is the norm of what it misses of the guesses. Angles are in rad and up to whole
turns, lengths are parts of the length of the mechanism.

A first start follows the guesses. If it ends near to them, the search is over. Else more starts are scattered
about the guesses, ever wider, and the nearest of the positions found is taken. The starts are the same in
every run, and their number is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fmugen.phases.triangularize.numeric import Numbers

__all__ = ["TOLERANCE", "Found", "Search", "constrained_step"]

#: Equations are met to this (m or rad).
TOLERANCE = 1e-12
#: Positions this near to the guesses are taken at once.
_NEAR = 0.05
#: Scattered starts once a position is known, and as long as none is.
_STARTS = 24
_MOST_STARTS = 72
#: The widest scatter: half a turn, or half the length of the mechanism.
_WIDEST = 3.2
#: What a guess weighs against an equation in the approach to them.
_GUESS_WEIGHT = 0.1
#: An approach that leaves equations open by more has failed.
_APPROACHED = 1e-2
#: Positions are the same mode if what they miss of all guesses, and coordinates, differ by less.
_SAME = 1e-5
_ROUNDING = 1e-15
_ITERATIONS = 200
_POLISHING = 30
_RANK = 1e-9

System = Callable[[Numbers], tuple[Numbers, Numbers]]


@dataclass(frozen=True)
class Found:
    """A position that satisfies all equations, and its distance from the guesses."""

    q: Numbers
    distance: float


class Search:
    """What is searched: ``equations`` are met, ``guesses`` as nearly as possible, both with derivatives.

    ``fixed`` are the equations of start values alone. ``rough`` is where coordinates are without guesses, and
    ``scale`` what counts as one unit of each. ``described`` tells by numbers where a position is.
    """

    def __init__(
        self,
        equations: System,
        fixed: System,
        guesses: System,
        described: Callable[[Numbers], Numbers],
        rough: Numbers,
        scale: Numbers,
    ) -> None:
        self._equations, self._fixed, self._guesses = equations, fixed, guesses
        self._described, self._rough, self._scale = described, rough, scale

    def modes(self) -> tuple[list[Found], Numbers]:
        """The positions found, the nearest to the guesses first, and the one that is nearest to closed."""
        near = self._near_guesses(self._rough)
        found: list[Found] = []
        best, least = near, np.inf
        for number, start in enumerate(self._starts(near)):
            if found and (number > _STARTS or found[0].distance <= _NEAR):
                break
            q = self._close(start) if number == 0 else self._approached(start)
            error = self.error(q)
            if error < least:
                best, least = q, error
            if error <= TOLERANCE * 10:
                q = self._without_rounding(self._descended(q))
                self._collect(found, Found(q, self._distance(q)))
        return found, best

    def error(self, q: Numbers) -> float:
        return float(np.abs(self._equations(q)[0]).max(initial=0.0))

    def _without_rounding(self, q: Numbers) -> Numbers:
        """The position with coordinates at zero that only rounding keeps from it."""
        clean = np.where(np.abs(q) < _ROUNDING * self._scale, 0.0, q)
        return clean if self.error(clean) <= max(self.error(q), _ROUNDING) else q

    def _starts(self, near: Numbers) -> Iterator[Numbers]:
        """The guesses themselves, then starts scattered about them."""
        yield near
        random = np.random.default_rng(0)
        for number in range(_MOST_STARTS):
            width = _WIDEST * min(1.0, (number + 1) / _STARTS)
            yield near + random.uniform(-width, width, near.size) * self._scale

    def _collect(self, found: list[Found], new: Found) -> None:
        """Put a position among the others by its distance; of equally near ones the first remains first."""
        here = self._described(new.q)
        if any(np.abs(self._described(other.q) - here).max(initial=0.0) < _SAME for other in found):
            return
        place = sum(other.distance <= new.distance + _SAME for other in found)
        found.insert(place, new)

    def _distance(self, q: Numbers) -> float:
        return float(np.linalg.norm(self._guesses(q)[0]))

    # --- towards guesses and equations ---------------------------------------------------------------

    def _near_guesses(self, q: Numbers) -> Numbers:
        """Levenberg-Marquardt on fixed values and guesses alone, the loops left aside."""
        return self._least_squares(_stacked(self._fixed, self._guesses), q, 60)

    def _approached(self, start: Numbers) -> Numbers:
        """Downhill towards equations and guesses, then to the equations alone, which are met in the end."""
        both = _stacked(self._equations, lambda q: _weighted(self._guesses(q), _GUESS_WEIGHT))
        q = self._least_squares(both, start, 100)
        q = self._least_squares(self._equations, q, 60)
        return q if self.error(q) > _APPROACHED else self._polished(q)

    def _least_squares(self, system: System, q: Numbers, iterations: int) -> Numbers:
        """Levenberg-Marquardt, in coordinates of scale one."""
        damping = 1e-3
        value, matrix = system(q)
        for _ in range(iterations):
            damped = np.vstack([matrix * self._scale, np.sqrt(damping) * np.eye(q.size)])
            right = np.concatenate([-value, np.zeros(q.size)])
            step = self._scale * np.linalg.lstsq(damped, right, rcond=None)[0]
            trial_value, trial_matrix = system(q + step)
            if trial_value @ trial_value < value @ value:
                q, value, matrix, damping = q + step, trial_value, trial_matrix, damping / 4
            else:
                damping *= 4
            if np.abs(step / self._scale).max(initial=0.0) < 1e-10 or damping > 1e8:
                break
        return q

    def _close(self, q: Numbers) -> Numbers:
        """Steps that meet the equations and use what freedom is left for the guesses."""
        for _ in range(_ITERATIONS):
            residual, jacobian = self._equations(q)
            guess, guess_q = self._guesses(q)
            step = constrained_step(jacobian, residual, guess_q, guess)
            size = np.abs(step).max(initial=0.0)
            if size > 0.5:  # angles: never more than half a radian at once
                step *= 0.5 / size
            merit = np.linalg.norm(residual)
            scale = 1.0
            while scale > 1e-4 and merit > TOLERANCE:
                if np.linalg.norm(self._equations(q + scale * step)[0]) < merit * (1 - 0.1 * scale):
                    break
                scale /= 2
            q = q + scale * step
            if size * scale < 1e-14 or (merit < TOLERANCE and size < 1e-9):
                break
        return self._polished(q)

    def _polished(self, q: Numbers) -> Numbers:
        """The equations alone, to the last digit: guesses may have pushed along what hardly matters."""
        for _ in range(_POLISHING):
            residual, jacobian = self._equations(q)
            step = np.linalg.lstsq(jacobian, -residual, rcond=_RANK)[0]
            size = np.abs(step).max(initial=0.0)
            q = q + step * min(1.0, 0.5 / max(size, 1e-300))
            if size < 1e-14:
                break
        return q

    def _descended(self, q: Numbers) -> Numbers:
        """The nearest position to the guesses that can be reached downhill with all equations met."""
        for _ in range(_POLISHING):
            residual, jacobian = self._equations(q)
            guess, guess_q = self._guesses(q)
            step = constrained_step(jacobian, np.zeros_like(residual), guess_q, guess)
            size = np.abs(step / self._scale).max(initial=0.0)
            if size < 1e-9:
                break
            nearer = self._nearer(q, step * min(1.0, 0.5 / size))
            if nearer is None:
                break
            q = nearer
        return q

    def _nearer(self, q: Numbers, step: Numbers) -> Numbers | None:
        """The position after a step, or a part of it, if all equations are met there and it is nearer."""
        distance = self._distance(q)
        for part in (1.0, 0.5, 0.25, 0.1, 0.02):
            trial = self._polished(q + part * step)
            if self._distance(trial) < distance * (1.0 - 1e-6) and self.error(trial) <= TOLERANCE * 10:
                return trial
        return None


def constrained_step(matrix: Numbers, residual: Numbers, guess_matrix: Numbers, guess: Numbers) -> Numbers:
    """The step that satisfies the equations and, with what freedom is left, nears the guesses."""
    left, singular, right = np.linalg.svd(matrix, full_matrices=True)
    rank = int(np.sum(singular > _RANK * max(1.0, singular.max(initial=0.0))))
    solved = right[:rank].T @ ((left.T @ -residual)[:rank] / singular[:rank])
    free = right[rank:].T
    if not free.size or not guess.size:
        return np.asarray(solved)
    rest = np.linalg.lstsq(guess_matrix @ free, -(guess + guess_matrix @ solved), rcond=_RANK)[0]
    return np.asarray(solved + free @ rest)


def _stacked(one: System, other: System) -> System:
    def both(q: Numbers) -> tuple[Numbers, Numbers]:
        first, second = one(q), other(q)
        return np.concatenate([first[0], second[0]]), np.vstack([first[1], second[1]])

    return both


def _weighted(system: tuple[Numbers, Numbers], weight: float) -> tuple[Numbers, Numbers]:
    return weight * system[0], weight * system[1]
