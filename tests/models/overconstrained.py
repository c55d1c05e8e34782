"""Mechanisms with more constraints than they need, for tests of redundant constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel

_INERTIA = [0.01, 0.01, 0.01]


@dataclass(frozen=True)
class Overconstrained:
    """A mechanism, parameters that break its redundancy with the joint they open, and ones that keep it."""

    model: SystemModel
    breaking: dict[str, float]
    joint: str
    keeping: dict[str, float]


def side_rod() -> Overconstrained:
    """Three cranks of equal lengths with one rod, as coupled locomotive wheels; all line up twice a turn."""
    return _three_cranks("SideRod", (2.0, 0.0), angle=0.5, omega=4.0)


def third_crank() -> Overconstrained:
    """A swinging parallelogram whose coupler carries a third crank beside the line of the others."""
    return _three_cranks("ThirdCrank", (0.4, 0.6), angle=-1.2, omega=1.0)


def _three_cranks(name: str, third: tuple[float, float], *, angle: float, omega: float) -> Overconstrained:
    builder = ModelBuilder(name, gravity=[0, -9.81])
    centres = [(0.0, 0.0), (1.0, 0.0), third]
    rod = {f"P{number}": list(centre) for number, centre in enumerate(centres, 1)}
    builder.body("rod", mass=2, inertia=0.5, points=rod)
    for number, (x, y) in enumerate(centres, 1):
        builder.parameter(f"r{number}", 0.3, "m").ground_point(f"A{number}", x, y)
        builder.body(f"crank{number}", mass=1, inertia=0.02, points={"P": [f"r{number}", 0]})
        builder.revolute(f"axle{number}", f"ground.A{number}", f"crank{number}")
        builder.revolute(f"pin{number}", f"crank{number}.P", f"rod.P{number}")
        builder.start(f"crank{number}.angle", angle, fixed=number == 1)
    builder.start("crank1.omega", omega).output("angle", "crank3.angle")
    builder.experiment(stop=2.0, step=0.02)
    keeping = {"r1": 0.33, "r2": 0.33, "r3": 0.33}
    return Overconstrained(builder.build(), {"r2": 0.33}, "pin3", keeping)


def bennett() -> Overconstrained:
    """Bennett's linkage: four revolutes in space, a / sin(alpha) = b / sin(beta)."""
    builder = ModelBuilder("Bennett", space="spatial", gravity=[0, 0, -9.81])
    builder.parameter("alpha", math.pi / 6, "rad").parameter("beta", math.pi / 2, "rad")
    lengths = {"a1": 0.2, "b1": 0.4, "a2": 0.2, "b2": 0.4}
    for name, value in lengths.items():
        builder.parameter(name, value, "m")
    # From axis to axis: along the common normal, then twisted about it.
    far = [
        {"position": [name, 0, 0], "sequence": "x", "angles": ["alpha" if name[0] == "a" else "beta"]}
        for name in lengths
    ]
    builder.ground_point("Q", "a1", 0, 0, sequence="x", angles=["alpha"])
    for number in (1, 2, 3):
        points = {"far": far[number]}
        builder.body(f"bar{number}", mass=1, inertia=_INERTIA, center=["b1/2", 0, 0], points=points)
    chain = ["ground.Q", "bar1", "bar1.far", "bar2", "bar2.far", "bar3", "bar3.far", "ground"]
    first = 1.1
    second = 2 * math.atan(math.sin(math.pi / 3) / math.sin(math.pi / 6) / math.tan(first / 2))
    angles = [first, second, -first, -second]
    for number, (tail, head) in enumerate(zip(chain[::2], chain[1::2], strict=True), 1):
        builder.revolute(f"hinge{number}", tail, head, axis=[0, 0, 1])
        builder.start(f"hinge{number}.angle", angles[number - 1], fixed=False)
    builder.output("angle", "hinge1.angle").experiment(stop=0.5, step=0.02)
    keeping = {"a1": 0.25, "b1": 0.5, "a2": 0.25, "b2": 0.5}
    return Overconstrained(builder.build(), {"a2": 0.21}, "hinge4", keeping)


def sarrus() -> Overconstrained:
    """Sarrus' linkage: two folding chains at right angles lead a platform along a line."""
    builder = ModelBuilder("Sarrus", space="spatial", gravity=[0, 0, -9.81])
    builder.parameter("below", math.pi / 2, "rad").parameter("above", math.pi / 2, "rad")
    for number, turn in ((1, [0, 0]), (2, ["below", "above"])):
        builder.parameter(f"l{number}", 0.5, "m")
        at = [0.3, 0, 0] if number == 1 else [0, 0.3, 0]
        builder.ground_point(f"A{number}", *at, sequence="z", angles=[turn[0]])
        ends = {"end": [f"l{number}", 0, 0]}
        for half in ("lower", "upper"):
            builder.body(f"{half}{number}", mass=1, inertia=_INERTIA, center=[0.25, 0, 0], points=ends)
    top = {
        "B1": [0.3, 0, 0],
        "B2": {"position": [0, 0.3, 0], "sequence": "z", "angles": ["above"]},
    }
    builder.body("platform", mass=2, inertia=_INERTIA, points=top)
    for number in (1, 2):
        builder.revolute(f"foot{number}", f"ground.A{number}", f"lower{number}", axis=[0, 1, 0])
        builder.revolute(f"knee{number}", f"lower{number}.end", f"upper{number}", axis=[0, 1, 0])
        builder.revolute(f"head{number}", f"upper{number}.end", f"platform.B{number}", axis=[0, 1, 0])
        folded = {"foot": -0.8, "knee": 1.6 - math.pi, "head": math.pi - 0.8}
        for joint, angle in folded.items():
            builder.start(f"{joint}{number}.angle", angle, fixed=False)
    builder.start("platform.z", 0.7)
    builder.output("height", "platform.z").experiment(stop=0.1, step=0.01)
    keeping = {"below": 1.4, "above": 1.4}
    return Overconstrained(builder.build(), {"above": 1.6}, "head2", keeping)
