"""Model files of mechanisms that can be made of any size: robots, rings, trusses, windows, and a car."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import cos, pi, sin
from pathlib import Path
from typing import Any

__all__ = ["MODELS", "chain"]

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def _text(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Tables as TOML; values below the second level are written inline."""
    lines = []
    for section, entries in tables.items():
        lines.append(f"[{section}]")
        lines += [f"{json.dumps(key)} = {_inline(value)}" for key, value in entries.items()]
    return "\n".join(lines) + "\n"


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_inline(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value)


def _model(name: str, space: str, up: int) -> dict[str, Any]:
    gravity: list[Any] = [0] * (3 if space == "spatial" else 2)
    gravity[up] = "-g"
    return {
        "model": {"name": name, "space": space, "gravity": gravity},
        "experiment": {"stop": 1.0, "step": 0.01},
        "parameters": {"g": {"value": 9.81, "unit": "m/s2"}},
    }


def robot(joints: int) -> str:
    """An arm in space; its axes are z, y, y, x, y, x and again. Every joint has a torque as an input."""
    axes = ([0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0])
    made = _model(f"Robot{joints}", "spatial", 2)
    made |= {each: {} for each in ("inputs", "bodies", "joints", "springs", "outputs")}
    for i in range(1, joints + 1):
        made["parameters"] |= {
            f"m{i}": {"value": 5.0 - 4.0 * i / joints, "unit": "kg"},
            f"l{i}": {"value": 0.4, "unit": "m"},
        }
        made["bodies"][f"link{i}"] = {
            "mass": f"m{i}",
            "inertia": [f"0.005*m{i}", f"m{i}*l{i}^2/12", f"m{i}*l{i}^2/12"],
            "center": [f"l{i}/2", 0, 0],
            "points": {"tip": [f"l{i}", 0, 0]},
        }
        below = "ground" if i == 1 else f"link{i - 1}.tip"
        ends = {"from": below, "to": f"link{i}", "axis": axes[(i - 1) % 6]}
        made["joints"][f"axis{i}"] = {"type": "revolute", **ends}
        made["inputs"][f"torque{i}"] = {"start": 0.0, "unit": "N.m"}
        drive = {"type": "rotational", "damping": 0.1, "actuator": f"torque{i}"}
        made["springs"][f"drive{i}"] = drive | ends
        made["outputs"][f"angle{i}"] = f"axis{i}.angle"
    return _text(made)


def chain(links: int) -> str:
    """Pendulums in the plane, each on the end of the one before it."""
    made = _model(f"Chain{links}", "planar", 1) | {"bodies": {}, "joints": {}}
    made["parameters"]["l"] = {"value": 0.1, "unit": "m"}
    ends = {"tail": [0, "l/2"], "head": [0, "-l/2"]}
    for i in range(links):
        made["bodies"][f"rod{i}"] = {"mass": 0.1, "inertia": "l^2/120", "points": ends}
        before = "ground" if i == 0 else f"rod{i - 1}.head"
        made["joints"][f"pin{i}"] = {"type": "revolute", "from": before, "to": f"rod{i}.tail"}
    made["outputs"] = {"angle": f"rod{links - 1}.angle"}
    return _text(made)


def ring(links: int) -> str:
    """A closed chain of equal rods in the plane; the ground is one more."""
    made = _model(f"Ring{links}", "planar", 1)
    corners = links + 1
    radius = 0.5 / sin(pi / corners)
    spots = [(radius * cos(2 * pi * k / corners), radius * sin(2 * pi * k / corners)) for k in range(corners)]
    angles = [2 * pi * (k + 0.5) / corners + pi / 2 for k in range(links)]
    made["ground"] = {"points": {"A": list(spots[0]), "B": list(spots[-1])}}
    made |= {"bodies": {}, "joints": {}, "start.guess": {}}
    made["parameters"]["l"] = {"value": 1.0, "unit": "m"}
    for i in range(links):
        made["bodies"][f"rod{i}"] = {
            "mass": 1,
            "inertia": "l^2/12",
            "points": {"tail": ["-l/2", 0], "head": ["l/2", 0]},
        }
        before = "ground.A" if i == 0 else f"rod{i - 1}.head"
        made["joints"][f"pin{i}"] = {"type": "revolute", "from": before, "to": f"rod{i}.tail"}
        middle = [(spots[i][axis] + spots[i + 1][axis]) / 2 for axis in (0, 1)]
        made["start.guess"] |= {f"rod{i}.x": middle[0], f"rod{i}.y": middle[1], f"rod{i}.angle": angles[i]}
    made["joints"]["last"] = {"type": "revolute", "from": f"rod{links - 1}.head", "to": "ground.B"}
    made["outputs"] = {"angle": "rod0.angle"}
    return _text(made)


