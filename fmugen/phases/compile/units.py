"""C files -> the units that a compiler is called for.

A compiler starts, and reads all headers, once for each unit. For the many small files of the runtime that
takes longer than their code, so the runtime is compiled in a few parts, each of which includes some files.
These parts read the sizes of a model from a table instead of ``model.h``: their objects serve all models.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

__all__ = ["Effort", "Unit", "units_of"]


class Effort(Enum):
    """How well a unit is optimized."""

    #: The loops of the runtime that every step runs through.
    STEPS = "steps"
    #: Straight-line code. Common expressions are written once, so more effort makes it no faster.
    STRAIGHT = "straight"
    #: Initialization, calls of the importer, messages.
    RARE = "rare"


@dataclass(frozen=True)
class Unit:
    """A file to compile; ``text`` is its text if it only includes others, else empty.

    A ``shared`` unit does not depend on ``model.h``.
    """

    name: str
    effort: Effort
    text: str = ""
    shared: bool = False


#: The part of the runtime that every step runs through.
_STEPS = {
    "runtime_steps.c": (
        *("attitude.c", "embedding.c", "implicit.c", "linear.c", "loops.c", "motion.c", "network.c"),
        *("partition.c", "relations.c", "samples.c", "solvers.c", "sparse.c", "turns.c"),
    )
}
#: The files that depend on the version of the standard.
_INTERFACE = ("calls.c", "fmi2.c", "fmi3.c", "fmi3_absent.c", "told.c", "variables.c")
#: The part of all other files of the runtime.
_REST = "runtime_rest.c"
#: The file of the runtime that depends on the sizes of the model.
_SIZES = "sizes.c"
_VERSION = re.compile(r"^#define MODEL_FMI ([23])$", re.MULTILINE)


def units_of(files: Mapping[str, str], runtime: Collection[str], main: Collection[str] = ()) -> list[Unit]:
    """The units of ``files``, the longest first.

    ``runtime`` names those files that are the runtime, ``main`` others that do not depend on ``model.h``
    either.
    """
    return sorted(_units(files, runtime, main), key=lambda unit: (unit.shared, unit.name))


def _units(files: Mapping[str, str], runtime: Collection[str], main: Collection[str]) -> Iterator[Unit]:
    left = {name for name in files if name.endswith(".c")}
    version = _VERSION.search(files.get("model.h", ""))
    fmi = version[1] if version else "2"
    parts = {**_STEPS, f"runtime_fmi{fmi}.c": _INTERFACE, **{f"shared_{name}": (name,) for name in main}}
    rest = left.intersection(runtime).difference(*parts.values(), {_SIZES})
    for part, names in {**parts, _REST: sorted(rest)}.items():
        found = [name for name in names if name in left and (name in runtime or name in main)]
        if found:
            effort = Effort.STEPS if part in _STEPS else Effort.RARE
            yield Unit(part, effort, _including(found, fmi if names is _INTERFACE else ""), shared=True)
        left.difference_update(found)
    for name in left:
        yield Unit(name, Effort.STRAIGHT)


def _including(names: list[str], fmi: str) -> str:
    version = f"#define MODEL_FMI {fmi}\n" if fmi else ""
    return f"#define RUNTIME_SHARED\n{version}" + "".join(f'#include "{name}"\n' for name in names)
