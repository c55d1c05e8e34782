"""Start values to a consistent start: positions that close all loops, velocities that respect them.

Body poses are nowhere given. A first sketch walks from the ground outward along joints, using the
start values of their coordinates. Levenberg-Marquardt then pulls the sketch towards all start values
at once, guesses weakly; Gauss-Newton with steps of least norm finally satisfies constraints and fixed
values exactly and moves no further than they ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmugen.errors import AssemblyError
from fmugen.verify.gauges import Gauge, gauges
from fmugen.verify.measures import Array, Bank, Displacement
from fmugen.verify.mechanism import Mechanism, split
from fmugen.verify.sketch import sketch_poses

#: What a guess weighs against a constraint in the first approach.
_GUESS_WEIGHT = 0.1
_CLOSED = 1e-12
#: Projections leave directions alone that the constraints hardly determine: near a singular position
#: rounding would otherwise be magnified into a jump to another assembly mode.
_PROJECTION_TOLERANCE = 1e-7
_APPROACHES = 24

_System = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True)
class Target:
    """A start value of one gauge."""

    name: str
    gauge: Gauge
    value: float
    fixed: bool


@dataclass(frozen=True)
class StartTargets:
    """The start values of a model, by level."""

    positions: tuple[Target, ...]
    velocities: tuple[Target, ...]


@dataclass(frozen=True)
class Start:
    """A consistent start of the moving bodies, and how many degrees of freedom the model left open."""

    poses: Array
    velocities: Array
    open_positions: int
    open_velocities: int


def start_targets(mechanism: Mechanism, initial: Mapping[str, float] | None = None) -> StartTargets:
    """The model's start values, and extra fixed ones by the name of a quantity."""
    by_position = {gauge.position: gauge for gauge in gauges(mechanism.layout)}
    by_velocity = {gauge.velocity: gauge for gauge in by_position.values()}
    values = {
        start.quantity: (mechanism.layout.number(start.value), start.fixed)
        for start in mechanism.model.starts
    }
    values |= {name: (value, True) for name, value in (initial or {}).items()}
    unknown = [name for name in values if name not in by_position and name not in by_velocity]
    if unknown:
        raise AssemblyError(f"not a position or velocity that can be given a start value: {unknown[0]}")
    return StartTargets(
        tuple(Target(n, by_position[n], *values[n]) for n in values if n in by_position),
        tuple(Target(n, by_velocity[n], *values[n]) for n in values if n in by_velocity),
    )


def assemble(mechanism: Mechanism, time: float, initial: Mapping[str, float] | None = None) -> Start:
    """Find a consistent start.

    Parameters
    ----------
    mechanism, time
        What is assembled, and when: prescribed motions have their value at that time.
    initial
        Extra fixed start values, position or velocity quantities by name.

    Raises
    ------
    AssemblyError
        If the loops cannot be closed from the given start values.
    """
    targets = start_targets(mechanism, initial)
    poses = _positions(mechanism, time, targets.positions)
    velocities = _velocities(mechanism, time, poses, targets.velocities)
    return Start(
        poses,
        velocities,
        _open_freedoms(mechanism, time, poses, targets.positions),
        _open_freedoms(mechanism, time, poses, targets.velocities),
    )


def project_positions(mechanism: Mechanism, time: float, poses: Array) -> Array:
    """The poses moved by the least amount that satisfies the constraints."""
    scale = mechanism.scale
    residual, jacobian = mechanism.violation(time, poses)
    error = float(np.max(np.abs(residual), initial=0.0))
    while error > 1e-15 * mechanism.layout.length:
        parts = split(jacobian * scale, _PROJECTION_TOLERANCE)
        trial = poses - scale * parts.least_norm(residual)
        residual, jacobian = mechanism.violation(time, trial)
        trial_error = float(np.max(np.abs(residual)))
        if not trial_error < 0.5 * error:
            break
        poses, error = trial, trial_error
    return poses


def project_velocities(mechanism: Mechanism, time: float, poses: Array, velocities: Array) -> Array:
    """The velocities changed by the least amount that satisfies the constraints' rates."""
    _, jacobian = mechanism.violation(time, poses)
    if not len(jacobian):
        return velocities
    scale = mechanism.scale
    excess = jacobian @ velocities - mechanism.targets(time)[1]
    parts = split(jacobian * scale, _PROJECTION_TOLERANCE)
    result: Array = velocities - scale * parts.least_norm(excess)
    return result


# --- positions ---------------------------------------------------------------------------------


def _positions(mechanism: Mechanism, time: float, targets: Sequence[Target]) -> Array:
    fixed = [target for target in targets if target.fixed]
    guessed = [target for target in targets if not target.fixed]
    towards_all = _system(mechanism, time, fixed, guessed)
    exact = _system(mechanism, time, fixed, [])
    first = sketch_poses(mechanism, {target.name: target.value for target in targets}, time)
    scale = mechanism.scale
    shaken = np.random.default_rng(0)
    best = np.inf
    best_poses = first
    for approach in range(_APPROACHES):
        # A sketch may sit in a singular posture, such as a mechanism laid out flat: shake it, ever harder.
        shake = 0.0 if approach == 0 else min(1.0, 0.02 * 1.3**approach)
        poses = first + shake * scale * shaken.standard_normal(len(first))
        poses = _gauss_newton(exact, _approach(exact, _approach(towards_all, poses, scale), scale), scale)
        error = float(np.max(np.abs(exact(poses)[0]), initial=0.0))
        if error < best:
            best, best_poses = error, poses
        if best < _CLOSED:
            return best_poses
    raise AssemblyError(_why_open(mechanism, time, best_poses, fixed))


