"""Spatial models: what a file means, and what the reader says about a wrong one."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from element_views import Joint, JointType, drivers_of, joints_of, loads_of, springs_of

from fmugen.errors import ModelError
from fmugen.formulas import parse
from fmugen.ir.formula import ZERO
from fmugen.ir.model import (
    QUATERNION,
    X_AXIS,
    Z_AXIS,
    Attachment,
    Orientation,
    Point,
    Space,
    SystemModel,
    Tensor,
    Vector,
)
from fmugen.phases.read import parse_model
from tests.support import assert_one_mistake, only_problem

MINIMAL = """\
[model]
name = "M"
space = "spatial"
[parameters]
l = 1.0
[inputs]
u = { unit = "N" }
[ground]
points = { O = [0, 0, 0] }
[bodies.crank]
mass = 1
points = { A = [0, 0, 0], B = ["l", 0, 0] }
[bodies.rod]
mass = 1
points = { A = [0, 0, 0] }
[joints.pin]
type = "revolute"
from = "ground.O"
to = "crank.A"
"""


def vector(x: str | float, y: str | float, z: str | float) -> Vector:
    return (parse(x), parse(y), parse(z))


def read(added: str = "") -> SystemModel:
    return parse_model(MINIMAL + added, "model.toml")


def element(header: str, **values: object) -> str:
    table = {key.rstrip("_"): value for key, value in values.items() if value is not None}
    return f"[{header}]\n" + "\n".join(f"{key} = {value!r}" for key, value in table.items()) + "\n"


def joint(kind: str, **values: object) -> str:
    return element("joints.j", **({"type": kind, "from_": "crank.B", "to": "rod.A"} | values))


def body(**values: object) -> str:
    return element("bodies.b", **values)


def points(text: str) -> str:
    return f"[bodies.b]\npoints = {text}\n"


def load(kind: str, value: object, **values: object) -> str:
    return element("forces.f", type=kind, on="rod", value=value, **values)


def driver(kind: str, value: object, **values: object) -> str:
    return element("drivers.d", type=kind, from_="ground", to="rod", value=value, **values)


def spring(kind: str, **values: object) -> str:
    return element("springs.s", type=kind, from_="ground", to="rod", **values)


def joint_of(added: str) -> Joint:
    return joints_of(read(added))[1]


# --- what a file means ---------------------------------------------------------------------------


def test_vectors_of_a_spatial_model_have_three_components() -> None:
    text = MINIMAL.replace('"spatial"', '"spatial"\ngravity = [0, "-9.81*l", 1]')
    model = parse_model(text, "model.toml")
    assert model.space is Space.SPATIAL
    assert model.gravity == vector(0, "-9.81*l", 1)
    assert model.bodies[0].points[1] == Point("B", vector("l", 0, 0))


def test_bodies_have_a_tensor_a_mass_centre_and_an_attitude() -> None:
    added = body(inertia=[1, "2*l", 2.5, 0.1, 0.2, 0.3], center=["l/2", 0, 1], attitude="zxz")
    crank, _, whole = read(added).bodies
    assert whole.inertia == Tensor(*map(parse, (1, "2*l", 2.5, 0.1, 0.2, 0.3)))
    assert (whole.center, whole.attitude) == (vector("l/2", 0, 1), "zxz")
    assert (crank.inertia, crank.attitude) == (Tensor(), QUATERNION)
    diagonal = read(body(inertia=[1, 1, 1])).bodies[2].inertia
    assert diagonal == Tensor(xx=parse(1), yy=parse(1), zz=parse(1))


def test_points_may_be_turned() -> None:
    turned = "{ position = [1, 0, 0], sequence = 'zx', angles = ['l', 0.5] }"
    straight = "{ position = [1, 0, 0] }"
    bodies = read(points(f"{{ P = {turned}, Q = {straight} }}")).bodies
    assert bodies[2].points == (
        Point("P", vector(1, 0, 0), Orientation("zx", (parse("l"), parse(0.5)))),
        Point("Q", vector(1, 0, 0)),
    )


def test_planar_models_may_use_the_long_form_and_a_mass_centre() -> None:
    text = '[model]\nname = "M"\n[bodies.b]\ncenter = [1, 2]\npoints = { P = { position = [3, 4] } }\n'
    [only] = parse_model(text, "model.toml").bodies
    assert only.center == (parse(1), parse(2), ZERO)
    assert only.points == (Point("P", (parse(3), parse(4), ZERO)),)


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "universal", "screw"])
def test_axes_are_z_unless_given(kind: str) -> None:
    lead = {"lead": 0.01} if kind == "screw" else {}
    assert joint_of(joint(kind, **lead)).axis == Z_AXIS
    given = joint_of(joint(kind, axis=[0, "l", 0], **lead))
    assert given.axis == vector(0, "l", 0)
    assert given.second_axis == X_AXIS


def test_the_other_keys_of_joints() -> None:
    assert joint_of(joint("prismatic", angle="l")).axis == X_AXIS
    assert joint_of(joint("prismatic", angle="l")).angle == parse("l")
    assert joint_of(joint("weld", angle=1)).angle == parse(1)
    assert joint_of(joint("screw", lead="l/100")).lead == parse("l/100")
    assert joint_of(joint("rod", length="2*l")).length == parse("2*l")
    assert joint_of(joint("spherical")).attitude == QUATERNION
    assert joint_of(joint("free", attitude="xyz")).attitude == "xyz"
    assert joint_of(joint("universal", second_axis=[1, -1, 0])).second_axis == vector(1, -1, 0)
    assert joint_of(joint("translational")) == Joint(
        "j", JointType.TRANSLATIONAL, Attachment("crank", "B"), Attachment("rod", "A")
    )


def test_virtual_joints_have_the_keys_of_what_they_are_like() -> None:
    assert joint_of(joint("virtual")).kind is JointType.FREE
    planar = joint_of(joint("virtual", like="planar", axis=[0, 1, 0], second_axis=[0, 0, 1]))
    assert (planar.type, planar.kind) == (JointType.VIRTUAL, JointType.PLANAR)
    assert (planar.axis, planar.second_axis) == (vector(0, 1, 0), Z_AXIS)
    assert joint_of(joint("virtual", like="prismatic")).axis == X_AXIS
    assert joint_of(joint("virtual", like="spherical", attitude="zyx")).attitude == "zyx"


def test_drivers_loads_and_springs_have_directions() -> None:
    assert drivers_of(read(driver("rotation", "time")))[0].axis == Z_AXIS
    assert drivers_of(read(driver("rotation", "time", axis=[1, 0, 0])))[0].axis == X_AXIS
    carried = drivers_of(read(driver("translation", [0, 1, "time"])))[0]
    assert (carried.displacement, carried.axis) == (vector(0, 1, "time"), None)
    twist = loads_of(read(load("torque", [1, "u", "rod.wz"], frame="crank")))[0]
    assert (twist.torque, twist.frame) == (vector(1, "u", "rod.wz"), "crank")
    assert loads_of(read(load("force", [1, 2, 3])))[0].force == vector(1, 2, 3)
    assert springs_of(read(spring("rotational")))[0].axis == Z_AXIS
    assert springs_of(read(spring("rotational", axis=[1, 0, 0])))[0].axis == X_AXIS


def test_quantities_of_space_may_be_used() -> None:
    added = body(attitude="zyx") + joint("rod", length=1)
    added += "[outputs]\no = 'j.tension + pin.tz + crank.rxy + crank.B.vz'\n"
    added += "[start.fixed]\n'crank.rxx' = 1\n'b.angle1' = 0.1\n'b.wx' = 0\n"
    assert [start.quantity for start in read(added).starts] == ["crank.rxx", "b.angle1", "b.wx"]


def test_rounded_values_pass() -> None:
    half = round(math.sqrt(0.5), 7)
    assert read(joint("universal", axis=[0, half, half], second_axis=[0, half, -half - 1e-7]))
    assert read(body(inertia=[0.1, 0.2, 0.3 + 1e-8]))
    assert read(body(inertia=[0, "l/12", "l/12"])), "a thin rod"


def test_the_spatial_model_of_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "model-file.md").read_text(encoding="utf-8")
    text = page.partition('```toml title="ball_pendulum.toml"\n')[2].partition("```")[0]
    model = parse_model(text, "ball_pendulum.toml")
    assert model.space is Space.SPATIAL
    assert [joint.type for joint in joints_of(model)] == [JointType.SPHERICAL]


# --- what is wrong -------------------------------------------------------------------------------


ALL_TYPES = (
    "the types are revolute, prismatic, universal, spherical, cylindrical, planar, weld, free, "
    "translational, screw, rod, virtual"
)

ONE_MISTAKE = [
    # place, words of the message, words of the hint, what is added to a correct model
    ("bodies.b.center", "three components (x, y and z), not 2", "", body(center=[0, 0])),
    ("bodies.b.points.P", "three components (x, y and z), not 2", "", points("{ P = [0, 0] }")),
    ("bodies.b.points.P", "such as [1, 0, 0], not a number", "", points("{ P = 1 }")),
    ("bodies.b.points.z", "reserved", "", points("{ z = [0, 0, 0] }")),
    ("bodies.b.points.rxy", "reserved", "", points("{ rxy = [0, 0, 0] }")),
    ("bodies.b.points.p0", "reserved", "", points("{ p0 = [0, 0, 0] }")),
    ("bodies.b.points.center", "reserved", "", points("{ center = [0, 0, 0] }")),
    ("bodies.b.points.P.position", "is missing", "", points("{ P = { sequence = 'z', angles = [0] } }")),
    (
        "bodies.b.points.P.position",
        "three components",
        "",
        points("{ P = { position = [0, 0], sequence = 'z', angles = [0] } }"),
    ),
    (
        "bodies.b.points.P.position[2]",
        "unknown name 'k'",
        "",
        points("{ P = { position = [0, 0, 'k'], sequence = 'z', angles = [0] } }"),
    ),
    (
        "bodies.b.points.P.angles[0]",
        "time cannot be used here",
        "constant",
        points("{ P = { position = [0, 0, 0], sequence = 'z', angles = ['time'] } }"),
    ),
    (
        "bodies.b.points.P.sequence",
        "'zq' is not a sequence of axes",
        "such as 'zyx'",
        points("{ P = { position = [0, 0, 0], sequence = 'zq', angles = [0, 0] } }"),
    ),
    (
        "bodies.b.points.P",
        "differ in length: 2 and 1",
        "one angle for each letter",
        points("{ P = { position = [0, 0, 0], sequence = 'zx', angles = [0] } }"),
    ),
    (
        "bodies.b.points.P.seqence",
        "a point has no key 'seqence'",
        "did you mean 'sequence'?",
        points("{ P = { position = [0, 0, 0], seqence = 'z' } }"),
    ),
    ("bodies.b.attitude", "'zzx' turns twice about 'z'", "'quaternion'", body(attitude="zzx")),
    ("bodies.b.attitude", "'ZYX' is not an attitude", "such as 'zyx'", body(attitude="ZYX")),
    ("bodies.b.attitude", "'zy' is not an attitude", "three axes", body(attitude="zy")),
    ("bodies.b.inertia", "[Ixx, Iyy, Izz] or", "", body(inertia=1)),
    ("bodies.b.inertia", "3 or 6 components, not 4", "[Ixx, Iyy, Izz] or", body(inertia=[1, 1, 1, 1])),
    ("bodies.b.inertia[1]", "never closed", "", body(inertia=[1, "(l", 1])),
    (
        "bodies.b.inertia",
        "principal moments are -1, 1 and 3",
        "with the default parameters: [1, 1, 1, 2, 0, 0]",
        body(inertia=["l", 1, 1, "2*l", 0, 0]),
    ),
    ("bodies.b.inertia", "has no value", "[nan, 1, 1, 0, 0, 0]", body(inertia=["1/(l-1)", 1, 1])),
    ("joints.j.type", "unknown joint type 'sphere'", f"'spherical'? {ALL_TYPES}", joint("sphere")),
    (
        "joints.j.axis",
        "needs a direction",
        "default parameters: [0, 0, 0]",
        joint("revolute", axis=[0, "l-1", 0]),
    ),
    ("joints.j.axis", "three components", "", joint("revolute", axis=[0, 1])),
    ("joints.j.axis", "a spherical joint has no key", "the keys are", joint("spherical", axis=[0, 0, 1])),
    ("joints.j.second_axis", "no key 'second_axis'", "", joint("revolute", second_axis=[0, 0, 1])),
    ("joints.j.second_axis", "but they are 45° apart", "", joint("universal", axis=["l", 0, 1])),
    ("joints.j.second_axis", "but they are 0° apart", "give axis and", joint("universal", axis=[1, 0, 0])),
    (
        "joints.j.second_axis",
        "across its normal",
        "leave second_axis out",
        joint("planar", axis=[0, 1, 0], second_axis=[0, "-l", 0]),
    ),
    (
        "bodies.b.points.A.toward",
        "the body 'b' has no point 'C'",
        "its points are A",
        points('{ A = { position = [0, 0, 1], toward = "C" } }'),
    ),
    (
        "bodies.b.points.A.toward",
        "'B' is at the same place",
        "name another point",
        points('{ A = { position = [0, 0, "l"], toward = "B" }, B = [0, 0, 1] }'),
    ),
    (
        "bodies.b.points.A.toward",
        "not by both",
        "leave one",
        points('{ A = { position = [0, 0, 1], toward = "B", sequence = "z", angles = [1] }, B = [0, 0, 0] }'),
    ),
    ("closure.independent[0]", "'rod' has no quantity 's'", "", "[closure]\nindependent = ['rod.s']\n"),
    ("closure.independent[0]", "'rod.vx' is not a position", "", "[closure]\nindependent = ['rod.vx']\n"),
    ("closure.independent[1]", "named twice", "", "[closure]\nindependent = ['rod.x', 'rod.x']\n"),
    ("joints.j.attitude", "'zz' is not an attitude", "", joint("free", attitude="zz")),
    ("joints.j.lead", "is missing", "the advance per turn", joint("screw")),
    ("joints.j.length", "is missing", "the distance of its ends", joint("rod")),
    ("joints.j.length", "must be positive", "", joint("rod", length=0)),
    ("joints.j.length", "positive: it is -1 with the default", "", joint("rod", length="l-2")),
    (
        "joints.j.to",
        "both ends are on the body 'crank'",
        "two different",
        joint("rod", length=1, to="crank.A"),
    ),
    (
        "joints.j.like",
        "cannot be like 'weld'",
        "it can be like free, revolute",
        joint("virtual", like="weld"),
    ),
    ("joints.j.like", "'planer'", "did you mean 'planar'?", joint("virtual", like="planer", axis=[1, 0, 0])),
    ("joints.j.axis", "a virtual joint like free has no key", "", joint("virtual", axis=[1, 0, 0])),
    ("drivers.d.value", "three components", "write [x, y, z]", driver("translation", "l")),
    ("drivers.d.value", "three components (x, y and z), not 2", "", driver("translation", [0, 1])),
    ("drivers.d.axis", "needs a direction", "", driver("rotation", 1, axis=[0, 0, 0])),
    ("forces.f.value", "list of three components", "", load("torque", 1)),
    ("forces.f.frame", "there is no body 'rd'", "'rod'", load("torque", [0, 0, 1], frame="rd")),
    ("forces.f.value[0]", "'pin.tx' cannot be used", "", load("torque", ["pin.tx", 0, 0])),
    ("forces.f.value[2]", "'pin.fz' cannot be used", "", load("force", [0, 0, "pin.fz"])),
    (
        "forces.f.value[2]",
        "'j.tension' cannot be used",
        "",
        load("force", [0, 0, "j.tension"]) + joint("rod", length=1),
    ),
    ("springs.s.axis", "needs a direction", "", spring("rotational", axis=[0, 0, 0])),
    ("springs.s.axis", "a translational spring has no key", "", spring("translational", axis=[0, 0, 1])),
    ("outputs.o.value", "'crank' has no quantity 'angle'", "it has x, y, z", "[outputs]\no = 'crank.angle'"),
    ('start.fixed."rod.alphax"', "follows from the forces", "", "[start.fixed]\n'rod.alphax' = 1"),
]


@pytest.mark.parametrize(
    ("place", "message", "hint", "added"), ONE_MISTAKE, ids=[f"{row[0]}-{row[1]}" for row in ONE_MISTAKE]
)
def test_one_mistake_gives_one_problem(place: str, message: str, hint: str, added: str) -> None:
    assert_one_mistake(MINIMAL + added, place, message, hint)


def test_a_misspelt_space_is_read_as_the_likeliest() -> None:
    problem = only_problem(MINIMAL.replace('"spatial"', '"spacial"'))
    assert problem.place == "model.toml:3: model.space"
    assert problem.message == "must be 'planar' or 'spatial', not the text 'spacial'"


def test_points_of_the_ground_may_have_names_of_euler_parameters() -> None:
    assert parse_model(MINIMAL.replace("O = [0", "p0 = [0, 0, 0], O = [0"), "model.toml")


def test_a_wrong_point_hides_nothing_beside_it() -> None:
    added = points("{ P = { position = [0, 0] }, Q = ['q', 0, 0] }") + "[outputs]\no = 'b.P.x'\n"
    with pytest.raises(ModelError) as caught:
        read(added)
    assert [problem.place.split(": ")[1] for problem in caught.value.problems] == [
        "bodies.b.points.P.position",
        "bodies.b.points.Q[0]",
    ]
