"""Well-known mechanisms with rough guesses, for tests of all commands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel
from tests.models.hard_to_assemble import loop

_INERTIA = [0.01, 0.01, 0.01]


def goldberg(guesses: Sequence[float] = (0.5, 1.5, 1.5, 1.5, 1.5)) -> SystemModel:
    """Goldberg's linkage of five revolutes: two Bennett linkages that share a link."""
    first, second, third = 0.5, 1.1, 0.8
    scale = 0.4
    short, middle, other = (scale * math.sin(twist) for twist in (first, second, third))
    links = [
        (short, first),
        (middle, second),
        (short + other, first + third),
        (middle, second),
        (other, third),
    ]
    return loop("Goldberg", links, guesses).build()


# --- in the plane ----------------------------------------------------------------------------------


def jansen(guesses: Mapping[str, float] | None = None) -> SystemModel:
    """Jansen's leg of ten pins, in metres, with the usual proportions and rough guesses."""
    if guesses is None:
        guesses = {"rod.angle": 2.5, "upper.angle": 3.0, "lower_rod.angle": -2.5, "hip.angle": -2.0,
                   "link.angle": -2.0, "foot.angle": -1.5}  # fmt: skip
    builder = ModelBuilder("Jansen", gravity=[0, -9.81])
    builder.ground_point("B", -0.38, -0.078)

    def triangle(base: float, near: float, far: float) -> list[float]:
        """The third corner over a base along x, ``near`` from its begin and ``far`` from its end."""
        x = (base**2 + near**2 - far**2) / (2 * base)
        return [x, math.sqrt(near**2 - x**2)]

    def bar(name: str, length: float, **points: Sequence[float]) -> None:
        ends = {"end": [length, 0], **points}
        mass = 2 * length
        builder.body(name, mass=mass, inertia=mass * length**2 / 12, center=[length / 2, 0], points=ends)

    bar("crank", 0.15)
    bar("rod", 0.5)
    # From the fixed pin: to the rod along x, to the link a corner to the left.
    bar("upper", 0.415, corner=triangle(0.415, 0.401, 0.558))
    bar("lower_rod", 0.619)
    bar("hip", 0.393)
    bar("link", 0.394)
    # From the hip along x to the link; the toe is a corner to the left.
    bar("foot", 0.367, toe=triangle(0.367, 0.49, 0.657))
    builder.revolute("axle", "ground", "crank")
    builder.revolute("p1", "crank.end", "rod").revolute("p2", "rod.end", "upper.end")
    builder.revolute("p3", "ground.B", "upper").revolute("p4", "crank.end", "lower_rod")
    builder.revolute("p5", "ground.B", "hip").revolute("p6", "lower_rod.end", "hip.end")
    builder.revolute("p7", "upper.corner", "link").revolute("p8", "hip.end", "foot")
    builder.revolute("p9", "link.end", "foot.end")
    builder.start("axle.angle", 0.3).start("axle.omega", 2.0)
    for name, value in guesses.items():
        builder.start(name, value, fixed=False)
    builder.torque("motor", "crank", "2 - 0.5*axle.omega")
    builder.output("x", "foot.toe.x").output("y", "foot.toe.y")
    return builder.experiment(stop=1.0, step=0.01).build()


def scissor_lift(
    stages: int = 2, *, angle: float = 0.5, drive: str | None = None, stop: float = 0.5
) -> SystemModel:
    """A table on scissors: bars of one metre, crossed in their middles, rollers on the right.

    ``drive`` is a law for the angle of the first bar; without one a jack lifts the table.
    """
    builder = ModelBuilder("ScissorLift", gravity=[0, -9.81])
    bar = {"tail": [-0.5, 0], "head": [0.5, 0]}
    for number in range(1, stages + 1):
        for side in ("rising", "falling"):
            builder.body(f"{side}{number}", mass=5, inertia=0.4, points=bar)
        builder.revolute(f"cross{number}", f"rising{number}", f"falling{number}")
        # Rough guesses, a long way off.
        builder.start(f"rising{number}.angle", 0.3, fixed=False)
        builder.start(f"falling{number}.angle", -0.3, fixed=False)
    builder.body("roller", mass=1, inertia=0.01).body("trolley", mass=1, inertia=0.01)
    builder.body("table", mass=50, inertia=5)
    builder.revolute("foot", "ground", "rising1.tail")
    builder.prismatic("rail", "ground", "roller").revolute("axle", "roller", "falling1.head")
    for lower in range(1, stages):
        upper = lower + 1
        builder.revolute(f"left{lower}", f"falling{lower}.tail", f"rising{upper}.tail")
        builder.revolute(f"right{lower}", f"rising{lower}.head", f"falling{upper}.head")
    builder.revolute("hinge", f"falling{stages}.tail", "table")
    builder.prismatic("slot", "table", "trolley").revolute("pivot", f"rising{stages}.head", "trolley")
    if drive is None:
        builder.start("foot.angle", angle)
        builder.spring("jack", "ground", "rising1", stiffness=2e5, damping=2e3, free=0.52)
    else:
        builder.rotation_driver("motor", "ground", "rising1", drive)
    builder.output("height", "table.y").output("tilt", "table.angle")
    return builder.experiment(stop=stop, step=0.01).build()


