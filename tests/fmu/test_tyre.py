"""FMUs of wheels with tyres."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import model_from_tables, parse_model
from fmugen.verify.compare import verify_fmu
from tests.store import exported

TYRE = Path(__file__).parents[1] / "data" / "wheels" / "own_tyre.tir"
TYRE_61 = TYRE.with_name("own_tyre_61.tir")
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


# --- all laws and roads ------------------------------------------------------------------------------------

SIMPLE = {
    **{"radius": 0.2905, "nominal_load": 2600, "vertical_stiffness": 132724, "vertical_damping": 80},
    **{"slip_stiffness": 56e3, "cornering_stiffness": 45e3},
}
WAVES = "0.01*sin(2*pi*road_x/0.8)*cos(road_y)"
BRUSH = {"type": "brush_tyre", "friction": 0.9, "contact_length": 0.15, **SIMPLE}


def wheels(table: Path) -> dict[str, dict[str, Any]]:
    """A wheel for each law, and for each road."""
    linear = {"camber_stiffness": 2000, "trail": 0.03, "rolling_resistance": 0.01}
    return {
        "pac2002": {"type": "tyre", "coefficients": str(TYRE)},
        "mf61": {"type": "tyre", "coefficients": str(TYRE_61)},
        "mf61_lag": {"type": "tyre", "coefficients": str(TYRE_61), "slip": "lag"},
        "linear": {"type": "linear_tyre", "slip": "lag", **linear, **SIMPLE},
        "fiala": {"type": "fiala_tyre", "friction": 1.0, "sliding_friction": 0.8, "width": 0.17, **SIMPLE},
        "brush": {**BRUSH, "slip": "lag"},
        "waves": {**BRUSH, "height": WAVES},
        "table": {**BRUSH, "heights": str(table)},
    }


@pytest.mark.parametrize(
    "names",
    [
        ("mf61", "waves"),
        pytest.param(("pac2002", "mf61_lag", "linear", "fiala", "brush", "table"), marks=pytest.mark.slow),
    ],
    ids=["two", "others"],
)
def test_the_judge_agrees_about_every_law_and_road(names: tuple[str, ...], tmp_path: Path) -> None:
    """Braked wheels that are thrown onto the road, turned and sliding to one side."""
    places = np.linspace(-1, 3, 9), np.array([-1, -0.3, 0.2, 1.0])
    heights = 0.02 * np.random.default_rng(1).normal(size=(9, 4))
    np.savez(tmp_path / "road.npz", x=places[0], y=places[1], z=heights)
    known = wheels(tmp_path / "road.npz")
    tyres = {name: known[name] for name in names}
    start = {"z": 0.272, "vx": 10, "vy": 0.6, "free.omega3": 35, "free.angle2": 0.03}
    kinds = ("load", "longitudinal_force", "lateral_force", "aligning_moment")
    model = model_from_tables(
        {
            "model": {"name": "Families", "space": "spatial", "gravity": [0, 0, -9.81]},
            "experiment": {"stop": 0.1},
            "bodies": {name: {"mass": 250, "inertia": [0.5, 0.9, 0.5]} for name in tyres},
            "joints": {
                f"{name}_free": {"type": "free", "from": "ground", "to": name, "attitude": "zxy"}
                for name in tyres
            },
            "forces": {
                **{f"{name}_tyre": {"on": name, **given} for name, given in tyres.items()},
                **{f"{name}_brake": {"type": "torque", "on": name, "value": [0, -300, 20]} for name in tyres},
            },
            "outputs": {f"{name}_{kind}": f"{name}_tyre.{kind}" for name in tyres for kind in kinds},
            "start": {
                "fixed": {
                    f"{name}_{kind}" if kind.startswith("free") else f"{name}.{kind}": value
                    for name in tyres
                    for kind, value in start.items()
                }
            },
        },
        "wheels",
    )
    fmu = exported(model, OPTIONS).path
    # Leaving the road is the only event of a tyre.
    assert fmpy.read_model_description(str(fmu)).numberOfEventIndicators == len(tyres)
    verification = verify_fmu(model, fmu)
    assert verification.problems == ()
    found = {signal.name: signal.fmu for signal in verification.signals}
    for name in tyres:
        assert np.abs(found[f"{name}_longitudinal_force"]).max() > 900
        assert np.ptp(found[f"{name}_aligning_moment"]) > 3
        assert np.ptp(found[f"{name}_load"]) > (2000 if name in ("waves", "table") else 300)


def test_a_wheel_on_a_wave_stands_where_forces_balance() -> None:
    """The contact is on the tangent plane under the centre: the load has its direction."""
    tyre = {**BRUSH, "height": "0.1*road_x", "slip": "lag"}
    tables = {
        "model": {"name": "Hill", "space": "spatial", "gravity": [0, 0, -10]},
        "experiment": {"stop": 4.0},
        "bodies": {"wheel": {"mass": 250, "inertia": [0.5, 0.9, 0.5]}},
        "joints": {"free": {"type": "planar", "from": "ground", "to": "wheel", "axis": [0, 1, 0]}},
        "forces": {
            "tyre": {
                "on": "wheel",
                "vertical_damping": 4000,
                **{k: v for k, v in tyre.items() if k != "vertical_damping"},
            },
            "hold": {"type": "torque", "on": "wheel", "value": [0, "-4000*wheel.wy - 2000*free.angle", 0]},
        },
        "outputs": {"load": "tyre.load", "force": "tyre.longitudinal_force", "z": "wheel.z", "x": "wheel.x"},
        "start": {
            "fixed": {
                "wheel.x": 0,
                "wheel.z": 0.29,
                "wheel.vx": 0,
                "wheel.vz": 0,
                "free.angle": 0,
                "free.omega": 0,
                "tyre.slip_x": 0,
                "tyre.slip_y": 0,
            }
        },
    }
    model = model_from_tables(tables, "hill")
    found = fmpy.simulate_fmu(str(exported(model, OPTIONS).path), stop_time=12.0, output_interval=0.5)
    steep = np.hypot(1, 0.1)
    assert found["load"][-1] == pytest.approx(2500 / steep, rel=1e-6)
    assert found["force"][-1] == pytest.approx(250 / steep, rel=1e-5)
    distance = (found["z"][-1] - 0.1 * found["x"][-1]) / steep
    assert distance == pytest.approx(0.2905 - 2500 / steep / 132724, abs=1e-8)
