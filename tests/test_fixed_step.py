"""The step that an FMU declares is one at which explicit Euler runs to the stop."""

from __future__ import annotations

import math
from pathlib import Path

import fmpy
import numpy as np
import pytest

from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, InterfaceType
from fmugen.phases.read import parse_model
from fmugen.pipeline import export_fmu, generate
from fmugen.verify.simulate import Run, Trajectory, simulate_runs

EXPERIMENT = "[experiment]\nstop = 1.0\nstep = 0.01\n"

CIRCUIT = """
[electrical.source]
type = "voltage_source"
from = "a"
to = "ground"
voltage = 1

[electrical.resistor]
type = "resistor"
from = "a"
to = "b"
resistance = 1

[electrical.store]
type = "capacitor"
from = "b"
to = "ground"
capacitance = {capacitance}

[start.fixed]
"store.v" = 0
"""

SLIDER = """
[parameters]
stiffness = {stiffness}
damping = {damping}

[bodies.block]
mass = 1

[joints.rail]
type = "prismatic"
from = "ground"
to = "block"
axis = [1, 0]

[springs.spring]
type = "translational"
from = "ground"
to = "block"
stiffness = "stiffness"
damping = "damping"
free = 1

[start.fixed]
"rail.s" = 1.1
"rail.v" = 0

[outputs]
way = "rail.s"
"""


def circuit(time_constant: float) -> SystemModel:
    text = CIRCUIT.format(capacitance=time_constant)
    return parse_model(f'[model]\nname = "Circuit"\n{EXPERIMENT}{text}', "circuit.toml")


def slider(stiffness: float, damping: float = 0.0) -> SystemModel:
    text = SLIDER.format(stiffness=stiffness, damping=damping)
    return parse_model(f'[model]\nname = "Slider"\n{EXPERIMENT}{text}', "slider.toml")


def declared(model: SystemModel, options: ExportOptions | None = None) -> float:
    return generate(model, options or ExportOptions("aac")).description.experiment.step


@pytest.mark.parametrize(
    ("time_constant", "step"), [(1.0, 0.01), (0.0051, 0.01), (0.0049, 0.005), (1e-3, 0.002), (1e-8, 1e-5)]
)
def test_a_decaying_mode_must_decay(time_constant: float, step: float) -> None:
    """|1 - h/T| <= 1, so h <= 2 T; the communication step is divided by a thousand at most."""
    assert declared(circuit(time_constant)) == pytest.approx(step)


@pytest.mark.parametrize("omega", [5.0, 50.0, 200.0])
def test_an_oscillation_at_most_doubles(omega: float) -> None:
    step = declared(slider(omega**2))

    def growth(h: float) -> float:
        return math.hypot(1.0, h * omega) ** (1.0 / h)

    assert growth(step) <= 2.0
    assert step == 0.01 or growth(2.5 * step) > 2.0


def test_damping_allows_longer_steps() -> None:
    assert declared(slider(2500.0, damping=30.0)) > declared(slider(2500.0))


def test_the_declared_step_works_with_explicit_euler(tmp_path: Path) -> None:
    model = slider(1e4, damping=1.0)
    fmu = export_fmu(model, tmp_path / "x.fmu", ExportOptions("aac")).path
    step = float(fmpy.read_model_description(str(fmu)).defaultExperiment.stepSize)
    assert step < model.experiment.step
    runs = [
        Run(1.0, h, ["way"], interface="ModelExchange", solver="Euler") for h in (step, model.experiment.step)
    ]
    stable, unstable = simulate_runs(fmu, runs)
    assert isinstance(stable, Trajectory)
    assert np.abs(stable.values["way"] - 1.0).max() <= 0.2
    assert isinstance(unstable, Trajectory)
    assert np.abs(unstable.values["way"] - 1.0).max() > 1e6


def test_for_co_simulation_alone_the_communication_step_is_declared() -> None:
    options = ExportOptions(trees="aac", interfaces=(InterfaceType.CO_SIMULATION,))
    assert declared(slider(1e6), options) == 0.01


def test_a_model_without_a_linear_start_keeps_its_step() -> None:
    """The force sqrt(s - 1) has no value on one side of the start."""
    force = '[forces.push]\ntype = "force"\non = "block"\nvalue = ["sqrt(rail.s - 1)", 0]\n'
    text = SLIDER.format(stiffness=1e6, damping=0).replace("1.1", "1.0") + force
    model = parse_model(f'[model]\nname = "Slider"\n{EXPERIMENT}{text}', "slider.toml")
    assert declared(model) == 0.01