def seat() -> SystemModel:
    """A seat on one scissor with a spring and a damper across it."""
    builder = ModelBuilder("Seat", gravity=[0, -9.81])
    bar = {"tail": [-0.2, 0], "head": [0.2, 0], "spring": [0.1, 0]}
    builder.ground_point("A", -0.18, 0)
    for name in ("inner", "outer"):
        builder.body(name, mass=2, inertia=0.03, points=bar)
    builder.body("roller", mass=0.1, inertia=1e-4).body("trolley", mass=0.1, inertia=1e-4)
    builder.body("seat", mass=60, inertia=3, center=[0.2, 0.3], points={"P": [0, 0]})
    builder.revolute("foot", "ground.A", "inner.tail").revolute("cross", "inner", "outer")
    builder.prismatic("rail", "ground.A", "roller").revolute("axle", "roller", "outer.head")
    builder.revolute("hinge", "outer.tail", "seat.P")
    builder.prismatic("slot", "seat.P", "trolley").revolute("pivot", "inner.head", "trolley")
    builder.spring("spring", "ground.A", "outer.spring", stiffness=30000, damping=800, free=0.36)
    builder.start("inner.angle", 0.45, fixed=False).start("outer.angle", -0.3, fixed=False)
    builder.output("height", "seat.center.y").output("tilt", "seat.angle")
    return builder.experiment(stop=0.5, step=0.01).build()


def wiper(*, motor: bool = False) -> SystemModel:
    """Two wipers on one crank: a coupler to each rocker, five bodies."""
    builder = ModelBuilder("Wiper")
    builder.ground_point("L", -0.3, 0.1).ground_point("R", 0.35, 0.12)
    builder.body("crank", mass=0.2, inertia=1e-4, points={"end": [0.05, 0]})
    for side, length in (("left", 0.3), ("right", 0.36)):
        name = f"{side}_rod"
        builder.body(name, mass=0.3, inertia=0.002, center=[length / 2, 0], points={"end": [length, 0]})
        builder.body(
            f"{side}_arm",
            mass=0.5,
            inertia=0.02,
            center=[0, 0.25],
            points={"pin": [0, -0.08], "tip": [0, 0.5]},
        )
    builder.revolute("axle", "ground", "crank")
    for side, place in (("left", "L"), ("right", "R")):
        builder.revolute(f"{side}_pivot", f"ground.{place}", f"{side}_arm")
        builder.revolute(f"{side}_near", "crank.end", f"{side}_rod")
        builder.revolute(f"{side}_far", f"{side}_rod.end", f"{side}_arm.pin")
        builder.start(f"{side}_arm.angle", 0.2, fixed=False)
        builder.output(f"{side}", f"{side}_arm.angle")
        builder.torque(f"{side}_drag", f"{side}_arm", f"-0.02*{side}_arm.omega")
    if motor:
        builder.start("axle.angle", 0.2).start("axle.omega", 6.0)
        builder.torque("motor", "crank", "3 - 0.4*axle.omega")
    else:
        builder.rotation_driver("motor", "ground", "crank", "0.2 + 2*pi*time")
    return builder.experiment(stop=2.0, step=0.01).build()


# --- in space --------------------------------------------------------------------------------------


def delta(*, rods: bool = True) -> SystemModel:
    """A Delta robot: three arms and six rods, which are joints of a length or bars between two balls."""
    builder = ModelBuilder("Delta", space="spatial", gravity=[0, 0, -9.81])
    near, far, half = 0.05, 0.2, 0.04
    corners = {}
    for number in (1, 2, 3):
        turn = 2 * math.pi * (number - 1) / 3
        along, across = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))
        builder.ground_point(f"A{number}", far * along[0], far * along[1], 0, sequence="z", angles=[turn])
        ends = {"l": [0.25, half, 0], "r": [0.25, -half, 0]}
        builder.body(f"arm{number}", mass=0.5, inertia=_INERTIA, center=[0.12, 0, 0], points=ends)
        builder.revolute(f"shoulder{number}", f"ground.A{number}", f"arm{number}", axis=[0, 1, 0])
        builder.start(f"shoulder{number}.angle", 0.3 + 0.1 * number)
        for side, sign in (("l", 1), ("r", -1)):
            corners[f"{side}{number}"] = [
                near * along[0] + sign * half * across[0], near * along[1] + sign * half * across[1], 0
            ]  # fmt: skip
    builder.body("platform", mass=1, inertia=_INERTIA, points=corners)
    for number in (1, 2, 3):
        for side in ("l", "r"):
            builder.rod(f"rod_{side}{number}", f"arm{number}.{side}", f"platform.{side}{number}", 0.6)
    builder.start("platform.z", -0.5, fixed=False)
    for axis in "xyz":
        builder.output(axis, f"platform.{axis}")
    return builder.experiment(stop=0.3, step=0.01).build()


