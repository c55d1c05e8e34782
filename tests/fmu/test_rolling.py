"""FMUs of contacts that roll without slipping, against closed forms."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import fmugen
from fmugen.errors import TreeError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from tests.store import exported
from tests.support import example

DATA = Path(__file__).parents[1] / "data" / "wheels"
DISC = json.loads((DATA / "rolling_disc.json").read_text())


def run(fmu: Path, stop: float, interval: float, interface: str = "CoSimulation", **start: float) -> Any:
    return fmpy.simulate_fmu(
        str(fmu),
        stop_time=stop,
        output_interval=interval,
        relative_tolerance=1e-12,
        fmi_type=interface,
        start_values=start,
    )


# --- disc ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=FmiVersion)
def disc(request: pytest.FixtureRequest) -> Path:
    return exported(example("rolling_disc"), ExportOptions("aac", fmi=request.param)).path


def test_a_disc_has_fewer_speeds_than_positions() -> None:
    made = Compilation(example("rolling_disc"), ExportOptions("aac"))
    assert made.flow.degrees_of_freedom == 3
    assert [state.name for state in made.dae.states] == ["disc.x", "disc.y"]
    assert made.flow.iterated == 0


@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_a_disc_follows_the_equations_of_euler(disc: Path, interface: str) -> None:
    """The file has ten digits; two tolerances of the integration that made it differ by 4e-9."""
    exact = np.genfromtxt(DATA / "rolling_disc.csv", delimiter=",", names=True)
    found = run(disc, 3.0, 0.02, interface)
    for name, other, tolerance in (
        ("x", "x", 1e-9),
        ("y", "y", 1e-9),
        ("azimuth", "psi", 1e-9),
        ("tilt", "theta", 1e-9),
        ("roll", "phi", 6e-9),
    ):
        np.testing.assert_allclose(found[name], exact[other], atol=tolerance, err_msg=name)


@pytest.mark.parametrize("case", DISC["steady"], ids=lambda case: f"tilt {case['theta']}")
def test_a_steady_disc_runs_on_a_circle(disc: Path, case: dict[str, float]) -> None:
    tilt, rate, w3 = case["theta"], case["precession"], case["w3"]
    start = {"tilt_start": tilt, "falling": 0.0, "turning": rate * math.sin(tilt), "rolling": w3}
    found = run(disc, 2 * math.pi / rate, 2 * math.pi / rate / 20, **start)
    np.testing.assert_allclose(found["tilt"], tilt, atol=1e-9)
    # The centre moves along the horizontal line in the disc: round a point beside it.
    size, turned = abs(w3) * 0.3 / rate, rate * found["time"]
    x, y = size * (1 - np.cos(turned)), size * np.sin(turned)
    np.testing.assert_allclose(np.hypot(found["x"], found["y"]), np.hypot(x, y), atol=1e-9)
    np.testing.assert_allclose(found["load"], 9.81, atol=1e-9)
    np.testing.assert_allclose(np.hypot(found["friction_x"], found["friction_y"]), size * rate**2, atol=1e-8)


def test_the_judge_agrees_and_energy_is_kept(disc: Path) -> None:
    verdict = fmugen.verify(example("rolling_disc"), disc)
    assert verdict.passed, verdict.sentence
    assert verdict.energy is not None and verdict.energy.largest < 1e-9


# --- knife edge and wheelset -------------------------------------------------------------------------------

EDGE = """
[model]
name = "Edge"
space = "{space}"
gravity = {gravity}
[bodies.blade]
mass = 1
inertia = {inertia}
[joints.edge]
type = "knife_edge"
from = "ground"
to = "blade"
[start.fixed]
"edge.x" = 0
"edge.y" = 0
"edge.angle" = 0
"edge.vx" = 0
"edge.omega" = 1.5
[outputs]
x = "edge.x"
y = "edge.y"
angle = "edge.angle"
across = "edge.fy*cos(edge.angle) - edge.fx*sin(edge.angle)"
"""
PULL = 9.81 * math.sin(0.3)


@pytest.mark.parametrize(
    ("space", "gravity", "inertia"),
    [("planar", [PULL, 0], 0.1), ("spatial", [PULL, 0, -9.81 * math.cos(0.3)], [0.1, 0.2, 0.1])],
)
def test_a_knife_edge_on_a_slope(space: str, gravity: list[float], inertia: Any) -> None:
    model = parse_model(EDGE.format(space=space, gravity=gravity, inertia=inertia), "edge.toml")
    model = replace(model, experiment=replace(model.experiment, stop=2.0))
    fmu = exported(model, ExportOptions("jc")).path
    exact = json.loads((DATA / "knife_edge.json").read_text())
    t, x, y, angle, _, force = np.array(exact["rows"]).T
    found = run(fmu, t[-1], t[1] - t[0])
    for name, values in (("x", x), ("y", y), ("angle", angle), ("across", force)):
        np.testing.assert_allclose(found[name], values, atol=1e-9, err_msg=name)
    assert fmugen.verify(model, fmu).passed


def test_a_wheelset_has_the_wavelength_of_klingel() -> None:
    """The formula is for small motions: the difference falls with the cube of the displacement."""
    fmu = exported(example("wheelset"), ExportOptions("aac")).path
    known = json.loads((DATA / "wheelset_klingel.json").read_text())
    t, y, yaw = np.array(known["rows"]).T
    found = run(fmu, t[-1], t[1] - t[0])
    np.testing.assert_allclose(found["y"], y, atol=3e-9)
    np.testing.assert_allclose(found["yaw"], yaw, atol=1e-9)
    found = run(fmu, t[-1], t[1] - t[0], displacement=0.0003)
    np.testing.assert_allclose(found["y"], y / 10, atol=1e-11)


def test_a_wheelset_runs_on_the_curve_of_a_bent_rod() -> None:
    """psi'' = -k^2 sin(psi) by the distance along the path, a pendulum: exact for all displacements."""
    text = (Path(fmugen.__file__).parents[1] / "examples/wheelset/model.toml").read_text()
    # Without an inertia about the vertical the speed is constant.
    model = parse_model(
        text.replace("[700, 90, 700]", "[45, 90, 45]").replace("= 1200", "= 1e9"), "wheelset.toml"
    )
    size, wave = 0.1, math.sqrt(0.05 / (0.46 * 0.75))
    found = run(exported(model, ExportOptions("aac")).path, 2.0, 0.05, displacement=size)
    # cos(psi) = 1 - k^2 (y0^2 - y^2)/2
    modulus = (wave * size / 2) ** 2
    _, cn, dn, _ = ellipj(wave * 20 * found["time"], modulus)
    np.testing.assert_allclose(found["y"], size * cn, atol=1e-9)
    assert ellipk(modulus) > math.pi / 2 and np.ptp(dn) > 0


# --- bicycle -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_bicycle_has_the_eigenvalues_of_the_benchmark() -> None:
    """Meijaard et al. (2007), table 2 and section 4e."""
    fmu = exported(example("bicycle"), ExportOptions("aac")).path
    description = fmpy.read_model_description(str(fmu))
    folder = fmpy.extract(str(fmu))
    number = {each.name: each.valueReference for each in description.modelVariables}
    states = [(each.variable.derivative.name, each.variable.name) for each in description.derivatives]
    # Lean and steering are the first and the third independent coordinate.
    chosen = [states[k] for k in (0, 2, 3, 5)]

    def linearized(speed: float) -> np.ndarray:
        fmu = FMU2Model(
            guid=description.guid,
            modelIdentifier=description.modelExchange.modelIdentifier,
            unzipDirectory=folder,
        )
        fmu.instantiate()
        fmu.setReal([number["speed"], number["lean_rate"]], [speed, 0.0])
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        rates = [number[name] for _, name in chosen]
        columns = [fmu.getDirectionalDerivative(rates, [number[name]], [1.0]) for name, _ in chosen]
        fmu.terminate()
        fmu.freeInstance()
        return np.array(columns).T

    def growth(speed: float) -> float:
        return max(z.real for z in np.linalg.eigvals(linearized(speed)) if abs(z.imag) > 1)

    found = np.sort_complex(np.linalg.eigvals(linearized(5.0)))
    weave = complex(-0.77534188219585, 4.46486771378823)
    exact = [-14.07838969279822, weave.conjugate(), weave, -0.32286642900409]
    np.testing.assert_allclose(found, exact, atol=1e-9)
    assert brentq(growth, 4.0, 5.0, xtol=1e-10) == pytest.approx(4.292382536341116, abs=1e-8)
    capsize = brentq(lambda v: np.linalg.det(linearized(v)), 5.5, 6.5, xtol=1e-10)
    assert capsize == pytest.approx(6.024262015388, abs=1e-8)


# --- with loops --------------------------------------------------------------------------------------------

#: A crank drives a wheel over a rod: the wheel rolls on the ground and closes the loop.
CART = """
[model]
name = "Cart"
gravity = [0, -9.81]
[experiment]
stop = 1.0
[ground]
points = { base = [0, 0.15] }
[bodies.crank]
mass = 2
inertia = 0.03
points = { pin = [0.2, 0] }
[bodies.rod]
mass = 1
inertia = 0.05
center = [0.4, 0]
points = { hub = [0.8, 0] }
[bodies.wheel]
mass = 3
inertia = 0.02
[joints.base]
type = "revolute"
from = "ground.base"
to = "crank"
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "rod"
[joints.hub]
type = "revolute"
from = "rod.hub"
to = "wheel"
[joints.road]
type = "rolling"
from = "ground"
to = "wheel"
radius = 0.15
[start.fixed]
"base.angle" = 0.4
"base.omega" = 6
"wheel.angle" = 0
[outputs]
x = "wheel.x"
rolled = "wheel.x + 0.15*wheel.angle"
friction = "road.fx"
"""


@pytest.mark.parametrize("trees", ["aac", pytest.param("jc", marks=pytest.mark.slow)])
def test_a_wheel_that_closes_a_loop_rolls(trees: str) -> None:
    model = parse_model(CART, "cart.toml")
    fmu = exported(model, ExportOptions(trees)).path
    verdict = fmugen.verify(model, fmu)
    assert verdict.passed, verdict.sentence
    found = run(fmu, 1.0, 0.02)
    np.testing.assert_allclose(found["rolled"], found["rolled"][0], atol=1e-9)
    assert np.ptp(found["x"]) > 0.3 and np.ptp(found["friction"]) > 1


#: A ring with a round rim on a plate that a spring holds.
PLATE = """
[model]
name = "Plate"
space = "spatial"
gravity = [0, 0, -9.81]
[experiment]
stop = 0.5
[bodies.plate]
mass = 4
inertia = [0.3, 0.3, 0.5]
points = { top = [0.1, 0, 0.05] }
[bodies.ring]
mass = 1
inertia = [0.02, 0.04, 0.02]
[joints.axis]
type = "revolute"
from = "ground"
to = "plate"
axis = [0.2, 0.1, 1]
[joints.road]
type = "rolling"
from = "plate.top"
to = "ring"
radius = 0.2
crown = 0.05
[springs.hold]
type = "rotational"
from = "ground"
to = "plate"
axis = [0.2, 0.1, 1]
stiffness = 5
[start.fixed]
"axis.angle" = 0.3
"axis.omega" = -2
"road.x" = 0.2
"road.y" = 0
[start.guess]
"road.vx" = 1
"ring.wx" = 0.3
[outputs]
x = "ring.x"
z = "ring.z"
push = "axis.fx"
"""


def test_a_wheel_rolls_on_a_body_that_moves() -> None:
    model = parse_model(PLATE, "plate.toml")
    verdict = fmugen.verify(model, exported(model, ExportOptions("jc")).path)
    assert verdict.passed, verdict.sentence


def with_two_edges(second: str) -> SystemModel:
    edges = EDGE.format(space="planar", gravity=[1, 0], inertia=0.1).split("[start")[0]
    return parse_model(edges + second, "edges.toml")


def test_an_edge_that_says_the_same_again_has_no_reaction() -> None:
    """Two skates on one line: the second one follows from the first."""
    model = with_two_edges('[joints.other]\ntype = "knife_edge"\nfrom = "ground"\nto = "blade"\n')
    model = replace(model, experiment=replace(model.experiment, stop=1.0))
    verdict = fmugen.verify(model, exported(model, ExportOptions("jc")).path)
    assert verdict.passed, verdict.sentence


def test_a_constraint_of_loop_coordinates_alone_is_refused() -> None:
    lift = CART.split("[start.fixed]")[0]
    skate = '[joints.edge]\ntype = "knife_edge"\nfrom = "ground"\nto = "rod"\n'
    with pytest.raises(TreeError, match="edge, sideways: the velocity constraint cannot be solved"):
        _ = Compilation(parse_model(lift + skate, "lift.toml"), ExportOptions("jc")).dae
