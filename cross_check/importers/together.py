"""FMUs that run together: two of ours in one process, and ours with one written in Python."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from native import build, drive_library, library_of
from subjects import TIME_LIMIT, ImporterError, Result, Subject, run, run_driver

from fmugen.ir.platform import host_platform

_HERE = Path(__file__).parent
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Partner:
    """A row of the second table; ``examples`` are the FMUs of ours that take part."""

    title: str
    examples: tuple[str, ...]
    missing: Callable[[], str | None]
    measure: Callable[[Sequence[Subject], Path], float]

    def judge(self, subjects: Sequence[Subject], folder: Path) -> Result:
        lacking = self.missing()
        if lacking is not None:
            return Result.not_run(lacking)
        try:
            return Result.figure(self.measure(subjects, folder), TOLERANCE)
        except ImporterError as failure:
            return Result.failure(str(failure))


def _four_instances(subjects: Sequence[Subject], folder: Path) -> float:
    """The deviation of four instances in two threads from runs of their own."""
    program = build("master", host_platform(), folder)
    stop, step = (min(getattr(s.model.experiment, field) for s in subjects) for field in ("stop", "step"))
    arguments = [repr(stop), repr(step)]
    for subject in subjects:
        guid, references = subject.references()
        arguments += [str(library_of(subject, host_platform(), folder)), guid, str(references[0])]
    lines = run([str(program), *arguments]).splitlines()
    runs = [np.array([float(word) for word in line.split()]) for line in lines]
    if len(runs) != 4 or not (np.array_equal(runs[0], runs[1]) and np.array_equal(runs[2], runs[3])):
        raise ImporterError("two instances of one FMU differ")
    largest = 0.0
    for values, subject in zip(runs[::2], subjects, strict=True):
        alone = drive_library(subject, None, folder, stop, step)[1:, 0]
        largest = max(largest, float(np.abs(values - alone).max() / np.abs(alone).max()))
    return largest


def _python_controller(subjects: Sequence[Subject], folder: Path) -> float:
    """The deviation between a controller in an FMU of PythonFMU and the same law called directly."""
    source = str(_HERE / "controller.py")
    command = [sys.executable, "-m", "pythonfmu", "build", "-f", source, "-d", str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    if made.returncode != 0:
        raise ImporterError(f"pythonfmu says: {made.stderr.strip().splitlines()[-1:]}")
    request = subjects[0].request(2, "CoSimulation")
    through_fmu = run_driver("controlled", request, folder)
    directly = run_driver("controlled_directly", request, folder)
    return float(np.max(np.abs(through_fmu - directly)))


def _no_threads() -> str | None:
    return None if sys.platform != "win32" else "only with POSIX threads"


def _no_pythonfmu() -> str | None:
    return None if importlib.util.find_spec("pythonfmu") else "no pythonfmu"


PARTNERS = (
    Partner(
        "a C master: two FMUs, two instances of each, two threads",
        ("slider_crank", "four_bar"),
        _no_threads,
        _four_instances,
    ),
    Partner("a controller of PythonFMU drives a pendulum", ("pendulum",), _no_pythonfmu, _python_controller),
)
