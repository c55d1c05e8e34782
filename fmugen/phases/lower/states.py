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

    Where the independent coordinates may change, positions and velocities stand for whichever coordinates are
    independent: they are separate variables. The same holds with whole attitudes, since their velocities are
    angular velocities.
    """
    mechanism = _MechanismStates(dae, flow, structure)
    yield from mechanism.positions()
    yield from mechanism.velocities()
    for state in dae.states:
        start, known = structure.knowns(state.symbol), structure.knowns(state.derivative)
        yield ContinuousState(state.name, state.unit, "", False, start, per_second(state.unit), known)


class _MechanismStates:
    """Positions and velocities of a mechanism as continuous states."""

    def __init__(self, dae: Dae, flow: SolutionFlow, structure: Dependencies) -> None:
        self._coordinates, self._flow, self._structure = dae.coordinates, flow, structure
        self._attitudes = {k for attitude in flow.whole for k in attitude.components}
        self._own = flow.may_change or bool(flow.whole)
        self._projected = flow.closure is Closure.PROJECTION
        units = {c.unit for c in dae.coordinates} | ({"rad"} if flow.whole else set())
        #: The unit that all coordinates have in common, if there is one.
        self._unit = units.pop() if len(units) == 1 else ""
        self._stands_for = "an independent coordinate, at first of " if flow.may_change else ""

    def positions(self) -> Iterator[ContinuousState]:
        flow, structure, count = self._flow, self._structure, len(self._structure.positions)
        for index, k in enumerate(structure.positions):
            c = self._coordinates[k]
            known = structure.knowns(c.velocity, everywhere=bool(flow.whole) and flow.may_change)
            if self._has_rate(k):
                known = replace(known, inputs=(), states=(count + index,), time=False)
            start, value = structure.knowns(c.position), flow.positions[k]
            if self._own and not self._projected:
                name, note = f"state[{index + 1}]", f"position of {self._stands_for}{c.name}"
                yield ContinuousState(name, self._unit, note, True, start, self._rate(1), known, value)
            else:
                yield ContinuousState(c.name, c.unit, "", False, start, per_second(c.unit), known, value)

    def velocities(self) -> Iterator[ContinuousState]:
        flow, structure, count = self._flow, self._structure, len(self._structure.positions)
        spins = _spins(flow)
        for index, k in enumerate(structure.velocities):
            c = self._coordinates[k]
            known = structure.knowns(c.acceleration, everywhere=self._own)
            start = structure.knowns(c.velocity)
            note, value = spins.get(k, (c.name, flow.velocities[k]))
            if self._own:
                name, note = f"state[{count + index + 1}]", f"rate of {self._stands_for}{note}"
                yield ContinuousState(name, self._rate(1), note, True, start, self._rate(2), known, value)
            else:
                unit = per_second(c.unit)
                yield ContinuousState(c.rate_name, unit, "", False, start, per_second(unit), known, value)

    def _has_rate(self, k: int) -> bool:
        """Whether the derivative of a position is a continuous state itself."""
        if self._projected:
            return False
        return not self._flow.whole if self._flow.may_change else k not in self._attitudes

    def _rate(self, order: int) -> str:
        """The common unit of derivatives."""
        unit = self._unit
        for _ in range(order if unit else 0):
            unit = per_second(unit)
        return unit


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
