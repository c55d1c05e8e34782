"""Spatial mechanisms of the corpus: single loops, spherical and overconstrained linkages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from closures.description import Mechanism

__all__ = ["SPATIAL"]

#: Corners of a loop in space, and axes there, none of them parallel to another.
_CORNERS = (
    (0.0, 0.0, 0.0),
    (0.1, 0.3, 0.1),
    (0.7, 0.6, 0.4),
    (1.1, 0.2, 0.2),
    (0.8, -0.4, -0.1),
    (0.3, -0.5, 0.1),
)
_AXES = ((0, 0, 1), (1, 2, 3), (2, -1, 2), (1, 0, 0), (2, 2, -1), (0, 3, 4))
#: A second axis across each of them, for universal joints. Their planes hold no neighbouring corner: a link
#: from there to a ball would spin about itself and nothing else would move.
_ACROSS = ((1, 0, 0), (2, -1, 0), (1, 2, 0), (0, 1, 0), (1, -1, 0), (1, 0, 0))


def _loop(letters: str) -> str:
    """A loop of these joints at the corners, with skew axes."""
    bodies = ["ground", *(f"link{chr(ord('a') + k)}" for k in range(len(letters) - 1)), "ground"]
    joints = []
    for k, letter in enumerate(letters):
        axes = {"S": "", "U": f" | {_text(_AXES[k])} | {_text(_ACROSS[k])}"}.get(
            letter, f" | {_text(_AXES[k])}"
        )
        joints.append(f"{bodies[k]}-{bodies[k + 1]} {letter} {_text(_CORNERS[k])}{axes}")
    return ";".join(joints)


def _text(vector: Sequence[float]) -> str:
    return " ".join(repr(float(x)) for x in vector)


_SINGLE = ("RSSR", "RSSP", "RCCC", "RSCR", "RRSC", "RSRC", "RUSR", "PUSR", "RSUR", "RSPC", "RSCP", "RCSP",
           "PSCR", "RPSC", "CSRR", "RRRSR", "RPRSR", "CCCP", "RUUC")  # fmt: skip


def _spherical(count: int, radius: float = 0.4) -> str:
    """Revolutes whose axes meet in the origin."""
    directions = [(0, 0, 1), (2, 1, 6), (3, 6, 2), (6, -2, 3), (4, -4, 7)][:count]
    bodies = ["ground", *(f"link{chr(ord('a') + k)}" for k in range(count - 1)), "ground"]
    joints = []
    for k, axis in enumerate(directions):
        size = math.sqrt(sum(x * x for x in axis))
        point = tuple(radius * x / size for x in axis)
        joints.append(f"{bodies[k]}-{bodies[k + 1]} R {_text(point)} | {_text(axis)}")
    return ";".join(joints)


_OTHERS = {
    "RSSRParallelAxes": "ground-crank R 0 0 0 | 0 0 1; crank-rod S 0.3 0 0.1; rod-rocker S 0.7 0.5 0.2;"
    "rocker-ground R 0.9 0 0.1 | 0 0 1",
    "RSSRCrossedAxes": "ground-crank R 0 0 0 | 0 0 1; crank-rod S 0.3 0.1 0; rod-rocker S 0.8 0.1 0.5;"
    "rocker-ground R 0.9 0 0 | 0 1 0",
    "RSSRWithRod": "ground-crank R 0 0 0 | 0 0 1; crank-rocker L 0.3 0.1 0 > 0.8 0.1 0.5;"
    "rocker-ground R 0.9 0 0 | 0 1 0",
    "SpatialSliderCrank": "ground-crank R 0 0 0 | 1 0 0; crank-rod U 0 0.2 0.3 | 0 0 1 | 1 0 0;"
    "rod-slider S 0.9 0.1 0; slider-ground P 0.9 0.1 0 | 1 0 0",
    "HookeJoint": "ground-input R 0 0 0 | 1 0 0; input-output U 0.2 0 0 | 0 0 1 | 0 1 0;"
    "output-ground R 0.5 0.3 0 | 1 1 0",
    "CardanShaft": "ground-input R 0 0 0 | 1 0 0; input-tube U 0.2 0 0 | 0 0 1 | -0.2 1 0;"
    "tube-end P 0.45 0.05 0 | 1 0.2 0; end-output U 0.7 0.1 0 | -0.2 1 0 | 0 0 1;"
    "output-ground R 0.9 0.1 0.1 | 1 0 0.5",
    "Sarrus": "ground-low1 R 0.5 0 0 | 0 1 0; low1-high1 R 0.8 0 0.3 | 0 1 0;"
    "high1-table R 0.5 0 0.6 | 0 1 0;"
    "ground-low2 R 0 0.5 0 | 1 0 0; low2-high2 R 0 0.8 0.3 | 1 0 0; high2-table R 0 0.5 0.6 | 1 0 0",
    "WobblePlate": "ground-shaft R 0 0 0 | 1 0 0; shaft-plate R 0.2 0 0 | 4 1 0; plate-rod S 0.25 0.3 0;"
    "rod-piston S 0.7 0.35 0.05; piston-ground P 0.7 0.35 0.05 | 1 0 0; plate-guide S 0.2 0 -0.4;"
    "guide-ground E 0.2 0 -0.4 | 0 1 0 | 1 0 0",
    "LandingGear": "ground-strut R 0 0 0 | 1 0 0; strut-wheel R 0 0 -0.6 | 0 0 1;"
    "ground-tube U 0 0.6 0 | 1 0 0 | 0 3 -2;"
    "tube-rod C 0 0.4 -0.2 | 0 1 -1; rod-strut S 0 0.1 -0.5; ground-lever R 0.3 0 0 | 1 0 0;"
    "lever-link S 0.35 0.1 -0.3; link-wheel S 0.2 0.05 -0.6",
}

#: Bennett: opposite links alike, and lengths as the sines of their twists.
_BENNETT = (
    "ground-crank R 0 0 0 | 0 0 1; crank-rod R {b} | {bz};rod-rocker R {c} | {cz}; rocker-ground R {d} | {dz}"
)


def _bennett() -> str:
    """A closed Bennett linkage, from its twists of 30 and 50 degrees, at a crank angle of one radian."""
    alpha, beta = math.radians(30.0), math.radians(50.0)
    a, b = math.sin(alpha), math.sin(beta)
    theta1 = 1.0
    half = math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2)
    theta2 = 2 * math.atan(half / math.tan(theta1 / 2))
    turns = (theta1, theta2, -theta1)
    links = ((a, alpha), (b, beta), (a, alpha))
    frame = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    point = [0.0, 0.0, 0.0]
    found = []
    for turn, (length, twist) in zip(turns, links, strict=True):
        x, y, z = (list(row) for row in frame)
        x, y = _turned(x, y, turn)
        point = [p + length * e for p, e in zip(point, x, strict=True)]
        y, z = _turned(y, z, twist)
        frame = [x, y, z]
        found.append((_text(point), _text(z)))
    (p1, z1), (p2, z2), (p3, z3) = found
    return _BENNETT.format(b=p1, bz=z1, c=p2, cz=z2, d=p3, dz=z3)


def _turned(first: list[float], second: list[float], angle: float) -> tuple[list[float], list[float]]:
    c, s = math.cos(angle), math.sin(angle)
    return (
        [c * a + s * b for a, b in zip(first, second, strict=True)],
        [c * b - s * a for a, b in zip(first, second, strict=True)],
    )


#: A landing gear leaves little room for other changes. The axes of a universal joint and of spherical
#: linkages meet for proportional lengths alone.
_DETAILS: dict[str, dict[str, Any]] = {
    "LandingGear": {"changed": "link"},
    "HookeJoint": {"in_proportion": True},
}

SPATIAL = (
    *(Mechanism(name, "spatial loops", _loop(name), **_DETAILS.get(name, {})) for name in _SINGLE),
    *(Mechanism(name, "spatial loops", joints, **_DETAILS.get(name, {})) for name, joints in _OTHERS.items()),
    Mechanism("SphericalFourBar", "spherical", _spherical(4), in_proportion=True),
    Mechanism("SphericalFiveBar", "spherical", _spherical(5), in_proportion=True),
    Mechanism("Bennett", "overconstrained", _bennett(), in_proportion=True),
)
