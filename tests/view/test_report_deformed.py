"""Bodies that deform are drawn deformed, where their equations say."""

from __future__ import annotations

import numpy as np
import pytest

from fmugen.evaluation import values_at_start
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from fmugen.verify.rotations import matrices
from fmugen.view.report.animation import motion_section
from fmugen.view.report.drawing import drawing_svg
from fmugen.view.report.poses import Poses, pose_names, start_poses
from fmugen.view.report.scene import Scene, scene_of
from tests.support import example

#: A cantilever as 3 N along y and 20 N along z at its tip bend it.
LOADED = """
[model]
name = "Loaded"
space = "spatial"
[bodies.rod]
type = "beam"
basis = "taylor"
length = 0.8
density = 7850
modulus = 2.1e11
width = 0.02
height = 0.005
points = { tip = [0.8, 0, 0] }
[joints.clamp]
type = "weld"
from = "ground"
to = "rod"
[start]
fixed = { "rod.qy1" = 0.0175543, "rod.qy2" = -0.00585143, "rod.qz1" = 0.00731429, "rod.qz2" = -0.0024381 }
"""


def at_start(model: SystemModel) -> tuple[Compilation, Scene, Poses]:
    made = Compilation(model, ExportOptions("aac", Closure.NEWTON))
    poses = start_poses(made.model, made.dae, made.flow)
    scene = scene_of(made.model, poses)
    assert scene is not None
    return made, scene, poses


def test_a_beam_is_drawn_through_its_points() -> None:
    """The deflections at the tip, and the strain at the root, in both planes."""
    _, scene, poses = at_start(parse_model(LOADED, "loaded.toml"))
    (line,) = (outline for outline in scene.outlines if outline.stations)
    rod = scene.bodies.index("rod")
    places = np.array([scene.stations[n].displaced(poses.coordinates[rod][0]) for n in line.stations])
    assert places[0] == pytest.approx([0, 0, 0])
    y, z = 3 * 0.8**3 / (3 * 2.1e11 * 0.02 * 0.005**3 / 12), 20 * 0.8**3 / (3 * 2.1e11 * 0.005 * 0.02**3 / 12)
    # A beam that a force bends is shorter by 3/5 of the square of its deflection, by its length.
    expected = [0.8 - 0.6 * (y**2 + z**2) / 0.8, y, z]
    assert places[-1] == pytest.approx(expected, rel=1e-5)
    bent = 3 * 0.8 / (2.1e11 * 0.02 * 0.005**2 / 6) + 20 * 0.8 / (2.1e11 * 0.005 * 0.02**2 / 6)
    assert scene.strain == pytest.approx(bent, rel=1e-3)
    svg = drawing_svg(scene, poses, "loaded")
    assert svg.count("L") > 20


def test_an_animation_has_what_bends() -> None:
    model = parse_model(LOADED, "loaded.toml")
    made = Compilation(model, ExportOptions("aac", Closure.NEWTON))
    names = pose_names(model)
    values = values_at_start(model, made.dae, made.flow, [made.dae.quantities[name] for name in names])
    samples = {name: np.array([value, value]) for name, value in zip(names, values, strict=True)}
    section = motion_section(model, np.array([0.0, 1.0]), samples)
    assert section is not None
    text = str(section)
    assert "animation-bend" in text and '"stations"' in text and "strain of bending" in text
    rigid = motion_section(example("pendulum"), *_still(example("pendulum")))
    assert "animation-bend" not in str(rigid)


def _still(model: SystemModel) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    return np.array([0.0, 1.0]), {name: np.zeros(2) for name in pose_names(model)}


def test_a_modal_body_is_drawn_as_the_mesh_of_its_nodes() -> None:
    _, scene, poses = at_start(example("modal_panel"))
    panel = scene.bodies.index("panel")
    lines = [outline for outline in scene.outlines if outline.body == panel and outline.stations]
    # The edges of 12 by 6 squares, without diagonals.
    assert len(lines) == 12 * 7 + 13 * 6
    q = np.zeros(8)
    q[0] = 0.1
    station = scene.stations[lines[-1].stations[-1]]
    file = example("modal_panel").element("panel").values["file"]
    node = int(np.argmin(np.abs(file["nodes"] - station.position).sum(axis=1)))  # type: ignore[index]
    assert station.displaced(q) - station.position == pytest.approx(0.1 * file["modes"][0, node])  # type: ignore[index]
    # The instrument is drawn at the corner that it is fastened to.
    instrument = scene.bodies.index("instrument")
    spot = next(marker.spot for marker in scene.markers if marker.name == "mount")
    place = scene.stations[spot.station or 0].displaced(poses.coordinates[panel][0])
    world = poses.origins[0, panel] + matrices(poses.attitudes[0])[panel] @ place
    assert world == pytest.approx(poses.origins[0, instrument], abs=1e-9)
