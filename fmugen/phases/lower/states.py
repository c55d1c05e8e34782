"""The continuous states that an importer may integrate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import ContinuousState
from fmugen.phases.lower.dependencies import Structure
from fmugen.units import per_second

__all__ = ["continuous_states"]


def continuous_states(dae: Dae, flow: SolutionFlow, structure: Structure) -> Iterator[ContinuousState]:
    """Positions, velocities, states of the network.

    Where the independent coordinates may change on the way, the first two stand for whatever coordinates
    are independent: they are variables of their own.
    """
    coordinates = dae.coordinates
    own = structure.positions == structure.velocities
    partitioned = len(structure.velocities) < len(coordinates)
    changing = partitioned and bool(flow.rows) and bool(flow.independent)
    count = len(structure.positions)
    units = {c.unit for c in coordinates}
    shared = units.pop() if len(units) == 1 else ""
    rate, second = (per_second(shared), per_second(per_second(shared))) if shared else ("", "")
    for index, k in enumerate(structure.positions):
        c = coordinates[k]
        known = structure.knowns(c.velocity)
        if own:
            known = replace(known, inputs=(), states=(count + index,), time=False)
        start, value = structure.knowns(c.position), flow.positions[k]
        if changing and own:
            name, note = (
                f"state[{index + 1}]",
                f"position of an independent coordinate, at first of {c.name}",
            )
            yield ContinuousState(name, shared, note, True, start, rate, known, value)
        else:
            yield ContinuousState(c.name, c.unit, "", False, start, per_second(c.unit), known, value)
    for index, k in enumerate(structure.velocities):
        c = coordinates[k]
        known = structure.knowns(c.second, everywhere=changing)
        start, value = structure.knowns(c.velocity), flow.velocities[k]
        if changing:
            name, note = (
                f"state[{count + index + 1}]",
                f"rate of an independent coordinate, at first of {c.name}",
            )
            yield ContinuousState(name, rate, note, True, start, second, known, value)
        else:
            unit = per_second(c.unit)
            yield ContinuousState(c.rate, unit, "", False, start, per_second(unit), known, value)
    for state in dae.states:
        derivative = structure.knowns(state.derivative)
        unit = per_second(state.unit)
        yield ContinuousState(
            state.name, state.unit, "", False, structure.knowns(state.symbol), unit, derivative
        )
