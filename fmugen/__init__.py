"""fmugen: from a mechanism description through a linear graph to a verified FMU.

Importing the package costs nothing: ``fmugen.pipeline`` is the compiler, ``fmugen.verify`` the
judge of its results, ``fmugen.builder`` the way to describe a mechanism in Python.
"""

from __future__ import annotations

__version__ = "0.1.0"
