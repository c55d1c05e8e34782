"""What the reader says about wrong models: each mistake at its place, and all of them at once."""

from __future__ import annotations

import re

import pytest

from fmugen.errors import ModelError
from fmugen.phases.read import parse_model
from tests.support import assert_one_mistake, only_problem, problems_of

MINIMAL = """\
[model]
name = "M"
[parameters]
l = 1.0
[inputs]
u = { unit = "N" }
[ground]
points = { O = [0, 0] }
[bodies.crank]
mass = 1
points = { A = [0, 0], B = ["l", 0] }
[bodies.rod]
mass = 1
points = { A = [0, 0] }
[joints.pin]
type = "revolute"
from = "ground.O"
to = "crank.A"
"""


# --- one mistake, one problem --------------------------------------------------------------------


def element(header: str, defaults: dict[str, object], values: dict[str, object]) -> str:
    """The text of a table; a value of ``None`` leaves a key out."""
    table = {key: value for key, value in (defaults | values).items() if value is not None}
    return f"[{header}]\n" + "\n".join(f"{key} = {value!r}" for key, value in table.items()) + "\n"


def joint(header: str = "joints.j", **values: object) -> str:
    return element(header, {"type": "revolute", "from": "crank.B", "to": "rod.A"}, values)


def driver(**values: object) -> str:
    return element("drivers.d", {"from": "ground", "to": "rod"}, values)


def load(**values: object) -> str:
    return element("forces.f", {"on": "rod"}, values)


def spring(**values: object) -> str:
    return element("springs.s", {"type": "rotational", "from": "crank.A", "to": "rod"}, values)


ROTATION = driver(type="rotation", value="time")

