"""Parts of a drive that are compositions of others: differential, motor, drag, disc brake, bump."""

from __future__ import annotations

from typing import Any

import fmpy
import numpy as np
import pytest

from fmugen.ir.options import ExportOptions
from tests.store import exported
from tests.support import example, trees_of

NAME = "electric_tricycle"
OUTPUTS = [
    *("speed", "drag_force", "current", "brake_torque", "velocity_x", "velocity_y", "motor.w"),
    *("left.spin", "right.spin", "differential.tau1", "differential.tau2", "left.load", "x", "yaw_rate"),
]


def run(stop: float, **start: float) -> Any:
    fmu = exported(example(NAME), ExportOptions(trees_of(NAME))).path
    known = {variable.name for variable in fmpy.read_model_description(str(fmu)).modelVariables}
    names = [name for name in OUTPUTS if name in known]
    return fmpy.simulate_fmu(str(fmu), stop_time=stop, output_interval=0.02, start_values=start, output=names)


@pytest.mark.slow
def test_drive_and_brake() -> None:
    found = run(6.0)
    turning = found["time"] > 4
    # In a curve to the left the right wheel is faster; the cage turns at the mean.
    assert np.all(found["right.spin"][turning] > found["left.spin"][turning] + 0.3)
    assert np.all(found["yaw_rate"][turning] > 0.05)
    cage = found["motor.w"] / 6
    np.testing.assert_allclose(cage, (found["left.spin"] + found["right.spin"]) / 2, atol=1e-9)
    # Both wheels get half of the torque of the motor, which is six times as large at the cage.
    torque = 6 * 0.9 * found["current"]
    for name in ("differential.tau1", "differential.tau2"):
        np.testing.assert_allclose(np.abs(found[name]), np.abs(torque) / 2, atol=1e-9)
    vx, vy = found["velocity_x"], found["velocity_y"]
    np.testing.assert_allclose(found["drag_force"], -0.36 * np.hypot(vx, vy) * vx, atol=1e-9)
    assert found["drag_force"].min() < -20
    # The bump is 0.4 m long, at 20 m, where the rear axle comes 1.2 m after the origin.
    passing = np.abs(found["x"] - 21.2) < 0.6
    assert np.ptp(found["left.load"][passing]) > 3 * np.ptp(found["left.load"][np.abs(found["x"] - 17) < 0.6])
    braked = run(6.0, pressure=1.5e6, voltage=0.0)
    assert np.abs(braked["speed"]).max() < 1e-3


@pytest.mark.slow
def test_the_brake_disc_has_the_torque_of_its_pads() -> None:
    found = run(4.0, pressure=2e5)
    moving = found["speed"] > 3
    assert moving.any()
    expected = 2 * 0.4 * 8e-4 * 0.12 * 2e5
    np.testing.assert_allclose(np.abs(found["brake_torque"][moving]), expected, rtol=1e-3)
