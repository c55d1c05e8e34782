"""A step at which importers with fixed steps can integrate a model.

The FMI compliance checker and many real-time systems integrate by explicit Euler, in steps of the declared
size. A mode exp(lambda t) of the linearized model is then multiplied by 1 + h lambda in each step. Where this
is larger in magnitude than exp(h Re lambda), the method adds a growth that the model does not have. Over the
run it may at most double an oscillation.

The model is linearized at its start. With r(s, y) = 0 for all equations, where the state s has positions q,
velocities v and network states x, and the unknowns y are accelerations, multipliers and network unknowns,

    dy = -r_y^-1 r_s ds,        Phi_q dq = 0,        Phi_q dv = -(Phi_q v - nu)_q dq.

All matrices are differences of the symbolic equations, evaluated in Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fmugen.evaluation import Evaluation
from fmugen.expr.calculus import postorder, symbols_of
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import SystemModel

__all__ = ["fixed_step"]

#: The most by which explicit Euler may multiply an oscillation of the linearized model over the run.
_GROWTH = 2.0
#: The communication step is divided by these: a multiple of the step declared is a communication point.
_DIVISORS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
#: Nodes to evaluate, counted once for every evaluation; a larger model is not linearized.
_MOST_WORK = 4e6
_ITERATIONS = 30
_CONVERGED = 1e-9
_RANK = 1e-10
#: Differences move a value by this part of it, or of the least size of a value.
_SHARE, _LEAST_SIZE = 1e-6, 1e-2

_Array = NDArray[np.float64]


def fixed_step(model: SystemModel, dae: Dae, flow: SolutionFlow) -> float:
    """The communication step of a model, divided until explicit Euler is stable.

    A model that cannot be linearized at its start, or is too large for it, keeps its communication step.
    """
    step, stop = model.experiment.step, model.experiment.stop
    try:
        modes = _modes(model, dae, flow)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):  # a formula has no value near the start
        return step
    most = math.log(_GROWTH)
    return next(
        (step / divisor for divisor in _DIVISORS if _growth(modes, step / divisor, stop) <= most),
        step / _DIVISORS[-1],
    )


def _growth(modes: Sequence[complex], h: float, stop: float) -> float:
    """The logarithm of what explicit Euler multiplies a mode by until the stop, beyond its own growth."""
    added = (math.log(max(abs(1.0 + h * mode), 1e-300)) / h - max(mode.real, 0.0) for mode in modes)
    return stop * max(added, default=0.0)


class _Sizes(NamedTuple):
    """How many values of each kind a model has."""

    coordinates: int
    rows: int
    states: int
    unknowns: int

    @property
    def equations(self) -> int:
        return self.coordinates + self.rows + self.unknowns


def _modes(model: SystemModel, dae: Dae, flow: SolutionFlow) -> list[complex]:
    """The eigenvalues of the model, linearized at its start."""
    sizes = _Sizes(len(dae.coordinates), len(flow.rows), len(dae.states), len(dae.iterated))
    evaluate = _equations(model, dae, flow, sizes)
    if evaluate is None:
        return []
    state, unknowns = _start(model, dae, flow, sizes)
    count = sizes.equations
    for _ in range(_ITERATIONS):
        by_unknowns = _differences(lambda y: evaluate(state, y), unknowns)
        change = _solved(by_unknowns[:count], -evaluate(state, unknowns)[:count])
        unknowns = unknowns + change
        if np.abs(change).max(initial=0.0) <= _CONVERGED * max(1.0, np.abs(unknowns).max(initial=0.0)):
            break
    by_state = _differences(lambda s: evaluate(s, unknowns), state)
    by_unknowns = _differences(lambda y: evaluate(state, y), unknowns)
    response = -_solved(by_unknowns[:count], by_state[:count])
    rates = by_state[count:] + by_unknowns[count:] @ response
    return [complex(mode) for mode in np.linalg.eigvals(_reduced(sizes, response, rates))]


def _reduced(sizes: _Sizes, response: _Array, rates: _Array) -> _Array:
    """The matrix of the free motion: of positions and velocities along the freedoms, and of the states.

    ``response`` has the derivatives of the unknowns by the state, ``rates`` those of the rates of network
    states and, below them, of the violation of the velocity constraints.
    """
    n, states = sizes.coordinates, sizes.states
    violation = rates[states:]
    by_positions, jacobian = violation[:, :n], violation[:, n : 2 * n]
    _, singular, right = np.linalg.svd(jacobian)
    rank = int(np.sum(singular > _RANK * singular.max(initial=0.0)))
    free = right[rank:].T
    freedoms = free.shape[1]
    moves = np.zeros((2 * n + states, 2 * freedoms + states))
    moves[:n, :freedoms] = free
    moves[n : 2 * n, :freedoms] = -_solved(jacobian, by_positions @ free)
    moves[n : 2 * n, freedoms : 2 * freedoms] = free
    moves[2 * n :, 2 * freedoms :] = np.eye(states)
    rows = (free.T @ moves[n : 2 * n], free.T @ (response[:n] @ moves), rates[:states] @ moves)
    result: _Array = np.vstack(rows)
    return result


def _equations(
    model: SystemModel, dae: Dae, flow: SolutionFlow, sizes: _Sizes
) -> Callable[[_Array, _Array], _Array] | None:
    """Residuals, rates of network states and violations of velocity constraints, by state and unknowns."""
    roots = [*_residuals(dae, flow), *(state.derivative for state in dae.states), *_violations(dae, flow)]
    at = Evaluation.at_defaults(model, dae)
    further = {
        "x": [state.symbol for state in dae.states],
        "a": [coordinate.acceleration for coordinate in dae.coordinates],
        "m": [dae.constraints[row].multiplier for row in flow.rows],
        "z": [unknown.symbol for unknown in dae.iterated],
    }
    known = at.known.union(*further.values())
    columns = 2 * sizes.coordinates + sizes.states + sizes.equations
    if not known.issuperset(symbols_of(roots)) or len(postorder(roots)) * columns > _MOST_WORK:
        return None
    evaluate = at.function(roots, **further)
    n = sizes.coordinates
    parts = (n, n, sizes.states), (n, sizes.rows, sizes.unknowns)

    def equations(state: _Array, unknowns: _Array) -> _Array:
        q, v, x = _split(state.tolist(), parts[0])
        return np.array(evaluate(q, v, x, *_split(unknowns.tolist(), parts[1])), dtype=np.float64)

    return equations


def _residuals(dae: Dae, flow: SolutionFlow) -> list[Expr]:
    """M a + Phi_q^T lambda - F, Phi_q a - gamma, and the equations of the network that are iterated."""
    dynamic = [-force for force in dae.force]
    for (row, column), entry in dae.mass.items():
        dynamic[row] = dynamic[row] + entry * dae.coordinates[column].acceleration
        if row != column:
            dynamic[column] = dynamic[column] + entry * dae.coordinates[row].acceleration
    kinematic = []
    for constraint in (dae.constraints[row] for row in flow.rows):
        residual = -constraint.gamma
        for column, entry in constraint.jacobian.items():
            dynamic[column] = dynamic[column] + entry * constraint.multiplier
            residual = residual + entry * dae.coordinates[column].acceleration
        kinematic.append(residual)
    iterated = [equation.residual for block in dae.network_blocks for equation in block.equations]
    return [*dynamic, *kinematic, *iterated]


def _violations(dae: Dae, flow: SolutionFlow) -> list[Expr]:
    """Phi_q v - nu."""
    found = []
    for constraint in (dae.constraints[row] for row in flow.rows):
        violation = -constraint.nu
        for column, entry in constraint.jacobian.items():
            violation = violation + entry * dae.coordinates[column].velocity
        found.append(violation)
    return found


def _start(model: SystemModel, dae: Dae, flow: SolutionFlow, sizes: _Sizes) -> tuple[_Array, _Array]:
    """The state at the start, and a guess of the unknowns."""
    evaluate = Evaluation.at_defaults(model, dae).function([state.start for state in dae.states])
    states = evaluate(flow.positions, flow.velocities)
    guesses = [0.0] * (sizes.coordinates + sizes.rows) + [unknown.guess for unknown in dae.iterated]
    return np.array([*flow.positions, *flow.velocities, *states]), np.array(guesses)


# --- numbers ------------------------------------------------------------------------------------------


def _split(values: Sequence[float], sizes: Iterable[int]) -> list[Sequence[float]]:
    return [values[begin:end] for begin, end in pairwise(accumulate(sizes, initial=0))]


def _differences(function: Callable[[_Array], _Array], at: _Array) -> _Array:
    """The derivatives of a vector by a vector, by central differences."""
    columns = []
    for index, value in enumerate(at.tolist()):
        step = np.zeros_like(at)
        step[index] = _SHARE * max(abs(value), _LEAST_SIZE)
        columns.append((function(at + step) - function(at - step)) / (2.0 * step[index]))
    if not columns:
        return np.zeros((len(function(at)), 0))
    return np.array(columns).T


def _solved(matrix: _Array, right: _Array) -> _Array:
    """The smallest of the best solutions."""
    if not matrix.size:
        return np.zeros((matrix.shape[1], *right.shape[1:]))
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=_RANK)[0], dtype=np.float64)
