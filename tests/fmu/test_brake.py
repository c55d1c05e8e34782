"""Brakes hold at rest and slide under too large a load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import model_from_tables
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import Run, Trajectory, simulate_runs
from tests.store import exported
from tests.support import example, trees_of

#: The weight of the arm turns it with 4.905 N.m where it is level.
WEIGHT = 4.905


def arm(**springs: Any) -> Any:
    tables = {
        "model": {"name": "Arm", "gravity": [0, -9.81]},
        "experiment": {"stop": 1.5, "step": 0.005, "tolerance": 1e-9},
        "parameters": {"capacity": 8.0},
        "bodies": {"arm": {"mass": 1.0, "inertia": 0.1, "points": {"O": [-0.5, 0]}}},
        "joints": {"pin": {"type": "revolute", "from": "ground", "to": "arm.O"}},
        "springs": {
            "brake": {"type": "brake", "from": "ground", "to": "arm", "capacity": "capacity", **springs}
        },
        "outputs": {"angle": "pin.angle", "omega": "pin.omega", "torque": "brake.torque"},
        "start": {"fixed": {"pin.angle": 0, "pin.omega": 7}},
    }
    return model_from_tables(tables, "test")


def test_a_brake_stops_an_arm_and_holds_it() -> None:
    model = arm()
    fmu = exported(model, ExportOptions("aac")).path
    verification = verify_fmu(model, fmu)
    assert verification.passed, verification.problems
    found = {signal.name: signal.fmu for signal in verification.signals}
    sliding = found["omega"] > 0.3
    assert np.all(found["torque"][sliding][20:] == pytest.approx(-8.0, rel=1e-3))
    at_rest = found["angle"][-1]
    assert at_rest > 0.5
    assert abs(found["omega"][-1]) < 1e-6
    assert found["torque"][-1] == pytest.approx(WEIGHT * np.cos(at_rest), rel=1e-5)


def test_a_weak_brake_slides_with_its_capacity() -> None:
    (run,) = simulate_runs(
        exported(arm(), ExportOptions("aac")).path,
        [Run(0.3, 0.01, ["omega", "torque"], {"capacity": 3.0})],
    )
    assert isinstance(run, Trajectory)
    assert np.abs(run.values["torque"]).max() <= 3.0 * (1 + 1e-9)
    assert run.values["omega"][-1] > 0.5


CAR = "vehicle_14dof"


@pytest.mark.slow
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_a_car_stops_on_a_slope_and_stays(interface: str) -> None:
    fmu: Path = exported(example(CAR), ExportOptions(trees_of(CAR))).path
    forces = [f"{corner}.{kind}_force" for corner in CORNERS for kind in ("longitudinal", "lateral")]
    outputs = ["x", "y", "speed_x", "chassis.angle1", *forces]
    (run,) = simulate_runs(fmu, [Run(12.0, 0.05, outputs, interface=interface)])  # type: ignore[arg-type]
    assert isinstance(run, Trajectory), run
    values, standing = run.values, run.times >= 9.0
    assert values["speed_x"][run.times <= 3.0].min() > 9.0
    assert np.abs(values["speed_x"][standing]).max() < 1e-6
    assert np.ptp(values["x"][standing]) < 1e-6
    weight = (882 + 4 * (14.6 + 21.18)) * 9.81 * np.sin(0.05)
    # The car stands a little across the slope, and its wheels are straight.
    yaw = values["chassis.angle1"][-1]
    along = sum(values[f"{corner}.longitudinal_force"][-1] for corner in CORNERS)
    # Outputs of the right corners are those of the mirror image.
    mirrored = {corner: -1 if corner.endswith("right") else 1 for corner in CORNERS}
    across = sum(mirrored[corner] * values[f"{corner}.lateral_force"][-1] for corner in CORNERS)
    assert abs(yaw) > 1e-3
    assert along * np.cos(yaw) - across * np.sin(yaw) == pytest.approx(weight, rel=1e-6)
    assert along * np.sin(yaw) + across * np.cos(yaw) == pytest.approx(0, abs=1e-3)


CORNERS = ("front_left", "front_right", "rear_left", "rear_right")
