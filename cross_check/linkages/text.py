"""The model file of a linkage: its closed pose, with masses, loads and start values at random."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkages.frames import Array, Frame, random_rotation, zyx_angles
from linkages.skeleton import Coordinate, Joint, Skeleton

__all__ = ["GUESSES", "Start", "model_text"]

#: How guesses relate to the closed pose.
GUESSES = ("exact", "rough", "wrapped", "rough and wrapped", "missing")
#: The scatters of rough guesses, in rad or as parts of a length of one.
_ROUGH = (0.03, 0.15, 0.15, 0.5)
_GRAVITY = 9.81
_ATTITUDES = ("quaternion", "quaternion", "zyx", "zxz", "xyz")


@dataclass(frozen=True)
class Start:
    """The start values of a file, by quantity."""

    kind: str
    fixed: dict[str, float]
    guess: dict[str, float]


def _number(value: float) -> str:
    return repr(float(value))


def _vector(values: Array | list[float]) -> str:
    return f"[{', '.join(_number(value) for value in values)}]"


class _Points:
    """The points of bodies, named when they are first used."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self.written: dict[str, dict[str, str]] = {"ground": {}, **{body: {} for body in skeleton.frames}}

    def place(self, body: str, at: Frame) -> str:
        """The place of a frame on a body, such as ``link1.P2``."""
        local = at.seen_from(self._skeleton.frame(body))
        if self._skeleton.planar:
            text = _vector(local.position[:2])
        elif np.allclose(local.axes, np.eye(3), atol=1e-15):
            text = _vector(local.position)
        else:
            angles = _vector(list(zyx_angles(local.axes)))
            text = f'{{ position = {_vector(local.position)}, sequence = "zyx", angles = {angles} }}'
        points = self.written[body]
        for name, known in points.items():
            if known == text:
                return f"{body}.{name}"
        name = f"P{len(points)}"
        points[name] = text
        return f"{body}.{name}"


def model_text(
    skeleton: Skeleton, random: np.random.Generator, kind: str, *, stop: float, drives: bool = True
) -> tuple[str, Start]:
    """The text of a model file, and its start values."""
    points = _Points(skeleton)
    joints = [line for joint in skeleton.joints for line in _joint(skeleton, joint, points)]
    drivers, driven = _drivers(skeleton, points, random) if drives else ([], None)
    loads = list(_loads(skeleton, points, random))
    start = _start(skeleton, random, kind, driven)
    space = "planar" if skeleton.planar else "spatial"
    lines = [
        "[model]",
        f'name = "{skeleton.name}"',
        f'space = "{space}"',
        f"gravity = {_gravity(skeleton, random)}",
        "",
        "[experiment]",
        f"stop = {_number(stop)}",
        "step = 0.02",
        "tolerance = 1e-9",
        "",
        "[ground.points]",
        *(f"{name} = {text}" for name, text in points.written["ground"].items()),
        "",
    ]
    for body in skeleton.frames:
        lines += _body(skeleton, body, points.written[body], random)
    lines += [*joints, *drivers, *loads, *_outputs(skeleton, random)]
    for table, values in (("fixed", start.fixed), ("guess", start.guess)):
        if values:
            lines += [f"[start.{table}]", *(f'"{name}" = {_number(v)}' for name, v in values.items()), ""]
    return "\n".join(lines), start


# --- elements -------------------------------------------------------------------------------------


def _body(
    skeleton: Skeleton, body: str, points: dict[str, str], random: np.random.Generator
) -> Iterator[str]:
    mass = random.uniform(0.3, 3.0)
    sizes = random.uniform(0.05, 0.5, 3) ** 2
    center = 0.15 * random.standard_normal(3) * (random.random() < 0.5)
    yield f"[bodies.{body}]"
    yield f"mass = {_number(mass)}"
    if skeleton.planar:
        yield f"inertia = {_number(mass / 5 * (sizes[0] + sizes[1]))}"
        yield f"center = {_vector(center[:2])}"
    else:
        principal = mass / 5 * (sizes.sum() - sizes)
        axes = random_rotation(random)
        tensor = axes @ np.diag(principal) @ axes.T
        whole = random.random() < 0.3
        entries = [*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]] if whole else principal
        yield f"inertia = {_vector(list(entries))}"
        yield f"center = {_vector(center)}"
        yield f'attitude = "{random.choice(_ATTITUDES)}"'
    yield f"points = {{ {', '.join(f'{name} = {text}' for name, text in points.items())} }}"
    yield ""


