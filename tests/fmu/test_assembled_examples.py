"""A walker, an engine and a lift of repeated assemblies: short files, loops closed by formulas."""

from __future__ import annotations

import math

import fmpy
import numpy as np
import pytest

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from tests.store import exported
from tests.support import EXAMPLES, example

LENGTH = {"jansen_walker": (3, 3), "v6_engine": (3, 3), "scissor_lift": (4,)}


@pytest.mark.parametrize("name", LENGTH)
def test_a_file_is_shorter_than_60_lines(name: str) -> None:
    text = (EXAMPLES / name / "model.toml").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 60
    assert text.count("count = ") == len(LENGTH[name])


def dyad(a: np.ndarray, b: np.ndarray, lengths: tuple[float, float], side: float) -> np.ndarray:
    """The point at two distances from two points, left (1) or right (-1) of the way from a to b."""
    between = b - a
    d = np.linalg.norm(between, axis=0)
    along = (lengths[0] ** 2 - lengths[1] ** 2 + d**2) / (2 * d)
    across = side * np.sqrt(lengths[0] ** 2 - along**2)
    ex = between / d
    return a + along * ex + across * np.stack([-ex[1], ex[0]])


def carried(origin: np.ndarray, toward: np.ndarray, x: float, y: float) -> np.ndarray:
    """A point of a body, by its frame."""
    ex = (toward - origin) / np.linalg.norm(toward - origin, axis=0)
    return origin + x * ex + y * np.stack([-ex[1], ex[0]])


def foot(pin: np.ndarray) -> np.ndarray:
    """The foot of Jansen's leg by circles."""
    pivot = np.broadcast_to(np.array([[-0.38], [-0.078]]), pin.shape)
    knee = dyad(pin, pivot, (0.5, 0.415), -1)
    corner = carried(pivot, knee, 0.0261, 0.40015)
    hip = dyad(pin, pivot, (0.619, 0.393), 1)
    ankle = dyad(corner, hip, (0.394, 0.367), -1)
    return carried(hip, ankle, -0.07747, 0.48384)


@pytest.mark.slow
def test_the_feet_of_the_walker_follow_circles_for_a_whole_turn() -> None:
    fmu = exported(example("jansen_walker"), ExportOptions("aac")).path
    feet = [
        f"{side}{number}.foot_{axis}" for side in ("left", "right") for number in (1, 2, 3) for axis in "xy"
    ]
    names = [*feet, "shaft.angle", "closure.residual", "closure.iterations"]
    found = fmpy.simulate_fmu(str(fmu), stop_time=1.2, output_interval=0.01, output=names)
    angle = found["shaft.angle"]
    assert np.ptp(angle) > 2 * math.pi
    assert found["closure.residual"].max() < 1e-12 and found["closure.iterations"].max() == 0
    for number in (1, 2, 3):
        pin = angle + 2 * math.pi * number / 3
        for side, sign in (("left", 1), ("right", -1)):  # right legs are seen in the mirror
            x, y = foot(0.15 * np.stack([sign * np.cos(pin), np.sin(pin)]))
            np.testing.assert_allclose(found[f"{side}{number}.foot_x"], x, atol=1e-9)
            np.testing.assert_allclose(found[f"{side}{number}.foot_y"], y, atol=1e-9)


@pytest.mark.parametrize("stages", [1, 3, pytest.param(7, marks=pytest.mark.slow)])
def test_a_lift_of_any_number_of_stages_rises_by_the_sine_of_its_angle(stages: int) -> None:
    text = (EXAMPLES / "scissor_lift" / "model.toml").read_text(encoding="utf-8")
    model = parse_model(
        text.replace("count = 4", f"count = {stages}").replace("stage4.", f"stage{stages}."), "lift"
    )
    compilation = Compilation(model, ExportOptions("aac"))
    assert compilation.flow.iterated == 0
    assert compilation.flow.degrees_of_freedom == 1
    found = fmpy.simulate_fmu(
        str(exported(model, ExportOptions("aac")).path), stop_time=0.5, output_interval=0.05
    )
    height = stages * 1.2 * np.sin(found["angle"])
    np.testing.assert_allclose(found["height"], height, atol=1e-10)
    np.testing.assert_allclose(found["width"], 1.2 * np.cos(found["angle"]), atol=1e-10)


def test_the_pistons_of_the_engine_follow_the_formula_of_the_slider_crank() -> None:
    strokes = [f"{bank}{number}.stroke" for bank in ("left", "right") for number in (1, 2, 3)]
    fmu = exported(example("v6_engine"), ExportOptions("aac")).path
    names = [*strokes, "shaft.angle"]
    found = fmpy.simulate_fmu(str(fmu), stop_time=0.1, output_interval=0.001, output=names)
    throw, rod = 0.043, 0.15
    assert np.ptp(found["shaft.angle"]) > 4 * math.pi
    # A third of a turn lies between the pins, a right angle between the banks.
    for bank, tilt in (("left", math.pi / 4), ("right", -math.pi / 4)):
        for number in (1, 2, 3):
            pin = found["shaft.angle"] + 2 * math.pi * (number - 1) / 3 - tilt
            height = throw * np.sin(pin) + np.sqrt(rod**2 - (throw * np.cos(pin)) ** 2)
            np.testing.assert_allclose(found[f"{bank}{number}.stroke"], height, atol=1e-9)
