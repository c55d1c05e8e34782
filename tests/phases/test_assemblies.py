"""Sub-assemblies: an extension point of the reader, which nothing after it knows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fmugen import AssemblyBuilder, ModelBuilder
from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.read import parse_model, read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import verify_fmu

ROOT = Path(__file__).parents[2]
LEG = """
[assemblies.leg]
parameters = { l = "500 mm", phase = { value = 0.3, unit = "rad" } }
connectors = { base = "ground" }
points = { hip = { on = "base", position = [0.1, "l"] }, tip = "rod.end" }
bodies.rod = { mass = 1, inertia = 0.01, center = ["l/2", 0], points = { end = ["l", 0] } }
joints.pin = { type = "revolute", from = "hip", to = "rod" }
start.fixed = { "pin.angle" = "phase" }
outputs.swing = "pin.angle"
"""
MODEL = '[model]\nname = "Legs"\ngravity = [0, -9.81]\n'


def joined(text: str) -> str:
    """The text before the tables if it has keys, behind them if it has tables."""
    return MODEL + LEG + text if text.strip().startswith("[") else text + "\n" + MODEL + LEG


def model(text: str) -> SystemModel:
    return parse_model(joined(text), "legs.toml")


def problems(text: str) -> list[str]:
    with pytest.raises(ModelError) as caught:
        parse_model(text, "legs.toml")
    return [str(problem) for problem in caught.value.problems]


def test_a_use_prefixes_names_and_has_parameters_of_its_own() -> None:
    made = model(
        'use.left = { assembly = "leg" }\nuse.right = { assembly = "leg", parameters = { l = 0.7 } }'
    )
    assert [element.name for element in made.elements] == ["left.rod", "right.rod", "left.pin", "right.pin"]
    values = {parameter.name: (parameter.value, parameter.unit) for parameter in made.parameters}
    assert values["left.l"] == (0.5, "m")
    assert values["right.l"] == (0.7, "m")
    assert [point.name for point in made.ground] == ["left.hip", "right.hip"]


def test_a_parameter_that_is_a_formula_takes_its_place() -> None:
    made = model('parameters.a = "1 m"\nuse.left = { assembly = "leg", parameters = { l = "2*a" } }')
    assert {parameter.name for parameter in made.parameters} == {"a", "left.phase"}
    hip = next(point for point in made.ground if point.name == "left.hip")
    assert hip.position[1].text == "(2*a)"


def test_members_of_an_array_know_their_index() -> None:
    made = model('use.leg = { assembly = "leg", count = 3, parameters = { phase = "index*pi/count" } }')
    phases = {parameter.name: parameter.value for parameter in made.parameters if "phase" in parameter.name}
    assert phases == pytest.approx(
        {"leg1.phase": 1.0471976, "leg2.phase": 2.0943951, "leg3.phase": 3.1415927}
    )


def test_chains_connect_to_the_member_before() -> None:
    made = model(
        'use.leg = { assembly = "leg", count = 2, connect = { base = "leg{index-1}.rod" }, '
        'first = { connect = { base = "ground" } } }'
    )
    pins = {element.name: element for element in made.in_section("joints")}
    assert pins["leg1.pin"].tail.node == "ground.leg1.hip"
    assert (pins["leg2.pin"].tail.body, pins["leg2.pin"].tail.point) == ("leg1.rod", "leg2.hip")


def test_other_names_of_places_work_outside() -> None:
    made = model('use.left = { assembly = "leg" }\noutputs.x = "left.tip.x"')
    assert next(o for o in made.outputs if o.name == "x").value.text == "left.rod.end.x"


def test_assemblies_are_made_of_assemblies() -> None:
    text = """
