"""SolutionFlow -> AssemblyModes: all real configurations at the start.

``roots``         the real roots of exact steps
``continuation``  all solutions of equations without exact steps, along paths of complex solutions
``system``        the equations of a start, in the order in which they are solved
``modes``         the configurations, and why they are all there are
``guesses``       a configuration as guesses of the model, and these in the text of a model file
``start``         the part of a compilation that concerns its start
"""

from fmugen.assembly.guesses import guesses_of_mode, text_with_guesses, with_guesses
from fmugen.assembly.modes import assembly_modes

__all__ = ["assembly_modes", "guesses_of_mode", "text_with_guesses", "with_guesses"]
