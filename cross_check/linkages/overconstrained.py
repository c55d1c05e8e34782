"""Linkages that move although they have more constraints than Grübler's count allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from linkages.frames import GROUND, Array, Frame, random_rotation, rotation
from linkages.skeleton import Skeleton, UnsuitableError, planar_frame

__all__ = ["KINDS", "overconstrained"]

#: A link from axis to axis: length and twist, and the offset along the axis it begins at.
Link = tuple[float, float, float]

_CLOSED = 1e-14


def overconstrained(random: np.random.Generator) -> Skeleton:
    """One of all kinds."""
    names = list(KINDS)
    return KINDS[names[int(random.integers(len(names)))]](random)


# --- loops of revolutes ---------------------------------------------------------------------------


def bennett(random: np.random.Generator) -> Skeleton:
    a, b, alpha, beta = _pair(random)
    return _chain("Bennett", [(a, alpha, 0), (b, beta, 0), (a, alpha, 0), (b, beta, 0)], random)


def goldberg(random: np.random.Generator) -> Skeleton:
    """Two Bennett linkages with a common link, which is taken out."""
    a, b, alpha, beta = _pair(random)
    gamma = random.uniform(0.4, 1.2)
    c = a * math.sin(gamma) / math.sin(alpha)
    links = [(b, beta, 0), (a, alpha, 0), (c, gamma, 0), (b, beta, 0), (a + c, alpha + gamma, 0)]
    return _chain("Goldberg", links, random)


def myard(random: np.random.Generator) -> Skeleton:
    twist, length = random.uniform(0.4, 1.1), random.uniform(0.3, 0.9)
    short, right = length * math.sin(twist), math.pi / 2
    links = [
        (short, math.pi - twist, 0),
        (short, twist, 0),
        (length, right, 0),
        (0.0, math.pi - 2 * twist, 0),
        (length, right, 0),
    ]
    return _chain("Myard", links, random)


def bricard(random: np.random.Generator) -> Skeleton:
    """Bricard's line-symmetric linkage of six revolutes."""
    half = [(random.uniform(0.3, 1.0), random.uniform(0.4, 2.2), random.uniform(-0.4, 0.4)) for _ in range(3)]
    return _chain("Bricard", half * 2, random)


def trihedral(random: np.random.Generator) -> Skeleton:
    """Bricard's orthogonal linkage: the squares of every other length have the same sum."""
    first, second = random.uniform(0.6, 0.9, 3), random.uniform(0.6, 0.9, 3)
    second *= math.sqrt((first @ first) / (second @ second))
    twists = [math.pi / 2, 3 * math.pi / 2] * 3
    lengths = np.column_stack([first, second]).ravel()
    links = [(float(length), twist, 0.0) for length, twist in zip(lengths, twists, strict=True)]
    return _chain("Trihedral", links, random)


def spherical_loop(random: np.random.Generator) -> Skeleton:
    """Revolutes whose axes meet in a point."""
    links = [(0.0, float(twist), 0.0) for twist in random.uniform(0.6, 1.4, int(random.integers(4, 6)))]
    return _chain("SphericalLoop", links, random)


def planar_in_space(random: np.random.Generator) -> Skeleton:
    """A planar loop of four or five links, drawn in space."""
    links = [(float(length), 0.0, 0.0) for length in random.uniform(0.4, 1.0, int(random.integers(4, 6)))]
    return _chain("PlanarInSpace", links, random)


def _pair(random: np.random.Generator) -> tuple[float, float, float, float]:
    """Lengths and twists of Bennett's linkage: a / sin(alpha) = b / sin(beta)."""
    alpha, beta = random.uniform(0.4, 1.2), random.uniform(0.4, 1.4)
    a = random.uniform(0.3, 0.8)
    return a, a * math.sin(beta) / math.sin(alpha), alpha, beta


def _chain(name: str, links: Sequence[Link], random: np.random.Generator) -> Skeleton:
    """A loop of revolutes, closed from angles at random; its first link is the ground.

    Raises
    ------
    UnsuitableError
        If the loop does not close, or cannot move.
    """
    angles = _closed_angles(links, random)
    base = Frame(random.uniform(-0.5, 0.5, 3), random_rotation(random))
    skeleton = Skeleton(name, planar=False)
    at, count = base, len(links)
    names = ["ground", *(f"link{number}" for number in range(1, count))]
    axes = []
    for number, ((length, twist, offset), angle) in enumerate(zip(links, angles, strict=True)):
        near = at.moved(offset)
        turned = near.turned("z", angle)
        axes.append((near, turned))
        at = turned @ Frame(np.array([length, 0.0, 0.0]), rotation("x", twist))
        if number < count - 1:
            skeleton.body(names[number + 1], Frame(turned.position, turned.axes))
    for number, ((near, turned), angle) in enumerate(zip(axes, angles, strict=True)):
        # The last axis leads back to the ground, at the base itself.
        ends = names[number], names[(number + 1) % count]
        skeleton.revolute(*ends, near, float(angle))
        if number == count - 1:
            last = skeleton.joints[-1]
            assert np.allclose(last.head.position, turned.position)
    if skeleton.mobility < 1:
        raise UnsuitableError(f"{name} cannot move")
    return skeleton


