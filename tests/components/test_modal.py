"""Bodies from finite-element models, against exact beams, the judge and what files may have wrong."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

import fmpy
import numpy as np
import pytest
from scipy.linalg import eigh

from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import Run, Trajectory, simulate_runs
from tests.store import exported
from tests.support import example

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "flexible"
LENGTH, LINE, RIGIDITY = 8.0, 2766.67 * 7.2968e-5, 6.8952e10 * 8.2189e-9
#: The beam of Kane, Ryan and Banerjee, from a file, turned about z from rest to 6 rad/s.
SPIN_UP = """
[model]
name = "ModalSpinUp"
space = "spatial"
[bodies.rod]
type = "modal"
file = "rod.npz"
points.tip = [8, 0, 0]
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
deflection = "rod.tip.deflection_y"
"""
#: The same body, free, spinning and vibrating.
FREE = """
[model]
name = "ModalFree"
space = "spatial"
gravity = [0, 0, -9.81]
[bodies.rod]
type = "modal"
file = "rod.npz"
damping_ratio = "ratio"
points = { tip = { position = [8, 0, 0], sequence = "z", angles = [0.3] }, middle = [4, 0, 0] }
[bodies.mass]
mass = 0.2
inertia = [1e-3, 2e-3, 1e-3]
[joints.glue]
type = "weld"
from = "rod.tip"
to = "mass"
[parameters]
ratio = 0
[start]
fixed = { "rod.wx" = 3, "rod.wy" = 0.5, "rod.wz" = 1, "rod.q1" = 0.1, "rod.q2" = 0.02 }
[outputs]
x = "mass.x"
deflection = "rod.middle.deflection_y"
"""


def beam(elements: int, count: int, *, held: bool, bent: bool) -> dict[str, np.ndarray]:
    """The arrays of a beam of Hermite elements that bends along y; ``bent`` adds its shortening."""
    h = LENGTH / elements
    size = 2 * elements + 2
    k = RIGIDITY / h**3 * np.array(
        [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
         [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
    )  # fmt: skip
    m = LINE * h / 420 * np.array(
        [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
         [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
    )  # fmt: skip
    mass, stiffness = np.zeros((size, size)), np.zeros((size, size))
    for e in range(elements):
        mass[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += m
        stiffness[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += k
    free = np.arange(2 if held else 0, size)
    squares, vectors = eigh(stiffness[np.ix_(free, free)], mass[np.ix_(free, free)])
    first = 0 if held else 2
    modes = np.zeros((size, count))
    modes[free] = vectors[:, first : first + count]
    nodes = np.zeros((elements + 1, 3))
    nodes[:, 0] = np.linspace(0, LENGTH, elements + 1)
    masses = np.full(elements + 1, LINE * h)
    masses[[0, -1]] /= 2
    moved, turned = np.zeros((count, elements + 1, 3)), np.zeros((count, elements + 1, 3))
    moved[:, :, 1], turned[:, :, 2] = modes[0::2].T, modes[1::2].T
    found = {
        "nodes": nodes,
        "masses": masses,
        "modes": moved,
        "rotations": turned,
        "stiffness": np.diag(squares[first : first + count]),
        "inertias": np.repeat(np.diag([1e-3, 0, 0])[None], elements + 1, axis=0),
    }
    if bent:
        found["second_order"] = shortening(modes, h)
    return found


def shortening(modes: np.ndarray, h: float) -> np.ndarray:
    """Minus the integral of the products of slopes from the root to each node."""
    places, weights = np.polynomial.legendre.leggauss(3)
    count, elements = modes.shape[1], len(modes) // 2 - 1
    found = np.zeros((count, count, elements + 1, 3))
    for e in range(elements):
        step = np.zeros((count, count))
        for s, weight in zip((places + 1) / 2, weights / 2, strict=True):
            shape = [
                (6 * s * s - 6 * s) / h,
                1 - 4 * s + 3 * s * s,
                (6 * s - 6 * s * s) / h,
                3 * s * s - 2 * s,
            ]
            slope = np.array(shape) @ modes[2 * e : 2 * e + 4]
            step += weight * h * np.outer(slope, slope)
        found[:, :, e + 1, 0] = found[:, :, e, 0] - step
    return found


def written(folder: Path, arrays: Mapping[str, np.ndarray], text: str) -> SystemModel:
    np.savez(folder / "rod.npz", **arrays)
    return parse_model(text, str(folder / "model.toml"))


def fmu(model: SystemModel) -> Path:
    return exported(model, ExportOptions(trees="aac")).path


def test_a_spinning_body_stiffens_by_displacements_of_second_order(tmp_path: Path) -> None:
    model = written(tmp_path, beam(40, 3, held=True, bent=True), SPIN_UP)
    exact = np.genfromtxt(DATA / "spinup_krb.csv", delimiter=",", names=True, skip_header=1)
    found = fmpy.simulate_fmu(str(fmu(model)), stop_time=15.0, output_interval=0.05, relative_tolerance=1e-8)
    deviation = found["deflection"] - np.interp(found["time"], exact["time"], exact["deflection"])
    # As with the modes of a uniform beam.
    assert np.abs(deviation).max() < 0.01 * np.abs(exact["deflection"]).max()


def test_a_body_without_them_is_said_to_be_invalid_where_it_spins(tmp_path: Path) -> None:
    """The first frequency of the beam is 2.9 rad/s."""
    model = written(tmp_path, beam(10, 2, held=True, bent=False), SPIN_UP)
    (run,) = simulate_runs(fmu(model), [Run(6.0, 0.1, ["deflection"], {})])
    assert isinstance(run, Trajectory)
    assert any("rod.spin_ratio is 0.2" in said and "second_order" in said for said in run.messages)


@pytest.mark.parametrize("held", [True, False])
def test_a_free_body_keeps_its_energy_and_passes_the_judge(tmp_path: Path, held: bool) -> None:
    model = written(tmp_path, beam(8, 2, held=held, bent=held), FREE)
    verification = verify_fmu(model, fmu(model), stop=0.5, step=0.05, loose=())
    assert verification.problems == ()
    assert verification.largest < 1e-8
    assert verification.energy.largest < 1e-8
    if held:
        damped = verify_fmu(model, fmu(model), stop=0.5, step=0.05, loose=(), parameters={"ratio": 0.05})
        assert damped.largest < 1e-8


def test_modes_of_a_file_have_their_frequencies(tmp_path: Path) -> None:
    """Of the panel with its hinge held: those of a plate that is clamped at one edge."""
    spec = importlib.util.spec_from_file_location("make_panel", ROOT / "examples/modal_panel/make_panel.py")
    assert spec is not None and spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    made, kept = maker.arrays(), np.load(ROOT / "examples/modal_panel/panel.npz")
    for name, array in made.items():
        np.testing.assert_allclose(np.abs(kept[name]), np.abs(array), atol=1e-6 * np.abs(array).max())
    # A plate of two squares: between a beam whose sections curve freely, and one whose sections cannot.
    rigidity = maker.MODULUS * maker.THICKNESS**3 / 12 / (1 - maker.POISSON**2)
    scale = maker.LENGTH**2 * np.sqrt(maker.DENSITY * maker.THICKNESS / rigidity)
    first = scale * np.sqrt(np.diag(made["stiffness"]))[0]
    assert 3.516 * np.sqrt(1 - maker.POISSON**2) < first < 3.516


#: Two beams, one of them the mirror image of the other, that fall about hinges along z.
MIRRORED = """
[model]
name = "ModalMirror"
space = "spatial"
gravity = [0, -9.81, 0]
[use.right]
assembly = "arm"
[use.left]
assembly = "arm"
mirror = "x"
[assemblies.arm.bodies.rod]
type = "modal"
file = "rod.npz"
points.tip = [8, 0, 0]
[assemblies.arm.joints.pin]
type = "revolute"
from = "ground"
to = "rod"
[outputs]
y1 = "right.rod.tip.y"
y2 = "left.rod.tip.y"
x1 = "right.rod.tip.x"
x2 = "left.rod.tip.x"
[start.fixed]
"right.rod.q2" = 0.1
"left.rod.q2" = 0.1
"""


def test_a_modal_body_in_a_mirrored_assembly_moves_as_the_mirror_image(tmp_path: Path) -> None:
    model = written(tmp_path, beam(4, 2, held=True, bent=False), MIRRORED)
    found = fmpy.simulate_fmu(str(fmu(model)), stop_time=0.5, output_interval=0.1, relative_tolerance=1e-10)
    assert np.ptp(found["y1"]) > 0.1
    np.testing.assert_allclose(found["y2"], found["y1"], atol=1e-8)
    np.testing.assert_allclose(found["x2"], -found["x1"], atol=1e-8)


def changed(**others: np.ndarray | None) -> dict[str, np.ndarray]:
    arrays = beam(4, 2, held=True, bent=False) | others
    return {name: array for name, array in arrays.items() if array is not None}


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"stiffness": None}, r"'rod.npz' has no array 'stiffness'.*\(modes, modes\)"),
        ({"mode": np.ones(3)}, "unknown array 'mode'.*did you mean 'modes'"),
        ({"modes": np.ones((2, 5, 2))}, r"has the shape \(2, 5, 2\).*\(modes, nodes, 3\), here \(2, 5, 3\)"),
        ({"masses": np.full(5, np.nan)}, "'masses' has entries that are not finite"),
        ({"masses": np.array(["a"] * 5)}, "'masses' does not hold real numbers"),
        ({"masses": -np.ones(5)}, "the mass of node 0 is -1 kg"),
        ({"stiffness": np.array([[1.0, 2.0], [0.0, 1.0]])}, "'stiffness' is not symmetric"),
        ({"stiffness": np.diag([1.0, -1.0])}, "'stiffness' has the negative eigenvalue -1"),
        ({"mass": np.diag([1.0, -1.0])}, "mass matrix of rigid motion and modes is not positive definite"),
        ({"inertias": None}, "the rigid body has no inertia about an axis"),
        ({"rigid": np.ones((6, 6))}, "'rigid' is not that of a rigid body"),
    ],
)  # fmt: skip
def test_a_wrong_file_gets_a_sentence(
    tmp_path: Path, others: Mapping[str, np.ndarray | None], message: str
) -> None:
    with pytest.raises(ModelError, match=f"(?s){message}"):
        written(tmp_path, changed(**others), SPIN_UP)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rod.npz", "bar.npz", "'bar.npz' cannot be read: No such file"),
        ('"rod.npz"', "3", "file: must be the name of a file in quotes, not a number"),
        ('file = "rod.npz"', "", "file"),
        ("[8, 0, 0]", "[7.5, 0, 0]", r"the point tip is not at a node.*0.5 m away at \[8, 0, 0\]"),
        ('space = "spatial"', "", "planar models have no modal bodies"),
    ],
)
def test_a_wrong_modal_body_gets_a_sentence(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ModelError, match=f"(?s){message}"):
        written(tmp_path, changed(), SPIN_UP.replace(old, new))


def test_a_file_that_is_not_one_of_arrays_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "rod.npz").write_text("nodes")
    with pytest.raises(ModelError, match=r"'rod\.npz' is not a file of arrays"):
        parse_model(SPIN_UP, str(tmp_path / "model.toml"))
    np.save(tmp_path / "rod.npy", np.ones(3))
    (tmp_path / "rod.npy").rename(tmp_path / "rod.npz")
    with pytest.raises(ModelError, match="is a single array"):
        parse_model(SPIN_UP, str(tmp_path / "model.toml"))


def test_coordinates_of_a_modal_body_are_independent() -> None:
    made = Compilation(example("modal_panel"), ExportOptions(trees="aac"))
    own = {f"panel.q{number}" for number in range(1, 9)}
    assert own < {made.dae.coordinates[n].name for n in made.flow.independent}
