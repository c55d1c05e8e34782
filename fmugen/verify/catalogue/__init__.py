"""The law of each type of element for the judge, in one place.

The catalogue maps ``(section, type)`` to a law: a function from a :class:`Reader`, the element with numbers,
to :class:`Parts`, its contributions to the reference equations. Its keys are those of the
compiler's registry; a test compares them. The laws are numerical and share no code with the compiler. No
other module of ``fmugen.verify`` compares types.

    elements    SystemModel -> elements by section, type and keys of the file
    base        Parts, Reader, the registry
    bodies, beams, modal, joints, drivers, forces, rolling, tyres, networks
                the laws

A new type needs one function::

    @law("forces", "drag")
    def drag(at: Reader) -> Parts:
        ...
        return Parts(actions=(ForceLaw(measures, act),))

Laws are recorded and run in C. A law therefore computes with the functions of ``fmugen.verify.tape.scalar``
in place of ``math``, and branches by ``choose``. A law that cannot be recorded is called at each evaluation,
which is slower.

A force law with states names them in ``Parts.states`` and returns their rates in ``Action.rates``. A
constraint on velocities is a :class:`Row` with ``velocity_only``; its measure is made of velocities and
spins.
"""

# Imported for their effect: each module enters its laws into the catalogue.
import fmugen.verify.catalogue.beams
import fmugen.verify.catalogue.bodies
import fmugen.verify.catalogue.drivers
import fmugen.verify.catalogue.forces
import fmugen.verify.catalogue.joints
import fmugen.verify.catalogue.modal
import fmugen.verify.catalogue.networks
import fmugen.verify.catalogue.rolling
import fmugen.verify.catalogue.tyres  # noqa: F401
from fmugen.verify.catalogue.base import (
    WRENCH,
    Action,
    Attitude,
    Axle,
    BodyPose,
    ElementParts,
    ForceLaw,
    Inertia,
    Link,
    Observation,
    OwnState,
    Parts,
    Pose,
    Reader,
    Relation,
    Row,
    StartGuesses,
    known_types,
    law,
    network_parts,
    parts_of_model,
    state_quantities,
)
from fmugen.verify.catalogue.elements import Element

__all__ = [
    "WRENCH",
    "Action",
    "Attitude",
    "Axle",
    "BodyPose",
    "Element",
    "ElementParts",
    "ForceLaw",
    "Inertia",
    "Link",
    "Observation",
    "OwnState",
    "Parts",
    "Pose",
    "Reader",
    "Relation",
    "Row",
    "StartGuesses",
    "known_types",
    "law",
    "network_parts",
    "parts_of_model",
    "state_quantities",
]
