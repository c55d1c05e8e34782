"""Planar linkages: single loops of pins and slides, and loops upon loops."""

from __future__ import annotations

import math

import numpy as np

from linkages.frames import Array, Frame
from linkages.skeleton import Skeleton, planar_frame

__all__ = ["loop", "loops", "slider_loop"]


def _pin(at: Array) -> Frame:
    return Frame(np.array([at[0], at[1], 0.0]), np.eye(3))


def _rail(at: Array, direction: float) -> Frame:
    """A frame in the plane whose z axis is the direction of a slide."""
    along = np.array([math.cos(direction), math.sin(direction), 0.0])
    across = np.array([-along[1], along[0], 0.0])
    return Frame(np.array([at[0], at[1], 0.0]), np.column_stack([across, np.array([0.0, 0.0, 1.0]), along]))


def _polygon(random: np.random.Generator, corners: int) -> Array:
    """Corners of a closed chain, none too near to its neighbours."""
    while True:
        points = random.uniform(-1.0, 1.0, (corners, 2))
        sides = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
        if sides.min() > 0.35:
            return points


def _link(random: np.random.Generator, near: Array) -> Frame:
    x, y = near + 0.2 * random.standard_normal(2)
    return planar_frame(x, y, random.uniform(-math.pi, math.pi))


def loop(random: np.random.Generator, slides: int = 0) -> Skeleton:
    """A loop of 4 to 8 links."""
    corners = _polygon(random, int(random.integers(4, 9 if slides == 0 else 7)))
    skeleton = Skeleton("Loop", planar=True)
    names = ["ground"]
    for number in range(1, len(corners)):
        middle = (corners[number - 1] + corners[number]) / 2
        names.append(skeleton.body(f"link{number}", _link(random, middle)))
    sliding = set(random.choice(len(corners), slides, replace=False).tolist())
    for number, at in enumerate(corners):
        ends = names[number], names[(number + 1) % len(names)]
        _join(skeleton, random, ends, at, number in sliding)
    return skeleton


def slider_loop(random: np.random.Generator) -> Skeleton:
    """A loop with one or two slides."""
    return loop(random, slides=int(random.integers(1, 3)))


def loops(random: np.random.Generator) -> Skeleton:
    """A four-bar or a crank, and one to three dyads upon it: two links, three joints, no new freedom."""
    skeleton = Skeleton("Loops", planar=True)
    corners = _polygon(random, 4)
    names = ["ground"]
    for number in range(1, 4):
        names.append(skeleton.body(f"link{number}", _link(random, corners[number])))
    for number, at in enumerate(corners):
        _join(skeleton, random, (names[number], names[(number + 1) % 4]), at, sliding=False)
    for dyad in range(int(random.integers(1, 4))):
        first, second = random.choice(["ground", *skeleton.frames], 2, replace=False)
        a, b, c = _polygon(random, 3)
        near = skeleton.body(f"near{dyad}", _link(random, (a + b) / 2))
        far = skeleton.body(f"far{dyad}", _link(random, (b + c) / 2))
        sliding = int(random.integers(0, 6))  # of three joints one slides in half of all dyads
        pairs = [((str(first), near), a), ((near, far), b), ((far, str(second)), c)]
        for number, (ends, at) in enumerate(pairs):
            _join(skeleton, random, ends, at, number == sliding)
    return skeleton


def _join(
    skeleton: Skeleton, random: np.random.Generator, ends: tuple[str, str], at: Array, sliding: bool
) -> None:
    if sliding:
        rail = _rail(at, random.uniform(-math.pi, math.pi))
        skeleton.prismatic(*ends, rail, random.uniform(-0.6, 0.6))
    else:
        skeleton.revolute(*ends, _pin(at))
