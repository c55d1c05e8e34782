"""Mechanisms as other programs take them: the same bodies, the same motion."""

from __future__ import annotations

import importlib
import itertools
import subprocess
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest
from element_views import drivers_of, loads_of, springs_of

from fmugen.ir.platform import host_platform
from fmugen.phases.compile import find_compiler
from tests.support import example

PEERS = Path(__file__).parents[2] / "cross_check" / "bench" / "peers"


@pytest.fixture
def skeleton() -> ModuleType:
    return importlib.import_module("bench.peers.skeleton")


def test_a_skeleton_has_a_tree_and_the_joints_that_close_loops(skeleton: ModuleType) -> None:
    bones = skeleton.skeleton_of(skeleton.falling(example("slider_crank")))
    assert len(bones.tree) == len(bones.bones) == 3
    assert [link.type.value for link in bones.chords] == ["revolute"]
    assert "prismatic" in [link.type.value for link in bones.tree]
    reached = {-1}
    for link in bones.tree:
        assert link.tail in reached
        reached.add(link.head)


def test_what_falls_is_driven_by_nothing_and_starts_at_rest(skeleton: ModuleType) -> None:
    model = skeleton.falling(example("four_bar"))
    assert loads_of(model) == springs_of(model) == drivers_of(model) == model.inputs == ()
    starts = [start.quantity for start in model.starts]
    assert starts
    assert not [name for name in starts if name.endswith("omega")]


def test_mjcf_has_every_body_once_and_closes_every_loop(skeleton: ModuleType) -> None:
    mjcf = importlib.import_module("bench.peers.mjcf")
    bones = skeleton.skeleton_of(skeleton.falling(example("three_rrr")))
    root = ElementTree.fromstring(mjcf.mjcf_file(bones))
    names = [body.get("name") for body in root.iter("body")]
    assert sorted(names) == sorted(bone.name for bone in bones.bones)
    assert len(root.findall("equality/connect")) == len(bones.chords) == 2
    assert {joint.get("type") for joint in root.iter("joint")} == {"hinge"}


def test_a_spatial_loop_of_hinges_is_closed_at_two_points_of_an_axis(skeleton: ModuleType) -> None:
    mjcf = importlib.import_module("bench.peers.mjcf")
    bones = skeleton.skeleton_of(skeleton.falling(example("bricard")))
    (chord,) = bones.chords
    first, second = mjcf.pinned_places(bones, chord)
    assert np.cross(second - first, chord.axes[0]) == pytest.approx(np.zeros(3))
    assert np.linalg.norm(second - first) > 0.1


def test_lines_come_depth_first(skeleton: ModuleType) -> None:
    lines = importlib.import_module("bench.peers.lines")
    model = skeleton.falling(importlib.import_module("bench.peers.cases").n_four_bar(2))
    text = lines.skeleton_lines(skeleton.skeleton_of(model)).splitlines()
    joints = [line.split() for line in text if line.startswith("joint")]
    assert len(joints) == 5
    for before, after in itertools.pairwise(joints):
        # A joint follows on the body of the joint before it, or begins again nearer to the ground.
        assert after[2] in (before[3], "-1", before[2])


def test_an_unknown_joint_is_refused(skeleton: ModuleType) -> None:
    mjcf = importlib.import_module("bench.peers.mjcf")
    bones = skeleton.skeleton_of(skeleton.falling(example("slider_crank")))
    slide = next(link for link in bones.tree if link.type.value == "prismatic")
    with pytest.raises(ValueError, match="prismatic joint cannot close a loop"):
        mjcf.mjcf_file(replace(bones, chords=(slide,)))


def test_equations_of_kane_give_the_motion_of_the_reference(skeleton: ModuleType, tmp_path: Path) -> None:
    kane = importlib.import_module("bench.peers.kane")
    model = skeleton.falling(example("slider_crank"))
    bones = skeleton.skeleton_of(model)
    equations, program = tmp_path / "kane.h", tmp_path / "time_kane"
    equations.write_text(kane.kane_source(bones), encoding="utf-8")
    compiler = find_compiler(host_platform()).command
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", f"-I{PEERS}", f'-DKANE="{equations}"']
    subprocess.run(
        [*compiler, *flags, str(PEERS / "time_kane.c"), "-o", str(program), "-lm"], check=True, timeout=120
    )
    done = subprocess.run(
        [str(program), "1e-3", "100", "1"], capture_output=True, text=True, check=True, timeout=60
    )
    ends = [line.split()[1:] for line in done.stdout.splitlines()[1:]]
    expected = skeleton.reference_centers(model, 0.1)
    assert np.array(ends, dtype=float) == pytest.approx(expected, abs=1e-7)
    assert np.abs(expected - [bone.center for bone in bones.bones]).max() > 1e-3


@pytest.mark.parametrize("solver", ["cvodes", "idas"])
def test_solvers_of_sundials_give_the_motion_of_the_reference(skeleton: ModuleType, solver: str) -> None:
    pytest.importorskip("casadi", reason="CasADi is not installed (extra importers)")
    casadi_run = importlib.import_module("bench.peers.casadi_run")
    model = skeleton.falling(example("slider_crank"))
    integrate = casadi_run.casadi_integration(skeleton.skeleton_of(model), solver, 0.1)
    seconds, centers = integrate(1e-8)
    assert seconds > 0.0
    assert centers == pytest.approx(skeleton.reference_centers(model, 0.1), abs=1e-6)
    assert np.abs(integrate(1e-3)[1] - centers).max() > 1e-9


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Exudyn calls what it has deprecated itself
@pytest.mark.parametrize(
    ("module", "package", "order"), [("drake_run", "pydrake", 1), ("exudyn_run", "exudyn", 2)]
)
@pytest.mark.parametrize("name", ["four_bar", "bricard"])
def test_other_programs_converge_to_the_reference(
    skeleton: ModuleType, module: str, package: str, order: int, name: str
) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed: make peers")
    run = getattr(importlib.import_module(f"bench.peers.{module}"), module.replace("run", "integration"))
    model = skeleton.falling(example(name))
    integrate = run(skeleton.skeleton_of(model), 0.1)
    expected = skeleton.reference_centers(model, 0.1)
    coarse, fine = (np.abs(integrate(count)[1] - expected).max() for count in (10, 20))
    assert fine < 2e-3
    assert coarse / fine == pytest.approx(2.0**order, rel=0.2)
