"""Spatial mechanisms for the tests of the judge, written with the nouns of ``fmugen.ir.model`` alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from element_views import Driver, DriverType, Joint, JointType, Load, LoadType, Spring, SpringType, model_of

from fmugen.formulas import parse
from fmugen.ir.model import QUATERNION, Body, Orientation, Point, Space, SystemModel, Tensor, Vector
from tests.verify.models import Text, at, fixed

Triple = tuple[Text, Text, Text]
#: A place, or a place with a sequence and its angles.
Spot = Triple | tuple[Triple, str, tuple[Text, ...]]

GRAVITY = (0, 0, "-9.81")


def vector(components: Triple) -> Vector:
    x, y, z = (parse(component) for component in components)
    return x, y, z


def points(places: Mapping[str, Spot]) -> tuple[Point, ...]:
    return tuple(_point(name, spot) for name, spot in places.items())


def _point(name: str, spot: Spot) -> Point:
    if isinstance(spot[1], str) and isinstance(spot[0], tuple):
        position, sequence, angles = spot
        turned = Orientation(sequence, tuple(parse(angle) for angle in angles))  # type: ignore[union-attr]
        return Point(name, vector(position), turned)  # type: ignore[arg-type]
    return Point(name, vector(spot))  # type: ignore[arg-type]


def body(
    name: str,
    mass: Text,
    inertia: tuple[Text, ...],
    *,
    center: Triple = (0, 0, 0),
    attitude: str = QUATERNION,
    **places: Spot,
) -> Body:
    tensor = Tensor(*(parse(entry) for entry in inertia))
    return Body(name, parse(mass), tensor, points(places), vector(center), attitude)


def joint(name: str, kind: str, tail: str, head: str, **fields: Any) -> Joint:
    """A joint; vectors and formulas are given as text or numbers."""
    for key in ("axis", "second_axis"):
        if key in fields:
            fields[key] = vector(fields[key])
    for key in ("angle", "lead", "length"):
        if key in fields:
            fields[key] = parse(fields[key])
    if kind in ("revolute", "cylindrical", "screw", "universal", "planar"):
        fields.setdefault("axis", vector((0, 0, 1)))
    return Joint(name, JointType(kind), at(tail), at(head), **fields)


def rotation_driver(name: str, tail: str, head: str, angle: Text, axis: Triple) -> Driver:
    return Driver(name, DriverType.ROTATION, at(tail), at(head), angle=parse(angle), axis=vector(axis))


def translation_driver(name: str, tail: str, head: str, way: Triple, axis: Triple | None = None) -> Driver:
    along = None if axis is None else vector(axis)
    return Driver(name, DriverType.TRANSLATION, at(tail), at(head), displacement=vector(way), axis=along)


def force(name: str, head: str, value: Triple, tail: str = "ground", frame: str = "ground") -> Load:
    return Load(name, LoadType.FORCE, at(tail), at(head), force=vector(value), frame=frame)


def torque(name: str, head: str, value: Triple, tail: str = "ground", frame: str = "ground") -> Load:
    return Load(name, LoadType.TORQUE, at(tail), at(head), torque=vector(value), frame=frame)


def torsion(name: str, tail: str, head: str, axis: Triple, **values: Text) -> Spring:
    formulas = {key: parse(value) for key, value in values.items()}
    return Spring(name, SpringType.ROTATIONAL, at(tail), at(head), axis=vector(axis), **formulas)


def leg(name: str, tail: str, head: str, **values: Text) -> Spring:
    formulas = {key: parse(value) for key, value in values.items()}
    return Spring(name, SpringType.TRANSLATIONAL, at(tail), at(head), **formulas)


def spatial(name: str, **fields: Any) -> SystemModel:
    fields.setdefault("gravity", vector(GRAVITY))
    return model_of(name, space=Space.SPATIAL, **fields)


#: Coordinates of every joint type, as start values that a single joint from the ground can take.
JOINT_STARTS: dict[str, dict[str, float]] = {
    "revolute": {"angle": 2.5},
    "prismatic": {"s": -0.4},
    "universal": {"angle1": 0.7, "angle2": -2.2},
    "spherical": {"angle1": 0.7, "angle2": 2.2, "angle3": -4.0},
    "cylindrical": {"angle": 4.0, "s": 0.3},
    "planar": {"angle": -2.0, "x": 0.3, "y": -0.6},
    "weld": {},
    "free": {"angle1": 1.0, "angle2": 0.3, "angle3": 0.5, "x": 0.1, "y": 0.2, "z": -0.7},
    "translational": {"x": 0.1, "y": 0.2, "z": -0.7},
    "screw": {"angle": 9.0},
}


def on_joint(kind: str) -> SystemModel:
    """A body of irregular shape on a joint between turned attachments, moving in all its freedoms."""
    rates = {"angle": "omega", "s": "v", "x": "vx", "y": "vy", "z": "vz"}
    starts = {f"j__{name}": value for name, value in JOINT_STARTS[kind].items()}
    for number, name in enumerate(JOINT_STARTS[kind]):
        stem = name.rstrip("123")
        starts[f"j__{rates[stem]}{name[len(stem) :]}"] = 0.5 - 0.3 * number
    fields: dict[str, Any] = {"lead": 0.2} if kind == "screw" else {}
    if kind in ("spherical", "free"):
        fields["attitude"] = "zyx"
    elif kind in ("weld", "prismatic"):
        fields["angle"] = 0.4
    if kind not in ("weld", "free", "translational", "spherical"):
        fields |= {"axis": (1, 2, 2), "second_axis": (2, 1, -2)}
    return spatial(
        "OnJoint",
        ground=points({"P": ((0.1, 0.2, 0.3), "zy", (0.5, 1.0))}),
        bodies=(
            body(
                "part", 2, (0.3, 0.5, 0.4, 0.02, -0.03, 0.05),
                center=(0.1, -0.2, 0.05), A=((0.3, 0.1, -0.2), "xz", (0.7, -0.4)), B=(0.5, 0.2, 0.1),
            ),
        ),
        joints=(joint("j", kind, "ground.P", "part.A", **fields),),
        starts=fixed(**starts),
    )  # fmt: skip
