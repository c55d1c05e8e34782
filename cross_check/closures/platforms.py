"""Parallel robots and wheel suspensions of the corpus."""

from __future__ import annotations

import math
from collections.abc import Callable

from closures.description import Mechanism

__all__ = ["ROBOTS", "SUSPENSIONS"]

Vector = tuple[float, float, float]


def _polar(radius: float, turn: float, height: float) -> Vector:
    return radius * math.cos(turn), radius * math.sin(turn), height


def _text(vector: Vector) -> str:
    return " ".join(repr(x if abs(x) > 1e-15 else 0.0) for x in map(float, vector))


def _across(turn: float) -> Vector:
    return -math.sin(turn), math.cos(turn), 0.0


def _apart(start: Vector, end: Vector) -> Vector:
    return end[0] - start[0], end[1] - start[1], end[2] - start[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _legs(count: int, leg: Callable[[int, float], str], twist: float = 0.0) -> str:
    turns = [2 * math.pi * n / count + twist * n for n in range(count)]
    return ";".join(leg(number + 1, turn) for number, turn in enumerate(turns))


def _paired(number: int, radius: float, spread: float, height: float) -> Vector:
    """One of six points in three pairs."""
    pair, side = divmod(number - 1, 2)
    return _polar(radius, 2 * math.pi * pair / 3 + (spread if side else -spread), height)


def _rps(n: int, turn: float) -> str:
    foot, ball = _polar(0.8, turn, 0.0), _polar(0.35, turn, 0.9)
    along = tuple(b - a for a, b in zip(foot, ball, strict=True))
    return (
        f"ground-tube{n} R {_text(foot)} | {_text(_across(turn))};"
        f"tube{n}-rod{n} P {_text(foot)} | {_text(along)}; rod{n}-platform S {_text(ball)}"
    )


def _prs(n: int, turn: float) -> str:
    foot, ball = _polar(0.8, turn, 0.2), _polar(0.35, turn, 0.9)
    return (
        f"ground-shoe{n} P {_text(foot)} | 0 0 1; shoe{n}-rod{n} R {_text(foot)} | {_text(_across(turn))};"
        f"rod{n}-platform S {_text(ball)}"
    )


def _rrs(n: int, turn: float) -> str:
    foot, knee, ball = _polar(0.6, turn, 0.0), _polar(0.9, turn, 0.4), _polar(0.35, turn, 0.8)
    axis = _text(_across(turn))
    return (
        f"ground-arm{n} R {_text(foot)} | {axis}; arm{n}-rod{n} R {_text(knee)} | {axis};"
        f"rod{n}-platform S {_text(ball)}"
    )


def _upu(n: int, turn: float) -> str:
    """Outer axes parallel, inner axes parallel and across the leg: the platform does not turn."""
    foot, head = _polar(0.8, turn, 0.0), _polar(0.4, turn + 0.2, 0.9)
    along = _apart(foot, head)
    side = _across(turn)
    across = _cross(side, along)
    return (
        f"ground-tube{n} U {_text(foot)} | {_text(side)} | {_text(across)};"
        f"tube{n}-rod{n} P {_text(foot)} | {_text(along)};"
        f"rod{n}-platform U {_text(head)} | {_text(across)} | {_text(side)}"
    )


def _ups(n: int, foot: Vector, ball: Vector) -> str:
    along = tuple(b - a for a, b in zip(foot, ball, strict=True))
    return (
        f"ground-tube{n} U {_text(foot)} | 1 0 0 | 0 1 0; tube{n}-rod{n} P {_text(foot)} | {_text(along)};"
        f"rod{n}-platform S {_text(ball)}"
    )


def _rod_pair(n: int, turn: float, drive: str) -> str:
    """An arm or a shoe, and two equal rods to the platform."""
    shoulder, elbow = _polar(0.2, turn, 0.0), _polar(0.5, turn, 0.05)
    wrist = _polar(0.08, turn, -0.8)
    if drive == "R":
        joint = f"ground-arm{n} R {_text(shoulder)} | {_text(_across(turn))};"
    else:
        joint = f"ground-arm{n} P {_text(elbow)} | 0 0 1;"
    side = tuple(0.06 * x for x in _across(turn))
    rods = []
    for sign in (1.0, -1.0):
        offset = _text(tuple(sign * b for b in side))
        rods.append(f"arm{n}-platform L {_text(elbow)} + {offset} > {_text(wrist)} + {offset}")
    return joint + ";".join(rods)


def _six(kind: str) -> str:
    def leg(n: int, turn: float) -> str:
        foot, ball = _paired(n, 0.8, 0.25, 0.0), _paired(n, 0.45, 0.75, 0.8)
        turn = math.atan2(foot[1], foot[0])
        knee = tuple(a + b for a, b in zip(foot, _polar(0.2, turn, 0.1), strict=True))
        axis = _text(_across(turn))
        match kind:
            case "UPS":
                return _ups(n, foot, ball)
            case "SS":
                return f"ground-platform L {_text(foot)} > {_text(ball)}"
            case "RSS":
                crank = f"ground-crank{n} R {_text(foot)} | {axis}"
                return f"{crank}; crank{n}-platform L {_text(knee)} > {_text(ball)}"
            case "RUS":
                return (
                    f"ground-crank{n} R {_text(foot)} | {axis}; crank{n}-link{n} U {_text(knee)} | {axis} | "
                    f"{_text(_polar(1.0, turn, 0.0))}; link{n}-platform S {_text(ball)}"
                )
            case _:
                shoe = f"ground-shoe{n} P {_text(foot)} | 0 0 1"
                return f"{shoe}; shoe{n}-platform L {_text(foot)} > {_text(ball)}"

    return _legs(6, leg)


def _agile_eye() -> str:
    """Three spherical legs of two links each, all axes through the origin."""

    def leg(n: int, turn: float) -> str:
        points = _polar(0.4, turn, -0.3), _polar(0.5, turn + 0.7, 0.0), _polar(0.4, turn + 0.3, 0.3)
        bodies = ("ground", f"proximal{n}", f"distal{n}", "platform")
        return ";".join(
            f"{a}-{b} R {_text(p)} | {_text(p)}" for a, b, p in zip(bodies, bodies[1:], points, strict=False)
        )

    return _legs(3, leg, 0.1)


ROBOTS = (
    Mechanism("Spatial3RPS", "parallel robots", _legs(3, _rps)),
    Mechanism("Spatial3PRS", "parallel robots", _legs(3, _prs)),
    Mechanism("Spatial3RRS", "parallel robots", _legs(3, _rrs)),
    Mechanism("Spatial3UPU", "parallel robots", _legs(3, _upu)),
    Mechanism("Delta", "parallel robots", _legs(3, lambda n, turn: _rod_pair(n, turn, "R")), changed="rod"),
    Mechanism(
        "DeltaByArms",
        "parallel robots",
        _legs(3, lambda n, turn: _rod_pair(n, turn, "R")),
        changed="rod",
        independent=("j1.angle", "j4.angle", "j7.angle"),
    ),
    Mechanism(
        "LinearDelta", "parallel robots", _legs(3, lambda n, turn: _rod_pair(n, turn, "P")), changed="rod"
    ),
    Mechanism("Platform6UPS", "parallel robots", _six("UPS"), changed="platform"),
    Mechanism("Platform6RSS", "parallel robots", _six("RSS")),
    Mechanism("Platform6RUS", "parallel robots", _six("RUS")),
    Mechanism("Hexaglide", "parallel robots", _six("PSS"), changed="platform"),
    Mechanism("AgileEye", "parallel robots", _agile_eye(), in_proportion=True),
    Mechanism(
        "Tripteron",
        "parallel robots",
        "ground-x1 P 0 0.5 0.5 | 1 0 0; x1-x2 R 0.1 0.5 0.5 | 1 0 0; x2-x3 R 0.15 0.8 0.7 | 1 0 0;"
        "x3-tool R 0.2 0.9 0.3 | 1 0 0; ground-y1 P 0.5 0 0.5 | 0 1 0; y1-y2 R 0.5 0.1 0.5 | 0 1 0;"
        "y2-y3 R 0.8 0.15 0.8 | 0 1 0; y3-tool R 0.9 0.2 0.3 | 0 1 0; ground-z1 P 0.5 0.5 0 | 0 0 1;"
        "z1-z2 R 0.5 0.5 0.1 | 0 0 1; z2-z3 R 0.9 0.6 0.15 | 0 0 1; z3-tool R 0.6 0.9 0.2 | 0 0 1",
    ),
    Mechanism(
        "Wrist2UPS",
        "parallel robots",
        "ground-head U 0 0 0.5 | 1 0 0 | 0 1 0; ground-tube1 U 0.4 0.1 0 | 1 0 0 | 0 1 0;"
        "tube1-rod1 P 0.4 0.1 0 | -0.1 0.1 0.5; rod1-head S 0.3 0.2 0.5;"
        "ground-tube2 U -0.1 0.4 0 | 1 0 0 | 0 1 0;"
        "tube2-rod2 P -0.1 0.4 0 | 0.1 -0.1 0.5; rod2-head S 0 0.3 0.5",
    ),
    Mechanism(
        "SwashPlate",
        "parallel robots",
        "ground-sleeve P 0 0 0 | 0 0 1; sleeve-plate U 0 0 0.3 | 1 0 0 | 0 1 0;"
        "ground-arm1 R 0.3 0 0 | 0 1 0;"
        "arm1-plate L 0.45 0.02 0 > 0.3 0 0.3; ground-arm2 R -0.15 0.26 0 | 1 0 0;"
        "arm2-plate L -0.15 0.4 0.02 > -0.15 0.26 0.3; ground-arm3 R -0.15 -0.26 0 | 1 0 0;"
        "arm3-plate L -0.15 -0.4 0.02 > -0.15 -0.26 0.3",
    ),
    Mechanism(
        "CassieLeg",
        "parallel robots",
        "ground-thigh R 0 0 0 | 0 1 0; thigh-knee R 0.1 0 -0.4 | 0 1 0; knee-shin R 0.15 0.01 -0.45 | 0 1 0;"
        "shin-tarsus R -0.1 0.02 -0.8 | 0 1 0; thigh-spring R 0.03 0.04 -0.05 | 0 1 0;"
        "spring-tarsus L -0.05 0.05 -0.1 > -0.2 0.06 -0.75",
    ),
)

SUSPENSIONS = (
    Mechanism(
        "DoubleWishbone",
        "suspensions",
        "ground-lower R 0 0.3 0.2 | 1 0.05 0.03; lower-carrier S 0.02 0.75 0.18;"
        "ground-upper R 0 0.4 0.55 | 1 -0.04 0.02;"
        "upper-carrier S -0.02 0.7 0.52; ground-rack P 0.12 0.3 0.25 | 0 1 0;"
        "rack-carrier L 0.12 0.35 0.25 > 0.13 0.72 0.24",
    ),
    Mechanism(
        "McPherson",
        "suspensions",
        "ground-arm R 0 0.3 0.2 | 1 0.05 0.03; arm-carrier S 0.02 0.75 0.18;"
        "carrier-strut C 0 0.62 0.6 | 0.03 -0.2 1;"
        "strut-ground S -0.03 0.55 0.95; ground-rack P 0.12 0.3 0.3 | 0 1 0;"
        "rack-carrier L 0.12 0.35 0.3 > 0.14 0.7 0.28",
    ),
    Mechanism(
        "FiveLink",
        "suspensions",
        "ground-carrier L 0.1 0.3 0.2 > 0.05 0.75 0.18; ground-carrier L -0.2 0.32 0.22 > -0.06 0.74 0.2;"
        "ground-carrier L 0.12 0.4 0.5 > 0.04 0.7 0.52; ground-carrier L -0.15 0.42 0.55 > -0.05 0.68 0.5;"
        "ground-carrier L 0.2 0.35 0.3 > 0.15 0.72 0.32",
        changed="rod",
    ),
    Mechanism(
        "TrapezoidalLink",
        "suspensions",
        "ground-lower R 0 0.3 0.2 | 1 0.05 0; lower-carrier R 0 0.75 0.18 | 1 -0.08 0.1;"
        "ground-carrier L 0.05 0.4 0.5 > 0.02 0.7 0.52",
        changed="rod",
    ),
    Mechanism(
        "SemiTrailingArm",
        "suspensions",
        "ground-arm R 0.4 0.4 0.25 | 1 3 0.1; arm-carrier R 0 0.7 0.3 | 0 0 1;"
        "ground-carrier L -0.1 0.3 0.3 > -0.12 0.68 0.31",
    ),
    Mechanism(
        "PanhardAxle",
        "suspensions",
        "ground-axle L 0.5 0.5 0.3 > 0.02 0.5 0.22; ground-axle L 0.5 -0.5 0.3 > 0.02 -0.5 0.22;"
        "ground-axle L 0.45 0.3 0.5 > 0.03 0.35 0.42; ground-axle L -0.1 0.45 0.35 > -0.1 -0.45 0.3",
        changed="rod",
    ),
    Mechanism(
        "TrailingArmPanhard",
        "suspensions",
        "ground-arm1 R 0.5 0.5 0.3 | 0 1 0; arm1-axle S 0 0.5 0.25; ground-arm2 R 0.5 -0.5 0.3 | 0 1 0;"
        "arm2-axle E 0 -0.5 0.25 | 1 0 0 | 0 1 0",
    ),
    Mechanism(
        "WattAxle",
        "suspensions",
        "ground-axle L 0.5 0.5 0.3 > 0.02 0.5 0.22; ground-axle L 0.5 -0.5 0.3 > 0.02 -0.5 0.22;"
        "ground-axle L 0.45 0.1 0.5 > 0.03 0.1 0.42; axle-rocker R -0.05 0 0.25 | 1 0 0;"
        "rocker-ground L -0.05 0.02 0.33 > -0.05 0.55 0.35;"
        "rocker-ground L -0.05 -0.02 0.17 > -0.05 -0.55 0.15",
        changed="rocker",
    ),
    Mechanism(
        "FourLinkAxle",
        "suspensions",
        "ground-axle L 0.5 0.5 0.2 > 0.02 0.55 0.2; ground-axle L 0.5 -0.5 0.2 > 0.02 -0.55 0.2;"
        "ground-axle L 0.4 0.4 0.45 > 0 0.08 0.42; ground-axle L 0.4 -0.4 0.45 > 0 -0.08 0.42",
        changed="rod",
    ),
    Mechanism(
        "IntegralLink",
        "suspensions",
        "ground-lower R 0 0.3 0.2 | 1 0.05 0; lower-carrier S 0.03 0.75 0.18;"
        "lower-carrier L -0.15 0.65 0.2 > -0.12 0.7 0.35;"
        "ground-carrier L 0.05 0.4 0.5 > 0.02 0.7 0.52; ground-carrier L 0.2 0.35 0.3 > 0.18 0.72 0.32",
    ),
    Mechanism(
        "PushRod",
        "suspensions",
        "ground-lower R 0 0.3 0.2 | 1 0.05 0.03; ground-bell R 0.1 0.3 0.6 | 1 0.2 0;"
        "lower-bell L 0.05 0.65 0.2 > 0.1 0.4 0.65",
    ),
)
