"""A skeleton as an MJCF file, which MuJoCo, Pinocchio and Drake read."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

import numpy as np
from element_views import JointType

from bench.peers.skeleton import Array, Bone, Link, Skeleton

__all__ = ["mjcf_file", "pinned_places"]

#: What is added to an inertia about the axis of a thin bar, which programs do not accept as zero.
_THIN = 1e-6
#: Loops of critical damping, hardly soft; who runs the file makes them as stiff as its step allows.
_STIFF = {"solref": "0.002 1", "solimp": "0.9999 0.9999 0.001"}


def mjcf_file(skeleton: Skeleton) -> str:
    """The text of the file; the order of its bodies is that of a walk through the tree, depth first."""
    root = ElementTree.Element("mujoco", model=skeleton.name)
    ElementTree.SubElement(root, "compiler", angle="radian", balanceinertia="true", autolimits="true")
    ElementTree.SubElement(root, "option", gravity=_words(skeleton.gravity), integrator="RK4")
    world = ElementTree.SubElement(root, "worldbody")
    for link in skeleton.children(-1):
        _add_body(world, skeleton, link, np.zeros(3))
    equality = ElementTree.SubElement(root, "equality")
    for link in skeleton.chords:
        for number, place in enumerate(pinned_places(skeleton, link)):
            _add_closure(equality, skeleton, link, place, number)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_body(parent: ElementTree.Element, skeleton: Skeleton, link: Link, origin: Array) -> None:
    bone = skeleton.bones[link.head]
    element = ElementTree.SubElement(parent, "body", name=bone.name, pos=_words(bone.center - origin))
    _add_inertia(element, bone)
    for number, (kind, axis) in enumerate(_freedoms(link)):
        values = {"name": f"{link.name}_{number}", "type": kind, "pos": _words(link.place - bone.center)}
        if axis is not None:
            values["axis"] = _words(axis)
        ElementTree.SubElement(element, "joint", values)
    for child in skeleton.children(link.head):
        _add_body(element, skeleton, child, bone.center)


def _add_inertia(element: ElementTree.Element, bone: Bone) -> None:
    tensor = bone.inertia + _THIN * np.trace(bone.inertia) * np.eye(3)
    entries = [*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    values = {"pos": "0 0 0", "mass": repr(float(bone.mass)), "fullinertia": _words(entries)}
    ElementTree.SubElement(element, "inertial", values)


def _freedoms(link: Link) -> list[tuple[str, Array | None]]:
    """The joints of MJCF that make a joint."""
    match link.type:
        case JointType.REVOLUTE | JointType.UNIVERSAL:
            return [("hinge", axis) for axis in link.axes]
        case JointType.PRISMATIC:
            return [("slide", link.axes[0])]
        case JointType.CYLINDRICAL:
            return [("slide", link.axes[0]), ("hinge", link.axes[0])]
        case JointType.SPHERICAL:
            return [("ball", None)]
        case JointType.WELD:
            return []
    raise ValueError(f"{link.name}: MJCF has no {link.type.value} joint")


def pinned_places(skeleton: Skeleton, link: Link) -> list[Array]:
    """Places that the two bodies of a joint that closes a loop share: two where they share an axis."""
    if link.type is JointType.SPHERICAL or (skeleton.planar and link.type is JointType.REVOLUTE):
        return [link.place]
    if link.type is JointType.REVOLUTE:
        return [link.place, link.place + 0.5 * link.axes[0]]
    raise ValueError(f"{link.name}: a {link.type.value} joint cannot close a loop in MJCF")


def _add_closure(
    equality: ElementTree.Element, skeleton: Skeleton, link: Link, place: Array, number: int
) -> None:
    ends = sorted((link.tail, link.head), reverse=True)
    first = skeleton.bones[ends[0]]
    values = {"name": f"{link.name}_{number}", "body1": first.name, "anchor": _words(place - first.center)}
    if ends[1] >= 0:
        values["body2"] = skeleton.bones[ends[1]].name
    ElementTree.SubElement(equality, "connect", values | _STIFF)


def _words(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)
