"""FMUs that run together: two of ours in one process, and ours with one written in Python."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from native import build, drive_library, library_of
from subjects import ImporterError, NothingToRunError, Subject, run, run_driver

from fmugen.ir.platform import host_platform

_CONTROLLER = Path(__file__).with_name("controller.py")


def four_instances(subject: Subject, folder: Path) -> float:
    """Two instances of an FMU and two of its companion, in two threads: the deviation from runs alone."""
    if subject.companion is None:
        raise NothingToRunError("no companion")
    program = build("master", host_platform(), folder)
    pair = (subject, subject.companion)
    stop, step = (min(getattr(s.model.experiment, field) for s in pair) for field in ("stop", "step"))
    stop = step * max(1, round(stop / step))
    arguments = [repr(stop), repr(step)]
    for each in pair:
        guid, references = each.references()
        arguments += [str(library_of(each, host_platform(), folder)), guid, str(references[0])]
    lines = run([str(program), *arguments]).splitlines()
    runs = [np.array([float(word) for word in line.split()]) for line in lines]
    if len(runs) != 4 or not (np.array_equal(runs[0], runs[1]) and np.array_equal(runs[2], runs[3])):
        raise ImporterError("two instances of one FMU differ")
    largest = 0.0
    for values, each in zip(runs[::2], pair, strict=True):
        alone = drive_library(each, None, folder, stop, step)[1:, 0]
        scale = np.abs(alone).max() or 1.0
        largest = max(largest, float(np.abs(values - alone).max() / scale))
    return largest


def python_controller(subject: Subject, folder: Path) -> float:
    """The deviation between a controller in an FMU of PythonFMU and the same law called directly."""
    if not subject.model.inputs:
        raise NothingToRunError("no inputs")
    run([sys.executable, "-m", "pythonfmu", "build", "-f", str(_CONTROLLER), "-d", str(folder)])
    request = subject.request(2, "CoSimulation")
    through_fmu = run_driver("controlled", request, folder)
    directly = run_driver("controlled_directly", request, folder)
    return float(np.max(np.abs(through_fmu - directly)))


def no_threads() -> str | None:
    return None if sys.platform != "win32" else "only with POSIX threads"
