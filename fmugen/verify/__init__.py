"""The independent judge: a numerical reference for a SystemModel, and the comparison of an FMU with it.

Nothing here shares code with the compiler. The reference is a differential-algebraic system in absolute
coordinates, built numerically from the SystemModel. FMPy runs the FMU as any importer would.

What the reference knows of element types

    catalogue     one law per section and type: constraints, quantities, forces, states

Geometry

    rotations     matrices and quaternions
    layout        SystemModel -> numbers: parameters, body indices, points and axes of attachments
    charts        coordinates of bodies in the plane and in space
    measures      displacements, cosines, spins, velocities, and angles and lengths made of them
    simple        the measures that are not made of others, with Jacobian and acceleration bias
    measure_batch measures of any kind, evaluated together
    couplings     joint angles and Euler angles as measures
    readings      the quantities of motion at a state, by name

Equations of motion

    evaluate      Formula -> number, with time derivatives for prescribed motions
    moved         inputs that change between communication points
    masses        inertia
    forces        gravity and force laws: forces, stored energy, power, rates of states
    mechanism     masses, constraints and forces: accelerations and multipliers at a state
    network       the equations of networks
    energy        the energy balance of a motion of a mechanism

From start values to a motion

    initial_pose  start values -> a rough pose
    assembly      start values -> a consistent position and velocity
    winding       the turns of torsion springs at the start
    states        the start of states
    equilibrium   a start at rest
    advance       the motion from one output time to the next
    accuracy      methods of integration with their tolerances
    outputs       outputs, also those that are derivatives by inputs
    reference     the motion of a model
    exact         the motion with geometrically exact beams

Judging an FMU

    simulate      an FMU -> its trajectory, in a separate process (fmu_runner)
    frames        body frames that an FMU reports -> coordinates
    fmu_start     the start of the FMU as the start of the reference
    compare       FMU and reference -> a Verification
    tolerances    the FMU at loose tolerances
    doubts        whether a deviation may come from the reference
    deadline      the time limit of the reference
    verdict       the results of the comparison
    crosscheck    a Verification -> the files of an FMI cross-check, and back
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType


class _CallablePackage(ModuleType):
    """``fmugen.verify(...)`` is the call of Python users; ``fmugen.verify`` is this package as well."""

    def __call__(self, *arguments: object, **named: object) -> object:
        return import_module("fmugen.api").verify(*arguments, **named)


sys.modules[__name__].__class__ = _CallablePackage
