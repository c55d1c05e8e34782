"""Start values -> a consistent start: positions and velocities that satisfy all constraints.

The search begins at the rough pose of :mod:`fmugen.verify.initial_pose`. The Levenberg-Marquardt method fits
it to all start values at once; guesses have a small weight. Gauss-Newton steps of least norm then satisfy
constraints and fixed values exactly, with the smallest change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmugen.errors import AssemblyError
from fmugen.verify.compiled import CLOSED, PROJECTION_TOLERANCE
from fmugen.verify.initial_pose import initial_pose
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import NamedMeasure, is_angle, is_length, wrapped
from fmugen.verify.mechanism import RANK_TOLERANCE, Mechanism, split
from fmugen.verify.rotations import Array
from fmugen.verify.winding import with_spring_turns

#: The weight of a guess relative to a constraint.
_GUESS_WEIGHT = 0.1
_CLOSED = 1e-12
_APPROACHES = 24
#: Starts about a posture from which others are searched, and their spread (rad, or lengths of the mechanism).
_SCATTERED, _WIDTH = 12, 1.5
#: A cosine that is one in the right assembly is below this in any other.
_UPRIGHT = 0.5

_System = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True)
class Target:
    """A start value of one named measure."""

    name: str
    named: NamedMeasure
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

    coordinates: Array
    velocities: Array
    open_positions: int
    open_velocities: int


def start_targets(
    mechanism: Mechanism,
    initial: Mapping[str, float] | None = None,
    hints: Mapping[str, float] | None = None,
) -> StartTargets:
    """The model's start values, extra fixed ones, and guesses, by the name of a quantity."""
    by_position = {named.position: named for named in mechanism.measures if named.position}
    by_velocity = {named.velocity: named for named in mechanism.measures if named.velocity}
    values = _start_values(mechanism, initial or {}, hints or {})
    known = by_position.keys() | by_velocity.keys()
    unknown = [name for name in values if name not in known]
    if unknown:
        raise AssemblyError(
            f"{unknown[0]} cannot have a start value: it is not a quantity of position or velocity"
        )
    return StartTargets(
        tuple(Target(n, by_position[n], *values[n]) for n in values if n in by_position),
        tuple(Target(n, by_velocity[n], *values[n]) for n in values if n in by_velocity),
    )


def _start_values(
    mechanism: Mechanism, initial: Mapping[str, float], hints: Mapping[str, float]
) -> dict[str, tuple[float, bool]]:
    """The start values of quantities that are not states, and whether they are fixed."""
    number = mechanism.layout.number
    values = {name: (value, False) for name, value in hints.items()}
    values |= {start.quantity: (number(start.value), start.fixed) for start in mechanism.model.starts}
    values |= {name: (value, True) for name, value in initial.items()}
    return {name: value for name, value in values.items() if name not in mechanism.states.names}


def assemble(
    mechanism: Mechanism,
    time: float,
    initial: Mapping[str, float] | None = None,
    hints: Mapping[str, float] | None = None,
    posture: Array | None = None,
) -> Start:
    """Find a consistent start.

    Parameters
    ----------
    mechanism, time
        The mechanism, and the time at which prescribed motions are evaluated.
    initial
        Extra fixed start values, position or velocity quantities by name.
    hints
        Extra guesses of quantities without a start value.
    posture
        Coordinates that close the loops approximately. They are made exact; no other mode is searched.

    Raises
    ------
    AssemblyError
        If the loops cannot be closed from the given start values.
    """
    targets = start_targets(mechanism, initial, hints)
    coordinates = (
        _positions(mechanism, time, targets.positions)
        if posture is None
        else _exact(mechanism, time, posture, [target for target in targets.positions if target.fixed])
    )
    coordinates = with_spring_turns(mechanism, coordinates, {target.name for target in targets.positions})
    velocities = _velocities(mechanism, time, coordinates, targets.velocities)
    return Start(
        coordinates,
        velocities,
        _open_freedoms(free_directions(mechanism, time, coordinates, targets.positions)),
        _open_freedoms(free_velocities(mechanism, time, coordinates, targets.velocities)),
    )


