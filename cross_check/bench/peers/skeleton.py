"""A mechanism as any multibody program takes it: bodies and joints in ground axes, at the start.

All frames are parallel to the ground's and sit in mass centres while the mechanism is at its start, so that
every coordinate is zero there. A spanning tree of joints, slides first, carries the bodies; what is left are
the joints that close loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from element_views import Joint, JointType, drivers_of, joints_of, loads_of, springs_of, with_views
from numpy.typing import NDArray

from fmugen.formulas import parse
from fmugen.ir.model import Space, SystemModel, quantities
from fmugen.ir.quantity import Level
from fmugen.verify.assembly import assemble
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.reference import solve_reference

Array = NDArray[np.float64]

#: No posture is an equilibrium under a gravity that is oblique to everything.
GRAVITY = {Space.PLANAR: (4.905, -8.496, 0.0), Space.SPATIAL: (3.0, -2.0, -9.123)}
#: A slide is hard to close a loop with; balls are easy. Earlier types are taken into the tree first.
_TREE_FIRST = (
    JointType.WELD,
    JointType.PRISMATIC,
    JointType.CYLINDRICAL,
    JointType.UNIVERSAL,
    JointType.REVOLUTE,
    JointType.SPHERICAL,
)


@dataclass(frozen=True)
class Bone:
    """A rigid body: its mass centre at the start and its inertia about it, in ground axes."""

    name: str
    mass: float
    center: Array
    inertia: Array


@dataclass(frozen=True)
class Link:
    """A joint at a place, with the axes it turns about or slides along; ``tail`` -1 is the ground."""

    name: str
    type: JointType
    tail: int
    head: int
    place: Array
    axes: Array


@dataclass(frozen=True)
class Skeleton:
    """Bodies, the joints that carry them, tails first, and the joints that close loops."""

    name: str
    planar: bool
    gravity: Array
    bones: tuple[Bone, ...]
    tree: tuple[Link, ...]
    chords: tuple[Link, ...]

    def children(self, bone: int) -> Iterator[Link]:
        return (link for link in self.tree if link.tail == bone)


def falling(model: SystemModel) -> SystemModel:
    """The mechanism of a model alone: it falls from rest under an oblique gravity."""
    velocities = {quantity.name for quantity in quantities(model) if quantity.level is Level.VELOCITY}
    x, y, z = (parse(repr(component)) for component in GRAVITY[model.space])
    gone = {element.name for element in (*loads_of(model), *springs_of(model), *drivers_of(model))}
    return with_views(
        model,
        gravity=(x, y, z),
        inputs=(),
        outputs=(),
        loads=(),
        springs=(),
        drivers=(),
        starts=tuple(start for start in model.starts if start.quantity not in velocities),
        trees=tuple(t for t in model.trees if gone.isdisjoint((*t.translation, *t.rotation))),
    )


def skeleton_of(model: SystemModel) -> Skeleton:
    """The numbers of a model at its start."""
    mechanism = Mechanism(model)
    posture = mechanism.chart.posture(assemble(mechanism, 0.0, {}, {}).coordinates)
    weights = mechanism.masses.at(posture)
    bones = tuple(
        Bone(
            body.name,
            mechanism.layout.number(body.mass),
            posture.position[:, index],
            _solid(weights.blocks[index], mechanism.layout.planar),
        )
        for index, body in enumerate(model.bodies)
    )
    links = [
        _link(mechanism, posture, joint) for joint in joints_of(model) if joint.type is not JointType.VIRTUAL
    ]
    tree, chords = _spanning(links, len(bones))
    gravity = mechanism.layout.vector(model.gravity)
    return Skeleton(model.name, mechanism.layout.planar, gravity, bones, tree, chords)


def _solid(block: Array, planar: bool) -> Array:
    """An inertia tensor that programs for space accept; in the plane only that about z matters."""
    return block[2, 2] * np.eye(3) if planar else block[3:, 3:]


def _link(mechanism: Mechanism, posture: object, joint: Joint) -> Link:
    layout = mechanism.layout
    tail, head = layout.place(joint.tail), layout.place(joint.head)
    # The head's place: a slide may start anywhere along its axis.
    place = posture.position[:, head.body] + posture.rotation[head.body] @ np.array(head.arm)
    turn = posture.rotation[tail.body] @ layout.axes_of(joint.tail)
    first = layout.triad(joint.axis, joint.second_axis, joint.name)
    axes = turn @ first[0]
    if layout.planar and joint.type is JointType.REVOLUTE:
        axes = np.array([0.0, 0.0, 1.0])
    if joint.type is JointType.UNIVERSAL:
        second = posture.rotation[head.body] @ layout.axes_of(joint.head) @ layout.vector(joint.second_axis)
        axes = np.array([axes, second / np.linalg.norm(second)])
    index = [-1 if body == layout.ground else body for body in (tail.body, head.body)]
    return Link(joint.name, joint.type, *index, place, np.atleast_2d(axes))


def _spanning(links: list[Link], bones: int) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """Links that reach every body from the ground, turned so that tails come first, and the others."""
    waiting = sorted(links, key=lambda link: _TREE_FIRST.index(link.type))
    reached, tree = {-1}, []
    while len(reached) <= bones:
        link = next(link for link in waiting if (link.tail in reached) != (link.head in reached))
        waiting.remove(link)
        tree.append(link if link.tail in reached else _turned(link))
        reached |= {link.tail, link.head}
    return tuple(tree), tuple(waiting)


def _turned(link: Link) -> Link:
    return replace(link, tail=link.head, head=link.tail, axes=-link.axes[::-1])


def reference_centers(model: SystemModel, stop: float) -> Array:
    """Where the mass centres are after ``stop`` seconds, by the independent reference: a row a body."""
    reference = solve_reference(model, np.linspace(0.0, stop, 5))
    posture = reference.mechanism.chart.posture(reference.coordinates[-1])
    result: Array = posture.position[:, :-1].T
    return result