ONE_MISTAKE = [
    # place, words of the message, words of the hint, what is added to a correct model
    ("joints.j.type", "unknown joint type 'revolut'", "'revolute'? the types are", joint(type="revolut")),
    ("joints.j.type", "is missing", "revolute, prismatic, weld, virtual", joint(type=None)),
    ("joints.j.axis", "a revolute joint has no key 'axis'", "the keys are", joint(axis=[1, 0])),
    ("joints.j.angel", "no key", "did you mean 'angle'?", joint(type="weld", angel=0)),
    ("joints.j.from", "there is no body 'crnk'", "did you mean 'crank'?", joint(**{"from": "crnk.B"})),
    ("joints.j.from", "'pin' is a joint, not a body", "name a body", joint(**{"from": "pin"})),
    ("joints.j.to", "the body 'rod' has no point 'B'", "its points are A", joint(to="rod.B")),
    ("joints.j.from", "the ground has no point 'o'", "'O'", joint(**{"from": "ground.o"})),
    ("joints.j.to", "both ends are on the body 'crank'", "two different", joint(to="crank.A")),
    ("joints.j.to", "must be text in quotes, not a number", "", joint(to=3)),
    ("joints.j.to", "is missing", "", joint(to=None)),
    ("joints.j.axis", "two components (x and y), not 3", "", joint(type="prismatic", axis=[1, 0, 0])),
    ("joints.j.axis", "such as [1, 0], not a number", "", joint(type="prismatic", axis=1)),
    ("joints.j.axis", "needs a direction", "", joint(type="prismatic", axis=[0, 0.0])),
    ("joints.j.axis[1]", "never closed", "", joint(type="prismatic", axis=[1, "(l"])),
    ("joints.j", "must be a table", "", "[joints]\nj = 3"),
    ("joints.crank", "is taken by bodies.crank", "rename", joint("joints.crank")),
    ("joints.gravity", "reserved", "choose another", joint("joints.gravity")),
    ('joints."a b"', "cannot be a name", "letters", joint('joints."a b"')),
    ("bodies.b.mass", "mass cannot be negative", "", "[bodies.b]\nmass = -1"),
    ("bodies.b.inertia", "inertia cannot be negative", "", "[bodies.b]\ninertia = '-0.5'"),
    ("bodies.b.mass", "unknown name 'll'", "did you mean 'l'?", "[bodies.b]\nmass = 'll'"),
    ("bodies.b.mass", "not true", "", "[bodies.b]\nmass = true"),
    ("bodies.b.mass", "'u' cannot be used here", "only parameters", "[bodies.b]\nmass = 'u'"),
    ("bodies.b.mass", "time cannot be used here", "constant", "[bodies.b]\nmass = 'time'"),
    ("bodies.b.points.x", "reserved", "", "[bodies.b]\npoints = { x = [0, 0] }"),
    ("bodies.b.points.center", "reserved", "", "[bodies.b]\npoints = { center = [0, 0] }"),
    ("bodies.b.mass", "it is -2 with the default parameters", "", "[bodies.b]\nmass = '-2*l'"),
    ("bodies.b.center", "two components", 'space = "spatial"', "[bodies.b]\ncenter = [0, 0, 0]"),
    ("bodies.b.inertia", "an inertia about z", 'space = "spatial"', "[bodies.b]\ninertia = [1, 1, 1]"),
    ("bodies.b.attitude", "a body has no key 'attitude' in the plane", "", "[bodies.b]\nattitude = 'zyx'"),
    (
        "bodies.b.points.P.sequence",
        "a point has no key 'sequence' in the plane",
        "the keys are position",
        "[bodies.b]\npoints = { P = { position = [0, 0], sequence = 'z' } }",
    ),
    (
        "joints.j.type",
        "planar models have no spherical joints",
        "the types are revolute, prismatic, weld, virtual, knife_edge, rolling; spatial models begin",
        joint(type="spherical"),
    ),
    (
        "joints.j.like",
        "a virtual joint has no key 'like' in the plane",
        "",
        joint(type="virtual", like="free"),
    ),
    (
        "joints.j.axis",
        "needs a direction",
        "default parameters: [0, 0]",
        joint(type="prismatic", axis=["l-1", 0]),
    ),
    ("drivers.d.axis", "no key 'axis' in the plane", "", driver(type="rotation", value=1, axis=[0, 0, 1])),
    ("springs.s.axis", "no key 'axis' in the plane", "", spring(axis=[0, 0, 1])),
    ("bodies.b.points.P[0]", "'crank.x' cannot be", "", "[bodies.b]\npoints = { P = ['crank.x', 0] }"),
    ("bodies.b.points", "must be a table, not a list", "", "[bodies.b]\npoints = [0, 0]"),
    ("bodies.b.description", "control character U+0001", "", '[bodies.b]\ndescription = "\\u0001"'),
    ("drivers.d.value", "the input 'u'", "twice by time", driver(type="rotation", value="u")),
    ("drivers.d.value", "two components", "axis", driver(type="translation", value="l")),
    ("drivers.d.value", "not a list", "leave out", driver(type="translation", value=[1, 1], axis=[1, 0])),
    (
        "forces.f.value[0]",
        "'pin.fx' cannot be used",
        "positions, velocities and accelerations",
        load(type="force", value=["pin.fx", 0]),
    ),
    ("forces.f.value", "'pin.torque' cannot be", "", load(type="torque", value="pin.torque")),
    ("forces.f.value", "not a list", "", load(type="torque", value=[1, 0])),
    ("forces.f.frame", "a torque has no key 'frame'", "", load(type="torque", value=1, frame="rod")),
    ("forces.f.frame", "there is no body 'rd'", "'rod'", load(type="force", value=[1, 0], frame="rd")),
    ("forces.f.on", "both ends are on the ground", "", load(type="torque", on="ground", value=1)),
    ("springs.s.to", "both ends", "", spring(type="translational", to="crank.B")),
    ("springs.s.stifness", "a rotational spring has no key", "did you mean 'stiffness'?", spring(stifness=1)),
    ("springs.s.stiffness", "time cannot", "", spring(stiffness="time")),
    ("outputs.o.value", "'pin' has no quantity 'angel'", "'pin.angle'", "[outputs]\no = 'pin.angel'"),
    ("outputs.o.value", "'crank.A' is not a quantity", "write crank.A.x", "[outputs]\no = 'crank.A'"),
    ("outputs.o.value", "no element or point 'pn'", "'pin.angle'", "[outputs]\no = 'pn.angle'"),
    ("outputs.p.value", "'o' is an output", "repeat", "[outputs]\no = 'l'\np = 'o'"),
    ("outputs.o", "must be a number or a formula", "", "[outputs]\no = [1]"),
    (
        "outputs.o.unit",
        "'deg' is not",
        'write unit = "rad"',
        "[outputs]\no = {value='pin.angle', unit='deg'}",
    ),
    ("outputs.o.unit", "is in 'rad', not 'm'", "", "[outputs]\no = {value='pin.angle', unit='m'}"),
    ("outputs.o.unit", "unknown unit 'Nm'", "", "[outputs]\no = {value='2*l', unit='Nm'}"),
    ("outputs.l", "taken by parameters.l", "", "[outputs]\nl = 'l'"),
    ('start.fixed."pin.alpha"', "follows from the forces", "", "[start.fixed]\n'pin.alpha' = 1"),
    ('start.fixed."pin.angl"', "no quantity 'angl'", "'pin.angle'", "[start.fixed]\n'pin.angl' = 1"),
    ('start.guess."ground.O.x"', "the ground does not move", "", "[start.guess]\n'ground.O.x' = 1"),
    ("start.fixed.pin", "need quotes", '"pin.angle"', "[start.fixed]\npin.angle = 1"),
    ('start.fixed."pin.angle"', "time cannot", "", "[start.fixed]\n'pin.angle' = 'time'"),
    ("start.fixd", "[start] has no key", "'fixed'", "[start.fixd]\n'pin.angle' = 1"),
    (
        'start.guess."pin.angle"',
        "has a fixed start value too",
        "",
        "[start.fixed]\n'pin.angle'=1\n[start.guess]\n'pin.angle'=1",
    ),
    (
        "trees.t.rotation[1]",
        "no element 'rid'",
        "'rod'",
        "[trees.t]\ntranslation=['pin']\nrotation=['crank','rid']",
    ),
    ("trees.t.translation[1]", "in the tree twice", "", "[trees.t]\ntranslation=['pin','pin']\nrotation=[]"),
    ("experiment.step", "longer than the run", "", "[experiment]\nstop = 1\nstep = 2"),
    ("experiment.tolerance", "greater than 0", "", "[experiment]\ntolerance = 0"),
    ("experiment.stop", "finite", "", "[experiment]\nstop = inf"),
    ("experiment.stop", "must be a number, not the text 'long'", "", "[experiment]\nstop = 'long'"),
    ("joint", "no section 'joint'", "did you mean 'joints'?", "[joint.x]"),
    (
        "forces.f.value",
        "'s.torque' cannot be",
        "",
        load(type="torque", value="s.torque + s.omega") + spring(),
    ),
    ('start.fixed."s.angle"', "no motion of its own", "", spring() + "[start.fixed]\n's.angle' = 1"),
    ('start.fixed."d.angle"', "prescribes it", "", ROTATION + "[start.fixed]\n'd.angle' = 1"),
    (
        'start.fixed."f.torque"',
        "no motion",
        "",
        load(type="torque", value=1) + "[start.fixed]\n'f.torque' = 1",
    ),
]


