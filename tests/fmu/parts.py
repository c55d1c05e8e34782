"""A two-link leg under a platform, whole and cut at the platform's pin."""

from __future__ import annotations

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel

#: Where the platform's pin starts.
START = (0.9, 0.4)
#: A motion to and fro about the start, where nothing weighs much.
PULL = ["6*sin(3*time) - 150*(platform.x - 0.9)", "24 - 150*(platform.y - 0.4) + 0.5*platform.vx"]


def _links(builder: ModelBuilder, *, weight: bool = True) -> ModelBuilder:
    """Thigh and shank, from the ground to the point shank.tip, and a weight that swings on the knee."""
    if weight:
        builder.body("weight", mass=0.4, inertia=0.002, points={"pin": [0, 0.2]})
        builder.revolute("swing", "shank.knee", "weight.pin")
        builder.start("swing.angle", 0.3).start("swing.omega", 0)
    return (
        builder.ground_point("hip", 0, 0)
        .body("thigh", mass=1.2, inertia=0.04, points={"hip": [-0.3, 0], "knee": [0.3, 0]})
        .body("shank", mass=0.8, inertia=0.03, points={"knee": [-0.35, 0], "tip": [0.35, 0]})
        .revolute("hip", "ground.hip", "thigh.hip")
        .revolute("knee", "thigh.knee", "shank.knee")
        .rotational_spring("knee_spring", "thigh", "shank", stiffness=3, damping=0.2, free=-1.4)
        .start("thigh.angle", 1.2, fixed=False)
        .start("shank.angle", -0.4, fixed=False)
    )


def _platform(builder: ModelBuilder) -> ModelBuilder:
    """A body that is held by elastic forces."""
    return (
        builder.body("platform", mass=2, inertia=0.1, points={"pin": [0, 0]})
        .force("pull", "platform.pin", PULL)
        .start("platform.x", START[0])
        .start("platform.y", START[1])
        .start("platform.vx", 0)
        .start("platform.vy", 0)
        .start("platform.angle", 0)
        .start("platform.omega", 0)
    )


def whole() -> SystemModel:
    builder = ModelBuilder("Whole", gravity=(0, -9.81))
    _platform(_links(builder)).revolute("pin", "shank.tip", "platform.pin")
    for kind in ("x", "y", "vx", "vy", "ax", "ay"):
        builder.output(kind, f"platform.{kind}")
    return builder.output("swing_angle", "swing.angle").experiment(stop=1, step=0.01, tolerance=1e-10).build()


#: What a port sends and a leg receives, by axis: position, velocity, acceleration.
MOTION = {axis: (f"p{axis}", f"v{axis}", f"a{axis}") for axis in "xy"}


def leg(stamp: str = "", *, weight: bool = True) -> SystemModel:
    """The leg, its tip moved by inputs; it tells the force it takes and what accelerations add to it.

    Without the weight it has no freedom of its own.
    """
    builder = _links(ModelBuilder("Leg", gravity=(0, -9.81)), weight=weight)
    builder.input("knee_torque", unit="N.m")
    builder.torque("knee_motor", "shank", "knee_torque", tail="thigh")
    for (place, rate, second), start in zip(MOTION.values(), START, strict=True):
        builder.input(place, start, "m", rate=rate, **_stamped(stamp))
        builder.input(rate, 0, "m/s", rate=second, **_stamped(stamp))
        builder.input(second, 0, "m/s2", **_stamped(stamp))
    if stamp:
        builder.input(stamp, 0, "s")
    builder.translation_driver("port", "ground", "shank.tip", ["px", "py"])
    builder.output("bx", "port.fx", without=["ax", "ay"]).output("by", "port.fy", without=["ax", "ay"])
    builder.output("mxx", "port.fx", by="ax").output("mxy", "port.fy", by="ax")
    builder.output("myx", "port.fx", by="ay").output("myy", "port.fy", by="ay")
    builder.output("fx", "port.fx").output("fy", "port.fy").output("clock", "time")
    if weight:
        builder.output("swing_angle", "swing.angle")
    return builder.experiment(stop=1, step=0.01, tolerance=1e-10).build()


def hub() -> SystemModel:
    """The platform, with what the leg does to it as inputs."""
    builder = _platform(ModelBuilder("Platform", gravity=(0, -9.81))).input("when", 0, "s")
    for name in ("bx", "by"):
        builder.input(name, 0, "N", stamp="when")
    for name in ("mxx", "mxy", "myy"):
        builder.input(name, 0, "kg", stamp="when")
    x, y = "platform.pin.ax", "platform.pin.ay"
    builder.force("leg", "platform.pin", [f"-(mxx*{x} + mxy*{y}) - bx", f"-(mxy*{x} + myy*{y}) - by"])
    for axis, names in MOTION.items():
        for name, kind in zip(names, ("", "v", "a"), strict=True):
            builder.output(name, f"platform.pin.{kind}{axis}")
    return builder.output("clock", "time").experiment(stop=1, step=0.01, tolerance=1e-10).build()


def _stamped(stamp: str) -> dict[str, str]:
    return {"stamp": stamp} if stamp else {}
