"""C files -> the units that a compiler is called for.

A compiler starts, and reads all headers, once for each unit. For the many small files of the runtime that
takes longer than their code, so the runtime is compiled in a few parts, each of which includes some files.
"""

from __future__ import annotations

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
    """A file to compile; ``text`` is its text if it only includes others, else empty."""

    name: str
    effort: Effort
    text: str = ""


#: The parts that every step runs through. No size of a model occurs in the first: one object serves all.
_PARTS = {
    "runtime_algebra.c": ("linear.c", "sparse.c"),
    "runtime_motion.c": (
        *("attitude.c", "embedding.c", "loops.c", "motion.c", "network.c", "relations.c", "samples.c"),
        "turns.c",
    ),
    "runtime_steps.c": ("implicit.c", "partition.c", "solvers.c"),
}
#: The part of all other files of the runtime.
_REST = "runtime_rest.c"


def units_of(files: Mapping[str, str], runtime: Collection[str]) -> list[Unit]:
    """The units of ``files``, the longest first; ``runtime`` names those files that are the runtime."""
    return sorted(_units(files, runtime), key=lambda unit: (unit.effort is not Effort.STRAIGHT, unit.name))


def _units(files: Mapping[str, str], runtime: Collection[str]) -> Iterator[Unit]:
    left = {name for name in files if name.endswith(".c")}
    for part, names in _PARTS.items():
        found = [name for name in names if name in left and name in runtime]
        if found:
            yield Unit(part, Effort.STEPS, _including(found))
        left.difference_update(found)
    rest = sorted(left.intersection(runtime))
    if rest:
        yield Unit(_REST, Effort.RARE, _including(rest))
    for name in left.difference(rest):
        yield Unit(name, Effort.STRAIGHT)


def _including(names: list[str]) -> str:
    return "".join(f'#include "{name}"\n' for name in names)