@pytest.mark.parametrize(
    ("place", "message", "hint", "added"), ONE_MISTAKE, ids=[f"{row[0]}-{row[1]}" for row in ONE_MISTAKE]
)
def test_one_mistake_gives_one_problem(place: str, message: str, hint: str, added: str) -> None:
    assert_one_mistake(MINIMAL + added, place, message, hint)


IN_PLACE = [
    ("model.name", 'name = "M"', 'name = "my model"', "cannot be a name", ""),
    ("model.name", 'name = "M"', "", "is missing", ""),
    ("model.space", 'name = "M"', 'name = "M"\nspace = "flat"', "must be 'planar' or 'spatial'", ""),
    ("model.gravity", 'name = "M"', 'name = "M"\ngravity = "l"', "two components", ""),
    ("model.gravity[1]", 'name = "M"', 'name = "M"\ngravity = [0, "u"]', "'u' cannot be used", ""),
    ("parameters.l", "l = 1.0", "l = '1'", "must be a number", ""),
    ("parameters.l", "l = 1.0", "l = nan", "finite", ""),
    ("parameters.l.unit", "l = 1.0", "l = {value = 80, unit = 'mm'}", "'mm'", 'value = 0.08, unit = "m"'),
    ("parameters.l.valu", "l = 1.0", "l = {value = 80, valu = 1}", "a parameter has no key", "'value'"),
    ("parameters.sqrt", "l = 1.0", "l = 1.0\nsqrt = 2", "reserved", ""),
    ("parameters.time", "l = 1.0", "l = 1.0\ntime = 2", "reserved", ""),
    ("inputs.l", "[inputs]", "[inputs]\nl = {}", "taken by parameters.l", ""),
    ("inputs.u", 'u = { unit = "N" }', "u = 0", "must be a table", "start, unit"),
    ("inputs.u.unit", '"N"', '"kN"', "'kN' is not", 'start = 0, unit = "N"'),
    ("ground.points.O", "O = [0, 0]", "O = [0]", "two components", ""),
]


