"""The search for a start: positions that satisfy all equations, as near to the guesses as there are any.

The distance of a position is the norm of what it misses of the guesses, and a tenth of what it misses of
preferred values where nothing is said. Angles are in rad and up to whole turns, lengths are parts of the
length of the mechanism. Within an assembly mode the guesses alone count, and preferred values decide about
freedoms that no guess concerns.

A first start follows the guesses. If it ends near to them, the search is over. Else more starts are scattered
about the guesses, ever wider, and the nearest of the positions found is taken. Some of them keep the guesses,
so that only what no guess concerns is scattered. The starts are the same in every run, and their number is
bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fmugen.phases.triangularize.numeric import Numbers

__all__ = ["TOLERANCE", "Found", "Search", "choices", "constrained_step"]

#: Tolerance of equations (m or rad).
TOLERANCE = 1e-12
#: Positions this near to the guesses are taken at once.
_NEAR = 0.05
#: The number of scattered starts once a position is known, and before.
_STARTS = 24
_MOST_STARTS = 72
#: After so many of them one is tried again with the guesses kept.
_BETWEEN_KEPT = 2
#: The widest scatter: half a turn, or half the length of the mechanism.
_WIDEST = 3.2
#: What a guess weighs against an equation in the approach to them, and a preferred value against a guess.
_GUESS_WEIGHT = 0.1
_PREFERENCE = 0.1
#: An approach that leaves equations open by more has failed.
_APPROACHED = 1e-2
#: Positions are the same mode if what they miss of all guesses, and coordinates, differ by less.
_SAME = 1e-5
_ROUNDING = 1e-15
_ITERATIONS = 200
_POLISHING = 30
#: The largest damping of steps that meet the equations to the last digit.
_DAMPED = 0.1
_RANK = 1e-9
#: Curvatures below this count as zero; and the step of their finite differences.
_FLAT, _DIFFERENCE = 1e-6, 1e-6
#: A descent ends when its step is shorter than this, or after this number of steps.
_ARRIVED = 1e-10
_DESCENT = 20

System = Callable[[Numbers], tuple[Numbers, Numbers]]


@dataclass(frozen=True)
class Found:
    """A position that satisfies all equations, and its distance.

    ``missed`` is the part of it that the guesses make.
    """

    q: Numbers
    distance: float
    missed: float


def choices(found: Sequence[Found]) -> Sequence[Found]:
    """The positions that may be meant: the first alone if the guesses are near to it and to no other."""
    first = found[0]
    clear = all(other.missed > first.missed + _NEAR for other in found[1:])
    return found[:1] if clear and first.missed <= _NEAR else found


class Search:
    """What is searched: ``equations`` are met, ``guesses`` as nearly as possible, both with derivatives.

    ``preferences`` count where guesses leave a choice. ``fixed`` are the equations of start values alone.
    ``rough`` is where coordinates are without guesses, and ``scale`` what counts as one unit of each.
    ``described`` tells by numbers where a position is.
    """

    def __init__(
        self,
        equations: System,
        fixed: System,
        guesses: System,
        preferences: System,
        described: Callable[[Numbers], Numbers],
        rough: Numbers,
        scale: Numbers,
    ) -> None:
        self._equations, self._fixed = equations, fixed
        self._guesses, self._preferences = guesses, preferences
        self._described, self._rough, self._scale = described, rough, scale

    def modes(self) -> tuple[list[Found], Numbers]:
        """The positions found, the nearest to the guesses first, and the one that is nearest to closed."""
        near = self._near_guesses(self._rough)
        found: list[Found] = []
        best, least = near, np.inf
        for number, start in enumerate(self._starts(near)):
            if found and (number > _STARTS + _STARTS // _BETWEEN_KEPT or found[0].distance <= _NEAR):
                break
            q = self._close(start) if number == 0 else self._approached(start)
            error = self.error(q)
            if error < least:
                best, least = q, error
            if error <= TOLERANCE * 10:
                q = self._without_rounding(self._descended(q))
                self._collect(found, self._found(q))
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
            away = random.uniform(-1.0, 1.0, near.size) * self._scale
            yield near + width * away
            if number % _BETWEEN_KEPT:  # what no guess concerns may be anywhere
                kept = _stacked(self._fixed, self._guesses)
                yield self._least_squares(kept, near + _WIDEST * away, 60)

    def _collect(self, found: list[Found], new: Found) -> None:
        """Put a position among the others by its distance; of equally near ones the upper right one leads."""
        here = self._described(new.q)
        place = 0
        for other in found:
            away = here - self._described(other.q)
            if np.abs(away).max(initial=0.0) < _SAME:
                return
            first = away[np.abs(away) > _SAME][0]
            tied = abs(other.distance - new.distance) <= _SAME
            place += bool(first < 0.0 if tied else other.distance < new.distance)
        found.insert(place, new)

    def _found(self, q: Numbers) -> Found:
        missed = _norm(self._guesses(q))
        return Found(q, float(np.hypot(missed, _PREFERENCE * _norm(self._preferences(q)))), missed)

    # --- towards guesses and equations ---------------------------------------------------------------

    def _near_guesses(self, q: Numbers) -> Numbers:
        """Levenberg-Marquardt on fixed values, guesses and preferences alone, the loops left aside."""
        both = _stacked(self._guesses, lambda q: _weighted(self._preferences(q), _PREFERENCE))
        return self._least_squares(_stacked(self._fixed, both), q, 60)

    def _approached(self, start: Numbers) -> Numbers:
        """Minimize equations and guesses together, then solve the equations alone."""
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
        last = np.inf
        for _ in range(_POLISHING):
            residual, jacobian = self._equations(q)
            error = np.abs(residual).max(initial=0.0)
            if error <= TOLERANCE and error >= last:  # rounding is all that is left
                break
            # Redundant rows depend on the others only where the equations are met. Damping by what is missed
            # keeps steps short along them, and still converges quadratically.
            damped = np.vstack([jacobian, min(error, _DAMPED) * np.eye(q.size)])
            right = np.concatenate([-residual, np.zeros(q.size)])
            step = np.linalg.lstsq(damped, right, rcond=_RANK)[0]
            size = np.abs(step).max(initial=0.0)
            q, last = q + step * min(1.0, 0.5 / max(size, 1e-300)), error
            if size < 1e-14:
                break
        return q

    def _descended(self, q: Numbers) -> Numbers:
        """The nearest position to the guesses that can be reached downhill with all equations met.

        Preferred values decide in the directions in which no guess changes.
        """
        both = _stacked(self._equations, self._guesses)
        return self._least(self._preferences, both, self._nearest(q), self._nearest)

    def _nearest(self, q: Numbers) -> Numbers:
        """The nearest position to the guesses, without preferences, from where equations are nearly met."""
        return self._least(self._guesses, self._equations, self._polished(q), self._polished)

    def _least(
        self, wanted: System, constraints: System, q: Numbers, restored: Callable[[Numbers], Numbers]
    ) -> Numbers:
        """Newton's method for the least |wanted|, along constraints to which positions are ``restored``."""
        for _ in range(_DESCENT):
            step = self._newton_step(wanted, constraints, q)
            size = np.abs(step / self._scale).max(initial=0.0)
            if size < _ARRIVED:
                break
            nearer = self._nearer(wanted, restored, q, step * min(1.0, 0.5 / size))
            if nearer is None:
                break
            q = nearer
        return q

    def _newton_step(self, wanted: System, constraints: System, q: Numbers) -> Numbers:
        """A step along the constraints by the curvature of the Lagrange function, never uphill."""
        matrix = constraints(q)[1] * self._scale
        free = _null_space(matrix)
        value, rates = wanted(q)
        if not free.size or not value.size:
            return np.zeros_like(q)
        gradient = self._scale * (rates.T @ value)
        multipliers = np.linalg.lstsq(matrix.T, -gradient, rcond=_RANK)[0]

        def slope(at: Numbers) -> Numbers:
            there, there_q = wanted(at)
            pull = constraints(at)[1].T @ multipliers
            result: Numbers = free.T @ (self._scale * (there_q.T @ there + pull))
            return result

        here = slope(q)
        moved = [slope(q + _DIFFERENCE * self._scale * direction) for direction in free.T]
        curvature = (np.array(moved) - here) / _DIFFERENCE
        sizes, directions = np.linalg.eigh(0.5 * (curvature + curvature.T))
        along = directions.T @ here
        weights = np.where(np.abs(sizes) > _FLAT, np.abs(sizes), np.inf)
        return np.asarray(self._scale * (free @ (directions @ (-along / weights))))

    def _nearer(
        self, wanted: System, restored: Callable[[Numbers], Numbers], q: Numbers, step: Numbers
    ) -> Numbers | None:
        """The position after a step, or a part of it, if it meets all equations and is nearer."""
        before, missed = _norm(wanted(q)), _norm(self._guesses(q))
        # Near a singular position the tolerance of the equations would let the position slip along them.
        closed = min(TOLERANCE * 10, max(4.0 * self.error(q), 10.0 * _ROUNDING))
        for part in (1.0, 0.5, 0.25, 0.1, 0.02):
            trial = restored(q + part * step)
            met = self.error(trial) <= closed and _norm(self._guesses(trial)) <= missed + _ARRIVED
            if met and _norm(wanted(trial)) < before:
                return trial
        return None


def _norm(system: tuple[Numbers, Numbers]) -> float:
    return float(np.linalg.norm(system[0]))


def _null_space(matrix: Numbers) -> Numbers:
    """An orthonormal basis of what a matrix maps to zero, in columns."""
    _, singular, right = np.linalg.svd(matrix, full_matrices=True)
    rank = int(np.sum(singular > _RANK * max(1.0, singular.max(initial=0.0))))
    return np.asarray(right[rank:].T)


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
