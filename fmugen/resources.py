"""Where the templates, the hand-written C runtime, the headers of the standard and the cache are.

Templates and runtime live in ``templates/`` at the top of the repository; a wheel carries them inside the
package as ``fmugen/_templates``. Everything that needs them asks here.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from fmugen.errors import CompileError, FmugenError

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "_templates", _PACKAGE.parent / "templates")


def template_dir() -> Path:
    """The folder of the templates, of a wheel or of a source tree."""
    for place in _PLACES:
        if (place / "runtime").is_dir():
            return place
    raise FmugenError(
        f"the templates of fmugen are neither in {_PLACES[0]} nor in {_PLACES[1]}: "
        "the installation is incomplete; install fmugen again"
    )


def runtime_sources() -> list[Path]:
    """The hand-written C files and headers that are compiled into every FMU, sorted by name."""
    runtime = template_dir() / "runtime"
    return sorted(path for path in runtime.iterdir() if path.suffix in {".c", ".h"})


def fmi_include_dir() -> Path:
    """The folder of the FMI headers, which FMPy brings along (found without importing FMPy)."""
    spec = importlib.util.find_spec("fmpy")
    if spec is None or spec.origin is None:
        raise CompileError("the FMI headers are missing: run `pip install fmpy`")
    return Path(spec.origin).parent / "c-code"


def default_cache_dir() -> Path:
    """``$FMUGEN_CACHE``, else ``fmugen`` in the user's cache folder."""
    own = os.environ.get("FMUGEN_CACHE")
    if own:
        return Path(own)
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path("~/.cache").expanduser()) / "fmugen"
