"""Assembly: consistent start positions and velocities from the user's fixed values and guesses.

Positions solve  min |guess(q) - wanted|^2  subject to  Phi(q, 0) = 0 and fixed(q) = value, by
Gauss-Newton steps that first satisfy the equations (minimal norm) and then use what freedom is left
for the guesses; steps are halved until the residual falls.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmugen.errors import AssemblyError
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Move
from fmugen.phases.triangularize.numeric import Numbers, Residuals

__all__ = ["Assembly", "assemble"]

_TOLERANCE = 1e-12
_ITERATIONS = 200
_POLISHING = 30
_RETRIES = 12
_RANK = 1e-9
_TURN = 2.0 * np.pi


class Assembly:
    """The start conditions of a Dae, numerically."""

    def __init__(self, dae: Dae, parameters: Sequence[float]) -> None:
        self.dae = dae
        rows = dae.constraints
        jacobian = [row.jacobian for row in rows]
        self.constraints = Residuals(dae, [row.phi for row in rows], parameters, jacobian=jacobian)
        self.closed = Residuals(dae, [part for row in rows for part in row.closed], parameters)
        self.rates = Residuals(dae, [row.nu for row in rows], parameters, jacobian=[{} for _ in rows])
        self.fixed = Residuals(dae, list(dae.fixed_positions.values()), parameters)
        self.fixed_rates = Residuals(dae, list(dae.fixed_velocities.values()), parameters, by_velocity=True)
        guesses = list(dae.guesses.values())
        self.guesses = Residuals(dae, guesses, parameters)
        self.guess_rates = Residuals(dae, guesses, parameters, by_velocity=True)
        self._equations = [f"loop {row.origin.edge} ({row.name})" for row in rows]
        self._equations += [f"loop {row.origin.edge}" for row in rows for _ in row.closed]
        self._equations += [f"fixed start value of {name}" for name in dae.fixed_positions]

    def equations(self, q: Numbers) -> tuple[Numbers, Numbers]:
        phi, phi_q = self.constraints(q)
        closed, closed_q = self.closed(q)
        fixed, fixed_q = self.fixed(q)
        return np.concatenate([phi, closed, fixed]), np.vstack([phi_q, closed_q, fixed_q])

    def positions(self) -> Numbers:
        """Assembled positions.

        Raises
        ------
        AssemblyError
            Naming the loop or start value that is furthest from being satisfied.
        """
        rough = np.array([coordinate.guess for coordinate in self.dae.coordinates])
        size = rough.size
        random = np.random.default_rng(0)
        best: tuple[float, Numbers] | None = None
        for attempt in range(_RETRIES):
            scatter = random.uniform(-0.3, 0.3, size) * attempt
            q = self._close(self._near_guesses(rough + scatter))
            error = self._error(q)
            if error <= _TOLERANCE * 10:
                return q
            if best is None or error < best[0]:
                best = (error, q)
        raise AssemblyError(self._refusal(best[1] if best else rough))

    def require_closed(self) -> None:
        """Where drivers determine everything: whether all equations are met.

        Raises
        ------
        AssemblyError
            Naming the loop or start value that is furthest from being satisfied.
        """
        nothing = np.zeros(0)
        if self._error(nothing) > _TOLERANCE * 10:
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

    def _near_guesses(self, q: Numbers) -> Numbers:
        """Levenberg-Marquardt on fixed values and guesses alone, the constraints left aside."""

        def residual(at: Numbers) -> tuple[Numbers, Numbers]:
            fixed, fixed_q = self.fixed(at)
            guess, guess_q = self._position_guesses(at)
            return np.concatenate([fixed, guess]), np.vstack([fixed_q, guess_q])

        damping = 1e-3
        value, matrix = residual(q)
        for _ in range(60):
            damped = np.vstack([matrix, np.sqrt(damping) * np.eye(q.size)])
            step = np.linalg.lstsq(damped, np.concatenate([-value, np.zeros(q.size)]), rcond=None)[0]
            trial_value, trial_matrix = residual(q + step)
            if trial_value @ trial_value < value @ value:
                q, value, matrix, damping = q + step, trial_value, trial_matrix, damping / 4
            else:
                damping *= 4
            if np.abs(step).max(initial=0.0) < 1e-10 or damping > 1e8:
                break
        return q

    def _position_guesses(self, q: Numbers) -> tuple[Numbers, Numbers]:
        """Guesses of positions only: those that do not change with velocity."""
        value, matrix = self.guesses(q)
        _, by_velocity = self.guess_rates(q)
        keep = ~np.any(by_velocity != 0.0, axis=1)
        return value[keep], matrix[keep]

    def _close(self, q: Numbers) -> Numbers:
        for _ in range(_ITERATIONS):
            residual, jacobian = self.equations(q)
            guess, guess_q = self._position_guesses(q)
            step = _constrained_step(jacobian, residual, guess_q, guess)
            size = np.abs(step).max(initial=0.0)
            if size > 0.5:  # angles: never more than half a radian at once
                step *= 0.5 / size
            merit = np.linalg.norm(residual)
            scale = 1.0
            while scale > 1e-4 and merit > _TOLERANCE:
                if np.linalg.norm(self.equations(q + scale * step)[0]) < merit * (1 - 0.1 * scale):
                    break
                scale /= 2
            q = q + scale * step
            if size * scale < 1e-14 or (merit < _TOLERANCE and size < 1e-9):
                break
        return self._polish(q)

    def _polish(self, q: Numbers) -> Numbers:
        """The equations alone, to the last digit: guesses may have pushed along what hardly matters."""
        for _ in range(_POLISHING):
            residual, jacobian = self.equations(q)
            step = np.linalg.lstsq(jacobian, -residual, rcond=_RANK)[0]
            size = np.abs(step).max(initial=0.0)
            q = q + step * min(1.0, 0.5 / max(size, 1e-300))
            if size < 1e-14:
                break
        return q

    def fewest_turns(self, q: Numbers) -> Numbers:
        """The same position with angles nearest to their guesses, or to zero, where turns do not matter."""
        missed = dict(zip(self.dae.guesses, self.guesses(q)[0], strict=True))
        for number, coordinate in enumerate(self.dae.coordinates):
            if coordinate.unit != "rad" or coordinate.name in self.dae.fixed_positions:
                continue
            away = missed.get(coordinate.name, q[number] - coordinate.guess)
            turned = q.copy()
            turned[number] -= _TURN * np.round(away / _TURN)
            if turned[number] != q[number] and self._error(turned) <= _TOLERANCE * 10:
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
        v = zero + _constrained_step(matrix, -wanted, guess_v[keep], guess[keep])
        error = np.abs(matrix @ v - wanted)
        if error.max(initial=0.0) > 1e-8 * max(1.0, np.abs(wanted).max(initial=0.0)):
            worst = int(np.argmax(error))
            names = [f"loop {row.origin.edge} ({row.name})" for row in self.dae.constraints]
            names += [f"fixed start value of {name}" for name in self.dae.fixed_velocities]
            raise AssemblyError(
                f"the start velocities contradict one another: {names[worst]} is off by "
                f"{error[worst]:.3g}; make some fixed velocities guesses"
            )
        return v

    def _require_rest(self, speeds: Numbers) -> None:
        """Raise if drivers or fixed velocities move a start that is to be steady."""
        if np.abs(speeds).max(initial=0.0) <= _TOLERANCE:
            return
        worst = int(np.argmax(np.abs(speeds)))
        names = [f"rate of loop {row.origin.edge} ({row.name})" for row in self.dae.constraints]
        names += self.dae.fixed_velocities
        raise AssemblyError(
            f"the start cannot be steady: the {names[worst]} is {abs(speeds[worst]):.3g} there; "
            "let the motion begin at rest, or take steady out of [start]"
        )


def _constrained_step(matrix: Numbers, residual: Numbers, guess_matrix: Numbers, guess: Numbers) -> Numbers:
    """The step that satisfies the equations and, with what freedom is left, nears the guesses."""
    left, singular, right = np.linalg.svd(matrix, full_matrices=True)
    rank = int(np.sum(singular > _RANK * max(1.0, singular.max(initial=0.0))))
    solved = right[:rank].T @ ((left.T @ -residual)[:rank] / singular[:rank])
    free = right[rank:].T
    if not free.size or not guess.size:
        return np.asarray(solved)
    rest = np.linalg.lstsq(guess_matrix @ free, -(guess + guess_matrix @ solved), rcond=_RANK)[0]
    return np.asarray(solved + free @ rest)


def assemble(
    dae: Dae, parameters: Sequence[float], *, planar: bool
) -> tuple[Assembly, Numbers, Numbers, tuple[Move, ...]]:
    """Start positions and velocities, and how far the guesses had to move.

    Angles add in the plane; in space each one is known up to whole turns.
    """
    assembly = Assembly(dae, parameters)
    q = assembly.positions()
    if not planar:
        q = assembly.fewest_turns(q)
    v = assembly.velocities(q)
    missed, _ = assembly.guesses(q, v)
    moves = tuple(Move(name, float(miss)) for name, miss in zip(dae.guesses, missed, strict=True))
    return assembly, q, v, moves
