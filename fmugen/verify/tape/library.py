"""The machine that runs tapes, compiled for this computer."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from fmugen.cache import digest, keep
from fmugen.resources import default_cache_dir

__all__ = ["machine"]

_SOURCES = tuple(Path(__file__).with_name(name) for name in ("machine.c", "factors.h"))
#: No contraction: a result is the same on every machine.
_OPTIONS = ("-O3", "-std=c99", "-ffp-contract=off", "-fPIC", "-shared")
#: Seconds that a compiler may take; the first call of zig builds its own libraries.
_PATIENCE = 180.0


@cache
def machine() -> ctypes.CDLL | None:
    """The compiled machine, ``None`` where there is no C compiler; it is compiled once and kept."""
    command = _compiler()
    if command is None:
        return None
    sources = [path.read_text(encoding="utf-8") for path in _SOURCES]
    place = default_cache_dir() / "judge" / f"{digest([*sources, *command, *_OPTIONS, sys.platform])}.so"
    if not place.is_file():
        _compile(command, place)
    with suppress(OSError):
        return _declared(ctypes.CDLL(str(place)))
    return None


def _compiler() -> tuple[str, ...] | None:
    chosen = tuple(shlex.split(os.environ.get("CC", "")))
    if chosen:
        return chosen
    found = next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)
    if found is not None:
        return (found,)
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    return None


def _compile(command: tuple[str, ...], place: Path) -> None:
    """Compile the machine to ``place``; where that fails there is no file."""
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        made = Path(folder) / "machine.so"
        libraries = () if sys.platform == "win32" else ("-lm",)
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                [*command, *_OPTIONS, str(_SOURCES[0]), "-o", str(made), *libraries],
                capture_output=True,
                check=True,
                timeout=_PATIENCE,
            )
            keep(place, made.read_bytes())


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """The library with the types of its functions."""
    pointer, number = ctypes.c_void_p, ctypes.c_int32
    library.run.argtypes = (pointer, ctypes.c_int64, pointer, pointer)
    library.run.restype = None
    library.work_size.argtypes = (ctypes.c_int64, ctypes.c_int64)
    library.work_size.restype = ctypes.c_int64
    library.accelerate.argtypes = (pointer, pointer, number, pointer, pointer)
    library.accelerate.restype = ctypes.c_double
    library.space_size.argtypes = (pointer,)
    library.space_size.restype = ctypes.c_int64
    library.project_state.argtypes = (pointer, pointer, pointer, pointer)
    library.rates_of.argtypes = (pointer, pointer, pointer, pointer)
    library.stages.argtypes = (pointer, number, number, pointer, ctypes.c_double, *(pointer,) * 4)
    return library