def project_positions(mechanism: Mechanism, time: float, coordinates: Array) -> Array:
    """The coordinates moved by the least amount that satisfies the constraints."""
    scale = mechanism.scale
    residual, jacobian = mechanism.constraints.violation(time, coordinates)
    error = float(np.max(np.abs(residual), initial=0.0))
    while error > CLOSED * mechanism.length:
        parts = split(jacobian * scale, PROJECTION_TOLERANCE)
        trial = mechanism.chart.move(coordinates, -scale * parts.least_norm(residual))
        residual, jacobian = mechanism.constraints.violation(time, trial)
        trial_error = float(np.max(np.abs(residual)))
        if not trial_error < 0.5 * error:
            break
        coordinates, error = trial, trial_error
    return mechanism.normalized(coordinates)


def guess_distance(mechanism: Mechanism, coordinates: Array, guesses: Sequence[Target]) -> float:
    """The distance of a posture from guesses, in rad and lengths of the mechanism, without whole turns."""
    batch = MeasureBatch([target.named.measure for target in guesses], mechanism.chart)
    missed = batch.at(mechanism.chart.posture(coordinates)).value - [target.value for target in guesses]
    for number, target in enumerate(guesses):
        if is_length(target.named.measure):
            missed[number] /= mechanism.length
        elif is_angle(target.named.measure):
            missed[number] = wrapped(missed[number : number + 1])[0]
    return float(np.linalg.norm(missed))


def closed(mechanism: Mechanism, time: float, coordinates: Array, fixed: Sequence[Target]) -> Array:
    """The nearest coordinates that satisfy constraints and fixed values."""
    system = _system(mechanism, time, fixed, [])
    return mechanism.normalized(_Search(mechanism).gauss_newton(system, coordinates))


def project_velocities(mechanism: Mechanism, time: float, coordinates: Array, velocities: Array) -> Array:
    """The velocities changed by the least amount that satisfies the constraints' rates."""
    jacobian, rates = mechanism.constraints.velocity_rows(time, coordinates)
    if not len(jacobian):
        return velocities
    scale = mechanism.scale
    excess = jacobian @ velocities - rates
    parts = split(jacobian * scale, PROJECTION_TOLERANCE)
    result: Array = velocities - scale * parts.least_norm(excess)
    return result


# --- positions ---------------------------------------------------------------------------------


def _positions(mechanism: Mechanism, time: float, targets: Sequence[Target]) -> Array:
    fixed = [target for target in targets if target.fixed]
    guessed = [target for target in targets if not target.fixed]
    towards_all = _system(mechanism, time, fixed, guessed)
    exact = _system(mechanism, time, fixed, [])
    first = initial_pose(mechanism, {target.name: target.value for target in targets}, time)
    search = _Search(mechanism)
    random = np.random.default_rng(0)
    best = np.inf
    best_found = first
    for approach in range(_APPROACHES):
        # The rough pose may be singular, such as a flat mechanism: perturb it, more with every attempt.
        size = 0.0 if approach == 0 else min(1.0, 0.02 * 1.3**approach)
        step = size * mechanism.scale * random.standard_normal(mechanism.size)
        found = search.approach(towards_all, mechanism.chart.move(first, step))
        found = search.gauss_newton(exact, search.approach(exact, found))
        error = float(np.max(np.abs(exact(found)[0]), initial=0.0))
        if error < best and not is_upside_down(mechanism, found):
            best, best_found = error, found
        if best < _CLOSED:
            return mechanism.normalized(best_found)
    raise AssemblyError(_why_open(mechanism, time, best_found, fixed))


