"""Inverse dynamics: what a motion needs is what drove it."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin
from pathlib import Path

import numpy as np
import pytest
from element_views import Driver, DriverType, loads_of, with_views
from typer.testing import CliRunner

from fmugen.analysis.inverse import inverse_model, inverse_of
from fmugen.builder import ModelBuilder
from fmugen.cli import app
from fmugen.errors import ModelError
from fmugen.formulas import parse
from fmugen.ir.model import Output, SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.fmu_file import read_fmu
from fmugen.verify.reference import solve_reference
from fmugen.verify.simulate import communication_points, simulate_fmu

EXAMPLES = Path(__file__).parents[2] / "examples"
PERIOD = 3.0
#: Start angles and amplitudes of the prescribed motion (Khan 4.0.2).
MOTION = {1: (pi / 3, 1 / 6), 2: (4 * pi / 3, 1 / 6), 3: (11 * pi / 6, 1 / 12)}


def angle(leg: int, t: float) -> float:
    start, amplitude = MOTION[leg]
    return start + amplitude * (2 * pi * t / PERIOD - sin(2 * pi * t / PERIOD))


def omega(leg: int, t: float) -> float:
    return MOTION[leg][1] * 2 * pi / PERIOD * (1 - cos(2 * pi * t / PERIOD))


def alpha(leg: int, t: float) -> float:
    return MOTION[leg][1] * (2 * pi / PERIOD) ** 2 * sin(2 * pi * t / PERIOD)


def moved_by_formulas(model: SystemModel) -> SystemModel:
    """The manipulator without motors; drivers with formulas of time move its shanks."""
    drivers = []
    for leg, (start, amplitude) in MOTION.items():
        load = next(load for load in loads_of(model) if load.name == f"motor_{leg}")
        turn = f"2*pi*time/{PERIOD}"
        formula = parse(f"{start!r} + {amplitude!r}*({turn} - sin({turn}))")
        drivers.append(Driver(f"drive_{leg}", DriverType.ROTATION, load.tail, load.head, angle=formula))
    outputs = tuple(Output(f"tau_{leg}", parse(f"drive_{leg}.torque"), "N.m") for leg in MOTION)
    starts = tuple(replace(start, fixed=False) for start in model.starts)
    return with_views(model, loads=(), inputs=(), outputs=outputs, drivers=tuple(drivers), starts=starts)


def test_the_torques_of_the_manipulator_are_those_of_the_reference(tmp_path: Path) -> None:
    model = read_model(EXAMPLES / "three_rrr_driven" / "model.toml")
    inverse = inverse_of(model)
    export = export_fmu(inverse, tmp_path / "inverse.fmu", ExportOptions("aac"))
    assert export.compilation.flow.degrees_of_freedom == 0
    assert export.compilation.flow.iterated == 0
    signals = {}
    for leg in MOTION:
        signals[f"motor_{leg}_angle"] = lambda t, leg=leg: angle(leg, t)
        signals[f"motor_{leg}_omega"] = lambda t, leg=leg: omega(leg, t)
        signals[f"motor_{leg}_alpha"] = lambda t, leg=leg: alpha(leg, t)
    torques = [f"tau_{leg}" for leg in MOTION]
    found = simulate_fmu(export.path, stop=PERIOD, step=0.05, outputs=torques, inputs=signals)
    reference = solve_reference(moved_by_formulas(model), communication_points(PERIOD, 0.05))
    for name in torques:
        expected = reference.outputs[name]
        assert np.ptp(expected) > 5.0
        assert np.abs(found.values[name] - expected).max() < 1e-9 * np.abs(expected).max()


def test_motions_start_where_the_mechanism_stands() -> None:
    inverse = inverse_of(read_model(EXAMPLES / "three_rrr_driven" / "model.toml"))
    starts = {variable.name: variable.start for variable in inverse.inputs}
    for leg in MOTION:
        assert starts[f"motor_{leg}_angle"] == pytest.approx(MOTION[leg][0], abs=1e-12)
        assert starts[f"motor_{leg}_omega"] == 0.0


def pushed(value: str, frame: str = "ground") -> ModelBuilder:
    return (
        ModelBuilder("Cart", gravity=(0, "-9.81"))
        .parameter("gain", 4.0)
        .input("push", unit="N")
        .body("cart", mass=2.0, inertia=0.1)
        .prismatic("rail", "ground", "cart", axis=(1, 0))
        .force("engine", "cart", (value, 0), frame=frame)
    )


def test_a_force_in_proportion_to_an_input_is_divided_by_its_factor(tmp_path: Path) -> None:
    model = pushed("gain*push - 3").output("power", "push*rail.v", "W").build()
    export = export_fmu(inverse_of(model), tmp_path / "cart.fmu", ExportOptions("aac"))
    given = {"engine_s": lambda t: 0.5, "engine_v": lambda t: 2.0, "engine_a": lambda t: 5.0}
    found = simulate_fmu(export.path, stop=0.1, step=0.1, outputs=["push", "power"], inputs=given)
    assert found.values["push"][-1] == pytest.approx((2.0 * 5.0 + 3.0) / 4.0)
    assert found.values["power"][-1] == pytest.approx(2.0 * (2.0 * 5.0 + 3.0) / 4.0)


@pytest.mark.parametrize(
    ("builder", "words"),
    [
        (pushed("push^2"), "not proportional"),
        (pushed("1"), "drives no force"),
        (pushed("push").force("brake", "cart", ("-push", 0)), "drives 2 formulas"),
        (pushed("push", frame="cart"), "not along an axis of ground"),
        (pushed("push").output("shown", "engine.fx"), "shows engine"),
    ],
)
def test_what_cannot_be_inverted_is_said(builder: ModelBuilder, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        inverse_model(builder.build())


def test_the_command_line_exports_an_inverse(tmp_path: Path) -> None:
    example = EXAMPLES / "three_rrr_driven" / "model.toml"
    destination = tmp_path / "inverse.fmu"
    result = CliRunner().invoke(
        app, ["export", str(example), "--inverse", "--trees", "aac", "-o", str(destination)]
    )
    assert result.exit_code == 0, result.output
    inputs = read_fmu(destination).names("input")
    assert inputs == [f"motor_{leg}_{kind}" for leg in MOTION for kind in ("angle", "omega", "alpha")]
