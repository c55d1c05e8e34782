"""The theorem of mirrored assemblies: their motion is the mirror image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fmugen.phases.read import model_from_tables
from fmugen.verify.reference import Reference, solve_reference

#: The assemblies of a theorem; a few of them are quick enough for every run.
_SEEDS = [pytest.param(seed, marks=() if seed < 3 else pytest.mark.slow) for seed in range(20)]
_TIMES = np.linspace(0, 0.4, 5)


def numbers(draw: np.random.Generator, count: int, scale: float = 0.3) -> list[float]:
    return [round(float(value), 3) for value in draw.uniform(-scale, scale, count)]


def direction(draw: np.random.Generator) -> list[float]:
    made = draw.normal(size=3)
    return [round(float(value), 3) for value in made / np.linalg.norm(made)]


def spatial_body(draw: np.random.Generator, attitude: str) -> dict[str, Any]:
    around = draw.uniform(0.02, 0.03, 3).round(4).tolist()
    tilted = {"position": numbers(draw, 3), "sequence": "zyx", "angles": numbers(draw, 3, 1.0)}
    return {
        "mass": 1.5,
        "inertia": [*around, *numbers(draw, 3, 0.004)],
        "center": numbers(draw, 3, 0.1),
        "attitude": attitude,
        "points": {"P": tilted, "Q": numbers(draw, 3)},
    }


def spatial_joint(draw: np.random.Generator, kind: str) -> dict[str, Any]:
    axis = direction(draw)
    across = np.cross(axis, direction(draw)).round(6).tolist()
    match kind:
        case "universal":
            axis = [0.6, 0.0, 0.8]
            return {"axis": axis, "second_axis": [-0.8, 0.0, 0.6]}
        case "planar":
            return {"axis": axis, "second_axis": across}
        case "screw":
            return {"axis": axis, "lead": 0.2}
        case "prismatic":
            return {"axis": axis, "angle": 0.4}
        case "weld":
            return {"angle": 0.7}
        case "revolute" | "cylindrical":
            return {"axis": axis} if draw.random() < 0.7 else {}
        case "spherical" | "free":
            return {"attitude": "zyx"}
    return {}


_KINDS = ["revolute", "universal", "planar", "screw", "prismatic", "cylindrical", "spherical", "free"]
_STARTS = {
    "revolute": {"angle": 0.3, "omega": 0.8},
    "universal": {"angle1": 0.3, "angle2": -0.4, "omega1": 0.5, "omega2": 0.7},
    "planar": {"x": 0.1, "y": -0.2, "angle": 0.4, "vx": 0.2, "vy": 0.5, "omega": -0.3},
    "screw": {"angle": 0.5, "omega": 1.0},
    "prismatic": {"s": 0.2, "v": -0.4},
    "cylindrical": {"s": 0.2, "angle": 0.3, "v": 0.3, "omega": 0.9},
    "free": {"x": 0.1, "y": 0.2, "z": -0.3, "vx": 0.3, "vy": -0.2, "vz": 0.4},
}


def spatial_assembly(draw: np.random.Generator, kinds: tuple[str, str]) -> dict[str, Any]:
    """A chain of two bodies with springs, loads that follow the motion, and a driver on a third body."""
    first, second = kinds
    joints = {
        "j1": {"type": first, "from": "base.A", "to": "arm.P", **spatial_joint(draw, first)},
        "j2": {"type": second, "from": "arm.Q", "to": "rod.P", **spatial_joint(draw, second)},
        "j3": {"type": "revolute", "from": "rod.Q", "to": "flap", "axis": direction(draw)},
    }
    start = {
        f"{joint}.{kind}": value
        for joint, type in (("j1", first), ("j2", second))
        for kind, value in _STARTS.get(type, {}).items()
    }
    return {
        "parameters": {"k": {"value": 8.0, "unit": "N/m"}},
        "connectors": {"base": "ground"},
        "points": {
            "A": {"on": "base", "position": numbers(draw, 3), "sequence": "xz", "angles": numbers(draw, 2)},
            "B": {"on": "base", "position": numbers(draw, 3, 1.0)},
        },
        "bodies": {
            "arm": spatial_body(draw, "zyx"),
            "rod": spatial_body(draw, "quaternion"),
            "flap": {"mass": 0.3, "inertia": [0.002, 0.003, 0.004], "center": numbers(draw, 3, 0.1)},
        },
        "joints": joints,
        "drivers": {
            "turn": {
                "type": "rotation",
                "from": "rod.Q",
                "to": "flap",
                "axis": joints["j3"]["axis"],
                "value": "0.3 + 0.5*sin(3*time)",
            }
        },
        "springs": {
            "pull": {
                "type": "translational",
                "from": "base.B",
                "to": "rod.Q",
                "stiffness": "k",
                "damping": 0.3,
                "free": 0.4,
            },
        },
        "forces": {
            "push": {
                "type": "force",
                "on": "rod.Q",
                "value": ["1 - 0.4*rod.vx", "0.5*rod.Q.y - 0.3*rod.vy", "0.8 - rod.wz"],
            },
            "follow": {"type": "force", "on": "arm.Q", "frame": "arm", "value": numbers(draw, 3, 2.0)},
            "wring": {
                "type": "torque",
                "on": "rod",
                "from": "arm",
                "frame": "arm",
                "value": ["0.1 - 0.02*rod.wx", "0.05*arm.ryx", "0.1*sin(time)"],
            },
        },
        "start": {"fixed": start},
        "outputs": {"lift": "rod.z + 2*rod.Q.y*rod.wx", "tug": "pull.force - j1.fy*j1.tx"},
    }


def planar_assembly(draw: np.random.Generator) -> dict[str, Any]:
    """A driven four-bar with a slide on its coupler, springs and loads."""
    return {
        "connectors": {"base": "ground"},
        "points": {
            "A": {"on": "base", "position": numbers(draw, 2, 0.03)},
            "B": {"on": "base", "position": [0.9, 0.05]},
        },
        "bodies": {
            "crank": {"mass": 1, "inertia": 0.02, "center": [0.1, 0.02], "points": {"E": [0.25, 0]}},
            "coupler": {"mass": 1, "inertia": 0.05, "points": {"E": [-0.4, 0], "F": [0.4, 0.02]}},
            "rocker": {"mass": 1, "inertia": 0.03, "points": {"F": [0.5, 0.05]}},
            "block": {"mass": 0.4, "inertia": 0.002},
            "fin": {"mass": 0.1, "inertia": 0.001, "points": {"G": [0.1, 0]}},
        },
        "joints": {
            "a": {"type": "revolute", "from": "base.A", "to": "crank"},
            "e": {"type": "revolute", "from": "crank.E", "to": "coupler.E"},
            "f": {"type": "revolute", "from": "coupler.F", "to": "rocker.F"},
            "b": {"type": "revolute", "from": "base.B", "to": "rocker"},
            "slide": {
                "type": "prismatic",
                "from": "coupler",
                "to": "block",
                "axis": numbers(draw, 2, 1.0),
                "angle": 0.4,
            },
            "glue": {"type": "weld", "from": "rocker.F", "to": "fin", "angle": 0.3},
        },
        "springs": {
            "coil": {
                "type": "rotational",
                "from": "base",
                "to": "crank",
                "stiffness": 2,
                "free": "20 deg",
                "actuator": "0.2*sin(2*time)",
            },
            "pull": {
                "type": "translational",
                "from": "coupler.F",
                "to": "block",
                "stiffness": 30,
                "free": 0.1,
            },
        },
        "forces": {
            "wring": {"type": "torque", "on": "rocker", "value": "0.3 - 0.1*rocker.omega"},
            "push": {"type": "force", "on": "fin.G", "frame": "fin", "value": ["0.4", "0.2*b.angle"]},
        },
        "start": {
            "fixed": {"a.angle": 1.1, "a.omega": 2.0, "slide.s": 0.2, "slide.v": -0.1},
            "guess": {"coupler.angle": 0.3, "rocker.angle": 1.9, "rocker.y": 0.05},
        },
        "outputs": {"lift": "coupler.x + 2*rocker.angle", "tug": "a.fx - slide.torque"},
    }


def both(assembly: dict[str, Any], mirror: str, space: str) -> Reference:
    """The motion of an assembly and of its mirror image, in one model."""
    gravity = [2.0, -6.0, -9.0][: 2 if space == "planar" else 3]
    gravity["xyz".index(mirror)] = 0.0
    tables = {
        "model": {"name": "Both", "space": space, "gravity": gravity},
        "assemblies": {"part": assembly},
        "use": {"here": {"assembly": "part"}, "there": {"assembly": "part", "mirror": mirror}},
    }
    return solve_reference(model_from_tables(tables, "both"), _TIMES)


def check_images(reference: Reference, bodies: list[str], mirror: str, space: str) -> None:
    axes = "xy" if space == "planar" else "xyz"
    sign = {axis: -1 if axis == mirror else 1 for axis in axes}
    moved = 0.0
    for body in bodies:
        pairs = {kind + axis: sign[axis] for kind in ("", "v", "a") for axis in axes}
        if space == "planar":
            pairs |= {"angle": -1, "omega": -1, "alpha": -1}
        else:
            pairs |= {f"r{i}{j}": sign[i] * sign[j] for i in axes for j in axes}
            pairs |= {f"w{axis}": -sign[axis] for axis in axes}
        for kind, factor in pairs.items():
            here = reference.quantity(f"here.{body}.{kind}")
            there = reference.quantity(f"there.{body}.{kind}")
            assert np.max(np.abs(there - factor * here)) < 1e-7 * (1 + np.max(np.abs(here))), (body, kind)
            moved = max(moved, float(np.ptp(here)))
    assert moved > 0.01  # nothing at rest has proved anything
    for output in ("lift", "tug"):
        here, there = reference.values[f"here.{output}"], reference.values[f"there.{output}"]
        assert np.max(np.abs(there - here)) < 1e-6 * (1 + np.max(np.abs(here)))


@pytest.mark.parametrize("seed", _SEEDS)
def test_motion_of_a_mirrored_assembly_in_space_is_the_mirror_image(seed: int) -> None:
    draw = np.random.default_rng(seed)
    kinds = (_KINDS[seed % len(_KINDS)], _KINDS[(3 * seed + 1) % len(_KINDS)])
    mirror = "xyz"[seed % 3]
    reference = both(spatial_assembly(draw, kinds), mirror, "spatial")
    check_images(reference, ["arm", "rod", "flap"], mirror, "spatial")


@pytest.mark.parametrize("seed", _SEEDS[2:6])
def test_motion_of_a_mirrored_assembly_in_the_plane_is_the_mirror_image(seed: int) -> None:
    mirror = "xy"[seed % 2]
    reference = both(planar_assembly(np.random.default_rng(seed)), mirror, "planar")
    check_images(reference, ["crank", "coupler", "rocker", "block", "fin"], mirror, "planar")
