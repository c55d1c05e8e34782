"""FMUs of wheels with tyres."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.verify.compare import verify_fmu
from tests.store import exported

TYRE = Path(__file__).parents[1] / "data" / "wheels" / "own_tyre.tir"
#: A braked wheel that is thrown onto the road, turned and sliding to one side, and its mirror image.
MODEL = """
[model]
name = "Wheels"
space = "spatial"
gravity = [0, 0, -9.81]
[experiment]
stop = 0.1
[assemblies.wheel]
connectors = {{ hub = "wheel" }}
[assemblies.wheel.bodies.wheel]
mass = 250
inertia = [0.5, 0.9, 0.5]
[assemblies.wheel.joints.free]
type = "free"
from = "ground"
to = "wheel"
attitude = "zxy"
[assemblies.wheel.forces.tyre]
type = "tyre"
on = "wheel"
slip = "{slip}"
coefficients = "{file}"
[assemblies.wheel.forces.brake]
type = "torque"
on = "wheel"
value = [0, -100, 20]
[assemblies.wheel.start]
fixed."wheel.z" = 0.272
fixed."wheel.vx" = 10
fixed."wheel.vy" = 0.3
fixed."free.omega3" = 35
fixed."free.angle2" = 0.03
[use.left]
assembly = "wheel"
[use.right]
assembly = "wheel"
mirror = "y"
[outputs]
x = "left.wheel.x"
x_image = "right.wheel.x"
y = "left.wheel.y"
y_image = "right.wheel.y"
load = "left.tyre.load"
moment = "left.tyre.aligning_moment"
moment_image = "right.tyre.aligning_moment"
"""
OPTIONS = ExportOptions(trees="jc")


@pytest.mark.parametrize("slip", ["lag", pytest.param("steady", marks=pytest.mark.slow)])
def test_a_mirrored_wheel_moves_as_the_mirror_image(slip: str) -> None:
    model = parse_model(MODEL.format(slip=slip, file=TYRE), "wheels.toml")
    path = exported(model, OPTIONS).path
    found = fmpy.simulate_fmu(str(path), stop_time=0.1, output_interval=0.01)
    assert np.max(np.abs(found["y"])) > 0.01 and np.min(found["load"]) > 1000
    np.testing.assert_allclose(found["x_image"], found["x"], atol=1e-12)
    np.testing.assert_allclose(found["y_image"], -found["y"], atol=1e-12)
    np.testing.assert_allclose(found["moment_image"], -found["moment"], atol=1e-8)
    assert np.max(np.abs(found["moment"])) > 1


@pytest.mark.slow
@pytest.mark.parametrize("slip", ["steady", "lag"])
def test_the_judge_agrees(slip: str) -> None:
    model = parse_model(MODEL.format(slip=slip, file=TYRE), "wheels.toml")
    assert verify_fmu(model, exported(model, OPTIONS).path).problems == ()