@pytest.mark.parametrize(("place", "old", "new", "message", "hint"), IN_PLACE)
def test_one_mistake_in_place_of_what_is_right(
    place: str, old: str, new: str, message: str, hint: str
) -> None:
    assert MINIMAL.count(old) == 1
    problem = only_problem(MINIMAL.replace(old, new))
    assert re.fullmatch(rf"model\.toml:\d+: {re.escape(place)}", problem.place)
    assert message in problem.message
    assert hint in problem.hint


# --- many mistakes, all reported -----------------------------------------------------------------


def test_all_problems_are_reported_together_in_the_order_of_the_file() -> None:
    text = (
        MINIMAL.replace('name = "M"', 'name = "M"\ncolour = "red"')
        .replace("mass = 1\npoints = { A = [0, 0], B", "mass = 'q'\npoints = { A = [0], B")
        .replace('to = "crank.A"', 'to = "crank.C"')
        + "[outputs]\no = 'pin.angel + crank.A.x + rod.x +'\np = 'pin.angel'\n"
        + "[trees.t]\ntranslation = ['pen']\nrotation = []\n"
    )
    problems = problems_of(text)
    assert [problem.place for problem in problems] == [
        "model.toml:3: model.colour",
        "model.toml:11: bodies.crank.mass",
        "model.toml:12: bodies.crank.points.A",
        "model.toml:19: joints.pin.to",
        "model.toml:21: outputs.o",
        "model.toml:22: outputs.p.value",
        "model.toml:24: trees.t.translation[0]",
    ]


def test_a_wrong_value_hides_nothing_beside_it() -> None:
    text = MINIMAL.replace('A = [0, 0], B = ["l", 0]', 'A = [0], B = ["q", 0]')
    text += "[start.fixed]\n'pin.angle' = '1 +'\n'pin.omga' = 0\n"
    assert [problem.place.split(": ")[1] for problem in problems_of(text)] == [
        "bodies.crank.points.A",
        "bodies.crank.points.B[0]",
        'start.fixed."pin.angle"',
        'start.fixed."pin.omga"',
    ]


def test_what_names_something_unreadable_is_not_called_unknown() -> None:
    text = MINIMAL.replace('type = "revolute"', 'type = "hinge"') + "[outputs]\no = 'pin.angle'\n"
    text += "[start.fixed]\n'pin.angle' = 1\n[trees.t]\ntranslation = ['pin']\nrotation = []\n"
    assert only_problem(text).place.endswith("joints.pin.type")


def test_the_message_of_the_error_lists_every_problem() -> None:
    with pytest.raises(ModelError) as caught:
        parse_model(MINIMAL + "[joint.x]\n[outptus]\n", "some/where/model.toml")
    lines = str(caught.value).splitlines()
    assert lines[0] == "some/where/model.toml: 2 problems"
    assert lines[1] == "  model.toml:19: joint: a model file has no section 'joint' (did you mean 'joints'?)"


def test_an_empty_file_lacks_a_name_and_bodies() -> None:
    places = [problem.place for problem in problems_of("")]
    assert places == ["model", "bodies"]


def test_sections_must_be_tables() -> None:
    assert [problem.message for problem in problems_of('bodies = 3\n[model]\nname = "M"')] == [
        "must be a table [bodies], not a number",
        "the model has neither bodies nor components",
    ]
