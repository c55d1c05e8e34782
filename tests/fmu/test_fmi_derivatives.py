"""Directional and adjoint derivatives of every example against differences, parameters included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fmpy.validation import validate_fmu

from fmugen.ir.flow import Closure
from tests.fmu.exchange import Array, Model, difference, opened, options
from tests.store import exported
from tests.support import EXAMPLES, by_size, example, trees_of

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))

#: What rounding leaves of a value, loops and matrices between included.
ROUNDING = 1e-12


def unknowns(model: Model) -> list[int]:
    description = model.description
    return [variable.value_reference for variable in (*description.calculated, *description.derivatives)]


#: Steps of differences, relative to the value: what is smooth needs large ones, regularized roots small ones.
STEPS = (1e-3, 1e-5)


def step(value: float, relative: float) -> float:
    return relative * (abs(value) if value != 0.0 else 1.0)


Column = tuple[int, list[tuple[Array, float]]]


def numerical_columns(model: Model) -> Iterator[Column]:
    """Known, and its column of the Jacobian by differences, each with the step that it was taken with."""
    wanted, states = unknowns(model), model.states

    def by_state(index: int, value: float) -> Array:
        displaced = states.copy()
        displaced[index] = value
        model.states = displaced
        return model.get(wanted)

    def by_variable(reference: int, value: float) -> Array:
        model.set([reference], [value])
        return model.get(wanted)

    def columns(evaluate: Callable[[float], Array], x: float) -> list[tuple[Array, float]]:
        sizes = [step(x, relative) for relative in STEPS]
        return [(difference(evaluate, x, h), h) for h in sizes]

    for k, variable in enumerate(model.description.continuous_states):
        yield variable.value_reference, columns(partial(by_state, k), float(states[k]))
    model.states = states
    for variable in model.description.inputs:
        r = variable.value_reference
        yield r, columns(partial(by_variable, r), float(model.get([r])[0]))
    model.fmu.enterEventMode()
    for parameter in model.description.parameters:
        if parameter.variability == "tunable":
            r = parameter.value_reference
            yield r, columns(partial(by_variable, r), float(model.get([r])[0]))


def displace(model: Model) -> None:
    """Away from the start, where symmetry hides derivatives."""
    model.states = model.states + 1e-2 * np.random.default_rng(1).uniform(-1.0, 1.0, model.size)


def worst_column(model: Model, rounding: float = ROUNDING) -> float:
    """The largest error of a derivative, relative to it and what differences can tell."""
    wanted = unknowns(model)
    size = np.max(np.abs(model.get(wanted)), initial=1.0)
    worst = 0.0
    for known, columns in numerical_columns(model):
        found = model.along(wanted, known)
        errors = [
            float(
                np.max(
                    np.abs(found - expected) / (1e-6 * np.abs(expected) + rounding * size / h), initial=0.0
                )
            )
            for expected, h in columns
        ]
        worst = max(worst, min(errors))
    return worst


def require_adjoint(model: Model) -> None:
    """Adjoint derivatives are the transposed directional ones, by states, inputs and tunable parameters."""
    description, wanted = model.description, unknowns(model)
    given = (*description.continuous_states, *description.inputs, *description.parameters)
    knowns = [v.value_reference for v in given if v.variability in ("continuous", "tunable")]
    jacobian = np.array([model.along(wanted, known) for known in knowns])
    seeds = np.random.default_rng(2).uniform(-1.0, 1.0, len(wanted))
    found = model.fmu.getAdjointDerivative(wanted, knowns, list(seeds), len(knowns))
    rounding = 1e-12 * (np.abs(jacobian) @ np.abs(seeds)) + 1e-12
    assert np.max(np.abs(found - jacobian @ seeds) / rounding, initial=0.0) <= 1.0


@pytest.mark.parametrize("name", by_size(NAMES))
def test_derivatives_are_those_of_the_values(name: str, tmp_path: Path) -> None:
    """Directional ones against differences, adjoint ones against these; the description is valid."""
    export = exported(example(name), options(3, trees=trees_of(name)))
    assert validate_fmu(str(export.path)) == []
    with opened(export, tmp_path) as model:
        displace(model.start())
        require_adjoint(model)
        assert worst_column(model) <= 1.0


@pytest.mark.parametrize("closure", list(Closure))
def test_under_every_closure(closure: Closure, tmp_path: Path) -> None:
    export = exported(example("slider_crank"), options(closure=closure))
    # Stiff constraint forces are differences of large numbers.
    rounding = 1e3 * ROUNDING if closure is Closure.PENALTY else ROUNDING
    with opened(export, tmp_path) as model:
        displace(model.start())
        assert worst_column(model, rounding) <= 1.0


def test_at_the_start_derivatives_are_those_of_the_assembly(tmp_path: Path) -> None:
    """In initialization mode everything follows from the parameters, fixed ones included."""
    export = exported(example("slider_crank"), options())
    with opened(export, tmp_path) as model:
        model.initialize()
        wanted = unknowns(model)
        for parameter in (*model.description.parameters, *model.description.inputs):
            r = parameter.value_reference

            def value(x: float, r: int = r) -> Array:
                model.set([r], [x])
                return model.get(wanted)

            x = float(model.get([r])[0])
            h = 1e-3 * max(1e-1, abs(x))
            expected = difference(value, x, h)
            np.testing.assert_allclose(model.along(wanted, r), expected, rtol=1e-6, atol=1e-6)


def test_time_is_a_known_of_fmi_3(tmp_path: Path) -> None:
    """A driven mechanism has no states: all its outputs are functions of time."""
    export = exported(example("quick_return"), options(3))
    with opened(export, tmp_path) as model:
        model.start()
        outputs = [output.unknown for output in model.description.structure.outputs]

        def at(time: float) -> Array:
            model.fmu.setTime(time)
            return model.get(outputs)

        expected = difference(at, 0.1, 1e-3)
        found = model.along(outputs, len(model.description.variables))
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.max(np.abs(expected)))


def test_what_has_no_derivative_is_said(tmp_path: Path) -> None:
    export = exported(example("pendulum"), options())
    with opened(export, tmp_path) as model:
        model.start()
        outputs = [output.unknown for output in model.description.structure.outputs]
        fixed = next(p for p in model.description.parameters if p.variability == "fixed")
        for known in (fixed.value_reference, model.reference("solver.step"), 10_000):
            with pytest.raises(Exception, match="GetDirectionalDerivative"):
                model.along(outputs, known)
        assert len(model.along(outputs, model.description.continuous_states[0].value_reference)) > 0
