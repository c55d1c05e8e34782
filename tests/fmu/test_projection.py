"""The projection closure: velocities lead all integrated coordinates back to closed loops."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from fmugen.ir.flow import Closure
from fmugen.verify.compare import verify_fmu
from tests.fmu.exchange import Array, Model, opened, options
from tests.fmu.parts import leg
from tests.fmu.test_fmi_structure import differences
from tests.store import exported
from tests.support import example

PROJECTION = options(closure=Closure.PROJECTION)


@pytest.mark.parametrize(
    "name", ["slider_crank", "four_bar", pytest.param("spatial_slider_crank", marks=pytest.mark.slow)]
)
def test_it_gives_the_motion_of_the_reference(name: str) -> None:
    """Through dead centres, where the independent coordinates change."""
    model = example(name)
    export = exported(model, PROJECTION)
    assert verify_fmu(model, export.path, stop=1.0).problems == ()


def integrated(model: Model, begin: float, end: float, steps: int) -> Array:
    """The residual of the loops after every step of the classical method."""
    residuals, h, y = [], (end - begin) / steps, model.states

    def rate(t: float, y: Array) -> Array:
        model.fmu.setTime(t)
        model.states = y
        return model.derivatives

    for k in range(steps):
        t = begin + k * h
        k1 = rate(t, y)
        k2 = rate(t + h / 2, y + h / 2 * k1)
        k3 = rate(t + h / 2, y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, y + h * k3))
        rate(t + h, y)
        residuals.append(model.value("closure.residual"))
    return np.array(residuals)


@pytest.mark.parametrize("sigma", [10.0, 40.0])
def test_what_loops_miss_decays_at_the_rate_of_the_parameter(sigma: float, tmp_path: Path) -> None:
    export = exported(example("slider_crank"), PROJECTION)
    with opened(export, tmp_path) as model:
        model.start(**{"closure.sigma": sigma})
        disturbed = model.states
        disturbed[: model.size - 1] += 1e-3 * np.array([1.0, -2.0, 1.5, 0.5])[: model.size - 1]
        model.states = disturbed
        before = model.value("closure.residual")
        assert before > 1e-4
        after = integrated(model, 0.0, 0.1, 100)
        for share in (0.5, 1.0):
            expected = before * math.exp(-sigma * 0.1 * share)
            assert after[round(100 * share) - 1] == pytest.approx(expected, rel=1e-5)


def test_all_coordinates_and_the_independent_velocities_are_states() -> None:
    export = exported(example("slider_crank"), PROJECTION)
    generated = export.compilation
    coordinates = [coordinate.name for coordinate in generated.dae.coordinates]
    states = [state.name for state in generated.description.continuous_states]
    assert states[: len(coordinates)] == coordinates
    assert len(states) == len(coordinates) + generated.flow.degrees_of_freedom


@pytest.mark.parametrize("closure", [Closure.TRIANGULAR, Closure.PROJECTION])
def test_every_dependency_is_declared(closure: Closure, tmp_path: Path) -> None:
    """Of a leg, whose outputs are derivatives by inputs."""
    export = exported(leg(), options(closure=closure))
    with opened(export, tmp_path) as model:
        model.start()
        description = model.description
        knowns = [v.value_reference for v in (*description.continuous_states, *description.inputs)]
        rng = np.random.default_rng(5)
        points = [model.states + rng.uniform(-0.1, 0.1, model.size) for _ in range(2)]
        structure = description.structure
        said = differences(model, (*structure.outputs, *structure.derivatives), knowns, [*points])
        assert [each for each in said if each.endswith("is missing")] == []


@pytest.mark.parametrize("weight", [False, True])
def test_a_leg_tells_the_inertia_that_the_exact_closure_finds(weight: bool, tmp_path: Path) -> None:
    runs = []
    for closure in (Closure.TRIANGULAR, Closure.PROJECTION):
        export = exported(leg(weight=weight), options(closure=closure))
        with opened(export, tmp_path / closure.value) as part:
            part.start()
            assert weight or part.size == (0 if closure is Closure.TRIANGULAR else 2)
            wanted = [part.reference(name) for name in ("bx", "by", "mxx", "mxy", "myy")]
            runs.append(part.get(wanted))
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-9)


def test_a_negative_rate_is_refused(tmp_path: Path) -> None:
    export = exported(example("slider_crank"), PROJECTION)
    with opened(export, tmp_path) as model, pytest.raises(Exception, match="ExitInitializationMode"):
        model.start(**{"closure.sigma": -1.0})
