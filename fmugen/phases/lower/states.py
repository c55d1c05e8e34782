"""The continuous states that an importer may integrate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.fmu import ContinuousState
from fmugen.phases.lower.dependencies import Dependencies
from fmugen.units import per_second

__all__ = ["continuous_states"]


def continuous_states(dae: Dae, flow: SolutionFlow, structure: Dependencies) -> Iterator[ContinuousState]:
    """Positions, velocities, states of the network.

    Where the independent coordinates may change on the way, the first two stand for whatever coordinates
    are independent: they are variables of their own. With whole attitudes they are, too, since the velocities
    of these are angular ones.
    """
    coordinates = dae.coordinates
    spins = _spins(flow)
    attitudes = {k for attitude in flow.whole for k in attitude.components}
    own = flow.may_change or bool(flow.whole)
    projected = flow.closure is Closure.PROJECTION
    count = len(structure.positions)
    units = {c.unit for c in coordinates} | ({"rad"} if flow.whole else set())
    shared = units.pop() if len(units) == 1 else ""
    rate, second = (per_second(shared), per_second(per_second(shared))) if shared else ("", "")
    stands_for = "an independent coordinate, at first of " if flow.may_change else ""
    for index, k in enumerate(structure.positions):
        c = coordinates[k]
        known = structure.knowns(c.velocity, everywhere=bool(flow.whole) and flow.may_change)
        if not projected and (k not in attitudes if not flow.may_change else not flow.whole):
            known = replace(known, inputs=(), states=(count + index,), time=False)
        start, value = structure.knowns(c.position), flow.positions[k]
        if own and not projected:
            note = f"position of {stands_for}{c.name}"
            yield ContinuousState(f"state[{index + 1}]", shared, note, True, start, rate, known, value)
        else:
            yield ContinuousState(c.name, c.unit, "", False, start, per_second(c.unit), known, value)
    for index, k in enumerate(structure.velocities):
        c = coordinates[k]
        known = structure.knowns(c.second, everywhere=own)
        start = structure.knowns(c.velocity)
        note, value = spins.get(k, (c.name, flow.velocities[k]))
        if own:
            name, note = f"state[{count + index + 1}]", f"rate of {stands_for}{note}"
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


def _spins(flow: SolutionFlow) -> dict[int, tuple[str, float]]:
    """The rotation about an axis of the head, and its start, which take the place of a component's rate."""
    found: dict[int, tuple[str, float]] = {}
    for attitude in flow.whole:
        p0, p1, p2, p3 = (flow.positions[k] for k in attitude.components)
        rates = [flow.velocities[k] for k in attitude.components]
        axes = ((-p1, p0, p3, -p2), (-p2, -p3, p0, p1), (-p3, p2, -p1, p0))
        independent = [k for k in flow.independent if k in attitude.components]
        for k, axis, letter in zip(independent, axes, "xyz", strict=True):
            found[k] = (f"rotation about {letter}", 2 * sum(e * v for e, v in zip(axis, rates, strict=True)))
    return found
