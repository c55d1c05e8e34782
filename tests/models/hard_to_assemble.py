"""Mechanisms that are hard to assemble, for tests of the assembly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel

_INERTIA = [0.01, 0.01, 0.01]


def loop(
    name: str, links: Sequence[tuple[float, float]], guesses: Sequence[float], *, sliding: bool = False
) -> ModelBuilder:
    """A closed chain in space; the links are lengths and twists from axis to axis, the first is the ground.

    Its first joint is a revolute, and the others are cylindrical where they are ``sliding``.
    """
    builder = ModelBuilder(name, space="spatial", gravity=[0, 0, -9.81])
    places = [{"position": [length, 0, 0], "sequence": "x", "angles": [twist]} for length, twist in links]
    length, twist = links[0]
    builder.ground_point("far", length, 0, 0, sequence="x", angles=[twist])
    for number in range(1, len(links)):
        builder.body(f"link{number}", mass=1, inertia=_INERTIA, points={"far": places[number]})
    bodies = ["ground", *(f"link{number}" for number in range(1, len(links))), "ground"]
    for number, (tail, head) in enumerate(pairwise(bodies), 1):
        make = builder.cylindrical if sliding and number > 1 else builder.revolute
        make(f"joint{number}", f"{tail}.far", head, axis=[0, 0, 1])
        if number <= len(guesses):
            builder.start(f"joint{number}.angle", guesses[number - 1], fixed=number == 1)
    return builder.output("angle", "joint2.angle").experiment(stop=0.2, step=0.01)


def rccc(guesses: Sequence[float] = (0.5, 1.0, 1.0, 1.0)) -> SystemModel:
    """A four-link chain in space with a crank and three cylindrical joints."""
    links = [(0.4, 1.0), (0.15, 0.5), (0.35, 0.9), (0.3, 0.8)]
    return loop("Rccc", links, guesses, sliding=True).build()


def myard(guesses: Sequence[float]) -> SystemModel:
    """Myard's linkage of five revolutes, which is symmetric to a plane, with a length of zero."""
    twist, length = 0.6, 0.4
    short = length * math.sin(twist)
    right = math.pi / 2
    links = [
        (short, math.pi - twist),
        (short, twist),
        (length, right),
        (0.0, math.pi - 2 * twist),
        (length, right),
    ]
    return loop("Myard", links, guesses).build()


def three_prs(slides: Sequence[float] = (0.02, 0.025, 0.03)) -> SystemModel:
    """A tripod: three vertical slides, each with a pin, a leg and a ball on a platform."""
    builder = ModelBuilder("Tripod", space="spatial", gravity=[0, 0, -9.81])
    balls = {}
    for number in (1, 2, 3):
        turn = 2 * math.pi * (number - 1) / 3
        far, near = ([radius * math.cos(turn), radius * math.sin(turn), 0] for radius in (0.2, 0.1))
        builder.ground_point(f"A{number}", *far, sequence="z", angles=[turn])
        builder.body(f"slide{number}", mass=0.5, inertia=_INERTIA)
        builder.body(f"leg{number}", mass=0.3, inertia=_INERTIA, points={"end": [0, 0, 0.3]})
        balls[f"B{number}"] = near
    builder.body("platform", mass=1, inertia=_INERTIA, points=balls)
    for number in (1, 2, 3):
        builder.prismatic(f"rail{number}", f"ground.A{number}", f"slide{number}", axis=[0, 0, 1])
        builder.revolute(f"pin{number}", f"slide{number}", f"leg{number}", axis=[0, 1, 0])
        builder.spherical(f"ball{number}", f"leg{number}.end", f"platform.B{number}")
        builder.start(f"rail{number}.s", slides[number - 1], fixed=False)
        builder.start(f"pin{number}.angle", -0.3, fixed=False)
    builder.start("platform.z", 0.3, fixed=False)
    return builder.output("height", "platform.z").experiment(stop=0.1, step=0.01).build()
