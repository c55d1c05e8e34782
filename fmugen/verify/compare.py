"""FMU and reference -> a verdict.

The FMU is run with tight tolerances, because chaotic motions amplify every error. It is run again at its
default and at loose tolerances, where its error must be proportional to the tolerance.

Reactions that redundant constraints leave undetermined are not compared. Angles are compared with their whole
turns, which FMU and reference count independently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from fmugen.errors import SimulationError, VerificationError
from fmugen.ir.model import SystemModel
from fmugen.signals import Feed, Signal
from fmugen.verify.accuracy import OF_MECHANISMS, OF_NETWORKS, Accuracy
from fmugen.verify.catalogue import state_quantities
from fmugen.verify.deadline import REFERENCE_LIMIT, limited_time, start_clock
from fmugen.verify.doubts import looser, with_doubt
from fmugen.verify.energy import EnergyBalance, balance
from fmugen.verify.fmu_start import CLOSURE_TOLERANCE, fmu_start
from fmugen.verify.frames import body_kinds, pose_kinds, sampled_motion
from fmugen.verify.layout import own_quantities
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.moved import fed_inputs, moved_inputs
from fmugen.verify.network.drive import Drive
from fmugen.verify.network.judge import (
    component_deviations,
    follow_network,
    judge_network,
    power_problems,
    recorded_quantities,
)
from fmugen.verify.network.parts import Domain
from fmugen.verify.network.power import PowerBalance, power_balance
from fmugen.verify.reference import (
    Progress,
    Reference,
    hold_inputs,
    largest_slip,
    largest_violation,
    solve_reference,
    with_start_values,
)
from fmugen.verify.rotations import Array
from fmugen.verify.samples import sampled
from fmugen.verify.simulate import TIME_LIMIT, Run, Trajectory, communication_points, simulate_runs
from fmugen.verify.tolerances import LOOSE, ToleranceRuns, with_tolerances
from fmugen.verify.verdict import Deviation, Verification, deviation, deviation_problems

TIGHT = {"solver.relative_tolerance": 1e-12, "solver.absolute_tolerance": 1e-13}

_CLOSURE = "closure.residual"


@limited_time()
def verify_fmu(
    model: SystemModel,
    fmu_path: Path,
    *,
    tolerance: float = 1e-6,
    stop: float | None = None,
    step: float | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Signal] | None = None,
    progress: Progress | None = None,
    time_limit: float = TIME_LIMIT,
    reference_limit: float = REFERENCE_LIMIT,
    ran: Callable[[Trajectory], None] | None = None,
    loose: Sequence[float] = LOOSE,
) -> Verification:
    """Run an FMU and the reference of its model, and compare.

    Parameters
    ----------
    model, fmu_path
        The model, and the FMU that was exported from it.
    tolerance
        The largest scaled deviation that passes; ten times as much imbalance of energy passes.
    stop, step
        The run; by default that of the model's experiment.
    parameters, inputs
        Parameter values (also of start values) and input signals that replace the model's in both runs.
    progress
        Called with the fraction of the reference that is computed.
    time_limit
        The time limit of the FMU's runs, in seconds.
    reference_limit
        The time limit of the reference, in seconds.
    ran
        Called with the tight run of the FMU, before the reference is computed.
    loose
        Further relative tolerances at which the FMU is run; none for a solver with fixed steps.

    Raises
    ------
    SimulationError
        If the tight run of the FMU fails.
    VerificationError
        If there is no reference, or it takes longer than ``reference_limit``.

    Notes
    -----
    The reference starts in the position of the FMU, if this satisfies the reference's constraints and all
    fixed start values. Otherwise the start is a problem, and the reference assembles the model itself.
    """
    stop = model.experiment.stop if stop is None else stop
    step = model.experiment.step if step is None else step
    given = dict(parameters or {})
    fed = fed_inputs(model, inputs, communication_points(stop, step))
    _require_judged(model, fed)
    tight = Run(stop, step, _recorded(model), {**given, **TIGHT}, fed if fed.values else {})
    others = ToleranceRuns.of(tight, model.experiment.tolerance, given, loose)
    trajectory, *made = simulate_runs(fmu_path, [tight, *others.runs], time_limit)
    if isinstance(trajectory, SimulationError):
        raise trajectory
    if ran is not None:
        ran(trajectory)
    start_clock(reference_limit)
    model, parameters = with_start_values(model, parameters)
    held = hold_inputs(model, fed)
    if not model.bodies:
        follow = partial(follow_network, model, trajectory, held, parameters=parameters)
        network = follow(trajectory.times, OF_NETWORKS, progress=progress)
        verification = replace(judge_network(model, trajectory, network, tolerance), notes=fed.notes)
        again = partial(follow, trajectory.times, looser(OF_NETWORKS))
        verification = with_doubt(verification, lambda: again().values)
        return with_tolerances(verification, others, made, lambda *run: follow(*run).values)
    mechanism = Mechanism(model, parameters, moved_inputs(model, fed))
    begin = fmu_start(mechanism, trajectory)
    hints = {**begin.hints, **_state_hints(model, trajectory)}

    def solve(times: Array, accuracy: Accuracy, progress: Progress | None = None) -> Reference:
        return solve_reference(
            model,
            times,
            inputs=inputs,
            parameters=parameters,
            initial=begin.initial,
            hints=hints,
            posture=begin.posture,
            progress=progress,
            accuracy=accuracy,
            mechanism=mechanism,
        )

    reference = solve(trajectory.times, OF_MECHANISMS, progress)
    verification = _judge(model, trajectory, reference, held, tolerance)
    problems, notes = (*begin.problems, *verification.problems), (*fed.notes, *begin.notes)
    verification = replace(verification, problems=problems, notes=notes, other_mode=begin.other_mode)
    second = partial(solve, trajectory.times, looser(OF_MECHANISMS))
    verification = with_doubt(verification, lambda: second().values, reference)
    return with_tolerances(verification, others, made, lambda *run: solve(*run).values)


def _require_judged(model: SystemModel, fed: Feed) -> None:
    """Refuse inputs that the reference cannot reproduce between communication points."""
    for variable in model.inputs:
        if variable.name in fed.values and variable.stamp:
            raise VerificationError(
                f"the input {variable.name} has a stamp: verify can judge its start value only; "
                "leave it out of the input signals"
            )
    if fed.derivatives and not model.bodies:
        first = next(iter(fed.derivatives))
        raise VerificationError(
            f"the reference of a network cannot use {first}, which changes within a step: leave it out"
        )


def _recorded(model: SystemModel) -> list[str]:
    bodies = [f"{body.name}.{kind}" for body in model.bodies for kind in body_kinds(model)]
    bodies += own_quantities(model)
    closure = [_CLOSURE] if model.bodies else []
    outputs = [output.name for output in model.outputs]
    return [*outputs, *bodies, *closure, *recorded_quantities(model), *state_quantities(model)]


def _state_hints(model: SystemModel, trajectory: Trajectory) -> dict[str, float]:
    """The FMU's start of states of networks and force laws that have no start value."""
    names = (*recorded_quantities(model), *state_quantities(model))
    return {name: float(trajectory.values[name][0]) for name in names}


