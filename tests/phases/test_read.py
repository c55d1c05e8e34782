"""The reader: what a file means, and everything it says about a wrong one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from element_views import (
    Driver,
    DriverType,
    Joint,
    JointType,
    LoadType,
    SpringType,
    drivers_of,
    joints_of,
    loads_of,
    springs_of,
)
from hypothesis import given
from hypothesis import strategies as st

from fmugen.errors import ModelError
from fmugen.formulas import parse
from fmugen.ir.formula import ZERO
from fmugen.ir.model import (
    Attachment,
    Experiment,
    Input,
    NamedTrees,
    Output,
    Parameter,
    Point,
    Start,
    Tensor,
    Vector,
)
from fmugen.phases.read import parse_model, read_model
from fmugen.phases.read.locate import line_numbers
from tests.models.complete import COMPLETE
from tests.support import only_problem, problems_of


def planar(x: str | float, y: str | float) -> Vector:
    return (parse(x), parse(y), ZERO)


# --- what a file means ---------------------------------------------------------------------------


def test_the_interface_of_a_complete_file() -> None:
    model = parse_model(COMPLETE, "bench.toml")
    assert (model.name, model.description) == ("Bench", "every element once")
    assert model.gravity == planar(0, "-g")
    assert model.experiment == Experiment(stop=2.0, step=0.05, tolerance=1e-5)
    assert model.parameters[:2] == (Parameter("g", 9.81, "m/s2", "gravity"), Parameter("l", 0.5))
    assert model.inputs == (Input("drive", 0.5, "N.m"),)
    assert model.starts == (
        Start("pin.angle", parse("pi/4"), fixed=True),
        Start("rod.x", parse(0.3), fixed=False),
    )
    assert model.trees == (
        NamedTrees("mine", ("pin", "free", "slide", "glue"), ("crank", "rod", "slide", "glue")),
    )


def test_the_elements_of_a_complete_file() -> None:
    model = parse_model(COMPLETE, "bench.toml")
    crank = model.bodies[0]
    assert (crank.mass, crank.inertia) == (parse(1.5), Tensor(zz=parse("1.5*l^2/12")))
    assert crank.points == (Point("A", planar("-l/2", 0)), Point("B", planar("l/2", 0)))
    pin, free, slide, glue = joints_of(model)
    assert pin == Joint("pin", JointType.REVOLUTE, Attachment("ground", "O"), Attachment("crank", "A"))
    assert free.type is JointType.VIRTUAL
    assert (slide.axis, slide.angle) == (planar(0, 1), parse("pi/2"))
    assert (glue.type, glue.angle) == (JointType.WELD, parse(0.1))
    motor, lift, carry = drivers_of(model)
    assert motor.angle == parse("2*pi*time")
    assert lift == Driver(
        "lift",
        DriverType.TRANSLATION,
        Attachment("ground"),
        Attachment("slider"),
        displacement=(parse("l*time"), ZERO, ZERO),
        axis=planar(0, 1),
    )
    assert (carry.displacement, carry.axis) == (planar("l", "time"), None)
    push, twist = loads_of(model)
    assert (push.force, push.frame, push.tail) == (planar("-2*crank.B.vx", 0), "rod", Attachment("slider"))
    assert (twist.type, twist.tail, twist.head) == (LoadType.TORQUE, Attachment("crank"), Attachment("rod"))
    assert twist.torque == (ZERO, ZERO, parse("drive"))
    coil, clock = springs_of(model)
    assert (coil.stiffness, coil.actuator, coil.free) == (parse("k"), parse("drive*sin(time)"), parse("l"))
    assert (clock.type, clock.damping) == (SpringType.ROTATIONAL, parse(0.1))


def test_an_output_without_a_unit_has_that_of_what_it_names() -> None:
    outputs = parse_model(COMPLETE, "bench.toml").outputs
    assert [(output.name, output.unit) for output in outputs] == [
        ("theta", "rad"),
        ("copy", "N.m"),
        ("clock_time", "s"),
        ("power", "W"),
        ("ratio", "1"),
    ]
    assert outputs[0] == Output("theta", parse("pin.angle"), "rad")


def test_a_mirrored_output_has_the_unit_of_what_it_reverses() -> None:
    text = re.sub(r"power = .*", 'back = "-pin.angle"', COMPLETE)
    units = {output.name: output.unit for output in parse_model(text, "bench.toml").outputs}
    assert units["back"] == "rad"


def test_a_file_on_disk_reads_like_its_text(tmp_path: Path) -> None:
    path = tmp_path / "mödel.toml"
    path.write_bytes(b"\xef\xbb\xbf" + COMPLETE.replace("\n", "\r\n").encode())
    assert read_model(path) == parse_model(COMPLETE, "bench.toml")


# --- files that are not models at all ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[model]\nname = \n", 2, "not TOML"),
        ("[model]\nname = 'M'\nname = 'N'\n", 3, "twice"),
        ("[model]\n[model]\n", 2, "twice"),
        ("[model\n", 1, "not TOML"),
        ("a = [1,\n2", 2, "not TOML"),
        pytest.param("a = " + "9" * 5000, 1, "not TOML", id="an integer of 5000 digits"),
    ],
)
def test_syntax_errors_have_a_line(text: str, line: int, words: str) -> None:
    problem = only_problem(text)
    assert problem.place == f"model.toml:{line}"
    assert words in str(problem)


def test_hostile_nesting_is_an_error_of_the_model() -> None:
    assert len(problems_of("a = " + "[" * 100_000)) == 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing, binary = tmp_path / "none.toml", tmp_path / "binary.toml"
    binary.write_bytes(b"name = '\xff'")
    for path, words in ((missing, "no such file"), (tmp_path, "directory"), (binary, "UTF-8")):
        with pytest.raises(ModelError, match=words):
            read_model(path)


@given(st.data())
def test_any_line_may_be_lost_or_doubled(data: st.DataObject) -> None:
    """Whatever is wrong with a file, the answer is a model or a ModelError."""
    lines = COMPLETE.splitlines()
    index = data.draw(st.integers(0, len(lines) - 1))
    edit = data.draw(st.sampled_from(["drop", "double", "garble"]))
    kept = {"drop": [], "double": [lines[index]] * 2, "garble": [lines[index].replace("=", "= 1 #")]}[edit]
    text = "\n".join([*lines[:index], *kept, *lines[index + 1 :]])
    try:
        parse_model(text, "model.toml")
    except ModelError as error:
        assert error.problems


# --- lines ---------------------------------------------------------------------------------------


def test_lines_of_keys_in_ordinary_and_odd_files() -> None:
    text = '''\
top.deep = 1 # [comment]
[ a . "b.c" ] # header
x = [
  "y = 1", # ]
  [2],
]
"quoted.key" = """
[not.a.header]
z = 1
"""
'single' = { inner = 1 }
w = \'\'\'
v = 2\'\'\'
[[list]]
u = "#"
'''
    assert line_numbers(text) == {
        ("top",): 1,
        ("top", "deep"): 1,
        ("a",): 2,
        ("a", "b.c"): 2,
        ("a", "b.c", "x"): 3,
        ("a", "b.c", "quoted.key"): 7,
        ("a", "b.c", "single"): 11,
        ("a", "b.c", "w"): 12,
        ("list",): 14,
        ("list", "u"): 15,
    }