[assemblies.pair]
use.near = { assembly = "leg" }
use.far = { assembly = "leg", position = [0, 2] }
[use.a]
assembly = "pair"
mirror = "x"
position = [10, 0]
"""
    made = model(text)
    places = {point.name: [part.number for part in point.position[:2]] for point in made.ground}
    assert places["a.near.hip"][0] == places["a.far.hip"][0] == 9.9
    assert {e.name for e in made.in_section("bodies")} == {"a.near.rod", "a.far.rod"}


def test_files_are_included_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.toml").write_text(LEG)
    main = tmp_path / "model.toml"
    main.write_text('include = "parts/leg.toml"\n' + MODEL + '[use.left]\nassembly = "leg"\n')
    assert [element.name for element in read_model(main).elements] == ["left.rod", "left.pin"]


def test_a_cycle_of_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('include = "b.toml"\n' + MODEL)
    (tmp_path / "b.toml").write_text('include = "a.toml"\n')
    with pytest.raises(ModelError, match=r"cannot include itself: a\.toml -> b\.toml -> a\.toml"):
        read_model(tmp_path / "a.toml")


def test_a_mistake_in_an_included_file_is_told_once_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "leg.toml").write_text(LEG.replace("mass = 1", "mas = 1"))
    main = tmp_path / "model.toml"
    main.write_text('include = "leg.toml"\n' + MODEL + '[use.leg]\nassembly = "leg"\ncount = 4\n')
    with pytest.raises(ModelError) as caught:
        read_model(main)
    [problem] = caught.value.problems
    assert problem.place == "leg.toml:6: assemblies.leg.bodies.rod.mas (as leg1)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('use.a = { assembly = "lag" }', "there is no assembly 'lag' (did you mean 'leg'?)"),
        ('use.a = { assembly = "leg", mirror = "z" }', "must be 'x', 'y', not the text 'z'"),
        ('use.a = { assembly = "leg", parameters = { m = 1 } }', "has no parameter 'm'"),
        ('use.a = { assembly = "leg", connect = { bas = "ground" } }', "has no connector 'bas'"),
        ('use.a = { assembly = "leg", count = 0 }', "must be a whole number from 1 to 1000"),
        ('use.a = { assembly = "leg", mirrored = "x" }', "a use has no key 'mirrored'"),
        ('bodies.a = { mass = 1 }\nuse.a = { assembly = "leg" }', "the name 'a' is taken by bodies.a"),
        ('use.a = { assembly = "leg", parameters = { l = "2 kg" } }', "the unit 'kg' does not fit"),
    ],
)
def test_mistakes_of_a_use_are_told(text: str, expected: str) -> None:
    assert any(expected in problem for problem in problems(joined(text)))


def test_an_assembly_cannot_contain_itself() -> None:
    text = '[assemblies.a]\nuse.b = { assembly = "b" }\n[assemblies.b]\nuse.a = { assembly = "a" }\n'
    text += '[use.x]\nassembly = "a"'
    assert "an assembly cannot contain itself: a -> b -> a" in "".join(problems(MODEL + text))


def test_units_are_checked_against_the_key() -> None:
    pin = '[joints.pin]\ntype = "revolute"\nfrom = "ground"\nto = "rod"'
    text = '[bodies.rod]\nmass = "3 mm"\npoints.A = ["2 deg", 0]\n' + pin
    first, second = problems(MODEL + text)
    assert first.startswith("legs.toml:5: bodies.rod.mass: the unit 'mm' does not fit: a unit like 'kg'")
    assert second.startswith("legs.toml:6: bodies.rod.points.A[0]: the unit 'deg' does not fit")


def test_the_builder_gives_the_same_model() -> None:
    leg = (
        AssemblyBuilder()
        .parameter("l", "500 mm")
        .parameter("phase", 0.3, "rad")
        .connector("base", "ground")
        .point("hip", [0.1, "l"], on="base")
        .point("tip", "rod.end")
        .body("rod", mass=1, inertia=0.01, center=("l/2", 0), points={"end": ("l", 0)})
        .revolute("pin", "hip", "rod")
        .start("pin.angle", "phase")
        .output("swing", "pin.angle")
    )
    built = (
        ModelBuilder("Legs", gravity=(0, -9.81))
        .assembly("leg", leg)
        .use("leg", "leg", count=2, mirror="y", position=("index", 0))
        .build()
    )
    assert built == model('use.leg = { assembly = "leg", count = 2, mirror = "y", position = ["index", 0] }')


@pytest.mark.parametrize("fmi", list(FmiVersion))
def test_an_assembled_model_is_exported_and_verified(fmi: FmiVersion, tmp_path: Path) -> None:
    made = model(
        'use.left = { assembly = "leg" }\n'
        'use.right = { assembly = "leg", mirror = "x", position = [1, 0], angle = "20 deg" }\n'
        "experiment = { stop = 0.2, step = 0.01 }"
    )
    fmu = export_fmu(made, tmp_path / "legs.fmu", ExportOptions("aac", fmi=fmi)).path
    assert verify_fmu(made, fmu).passed


def test_nothing_outside_the_reader_and_the_builder_knows_assemblies() -> None:
    command = ["grep", "-rlE", r"read\.assemblies|\[use\.|AssemblyBuilder", "--include=*.py", "fmugen"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    others = [name for name in found if not name.startswith("fmugen/phases/read/")]
    assert sorted(others) == ["fmugen/__init__.py", "fmugen/builder.py"]