def truss(loops: int) -> str:
    """A row of parallelograms, each on the coupler of the one before it, swinging on two rods."""
    made = _model(f"Truss{loops}", "planar", 1)
    made |= {"bodies": {}, "joints": {}, "springs": {}, "start.guess": {}}
    made["parameters"] |= {"l": {"value": 1.0, "unit": "m"}, "w": {"value": 0.8, "unit": "m"}}
    made["ground"] = {"points": {"A": [0, 0], "B": ["w", 0]}}
    ends = {"tail": ["-l/2", 0], "head": ["l/2", 0]}
    for i in range(loops):
        base = ("ground.A", "ground.B") if i == 0 else (f"beam{i - 1}.A", f"beam{i - 1}.B")
        for side, below in zip("ab", base, strict=True):
            rod, pin = f"{side}{i}", f"{side}_foot{i}"
            made["bodies"][rod] = {"mass": 1, "inertia": "l^2/12", "points": ends}
            made["joints"][pin] = {"type": "revolute", "from": below, "to": f"{rod}.tail"}
            made["start.guess"][f"{rod}.angle"] = 1.3 if i % 2 == 0 else 1.8
        points = {"A": ["-w/2", 0], "B": ["w/2", 0]}
        made["bodies"][f"beam{i}"] = {"mass": 2, "inertia": "w^2/6", "points": points}
        made["start.guess"][f"beam{i}.angle"] = 0.0
        for side in "ab":
            joint = {"type": "revolute", "from": f"{side}{i}.head", "to": f"beam{i}.{side.upper()}"}
            made["joints"][f"{side}_head{i}"] = joint
        spring = {"stiffness": "300 N.m/rad", "damping": "5 N.m.s/rad", "free": 1.5}
        made["springs"][f"spring{i}"] = {"type": "rotational", "from": "ground", "to": f"a{i}", **spring}
    made["outputs"] = {"height": f"beam{loops - 1}.y"}
    return _text(made)


def windows(count: int) -> str:
    """The N-four-bar of the examples."""
    program = _EXAMPLES / "n_four_bar" / "generate.py"
    return subprocess.run(
        [sys.executable, program, str(count)], capture_output=True, text=True, check=True
    ).stdout


def car() -> str:
    """A chassis on four corners of the double wishbone, without tyres: 14 degrees of freedom."""
    corner = tomllib.loads((_EXAMPLES / "double_wishbone" / "model.toml").read_text(encoding="utf-8"))
    made = _model("Car", "spatial", 2)
    made["parameters"] = {
        name: given
        for name, given in corner["parameters"].items()
        if not name.startswith(("bump", "steer", "tire_load", "tire_stiffness", "spin", "rack"))
    }
    made["parameters"] |= {
        "wheelbase": {"value": 2.6, "unit": "m"},
        "chassis_mass": {"value": 800.0, "unit": "kg"},
    }
    chassis: dict[str, Any] = {"mass": "chassis_mass", "inertia": [300, 1100, 1200], "points": {}}
    made |= {
        "bodies": {"chassis": chassis},
        "joints": {},
        "springs": {},
        "start.fixed": {},
        "start.guess": {},
    }
    for name, front, left in (("fl", 1, 1), ("fr", 1, 0), ("rl", 0, 1), ("rr", 0, 0)):
        _add_corner(made, corner, name, partial(_moved, front=bool(front), left=bool(left)))
    made["outputs"] = {"height": "chassis.z"}
    return _text(made)


def _moved(vector: list[str], *, front: bool, left: bool) -> list[str]:
    """Where a vector of the front left corner is on another corner."""
    x, y, z = vector
    return [x if front else f"{x} - wheelbase", y if left else f"-({y})", z]


def _add_corner(
    made: dict[str, Any], corner: dict[str, Any], name: str, place: Callable[..., list[str]]
) -> None:
    def at(letter: str) -> list[str]:
        return place([f"{letter}_x", f"{letter}_y", f"{letter}_z"])

    def along(first: str, second: str) -> list[str]:
        return [f"({b}) - ({a})" for a, b in zip(at(first), at(second), strict=True)]

    bodies = {
        key: {**corner["bodies"][key], "points": {letter: at(letter) for letter in letters}}
        for key, letters in {"upper": "BA", "lower": "EDL", "carrier": "ADGI", "tie": "IJ"}.items()
    }
    for key, body in bodies.items():
        body["center"] = place(body["center"])
        made["start.guess"] |= {f"{name}_{key}.r{axis}{axis}": 1 for axis in "xyz"}
    bodies["wheel"] = {key: given for key, given in corner["bodies"]["wheel"].items() if key != "points"}
    made["bodies"] |= {f"{name}_{key}": body for key, body in bodies.items()}
    points = made["bodies"]["chassis"]["points"]
    points |= {f"{name}_{letter}": at(letter) for letter in "BEJM"}

    def joint(key: str, kind: str, tail: str, head: str, **more: Any) -> None:
        ends = {"from": f"{tail.replace('chassis.', f'chassis.{name}_')}", "to": f"{name}_{head}"}
        made["joints"][f"{name}_{key}"] = {"type": kind, **ends, **more}

    joint("upper_hinge", "revolute", "chassis.B", "upper.B", axis=along("B", "C"))
    joint("lower_hinge", "revolute", "chassis.E", "lower.E", axis=along("E", "F"))
    joint("upper_ball", "spherical", f"{name}_upper.A", "carrier.A")
    joint("lower_ball", "spherical", f"{name}_lower.D", "carrier.D")
    joint("tie_ball", "spherical", f"{name}_tie.I", "carrier.I")
    joint("tie_joint", "universal", "chassis.J", "tie.J", axis=[0, 0, 1], second_axis=[1, 0, 0])
    joint("hub", "revolute", f"{name}_carrier.G", "wheel", axis=[0, 1, 0])
    strut = corner["springs"]["strut"] | {"from": f"chassis.{name}_M", "to": f"{name}_lower.L"}
    made["springs"][f"{name}_strut"] = strut
    made["start.fixed"] |= {f"{name}_lower_hinge.angle": 0, f"{name}_lower_hinge.omega": 0}


def _models() -> Iterator[tuple[str, Callable[[], str]]]:
    for joints in (6, 12, 24, 50):
        yield f"robot_{joints}", partial(robot, joints)
    for links in (10, 25, 50):
        yield f"ring_{links}", partial(ring, links)
    for count in (20, 40):
        yield f"n_four_bar_{count}", partial(windows, count)
    yield "truss_8", partial(truss, 8)
    yield "car_14", car


#: The text of each model file.
MODELS: dict[str, Callable[[], str]] = dict(_models())
