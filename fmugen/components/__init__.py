"""Types of elements: each is one class that says its keys, edges, law, quantities and symbol.

``base``        what a type is, and the registry
``freedoms``    the motion space of a joint
``site``        freedoms and laws -> edges, in the plane and in space
``measures``    how quantities are measured
``bodies``, ``joints``, ``drivers``, ``forces``, ``friction``, ``rolling``, ``tyre``
                the types of mechanical elements
``network``     what a component of a network is; the modules beside it hold their types
"""

# Imported for their effect: each module enters its types into the registry.
import fmugen.components.beams
import fmugen.components.bodies
import fmugen.components.couplers
import fmugen.components.drivers
import fmugen.components.electrical
import fmugen.components.forces
import fmugen.components.friction
import fmugen.components.hydraulic
import fmugen.components.joints
import fmugen.components.modal
import fmugen.components.rolling
import fmugen.components.rotational
import fmugen.components.translational
import fmugen.components.tyre  # noqa: F401
