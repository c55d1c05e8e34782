"""Start values of parts: where the whole system stands, and what the parts tell each other there.

No engine has to iterate at the start: every connected input begins with the value that the other side sends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fmugen.expr.code import compile_python
from fmugen.expr.dag import Expr
from fmugen.formulas import parse
from fmugen.ir.flow import Closure
from fmugen.ir.formula import constant
from fmugen.ir.model import (
    JointType,
    Output,
    Start,
    SystemModel,
    attitude_kinds,
    default_parameters,
    quantities,
)
from fmugen.ir.quantity import Level
from fmugen.ir.split import SYSTEM, Connection
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import formulate_model

__all__ = ["degrees_of_freedom", "motion_at_start", "placed_at", "settle"]

#: The trees of the formulations that only tell start values.
_TREES = "aac"
#: Values that a sweep over all parts changes by less than this have settled.
_SETTLED = 1e-12


def motion_at_start(model: SystemModel) -> dict[str, float]:
    """Positions and velocities of all bodies and joints of a model at its assembled start."""
    optional = {f"{body.name}.{kind}" for body in model.bodies for kind, *_ in attitude_kinds(body.attitude)}
    for joint in model.joints:
        if joint.kind in (JointType.SPHERICAL, JointType.FREE):
            optional |= {f"{joint.name}.{kind}" for kind, *_ in attitude_kinds(joint.attitude)}
    owners = {body.name for body in model.bodies} | {joint.name for joint in model.joints}
    names = [
        quantity.name
        for quantity in quantities(model)
        if quantity.owner in owners
        and quantity.level is not Level.ACCELERATION
        and quantity.name not in optional
    ]
    probe = replace(model, outputs=tuple(Output(name, parse(name)) for name in names))
    return _Instant(probe).outputs()


def degrees_of_freedom(model: SystemModel) -> int:
    """How many independent motions a model has at its start."""
    model = replace(model, outputs=())
    return solution_flow(model, formulate_model(model, _TREES).dae, Closure.NEWTON).degrees_of_freedom


def placed_at(model: SystemModel, motion: Mapping[str, float], *, free: bool) -> SystemModel:
    """A part that starts where the whole system stands.

    What is ``free`` at its ports keeps the start values that its user has fixed; all else are guesses, which
    are met because they agree.
    """
    own = {quantity.name for quantity in quantities(model)}
    fixed = [start for start in model.starts if start.fixed and free and start.quantity in own]
    said = {start.quantity for start in fixed}
    guesses = [
        Start(name, constant(value), fixed=False)
        for name, value in motion.items()
        if name in own and name not in said
    ]
    known = {parameter.name for parameter in model.parameters}
    kept = [start for start in fixed if known.issuperset(set(start.value.names()) - {"pi"})]
    lost = [Start(s.quantity, constant(motion[s.quantity]), fixed=True) for s in fixed if s not in kept]
    return replace(model, starts=(*kept, *lost, *guesses))


def settle(models: Mapping[str, SystemModel], connections: Sequence[Connection]) -> dict[str, SystemModel]:
    """Give every connected input the value that its source has at the start.

    The parts are swept in their order until nothing changes: what one sends depends on what it hears.
    """
    settled = dict(models)
    for _ in range(2 * len(settled) + 2):
        change = 0.0
        for part in settled:
            sent = _Instant(settled[part]).outputs()
            for connection in connections:
                if connection.source == part and connection.target != SYSTEM:
                    target = settled[connection.target]
                    value = sent[connection.output]
                    inputs = {given.name: given for given in target.inputs}
                    old = inputs[connection.input].start
                    change = max(change, abs(value - old) / max(1.0, abs(value)))
                    inputs[connection.input] = replace(inputs[connection.input], start=value)
                    settled[connection.target] = replace(target, inputs=tuple(inputs.values()))
        if change < _SETTLED:
            break
    return settled


class _Instant:
    """The equations of a model as numbers at its start, for any values of the inputs that leave it there."""

    def __init__(self, model: SystemModel) -> None:
        self._model = model
        self._dae = formulate_model(model, _TREES).dae
        self._flow = solution_flow(model, self._dae, Closure.NEWTON)
        dae, symbols = self._dae, self._dae.symbols
        self._known = {
            "p": list(symbols.parameters.values()),
            "u": list(symbols.inputs.values()),
            "t": [symbols.time],
            "q": [coordinate.position for coordinate in dae.coordinates],
            "v": [coordinate.velocity for coordinate in dae.coordinates],
        }
        rows = dae.constraints
        self._shape = list(dae.mass), [(row, column) for row, c in enumerate(rows) for column in c.jacobian]
        jacobian = [value for c in rows for value in c.jacobian.values()]
        motion: list[Expr] = [*dae.mass.values(), *dae.force, *jacobian, *(c.gamma for c in rows)]
        self._motion = compile_python(motion, self._known)
        found = {
            **self._known,
            "a": [coordinate.second for coordinate in dae.coordinates],
            "w": [c.multiplier for c in rows],
        }
        self._shown = compile_python(list(dae.outputs.values()), found)

    def outputs(self) -> dict[str, float]:
        """All outputs at the start; those ``by`` an input as differences, exact if they are linear."""
        starts = {given.name: given.start for given in self._model.inputs}
        values = self._at(starts)
        for output in self._model.outputs:
            if output.by:
                above, below = (self._at({**starts, output.by: starts[output.by] + s}) for s in (1.0, -1.0))
                values[output.name] = (above[output.name] - below[output.name]) / 2
            elif output.without:
                values[output.name] = self._at({**starts, **dict.fromkeys(output.without, 0.0)})[output.name]
        return values

    def _at(self, inputs: Mapping[str, float]) -> dict[str, float]:
        dae, defaults = self._dae, default_parameters(self._model)
        parameters = [defaults[name] for name in dae.symbols.parameters]
        given = [inputs[name] for name in dae.symbols.inputs]
        at = (parameters, given, [0.0], self._flow.positions, self._flow.velocities)
        acceleration, multipliers = self._solved(self._motion(*at))
        shown = self._shown(*at, acceleration, multipliers)
        return dict(zip(dae.outputs, (float(value) for value in shown), strict=True))

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
