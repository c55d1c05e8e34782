"""The builder says the same as a file, and is checked like one."""

from __future__ import annotations

import numpy as np
import pytest

from fmugen.builder import ModelBuilder
from fmugen.errors import ModelError
from fmugen.phases.read import parse_model
from tests.models.complete import COMPLETE


def bench() -> ModelBuilder:
    return (
        ModelBuilder("Bench", description="every element once", gravity=(0, "-g"))
        .experiment(stop=2.0, step=0.05, tolerance=1e-5)
        .parameter("g", 9.81, "m/s2", "gravity")
        .parameter("l", 0.5)
        .parameter("k", 20, "N/m")
        .input("drive", 0.5, "N.m")
        .ground_point("O", 0, 0)
        .ground_point("Q", "l", 0)
        .body("crank", mass=1.5, inertia="1.5*l^2/12", points={"A": ("-l/2", 0), "B": ["l/2", 0]})
        .body("rod", mass=1, description="no inertia")
        .body("slider")
        .body("flag")
        .revolute("pin", "ground.O", "crank.A")
        .virtual("free", "crank.B", "rod")
        .prismatic("slide", "ground.Q", "slider", axis=(0, 1), angle="pi/2")
        .weld("glue", "slider", "flag", angle=0.1)
        .rotation_driver("motor", "ground", "crank", "2*pi*time")
        .translation_driver("lift", "ground", "slider", "l*time", axis=(0, 1))
        .translation_driver("carry", "ground", "rod", ("l", "time"))
        .force("push", "crank.B", ("-2*crank.B.vx", 0), tail="slider", frame="rod")
        .torque("twist", "rod", "drive", tail="crank")
        .spring("coil", "ground.Q", "crank.B", stiffness="k", free="l", actuator="drive*sin(time)")
        .rotational_spring("clock", "crank", "rod", damping=0.1)
        .output("theta", "pin.angle")
        .output("copy", "drive")
        .output("clock_time", "time")
        .output("power", "drive*crank.omega", "W", "of the drive")
        .output("ratio", "pin.angle/pi")
        .start("pin.angle", "pi/4")
        .start("rod.x", 0.3, fixed=False)
        .trees("mine", ("pin", "free", "slide", "glue"), ("crank", "rod", "slide", "glue"))
    )


def test_builder_and_file_give_equal_models() -> None:
    assert bench().build() == parse_model(COMPLETE, "bench.toml")


SPATIAL_FILE = """\
[model]
name = "Space"
space = "spatial"
gravity = [0, 0, -9.81]
[parameters]
l = 0.5
[ground]
points = { O = [0, 0, 0], Q = { position = ["l", 0, 1], sequence = "zx", angles = ["pi/2", 0.1] } }
[bodies.a]
mass = 1
inertia = [1, 1, "4*l/2", 0.1, 0, 0]
center = ["l/2", 0, 0]
attitude = "zxz"
points = { A = [0, 0, 0], B = { position = ["l", 0, 0], sequence = "y", angles = [0.3] } }
[bodies.b]
[bodies.c]
[joints.pin]
type = "revolute"
from = "ground.Q"
to = "a.A"
axis = [0, 1, 0]
[joints.cross]
type = "universal"
from = "a.B"
to = "b"
axis = [0, 1, 0]
second_axis = [0, 0, 1]
[joints.ball]
type = "spherical"
from = "a"
to = "b"
attitude = "zyx"
[joints.sleeve]
type = "cylindrical"
from = "a"
to = "b"
[joints.table]
type = "planar"
from = "a"
to = "b"
second_axis = [0, 1, 0]
[joints.float]
type = "free"
from = "ground"
to = "c"
[joints.shift]
type = "translational"
from = "ground"
to = "c"
[joints.thread]
type = "screw"
from = "a"
to = "c"
lead = "l/100"
axis = [1, 0, 0]
[joints.link]
type = "rod"
from = "a.B"
to = "c"
length = "l"
[joints.ghost]
type = "virtual"
from = "ground"
to = "c"
like = "prismatic"
axis = [0, 0, 1]
angle = 0.2
[drivers.motor]
type = "rotation"
from = "ground"
to = "a"
value = "time"
axis = [1, 1, 0]
[forces.twist]
type = "torque"
on = "c"
value = [1, 2, "a.wz"]
frame = "a"
[springs.clock]
type = "rotational"
from = "ground"
to = "b"
stiffness = 2
axis = [0, 1, 0]
"""


