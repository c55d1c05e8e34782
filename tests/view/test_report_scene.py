"""What is drawn of a mechanism: bodies from their points, joints and poses as the equations say."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest
from element_views import joints_of

from fmugen.builder import ModelBuilder
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from fmugen.verify.rotations import about, matrices, quaternion
from fmugen.view.report.drawing import drawing_svg
from fmugen.view.report.poses import Poses, recorded_poses, start_poses
from fmugen.view.report.scene import Outline, Scene, Symbol, scene_of
from fmugen.view.report.shapes import camera, hull
from tests.support import example

SVG = "{http://www.w3.org/2000/svg}"


def at_start(model: SystemModel) -> tuple[Scene, Poses]:
    made = Compilation(model, ExportOptions("aac", Closure.NEWTON))
    poses = start_poses(made.model, made.dae, made.flow)
    scene = scene_of(made.model, poses)
    assert scene is not None
    return scene, poses


def world(poses: Poses, body: int, place: tuple[float, ...], moment: int = 0) -> np.ndarray:
    return poses.origins[moment, body] + matrices(poses.attitudes[moment])[body] @ np.array(place)


def of_body(scene: Scene, name: str) -> list[Outline]:
    number = scene.bodies.index(name)
    return [outline for outline in scene.outlines if outline.body == number]


# --- poses ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["slider_crank", "three_rrr", "spatial_four_bar"])
def test_joints_hold_the_bodies_together_at_the_start(name: str) -> None:
    """The two ends of a joint that allows no translation are drawn at one place."""
    model = example(name)
    scene, poses = at_start(model)
    numbers = {body: number for number, body in enumerate((*scene.bodies, "ground"))}
    places = {}
    for marker in scene.markers:
        if marker.name:
            places[marker.name] = world(poses, marker.spot.body, marker.spot.position)
    for joint in joints_of(model):
        if joint.type.value in ("revolute", "spherical", "universal"):
            bodies = {numbers[joint.tail.body], numbers[joint.head.body]}
            corners = [
                world(poses, outline.body, corner)
                for outline in scene.outlines
                if outline.body in bodies and outline.thick
                for corner in outline.corners
            ]
            assert min(np.linalg.norm(corner - places[joint.name]) for corner in corners) < 1e-9


def test_recorded_attitudes_change_without_jumps() -> None:
    """A quaternion and its opposite are one attitude: of these, a motion takes the nearer."""
    model = example("pendulum")
    [body] = model.bodies
    angles = np.linspace(0.0, 9.0, 200)
    values = {f"{body.name}.angle": angles, f"{body.name}.x": angles, f"{body.name}.y": -angles}
    poses = recorded_poses(model, angles, values)
    steps = np.linalg.norm(np.diff(poses.attitudes[:, 0], axis=0), axis=1)
    assert steps.max() < 0.05
    turned = matrices(poses.attitudes[:, 0])
    assert np.abs(turned[150] - about(np.array([0.0, 0.0, 1.0]), angles[150])).max() < 1e-12


def test_long_runs_are_thinned_with_both_ends() -> None:
    model = example("pendulum")
    [body] = model.bodies
    times = np.linspace(0.0, 5.0, 4001)
    poses = recorded_poses(model, times, {f"{body.name}.{kind}": times for kind in ("x", "y", "angle")})
    assert len(poses.times) <= 600
    assert (poses.times[0], poses.times[-1]) == (0.0, 5.0)


# --- shapes ---------------------------------------------------------------------------------------


def test_a_link_is_a_line_and_a_platform_a_polygon() -> None:
    scene, _ = at_start(example("three_rrr"))
    kinds = Counter((len(outline.corners), outline.filled) for outline in scene.outlines)
    assert kinds == {(2, False): 6, (3, True): 1}
    assert Counter(marker.symbol for marker in scene.markers)[Symbol.PIN] == 9


def test_a_block_slides_on_a_rail() -> None:
    scene, poses = at_start(example("slider_crank"))
    [block] = of_body(scene, "m3")
    assert block.filled and len(block.corners) == 4
    [rail] = scene.rails
    begin, end = (world(poses, rail.body, corner) for corner in rail.corners)
    slider = poses.origins[0, scene.bodies.index("m3")]
    assert begin[0] < slider[0] < end[0]
    assert np.cross(end - begin, slider - begin)[2] == pytest.approx(0.0, abs=1e-9)


def test_a_rail_is_as_long_as_the_way_of_its_slide() -> None:
    model = example("slider_crank")
    _, start = at_start(model)
    moved = start.origins.copy()
    moved[0, 2, 0] += 3.0
    poses = Poses(
        np.array([0.0, 1.0]),
        np.concatenate([start.origins, moved]),
        np.concatenate([start.attitudes, start.attitudes]),
    )
    scene = scene_of(model, poses)
    assert scene is not None
    [rail] = scene.rails
    assert max(corner[0] for corner in rail.corners) >= moved[0, 2, 0]


def test_a_body_that_flies_is_the_box_of_its_inertia() -> None:
    """Moments of a box with the edges 1, 2 and 4."""
    mass, edges = 3.0, np.array([1.0, 2.0, 4.0])
    moments = [mass / 12 * float(edges @ edges - edge * edge) for edge in edges]
    model = ModelBuilder("Box", space="spatial").body("box", mass=mass, inertia=tuple(moments)).build()
    scene, _ = at_start(model)
    corners = np.array([corner for outline in scene.outlines for corner in outline.corners])
    assert np.ptp(corners, axis=0) == pytest.approx(edges)
    assert len(scene.outlines) == 6


def test_a_model_without_bodies_has_no_scene() -> None:
    model = SystemModel("Network")
    poses = recorded_poses(model, np.zeros(1), {})
    assert scene_of(model, poses) is None


def test_hulls_of_every_dimension() -> None:
    line = np.array([[0.0, 0, 0], [2, 0, 0], [1, 0, 0]])
    [(corners, filled)] = hull(line)
    assert sorted(corners) == [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)] and not filled
    square = np.array([[0.0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0.4, 0.5, 1]])
    [(corners, filled)] = hull(square)
    assert set(corners) == {tuple(row) for row in square[:4].tolist()} and filled
    tetrahedron = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert [len(corners) for corners, filled in hull(tetrahedron) if filled] == [3, 3, 3, 3]


@pytest.mark.parametrize("up", [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.6, 0.0, -0.8)])
def test_the_camera_is_a_rotation_that_keeps_up_up(up: tuple[float, float, float]) -> None:
    view = camera(np.array(up))
    assert np.abs(view @ view.T - np.eye(3)).max() < 1e-12
    assert np.linalg.det(view) == pytest.approx(1.0)
    right, upward, toward = view @ np.array(up)
    assert right == pytest.approx(0.0, abs=1e-12)
    assert upward > toward > 0.0
    assert np.abs(matrices(quaternion(view)[None])[0] - view).max() < 1e-12


# --- the drawing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "andrews",
        "double_wishbone",
        "engine1a",
        "five_link_suspension",
        "landing_gear",
        "quick_return",
        "spatial_parallel_3dof",
        "three_rpr",
        "tumbling_body",
    ],
)
def test_mechanisms_are_drawn_inside_their_picture(name: str) -> None:
    model = example(name)
    scene, poses = at_start(model)
    drawing = ElementTree.fromstring(drawing_svg(scene, poses, "<start>"))
    names = [text.text for text in drawing.iter(f"{SVG}text")]
    assert names == [body.name for body in model.bodies]
    width, height = (float(drawing.get(key, "")) for key in ("width", "height"))
    for circle in drawing.iter(f"{SVG}circle"):
        assert 0 <= float(circle.get("cx", "")) <= width
        assert 0 <= float(circle.get("cy", "")) <= height