def _closure(links: Sequence[Link], angles: Array) -> Frame:
    at = GROUND
    for (length, twist, offset), angle in zip(links, angles, strict=True):
        at = at.moved(offset).turned("z", float(angle))
        at = at @ Frame(np.array([length, 0.0, 0.0]), rotation("x", twist))
    return at


def _closed_angles(links: Sequence[Link], random: np.random.Generator) -> Array:
    def gap(angles: Array) -> Array:
        end = _closure(links, angles)
        return np.concatenate([end.position, (end.axes - np.eye(3)).ravel()])

    for _ in range(40):
        angles = random.uniform(-math.pi, math.pi, len(links))
        for _ in range(60):
            missed = gap(angles)
            if np.abs(missed).max() < _CLOSED:
                break
            slopes = [(gap(angles + 1e-7 * e) - gap(angles - 1e-7 * e)) / 2e-7 for e in np.eye(len(links))]
            step = np.linalg.lstsq(np.array(slopes).T, -missed, rcond=1e-6)[0]
            angles = angles + step * min(1.0, 0.7 / (np.abs(step).max() + 1e-300))
        apart = np.abs(np.sin(angles / 2)).min()
        if np.abs(gap(angles)).max() < 1e-13 and apart > 0.05 and np.abs(np.cos(angles / 2)).min() > 0.05:
            return np.arctan2(np.sin(angles), np.cos(angles))
    raise UnsuitableError("the loop was not closed")


# --- others ---------------------------------------------------------------------------------------


def side_rods(random: np.random.Generator) -> Skeleton:
    """Three or four equal cranks that carry one coupler, in the plane."""
    skeleton = Skeleton("SideRods", planar=True)
    count, length, angle = int(random.integers(3, 5)), random.uniform(0.3, 0.7), random.uniform(-2.8, 2.8)
    if abs(math.sin(angle)) < 0.2:
        raise UnsuitableError("the cranks are in line")
    arm = length * np.array([math.cos(angle), math.sin(angle), 0.0])
    rod = skeleton.body("rod", planar_frame(arm[0] + 0.5, arm[1] + 0.1, random.uniform(-1.0, 1.0)))
    for number in range(count):
        at = np.array([0.8 * number, random.uniform(-0.3, 0.3) if number > 1 else 0.0, 0.0])
        crank = skeleton.body(f"crank{number}", planar_frame(*at[:2], angle))
        skeleton.revolute("ground", crank, Frame(at, np.eye(3)))
        skeleton.revolute(crank, rod, Frame(at + arm, np.eye(3)))
    return skeleton


def sarrus(random: np.random.Generator) -> Skeleton:
    """Two or three legs of three parallel revolutes each, in different directions, under one platform."""
    skeleton = Skeleton("Sarrus", planar=False)
    legs = int(random.integers(2, 4))
    height = random.uniform(0.5, 0.9)
    platform = skeleton.body("platform", Frame(np.array([0.0, 0.0, height]), random_rotation(random)))
    for number in range(legs):
        turn = number * math.pi / legs + random.uniform(-0.2, 0.2)
        axis = np.array([-math.sin(turn), math.cos(turn), 0.0])
        out = np.array([math.cos(turn), math.sin(turn), 0.0])
        axes = np.column_stack([out, np.cross(axis, out), axis])
        foot, head = random.uniform(0.2, 0.5), random.uniform(0.2, 0.5)
        places = [
            foot * out,
            (foot + random.uniform(0.3, 0.7)) * out + [0.0, 0.0, height * random.uniform(0.3, 0.7)],
            head * out + [0.0, 0.0, height],
        ]
        lower = skeleton.body(f"lower{number}", Frame(places[0], random_rotation(random)))
        upper = skeleton.body(f"upper{number}", Frame(places[1], random_rotation(random)))
        pairs = [("ground", lower), (lower, upper), (upper, platform)]
        for ends, place in zip(pairs, places, strict=True):
            skeleton.revolute(*ends, Frame(place, axes), random.uniform(-3.0, 3.0))
    return skeleton


#: The kinds by name.
KINDS: dict[str, Callable[[np.random.Generator], Skeleton]] = {
    "bennett": bennett,
    "goldberg": goldberg,
    "myard": myard,
    "bricard": bricard,
    "trihedral": trihedral,
    "spherical": spherical_loop,
    "planar": planar_in_space,
    "side rods": side_rods,
    "sarrus": sarrus,
}
