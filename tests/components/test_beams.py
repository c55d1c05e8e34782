"""Beams in the plane, against geometrically exact beams, closed forms and the judge."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import fmpy
import numpy as np
import pytest

from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from fmugen.verify.compare import verify_fmu
from fmugen.verify.reference import solve_reference
from fmugen.verify.simulate import Run, Trajectory, simulate_runs
from tests.store import exported
from tests.support import example

DATA = Path(__file__).parents[1] / "data" / "flexible"
#: A beam that a driver turns about its base from rest to 6 rad/s (Kane, Ryan and Banerjee 1987).
SPIN_UP = """
[model]
name = "SpinUp"
[parameters]
length = 8
[bodies.rod]
type = "beam"
length = "length"
density = 2766.67
modulus = 6.8952e10
area = 7.2968e-5
second_moment = 8.2189e-9
points.tip = ["length", 0]
[joints.pin]
type = "revolute"
from = "ground"
to = "rod"
[drivers.turn]
type = "rotation"
from = "ground"
to = "rod"
value = "0.4*(time^2/2 + (7.5/pi)^2*(cos(2*pi*time/15) - 1))"
[outputs]
deflection = "rod.tip.deflection"
ratio = "rod.deflection_ratio"
x = "rod.tip.x"
y = "rod.tip.y"
angle = "rod.angle"
"""
#: A slider-crank whose rod bends (Léger, A.5, with a diameter of 6 mm).
SLIDER_CRANK = """
[model]
name = "FlexibleSliderCrank"
[parameters]
diameter = 0.006
[bodies.crank]
mass = 0.01
inertia = 1e-4
points.end = [0.15, 0]
[bodies.rod]
type = "beam"
supports = "chord"
length = 0.3
density = 7870
modulus = 2e11
diameter = "diameter"
points = { middle = [0.15, 0], tip = [0.3, 0] }
[bodies.slider]
mass = "7870*pi*diameter^2/4*0.15"
inertia = 1e-6
[joints.main]
type = "revolute"
from = "ground"
to = "crank"
[joints.big_end]
type = "revolute"
from = "crank.end"
to = "rod"
[joints.small_end]
type = "revolute"
from = "rod.tip"
to = "slider"
[joints.guide]
type = "prismatic"
from = "ground"
to = "slider"
axis = [1, 0]
[drivers.turn]
type = "rotation"
from = "ground"
to = "crank"
value = "150*time"
[start]
guess = { "guide.s" = 0.45, "rod.angle" = 0 }
[outputs]
slider_x = "slider.x"
chord_angle = "rod.angle"
mid_deflection = "rod.middle.deflection"
"""
#: A cantilever that carries a force at its tip, at rest.
CANTILEVER = """
[model]
name = "LoadedCantilever"
[inputs]
force = { start = 3.0, unit = "N" }
[bodies.rod]
type = "beam"
basis = "taylor"
length = 0.8
density = 7850
modulus = 2.1e11
width = 0.02
height = 0.005
points = { middle = [0.4, 0], tip = [0.8, 0] }
[joints.clamp]
type = "weld"
from = "ground"
to = "rod"
[forces.load]
type = "force"
on = "rod.tip"
value = [0, "force"]
[start]
steady = true
[outputs]
tip = "rod.tip.deflection"
slope = "rod.tip.slope"
middle = "rod.middle.y"
"""
#: A tube that swings about a hinge, with a point mass on the way.
PENDULUM = """
[model]
name = "BendingPendulum"
gravity = [0, -9.81]
[bodies.rod]
type = "beam"
supports = "pinned"
shapes = 2
length = 1.2
density = 1200
modulus = 2e9
diameter = 0.01
inner_diameter = 0.006
points.at = [0.7, 0]
[bodies.bob]
mass = 0.05
inertia = 1e-5
[joints.pin]
type = "revolute"
from = "ground"
to = "rod"
[joints.glue]
type = "weld"
from = "rod.at"
to = "bob"
[start]
fixed = { "pin.angle" = 0.3, "rod.q1" = 0.01 }
[outputs]
angle = "pin.angle"
x = "bob.x"
bend = "rod.at.slope"
ratio = "rod.deflection_ratio"
"""


def read(text: str) -> SystemModel:
    return parse_model(text, "beam.toml")


def fmu(text: str, trees: str = "aac") -> str:
    return str(exported(read(text), ExportOptions(trees=trees)).path)


def reference(name: str) -> np.ndarray:
    found: np.ndarray = np.genfromtxt(DATA / f"{name}.csv", delimiter=",", names=True, skip_header=1)
    return found


def test_a_spinning_beam_stiffens() -> None:
    exact = reference("spinup_krb")
    found = fmpy.simulate_fmu(fmu(SPIN_UP), stop_time=15.0, output_interval=0.05, relative_tolerance=1e-8)
    deviation = found["deflection"] - np.interp(found["time"], exact["time"], exact["deflection"])
    peak = np.abs(exact["deflection"]).max()
    # Terms of second order at 9 % of the length: 0.3 % of the peak.
    assert np.abs(deviation).max() < 0.004 * peak
    np.testing.assert_allclose(found["ratio"], np.abs(found["deflection"]) / 8, atol=1e-12)
    along = found["x"] * np.cos(found["angle"]) + found["y"] * np.sin(found["angle"])
    shorter = along - 8.0 - np.interp(found["time"], exact["time"], exact["extension"])
    assert np.abs(shorter).max() < 0.01 * np.abs(exact["extension"]).max()


def test_a_spinning_beam_stretches_as_an_exact_one() -> None:
    """With axial shapes, after the spin-up: 0.24 mm, of which bending takes 0.002 mm."""
    motion = "0.4*(time^2/2 + (7.5/pi)^2*(cos(2*pi*time/15) - 1))"
    late = f"{motion.replace('time', 'min(time, 15)')} + 6*max(time - 15, 0)"
    text = SPIN_UP.replace(motion, late).replace("[bodies.rod]", "[bodies.rod]\naxial_shapes = 2")
    found = fmpy.simulate_fmu(fmu(text), stop_time=20.0, output_interval=0.05, relative_tolerance=1e-8)
    exact = reference("spinup_krb")
    along = found["x"] * np.cos(found["angle"]) + found["y"] * np.sin(found["angle"]) - 8.0
    steady = found["time"] > 16.0
    known = np.interp(found["time"], exact["time"], exact["extension"])
    assert np.mean(along[steady]) == pytest.approx(np.mean(known[steady]), rel=0.01)
    assert np.mean(along[steady]) == pytest.approx(2766.67 * 36 * 8**3 / (3 * 6.8952e10), rel=0.01)


def test_a_rod_between_hinges_bends_as_an_exact_beam() -> None:
    model, exact = read(SLIDER_CRANK), reference("slidercrank_d6_inextensible")
    made = Compilation(model, ExportOptions(trees="aac"))
    assert {made.dae.coordinates[n].name for n in made.flow.independent} == {"rod.q1", "rod.q2", "rod.q3"}
    assert all(block.steps for block in made.flow.blocks)  # the loop closes exactly
    found = fmpy.simulate_fmu(
        fmu(SLIDER_CRANK), stop_time=1 / 15, output_interval=1 / 7500, relative_tolerance=1e-8
    )
    rows = np.rint(7500 * found["time"]).astype(int)
    np.testing.assert_allclose(exact["time"][rows], found["time"], atol=1e-9)
    bounds = {"mid_deflection": 2e-3, "slider_x": 5e-6, "chord_angle": 5e-6}
    for name, bound in bounds.items():
        deviation = exact[name][rows] - found[name]
        assert np.abs(deviation).max() < bound * np.abs(exact[name]).max()


def test_a_static_deflection_that_the_shapes_contain_is_exact() -> None:
    found = fmpy.simulate_fmu(fmu(CANTILEVER), stop_time=0.01)[0]
    rigidity = 2.1e11 * 0.02 * 0.005**3 / 12
    tip = 3.0 * 0.8**3 / (3 * rigidity)
    assert found["tip"] == pytest.approx(tip, rel=1e-9)
    assert found["slope"] == pytest.approx(1.5 * tip / 0.8, rel=1e-9)
    assert found["middle"] == pytest.approx(tip * 5 / 16, rel=1e-9)


def test_a_bending_pendulum_keeps_its_energy_and_passes_the_judge() -> None:
    verification = verify_fmu(read(PENDULUM), Path(fmu(PENDULUM)), stop=0.3, step=0.01, loose=())
    assert verification.problems == ()
    assert verification.largest < 1e-8
    assert verification.energy.largest < 1e-8
    assert verification.violation < 1e-12


def test_a_loop_of_two_beams_runs_in_every_way() -> None:
    """Nearly straight beams move a loop little: their deflections stay independent."""
    made = exported(example("flexible_four_bar"), ExportOptions(trees="aac")).path
    ends = []
    for interface in ("CoSimulation", "ModelExchange"):
        found = fmpy.simulate_fmu(
            str(made), stop_time=1.0, output_interval=0.01, relative_tolerance=1e-9, fmi_type=interface
        )
        ends.append([float(found[name][-1]) for name in ("crank_angle", "coupler_bends", "rocker_bends")])
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-6, atol=1e-8)  # of 2 mm
    # By an independent run of the judge.
    np.testing.assert_allclose(ends[0], [13.6697118, 1.6500921e-4, -2.5257683e-4], rtol=1e-6)


def test_parameters_of_a_beam_can_change() -> None:
    """The reference of a model with another length, against the FMU with another parameter."""
    times = np.linspace(0.0, 0.5, 6)
    other = solve_reference(read(SPIN_UP), times, parameters={"length": 8.8})
    found = fmpy.simulate_fmu(
        fmu(SPIN_UP),
        stop_time=0.5,
        output_interval=0.1,
        relative_tolerance=1e-11,
        start_values={"length": 8.8},
    )
    np.testing.assert_allclose(found["y"], other.outputs["y"], atol=1e-9)


@pytest.mark.parametrize("changed", ["diameter", "modulus"])
def test_sections_and_moduli_can_change(changed: str) -> None:
    """By 10 %, against the judge's beam of the changed model."""
    model = read(SLIDER_CRANK.replace("modulus = 2e11", 'modulus = "modulus"').replace(
        "[parameters]", "[parameters]\nmodulus = 2e11"
    ))  # fmt: skip
    value = 1.1 * {each.name: each.value for each in model.parameters}[changed]
    times = np.linspace(0.0, 0.005, 6)
    other = solve_reference(model, times, parameters={changed: value})
    found = fmpy.simulate_fmu(
        str(exported(model, ExportOptions(trees="aac")).path),
        stop_time=0.005,
        output_interval=0.001,
        relative_tolerance=1e-11,
        start_values={changed: value},
    )
    middle = other.outputs["mid_deflection"]
    np.testing.assert_allclose(found["mid_deflection"], middle, atol=1e-7 * np.abs(middle).max())


