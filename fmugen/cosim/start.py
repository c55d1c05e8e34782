"""Start values of parts: the start of the whole system, and the values that the parts exchange there.

No master needs to iterate at initialization: every connected input begins with the value that the other
side sends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from fmugen.components.base import component_of
from fmugen.components.measures import Attitude
from fmugen.evaluation import Evaluation
from fmugen.expr.dag import Expr
from fmugen.formulas import parse
from fmugen.ir.flow import Closure
from fmugen.ir.formula import constant
from fmugen.ir.model import Output, Space, Start, SystemModel, quantities
from fmugen.ir.options import ExportOptions
from fmugen.ir.quantity import Level
from fmugen.ir.split import SYSTEM, Connection
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation

__all__ = ["degrees_of_freedom", "motion_at_start", "placed_at", "settle"]

#: The trees of formulations that are used for start values only.
_TREES = "aac"
#: Values that a sweep over all parts changes by less than this have settled; slopes are differences.
_SETTLED = 1e-12
_SETTLED_SLOPES = 1e-7
#: Half the time over which differences are taken.
_MOMENT = 1e-5


def motion_at_start(model: SystemModel) -> dict[str, float]:
    """Positions and velocities of all bodies and joints of a model at its assembled start."""
    planar = model.space is Space.PLANAR
    names = [
        f"{element.name}.{reading.kind}"
        for element in model.in_section("bodies", "joints")
        for reading in component_of(element).readings(planar=planar)
        if not reading.at
        and reading.level is not Level.ACCELERATION
        and not isinstance(reading.measure, Attitude)
    ]
    probe = replace(model, outputs=tuple(Output(name, parse(name)) for name in names))
    return _Instant(probe).outputs()


def degrees_of_freedom(model: SystemModel) -> int:
    """How many independent motions a model has at its start."""
    model = replace(model, outputs=())
    return solution_flow(
        model, Compilation(model, ExportOptions(_TREES)).formulated, Closure.NEWTON
    ).degrees_of_freedom


def placed_at(model: SystemModel, motion: Mapping[str, float], *, free: bool) -> SystemModel:
    """A part that starts in the position of the whole system.

    What is ``free`` at its ports keeps the start values that its user has fixed; all else are guesses, which
    are met because they agree.
    """
    own = {quantity.name for quantity in quantities(model)}
    fixed = [start for start in model.starts if start.fixed and free and start.quantity in own]
    guessed = own - {start.quantity for start in fixed}
    guesses = [Start(name, constant(value), fixed=False) for name, value in motion.items() if name in guessed]
    known = {parameter.name for parameter in model.parameters}
    kept = [start for start in fixed if known.issuperset(set(start.value.names()) - {"pi"})]
    lost = [Start(s.quantity, constant(motion[s.quantity]), fixed=True) for s in fixed if s not in kept]
    return replace(model, starts=(*kept, *lost, *guesses))


def settle(models: Mapping[str, SystemModel], connections: Sequence[Connection]) -> dict[str, SystemModel]:
    """Give every connected input the value that its source has at the start, and how fast it changes there.

    The parts are swept in their order until nothing changes: what one sends depends on what it hears.
    """
    settled = dict(models)
    exchanged = [connection for connection in connections if connection.target != SYSTEM]
    for _ in range(2 * len(settled) + 2):
        change = 0.0
        for part in settled:
            sent = _Instant(settled[part]).outputs()
            for connection in exchanged:
                if connection.source == part:
                    target = settled[connection.target]
                    value = sent[connection.output]
                    inputs = {variable.name: variable for variable in target.inputs}
                    change = max(change, _change(inputs[connection.input].start, value))
                    inputs[connection.input] = replace(inputs[connection.input], start=value)
                    settled[connection.target] = replace(target, inputs=tuple(inputs.values()))
        if change < _SETTLED:
            break
    return _with_slopes(settled, exchanged)


def _with_slopes(
    models: Mapping[str, SystemModel], connections: Sequence[Connection]
) -> dict[str, SystemModel]:
    instants = {part: _Instant(model) for part, model in models.items()}
    slopes: dict[str, dict[str, float]] = {part: {} for part in models}
    for _ in range(2 * len(models) + 2):
        change = 0.0
        for part, instant in instants.items():
            sent = instant.rates(slopes[part])
            for connection in connections:
                if connection.source == part:
                    heard, value = slopes[connection.target], sent[connection.output]
                    change = max(change, _change(heard.get(connection.input, 0.0), value))
                    heard[connection.input] = value
        if change < _SETTLED_SLOPES:
            break
    return {
        part: replace(
            model, inputs=tuple(replace(one, slope=slopes[part].get(one.name)) for one in model.inputs)
        )
        for part, model in models.items()
    }


def _change(old: float, new: float) -> float:
    return abs(new - old) / max(1.0, abs(new))


class _Instant:
    """The equations of a model as numbers at its start, for any values of the inputs that leave it there."""

    def __init__(self, model: SystemModel) -> None:
        self._model = model
        made = Compilation(model, ExportOptions(_TREES, Closure.NEWTON))
        self._dae, self._flow = made.dae, made.flow
        dae, rows = self._dae, self._dae.constraints
        self._shape = list(dae.mass), [(row, column) for row, c in enumerate(rows) for column in c.jacobian]
        jacobian = [value for c in rows for value in c.jacobian.values()]
        motion: list[Expr] = [*dae.mass.values(), *dae.force, *jacobian, *(c.gamma for c in rows)]
        at = Evaluation.at_defaults(model, dae)
        self._motion = at.function(motion, dae.known_at_start)
        self._shown = at.function(
            list(dae.outputs.values()),
            dae.known_at_start,
            a=[coordinate.acceleration for coordinate in dae.coordinates],
            w=[c.multiplier for c in rows],
        )

    def outputs(self) -> dict[str, float]:
        """All outputs at the start; those ``by`` an input as differences, exact if they are linear."""
        return self._outputs(0.0, {})

    def rates(self, slopes: Mapping[str, float]) -> dict[str, float]:
        """How fast all outputs change at the start, if inputs change as fast as ``slopes`` say."""
        above, below = self._outputs(_MOMENT, slopes), self._outputs(-_MOMENT, slopes)
        return {name: (above[name] - below[name]) / (2 * _MOMENT) for name in above}

    def _outputs(self, time: float, slopes: Mapping[str, float]) -> dict[str, float]:
        """All outputs at a moment near the start."""
        given = {one.name: one.start + time * slopes.get(one.name, 0.0) for one in self._model.inputs}
        values = self._at(given, time)
        for output in self._model.outputs:
            if output.by:
                above, below = (
                    self._at({**given, output.by: given[output.by] + step}, time) for step in (1.0, -1.0)
                )
                values[output.name] = (above[output.name] - below[output.name]) / 2
            elif output.without:
                resting = {**given, **dict.fromkeys(output.without, 0.0)}
                values[output.name] = self._at(resting, time)[output.name]
        return values

    @cached_property
    def _accelerations(self) -> list[float]:
        """The accelerations at the start."""
        return self._solved(self._motion(self._flow.positions, self._flow.velocities))[0]

    def _near_start(self, time: float) -> tuple[Sequence[float], Sequence[float]]:
        """Positions and velocities near the start, which change as they do there."""
        positions, velocities = self._flow.positions, self._flow.velocities
        if time:
            positions = tuple(q + time * v for q, v in zip(positions, velocities, strict=True))
            velocities = tuple(v + time * a for v, a in zip(velocities, self._accelerations, strict=True))
        return positions, velocities

    def _at(self, inputs: Mapping[str, float], time: float) -> dict[str, float]:
        given = [inputs[name] for name in self._dae.symbols.inputs]
        at = self._near_start(time)
        acceleration, multipliers = self._solved(self._motion(*at, time=time, inputs=given))
        shown = self._shown(*at, acceleration, multipliers, time=time, inputs=given)
        return dict(zip(self._dae.outputs, (float(value) for value in shown), strict=True))

    def _solved(self, numbers: Sequence[float]) -> tuple[list[float], list[float]]:
        """Accelerations and multipliers of M q'' + Phi_q^T lambda = F, Phi_q q'' = gamma."""
        n, m = len(self._dae.coordinates), len(self._dae.constraints)
        masses, entries = self._shape
        matrix: np.ndarray[Any, np.dtype[np.float64]] = np.zeros((n + m, n + m))
        values = iter(numbers)
        for row, column in masses:
            matrix[row, column] = matrix[column, row] = next(values)
        right = [next(values) for _ in range(n)]
        for row, column in entries:
            matrix[n + row, column] = matrix[column, n + row] = next(values)
        right += list(values)
        if not n + m:
            return [], []
        solution = np.linalg.lstsq(matrix, np.array(right), rcond=1e-12)[0].tolist()
        return solution[:n], solution[n:]
