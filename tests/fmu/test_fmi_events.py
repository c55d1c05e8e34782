"""Switches in time and in the state: located in co-simulation, announced in model exchange."""

from __future__ import annotations

import math
from pathlib import Path

import fmpy
import numpy as np
import pytest

from fmugen.ir.options import Solver
from fmugen.phases.read import read_model
from fmugen.pipeline import Export
from fmugen.verify.simulate import simulate_fmu
from tests.fmu.exchange import opened, options
from tests.store import exported

MODEL = """
[model]
name = "Buffer"

[parameters]
until = { value = 0.3, unit = "s" }
stiffness = { value = 1000.0, unit = "N/m" }
gap = { value = 0.1, unit = "m", min = 0.0, max = 1.0 }

[ground]
points = { O = [0, 0] }

[bodies.cart]
mass = 1
inertia = 1

[joints.slide]
type = "prismatic"
from = "ground.O"
to = "cart"
axis = [1, 0]

[forces.push]
type = "force"
on = "cart"
value = ["if(until - time, 2, 0) - stiffness*max(0, slide.s - gap)", 0]

[outputs]
s = { value = "slide.s", unit = "m" }
v = { value = "slide.v", unit = "m/s" }

[start.fixed]
"slide.s" = 0
"slide.v" = 0
"""

#: The push ends at 0.3 s, where s = 0.09 m and v = 0.6 m/s; the buffer is met 0.01 m later.
CONTACT = 0.3 + 0.01 / 0.6


def exact(t: float, stiffness: float = 1000.0) -> float:
    if t <= 0.3:
        return t * t
    if t <= CONTACT:
        return 0.09 + 0.6 * (t - 0.3)
    omega = math.sqrt(stiffness)
    if omega * (t - CONTACT) <= math.pi:
        return 0.1 + 0.6 / omega * math.sin(omega * (t - CONTACT))
    return 0.1 - 0.6 * (t - CONTACT - math.pi / omega)


@pytest.fixture(scope="module", params=[2, 3])
def export(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Export:
    folder = tmp_path_factory.mktemp("buffer")
    (folder / "model.toml").write_text(MODEL, encoding="utf-8")
    return exported(read_model(folder / "model.toml"), options(request.param))


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_the_motion_is_exact_through_all_switches(export: Export, kind: str) -> None:
    rows = fmpy.simulate_fmu(
        str(export.path),
        fmi_type=kind,
        stop_time=0.6,
        output_interval=0.03,
        relative_tolerance=1e-10,
        output=["s"],
    )
    expected = [exact(t) for t in rows["time"]]
    np.testing.assert_allclose(rows["s"], expected, atol=1e-9 if kind == "CoSimulation" else 1e-6)


def test_time_events_are_announced_and_states_watched(export: Export, tmp_path: Path) -> None:
    with opened(export, tmp_path) as model:
        model.initialize()
        model.fmu.exitInitializationMode()
        assert model.update() == (False, pytest.approx(0.3))
        model.fmu.enterContinuousTimeMode()
        assert len(model.description.indicators) == 1
        acceleration = model.description.derivatives[1].value_reference
        model.fmu.setTime(0.3)
        assert model.get([acceleration])[0] == pytest.approx(2.0), "the push is held until the event"
        model.fmu.enterEventMode()
        assert model.update() == (False, None)
        model.fmu.enterContinuousTimeMode()
        assert model.get([acceleration])[0] == pytest.approx(0.0)
        indicator = model.description.indicators[0].value_reference
        model.states = np.array([0.05, 0.6])
        before = model.get([indicator])[0]
        model.states = np.array([0.15, 0.6])
        assert before * model.get([indicator])[0] < 0.0
        assert model.get([acceleration])[0] == pytest.approx(0.0), "the buffer is held until the event"
        model.fmu.enterEventMode()
        model.update()
        assert model.get([acceleration])[0] == pytest.approx(-50.0)


def test_limits_of_the_file_reach_the_description(export: Export) -> None:
    gap = next(v for v in export.compilation.description.parameters if v.name == "gap")
    assert (gap.minimum, gap.maximum) == (0.0, 1.0)


@pytest.mark.parametrize("export", [2], indirect=True)
@pytest.mark.parametrize(("solver", "tolerance"), [(Solver.RK4, 1e-6), (Solver.RODAS3, 1e-5)])
def test_other_solvers_locate_switches_as_well(export: Export, solver: Solver, tolerance: float) -> None:
    method = 1 + list(Solver).index(solver)
    rows = fmpy.simulate_fmu(
        str(export.path),
        fmi_type="CoSimulation",
        stop_time=0.6,
        output_interval=0.005,
        start_values={"solver.method": method, "solver.step": 1e-3},
        output=["s"],
    )
    np.testing.assert_allclose(rows["s"], [exact(t) for t in rows["time"]], atol=tolerance)


def test_a_stiff_buffer_needs_few_implicit_steps(tmp_path: Path) -> None:
    """A damper that leaves a time constant of a microsecond."""
    text = MODEL.replace("stiffness*max(0, slide.s - gap)", "1e6*(slide.v - 0.1)").replace(
        "if(until - time, 2, 0)", "0"
    )
    (tmp_path / "model.toml").write_text(text, encoding="utf-8")
    model = read_model(tmp_path / "model.toml")
    fmu = exported(model, options(solver=Solver.RODAS3)).path
    run = simulate_fmu(fmu, stop=1.0, step=0.1, outputs=["v", "solver.steps"])
    assert run.values["v"][-1] == pytest.approx(0.1, abs=1e-6)
    assert run.values["solver.steps"][-1] < 1000, "an explicit method would need some 300,000"