def test_stiff_axial_modes_run_with_steps_of_a_millisecond() -> None:
    """Of 1.7e3 and 5.6e3 rad/s, strongly damped: an implicit method need not follow them."""
    text = PENDULUM.replace("shapes = 2", "shapes = 2\naxial_shapes = 2\ndamping = 2e-3")
    exact = fmpy.simulate_fmu(fmu(text), stop_time=0.2, output_interval=0.01, relative_tolerance=1e-8)
    found = fmpy.simulate_fmu(
        fmu(text),
        start_values={"solver.method": 1 + list(Solver).index(Solver.RODAS3), "solver.step": 1e-3},
        stop_time=0.2,
        output_interval=0.01,
        relative_tolerance=1e-4,
        output=["angle", "x", "solver.steps"],
    )
    assert found["solver.steps"][-1] < 1000  # dopri5 needs ten times as many
    for name in ("angle", "x"):
        assert np.abs(found[name] - exact[name]).max() < 1e-4 * np.abs(exact[name]).max()


#: A cantilever that falls from a straight start.
FALLING = """
[model]
name = "FallingCantilever"
gravity = [0, -9.81]
[experiment]
stop = 0.2
step = 0.01
[parameters]
height = 0.005
[bodies.beam]
type = "beam"
shapes = 1
length = 1
density = 7850
modulus = 2.1e11
width = 0.03
height = "height"
[joints.clamp]
type = "weld"
from = "ground"
to = "beam"
"""


