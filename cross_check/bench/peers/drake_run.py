"""A skeleton in Drake: joint coordinates, loops closed by ball constraints.

Drake takes constraints in its discrete mode alone, which solves a convex problem a step (SAP) and is of first
order: there is no right-hand side to time.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from element_views import JointType

from bench.peers.mjcf import pinned_places
from bench.peers.skeleton import Array, Link, Skeleton

__all__ = ["drake_integration"]


def drake_integration(skeleton: Skeleton, stop: float) -> Callable[[int], tuple[float, Array]]:
    """What integrates to ``stop`` in a number of steps: its CPU seconds, and the mass centres at the end."""
    from pydrake.systems.analysis import Simulator

    made: dict[int, tuple[Any, list[Any], Any]] = {}

    def run(count: int) -> tuple[float, Array]:
        if count not in made:
            plant, bodies = _plant(skeleton, stop / count)
            made[count] = plant, bodies, Simulator(plant)
        plant, bodies, simulator = made[count]
        context = simulator.get_mutable_context()
        context.SetTime(0.0)
        plant.SetDefaultContext(context)
        simulator.Initialize()
        begin = process_time()
        simulator.AdvanceTo(stop)
        spent = process_time() - begin
        poses = [plant.EvalBodyPoseInWorld(context, body).translation() for body in bodies]
        return spent, np.array(poses)

    return run


def _plant(skeleton: Skeleton, step: float) -> tuple[Any, list[Any]]:
    from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
    from pydrake.multibody.tree import RotationalInertia, SpatialInertia, UnitInertia

    plant = MultibodyPlant(time_step=step)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    plant.mutable_gravity_field().set_gravity_vector(skeleton.gravity)
    bodies = []
    for bone in skeleton.bones:
        tensor = bone.inertia / bone.mass
        upper = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        unit = UnitInertia(RotationalInertia(*upper))
        inertia = SpatialInertia(bone.mass, np.zeros(3), unit, skip_validity_check=True)
        bodies.append(plant.AddRigidBody(bone.name, inertia))
    # A ball constraint to the world itself ends Drake 1.51 with a segmentation fault, one to a body welded to
    # it does not. That body is the last, which -1 finds.
    base = plant.AddRigidBody("base", SpatialInertia.SolidSphereWithMass(1.0, 1.0))
    plant.WeldFrames(plant.world_frame(), base.body_frame())
    bodies.append(base)
    for link in skeleton.tree:
        plant.AddJoint(_joint(skeleton, plant, bodies, link))
    for link in skeleton.chords:
        for place in pinned_places(skeleton, link):
            ends = ((bodies[bone], _seen(skeleton, bone, place)) for bone in (link.tail, link.head))
            plant.AddBallConstraint(*(item for end in ends for item in end))
    plant.Finalize()
    return plant, bodies[:-1]


def _seen(skeleton: Skeleton, bone: int, place: Array) -> Array:
    """A place in the axes of a body, which has them in its mass centre."""
    return place if bone < 0 else place - skeleton.bones[bone].center


def _joint(skeleton: Skeleton, plant: Any, bodies: list[Any], link: Link) -> Any:
    from pydrake.math import RigidTransform, RotationMatrix
    from pydrake.multibody.tree import (
        BallRpyJoint,
        FixedOffsetFrame,
        PrismaticJoint,
        RevoluteJoint,
        UniversalJoint,
        WeldJoint,
    )

    turn = RotationMatrix()
    if link.type is JointType.UNIVERSAL:  # about x of the tail and y of the head
        first, second = link.axes
        turn = RotationMatrix(np.column_stack([first, second, np.cross(first, second)]))
    frames = []
    for bone in (link.tail, link.head):
        at = RigidTransform(turn, _seen(skeleton, bone, link.place))
        frames.append(plant.AddFrame(FixedOffsetFrame(f"{link.name}_{bone}", bodies[bone].body_frame(), at)))
    match link.type:
        case JointType.REVOLUTE:
            return RevoluteJoint(link.name, *frames, link.axes[0])
        case JointType.PRISMATIC:
            return PrismaticJoint(link.name, *frames, link.axes[0])
        case JointType.UNIVERSAL:
            return UniversalJoint(link.name, *frames)
        case JointType.SPHERICAL:
            return BallRpyJoint(link.name, *frames)
        case JointType.WELD:
            return WeldJoint(link.name, *frames, RigidTransform())
    raise ValueError(f"{link.name}: no {link.type.value} joint here for Drake")
