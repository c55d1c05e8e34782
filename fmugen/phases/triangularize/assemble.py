"""Assembly: consistent start positions and velocities from the user's fixed values and guesses.

Positions solve  min |guess(q) - wanted|^2  subject to  Phi(q, 0) = 0 and fixed(q) = value
(:mod:`fmugen.phases.triangularize.search`). Velocities solve linear equations of the same form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fmugen.errors import AssemblyError
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Constraint, Dae
from fmugen.ir.flow import Move
from fmugen.phases.triangularize.numeric import Numbers, Residuals
from fmugen.phases.triangularize.search import TOLERANCE, Found, Search, choices, constrained_step

__all__ = ["Assembled", "Assembly", "Measures", "assemble"]

#: What a coordinate without a guess and what a fixed value weighs in the count of turns.
_WEAK, _STRONG = 0.1, 1e3
_TURN = 2.0 * np.pi
#: Added to the square of a cosine, so that its root has a derivative at zero.
_SMOOTHING = Fraction(1, 10**26)


@dataclass(frozen=True)
class Measures:
    """The units of the quantities of position, by name, and the length of the mechanism in metres."""

    units: Mapping[str, str]
    length: float = 1.0


def _poses(dae: Dae, units: Mapping[str, str]) -> tuple[list[Expr], list[bool]]:
    """The quantities by which positions are distinguished, and which of them are angles.

    They are measured quantities, or the coordinates if there are none.
    """
    measured = [name for name in dae.quantities if name in units]
    if not measured:
        return [row.position for row in dae.coordinates], [False] * len(dae.coordinates)
    return [dae.quantities[name] for name in measured], [units[name] == "rad" for name in measured]


def _equation_names(dae: Dae) -> Iterator[str]:
    """The equations of a start, as messages name them."""
    yield from (f"loop {row.origin.edge} ({row.name})" for row in dae.constraints)
    for row in dae.constraints:
        yield from (f"loop {row.origin.edge}" for _ in _vanishing(row))
    yield from (f"fixed start value of {name}" for name in dae.fixed_positions)


class Assembly:
    """The start conditions of a Dae, numerically."""

    def __init__(self, dae: Dae, parameters: Sequence[float], measures: Measures | None = None) -> None:
        self.dae, self._measures = dae, measures or Measures({})
        rows = dae.constraints
        jacobian = [row.jacobian for row in rows]
        self.constraints = Residuals(dae, [row.phi for row in rows], parameters, jacobian=jacobian)
        # Rows of Phi_q hold along unit Euler parameters alone; the search also leaves these.
        self._loops = Residuals(dae, [row.phi for row in rows], parameters)
        self.closed = Residuals(dae, [part for row in rows for part in _vanishing(row)], parameters)
        self.rates = Residuals(dae, [row.nu for row in rows], parameters, jacobian=[{} for _ in rows])
        self.fixed = Residuals(dae, list(dae.fixed_positions.values()), parameters)
        self.fixed_rates = Residuals(dae, list(dae.fixed_velocities.values()), parameters, by_velocity=True)
        guesses = list(dae.guesses.values())
        self.guesses = Residuals(dae, guesses, parameters)
        self.guess_rates = Residuals(dae, guesses, parameters, by_velocity=True)
        self._preferred = Residuals(dae, list(dae.preferred.values()), parameters)
        values, turning = _poses(dae, self._measures.units)
        self._turning = np.array(turning, dtype=bool)
        self._poses = Residuals(dae, values, parameters, jacobian=[{} for _ in values])
        self._equations = list(_equation_names(dae))

    def equations(self, q: Numbers) -> tuple[Numbers, Numbers]:
        phi, phi_q = self._loops(q)
        closed, closed_q = self.closed(q)
        fixed, fixed_q = self.fixed(q)
        return np.concatenate([phi, closed, fixed]), np.vstack([phi_q, closed_q, fixed_q])

    def modes(self) -> list[Found]:
        """Assembled positions, the nearest to the guesses first.

        Raises
        ------
        AssemblyError
            Naming the loop or start value that is furthest from being satisfied.
        """
        rough = np.array([coordinate.guess for coordinate in self.dae.coordinates])
        lengths = np.array([coordinate.unit == "m" for coordinate in self.dae.coordinates])
        search = Search(
            self.equations,
            self.fixed,
            self._position_guesses,
            self._preferences,
            self._described,
            rough,
            np.where(lengths, self._measures.length, 1.0),
        )
        found, best = search.modes()
        if not found:
            raise AssemblyError(self._refusal(best))
        return found

    def require_closed(self) -> None:
        """Raise unless all equations hold, where drivers determine everything.

        Raises
        ------
        AssemblyError
            Naming the loop or start value that is furthest from being satisfied.
        """
        nothing = np.zeros(0)
        if self._error(nothing) > TOLERANCE * 10:
            raise AssemblyError(self._refusal(nothing))

    def _refusal(self, q: Numbers) -> str:
        residual, jacobian = self.equations(q)
        worst = int(np.argmax(np.abs(residual)))
        rank = int(np.linalg.matrix_rank(jacobian, tol=1e-8)) if q.size else 0
        hint = "check the lengths and the start values"
        fixed = len(self.dae.fixed_positions)
        if fixed and rank < len(residual):
            hint = "too many start values may be fixed: make some of them guesses"
        return (
            f"the mechanism cannot be assembled: {self._equations[worst]} stays open by "
            f"{abs(residual[worst]):.3g}; {hint}"
        )

    def _position_guesses(self, q: Numbers) -> tuple[Numbers, Numbers]:
        """The deviations from guesses: angles up to whole turns, lengths relative to the mechanism."""
        value, matrix = self.guesses(q)
        units = self._measures.units
        keep = [number for number, name in enumerate(self.dae.guesses) if name in units]
        weights = self._weights(self.dae.guesses)
        return (weights * self.without_turns(value))[keep], (weights[:, None] * matrix)[keep]

    def _preferences(self, q: Numbers) -> tuple[Numbers, Numbers]:
        """The distance from zero of quantities without start value, in the same units as guesses."""
        value, matrix = self._preferred(q)
        angles = self._angles(self.dae.preferred)
        value[angles] -= _TURN * np.round(value[angles] / _TURN)
        weights = self._weights(self.dae.preferred)
        return weights * value, weights[:, None] * matrix

    def _weights(self, names: Iterable[str]) -> Numbers:
        """Factors that make parts of the mechanism's length of lengths."""
        is_length = np.array([self._measures.units.get(name) == "m" for name in names], dtype=bool)
        return np.where(is_length, 1.0 / self._measures.length, 1.0)

    def without_turns(self, missed: Numbers) -> Numbers:
        """The deviations from guesses, without whole turns of angles."""
        angles = self._angles(self.dae.guesses)
        result = missed.copy()
        result[angles] -= _TURN * np.round(missed[angles] / _TURN)
        return result

    def _described(self, q: Numbers) -> Numbers:
        """Where all bodies are, angles by cosine and sine."""
        values = self._poses(q)[0]
        return np.concatenate(
            [values[~self._turning], np.cos(values[self._turning]), np.sin(values[self._turning])]
        )

    def in_the_turns_of_guesses(self, q: Numbers) -> Numbers:
        """The same position in the plane, with the whole turns that fit the guesses of angles best.

        In the plane angles are sums of coordinates. Without guesses the coordinates are closest to zero.
        """
        columns = [number for number, c in enumerate(self.dae.coordinates) if c.unit == "rad"]
        missed, matrix = self.guesses(q)
        guessed, fixed = self._angles(self.dae.guesses), self._angles(self.dae.fixed_positions)
        away = np.array([q[column] - self.dae.coordinates[column].guess for column in columns])
        sums = np.vstack(
            [
                matrix[np.ix_(guessed, columns)],
                _STRONG * self.fixed(q)[1][np.ix_(fixed, columns)],
                _WEAK * np.eye(len(columns)),
            ]
        )
        wanted = np.concatenate([missed[guessed], np.zeros(len(fixed)), _WEAK * away])
        turns = np.round(np.linalg.lstsq(sums, wanted / _TURN, rcond=None)[0])
        turned = q.copy()
        turned[columns] -= _TURN * turns
        nearer = np.linalg.norm(wanted - _TURN * (sums @ turns)) < np.linalg.norm(wanted) - 1e-9
        return turned if nearer and self._error(turned) <= TOLERANCE * 10 else q

    def _angles(self, names: Iterable[str]) -> list[int]:
        """Which of the quantities are angles of position."""
        return [number for number, name in enumerate(names) if self._measures.units.get(name) == "rad"]

    def fewest_turns(self, q: Numbers) -> Numbers:
        """The same position with angles nearest to their guesses, or to zero, where turns do not matter."""
        missed = dict(zip(self.dae.guesses, self.guesses(q)[0], strict=True))
        for number, coordinate in enumerate(self.dae.coordinates):
            if coordinate.unit != "rad" or coordinate.name in self.dae.fixed_positions:
                continue
            away = missed.get(coordinate.name, q[number] - coordinate.guess)
            turned = q.copy()
            turned[number] -= _TURN * np.round(away / _TURN)
            if turned[number] != q[number] and self._error(turned) <= TOLERANCE * 10:
                q = turned
        return q

    def _error(self, q: Numbers) -> float:
        return float(np.abs(self.equations(q)[0]).max(initial=0.0))

    def velocities(self, q: Numbers) -> Numbers:
        """The velocities nearest to the guesses that satisfy the constraints and the fixed rates."""
        zero = np.zeros_like(q)
        nu, _ = self.rates(q)
        _, phi_q = self.constraints(q)
        fixed, fixed_v = self.fixed_rates(q, zero)
        if self.dae.steady:
            self._require_rest(np.concatenate([nu, fixed]))
            return zero
        matrix = np.vstack([phi_q, fixed_v])
        wanted = np.concatenate([nu, -fixed])
        guess, guess_v = self.guess_rates(q, zero)
        keep = np.any(guess_v != 0.0, axis=1)
        v = zero + constrained_step(matrix, -wanted, guess_v[keep], guess[keep])
        error = np.abs(matrix @ v - wanted)
        if error.max(initial=0.0) > 1e-8 * max(1.0, np.abs(wanted).max(initial=0.0)):
            worst = int(np.argmax(error))
            names = [f"loop {row.origin.edge} ({row.name})" for row in self.dae.constraints]
            names += [f"fixed start value of {name}" for name in self.dae.fixed_velocities]
            raise AssemblyError(
                f"the start velocities contradict each other: {names[worst]} differs by "
                f"{error[worst]:.3g}; make some fixed velocities guesses"
            )
        return v

    def _require_rest(self, speeds: Numbers) -> None:
        """Raise if drivers or fixed velocities move a start that is to be steady."""
        if np.abs(speeds).max(initial=0.0) <= TOLERANCE:
            return
        worst = int(np.argmax(np.abs(speeds)))
        names = [f"rate of loop {row.origin.edge} ({row.name})" for row in self.dae.constraints]
        names += self.dae.fixed_velocities
        raise AssemblyError(
            f"the start cannot be steady: the {names[worst]} is {abs(speeds[worst]):.3g} there; "
            "let the motion begin at rest, or remove steady from [start]"
        )


