"""Parallel platforms, planar and spatial."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from linkages.frames import Array, Frame, random_rotation, rotation
from linkages.planar import _join, _link
from linkages.skeleton import Skeleton, planar_frame

__all__ = ["planar_platform", "rod_platform", "spatial_platform"]


def planar_platform(random: np.random.Generator) -> Skeleton:
    """A body on three legs of three joints each: pins, of which at most one a leg is a slide."""
    skeleton = Skeleton("PlanarPlatform", planar=True)
    x, y = 0.2 * random.standard_normal(2)
    platform = skeleton.body("platform", planar_frame(x, y, random.uniform(-math.pi, math.pi)))
    legs = str(random.choice(["RRR", "RPR", "PRR", "RRP"]))
    for number in range(3):
        turn = 2 * math.pi * number / 3 + random.uniform(-0.4, 0.4)
        out = np.array([math.cos(turn), math.sin(turn)])
        foot, head = random.uniform(1.0, 1.4) * out, [x, y] + random.uniform(0.2, 0.5) * out
        knee = (foot + head) / 2 + 0.3 * random.standard_normal(2)
        shank = skeleton.body(f"shank{number}", _link(random, foot))
        thigh = skeleton.body(f"thigh{number}", _link(random, head))
        pairs = [("ground", shank), (shank, thigh), (thigh, platform)]
        for ends, at, letter in zip(pairs, (foot, knee, head), legs, strict=True):
            _join(skeleton, random, ends, at, letter == "P")
    return skeleton


def spatial_platform(random: np.random.Generator) -> Skeleton:
    """A body on three legs such as RPS, PRS, RRS, or on three to six legs UPS."""
    legs = str(random.choice(["RPS", "PRS", "RRS", "UPS"]))
    count = int(random.integers(3, 5)) if legs == "UPS" else 3
    skeleton = Skeleton(f"Platform{legs}", planar=False)
    height = random.uniform(0.6, 1.0)
    middle = np.array([*(0.1 * random.standard_normal(2)), height])
    platform = skeleton.body("platform", Frame(middle, random_rotation(random)))
    for number in range(count):
        turn = 2 * math.pi * number / count + random.uniform(-0.3, 0.3)
        _leg(skeleton, random, legs, number, turn, middle, platform)
    return skeleton


def _leg(
    skeleton: Skeleton,
    random: np.random.Generator,
    letters: Sequence[str],
    number: int,
    turn: float,
    middle: Array,
    platform: str,
) -> None:
    out = np.array([math.cos(turn), math.sin(turn), 0.0])
    across = np.array([-math.sin(turn), math.cos(turn), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    foot = random.uniform(0.6, 0.9) * out
    # The ball of a leg lies in the plane of the leg.
    reach = random.uniform(0.2, 0.4)
    ball = reach * out + up * middle[2] + up * random.uniform(-0.1, 0.1)
    hinge = np.column_stack([out, up, -across])
    knee = (foot + ball) / 2 + random.uniform(0.15, 0.4) * out
    lower = skeleton.body(f"lower{number}", Frame(foot, random_rotation(random)))
    upper = skeleton.body(f"upper{number}", Frame(ball, random_rotation(random)))
    along = (ball - foot) / np.linalg.norm(ball - foot)
    side = np.cross(along, hinge[:, 2])
    cylinder = Frame(foot, np.column_stack([hinge[:, 2], side, along]))
    first, second = random.uniform(-1.0, 1.0, 2)
    stroke = float(random.uniform(0.1, 0.6))
    match "".join(letters):
        case "RPS":
            skeleton.revolute("ground", lower, Frame(foot, hinge), first)
            skeleton.prismatic(lower, upper, cylinder, stroke)
        case "PRS":
            rail = Frame(foot, np.column_stack([out, across, up]))
            skeleton.prismatic("ground", lower, rail, stroke)
            skeleton.revolute(lower, upper, Frame(foot + stroke * up, hinge), first)
        case "RRS":
            skeleton.revolute("ground", lower, Frame(foot, hinge), first)
            skeleton.revolute(lower, upper, Frame(knee, hinge), second)
        case _:
            cross = Frame(foot, rotation("z", turn) @ rotation("y", 0.3))
            skeleton.universal("ground", lower, cross, first, second)
            skeleton.prismatic(lower, upper, cylinder, stroke)
    skeleton.spherical(upper, platform, Frame(ball, np.eye(3)), random_rotation(random))


def rod_platform(random: np.random.Generator) -> Skeleton:
    """A body on three to five rods from the ground, or on two rods from each of three arms."""
    arms = random.random() < 0.5
    skeleton = Skeleton("ArmsAndRods" if arms else "Rods", planar=False)
    middle = np.array([*(0.1 * random.standard_normal(2)), -random.uniform(0.5, 0.9)])
    platform = skeleton.body("platform", Frame(middle, random_rotation(random)))
    count = 3 if arms else int(random.integers(3, 6))
    for number in range(count):
        turn = 2 * math.pi * number / count + random.uniform(-0.3, 0.3)
        out = np.array([math.cos(turn), math.sin(turn), 0.0])
        across = np.array([-math.sin(turn), math.cos(turn), 0.0])
        near = middle + random.uniform(0.1, 0.25) * out
        if not arms:
            skeleton.rod("ground", platform, random.uniform(0.4, 0.8) * out, near)
            continue
        shoulder = 0.3 * out
        elbow = shoulder + 0.35 * out + random.uniform(-0.2, 0.2) * np.array([0.0, 0.0, 1.0])
        arm = skeleton.body(f"arm{number}", Frame(shoulder, random_rotation(random)))
        axes = np.column_stack([out, np.array([0.0, 0.0, 1.0]), -across])
        skeleton.revolute("ground", arm, Frame(shoulder, axes), random.uniform(-3.0, 3.0))
        for side in (-0.1, 0.1):
            skeleton.rod(arm, platform, elbow + side * across, near + side * across)
    return skeleton
