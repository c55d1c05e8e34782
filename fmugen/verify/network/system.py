"""A model's network with numbers: its reduced tableau, and the readings of all its quantities."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.formula import TIME
from fmugen.ir.model import SystemModel
from fmugen.verify.catalogue import network_parts
from fmugen.verify.evaluate import Jet
from fmugen.verify.layout import Layout
from fmugen.verify.network.matrices import as_dense, matrix_of
from fmugen.verify.network.reduction import ReducedNetwork, Solved
from fmugen.verify.network.start import StartValues, consistent_states
from fmugen.verify.network.tableau import Point, Tableau
from fmugen.verify.network.variables import Row
from fmugen.verify.rotations import Array


class NetworkSystem:
    """The network of a model for one choice of parameter values."""

    def __init__(self, model: SystemModel, parameters: Mapping[str, float], first: Mapping[str, Jet]) -> None:
        self.model = model
        self.tableau = Tableau(network_parts(Layout(model, parameters)))
        tableau = self.tableau
        self.flanges = tuple((domain.across, name.partition(":")[2]) for domain, name in tableau.flanges)
        rest = Point(0.0, np.zeros(tableau.states), np.zeros(2 * len(self.flanges)), first)
        self.reduced = ReducedNetwork(tableau, rest)
        self.names = tuple(tableau.quantities)
        rows = list(tableau.quantities.values())
        self._by_w = matrix_of([row.w for row in rows], tableau.size)
        self._by_x = matrix_of([row.x for row in rows], tableau.states)
        self._by_e = matrix_of([row.e for row in rows], 2 * len(self.flanges))
        self._seconds = tableau.variables.second_rates()
        self._zeros = [0.0] * (tableau.states - len(tableau.storage_names))
        #: The displacements of edges, which determine those of nodes.
        components = {edge.component for edge in tableau.edges}
        self._displaced = {
            name: row
            for name, row in tableau.quantities.items()
            if not row.w and row.x and name.rpartition(".")[0] in components
        }

    def start(self, point: Point, wanted: StartValues) -> Array:
        """A consistent start."""
        return consistent_states(self.reduced, point, wanted)

    def projected(self, point: Point) -> Array:
        """The states moved by the least amount that satisfies constraints and ties."""
        tableau, reduced = self.tableau, self.reduced
        tied, tie_rows = tableau.tie_residual(point)
        if not len(tied) and not reduced.constraints.shape[1]:
            return point.x
        nothing = np.zeros(tableau.size)
        _, by_x = tableau.jacobians(point, nothing)
        violation = np.concatenate((tied, reduced.constraints.T @ tableau.residual(point, nothing)))
        rows = np.vstack((tie_rows, reduced.constraints.T @ as_dense(by_x)))
        result: Array = point.x - np.linalg.lstsq(rows, violation, rcond=None)[0]
        return result

    def readings(self, point: Point, solved: Solved) -> dict[str, float]:
        """Every quantity that is a combination of unknowns and states."""
        values = self._by_w @ solved.w + self._by_x @ point.x + self._by_e @ point.e
        return dict(zip(self.names, values.tolist(), strict=True))

    def seconds(self, point: Point, solved: Solved, e_rate: Array) -> dict[str, float]:
        """The accelerations of all mechanical edges and nodes."""
        if not self._seconds:
            return {}
        rates = self.reduced.unknown_rates(point, solved, e_rate)
        return {name: _combined(row, rates) for name, row in self._seconds.items()}

    def reported_states(self, values: Mapping[str, float], e: Array) -> Array:
        """The states that follow from quantities of the edges."""
        tableau = self.tableau
        states = np.array([*(values[name] for name in tableau.storage_names), *self._zeros])
        if self._displaced:
            rows = list(self._displaced.values())
            nothing = np.zeros(tableau.size)
            reported = np.array([values[name] for name in self._displaced])
            missing = reported - np.array([row.value(nothing, states, e) for row in rows])
            columns = np.arange(len(tableau.storage_names), tableau.states)
            by_x = as_dense(matrix_of([row.x for row in rows], tableau.states))[:, columns]
            states[columns] += np.linalg.lstsq(by_x, missing, rcond=None)[0]
        return states

    def needs_seconds(self) -> bool:
        """Whether an output asks for an acceleration."""
        asked = {name for output in self.model.outputs for name in output.value.names()}
        return not asked.isdisjoint(self._seconds)


def _combined(row: Row, rates: Array) -> float:
    return sum(coefficient * float(rates[column]) for column, coefficient in row.w.items())


def known_values(model: SystemModel, parameters: Mapping[str, float] | None) -> dict[str, float]:
    """The parameters of a model, some replaced."""
    values = {parameter.name: parameter.value for parameter in model.parameters}
    for name, value in (parameters or {}).items():
        if name not in values:
            raise VerificationError(f"{model.name} has no parameter {name!r}")
        values[name] = value
    return values


def held(inputs: Mapping[str, float]) -> dict[str, Jet]:
    """Inputs that are constant until the next communication point."""
    return {name: Jet(value) for name, value in inputs.items() if name != TIME}