# --- the verdict ---------------------------------------------------------------------------------


def _judge(
    model: SystemModel,
    trajectory: Trajectory,
    reference: Reference,
    held: Callable[[float], dict[str, float]],
    tolerance: float,
) -> Verification:
    mechanism = reference.mechanism
    coordinates, velocities = sampled_motion(mechanism, trajectory.values, reference.coordinates)
    skipped = tuple(
        output.name for output in model.outputs if reference.undetermined.intersection(output.value.names())
    )
    outputs = tuple(
        _deviation(output.name, output.unit, trajectory, reference.outputs[output.name])
        for output in model.outputs
        if output.name not in skipped
    )
    bodies = tuple(
        _deviation(f"{body.name}.{kind}", unit, trajectory, reference.bodies[body.name][:, column])
        for body in model.bodies
        for column, (kind, unit) in enumerate(pose_kinds(model))
    )
    own = [trajectory.values[state.name] for state in mechanism.forces.states]
    states = np.array(own).reshape(-1, len(trajectory.times)).T
    components: tuple[Deviation, ...] = ()
    power: PowerBalance | None = None
    if mechanism.drive is not None:
        drive = mechanism.drive
        of_network, speeds = _network_motion(mechanism, drive, trajectory, coordinates, velocities, held)
        states = np.hstack((of_network, states))
        components = component_deviations(model, drive.system, trajectory, reference.quantities)
        power = power_balance(drive.system.tableau.edges, trajectory.times, trajectory.values, speeds)
    closure = trajectory.values[_CLOSURE]
    violation = largest_violation(mechanism, trajectory.times, coordinates)
    slip = largest_slip(mechanism, trajectory.times, coordinates, velocities)
    inputs = [mechanism.at(time, held(time)) for time in trajectory.times.tolist()]
    energy = balance(
        sampled(mechanism, trajectory.times, inputs, coordinates, velocities, states, quantities=False)
    )
    problems = (
        *deviation_problems((*outputs, *bodies, *components), trajectory.times, tolerance),
        *_closure_problems(closure, violation, slip),
        *_energy_problems(energy, reference.energy.largest, tolerance),
        *(power_problems(power) if power else ()),
    )
    return Verification(
        model=model.name,
        times=trajectory.times,
        tolerance=tolerance,
        outputs=outputs,
        bodies=bodies,
        closure=closure,
        violation=violation,
        energy=energy,
        components=components,
        power=power,
        reference_tolerance=reference.tolerance,
        skipped=skipped,
        messages=trajectory.messages,
        problems=problems,
        deflections={name: trajectory.values[name] for name in own_quantities(model)},
    )