def scattered(mechanism: Mechanism, posture: Array, targets: Sequence[Target]) -> Iterator[Array]:
    """Postures with closed loops and fixed values at the start, found from about another one."""
    exact = _system(mechanism, 0.0, [target for target in targets if target.fixed], [])
    search, shaken = _Search(mechanism), np.random.default_rng(0)
    for _ in range(_SCATTERED):
        step = _WIDTH * mechanism.scale * shaken.standard_normal(mechanism.size)
        found = search.approach(exact, mechanism.chart.move(posture, step))
        found = search.gauss_newton(exact, found)
        closed = float(np.max(np.abs(exact(found)[0]), initial=0.0)) < _CLOSED
        if closed and not is_upside_down(mechanism, found):
            yield mechanism.normalized(found)


def _exact(mechanism: Mechanism, time: float, posture: Array, fixed: Sequence[Target]) -> Array:
    """A posture corrected to satisfy constraints and fixed values to rounding."""
    system = _system(mechanism, time, fixed, [])
    return mechanism.normalized(_Search(mechanism).gauss_newton(system, posture, PROJECTION_TOLERANCE))


def is_upside_down(mechanism: Mechanism, coordinates: Array) -> bool:
    """Whether the axes of a joint are parallel but point in opposite directions."""
    poses = [each.parts.pose for each in mechanism.elements if each.parts.pose is not None]
    cosines = MeasureBatch([cosine for pose in poses for cosine in pose.upright], mechanism.chart)
    return bool(np.any(cosines.at(mechanism.chart.posture(coordinates)).value < _UPRIGHT))


def _system(mechanism: Mechanism, time: float, fixed: Sequence[Target], guessed: Sequence[Target]) -> _System:
    """Constraints, fixed values and weighted guesses as one function of the coordinates, in scaled rows."""
    watched = [*fixed, *guessed]
    batch = MeasureBatch([target.named.measure for target in watched], mechanism.chart)
    wanted = np.array([target.value for target in watched])
    measures = [row.measure for row in mechanism.constraints.position_rows] + [
        target.named.measure for target in watched
    ]
    length = mechanism.length
    weight = np.array([1.0 / length if is_length(measure) else 1.0 for measure in measures])
    weight[len(measures) - len(guessed) :] *= _GUESS_WEIGHT

    def evaluate(coordinates: Array) -> tuple[Array, Array]:
        residual, jacobian = mechanism.constraints.violation(time, coordinates)
        values = batch.at(mechanism.chart.posture(coordinates))
        all_residuals = np.concatenate((residual, values.value - wanted))
        all_rows = np.vstack((jacobian, values.jacobian))
        return weight * all_residuals, weight[:, None] * all_rows

    return evaluate


