"""SolutionFlow -> AssemblyModes: all real configurations at the start.

``roots``         the real roots of exact steps
``continuation``  all solutions of equations without exact steps, along paths of complex solutions
``system``        the equations of a start, in the order in which they are solved
``modes``         the configurations, and why they are all there are
"""

from fmugen.assembly.modes import assembly_modes

__all__ = ["assembly_modes"]
