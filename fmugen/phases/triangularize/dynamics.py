"""Positions that a mechanism passes when it moves by itself from its start until the declared stop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fmugen.evaluation import Evaluation
from fmugen.expr.calculus import postorder, symbols_of
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae
from fmugen.phases.triangularize.assemble import Assembly
from fmugen.phases.triangularize.motion import closed_position, radians
from fmugen.phases.triangularize.numeric import Numbers, Position, least_norm

__all__ = ["trajectory_positions"]

#: Larger equations are not compiled for an estimate of the motion.
_MOST_OPERATIONS = 12_000
#: Nodes to evaluate, counted once for every step.
_WORK = 300_000
#: A step moves no coordinate by more than this, in radians; a stop is reached in no fewer steps than these.
_TRAVEL = 0.15
_FEWEST = 20
_SOME_STEPS = 100
_MOST_STEPS = 1000
#: A mechanism with inputs that moves no further by itself is at rest, in radians.
_AT_REST = 0.1
_RANK = 1e-9


class _Dynamics:
    """Accelerations of all coordinates: M a + Phi_q^T lambda = F, Phi_q a = gamma."""

    def __init__(self, dae: Dae, assembly: Assembly, parameters: Sequence[float]) -> None:
        self._assembly = assembly
        self._places = list(dae.mass)
        self._size = len(dae.coordinates)
        self._evaluate = Evaluation(dae, parameters).function(_terms(dae))

    def accelerations(self, q: Numbers, v: Numbers, time: float) -> Numbers:
        values = self._evaluate(q.tolist(), v.tolist(), time=time)
        entries, rest = np.array(values[: len(self._places)]), np.array(values[len(self._places) :])
        mass = np.zeros((self._size, self._size))
        for (row, column), entry in zip(self._places, entries, strict=True):
            mass[row, column] = mass[column, row] = entry
        _, jacobian = self._assembly.constraints(q, time=time)
        rows = jacobian.shape[0]
        matrix = np.block([[mass, jacobian.T], [jacobian, np.zeros((rows, rows))]])
        solution = least_norm(matrix, rest, _RANK)
        return solution[: self._size]

    def step(self, q: Numbers, v: Numbers, time: float, h: float) -> tuple[Numbers, Numbers]:
        """A step of the classical Runge-Kutta method."""
        a1 = self.accelerations(q, v, time)
        v2 = v + h / 2 * a1
        a2 = self.accelerations(q + h / 2 * v, v2, time + h / 2)
        v3 = v + h / 2 * a2
        a3 = self.accelerations(q + h / 2 * v2, v3, time + h / 2)
        v4 = v + h * a3
        a4 = self.accelerations(q + h * v3, v4, time + h)
        return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def trajectory_positions(
    dae: Dae,
    assembly: Assembly,
    parameters: Sequence[float],
    q: Numbers,
    v: Numbers,
    stop: float,
    *,
    whole: bool = True,
) -> list[Position] | None:
    """Positions on the motion from ``q``, ``v`` until ``stop``, or up to a number of steps.

    The motion has fewer steps if it need not be ``whole``. There are no positions if a network drives the
    mechanism, since its states are not known here, or if it rests until inputs move it. Large mechanisms are
    not simulated.
    """
    terms = _terms(dae)
    known = Evaluation(dae, parameters).known.union(angle.symbol for angle in dae.angles)
    size = len(postorder(terms))
    if size > _MOST_OPERATIONS:
        return None
    if not known.issuperset(symbols_of(terms)):
        return []
    steps = max(_SOME_STEPS, min(_MOST_STEPS, _WORK // size)) if whole else _SOME_STEPS
    found = list(_trajectory(_Dynamics(dae, assembly, parameters), assembly, q, v, stop, steps))
    travel = max((np.abs((at.q - q) * radians(assembly)).max(initial=0.0) for at in found), default=0.0)
    return [] if dae.symbols.inputs and travel < _AT_REST else found


def _trajectory(
    dynamics: _Dynamics, assembly: Assembly, q: Numbers, v: Numbers, stop: float, steps: int
) -> Iterator[Position]:
    time, scales = 0.0, radians(assembly)
    for _ in range(steps):
        if time >= stop:
            return
        try:
            speed = np.abs(v * scales).max(initial=0.0)
            surge = np.abs(dynamics.accelerations(q, v, time) * scales).max(initial=0.0)
            quickest = speed + np.sqrt(speed * speed + 2 * surge * _TRAVEL)  # of speed*h + surge*h^2/2
            h = min(2 * _TRAVEL / max(quickest, 1e-12), stop / _FEWEST)
            q, v = dynamics.step(q, v, time, h)
        except OverflowError:  # steps that are too long for stiff forces have left the range of numbers
            return
        time += h
        closed = closed_position(assembly, q, time) if np.isfinite(q).all() and np.isfinite(v).all() else None
        if closed is None:
            return
        q = closed
        _, jacobian = assembly.constraints(q, time=time)
        rates, _ = assembly.rates(q, time=time)
        v = v + least_norm(jacobian, rates - jacobian @ v, _RANK)
        yield Position(q, time)


def _terms(dae: Dae) -> list[Expr]:
    return [*dae.mass.values(), *dae.force, *(row.gamma for row in dae.constraints)]
