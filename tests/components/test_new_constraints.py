"""A velocity constraint is part of a component: it is read, checked, exported and verified."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fmpy
import numpy as np
import pytest

import fmugen
from fmugen.cli.check import check_model
from fmugen.components.base import REGISTRY
from fmugen.errors import AssemblyError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation, export_fmu
from fmugen.verify.catalogue import base

from .new_constraints import enter_laws_of_the_judge, enter_rolling_ball, enter_skate

#: A knife edge on a slope that falls along x; it starts at rest and spins.
SLOPE = """
[model]
name = "KnifeEdge"
gravity = [2.0, 0]
[experiment]
stop = 3.0
[bodies.blade]
mass = 1.5
inertia = 0.2
[joints.edge]
type = "skate"
from = "ground"
to = "blade"
[outputs]
x = "blade.x"
y = "blade.y"
angle = "blade.angle"
vx = "blade.vx"
ay = "blade.ay"
fx = "edge.fx"
fy = "edge.fy"
[start]
fixed."blade.x" = 0
fixed."blade.y" = 0
fixed."blade.angle" = 0
fixed."blade.vx" = 0
fixed."blade.omega" = 1.7
"""
#: A ball that rolls down a slope along x, with a spin about the normal and a speed across the slope.
BALL = """
[model]
name = "Ball"
space = "spatial"
gravity = [1.4, 0, -9.0]
[experiment]
stop = 2.0
[parameters]
r = 0.25
[bodies.ball]
mass = 2.0
inertia = [0.05, 0.05, 0.05]
[joints.road]
type = "rolling_ball"
from = "ground"
to = "ball"
radius = "r"
[outputs]
x = "ball.x"
y = "ball.y"
z = "ball.z"
spin = "ball.wz"
fx = "road.fx"
fz = "road.fz"
[start]
fixed."ball.x" = 0.5
fixed."ball.y" = 0
fixed."ball.vx" = 0
fixed."ball.vy" = 0.3
fixed."ball.wz" = 4
"""
MASS, SLIDE, SPIN = 1.5, 2.0, 1.7


@pytest.fixture(autouse=True)
def new_types(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The types are known during a test."""
    for section, kinds in REGISTRY.items():
        monkeypatch.setitem(REGISTRY, section, dict(kinds))
    monkeypatch.setattr(base, "_LAWS", dict(base._LAWS))
    enter_skate()
    enter_rolling_ball()
    enter_laws_of_the_judge()
    yield


def knife_edge(text: str = SLOPE) -> SystemModel:
    return parse_model(text, "knife_edge.toml")


def closed_form(t: np.ndarray) -> dict[str, np.ndarray]:
    """u' = g cos(psi), psi = w t; the reaction is 2 m g sin(psi) across the edge."""
    turned, push = SPIN * t, 2 * MASS * SLIDE * np.sin(SPIN * t)
    speed, size = SLIDE / SPIN * np.sin(turned), SLIDE / (2 * SPIN**2)
    return {
        "x": size * np.sin(turned) ** 2,
        "y": size * (turned - np.sin(2 * turned) / 2),
        "angle": turned,
        "vx": speed * np.cos(turned),
        "ay": SLIDE * np.sin(2 * turned),
        "fx": -push * np.sin(turned),
        "fy": push * np.cos(turned),
    }


def test_there_are_fewer_speeds_than_positions() -> None:
    made = Compilation(knife_edge(), ExportOptions("jc"))
    assert made.flow.degrees_of_freedom == 2
    assert [state.unit for state in made.dae.states] == ["m", "m"]
    assert made.dae.constraints == ()


@pytest.mark.parametrize("trees", ["aac", "jc", "ac"])
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("version", FmiVersion)
def test_the_fmu_follows_the_closed_form(
    trees: str, interface: str, version: FmiVersion, tmp_path: Path
) -> None:
    fmu = export_fmu(knife_edge(), tmp_path / "edge.fmu", ExportOptions(trees, fmi=version)).path
    found = fmpy.simulate_fmu(
        str(fmu), stop_time=3.0, output_interval=0.1, relative_tolerance=1e-12, fmi_type=interface
    )
    for name, exact in closed_form(found["time"]).items():
        np.testing.assert_allclose(found[name], exact, atol=1e-9)


def test_the_judge_verifies_it(tmp_path: Path) -> None:
    fmu = export_fmu(knife_edge(), tmp_path / "edge.fmu", ExportOptions(trees="jc")).path
    verdict = fmugen.verify(knife_edge(), fmu)
    assert verdict.passed, verdict.sentence


def test_it_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "edge.toml"
    path.write_text(SLOPE)
    check_model(path, "jc")
    said = capsys.readouterr().out
    assert "1 skate" in said and "the model is sound" in said
    assert "degrees of freedom   2" in said
    assert "edge, sideways: a velocity constraint" in " ".join(said.split())


def test_a_speed_that_is_not_determined_everywhere() -> None:
    """The blade turns about the end of an arm, which it holds still: l cos(angle) omega = 0."""
    arm = """
[bodies.arm]
mass = 1
inertia = 0.1
points = { tip = [0.5, 0] }
[joints.base]
type = "revolute"
from = "ground"
to = "arm"
[joints.pin]
type = "revolute"
from = "arm.tip"
to = "blade"
"""
    text = SLOPE.split("[outputs]")[0] + arm
    made = Compilation(knife_edge(text), ExportOptions("jc"))
    assert made.flow.degrees_of_freedom == 1
    assert [state.name for state in made.dae.states] == ["base.angle"]


def test_fixed_speeds_that_contradict_it_are_refused() -> None:
    text = SLOPE + 'fixed."blade.vy" = 0.5\n'
    with pytest.raises(AssemblyError, match="start velocities contradict each other"):
        _ = Compilation(knife_edge(text), ExportOptions("jc")).flow


@pytest.mark.parametrize("trees", ["jc", "ac"])
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_a_ball_rolls_down_a_slope(trees: str, interface: str, tmp_path: Path) -> None:
    """a = g / (1 + J / (m r^2)): 5/7 of what slides; two constraints, and an attitude beside them."""
    model = parse_model(BALL, "ball.toml")
    fmu = export_fmu(model, tmp_path / "ball.fmu", ExportOptions(trees)).path
    found = fmpy.simulate_fmu(
        str(fmu), stop_time=2.0, output_interval=0.1, relative_tolerance=1e-12, fmi_type=interface
    )
    t, ratio = found["time"], 1 / (1 + 0.05 / (2.0 * 0.25**2))
    exact = {"x": 0.5 + 0.5 * ratio * 1.4 * t**2, "y": 0.3 * t, "z": 0 * t, "spin": 4 + 0 * t}
    exact |= {"fx": 2.0 * 1.4 * (ratio - 1) + 0 * t, "fz": 18.0 + 0 * t}
    for name, values in exact.items():
        np.testing.assert_allclose(found[name], values, atol=1e-9, err_msg=name)
    verdict = fmugen.verify(model, fmu)
    assert verdict.passed, verdict.sentence


def test_a_ball_has_three_speeds_and_five_positions() -> None:
    made = Compilation(parse_model(BALL, "ball.toml"), ExportOptions("jc"))
    assert made.flow.degrees_of_freedom == 3
    assert [state.name for state in made.dae.states] == ["road.x", "road.y"]
