"""``fmugen check`` calls a model sound only if its FMU can start to move."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from fmugen.analysis.soundness import start_problems
from fmugen.cli import app
from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions, InterfaceType
from fmugen.phases.read import read_model
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation, export_fmu
from fmugen.verify.compare import verify_fmu

#: Bodies between two springs on a common guide.
SPRINGS = """
[ground]
points = {{ A = [0, 0] }}
[bodies]
node = {{ mass = {mass}, inertia = 0.1 }}
bob = {{ mass = 1, inertia = 0.1 }}
[joints]
guide = {{ type = "prismatic", from = "ground", to = "node", axis = [1, 0] }}
other = {{ type = "prismatic", from = "ground", to = "bob", axis = [1, 0] }}
[springs]
first = {{ type = "translational", from = "ground.A", to = "node", stiffness = 10, free = 0.5 }}
second = {{ type = "translational", from = "node", to = "bob", stiffness = 10, free = 0.5 }}
[start.fixed]
"guide.s" = 0.5
"other.s" = 1.2
"""

FOUR_BAR = """
gravity = [0, -9.81]
[experiment]
stop = 0.5
step = 0.01
[ground]
points = {{ A = [0, 0], D = [3, 0] }}
[bodies.crank]
mass = {crank}
inertia = 0
points = {{ A = [-0.5, 0], B = [0.5, 0] }}
[bodies.coupler]
mass = 0
inertia = 0
points = {{ B = [-1.5, 0], C = [1.5, 0] }}
[bodies.rocker]
mass = 0
inertia = 0
points = {{ D = [-1, 0], C = [1, 0] }}
[joints]
a = {{ type = "revolute", from = "ground.A", to = "crank.A" }}
b = {{ type = "revolute", from = "crank.B", to = "coupler.B" }}
c = {{ type = "revolute", from = "coupler.C", to = "rocker.C" }}
d = {{ type = "revolute", from = "ground.D", to = "rocker.D" }}
[outputs]
crank_angle = "a.angle"
[start.fixed]
"a.angle" = 1.0
"a.omega" = 2.0
[start.guess]
"d.angle" = 1.0
"""

SPATIAL_LINK = """
space = "spatial"
[ground]
points = {{ A = [0, 0, 0], D = [3, 0, 0] }}
[bodies.crank]
mass = 1
inertia = [0.1, 0.1, 0.1]
points = {{ A = [0, 0, 0], B = [0, 1, 0] }}
[bodies.link]
mass = 0
inertia = {inertia}
points = {{ B = [0, 0, 0], C = [3, 0, 0] }}
[bodies.rocker]
mass = 1
inertia = [0.1, 0.1, 0.1]
points = {{ D = [0, 0, 0], C = [0, 1, 0] }}
[joints]
a = {{ type = "revolute", from = "ground.A", to = "crank.A", axis = [0, 0, 1] }}
b = {{ type = "spherical", from = "crank.B", to = "link.B" }}
c = {{ type = "spherical", from = "link.C", to = "rocker.C" }}
d = {{ type = "revolute", from = "ground.D", to = "rocker.D", axis = [0, 0, 1] }}
"""

SLIDER_CRANK = """
[bodies.crank]
mass = 1
inertia = 0.1
points = {{ A = [-0.5, 0], B = [0.5, 0] }}
[bodies.rod]
mass = 1
inertia = 0.1
points = {{ B = [-1, 0], C = [1, 0] }}
[bodies.slider]
mass = 1
inertia = 0.1
[joints]
a = {{ type = "revolute", from = "ground", to = "crank.A" }}
b = {{ type = "revolute", from = "crank.B", to = "rod.B" }}
c = {{ type = "revolute", from = "rod.C", to = "slider" }}
s = {{ type = "prismatic", from = "ground", to = "slider", axis = [1, 0] }}
[drivers]
{drivers}
[start.guess]
"a.angle" = 0.1
"b.angle" = -0.1
"""


def written(folder: Path, text: str, **values: object) -> Path:
    path = folder / "model.toml"
    path.write_text('[model]\nname = "Tried"\n' + text.format(**values), encoding="utf-8")
    return path


def check(path: Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["check", str(path), "--trees", "aac"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def refused(path: Path) -> str:
    code, out, err = check(path)
    assert code == 1
    assert "sound" not in out
    return err


# --- masses ----------------------------------------------------------------------------------------


def test_a_massless_body_between_springs_is_named(tmp_path: Path) -> None:
    said = refused(written(tmp_path, SPRINGS, mass=0))
    assert "bodies.node" in said
    assert "give node a mass" in said
    assert "bob" not in said
    assert check(written(tmp_path, SPRINGS, mass=1e-9))[0] == 0


@pytest.mark.parametrize(
    ("space", "inertia", "motions"), [("planar", "0", "a free motion"), ("spatial", "[0, 0, 0]", "3 free")]
)
def test_a_free_body_needs_an_inertia(tmp_path: Path, space: str, inertia: str, motions: str) -> None:
    text = f'space = "{space}"\n[bodies.stone]\nmass = 1\ninertia = {inertia}\n'
    said = refused(written(tmp_path, text))
    assert "bodies.stone" in said
    assert motions in said
    assert "give stone an inertia" in said


def test_a_free_body_needs_a_mass_and_an_inertia(tmp_path: Path) -> None:
    said = refused(written(tmp_path, "[bodies.ghost]\nmass = 0\ninertia = 0\n"))
    assert "give ghost a mass and an inertia" in said


def test_all_masses_zero(tmp_path: Path) -> None:
    said = refused(written(tmp_path, FOUR_BAR, crank=0))
    assert "without any mass or inertia" in said
    assert said.count("bodies.") == 1


def test_massless_links_of_a_loop_run_as_the_reference_does(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_BAR, crank=1)
    code, out, _ = check(path)
    assert code == 0
    assert "the model is sound" in out
    model = read_model(path)
    options = ExportOptions("aac", interfaces=(InterfaceType.CO_SIMULATION,))
    fmu = export_fmu(model, tmp_path / "tried.fmu", options).path
    assert verify_fmu(model, fmu, loose=()).passed


def test_a_massless_link_between_balls_needs_an_inertia_about_their_line(tmp_path: Path) -> None:
    said = refused(written(tmp_path, SPATIAL_LINK, inertia="[0, 0, 0]"))
    assert "give link an inertia" in said
    assert "bodies.link" in refused(written(tmp_path, SPATIAL_LINK, inertia="[0, 1, 1]"))
    assert check(written(tmp_path, SPATIAL_LINK, inertia="[0.01, 0.01, 0.01]"))[0] == 0


def test_an_inertia_that_no_body_has_is_a_warning(tmp_path: Path) -> None:
    text = """space = "spatial"