def space() -> ModelBuilder:
    turned = {"position": ("l", 0, 0), "sequence": "y", "angles": (0.3,)}
    return (
        ModelBuilder("Space", space="spatial", gravity=(0, 0, -9.81))
        .parameter("l", 0.5)
        .ground_point("O", 0, 0, 0)
        .ground_point("Q", "l", 0, 1, sequence="zx", angles=("pi/2", 0.1))
        .body(
            "a",
            mass=1,
            inertia=(1, 1, "4*l/2", 0.1, 0, 0),
            center=("l/2", 0, 0),
            attitude="zxz",
            points={"A": (0, 0, 0), "B": turned},
        )
        .body("b")
        .body("c")
        .revolute("pin", "ground.Q", "a.A", axis=(0, 1, 0))
        .universal("cross", "a.B", "b", axis=(0, 1, 0), second_axis=(0, 0, 1))
        .spherical("ball", "a", "b", attitude="zyx")
        .cylindrical("sleeve", "a", "b")
        .planar("table", "a", "b", second_axis=(0, 1, 0))
        .free("float", "ground", "c")
        .translational("shift", "ground", "c")
        .screw("thread", "a", "c", "l/100", axis=(1, 0, 0))
        .rod("link", "a.B", "c", "l")
        .virtual("ghost", "ground", "c", like="prismatic", axis=(0, 0, 1), angle=0.2)
        .rotation_driver("motor", "ground", "a", "time", axis=(1, 1, 0))
        .torque("twist", "c", (1, 2, "a.wz"), frame="a")
        .rotational_spring("clock", "ground", "b", stiffness=2, axis=(0, 1, 0))
    )


def test_builder_and_file_give_equal_spatial_models() -> None:
    assert space().build() == parse_model(SPATIAL_FILE, "space.toml")


def test_spatial_methods_in_a_planar_model_are_problems() -> None:
    builder = ModelBuilder("M").body("b").spherical("ball", "ground", "b").torque("t", "b", (0, 0, 1))
    with pytest.raises(ModelError) as caught:
        builder.ground_point("O", 0, 0, 0).build()
    assert {problem.place for problem in caught.value.problems} == {
        "ground.points.O",
        "joints.ball.type",
        "forces.t.value",
    }


def test_building_twice_gives_the_same_model() -> None:
    builder = bench()
    assert builder.build() == builder.build()


def test_numbers_of_numpy_are_numbers() -> None:
    plain = ModelBuilder("M").body("b", mass=2, inertia=0.1, points={"A": (0.5, 0)}).build()
    points = {"A": [np.float64(0.5), np.int64(0)]}
    numpy = ModelBuilder("M").body("b", mass=np.int64(2), inertia=np.float64(0.1), points=points).build()
    assert numpy == plain


def test_problems_have_the_places_of_a_file_without_lines() -> None:
    builder = (
        ModelBuilder("M", gravity=(0, -9.81, 0))
        .body("crank", mass=-1, points={"A": (0, 0)})
        .revolute("pin_a", "ground.O", "crank.A")
        .start("pin_a.alpha", 1)
        .experiment(stop=0)
    )
    with pytest.raises(ModelError) as caught:
        builder.build()
    assert caught.value.source == "M"
    assert {problem.place for problem in caught.value.problems} == {
        "model.gravity",
        "bodies.crank.mass",
        "joints.pin_a.from",
        'start.fixed."pin_a.alpha"',
        "experiment.stop",
    }


def test_what_is_given_twice_is_reported() -> None:
    builder = (
        ModelBuilder("M")
        .body("b")
        .body("b")
        .ground_point("O", 0, 0)
        .ground_point("O", 1, 0)
        .start("b.x", 0)
        .start("b.x", 1)
    )
    for _ in range(2):
        with pytest.raises(ModelError) as caught:
            builder.build()
        assert [(problem.place, problem.message) for problem in caught.value.problems] == [
            ("bodies.b", "is given twice"),
            ("ground.points.O", "is given twice"),
            ('start.fixed."b.x"', "is given twice"),
        ]


def test_components_of_networks_are_given_by_section_type_and_nodes() -> None:
    built = (
        ModelBuilder("M")
        .parameter("R", 10.0)
        .component("electrical", "r", "resistor", {"from": "a", "to": "ground"}, resistance="R")
        .component("electrical", "c", "capacitor", {"from": "a", "to": "ground"}, capacitance=0.5)
        .start("c.v", 2)
        .steady()
        .build()
    )
    text = """
    [model]
    name = "M"
    [parameters]
    R = 10.0
    [electrical.r]
    type = "resistor"
    from = "a"
    to = "ground"
    resistance = "R"
    [electrical.c]
    type = "capacitor"
    from = "a"
    to = "ground"
    capacitance = 0.5
    [start]
    steady = true
    fixed = { "c.v" = 2 }
    """
    assert built == parse_model(text, "m.toml")
