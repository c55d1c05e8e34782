"""The reference motion of a model.

Mechanisms with degrees of freedom are integrated with DOP853 from one change of inputs to the next. Positions
and velocities are projected onto the constraints after every accepted step. Mechanisms that drivers determine
are solved by Newton's method at each output time, unless they have states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fmugen.errors import AssemblyError, UnsolvableError, VerificationError
from fmugen.ir.formula import TIME, constant
from fmugen.ir.model import SystemModel, start_parameter
from fmugen.signals import Feed, Signal
from fmugen.verify.accuracy import OF_MECHANISMS, Accuracy
from fmugen.verify.advance import Integrator, State, follow_drivers
from fmugen.verify.assembly import Start, assemble
from fmugen.verify.energy import EnergyBalance, balance
from fmugen.verify.equilibrium import equilibrium
from fmugen.verify.evaluate import compile_formula
from fmugen.verify.frames import body_kinds
from fmugen.verify.mechanism import NO_STATES, Mechanism, split
from fmugen.verify.moved import fed_inputs, moved_inputs
from fmugen.verify.network.follow import solve_network
from fmugen.verify.outputs import output_value
from fmugen.verify.rotations import Array
from fmugen.verify.samples import Samples, sampled
from fmugen.verify.states import started

Progress = Callable[[float], None]
_Formula = Callable[[Mapping[str, float]], float]


@dataclass(frozen=True)
class Reference:
    """The motion at the output times.

    ``coordinates`` and ``velocities`` have a row per time for all moving bodies. ``bodies`` has, for each
    body, a row per time of the quantities that :func:`body_kinds` names. ``residual`` is the largest
    violation of a constraint; ``undetermined`` names reactions that redundant constraints do not determine;
    ``tolerance`` is the loosest relative tolerance the integration needed.
    """

    mechanism: Mechanism
    start: Start
    times: Array
    outputs: dict[str, Array]
    coordinates: Array
    velocities: Array
    bodies: dict[str, Array]
    quantities: dict[str, Array]
    residual: float
    energy: EnergyBalance
    undetermined: frozenset[str]
    tolerance: float

    @property
    def values(self) -> dict[str, Array]:
        """All signals by the names of the variables of an FMU."""
        return {**self.quantities, **self.outputs}

    def quantity(self, name: str) -> Array:
        """Any quantity of the model over the output times."""
        if name not in self.quantities:
            raise VerificationError(f"{self.mechanism.model.name} has no quantity {name!r}")
        return self.quantities[name]


def solve_reference(
    model: SystemModel,
    times: Array,
    *,
    inputs: Mapping[str, Signal] | None = None,
    parameters: Mapping[str, float] | None = None,
    initial: Mapping[str, float] | None = None,
    hints: Mapping[str, float] | None = None,
    posture: Array | None = None,
    progress: Progress | None = None,
    accuracy: Accuracy = OF_MECHANISMS,
    mechanism: Mechanism | None = None,
) -> Reference:
    """Compute the motion of a model, by default to about ten digits.

    Parameters
    ----------
    model
        The mechanism.
    times
        Output times, increasing; the first one is the start.
    inputs
        Signals by input name, sampled at each output time and held until the next, as a co-simulation
        master does; inputs that have derivatives change in between (:mod:`fmugen.signals`). Inputs without a
        signal keep their start value.
    parameters
        Parameter values that replace the model's, also those of start values (``start.pin.angle``).
    initial
        Extra fixed start values, by the name of a position or velocity quantity.
    hints
        Extra guesses of position quantities.
    posture
        Coordinates of an assembled start; by default the mechanism is assembled from its start values.
    progress
        Called with the fraction done.
    accuracy
        The method of integration and its tolerances.
    mechanism
        The model with these parameters, if it is at hand.

    Raises
    ------
    AssemblyError
        If the loops cannot be closed.
    VerificationError
        If the motion cannot be integrated, for example through a singular position.
    """
    model, parameters = with_start_values(model, parameters)
    times = np.asarray(times, dtype=np.float64)
    fed = fed_inputs(model, inputs, times)
    moved = moved_inputs(model, fed)
    mechanism = Mechanism(model, parameters, moved) if mechanism is None else mechanism.under(moved)
    held = hold_inputs(model, fed)
    initial, hints = dict(initial or {}), dict(hints or {})
    start = assemble(mechanism, float(times[0]), initial, hints, posture)
    if model.steady:
        start = _at_rest(mechanism, start, float(times[0]), held, {**hints, **initial})
    _, jacobian = mechanism.constraints.violation(float(times[0]), start.coordinates)
    driven = split(jacobian).free.shape[1] == 0
    integrator = Integrator(mechanism, accuracy)
    # States must be integrated even where drivers determine all positions.
    only_driven = driven and mechanism.drive is None and not mechanism.forces.states
    follow = partial(follow_drivers, mechanism) if only_driven else integrator.follow

    state = State(start.coordinates, start.velocities, NO_STATES)
    state = started(mechanism, state, float(times[0]), held(float(times[0])), {**hints, **initial})
    states = [state]
    for run, kept in _runs(times.tolist(), held):
        for end, following in zip(run[1:], follow(run, state, kept), strict=True):
            state = following
            states.append(state)
            if progress is not None:
                progress((end - times[0]) / (times[-1] - times[0]))
    given = [mechanism.at(time, held(time)) for time in times.tolist()]
    samples = sampled(mechanism, times, given, *(np.array(column) for column in zip(*states, strict=True)))
    return _collect(start, samples, integrator.tolerance)


def require_network_start(model: SystemModel) -> None:
    """Solve the network of a model at its start.

    Raises
    ------
    AssemblyError
        If the start values of a model without bodies contradict each other or the laws.
    UnsolvableError
        If the laws have no solution.

    Notes
    -----
    Errors of the reference that do not concern the network are ignored.
    """
    starts = {entry.name: entry.start for entry in model.inputs}
    begin = np.zeros(1)
    try:
        if model.bodies:
            solve_reference(model, begin)
        else:
            solve_network(model, begin, lambda time: starts)
    except UnsolvableError:
        raise
    except AssemblyError:
        if not model.bodies:
            raise
    except VerificationError:
        return
    except (ArithmeticError, ValueError) as error:
        raise UnsolvableError(f"t = 0 s: a formula of the network has no value ({error})") from error


def with_start_values(
    model: SystemModel, parameters: Mapping[str, float] | None
) -> tuple[SystemModel, dict[str, float]]:
    """The model with start values from parameters such as ``start.pin.angle``, and the other parameters."""
    others = dict(parameters or {})
    starts = tuple(
        replace(start, value=constant(float(others.pop(start_parameter(start)))))
        if start.adjustable and start_parameter(start) in others
        else start
        for start in model.starts
    )
    return replace(model, starts=starts), others


def _runs(
    times: Sequence[float], held: Callable[[float], dict[str, float]]
) -> Iterator[tuple[Sequence[float], dict[str, float]]]:
    """Output times from one change of held inputs to the next, and these inputs."""
    first = 0
    for last in range(1, len(times)):
        if last + 1 == len(times) or held(times[last]) != held(times[first]):
            yield times[first : last + 1], held(times[first])
            first = last


def hold_inputs(model: SystemModel, fed: Feed) -> Callable[[float], dict[str, float]]:
    """Input values at an output time: signals, and start values of the other inputs."""
    starts = {entry.name: entry.start for entry in model.inputs}
    numbers = {time: number for number, time in enumerate(fed.times.tolist())}

    def values(time: float) -> dict[str, float]:
        number = numbers[time]
        return {**starts, **{name: float(column[number]) for name, column in fed.values.items()}}

    return values


def _at_rest(
    mechanism: Mechanism,
    start: Start,
    time: float,
    held: Callable[[float], dict[str, float]],
    hints: Mapping[str, float],
) -> Start:
    """The equilibrium near an assembled start."""
    rest = np.zeros(mechanism.size)

    def states_at(coordinates: Array) -> Array:
        return started(mechanism, State(coordinates, rest, NO_STATES), time, held(time), hints).states

    found = equilibrium(mechanism, time, start.coordinates, held(time), states_at)
    return replace(start, coordinates=found, velocities=rest)


def _collect(start: Start, samples: Samples, tolerance: float) -> Reference:
    mechanism, quantities = samples.mechanism, samples.quantities
    kinds = body_kinds(mechanism.model)
    return Reference(
        mechanism=mechanism,
        start=start,
        times=samples.times,
        outputs=_outputs(samples),
        coordinates=samples.coordinates,
        velocities=samples.velocities,
        bodies={
            name: np.column_stack([quantities[f"{name}.{kind}"] for kind in kinds])
            for name in mechanism.layout.bodies
        },
        quantities=quantities,
        residual=largest_violation(mechanism, samples.times, samples.coordinates),
        energy=balance(samples),
        undetermined=_undetermined(samples),
        tolerance=tolerance,
    )


def largest_violation(mechanism: Mechanism, times: Array, coordinates: Array) -> float:
    """The largest violation of any constraint along a motion (m or rad)."""
    return max(
        float(np.max(np.abs(mechanism.constraints.violation(float(time), sample)[0]), initial=0.0))
        for time, sample in zip(times, coordinates, strict=True)
    )


def largest_slip(mechanism: Mechanism, times: Array, coordinates: Array, velocities: Array) -> float:
    """The largest violation of any constraint on velocities alone along a motion (m/s or rad/s)."""
    if not mechanism.constraints.nonholonomic:
        return 0.0
    samples = zip(times.tolist(), coordinates, velocities, strict=True)
    return max(mechanism.constraints.slip(time, position, rates) for time, position, rates in samples)


def _outputs(samples: Samples) -> dict[str, Array]:
    mechanism = samples.mechanism
    outputs = {}
    readings = [samples.reading(number) for number in range(len(samples.times))]
    for output in mechanism.model.outputs:
        formula = compile_formula(output.value)

        def value(inputs: Mapping[str, float], number: int, formula: _Formula = formula) -> float:
            reading = readings[number]
            if inputs != samples.inputs[number]:
                reading = samples.one(number, inputs).reading(0)
            known = {TIME: float(samples.times[number]), **mechanism.layout.parameters}
            return formula({**known, **inputs, **reading})

        outputs[output.name] = np.array(
            [
                output_value(output, partial(value, number=number), inputs)
                for number, inputs in enumerate(samples.inputs)
            ]
        )
    return outputs


def _undetermined(samples: Samples) -> frozenset[str]:
    """Reactions that are undetermined at all samples, not only in a singular position."""
    count = len(samples.times)
    numbers = range(0, count, max(1, count // 5))
    return frozenset.intersection(*(samples.mechanism.undetermined(samples.posture(n)) for n in numbers))