def _joint(skeleton: Skeleton, joint: Joint, points: _Points) -> Iterator[str]:
    tail, head = joint.bodies
    yield f"[joints.{joint.name}]"
    yield f'type = "{joint.type}"'
    yield f'from = "{points.place(tail, joint.tail)}"'
    yield f'to = "{points.place(head, joint.head)}"'
    if joint.type == "rod":
        yield f"length = {_number(np.linalg.norm(joint.head.position - joint.tail.position))}"
    elif joint.type == "prismatic":
        axis = skeleton.frame(tail).axes.T @ joint.tail.axes[:, 2]
        yield f"axis = {_vector(axis[:2]) if skeleton.planar else '[0, 0, 1]'}"
        if skeleton.planar:
            yield f"angle = {_number(_angle(skeleton, head) - _angle(skeleton, tail))}"
    elif not skeleton.planar and joint.type != "spherical":
        yield "axis = [0, 0, 1]"
    yield ""


def _angle(skeleton: Skeleton, body: str) -> float:
    axes = skeleton.frame(body).axes
    return math.atan2(axes[1, 0], axes[0, 0])


def _gravity(skeleton: Skeleton, random: np.random.Generator) -> str:
    size = _GRAVITY * (random.random() < 0.8)
    return _vector([0.0, -size] if skeleton.planar else [0.0, 0.0, -size])


def _drivers(
    skeleton: Skeleton, points: _Points, random: np.random.Generator
) -> tuple[list[str], Coordinate | None]:
    """A driver of one turning joint, for a third of the linkages."""
    if random.random() > 0.33:
        return [], None
    chosen = [each for each in skeleton.determining(random, 1) if each.position.endswith(".angle")]
    joints = {joint.name: joint for joint in skeleton.joints}
    if not chosen or joints[chosen[0].position.split(".")[0]].type != "revolute":
        return [], None
    (driven,) = chosen
    joint = joints[driven.position.split(".")[0]]
    tail, head = joint.bodies
    swing, rate = random.uniform(0.1, 0.4), random.uniform(2.0, 8.0)
    yielded = f"{_number(driven.value)} + {_number(swing)}*sin({_number(rate)}*time)"
    lines = [
        "[drivers.motor]",
        'type = "rotation"',
        f'from = "{points.place(tail, joint.tail)}"',
        f'to = "{points.place(head, joint.head)}"',
        f'value = "{yielded}"',
        "" if skeleton.planar else "axis = [0, 0, 1]",
        "",
    ]
    return lines, driven


