"""The start of an FMU as the start of the reference.

With guesses several assembly modes may be valid starts. The reference therefore starts in the position of the
FMU. First it checks by its own equations that this position closes all loops and has all fixed values. If
the reference alone would find another mode, a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fmugen.errors import AssemblyError
from fmugen.ir.model import SystemModel
from fmugen.verify.assembly import (
    Target,
    assemble,
    free_directions,
    free_velocities,
    guess_distance,
    is_upside_down,
    scattered,
    start_targets,
)
from fmugen.verify.frames import pose_kinds, reported_coordinates
from fmugen.verify.initial_pose import initial_pose
from fmugen.verify.measure_batch import MeasureBatch
from fmugen.verify.measures import NamedMeasure, wrapped
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.rotations import Array
from fmugen.verify.simulate import Trajectory

#: The largest violation of a constraint that counts as closed (m or rad).
CLOSURE_TOLERANCE = 1e-9
#: Poses that differ by more belong to different modes (rad, or lengths of the mechanism).
_SAME_MODE = 1e-5
#: Guesses are rough if they are further away (rad, or part of the length of the mechanism).
_NEAR = 0.05
_SHOWN_MODES = 5


@dataclass(frozen=True)
class FmuStart:
    """The start of the reference.

    ``posture`` are the coordinates of the FMU's bodies. It is ``None`` if they are not a valid start;
    ``problems`` then says why, and the reference assembles the model itself. ``initial`` and ``hints`` are
    start values for open degrees of freedom. ``notes`` name other assembly modes. With ``other_mode`` the
    reference alone would have taken one of them.
    """

    posture: Array | None
    initial: dict[str, float]
    hints: dict[str, float] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    other_mode: bool = False


def fmu_start(mechanism: Mechanism, trajectory: Trajectory) -> FmuStart:
    """Check the start of an FMU, and take open degrees of freedom from it.

    Raises
    ------
    AssemblyError
        If the start is not valid, and the reference cannot assemble the mechanism either.
    """
    targets = start_targets(mechanism)
    rough = initial_pose(mechanism, {target.name: target.value for target in targets.positions}, 0.0)
    values = {name: float(column[0]) for name, column in trajectory.values.items()}
    posture = reported_coordinates(mechanism, values, rough)
    problems = tuple(_start_problems(mechanism, posture, targets.positions))
    if problems:
        initial, hints = _own_start_values(mechanism, trajectory)
        return FmuStart(None, initial, hints, problems)
    fixed = [target for target in targets.velocities if target.fixed]
    initial = _values_of_open(mechanism, trajectory, 1, posture, fixed)
    notes = tuple(_mode_notes(mechanism, trajectory, posture, targets.positions))
    if notes:
        return FmuStart(posture, initial, notes=notes, other_mode=True)
    return FmuStart(posture, initial, notes=tuple(_choice_notes(mechanism, posture, targets.positions)))


# --- checks --------------------------------------------------------------------------------------


def _start_problems(mechanism: Mechanism, posture: Array, targets: Sequence[Target]) -> Iterator[str]:
    """The reasons why the posture of an FMU is not a valid start."""
    if not np.all(np.isfinite(posture)):
        yield "the FMU starts with body poses that are not finite"
        return
    residual = np.abs(mechanism.constraints.violation(0.0, posture)[0])
    if not np.max(residual, initial=0.0) <= CLOSURE_TOLERANCE:
        worst = int(np.argmax(residual))
        yield (
            f"the FMU starts with an open loop: its body poses violate the constraint "
            f"'{mechanism.constraints.position_rows[worst].name}' by {residual[worst]:.2e}, "
            f"more than {CLOSURE_TOLERANCE:g}"
        )
    elif is_upside_down(mechanism, posture):
        yield "the FMU starts with the axes of a joint in opposite directions"
    fixed = [target for target in targets if target.fixed]
    batch = MeasureBatch([target.named.measure for target in fixed], mechanism.chart)
    found = batch.at(mechanism.chart.posture(posture)).value
    for target, value in zip(fixed, found.tolist(), strict=True):
        if not abs(value - target.value) <= CLOSURE_TOLERANCE * max(1.0, abs(target.value)):
            yield (
                f"the FMU starts with {target.name} = {value:.9g}, but its start value is fixed to "
                f"{target.value:.9g}"
            )


def _mode_notes(
    mechanism: Mechanism, trajectory: Trajectory, posture: Array, targets: Sequence[Target]
) -> Iterator[str]:
    """A note if the reference alone finds another assembly mode."""
    try:
        initial, hints = _own_start_values(mechanism, trajectory)
        own = assemble(mechanism, 0.0, initial, hints).coordinates
    except AssemblyError:
        return  # Only the FMU has found a start.
    name, reported, other = _furthest(mechanism, posture, own)
    if not name:
        return
    sentence = (
        f"the start values permit more than one assembly mode: the FMU starts with {name} = {reported:.6g}, "
        f"the reference alone with {other:.6g}"
    )
    guesses = [target for target in targets if not target.fixed]
    if guesses:
        first, second = (guess_distance(mechanism, at, guesses) for at in (posture, own))
        sentence += f" (distances from the guesses: {first:.3g} and {second:.3g})"
    yield f"{sentence}. The comparison starts where the FMU does; to choose another mode, give better guesses"


def _choice_notes(mechanism: Mechanism, posture: Array, targets: Sequence[Target]) -> Iterator[str]:
    """Which modes there are, if guesses are rough, or so few that they are as near to another mode."""
    guesses = [target for target in targets if not target.fixed]
    here = guess_distance(mechanism, posture, guesses)
    if free_directions(mechanism, 0.0, posture, targets).shape[1]:
        return  # freedoms lead from one posture to the other
    if here <= _NEAR and len(targets) >= len(mechanism.model.bodies):
        return
    modes = [posture]
    for other in scattered(mechanism, posture, targets):
        if all(_furthest(mechanism, other, mode)[0] for mode in modes):
            modes.append(other)
    distances = sorted(guess_distance(mechanism, mode, guesses) for mode in modes[1:])
    if distances and (here > _NEAR or distances[0] <= here + _NEAR):
        name, told, value = _furthest(mechanism, posture, modes[1])
        shown = ", ".join(f"{distance:.3g}" for distance in distances[:_SHOWN_MODES])
        yield (
            f"the start values permit at least {len(modes)} assembly modes: the FMU starts in one at a "
            f"distance of {here:.3g} from the guesses, and others are at {shown}. To choose another mode, "
            f"give a guess: {name} is {told:.6g} here, and {value:.6g} there"
        )


def _furthest(mechanism: Mechanism, one: Array, other: Array) -> tuple[str, float, float]:
    """The body quantity that differs most between two postures, and its values; no name if all agree.

    The second value is less than half a turn from the first.
    """
    chart, layout = mechanism.chart, mechanism.layout
    names = {f"{body}.{kind}": unit for body in layout.bodies for kind, unit in pose_kinds(mechanism.model)}
    watched = [named for named in mechanism.measures if named.position in names]
    batch = MeasureBatch([named.measure for named in watched], chart)
    first, second = (batch.at(chart.posture(at)).value for at in (one, other))
    worst, found = _SAME_MODE, ("", 0.0, 0.0)
    for named, here, there in zip(watched, first.tolist(), second.tolist(), strict=True):
        name = named.position or ""
        away = float(wrapped(np.array([here - there]))[0]) if names[name] == "rad" else here - there
        size = abs(away) / (mechanism.length if names[name] == "m" else 1.0)
        if size > worst:
            worst, found = size, (name, here, here - away)
    return found


# --- open degrees of freedom ---------------------------------------------------------------------


def _own_start_values(
    mechanism: Mechanism, trajectory: Trajectory
) -> tuple[dict[str, float], dict[str, float]]:
    """Start values and guesses of open degrees of freedom, as the FMU chose them."""
    initial: dict[str, float] = {}
    for level in (0, 1):
        start = assemble(mechanism, 0.0, initial, _hints(mechanism.model, trajectory, initial))
        targets = start_targets(mechanism, initial)
        fixed = targets.velocities if level else targets.positions
        initial |= _values_of_open(mechanism, trajectory, level, start.coordinates, fixed)
    return initial, _hints(mechanism.model, trajectory, initial)


def _values_of_open(
    mechanism: Mechanism, trajectory: Trajectory, level: int, coordinates: Array, fixed: Sequence[Target]
) -> dict[str, float]:
    """The FMU's values of the freedoms that constraints and fixed values leave open at a posture."""
    candidates = [named for named in mechanism.measures if named.names[level] in trajectory.values]
    free = (free_velocities if level else free_directions)(mechanism, 0.0, coordinates, fixed)
    names = [named.names[level] for named in _independent(mechanism, coordinates, free, candidates)]
    return {name: float(trajectory.values[name][0]) for name in names if name is not None}


def _hints(model: SystemModel, trajectory: Trajectory, initial: Mapping[str, float]) -> dict[str, float]:
    """Guesses that select one of the postures with the given start values.

    A few direction cosines do not determine an attitude; if one is taken from the FMU, all are.
    """
    hints: dict[str, float] = {}
    for body in model.bodies:
        kinds = [kind for kind, unit in pose_kinds(model) if unit == "1"]
        if any(f"{body.name}.{kind}" in initial for kind in kinds):
            hints |= {f"{body.name}.{k}": float(trajectory.values[f"{body.name}.{k}"][0]) for k in kinds}
    return hints


def _independent(
    mechanism: Mechanism, coordinates: Array, free: Array, candidates: list[NamedMeasure]
) -> Iterator[NamedMeasure]:
    """As many measures as free directions, each the most independent of those before."""
    batch = MeasureBatch([named.measure for named in candidates], mechanism.chart)
    rows = batch.at(mechanism.chart.posture(coordinates)).jacobian @ free
    for _ in range(free.shape[1]):
        sizes = np.linalg.norm(rows, axis=1)
        best = int(np.argmax(sizes))
        direction = rows[best] / sizes[best]
        rows = rows - np.outer(rows @ direction, direction)
        yield candidates[best]
