"""FMUs as importers run them: FMI 2 and 3, co-simulation and model exchange, fixed steps."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fmugen.builder import ModelBuilder
from fmugen.errors import SimulationError
from fmugen.ir.options import ExportOptions, FmiVersion, InterfaceType
from fmugen.pipeline import export_fmu
from fmugen.verify.simulate import Run, Trajectory, communication_points, simulate_runs
from tests.store import exported

STOP, STEP = 1.05, 0.1


def swing(time: float) -> float:
    return 1.0 if time < 0.45 else -2.0


@pytest.fixture(scope="module", params=[2, 3], ids=["FMI 2", "FMI 3"])
def pushed(request: pytest.FixtureRequest) -> Path:
    """A disc on a pin that a torque turns: alpha = torque."""
    model = (
        ModelBuilder("Disc")
        .input("torque", unit="N.m")
        .parameter("inertia", 1.0, "kg.m2")
        .body("disc", mass=1, inertia="inertia", points={"hub": (0, 0)})
        .revolute("pin", "ground", "disc.hub")
        .torque("motor", on="disc", value="torque")
        .output("angle", "pin.angle")
        .start("pin.angle", 0.0)
        .start("pin.omega", 0.0)
        .build()
    )
    options = ExportOptions("aac", fmi=FmiVersion(request.param))
    return exported(model, options).path


def exact(times: np.ndarray) -> np.ndarray:
    """The angle if the torque is held from one communication point to the next."""
    omega, angle, result = 0.0, 0.0, [0.0]
    for begin, end in pairwise(times):
        h, alpha = end - begin, swing(begin) / 2.0
        angle, omega = angle + h * omega + h * h * alpha / 2.0, omega + h * alpha
        result.append(angle)
    return np.array(result)


def test_both_interfaces_hold_inputs_and_take_parameters(pushed: Path) -> None:
    common = {"parameters": {"inertia": 2.0}, "inputs": {"torque": swing}}
    stepped, integrated = simulate_runs(
        pushed,
        [
            Run(STOP, STEP, ["angle"], **common),
            Run(STOP, STEP, ["angle"], **common, interface="ModelExchange", tolerance=1e-9),
        ],
    )
    times = communication_points(STOP, STEP)
    for made, error in ((stepped, 1e-9), (integrated, 1e-6)):
        assert isinstance(made, Trajectory), made
        np.testing.assert_allclose(made.values["angle"], exact(times), atol=error)


def test_explicit_euler_takes_the_given_steps(pushed: Path) -> None:
    (made,) = simulate_runs(
        pushed,
        [
            Run(
                1.0,
                STEP,
                ["angle"],
                inputs={"torque": lambda time: 1.0},
                interface="ModelExchange",
                solver="Euler",
            )
        ],
    )
    assert isinstance(made, Trajectory), made
    number = np.arange(11)
    np.testing.assert_allclose(made.values["angle"], STEP**2 * number * (number - 1) / 2.0, atol=1e-12)


def test_a_run_that_fails_leaves_the_others_alone(pushed: Path) -> None:
    right = Run(0.2, STEP, ["angle"])
    first, second, third = simulate_runs(pushed, [right, Run(0.2, STEP, ["nose"]), right])
    assert isinstance(first, Trajectory)
    assert isinstance(second, SimulationError)
    assert "the FMU has no variable 'nose'" in str(second)
    assert isinstance(third, Trajectory)
    np.testing.assert_array_equal(first.values["angle"], third.values["angle"])


def test_a_missing_interface_is_told(tmp_path: Path) -> None:
    builder = ModelBuilder("Disc").body("disc", mass=1, inertia=1, points={"hub": (0, 0)})
    model = builder.revolute("pin", "ground", "disc.hub").output("angle", "pin.angle").build()
    options = ExportOptions("aac", interfaces=(InterfaceType.CO_SIMULATION,))
    fmu = export_fmu(model, tmp_path / "x.fmu", options).path
    (made,) = simulate_runs(fmu, [Run(0.2, STEP, ["angle"], interface="ModelExchange")])
    assert isinstance(made, SimulationError)
    assert "the FMU has no model exchange interface" in str(made)