[bodies.rotor]
mass = 1
inertia = [2, 0, 0]
[joints]
pin = {{ type = "revolute", from = "ground", to = "rotor", axis = [1, 0, 0] }}
"""
    code, out, err = check(written(tmp_path, text))
    assert code == 0
    assert "the model is sound" in out
    assert "warning: bodies.rotor.inertia: a rigid body cannot have this inertia" in err
    fmu = tmp_path / "x.fmu"
    exported = CliRunner().invoke(
        app, ["export", str(tmp_path / "model.toml"), "--trees", "aac", "-o", str(fmu)]
    )
    assert exported.exit_code == 0
    assert "a rigid body cannot have this inertia" in exported.stderr
    assert verify_fmu(read_model(tmp_path / "model.toml"), fmu, stop=0.1, loose=()).passed
    assert "no body has a negative inertia" in refused(written(tmp_path, text.replace("2, 0, 0", "2, -1, 0")))


def test_a_loose_body_gets_a_note(tmp_path: Path) -> None:
    text = "[bodies]\na = {{ mass = 1, inertia = 1 }}\nb = {{ mass = 1, inertia = 1 }}\n"
    pinned = text + '[joints]\npin = {{ type = "revolute", from = "ground", to = "a" }}\n'
    code, out, _ = check(written(tmp_path, pinned))
    assert code == 0
    assert "note: b is loose" in out
    assert "a is loose" not in out


# --- drivers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "what"), [("1/time", "value"), ("1 + sqrt(time)", "rate"), ("sqrt(time - 1)", "value")]
)
def test_a_driver_without_a_value_at_the_start(tmp_path: Path, law: str, what: str) -> None:
    driver = f'turn = {{ type = "rotation", from = "ground", to = "crank", value = "{law}" }}'
    said = refused(written(tmp_path, SLIDER_CRANK, drivers=driver))
    assert "the drivers (turn) cannot be followed at the start" in said
    assert f"the prescribed {what} is not a finite number at t = 0 s" in said


def test_drivers_that_disagree_from_the_start_on(tmp_path: Path) -> None:
    law = '{{ type = "rotation", from = "ground", to = "crank", value = "{}" }}'
    drivers = f"one = {law.format('1 + time^2')}\ntwo = {law.format('1')}"
    said = refused(written(tmp_path, SLIDER_CRANK, drivers=drivers))
    assert "prescribe contradicting accelerations at the start" in said


@pytest.mark.parametrize("trees", ["aac", "jc"])
def test_a_driver_that_starts_at_a_dead_centre(tmp_path: Path, trees: str) -> None:
    law = '"3 - 0.1*time^2"'
    driver = (
        f'push = {{ type = "translation", from = "ground", to = "slider", axis = [1, 0], value = {law} }}'
    )
    path = written(tmp_path, SLIDER_CRANK, drivers=driver)
    model = read_model(path)
    dae = Compilation(model, ExportOptions(trees)).formulated
    (problem,) = start_problems(model, dae, solution_flow(model, dae, Closure.NEWTON))
    assert "dead centre" in problem.hint
    assert "dead centre" in refused(path)


# --- networks --------------------------------------------------------------------------------------


def test_networks_without_a_solution_at_the_start(tmp_path: Path) -> None:
    text = """
[electrical]
source = {{ type = "current_source", from = "a", to = "ground", current = "{current}" }}
diode = {{ type = "diode", from = "a", to = "ground", saturation_current = 1e-6, thermal_voltage = 0.04 }}
"""
    assert check(written(tmp_path, text, current="-1"))[0] == 0
    assert "'1/time' has no finite value" in refused(written(tmp_path, text, current="1/time"))


def test_laws_of_a_network_that_contradict_each_other_at_the_start(tmp_path: Path) -> None:
    """v = 1 + v^2 has no real root, v = 1 - v^2 has two."""
    text = """
[electrical]
source = {{ type = "current_source", from = "a", to = "ground", current = "-(1 {sign} load.v^2)" }}
load = {{ type = "resistor", from = "a", to = "ground", resistance = 1 }}
"""
    assert check(written(tmp_path, text, sign="-"))[0] == 0
    assert "have no solution nearby" in refused(written(tmp_path, text, sign="+"))