@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_an_fmu_warns_once_of_large_deflections(interface: Literal["CoSimulation", "ModelExchange"]) -> None:
    def said(height: float) -> tuple[str, ...]:
        run = Run(0.2, 0.01, ["beam.q1"], {"height": height}, interface=interface)
        (found,) = simulate_runs(Path(fmu(FALLING)), [run])
        assert isinstance(found, Trajectory)
        return found.messages

    assert said(0.005) == ()
    (warning,) = said(0.002)
    assert re.fullmatch(r"t = 0\.\d+ s: beam.deflection_ratio is 0\.1\d*, more than 0\.1: terms .*", warning)


def test_check_says_that_deflections_are_large() -> None:
    trial = Compilation(read(FALLING.replace("0.005", "0.002")), ExportOptions(trees="aac")).trial
    assert [warning.partition(" s: ")[2][:24] for warning in trial.warnings] == ["beam.deflection_ratio is"]
    assert trial.is_complete


def test_a_lost_definiteness_of_the_mass_matrix_is_said() -> None:
    """Three polynomials of a clamped base do not suit a rod between hinges that bends much."""
    clamped = SLIDER_CRANK.replace('supports = "chord"', 'basis = "chebyshev"').replace("0.006", "0.003")
    model = read(clamped + "[experiment]\nstop = 0.01\nstep = 0.0001\n")
    problem = Compilation(model, ExportOptions(trees="aac")).trial.problem
    assert re.match(
        r"t = 0\.00\d+ s: the mass matrix loses definiteness, its smallest pivot is .*e-1\d", problem
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("area = 7.2968e-5", "", "these do not say what the section is: second_moment"),
        ("modulus = 6.8952e10", "modulus = 0", "modulus"),
        ("density = 2766.67", 'density = 2766.67\nsupports = "clamped"', "supports"),
        ("density = 2766.67", 'density = 2766.67\nbasis = "hermite"', "basis"),
        ("density = 2766.67", "density = 2766.67\nshapes = 2.5", "whole number from 1 to 8"),
        ('["length", 0]', "[9, 0]", "beyond the ends at 0 and 8 m"),
        ('["length", 0]', "[4, 0.1]", "not on the axis of the beam"),
    ],
)
def test_a_wrong_beam_gets_a_sentence(old: str, new: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read(SPIN_UP.replace(old, new))