def six_rss() -> SystemModel:
    """A platform on six rods and cranks, its attitude by Euler parameters."""
    builder = ModelBuilder("SixRss", space="spatial", gravity=[0, 0, -9.81])
    height, crank = 0.8, 0.3
    corners, lengths = {}, {}
    for number in range(6):
        middle, side = 2 * math.pi * (number // 2) / 3, 1 if number % 2 else -1
        at, to = middle + 0.2 * side, middle + 0.8 * side
        foot, corner = (math.cos(at), math.sin(at)), (0.5 * math.cos(to), 0.5 * math.sin(to))
        builder.ground_point(f"foot{number}", *foot, 0, sequence="z", angles=[at])
        builder.body(f"crank{number}", mass=0.5, inertia=_INERTIA, points={"end": [crank, 0, 0]})
        builder.revolute(f"motor{number}", f"ground.foot{number}", f"crank{number}", axis=[0, 1, 0])
        builder.start(f"motor{number}.angle", 0, fixed=False)
        corners[f"corner{number}"] = [*corner, 0]
        lengths[number] = math.hypot(
            (1 + crank) * foot[0] - corner[0], (1 + crank) * foot[1] - corner[1], height
        )
    builder.body("platform", mass=5, inertia=[0.3, 0.3, 0.5], points=corners)
    for number, length in lengths.items():
        builder.rod(f"rod{number}", f"crank{number}.end", f"platform.corner{number}", length)
    builder.start("platform.z", height, fixed=False)
    for axis in "xyz":
        builder.output(axis, f"platform.{axis}")
    return builder.experiment(stop=0.2, step=0.01).build()


def mcpherson(
    *,
    top: str = "spherical",
    strut: str = "cylindrical",
    steering: str = "rod",
    arm: str = "revolute",
    size: float = 1.0,
    guesses: Mapping[str, float] | None = None,
) -> SystemModel:
    """A McPherson strut: a lower arm, a knuckle that slides on the strut, a tie rod; one freedom and spins.

    ``top`` joins the strut to the car, ``strut`` the knuckle to the strut. ``steering`` is a rod, or a bar
    with two balls, or one with a universal joint at the rack. The lower ``arm`` turns about an axis, or is
    two rods. A ``size`` of one gives lengths of about a metre, 0.5 those of a car.
    """
    builder = ModelBuilder("McPherson", space="spatial", gravity=[0, 0, -9.81])

    def at(*position: float) -> list[float]:
        return [size * value for value in position]

    inertia = [0.05 * size**2] * 3
    builder.ground_point("A", *at(0, 0.4, 0)).ground_point("A2", *at(0.3, 0.4, 0))
    builder.ground_point("T", *at(-0.05, 1.0, 1.2)).ground_point("R", *at(-0.2, 0.4, 0.15))
    # The knuckle stands with its lower ball in its origin.
    knuckle = {"S": at(-0.02, -0.08, 0.5), "R": at(-0.2, 0.0, 0.12), "W": at(0, 0.15, 0.1)}
    builder.body("knuckle", mass=20, inertia=inertia, center=at(0, 0.05, 0.1), points=knuckle)
    builder.body("strut", mass=3, inertia=inertia, center=at(0, 0, -0.2), points={"low": at(0, 0, -0.5)})
    if top == "spherical":
        builder.spherical("mount", "ground.T", "strut")
    else:
        builder.universal("mount", "ground.T", "strut", axis=[1, 0, 0], second_axis=[0, 1, 0])
    if strut == "cylindrical":
        builder.cylindrical("slide", "strut", "knuckle.S", axis=[0, 0, 1])
    else:
        builder.prismatic("slide", "strut", "knuckle.S", axis=[0, 0, 1])
    if arm == "revolute":
        builder.body("arm", mass=4, inertia=inertia, center=at(0, 0.2, 0), points={"B": at(0, 0.7, 0)})
        builder.revolute("bush", "ground.A", "arm", axis=[1, 0, 0]).spherical("ball", "arm.B", "knuckle")
    else:
        builder.rod("front", "ground.A", "knuckle", 0.7 * size)
        builder.rod("rear", "ground.A2", "knuckle", math.hypot(0.7, 0.3) * size)
    far = math.dist((-0.2, 0.4, 0.15), (-0.2, 1.1, 0.12)) * size
    if steering == "rod":
        builder.rod("tie", "ground.R", "knuckle.R", far)
    else:
        builder.body("tie", mass=1, inertia=inertia, center=[0, far / 2, 0], points={"end": [0, far, 0]})
        if steering == "balls":
            builder.spherical("inner", "ground.R", "tie")
        else:
            builder.universal("inner", "ground.R", "tie", axis=[1, 0, 0], second_axis=[0, 0, 1])
        builder.spherical("outer", "tie.end", "knuckle.R")
    builder.spring("coil", "ground.T", "knuckle.S", stiffness=20000, damping=1500, free=0.75 * size)
    chosen = {"knuckle.y": 1.0 * size, "slide.s": -0.6 * size} if guesses is None else guesses
    for name, value in chosen.items():
        builder.start(name, value, fixed=False)
    builder.output("height", "knuckle.W.z").output("travel", "slide.s")
    return builder.experiment(stop=0.3, step=0.01).build()