class _Search:
    """Searches for a posture, in scaled steps along the rates of the chart."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._chart, self._scale = mechanism.chart, mechanism.scale

    def approach(self, system: _System, coordinates: Array) -> Array:
        """Levenberg-Marquardt: a local least-squares solution."""
        damping = 1e-3
        residual, jacobian = system(coordinates)
        cost = float(residual @ residual)
        identity = np.eye(len(self._scale))
        for _ in range(200):
            if cost < 1e-20 or damping > 1e8:
                break
            scaled = jacobian * self._scale
            step = np.linalg.solve(scaled.T @ scaled + damping * identity, -(scaled.T @ residual))
            trial = self._chart.move(coordinates, self._scale * step)
            trial_residual, trial_jacobian = system(trial)
            trial_cost = float(trial_residual @ trial_residual)
            if trial_cost < cost:
                converged = cost - trial_cost < 1e-12 * cost
                coordinates, residual, jacobian, cost = trial, trial_residual, trial_jacobian, trial_cost
                damping = max(damping * 0.2, 1e-12)
                if converged:
                    break
            else:
                damping *= 4.0
        return coordinates

    def gauss_newton(self, system: _System, coordinates: Array, tolerance: float = RANK_TOLERANCE) -> Array:
        """Steps of least norm until the residual stops falling."""
        residual, jacobian = system(coordinates)
        error = float(np.max(np.abs(residual), initial=0.0))
        for _ in range(20):
            if error == 0.0:
                break
            step = split(jacobian * self._scale, tolerance).least_norm(residual)
            trial = self._chart.move(coordinates, -self._scale * step)
            trial_residual, trial_jacobian = system(trial)
            trial_error = float(np.max(np.abs(trial_residual), initial=0.0))
            if not trial_error < error:
                break
            coordinates, residual, jacobian, error = trial, trial_residual, trial_jacobian, trial_error
        return coordinates


def _why_open(mechanism: Mechanism, time: float, coordinates: Array, fixed: Sequence[Target]) -> str:
    residual, _ = _system(mechanism, time, fixed, [])(coordinates)
    worst = int(np.argmax(np.abs(residual)))
    names = [f"constraint '{row.name}'" for row in mechanism.constraints.position_rows]
    names += [f"start value of {target.name}" for target in fixed]
    return (
        f"{mechanism.model.name} cannot be assembled from its start values: the {names[worst]} "
        f"stays off by {abs(residual[worst]):.3g} (relative to the size of the mechanism). "
        "Check lengths and fixed start values, or give better guesses."
    )


# --- velocities --------------------------------------------------------------------------------


def _velocities(mechanism: Mechanism, time: float, coordinates: Array, targets: Sequence[Target]) -> Array:
    """Velocities nearest to the guesses that respect constraints and fixed values."""
    scale = mechanism.scale
    guessed = [target for target in targets if not target.fixed]
    fixed = [target for target in targets if target.fixed]
    velocities = np.zeros(mechanism.size)
    if guessed:
        rows = _gradient(mechanism, coordinates, guessed) * scale
        velocities = scale * split(rows).least_norm(np.array([target.value for target in guessed]))
    jacobian, rates = mechanism.constraints.velocity_rows(time, coordinates)
    rows = np.vstack((jacobian, _gradient(mechanism, coordinates, fixed))) * scale
    wanted = np.concatenate((rates, [target.value for target in fixed]))
    if len(rows):
        velocities = velocities + scale * split(rows).least_norm(wanted - rows @ (velocities / scale))
    _check_velocities(mechanism, rows @ (velocities / scale) - wanted, wanted, fixed)
    return velocities


def _check_velocities(mechanism: Mechanism, error: Array, wanted: Array, fixed: Sequence[Target]) -> None:
    if not len(error) or np.max(np.abs(error)) <= 1e-9 * max(1.0, float(np.max(np.abs(wanted)))):
        return
    names = [row.name for row in mechanism.constraints.rows] + [target.name for target in fixed]
    worst = int(np.argmax(np.abs(error)))
    raise AssemblyError(
        f"{mechanism.model.name} cannot start with its fixed velocities: {names[worst]} "
        f"stays off by {abs(error[worst]):.3g}"
    )


def _gradient(mechanism: Mechanism, coordinates: Array, targets: Sequence[Target]) -> Array:
    batch = MeasureBatch([target.named.measure for target in targets], mechanism.chart)
    return batch.at(mechanism.chart.posture(coordinates)).jacobian


def _open_freedoms(directions: Array) -> int:
    return int(directions.shape[1])


def free_directions(
    mechanism: Mechanism, time: float, coordinates: Array, targets: Sequence[Target]
) -> Array:
    """A basis of the coordinate changes that neither constraints nor fixed values rule out."""
    _, jacobian = mechanism.constraints.violation(time, coordinates)
    return _left_free(mechanism, coordinates, jacobian, targets)


def free_velocities(
    mechanism: Mechanism, time: float, coordinates: Array, targets: Sequence[Target]
) -> Array:
    """A basis of the changes of velocity that neither constraints nor fixed values rule out."""
    jacobian, _ = mechanism.constraints.velocity_rows(time, coordinates)
    return _left_free(mechanism, coordinates, jacobian, targets)


def _left_free(mechanism: Mechanism, coordinates: Array, jacobian: Array, targets: Sequence[Target]) -> Array:
    fixed = [target for target in targets if target.fixed]
    return split(np.vstack((jacobian, _gradient(mechanism, coordinates, fixed)))).free
