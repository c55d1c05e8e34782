"""Beams in space, against the judge, a geometrically exact beam, and the momenta of free bodies."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest
from scipy.linalg import eigh

from fmugen.components.shapes import derivative, held_polynomials, products
from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from fmugen.verify.compare import verify_fmu
from fmugen.verify.mechanism import Mechanism
from tests.store import exported
from tests.support import example

DATA = Path(__file__).parents[1] / "data" / "flexible"
#: A beam with a body at its tip, which spins freely, bends in two planes and twists.
FREE = """
[model]
name = "SpinningBeam"
space = "spatial"
[bodies.rod]
type = "beam"
supports = "free"
shapes = 1
torsion_shapes = 1
length = 1.0
density = 2700
modulus = 7e10
shear_modulus = 2.6e10
width = 0.03
height = 0.012
torsion_constant = 1.3e-8
points = { tip = [1, 0, 0] }
[start]
fixed = { "rod.wx" = 20, "rod.wy" = 5, "rod.wz" = 3, "rod.qy1" = 0.005, "rod.qz1" = -0.002, "rod.qt1" = 0.01 }
[outputs]
x = "rod.tip.x"
y = "rod.tip.y"
deflection = "rod.tip.slope_z"
twist = "rod.tip.twist"
"""
#: A beam that is turned about its y axis from rest to 6 rad/s bends along z (Kane, Ryan, Banerjee 1987).
SPIN_UP = """
[model]
name = "SpatialSpinUp"
space = "spatial"
[bodies.rod]
type = "beam"
length = 8
density = 2766.67
modulus = 6.8952e10
area = 7.2968e-5
second_moment = 2e-8
second_moment_y = 8.2189e-9
points.tip = [8, 0, 0]
[joints.pin]
type = "revolute"
from = "ground"
to = "rod"
axis = [0, 1, 0]
[drivers.turn]
type = "rotation"
from = "ground"
to = "rod"
axis = [0, 1, 0]
value = "-0.4*(time^2/2 + (7.5/pi)^2*(cos(2*pi*time/15) - 1))"
[outputs]
deflection = "rod.tip.deflection_z"
across = "rod.tip.deflection_y"
"""


def read(text: str) -> SystemModel:
    return parse_model(text, "beam.toml")


def fmu(text: str) -> Path:
    return exported(read(text), ExportOptions(trees="aac")).path


def angular_momentum(model: SystemModel, values: dict[str, float]) -> np.ndarray:
    """About the origin of the ground, of a model that is one beam without welded bodies."""
    mechanism = Mechanism(model)
    (beam,) = mechanism.flexible
    turn = np.array([[values[f"rod.r{i}{j}"] for j in "xyz"] for i in "xyz"])
    place, v, w = (np.array([values[f"rod.{kind}{axis}"] for axis in "xyz"]) for kind in ("", "v", "w"))
    own = mechanism.layout.own_coordinates("rod")
    q, rates = (np.array([values[f"rod.{d}{kind}"] for kind in own]) for d in ("", "d"))
    p = beam._matrix(q) @ np.concatenate((turn.T @ v, turn.T @ w, rates))
    result: np.ndarray = turn @ p[3:6] + np.cross(place, turn @ p[:3])
    return result


def test_a_free_spinning_beam_keeps_energy_and_momentum_and_passes_the_judge() -> None:
    model = read(FREE)
    verification = verify_fmu(model, fmu(FREE), stop=0.05, step=0.005, loose=())
    assert verification.problems == ()
    assert verification.largest < 1e-8
    assert verification.energy.largest < 1e-8
    names = [v.name for v in fmpy.read_model_description(fmu(FREE)).modelVariables]
    found = fmpy.simulate_fmu(
        str(fmu(FREE)),
        stop_time=0.2,
        output_interval=0.05,
        relative_tolerance=1e-11,
        output=[name for name in names if name.startswith("rod.")],
    )
    momenta = [angular_momentum(model, dict(zip(found.dtype.names, row, strict=True))) for row in found]
    assert np.abs(np.array(momenta) - momenta[0]).max() < 1e-8 * np.linalg.norm(momenta[0])


def test_a_spinning_beam_stiffens_along_z() -> None:
    exact = np.genfromtxt(DATA / "spinup_krb.csv", delimiter=",", names=True, skip_header=1)
    found = fmpy.simulate_fmu(
        str(fmu(SPIN_UP)), stop_time=15.0, output_interval=0.05, relative_tolerance=1e-8
    )
    deviation = found["deflection"] - np.interp(found["time"], exact["time"], exact["deflection"])
    assert np.abs(deviation).max() < 0.004 * np.abs(exact["deflection"]).max()
    assert np.abs(found["across"]).max() < 1e-12


def test_a_loop_through_a_beam_in_space_closes_exactly() -> None:
    made = Compilation(example("flexible_spatial_slider_crank"), ExportOptions(trees="aac"))
    own = {"rod.qy1", "rod.qy2", "rod.qz1", "rod.qz2"}
    assert own < {made.dae.coordinates[n].name for n in made.flow.independent}
    assert all(block.steps for block in made.flow.blocks)


def test_polynomials_of_a_twist_have_its_frequencies() -> None:
    """Of a bar that is held at one end; the highest frequencies are too high."""
    shapes = held_polynomials(7)
    slopes = [derivative(shape) for shape in shapes]
    stiffness, mass = (np.array(products(each, each), dtype=float) for each in (slopes, shapes))
    found = np.sqrt(eigh(stiffness, mass, eigvals_only=True))
    np.testing.assert_allclose(found[:3], np.pi * np.array([0.5, 1.5, 2.5]), rtol=1e-3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shear_modulus = 2.6e10", "", "shear_modulus: torsion needs it"),
        ("torsion_constant = 1.3e-8", "", "torsion_constant: torsion needs it"),
        ("[1, 0, 0]", "[1, 0, 0.1]", "its z is 0.1 m, not zero"),
        ("width = 0.03\nheight = 0.012", "area = 1e-4\nsecond_moment = 1e-9", "second_moment_y"),
    ],
)
def test_a_wrong_beam_in_space_gets_a_sentence(old: str, new: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read(FREE.replace(old, new))
