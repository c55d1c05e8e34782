"""Timing libraries of FMUs from C: the stopwatches, compiled on demand."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import fmpy
import numpy as np
from numpy.typing import NDArray

from fmugen.ir.platform import host_platform
from fmugen.phases.compile import find_compiler

__all__ = [
    "Times",
    "closure_stopwatch",
    "cycle_stopwatch",
    "nanoseconds_of_steps",
    "stopwatch",
    "times_of_closures",
]

_HERE = Path(__file__).resolve().parent
_TIMEOUT_S = 300
#: Which part of the rounds counts as fast: few enough to be undisturbed, enough not to be luck.
_FAST = 0.1


@dataclass(frozen=True)
class Times:
    """CPU nanoseconds of a closure for positions and for a right-hand side (no number: it stops on the way),
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


def cycle_stopwatch(folder: Path) -> Path:
    """The program that times the cycles of closures, compiled into ``folder``."""
    return _compiled("time_cycles", folder)


def _compiled(name: str, folder: Path) -> Path:
    program = folder / name
    compiler = find_compiler(host_platform())
    include = Path(fmpy.__file__).parent / "c-code"
    source = _HERE / f"{name}.c"
    command = [*compiler.command, "-O2", f"-I{include}", str(source), "-o", str(program), "-ldl", "-lm"]
    subprocess.run(command, check=True, timeout=_TIMEOUT_S)
    return program


def nanoseconds_of_steps(
    program: Path,
    libraries: Sequence[tuple[Path, str]],
    seconds: float,
    rounds: int,
    steps: int = 1,
    setting: tuple[int, float] | None = None,
) -> list[float | str]:
    """The CPU time of ``seconds`` from the start, for each library and guid.

    They are gone through in as many communication ``steps``. A ``setting`` is the reference of a parameter
    that all have, and its value.

    Where an FMU stopped, what it said instead. The libraries take turns in one process, and a machine that
    runs at another speed for a while, or does other work, slows all of a round alike. So each is compared
    with the mean of its round; the median of that, times what a mean takes in a fast round, is its time.
    """
    value = ("-", "-") if setting is None else (str(setting[0]), repr(setting[1]))
    words = [word for library, guid in libraries for word in (str(library), guid, *value)]
    command = [str(program), repr(seconds), str(steps), str(rounds), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"the stopwatch ended with code {done.returncode}")
    lines = done.stdout.splitlines()
    times = _typical(lines[:rounds])
    messages = iter(lines[rounds:])
    return [next(messages) if math.isnan(time) else time for time in times]


def _typical(lines: Sequence[str]) -> list[float]:
    """One time for each column of ``lines``, which are rounds; no number where a column has none.

    A reading that is not positive is one of a clock that was set back: its round does not count.
    """
    readings = np.array([[float(word) for word in line.split()] for line in lines])
    times = np.full(readings.shape[1], math.nan)
    ran = ~np.isnan(readings).any(axis=0)
    if ran.any():
        good: NDArray[np.float64] = readings[:, ran]
        good = good[(good > 0.0).all(axis=1)]
        means = np.exp(np.log(good).mean(axis=1, keepdims=True))
        times[ran] = np.median(good / means, axis=0) * np.quantile(means, _FAST)
    return [float(time) for time in times]


def times_of_closures(
    program: Path,
    libraries: Sequence[tuple[Path, str]],
    step: float,
    count: int,
    rounds: int,
    *,
    own: bool = False,
) -> list[Times]:
    """The times of libraries, each given with its guid, along the motion of the first or their ``own``."""
    words = [word for library, guid in libraries for word in (str(library), guid)]
    command = [str(program), "own" if own else "first", repr(step), str(count), str(rounds), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    lines = done.stdout.splitlines()
    times = _typical(lines[:rounds])
    rest = [tuple(map(float, line.split())) for line in lines[rounds:]]
    return [
        Times(positions, motion, iterations, residual)
        for positions, motion, (iterations, residual) in zip(times[::2], times[1::2], rest, strict=True)
    ]
