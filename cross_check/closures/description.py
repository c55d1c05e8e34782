"""Short descriptions of mechanisms, and the models that they give.

A description lists joints in a closed pose. The axes of all bodies are those of the ground there, and all
coordinates of joints are zero::

    ground-crank R 0 0; crank-rod R 0 0.3; rod-rocker R 0.8 0.6; rocker-ground R 0.7 0

Each joint has its two bodies, a letter, a point, and in space its axes behind ``|``: R revolute, P prismatic,
C cylindrical, U universal (two axes), S spherical, E planar, and L a rod with its other end behind ``>``.
Points of bodies and lengths of rods are multiplied by a parameter, ``crank_size`` here. Bodies whose names
differ in a number alone, such as ``leg1`` and ``leg2``, share it: they are alike for all values. What stands
behind ``+`` in a point is multiplied by the parameter ``width`` in its place, on whichever body it is. A
mechanism that is movable in special proportions alone has one ``size`` of all bodies and of the ground.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fmugen.builder import ModelBuilder
from fmugen.ir.model import SystemModel

__all__ = ["Mechanism"]

_GROUND = "ground"
_TYPES = {
    "R": "revolute",
    "P": "prismatic",
    "C": "cylindrical",
    "U": "universal",
    "S": "spherical",
    "E": "planar",
    "L": "rod",
}
_GRAVITY = 9.81
#: The parameter of mechanisms in proportion.
_SIZE = "size"

Point = tuple[float, ...]


@dataclass(frozen=True)
class _Joint:
    name: str
    bodies: tuple[str, str]
    type: str
    points: tuple[Point, Point]
    offsets: tuple[Point, Point]
    axes: tuple[Point, ...]


@dataclass(frozen=True)
class Mechanism:
    """A mechanism of the corpus: ``joints`` as described above, planar or spatial by the points.

    ``family`` is its chapter of the table. ``changed`` is the parameter that changes by 10 % in the second
    verification, the first size if nothing is named. ``independent`` are named coordinates. A mechanism
    ``in_proportion`` has one size for everything.
    """

    name: str
    family: str
    joints: str
    changed: str = ""
    independent: tuple[str, ...] = ()
    stop: float = 0.3
    gravity: float = _GRAVITY
    speeds: dict[str, float] = field(default_factory=dict)
    in_proportion: bool = False

    @property
    def parameter(self) -> str:
        """The size that changes."""
        if self.in_proportion:
            return _SIZE
        groups = (_group(body) for joint in self._read() for body in joint.bodies if body != _GROUND)
        return f"{self.changed or next(groups)}_size"

    def model(self) -> SystemModel:
        """The model, in the drawn pose at the start."""
        return self.builder().build()

    def builder(self) -> ModelBuilder:
        """The description of the model."""
        joints = self._read()
        planar = len(joints[0].points[0]) == 2
        down = (0.0, -self.gravity) if planar else (0.0, 0.0, -self.gravity)
        builder = ModelBuilder(self.name, space="planar" if planar else "spatial", gravity=down)
        places = _Places(joints, self._size_of)
        sizes = dict.fromkeys(map(self._size_of, places.centers))
        sizes |= dict.fromkeys(self._size_of(joint.name) for joint in joints if joint.type == "rod")
        for size in sizes:
            builder.parameter(size, 1.0)
        if any(any(offset) for joint in joints for offset in joint.offsets):
            builder.parameter("width", 1.0)
        for joint in joints:
            _enter(builder, joint, places, self._size_of(joint.name), planar)
        for name, place in places.of_ground.items():
            builder.ground_point(name, *place)
        for body, points in places.of_bodies.items():
            inertia = 0.02 if planar else [0.02, 0.03, 0.04]
            builder.body(body, mass=1.0, inertia=inertia, points=points)
        for quantity, speed in self.speeds.items():
            builder.start(quantity, speed)
        if self.independent:
            builder.independent(*self.independent)
        return builder.experiment(stop=self.stop, step=0.01, tolerance=1e-9)

    def _size_of(self, name: str) -> str:
        """The parameter that multiplies the points of a body, or the length of a rod."""
        return _SIZE if self.in_proportion else f"{_group(name)}_size"

    def _read(self) -> list[_Joint]:
        lines = [line.strip() for line in self.joints.split(";")]
        return [_joint(number, line) for number, line in enumerate(filter(None, lines), start=1)]


def _joint(number: int, line: str) -> _Joint:
    head, *axes = line.split("|")
    names, letter, *rest = head.split()
    start, _, end = " ".join(rest).partition(">")
    ends = [_point(text) for text in (start, end or start)]
    tail, _, name = names.partition("-")
    label = {"L": "rod"}.get(letter, "j") + str(number)
    points, offsets = zip(*ends, strict=True)
    return _Joint(label, (tail, name), _TYPES[letter], points, offsets, tuple(map(_numbers, axes)))


def _point(text: str) -> tuple[Point, Point]:
    """A point, and its part that is multiplied by the width."""
    first, _, offset = text.partition("+")
    base = _numbers(first)
    return base, _numbers(offset) if offset else (0.0,) * len(base)


def _numbers(text: str) -> Point:
    return tuple(map(float, text.split()))


def _group(name: str) -> str:
    """Alike bodies have one name: that without numbers."""
    return re.sub(r"\d+$", "", name)


class _Places:
    """The points of all bodies, named in the order of the joints, from the middle of each body."""

    def __init__(self, joints: Sequence[_Joint], size_of: Callable[[str], str]) -> None:
        self._size_of = size_of
        found: dict[str, list[Point]] = {}
        for joint in joints:
            for body, point in zip(joint.bodies, joint.points, strict=True):
                found.setdefault(body, []).append(point)
        found.pop(_GROUND, None)
        self.centers = {body: _middle(points) for body, points in found.items()}
        self.of_ground: dict[str, list[str | float]] = {}
        self.of_bodies: dict[str, dict[str, list[str]]] = {body: {} for body in found}

    def place(self, body: str, point: Point, offset: Point, name: str) -> str:
        """The place of a point of the drawn pose, such as ``crank.j1``."""
        if body == _GROUND:
            place = _sum(point, offset)
            size = self._size_of(body)
            self.of_ground[name] = [_formula(x, size, 0.0) if size == _SIZE else x for x in place]
        else:
            local = [_clean(x - c) for x, c in zip(point, self.centers[body], strict=True)]
            pairs = zip(local, offset, strict=True)
            self.of_bodies[body][name] = [_formula(x, self._size_of(body), across) for x, across in pairs]
        return f"{body}.{name}"


def _sum(point: Point, offset: Point) -> Point:
    return tuple(a + b for a, b in zip(point, offset, strict=True))


def _formula(x: float, size: str, across: float) -> str:
    parts = [f"{x!r}*{size}"] if x else []
    parts += [f"({across!r})*width"] if across else []
    return " + ".join(parts) or "0"


def _clean(x: float) -> float:
    """``x`` without the rounding errors of a difference: short numbers stay short."""
    short = round(x, 9) + 0.0
    return short if abs(x - short) < 1e-14 else x


def _middle(points: Sequence[Point]) -> Point:
    return tuple(math.fsum(parts) / len(points) for parts in zip(*points, strict=True))


def _length(joint: _Joint) -> float:
    """The length of a rod; equal rods have equal numbers."""
    ends = (_sum(point, offset) for point, offset in zip(joint.points, joint.offsets, strict=True))
    return round(math.dist(*ends), 12)


def _enter(builder: ModelBuilder, joint: _Joint, places: _Places, size: str, planar: bool) -> None:
    tail, head = (
        places.place(body, point, offset, joint.name)
        for body, point, offset in zip(joint.bodies, joint.points, joint.offsets, strict=True)
    )
    values: dict[str, object] = {}
    match joint.type:
        case "rod":
            values["length"] = f"{_length(joint)!r}*{size}"
        case "spherical":
            pass
        case "universal" | "planar":
            values |= {"axis": joint.axes[0], "second_axis": joint.axes[1]}
        case "revolute" if planar:
            pass
        case _:
            values["axis"] = joint.axes[0]
    builder.add("joints", joint.name, joint.type, tail, head, **values)
