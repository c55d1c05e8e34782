"""An FMU of a network against the reference: outputs, across and through variables, and powers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from fmugen.ir.model import SystemModel, quantities
from fmugen.verify.accuracy import OF_NETWORKS, Accuracy
from fmugen.verify.catalogue import network_parts
from fmugen.verify.layout import Layout
from fmugen.verify.network.follow import NetworkReference, solve_network
from fmugen.verify.network.power import PowerBalance, power_balance
from fmugen.verify.network.system import NetworkSystem
from fmugen.verify.network.tableau import Tableau
from fmugen.verify.rotations import Array
from fmugen.verify.simulate import Trajectory
from fmugen.verify.verdict import Deviation, Verification, deviation, deviation_problems

#: The largest relative imbalance of power that passes.
POWER_TOLERANCE = 1e-9


def recorded_quantities(model: SystemModel) -> list[str]:
    """The variables of an FMU that determine the state of a network: those of edges, no accelerations."""
    return edge_quantities(Tableau(network_parts(Layout(model))))


def edge_quantities(tableau: Tableau) -> list[str]:
    """The quantities of all edges that the tableau determines without further derivatives."""
    components = {edge.component for edge in tableau.edges}
    return [name for name in tableau.quantities if name.rpartition(".")[0] in components]


def follow_network(
    model: SystemModel,
    trajectory: Trajectory,
    held_inputs: Callable[[float], Mapping[str, float]],
    times: Array,
    accuracy: Accuracy,
    *,
    parameters: Mapping[str, float] | None,
    progress: Callable[[float], None] | None = None,
) -> NetworkReference:
    """The motion of a model without bodies; open start values are those of the FMU."""
    hints = {name: float(trajectory.values[name][0]) for name in recorded_quantities(model)}
    return solve_network(
        model, times, held_inputs, parameters=parameters, hints=hints, progress=progress, accuracy=accuracy
    )


def judge_network(
    model: SystemModel, trajectory: Trajectory, reference: NetworkReference, tolerance: float
) -> Verification:
    """Compare the run of an FMU with the reference of a model without bodies."""
    outputs = tuple(
        deviation(output.name, output.unit, trajectory.values[output.name], reference.outputs[output.name])
        for output in model.outputs
    )
    components = component_deviations(model, reference.system, trajectory, reference.quantities)
    power = power_balance(reference.system.tableau.edges, trajectory.times, trajectory.values, {})
    return Verification(
        model=model.name,
        times=trajectory.times,
        tolerance=tolerance,
        outputs=outputs,
        skipped=(),
        messages=trajectory.messages,
        problems=(
            *deviation_problems((*outputs, *components), trajectory.times, tolerance),
            *power_problems(power),
        ),
        reference_tolerance=OF_NETWORKS.relative,
        components=components,
        power=power,
    )


def component_deviations(
    model: SystemModel, system: NetworkSystem, trajectory: Trajectory, expected: Mapping[str, Array]
) -> tuple[Deviation, ...]:
    """Every across and through variable against the reference."""
    units = {quantity.name: quantity.unit for quantity in quantities(model)}
    return tuple(
        deviation(name, units[name], trajectory.values[name], expected[name])
        for name in edge_quantities(system.tableau)
    )


def power_problems(power: PowerBalance) -> Iterator[str]:
    """A sentence for every domain whose powers do not sum to zero."""
    for domain, values in power.imbalance.items():
        largest = float(np.max(np.abs(values)))
        if not largest <= POWER_TOLERANCE:
            at = power.times[int(np.argmax(np.abs(values)))]
            yield (
                f"the {domain} powers sum to {largest:.2e} of what flows at t = {at:g} s, "
                f"more than {POWER_TOLERANCE:g}: the values do not belong to one network"
            )
