"""Connected FMUs by their interface for co-simulation, driven from C: the runner of master.c."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from resource import RLIMIT_CPU, setrlimit
from signal import SIGKILL, SIGXCPU
from typing import Any

import numpy as np

from fmugen.ir.platform import host_platform
from fmugen.master import PartVariable, System
from fmugen.phases.compile import find_compiler
from fmugen.resources import fmi_include_dir

__all__ = ["CoRun", "MasterError", "cosimulate", "master_program"]

Array = np.ndarray[Any, np.dtype[np.float64]]

_HERE = Path(__file__).resolve().parent
_FAILED = 5


class MasterError(Exception):
    """The master could not run at all."""


@dataclass(frozen=True)
class CoRun:
    """Rows of ``values`` are communication points; ``seconds`` are wall times of the repeated runs."""

    times: Array
    values: Array
    seconds: tuple[float, ...]
    failure: str = ""


def master_program(folder: Path) -> Path:
    """The master, compiled into ``folder``; it needs fork and shared memory, which Linux has."""
    if sys.platform != "linux":
        raise MasterError("the master runs on Linux only")
    program, compiler = folder / "master", find_compiler(host_platform())
    if not program.is_file():
        flags = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{fmi_include_dir()}"]
        command = [*compiler.command, *flags, str(_HERE / "master.c"), "-o", str(program), "-ldl", "-lm"]
        subprocess.run(command, check=True, timeout=300)
    return program


def cosimulate(
    system: System,
    stop: float,
    step: float,
    places: Sequence[PartVariable],
    folder: Path,
    *,
    groups: Sequence[Sequence[str]] = (),
    workers: Sequence[Sequence[str]] = (),
    parameters: Mapping[PartVariable, float] | None = None,
    repeats: int = 1,
    timeout: float = 300,
) -> CoRun:
    """Run a system from C.

    Parts of a group step at once, groups one after the other (Gauss-Seidel); by default all are in one
    (Jacobi). Parts of a worker share a process; by default there is one. A run that fails has the points
    before; one that takes more than ``timeout`` seconds of a processor has none.
    """
    program = master_program(folder)
    description = folder / "system.txt"
    description.write_text(_text(system, places, groups, workers, parameters or {}), encoding="utf-8")
    command = [str(program), str(description), repr(stop), repr(step), str(repeats)]
    limit = partial(setrlimit, RLIMIT_CPU, (ceil(timeout), ceil(timeout)))
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    if done.returncode in (-SIGXCPU, -SIGKILL):
        return CoRun(np.zeros(0), np.zeros((0, len(places))), (), f"not ended after {timeout:g} s")
    if done.returncode not in (0, _FAILED):
        raise MasterError(done.stderr.strip() or f"the master ended with code {done.returncode}")
    head, *lines = done.stdout.splitlines()
    rows = np.array([[float(word) for word in line.split()] for line in lines]).reshape(-1, len(places) + 1)
    if done.returncode:
        return CoRun(rows[:, 0], rows[:, 1:], (), head.removeprefix("failed ").strip())
    return CoRun(rows[:, 0], rows[:, 1:], tuple(float(word) for word in head.split()[1:]))


def _text(
    system: System,
    places: Sequence[PartVariable],
    groups: Sequence[Sequence[str]],
    workers: Sequence[Sequence[str]],
    parameters: Mapping[PartVariable, float],
) -> str:
    numbers = {part.name: number for number, part in enumerate(system.parts)}
    platform = host_platform()
    lines = []
    for part in system.parts:
        identifier = part.description.coSimulation.modelIdentifier
        library = part.folder / "binaries" / platform.folder(2) / f"{identifier}{platform.library_suffix}"
        where = (_index(groups, part.name), _index(workers, part.name))
        lines.append(("part", part.name, library, part.description.guid, *where))
    for (name, variable), value in {**system.settings, **parameters}.items():
        lines.append(("set", numbers[name], system.part(name).references[variable], repr(value)))
    for wire in system.wires:
        source = (numbers[wire.source], system.part(wire.source).references[wire.output])
        lines.append(("wire", *source, numbers[wire.target], system.part(wire.target).references[wire.input]))
    for name, variable in places:
        lines.append(("watch", numbers[name], system.part(name).references[variable]))
    return "".join("\t".join(map(str, line)) + "\n" for line in lines)


def _index(sets: Sequence[Sequence[str]], name: str) -> int:
    return next((number for number, names in enumerate(sets) if name in names), 0)
