"""Timing libraries of FMUs from C: the stopwatch, compiled on demand."""

from __future__ import annotations

import subprocess
from pathlib import Path

import fmpy

from fmugen.ir.platform import host_platform
from fmugen.phases.compile import find_compiler

__all__ = ["nanoseconds_of_step", "stopwatch"]

_HERE = Path(__file__).resolve().parent
_TIMEOUT_S = 300


def stopwatch(folder: Path) -> Path:
    """The program that times a library, compiled into ``folder``."""
    program = folder / "time_steps"
    compiler = find_compiler(host_platform())
    include = Path(fmpy.__file__).parent / "c-code"
    source = _HERE / "time_steps.c"
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
