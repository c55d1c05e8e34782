"""Small systems and how they are cut."""

from __future__ import annotations

from dataclasses import replace

from element_views import loads_of, with_views

from fmugen.builder import ModelBuilder
from fmugen.formulas import parse
from fmugen.ir.model import SystemModel
from fmugen.ir.split import Members, Partition
from tests.support import example


def double_pendulum() -> SystemModel:
    """Two links in the plane; where they are cut, the lower one still turns freely."""
    return (
        ModelBuilder("Swing", gravity=(0, -9.81))
        .parameter("length", 1.0, "m")
        .input("push", unit="N.m")
        .body("upper", mass=2, inertia=0.2, points={"top": (0, "length/2"), "tip": (0, "-length/2")})
        .body("lower", mass=1, inertia=0.1, points={"top": (0, 0.4)})
        .revolute("pin", "ground", "upper.top")
        .revolute("knee", "upper.tip", "lower.top")
        .torque("motor", "lower", "push + 2*sin(3*time)")
        .output("upper_angle", "upper.angle")
        .output("lower_angle", "lower.angle")
        .output("knee_fy", "knee.fy")
        .output("tip_vx", "upper.tip.vx")
        .start("upper.angle", 0.5)
        .start("lower.angle", -0.3)
        .start("upper.omega", 0)
        .start("lower.omega", 1.0)
        .experiment(stop=0.5, step=0.001, tolerance=1e-11)
        .build()
    )


LINKS = Partition((Members("bottom", ("lower",)), Members("top", ("upper",))), hub="top")


def bead() -> SystemModel:
    """A bead on a swinging rod: the joint between them is cut as a frame."""
    return (
        ModelBuilder("Slide", gravity=(0, -9.81))
        .body("rod", mass=2, inertia=0.2, points={"top": (0, 0.5)})
        .body("bead", mass=1, inertia=0.05)
        .revolute("pin", "ground", "rod.top")
        .prismatic("guide", "rod", "bead", axis=(0, 1))
        .output("rod_angle", "rod.angle")
        .output("bead_s", "guide.s")
        .output("bead_x", "bead.x")
        .start("rod.angle", 0.5)
        .start("guide.s", 0.1)
        .start("rod.omega", 0)
        .start("guide.v", 0)
        .experiment(stop=0.5, step=0.001, tolerance=1e-11)
        .build()
    )


ROD_AND_BEAD = Partition((Members("carrier", ("rod",)), Members("rider", ("bead",))), hub="carrier")


def steered_manipulator() -> SystemModel:
    """The 3-RRR manipulator near Khan's motion, which motors steer it along (4.0.2)."""
    model = example("three_rrr_driven")
    swing = "(2*pi*time/3 - sin(2*pi*time/3))"
    goals = {1: f"pi/3 + {swing}/6", 2: f"4*pi/3 + {swing}/6", 3: f"11*pi/6 + {swing}/12"}
    loads = []
    for number, load in enumerate(loads_of(model), start=1):
        torque = parse(
            f"tau_{number} + 400*({goals[number]} - shank_{number}.angle) - 30*shank_{number}.omega"
        )
        loads.append(replace(load, torque=(*load.torque[:2], torque)))
    return with_views(model, loads=tuple(loads))


LEGS = Partition(
    (
        Members("platform", ("platform",)),
        *(Members(f"leg_{leg}", (f"shank_{leg}", f"thigh_{leg}")) for leg in (1, 2, 3)),
    )
)
#: Each leg with a third of the platform (Khan 3.1).
THIRDS = Partition(
    tuple(Members(f"leg_{leg}", (f"shank_{leg}", f"thigh_{leg}", "platform")) for leg in (1, 2, 3))
)
