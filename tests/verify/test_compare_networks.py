"""Judging FMUs of networks: right ones pass, wrong ones are told apart, whatever the inputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.verify.compare import verify_fmu
from fmugen.view.plots import plot_svg, plot_verification
from tests.store import exported
from tests.support import EXAMPLES, example


@pytest.fixture(scope="module")
def network() -> Path:
    return exported(example("mcphee_electrical"), ExportOptions("aac")).path


def altered(name: str, old: str, new: str) -> SystemModel:
    text = (EXAMPLES / name / "model.toml").read_text(encoding="utf-8")
    assert old in text
    return parse_model(text.replace(old, new), "altered")


def test_a_right_fmu_passes_and_is_drawn(network: Path, tmp_path: Path) -> None:
    verification = verify_fmu(example("mcphee_electrical"), network)
    assert verification.problems == ()
    assert verification.largest < 1e-9
    assert verification.power is not None and verification.power.largest < 1e-12
    assert verification.closure is None and verification.energy is None
    assert {signal.name for signal in verification.components} >= {"r2.v", "r2.i", "c4.v", "c4.i"}
    page = plot_verification(verification, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "sum of electrical powers" in page
    assert "closure residual" not in page
    assert "capacitor_voltage" in plot_svg(verification, tmp_path / "plot.svg").read_text(encoding="utf-8")


def test_changed_parameters_are_followed(network: Path) -> None:
    changed = {"R2": 500.0, "C4": 3e-5, "v40": -2.0}
    verification = verify_fmu(example("mcphee_electrical"), network, parameters=changed)
    assert verification.passed, verification.problems


@pytest.mark.parametrize(
    ("old", "new", "signal"),
    [
        ('resistance = "R3"', 'resistance = "1.001*R3"', "c4.v"),
        ('from = "b"\nto = "ground"\ncapacitance', 'from = "ground"\nto = "b"\ncapacitance', "c4.v"),
        ('"c4.v" = "v40"', '"c4.v" = "2*v40"', "c4.v"),
    ],
)
def test_a_wrong_fmu_is_told(network: Path, old: str, new: str, signal: str) -> None:
    """The FMU of another resistance, orientation or start."""
    verification = verify_fmu(altered("mcphee_electrical", old, new), network)
    assert not verification.passed
    assert any(problem.startswith(f"{signal} deviates by") for problem in verification.problems)


def test_inputs_are_held_from_point_to_point() -> None:
    model = example("vibrating_system")
    fmu = exported(model, ExportOptions("aac")).path
    signals = {"F5": lambda time: 2.0 * time, "F7": lambda time: float(time > 0.3)}
    verification = verify_fmu(model, fmu, stop=1.0, inputs=signals)
    assert verification.passed, verification.problems
    assert not verify_fmu(replace(model, starts=model.starts[2:]), fmu, stop=0.1).problems


def test_the_voltage_of_a_motor_is_an_input() -> None:
    """A slider-crank whose motor is switched to the other direction."""
    model = example("motor_slider_crank")
    fmu = exported(model, ExportOptions("aac")).path
    verification = verify_fmu(model, fmu, stop=0.2, inputs={"voltage": lambda t: 12.0 if t < 0.1 else -12.0})
    assert verification.passed, verification.problems
    names = {signal.name for signal in verification.outputs}
    assert {"crank_speed", "current"} <= names
    assert verification.closure is not None and verification.power is not None
    assert set(verification.power.imbalance) == {"electrical", "translational", "rotational"}