def _vanishing(row: Constraint) -> Iterator[Expr]:
    """Expressions that vanish where a loop is closed, besides its row.

    Some vanish only if a cosine is positive.
    """
    yield from row.closed
    for cosine in row.facing:
        yield cosine.dag.call("sqrt", cosine * cosine + cosine.dag.number(_SMOOTHING)) - cosine


class Assembled(NamedTuple):
    """An assembled start.

    ``moves`` are the corrections of the guesses. ``distances`` are those of all assembly modes that may be
    meant, first the one taken.
    """

    assembly: Assembly
    q: Numbers
    v: Numbers
    moves: tuple[Move, ...]
    distances: tuple[float, ...]


def assemble(dae: Dae, parameters: Sequence[float], measures: Measures, *, planar: bool) -> Assembled:
    """Start positions and velocities. Angles add in the plane; in space each is known up to whole turns."""
    assembly = Assembly(dae, parameters, measures)
    modes = assembly.modes()
    q = modes[0].q
    q = assembly.in_the_turns_of_guesses(q) if planar else assembly.fewest_turns(q)
    v = assembly.velocities(q)
    missed = assembly.without_turns(assembly.guesses(q, v)[0])
    moves = tuple(Move(name, float(miss)) for name, miss in zip(dae.guesses, missed, strict=True))
    return Assembled(assembly, q, v, moves, tuple(mode.distance for mode in choices(modes)))
