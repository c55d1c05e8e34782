"""Mechanisms whose coordinates pass dead centres on the declared motion, for tests of independent sets."""

from __future__ import annotations

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel


def rocker_press() -> SystemModel:
    """A crank-rocker with a stiff spring at its rocker, which pulls it over dead centres after 5 s."""
    builder = ModelBuilder("RockerPress", gravity=[0, -9.81])
    builder.ground_point("A", 0, 0).ground_point("D", 0.6, 0).ground_point("S", 0.9, 0.5)
    builder.body("crank", mass=3, inertia=0.08, points={"B": [0.2, 0]})
    builder.body("coupler", mass=1, inertia=0.03, points={"B": [-0.3, 0], "C": [0.3, 0]})
    builder.body("rocker", mass=1, inertia=0.02, points={"C": [0.35, 0]})
    builder.revolute("a", "ground.A", "crank").revolute("b", "crank.B", "coupler.B")
    builder.revolute("c", "coupler.C", "rocker.C").revolute("d", "ground.D", "rocker")
    builder.spring(
        "pull", "ground.S", "rocker.C", stiffness=8000, free=0.345, actuator="1500*max(0, time - 5)"
    )
    builder.start("rocker.angle", 1.5).start("rocker.omega", 0)
    builder.start("crank.angle", 0.9, fixed=False).start("coupler.angle", 0.4, fixed=False)
    return builder.output("angle", "crank.angle").experiment(stop=8.0, step=0.016, tolerance=1e-8).build()


def klann_leg() -> SystemModel:
    """A leg of Klann's linkage that swings freely; six bodies, seven pins, one degree of freedom."""
    builder = ModelBuilder("KlannLeg", gravity=[0, -9.81])
    builder.ground_point("M", 0, 0).ground_point("A", -0.531, -0.169).ground_point("B", -0.375, 0.616)
    builder.body("crank", mass=0.46, inertia=0.0033, points={"C": [0.284, 0]})
    builder.body("arm", mass=0.6, inertia=0.03, points={"R": [0.562, 0], "D": [0.919, -0.192]})
    builder.body("lower", mass=0.31, inertia=0.0035, points={"R": [0.348, 0]})
    builder.body("upper", mass=0.37, inertia=0.0092, points={"E": [0.457, 0]})
    builder.body(
        "leg",
        mass=1.2,
        inertia=0.12,
        center=[0.35, 0],
        points={"E": [0, 0], "D": [0.644, 0], "foot": [1.5, 0.33]},
    )
    builder.revolute("axle", "ground.M", "crank").revolute("pin_c", "crank.C", "arm")
    builder.revolute("pin_a", "ground.A", "lower").revolute("pin_r", "arm.R", "lower.R")
    builder.revolute("pin_b", "ground.B", "upper").revolute("pin_e", "upper.E", "leg.E")
    builder.revolute("pin_d", "arm.D", "leg.D")
    builder.start("crank.angle", 0.455).start("crank.omega", 1.39)
    builder.start("arm.angle", 3.1, fixed=False).start("lower.angle", 1.5, fixed=False)
    builder.start("upper.angle", 3.3, fixed=False).start("leg.angle", -1.7, fixed=False)
    return builder.output("angle", "leg.angle").experiment(stop=10.0, step=0.01, tolerance=1e-8).build()


def loader_crane() -> SystemModel:
    """A loader crane: a boom on its cylinder, a jib that a cylinder moves by a rocker and a link."""
    builder = ModelBuilder("LoaderCrane", gravity=[0, -9.81])
    builder.ground_point("post", 0, 2.0).ground_point("foot", 0.25, 0.7)
    builder.body(
        "boom",
        mass=300,
        inertia=150,
        center=[1.2, 0],
        points={"lift": [0.8, -0.2], "seat": [1.0, 0.25], "rocker": [2.3, 0.15], "tip": [2.6, 0]},
    )
    builder.body("jib", mass=150, inertia=60, center=[1.1, 0], points={"ear": [-0.1, 0.3], "hook": [2.2, 0]})
    builder.body("rocker", mass=15, inertia=0.3, points={"tip": [0.4, 0]})
    builder.body("link", mass=10, inertia=0.2, points={"tip": [0.45, 0]})
    for name, seat, end in (("lift", "ground.foot", "boom.lift"), ("fold", "boom.seat", "rocker.tip")):
        builder.body(f"{name}_barrel", mass=25, inertia=2, center=[0.4, 0])
        builder.body(f"{name}_rod", mass=15, inertia=1, center=[-0.4, 0])
        builder.revolute(f"{name}_base", seat, f"{name}_barrel").revolute(f"{name}_head", end, f"{name}_rod")
        builder.prismatic(f"{name}_slide", f"{name}_barrel", f"{name}_rod", axis=[1, 0])
    builder.revolute("boom_pin", "ground.post", "boom").revolute("jib_pin", "boom.tip", "jib")
    builder.revolute("rocker_pin", "boom.rocker", "rocker").revolute("link_pin", "rocker.tip", "link")
    builder.revolute("ear_pin", "link.tip", "jib.ear")
    builder.spring(
        "lift_oil",
        "ground.foot",
        "boom.lift",
        stiffness=2e5,
        damping=4e2,
        free=1.5,
        actuator="-4e4*(1 - cos(time))",
    )
    builder.spring(
        "fold_oil",
        "boom.seat",
        "rocker.tip",
        stiffness=4e4,
        damping=4e2,
        free=1.35,
        actuator="3e3*time*sin(4*time)",
    )
    builder.start("boom.angle", 0.4).start("boom.omega", 0).start("rocker.angle", 1.2).start(
        "rocker.omega", 0
    )
    builder.start("jib.angle", -0.4, fixed=False).start("link.angle", -0.3, fixed=False)
    builder.start("lift_barrel.angle", 1.2, fixed=False).start("lift_rod.angle", 1.2, fixed=False)
    builder.start("fold_barrel.angle", 0.6, fixed=False).start("fold_rod.angle", 0.6, fixed=False)
    return builder.output("angle", "jib.angle").experiment(stop=15.0, step=0.02, tolerance=1e-8).build()


def landing_flap() -> SystemModel:
    """A flap on a four-bar; a line force on its drive link takes the links through their dead centres."""
    builder = ModelBuilder("LandingFlap", gravity=[0, -9.81])
    builder.ground_point("F", 0, 0).ground_point("R", 0.505, 0.057).ground_point("J", -0.444, 0.265)
    builder.body("front", mass=3, inertia=0.044, points={"tip": [0.277, 0], "drive": [0.138, 0.091]})
    builder.body("rear", mass=3, inertia=0.052, points={"tip": [0.346, 0]})
    builder.body(
        "flap", mass=20, inertia=1.2, center=[0.4, 0], points={"front": [0, 0], "rear": [0.4085, 0.055]}
    )
    builder.revolute("front_pin", "ground.F", "front").revolute("rear_pin", "ground.R", "rear")
    builder.revolute("front_tip", "front.tip", "flap.front").revolute("rear_tip", "rear.tip", "flap.rear")
    builder.spring(
        "jack", "ground.J", "front.drive", stiffness=4e3, damping=60, free=0.65, actuator="-900*sin(3*time)"
    )
    builder.start("flap.angle", -0.525).start("flap.omega", -4.925)
    builder.start("front.angle", -1.4, fixed=False).start("rear.angle", -1.4, fixed=False)
    return builder.output("angle", "flap.angle").experiment(stop=5.0, step=0.01, tolerance=1e-8).build()