def _network_motion(
    mechanism: Mechanism,
    drive: Drive,
    trajectory: Trajectory,
    coordinates: Array,
    velocities: Array,
    held: Callable[[float], dict[str, float]],
) -> tuple[Array, dict[tuple[Domain, str], Array]]:
    """The states of the network that an FMU reports, and the speeds of its flanges, at all samples."""
    states = []
    nothing = np.zeros(drive.system.tableau.states)
    speeds = np.zeros((len(drive.system.flanges), len(trajectory.times)))
    for number, time in enumerate(trajectory.times.tolist()):
        posture = mechanism.chart.posture(coordinates[number])
        point = drive.at(time, posture, velocities[number], held(time), nothing)
        values = {name: float(column[number]) for name, column in trajectory.values.items()}
        states.append(drive.system.reported_states(values, point.e))
        speeds[:, number] = point.e[len(speeds) :]
    return np.array(states), dict(zip(drive.system.tableau.flanges, speeds, strict=True))


def _deviation(name: str, unit: str, trajectory: Trajectory, expected: Array) -> Deviation:
    return deviation(name, unit, trajectory.values[name], expected)


def _closure_problems(closure: Array, violation: float, slip: float) -> Iterator[str]:
    reported = float(np.max(np.abs(closure)))
    if not reported <= CLOSURE_TOLERANCE:
        yield f"the FMU reports a closure residual of {reported:.2e}, more than {CLOSURE_TOLERANCE:g}"
    if not violation <= CLOSURE_TOLERANCE:
        yield (
            f"the body poses of the FMU violate the constraints by {violation:.2e}, "
            f"more than {CLOSURE_TOLERANCE:g}"
        )
    if not slip <= CLOSURE_TOLERANCE:
        yield (
            f"the body velocities of the FMU violate the constraints on velocities by {slip:.2e}, "
            f"more than {CLOSURE_TOLERANCE:g}"
        )


def _energy_problems(energy: EnergyBalance, of_reference: float, tolerance: float) -> Iterator[str]:
    # On a coarse grid the quadrature is inexact; the imbalance of the reference shows by how much.
    allowed = max(10.0 * tolerance, 2.0 * of_reference)
    if not energy.largest <= allowed:
        yield f"energy is out of balance by {energy.largest:.2e} of its turnover, more than {allowed:.1e}"