def _system(mechanism: Mechanism, time: float, fixed: Sequence[Target], guessed: Sequence[Target]) -> _System:
    """Constraints, fixed values and weighted guesses as one function of the poses, in scaled rows."""
    bodies = len(mechanism.model.bodies) + 1
    watched = [*fixed, *guessed]
    bank = Bank([target.gauge.measure for target in watched], bodies)
    wanted = np.array([target.value for target in watched])
    measures = [row.measure for row in mechanism.rows] + [target.gauge.measure for target in watched]
    length = mechanism.layout.length
    weight = np.array([1.0 / length if isinstance(measure, Displacement) else 1.0 for measure in measures])
    weight[len(measures) - len(guessed) :] *= _GUESS_WEIGHT

    def evaluate(poses: Array) -> tuple[Array, Array]:
        residual, jacobian = mechanism.violation(time, poses)
        values = bank.at(mechanism.extend(poses))
        all_residuals = np.concatenate((residual, values.value - wanted))
        all_rows = np.vstack((jacobian, values.jacobian[:, : mechanism.size]))
        return weight * all_residuals, weight[:, None] * all_rows

    return evaluate


def _approach(system: _System, poses: Array, scale: Array) -> Array:
    """Levenberg-Marquardt: the nearest least-squares solution that can be reached downhill."""
    damping = 1e-3
    residual, jacobian = system(poses)
    cost = float(residual @ residual)
    identity = np.eye(len(poses))
    for _ in range(200):
        if cost < 1e-20 or damping > 1e8:
            break
        scaled = jacobian * scale
        step = np.linalg.solve(scaled.T @ scaled + damping * identity, -(scaled.T @ residual))
        trial = poses + scale * step
        trial_residual, trial_jacobian = system(trial)
        trial_cost = float(trial_residual @ trial_residual)
        if trial_cost < cost:
            converged = cost - trial_cost < 1e-12 * cost
            poses, residual, jacobian, cost = trial, trial_residual, trial_jacobian, trial_cost
            damping = max(damping * 0.2, 1e-12)
            if converged:
                break
        else:
            damping *= 4.0
    return poses


def _gauss_newton(system: _System, poses: Array, scale: Array) -> Array:
    """Steps of least norm until rounding is all that is left."""
    residual, jacobian = system(poses)
    error = float(np.max(np.abs(residual), initial=0.0))
    for _ in range(20):
        if error == 0.0:
            break
        trial = poses - scale * split(jacobian * scale).least_norm(residual)
        trial_residual, trial_jacobian = system(trial)
        trial_error = float(np.max(np.abs(trial_residual), initial=0.0))
        if not trial_error < error:
            break
        poses, residual, jacobian, error = trial, trial_residual, trial_jacobian, trial_error
    return poses


def _why_open(mechanism: Mechanism, time: float, poses: Array, fixed: Sequence[Target]) -> str:
    residual, _ = _system(mechanism, time, fixed, [])(poses)
    worst = int(np.argmax(np.abs(residual)))
    names = [f"constraint '{row.name}'" for row in mechanism.rows]
    names += [f"start value of {target.name}" for target in fixed]
    return (
        f"{mechanism.model.name} cannot be assembled from its start values: the {names[worst]} "
        f"stays off by {abs(residual[worst]):.3g} (relative to the size of the mechanism). "
        "Check lengths and fixed start values, or give better guesses."
    )


# --- velocities --------------------------------------------------------------------------------


def _velocities(mechanism: Mechanism, time: float, poses: Array, targets: Sequence[Target]) -> Array:
    """Velocities nearest to the guesses that respect constraints and fixed values."""
    scale = mechanism.scale
    guessed = [target for target in targets if not target.fixed]
    fixed = [target for target in targets if target.fixed]
    velocities = np.zeros(mechanism.size)
    if guessed:
        rows = _gradient(mechanism, poses, guessed) * scale
        velocities = scale * split(rows).least_norm(np.array([target.value for target in guessed]))
    _, jacobian = mechanism.violation(time, poses)
    rows = np.vstack((jacobian, _gradient(mechanism, poses, fixed))) * scale
    wanted = np.concatenate((mechanism.targets(time)[1], [target.value for target in fixed]))
    if len(rows):
        velocities = velocities + scale * split(rows).least_norm(wanted - rows @ (velocities / scale))
    _check_velocities(mechanism, rows @ (velocities / scale) - wanted, wanted, fixed)
    return velocities


def _check_velocities(mechanism: Mechanism, error: Array, wanted: Array, fixed: Sequence[Target]) -> None:
    if not len(error) or np.max(np.abs(error)) <= 1e-9 * max(1.0, float(np.max(np.abs(wanted)))):
        return
    names = [row.name for row in mechanism.rows] + [target.name for target in fixed]
    worst = int(np.argmax(np.abs(error)))
    raise AssemblyError(
        f"{mechanism.model.name} cannot start with its fixed velocities: {names[worst]} "
        f"stays off by {abs(error[worst]):.3g}"
    )


def _gradient(mechanism: Mechanism, poses: Array, targets: Sequence[Target]) -> Array:
    bank = Bank([target.gauge.measure for target in targets], len(mechanism.model.bodies) + 1)
    return bank.at(mechanism.extend(poses)).jacobian[:, : mechanism.size]


def _open_freedoms(mechanism: Mechanism, time: float, poses: Array, targets: Sequence[Target]) -> int:
    return int(free_directions(mechanism, time, poses, targets).shape[1])


def free_directions(mechanism: Mechanism, time: float, poses: Array, targets: Sequence[Target]) -> Array:
    """A basis of the coordinate changes that neither constraints nor fixed values rule out."""
    _, jacobian = mechanism.violation(time, poses)
    fixed = [target for target in targets if target.fixed]
    return split(np.vstack((jacobian, _gradient(mechanism, poses, fixed)))).free
