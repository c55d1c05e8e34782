"""Sub-assemblies: described once, used several times, and flattened table to table before the model.

``nouns``    mirrors, placements, and what flattening gives
``use``      ``[use.NAME]`` tables, arrays spelled out
``scope``    names inside an assembly as names of the model
``mirror``   values and quantities in a mirror
``flatten``  all of it together
``include``  tables of other files

Nothing after the reader knows assemblies: an element is called ``front_left.upper_arm``.
"""

from __future__ import annotations

from fmugen.phases.read.assemblies.flatten import flatten
from fmugen.phases.read.assemblies.include import with_included

__all__ = ["flatten", "with_included"]
