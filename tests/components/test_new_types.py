"""A type of element is one class: types that the project does not have work once they are entered."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import fmpy
import numpy as np
import pytest
from scipy.linalg import expm

import fmugen
from fmugen.builder import ModelBuilder, element_methods
from fmugen.cli.check import check_model, gruebler_count
from fmugen.components.base import REGISTRY
from fmugen.components.reference import table_of
from fmugen.errors import ModelError
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel, quantities
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from fmugen.verify.catalogue import base, known_types
from fmugen.view.graph import graphs_svg
from fmugen.view.report.poses import start_poses
from fmugen.view.report.scene import Symbol, scene_of
from tests.store import exported

from .new_types import enter_laws_of_the_judge, enter_maxwell, enter_point_on_line

#: A bead on a guide along x with a spring and a damper in series to the origin.
CART = """
[model]
name = "Cart"
space = "{space}"
[bodies.bead]
mass = 2.0
inertia = {inertia}
[joints.guide]
type = "point_on_line"
from = "ground"
to = "bead"
axis = {axis}
[springs.soft]
type = "maxwell"
from = "ground"
to = "bead"
stiffness = "k"
damping = 4
[parameters]
k = 30.0
[outputs]
s = "guide.s"
v = "guide.v"
stretch = "soft.stretch"
force = "soft.force"
[start]
fixed."guide.s" = 1.5
fixed."guide.v" = -0.4
fixed."soft.stretch" = 1.2
"""
SPACES = {
    "planar": CART.format(space="planar", inertia=1, axis="[1, 0]"),
    "spatial": CART.format(space="spatial", inertia="[1, 1, 1]", axis="[1, 0, 0]"),
}


@pytest.fixture(autouse=True)
def new_types(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The types are known during a test."""
    for section, kinds in REGISTRY.items():
        monkeypatch.setitem(REGISTRY, section, dict(kinds))
    monkeypatch.setattr(base, "_LAWS", dict(base._LAWS))
    enter_point_on_line()
    enter_maxwell()
    enter_laws_of_the_judge()
    yield


def cart(space: str) -> SystemModel:
    return parse_model(SPACES[space], "cart.toml")


def test_they_are_read_with_the_keys_of_their_class() -> None:
    model = cart("planar")
    guide, soft = model.element("guide"), model.element("soft")
    assert (guide.section, guide.type, guide.head.body) == ("joints", "point_on_line", "bead")
    assert soft.formula("damping").number == 4.0
    names = {quantity.name for quantity in quantities(model)}
    assert {"guide.s", "guide.v", "guide.angle", "guide.fy", "soft.force", "soft.stretch"} <= names


@pytest.mark.parametrize(
    ("wrong", "message", "hint"),
    [
        ("damping = 4\nlead = 1", "a maxwell spring has no key 'lead'", "the keys are type, from, to"),
        ("", "is missing", "give the damping in N.s/m"),
        ("damping = []", "must be a number or a formula", ""),
    ],
)
def test_mistakes_are_reported_as_those_of_other_types(wrong: str, message: str, hint: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_model(SPACES["planar"].replace("damping = 4", wrong), "cart.toml")
    (problem,) = caught.value.problems
    assert message in problem.message and hint in problem.hint


def test_the_builder_has_methods_for_them() -> None:
    assert list(element_methods()["maxwell_spring"].parameters)[:5] == [
        "name",
        "tail",
        "head",
        "stiffness",
        "damping",
    ]
    start = {"guide.s": 1.5, "guide.v": -0.4, "soft.stretch": 1.2}

    def begun() -> ModelBuilder:
        return ModelBuilder("Cart").parameter("k", 30.0).body("bead", mass=2.0, inertia=1)

    def finished(model: ModelBuilder) -> SystemModel:
        for name, quantity in (("s", "guide.s"), ("v", "guide.v"), ("stretch", "soft.stretch")):
            model.output(name, quantity)
        model.output("force", "soft.force")
        for name, value in start.items():
            model.start(name, value)
        return model.build()

    named = begun().point_on_line("guide", "ground", "bead", axis=[1, 0])
    named.maxwell_spring("soft", "ground", "bead", "k", 4)
    added = begun().add("joints", "guide", "point_on_line", "ground", "bead", axis=[1, 0])
    added.add("springs", "soft", "maxwell", "ground", "bead", stiffness="k", damping=4)
    assert finished(named) == finished(added) == cart("planar")


def test_they_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gruebler_count(cart("planar")) == 2
    assert gruebler_count(cart("spatial")) == 4
    path = tmp_path / "cart.toml"
    path.write_text(SPACES["planar"])
    check_model(path, "aac")
    said = capsys.readouterr().out
    assert "point_on_line" in said and "maxwell" in said and "the model is sound" in said


def test_they_are_drawn() -> None:
    model = cart("spatial")
    made = Compilation(model, ExportOptions("aac", Closure.NEWTON))
    assert "guide: point_on_line" in graphs_svg(made.graph, made.trees, "Cart")
    scene = scene_of(model, start_poses(model, made.dae, made.flow))
    assert scene is not None
    assert any(marker.symbol is Symbol.BALL and marker.name == "guide" for marker in scene.markers)
    assert [connector.name for connector in scene.connectors] == ["soft"]
    assert len(scene.rails) == 1


def test_they_are_documented() -> None:
    joints = table_of("joints")
    assert "| `point_on_line` | `from`, `to`<br>`axis` (direction of the line; default: x)<br>" in joints
    assert "`stiffness` (stiffness of the spring [N/m])" in table_of("springs")


def test_the_documentation_shows_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "adding-an-element.md").read_text(encoding="utf-8")
    source = (Path(__file__).parent / "new_types.py").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in page.split("```python\n")[1:]]
    assert len(blocks) == 3
    for block in blocks:
        # Between functions of a module there are two empty lines, between nested ones there is one.
        assert textwrap.indent(block.replace("\n\n\n", "\n\n"), "    ") in source


@pytest.mark.parametrize("trees", ["aac", "jc"])
@pytest.mark.parametrize("space", SPACES)
def test_their_fmu_follows_the_closed_form(space: str, trees: str) -> None:
    fmu = exported(cart(space), ExportOptions(trees=trees)).path
    found = fmpy.simulate_fmu(str(fmu), stop_time=1.0, output_interval=0.1, relative_tolerance=1e-8)
    k, c, m = 30.0, 4.0, 2.0
    system = np.array([[0.0, 1.0, 0.0], [-k / m, 0.0, k / m], [k / c, 0.0, -k / c]])
    exact = np.array([expm(system * time) @ [1.5, -0.4, 1.2] for time in found["time"]])
    for column, name in enumerate(("s", "v", "stretch")):
        np.testing.assert_allclose(found[name], exact[:, column], atol=1e-6)
    np.testing.assert_allclose(found["force"], k * (exact[:, 0] - exact[:, 2]), atol=1e-4)


@pytest.mark.parametrize("space", SPACES)
def test_the_judge_verifies_them(space: str) -> None:
    fmu = exported(cart(space), ExportOptions(trees="aac")).path
    verdict = fmugen.verify(cart(space), fmu)
    assert verdict.passed, verdict.sentence


def test_the_judge_has_the_same_types() -> None:
    assert known_types() == {(section, kind) for section, kinds in REGISTRY.items() for kind in kinds}
