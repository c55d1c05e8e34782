"""A skeleton in Exudyn: absolute coordinates, all joints as constraints, generalized-alpha steps.

The method is implicit and of second order: there is no right-hand side to time.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from element_views import JointType

from bench.peers.skeleton import Array, Link, Skeleton

__all__ = ["exudyn_integration"]

#: From so many bodies on its sparse solver is the faster one.
_MANY = 10
#: Which translations and rotations, about the axes of the joint, a joint takes away in space.
_TAKEN = {
    JointType.WELD: (1, 1, 1, 1, 1, 1),
    JointType.REVOLUTE: (1, 1, 1, 1, 1, 0),
    JointType.PRISMATIC: (1, 1, 0, 1, 1, 1),
    JointType.CYLINDRICAL: (1, 1, 0, 1, 1, 0),
    JointType.SPHERICAL: (1, 1, 1, 0, 0, 0),
    JointType.UNIVERSAL: (1, 1, 1, 0, 0, 1),
}


def exudyn_integration(skeleton: Skeleton, stop: float) -> Callable[[int], tuple[float, Array]]:
    """What integrates to ``stop`` in a number of steps: its CPU seconds, and the mass centres at the end."""
    import exudyn

    container = exudyn.SystemContainer()
    system = container.AddSystem()
    add = _add_planar if skeleton.planar else _add_spatial
    bodies = add(system, skeleton)
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime = stop
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = stop
    if len(bodies) >= _MANY:
        settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
    if not skeleton.planar:  # rows of joints in space may depend on each other
        settings.linearSolverType = exudyn.LinearSolverType.EigenDense
        settings.linearSolverSettings.ignoreSingularJacobian = True

    def run(count: int) -> tuple[float, Array]:
        settings.timeIntegration.numberOfSteps = count
        begin = process_time()
        system.SolveDynamic(settings)
        spent = process_time() - begin
        position = exudyn.OutputVariableType.Position
        return spent, np.array([system.GetObjectOutputBody(body, position, [0, 0, 0]) for body in bodies])

    return run


def _add_planar(system: Any, skeleton: Skeleton) -> list[int]:
    from exudyn import itemInterface

    bodies = []
    for bone in skeleton.bones:
        node = system.AddNode(itemInterface.NodeRigidBody2D(referenceCoordinates=[*bone.center[:2], 0.0]))
        inertia = bone.inertia[2, 2]
        body = itemInterface.ObjectRigidBody2D(physicsMass=bone.mass, physicsInertia=inertia, nodeNumber=node)
        bodies.append(system.AddObject(body))
        _add_gravity(system, skeleton, bodies[-1])
    bodies.append(system.AddObject(itemInterface.ObjectGround()))  # the last, which -1 finds
    for link in (*skeleton.tree, *skeleton.chords):
        ends = _ends(system, skeleton, bodies, link)
        if link.type is JointType.REVOLUTE:
            system.AddObject(itemInterface.ObjectJointRevolute2D(markerNumbers=ends))
        elif link.type is JointType.PRISMATIC:
            x, y, _ = link.axes[0]
            axes = {"axisMarker0": [x, y, 0.0], "normalMarker1": [-y, x, 0.0]}
            system.AddObject(itemInterface.ObjectJointPrismatic2D(markerNumbers=ends, **axes))
        else:
            raise ValueError(f"{link.name}: no {link.type.value} joint in the plane")
    return bodies[:-1]


def _add_spatial(system: Any, skeleton: Skeleton) -> list[int]:
    from exudyn import itemInterface

    bodies = []
    for bone in skeleton.bones:
        node = system.AddNode(
            itemInterface.NodeRigidBodyRotVecLG(referenceCoordinates=[*bone.center, 0.0, 0.0, 0.0])
        )
        i = bone.inertia
        inertia = [i[0, 0], i[1, 1], i[2, 2], i[1, 2], i[0, 2], i[0, 1]]
        body = itemInterface.ObjectRigidBody(physicsMass=bone.mass, physicsInertia=inertia, nodeNumber=node)
        bodies.append(system.AddObject(body))
        _add_gravity(system, skeleton, bodies[-1])
    bodies.append(system.AddObject(itemInterface.ObjectGround()))  # the last, which -1 finds
    for link in (*skeleton.tree, *skeleton.chords):
        ends = _ends(system, skeleton, bodies, link)
        turn = _axes(link)
        joint = itemInterface.ObjectJointGeneric(
            markerNumbers=ends,
            constrainedAxes=list(_TAKEN[link.type]),
            rotationMarker0=turn,
            rotationMarker1=turn,
        )
        system.AddObject(joint)
    return bodies[:-1]


def _add_gravity(system: Any, skeleton: Skeleton, body: int) -> None:
    from exudyn import itemInterface

    marker = system.AddMarker(itemInterface.MarkerBodyMass(bodyNumber=body))
    load = itemInterface.LoadMassProportional(markerNumber=marker, loadVector=list(skeleton.gravity))
    system.AddLoad(load)


def _ends(system: Any, skeleton: Skeleton, bodies: list[int], link: Link) -> list[int]:
    """The markers of a joint on its two bodies, which have their axes in the mass centre."""
    from exudyn import itemInterface

    markers = []
    for bone in (link.tail, link.head):
        arm = link.place - (0.0 if bone < 0 else skeleton.bones[bone].center)
        marker = itemInterface.MarkerBodyRigid(bodyNumber=bodies[bone], localPosition=list(arm))
        markers.append(system.AddMarker(marker))
    return markers


def _axes(link: Link) -> Array:
    """The axes of a joint: it turns about or slides along z; a cross has its arms along x and y."""
    if link.type is JointType.UNIVERSAL:
        first, second = link.axes
        return np.column_stack([first, second, np.cross(first, second)])
    if link.type is JointType.SPHERICAL:
        return np.eye(3)
    along = link.axes[0] / np.linalg.norm(link.axes[0])
    across = np.cross(along, np.eye(3)[np.abs(along).argmin()])
    across /= np.linalg.norm(across)
    return np.column_stack([across, np.cross(along, across), along])
