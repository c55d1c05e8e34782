"""What tests share: examples, a Dae in numbers, mistakes in model files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fmugen.errors import ModelError, Problem
from fmugen.expr.code import compile_python
from fmugen.formulas import parse
from fmugen.ir.dae import Dae
from fmugen.ir.model import Output, SystemModel, default_parameters, quantities
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model, read_model
from fmugen.pipeline import Compilation

EXAMPLES = Path(__file__).parents[1] / "examples"

Array = NDArray[np.float64]

#: Examples that are exported and judged in a second or two, of every kind. All others are slow tests.
QUICK = {
    "cauer_low_pass",
    "double_pendulum",
    "engine1a",
    "excavator",
    "five_bar",
    "four_bar",
    "fourbar_modelica",
    "mcphee_electrical",
    "n_four_bar",
    "peaucellier_lipkin",
    "pendulum",
    "pipe_network",
    "quick_return",
    "rectifier",
    "slider_crank",
    "spatial_four_bar",
    "spatial_slider_crank",
    "stephenson_iii",
    "three_rpr",
    "three_rrr",
    "tumbling_body",
    "vibrating_system",
}
#: Examples that run with other trees than most.
_TREES = {
    "bicycle": "aac",
    "electric_tricycle": "jc",
    "rear_suspension": "kingpin",
    "rolling_disc": "aac",
    "vehicle_14dof": "jc",
    "vehicle_double_wishbone": "kingpin",
}


def trees_of(name: str, others: str = "aac") -> str:
    """The trees that tests run an example with: its own, or those of all ``others``."""
    return _TREES.get(name, others)


def by_size(cases: Iterable[str | tuple[str, ...]]) -> list[Any]:
    """Parameters of a test, each an example or a tuple that begins with one; only quick ones are not slow."""
    rows = [(case,) if isinstance(case, str) else case for case in cases]
    return [pytest.param(*row, marks=() if row[0] in QUICK else pytest.mark.slow) for row in rows]


def fact(text: str, name: str) -> str:
    """The second column of the line of a printed table that begins with this name."""
    [line] = [line for line in text.splitlines() if line.startswith(f" {name} ")]
    return line.removeprefix(f" {name} ").strip()


@cache
def example(name: str) -> SystemModel:
    """The model of an example; models cannot be changed, so that all tests share one."""
    return read_model(EXAMPLES / name / "model.toml")


def with_all_quantities(model: SystemModel) -> SystemModel:
    """``model`` with every quantity as an output of its own, dots written as two underscores."""
    outputs = tuple(
        Output(quantity.name.replace(".", "__"), parse(quantity.name)) for quantity in quantities(model)
    )
    return replace(model, outputs=outputs)


class NumericDae:
    """The equations of a model in given trees, at numerical states."""

    def __init__(
        self,
        model: SystemModel,
        trees: str,
        inputs: Mapping[str, float] | None = None,
        dae: Dae | None = None,
    ) -> None:
        self.model = model
        self.dae: Dae = Compilation(model, ExportOptions(trees)).formulated if dae is None else dae
        symbols = self.dae.symbols
        defaults = default_parameters(model)
        self._parameters = [defaults[name] for name in symbols.parameters]
        given = inputs or {}
        self._inputs = [given.get(name, 0.0) for name in symbols.inputs]
        #: Positions whose velocities follow from those of others may have any values.
        self._states = [0.1] * len(self.dae.states)
        n, m = len(self.dae.coordinates), len(self.dae.constraints)
        self.n, self.m = n, m
        zero = symbols.dag.zero
        mass = [self.dae.mass.get((max(i, j), min(i, j)), zero) for i in range(n) for j in range(n)]
        rows = self.dae.constraints
        jacobian = [row.jacobian.get(j, zero) for row in rows for j in range(n)]
        self._equations = compile_python(
            [
                *mass,
                *jacobian,
                *self.dae.force,
                *(r.gamma for r in rows),
                *(r.nu for r in rows),
                *(r.phi for r in rows),
            ],
            self._arguments(),
        )
        self._outputs = compile_python(list(self.dae.outputs.values()), self._arguments())

    def _arguments(self):  # type: ignore[no-untyped-def]
        symbols, coordinates = self.dae.symbols, self.dae.coordinates
        return {
            "p": list(symbols.parameters.values()),
            "u": list(symbols.inputs.values()),
            "t": [symbols.time],
            "q": [c.position for c in coordinates],
            "v": [c.velocity for c in coordinates],
            "a": [c.acceleration for c in coordinates],
            "l": [r.multiplier for r in self.dae.constraints],
            "x": [state.symbol for state in self.dae.states],
        }

    def terms(self, q: Array, v: Array, t: float = 0.0) -> tuple[Array, Array, Array, Array, Array, Array]:
        """Mass matrix, Phi_q, force, gamma, nu, Phi."""
        n, m = self.n, self.m
        values = np.array(
            self._equations(
                self._parameters, self._inputs, [t], q, v, np.zeros(n), np.zeros(m), self._states
            ),
            dtype=float,
        )
        splits = np.split(values, np.cumsum([n * n, m * n, n, m, m]))
        mass, jacobian, force, gamma, nu, phi = splits
        return mass.reshape(n, n), jacobian.reshape(m, n), force, gamma, nu, phi

    def solve(self, q: Array, v: Array, t: float = 0.0) -> tuple[Array, Array]:
        """Accelerations and multipliers."""
        mass, jacobian, force, gamma, _, _ = self.terms(q, v, t)
        matrix = np.block([[mass, jacobian.T], [jacobian, np.zeros((self.m, self.m))]])
        solution = np.linalg.lstsq(matrix, np.concatenate([force, gamma]), rcond=1e-13)[0]
        return solution[: self.n], solution[self.n :]

    def close(self, q: Array, v: Array, t: float = 0.0) -> tuple[Array, Array]:
        """The nearest consistent state."""
        for _ in range(60):
            _, jacobian, _, _, _, phi = self.terms(q, v, t)
            if np.abs(phi).max(initial=0.0) < 1e-14:
                break
            q = q - np.linalg.lstsq(jacobian, phi, rcond=1e-10)[0]
        _, jacobian, _, _, nu, phi = self.terms(q, v, t)
        assert np.abs(phi).max(initial=0.0) < 1e-12
        return q, v + np.linalg.lstsq(jacobian, nu - jacobian @ v, rcond=1e-10)[0]

    def quantities(self, q: Array, v: Array, t: float = 0.0) -> dict[str, float]:
        """Every output at a state, with accelerations and reactions solved for."""
        a, lam = self.solve(q, v, t)
        values = self._outputs(self._parameters, self._inputs, [t], q, v, a, lam, self._states)
        return {name.replace("__", "."): value for name, value in zip(self.dae.outputs, values, strict=True)}


# --- mistakes in model files ---------------------------------------------------------------------


def problems_of(text: str) -> tuple[Problem, ...]:
    """What the reader says of a model file."""
    with pytest.raises(ModelError) as caught:
        parse_model(text, "some/where/model.toml")
    return caught.value.problems


def only_problem(text: str) -> Problem:
    problems = problems_of(text)
    assert len(problems) == 1, [str(problem) for problem in problems]
    return problems[0]


def assert_one_mistake(text: str, place: str, message: str, hint: str) -> None:
    """The reader finds one problem, at this place, whose sentences contain these words."""
    problem = only_problem(text)
    assert re.fullmatch(rf"model\.toml:\d+: {re.escape(place)}", problem.place)
    assert message in problem.message
    assert hint in problem.hint