def _loads(skeleton: Skeleton, points: _Points, random: np.random.Generator) -> Iterator[str]:
    """Springs between bodies, springs in joints, and torques."""
    bodies = list(skeleton.frames)
    if random.random() < 0.5:
        body = str(random.choice(bodies))
        at = skeleton.frame(body)
        away = 0.8 * random.standard_normal(3) * np.array([1.0, 1.0, 0.0 if skeleton.planar else 1.0])
        far = Frame(at.position + away, np.eye(3))
        length = float(np.linalg.norm(away))
        yield "[springs.coil]"
        yield 'type = "translational"'
        yield f'from = "{points.place("ground", far)}"'
        yield f'to = "{points.place(body, at)}"'
        yield f"stiffness = {_number(random.uniform(5.0, 80.0))}"
        yield f"damping = {_number(random.uniform(0.0, 2.0))}"
        yield f"free = {_number(length * random.uniform(0.5, 1.2))}"
        yield ""
    turning = [joint for joint in skeleton.joints if joint.type == "revolute"]
    if turning and random.random() < 0.4:
        joint = turning[int(random.integers(len(turning)))]
        tail, head = joint.bodies
        yield "[springs.bush]"
        yield 'type = "rotational"'
        yield f'from = "{points.place(tail, joint.tail)}"'
        yield f'to = "{points.place(head, joint.head)}"'
        yield f"stiffness = {_number(random.uniform(0.5, 10.0))}"
        yield f"damping = {_number(random.uniform(0.0, 0.5))}"
        yield f"free = {_number(joint.coordinates[0].value + random.uniform(-0.5, 0.5))}"
        if not skeleton.planar:
            yield "axis = [0, 0, 1]"
        yield ""
    if random.random() < 0.3:
        body = str(random.choice(bodies))
        size = f"{_number(random.uniform(-3.0, 3.0))}*cos({_number(random.uniform(1.0, 6.0))}*time)"
        yield "[forces.push]"
        yield 'type = "torque"'
        yield f'on = "{body}"'
        yield f'value = "{size}"' if skeleton.planar else f'value = ["{size}", 0, 0]'
        yield ""


def _outputs(skeleton: Skeleton, random: np.random.Generator) -> Iterator[str]:
    coordinates = list(skeleton.coordinates)
    joint = skeleton.joints[int(random.integers(len(skeleton.joints)))]
    yield "[outputs]"
    for number in random.permutation(len(coordinates))[:2]:
        each = coordinates[int(number)]
        yield f'out_{number} = "{each.position}"'
        yield f'rate_{number} = "{each.velocity}"'
    if joint.type != "rod":
        yield f'load = "{joint.name}.fx"'
    yield ""


# --- start values ---------------------------------------------------------------------------------


def _start(skeleton: Skeleton, random: np.random.Generator, kind: str, driven: Coordinate | None) -> Start:
    fixed: dict[str, float] = {}
    chosen: list[Coordinate] = []
    if driven is None and random.random() < 0.6:
        chosen = skeleton.determining(random)
        fixed |= {each.position: each.value for each in chosen}
        if random.random() < 0.7:
            fixed |= {each.velocity: random.uniform(-2.0, 2.0) for each in chosen}
    guess: dict[str, float] = {}
    rough = float(random.choice(_ROUGH)) if "rough" in kind else 0.0
    if kind != "missing":
        style = str(random.choice(["joints", "joints", "bodies", "both"]))
        if not any(True for _ in skeleton.coordinates):
            style = "bodies"
        if style != "bodies":
            for each in skeleton.coordinates:
                guess[each.position] = _guess(each.value, each.turns, kind, rough, random)
        if style != "joints":
            for body, frame in skeleton.frames.items():
                guess |= _pose_guesses(skeleton, body, frame, kind, rough, random)
    return Start(kind, fixed, {name: value for name, value in guess.items() if name not in fixed})


def _guess(value: float, turns: bool, kind: str, rough: float, random: np.random.Generator) -> float:
    value += rough * random.standard_normal()
    if "wrapped" in kind and turns and random.random() < 0.5:
        value += 2.0 * math.pi * float(random.integers(-2, 3))
    return round(value, 3) if rough else value


def _pose_guesses(
    skeleton: Skeleton, body: str, frame: Frame, kind: str, rough: float, random: np.random.Generator
) -> dict[str, float]:
    guesses: dict[str, float] = {}
    for axis, value in zip("xy" if skeleton.planar else "xyz", frame.position, strict=False):
        guesses[f"{body}.{axis}"] = _guess(value, False, kind, rough, random)
    if skeleton.planar:
        guesses[f"{body}.angle"] = _guess(_angle(skeleton, body), True, kind, rough, random)
        return guesses
    for i, row in enumerate("xyz"):
        for j, column in enumerate("xyz"):
            guesses[f"{body}.r{row}{column}"] = _guess(frame.axes[i, j], False, kind, rough, random)
    return guesses
