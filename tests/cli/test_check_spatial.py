"""``fmugen check`` in space: Grübler's count, redundant constraints, links that spin."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fmugen.builder import ModelBuilder
from fmugen.cli import app
from fmugen.cli.check import gruebler_count, spinning_links
from fmugen.phases.formulate import formulate
from fmugen.phases.graph import build_graph
from fmugen.trees import select_trees
from fmugen.view.equations import equations_latex

# A planar four-bar in space: its loop takes six constraints where three are needed.
FOUR_BAR = """
[model]
name = "FourBar"
space = "spatial"
[ground]
points = { A = [0, 0, 0], B = [1, 0, 0] }
[bodies.crank]
mass = 1
inertia = [0.1, 0.1, 0.1]
points = { tip = [0.4, 0, 0] }
[bodies.coupler]
mass = 1
inertia = [0.1, 0.1, 0.1]
points = { tip = [0.9, 0, 0] }
[bodies.rocker]
mass = 1
inertia = [0.1, 0.1, 0.1]
points = { tip = [0.7, 0, 0] }
[joints]
a = { type = "revolute", from = "ground.A", to = "crank" }
b = { type = "revolute", from = "crank.tip", to = "coupler" }
c = { type = "revolute", from = "coupler.tip", to = "rocker.tip" }
d = { type = "revolute", from = "ground.B", to = "rocker" }
[start.fixed]
"a.angle" = 1.2
"""


def checked(text: str, folder: Path, *options: str) -> str:
    path = folder / "model.toml"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(path), "--trees", "aac", *options])
    assert result.exit_code == 0, result.stderr
    return re.sub(r"\s+", " ", result.stdout)


def two_bodies() -> ModelBuilder:
    return ModelBuilder("M", space="spatial").body("a").body("b")


@pytest.mark.parametrize(
    ("kind", "freedoms"),
    [
        ("revolute", 1),
        ("prismatic", 1),
        ("universal", 2),
        ("spherical", 3),
        ("cylindrical", 2),
        ("planar", 3),
        ("weld", 0),
        ("free", 6),
        ("translational", 3),
        ("virtual", 6),
    ],
)
def test_a_joint_leaves_its_freedoms(kind: str, freedoms: int) -> None:
    builder = two_bodies()
    getattr(builder, kind)("j", "ground", "a")
    assert gruebler_count(builder.build()) == 6 + freedoms


def test_screws_rods_and_drivers_count_too() -> None:
    assert gruebler_count(two_bodies().screw("j", "a", "b", 0.01).build()) == 7
    assert gruebler_count(two_bodies().rod("j", "a", "b", 1).build()) == 11
    assert gruebler_count(two_bodies().rotation_driver("d", "a", "b", 1).build()) == 11
    assert gruebler_count(two_bodies().translation_driver("d", "a", "b", 1, axis=(1, 0, 0)).build()) == 11
    assert gruebler_count(two_bodies().translation_driver("d", "a", "b", (0, 0, 0)).build()) == 9


def test_a_planar_loop_in_space_has_redundant_constraints(tmp_path: Path) -> None:
    out = checked(FOUR_BAR, tmp_path)
    assert "degrees of freedom 1 " in out
    assert "Grübler's count -2 " in out
    assert "Grübler's count is 3 too low" in out
    assert "redundant, left out: 2 constraints of rotation circuit d, met in every position" in out
    assert "redundant, left out: 1 constraint of translation circuit d, met in every position" in out


def test_assembly_modes_that_guesses_leave_are_counted(tmp_path: Path) -> None:
    """The rocker points up or down; the one guess is nearer to up, the other met by neither."""
    rough = '[start.guess]\n"c.angle" = 0.9\n"d.angle" = 0.9\n'
    out = checked(FOUR_BAR + rough, tmp_path)
    assert "the guesses permit at least 2 assembly modes. fmugen takes the nearest, at a distance of" in out
    near = '[start.guess]\n"d.angle" = 1.594\n'
    assert "assembly modes" not in checked(FOUR_BAR + near, tmp_path)


def test_redundant_constraints_are_named_one_by_one(tmp_path: Path) -> None:
    """With absolute coordinates no equation of the loop is met by itself."""
    out = checked(FOUR_BAR, tmp_path, "--trees", "ac")
    assert "Grübler's count is 3 too low" in out
    assert "redundant constraint, left out: rotation circuit d, alignment 1" in out
    assert "redundant constraint, left out: rotation circuit d, alignment 2" in out
    assert "redundant constraint, left out: translation circuit d, z" in out


def test_a_link_between_two_balls_spins() -> None:
    builder = two_bodies().ground_point("O", 0, 0, 0)
    builder.body("link", points={"A": (0, 0, 0), "B": (1, 0, 0)})
    builder.spherical("s1", "a", "link.A").spherical("s2", "link.B", "b")
    assert list(spinning_links(builder.build())) == ["link"]
    assert list(spinning_links(builder.rotation_driver("d", "ground", "link", "time").build())) == []


def test_a_link_with_a_universal_joint_does_not_spin() -> None:
    builder = two_bodies().body("link", points={"A": (0, 0, 0), "B": (1, 0, 0)})
    builder.spherical("s", "a", "link.A").universal("u", "link.B", "b")
    assert list(spinning_links(builder.build())) == []


def test_check_tells_of_a_spinning_link(tmp_path: Path) -> None:
    text = FOUR_BAR.replace('b = { type = "revolute"', 'b = { type = "spherical"')
    text = text.replace('c = { type = "revolute"', 'c = { type = "spherical"')
    out = checked(text, tmp_path)
    assert "degrees of freedom 2 " in out
    assert "Grübler's count 2 " in out
    assert "coupler spins freely about the line of its two ball joints" in out


def test_coordinates_of_space_in_latex() -> None:
    model = two_bodies().ground_point("O", 0, 0, 0).universal("u", "ground.O", "a").build()
    graph = build_graph(model)
    latex = equations_latex("M", formulate(model, graph, select_trees(model, graph, "jc")))
    assert r"\theta_{1,\mathrm{u}}" in latex
    assert r"p_{0,\mathrm{b}}" in latex
    assert r"\dot{p}_{3,\mathrm{b}}" in latex
