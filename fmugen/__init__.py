"""fmugen: from a mechanism description through a linear graph to a verified FMU.

``fmugen.export``, ``fmugen.simulate`` and ``fmugen.verify`` do what the commands of the same name do.
``fmugen.ModelBuilder`` describes a model in Python, ``fmugen.read`` reads a model file. Importing the package
costs nothing: what is used is imported when it is used first.
"""

from __future__ import annotations

from fmugen.version import __version__

TYPE_CHECKING = False  # typing is not imported for it
if TYPE_CHECKING:
    from fmugen.api import Results, export, read, simulate, verify
    from fmugen.builder import AssemblyBuilder, ModelBuilder
    from fmugen.errors import FmugenError

__all__ = [
    "AssemblyBuilder",
    "FmugenError",
    "ModelBuilder",
    "Results",
    "__version__",
    "export",
    "read",
    "simulate",
    "verify",
]

_HOMES = {
    "AssemblyBuilder": "fmugen.builder",
    "FmugenError": "fmugen.errors",
    "ModelBuilder": "fmugen.builder",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "fmugen.api")), name)
