"""Timing libraries of FMUs from C: the stopwatches, compiled on demand."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import fmpy

from fmugen.phases.compile import find_compiler, host_target

__all__ = ["Times", "closure_stopwatch", "nanoseconds_of_step", "stopwatch", "times_of_closures"]

_HERE = Path(__file__).resolve().parent
_TIMEOUT_S = 300


@dataclass(frozen=True)
class Times:
    """CPU nanoseconds of a closure for positions and for a right-hand side (below zero: it stops on the way),
    iterations a position, and the largest residual it leaves."""

    positions: float
    motion: float
    iterations: float
    residual: float


def stopwatch(folder: Path) -> Path:
    """The program that times the steps of a library, compiled into ``folder``."""
    return _compiled("time_steps", folder)


def closure_stopwatch(folder: Path) -> Path:
    """The program that times closures against each other, compiled into ``folder``."""
    return _compiled("time_closures", folder)


def _compiled(name: str, folder: Path) -> Path:
    program = folder / name
    compiler = find_compiler(host_target())
    include = Path(fmpy.__file__).parent / "c-code"
    source = _HERE / f"{name}.c"
    command = [*compiler.command, "-O2", f"-I{include}", str(source), "-o", str(program), "-ldl"]
    subprocess.run(command, check=True, timeout=_TIMEOUT_S)
    return program


def nanoseconds_of_step(program: Path, library: Path, guid: str, seconds: float, repeats: int) -> float | str:
    """The least CPU time of a communication step of ``seconds``, or what the FMU said when it stopped."""
    command = [str(program), str(library), guid, repr(seconds), str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    if done.returncode:
        return done.stderr.strip() or f"the stopwatch ended with code {done.returncode}"
    return float(done.stdout)


def times_of_closures(
    program: Path, libraries: Sequence[tuple[Path, str]], step: float, count: int, rounds: int
) -> list[Times]:
    """The times of libraries, each given with its guid, along the motion of the first."""
    words = [word for library, guid in libraries for word in (str(library), guid)]
    command = [str(program), repr(step), str(count), str(rounds), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    return [Times(*map(float, line.split())) for line in done.stdout.splitlines()]
