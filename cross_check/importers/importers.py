"""The columns of the table: importers, each with what it needs and how it is judged."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fmpy.validation import validate_fmu
from native import AARCH64, WINE, Emulator, drive_library
from subjects import ImporterError, NothingToRunError, Result, Subject, run_driver
from together import four_instances, no_threads, python_controller

#: Largest scaled deviation from the reference that passes.
TOLERANCE = 1e-5
#: Largest relative difference between platforms, and between exact and numerical derivatives.
PLATFORM_TOLERANCE = 1e-12
DERIVATIVE_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Importer:
    """A column; ``missing`` says what this machine lacks, ``measure`` gives the figure."""

    title: str
    missing: Callable[[], str | None]
    measure: Callable[[Subject, Path], float]
    tolerance: float = TOLERANCE

    def judge(self, subject: Subject, folder: Path) -> Result:
        lacking = self.missing()
        if lacking is not None:
            return Result.not_run(lacking)
        try:
            return Result.figure(self.measure(subject, folder), self.tolerance)
        except NothingToRunError as reason:
            return Result.not_run(str(reason))
        except ImporterError as failure:
            return Result.failure(str(failure))


def _package(name: str) -> Callable[[], str | None]:
    return lambda: None if importlib.util.find_spec(name) else f"no {name}"


def _trajectory(driver: str, fmi: int, interface: str) -> Callable[[Subject, Path], float]:
    def measure(subject: Subject, folder: Path) -> float:
        return subject.deviation(run_driver(driver, subject.request(fmi, interface), folder))

    return measure


def _derivatives(fmi: int) -> Callable[[Subject, Path], float]:
    def measure(subject: Subject, folder: Path) -> float:
        figure = float(run_driver("casadi", subject.request(fmi, "ModelExchange"), folder)[0, 0])
        if np.isnan(figure):
            raise NothingToRunError("no states")
        return figure

    return measure


def _problems(fmi: int) -> Callable[[Subject, Path], float]:
    """How many problems the validator finds, the schema included; the first one is the failure."""

    def measure(subject: Subject, folder: Path) -> float:
        problems = validate_fmu(str(subject.fmus[fmi]))
        if problems:
            raise ImporterError(f"{len(problems)} problems: {problems[0]}")
        return 0.0

    return measure


def _emulated(emulator: Emulator) -> Callable[[Subject, Path], float]:
    """The deviation of the library of another platform from that of this one."""

    def measure(subject: Subject, folder: Path) -> float:
        here = drive_library(subject, None, folder)
        there = drive_library(subject, emulator, folder)
        scale = np.abs(here).max(axis=0)
        return float(np.max(np.abs(there - here).max(axis=0) / np.where(scale > 0, scale, 1.0)))

    return measure


IMPORTERS = (
    Importer("validator 2", _package("fmpy"), _problems(2), 0.0),
    Importer("validator 3", _package("fmpy"), _problems(3), 0.0),
    Importer("FMPy 2 CS", _package("fmpy"), _trajectory("fmpy", 2, "CoSimulation")),
    Importer("FMPy 2 ME", _package("fmpy"), _trajectory("fmpy", 2, "ModelExchange")),
    Importer("FMPy 3 CS", _package("fmpy"), _trajectory("fmpy", 3, "CoSimulation")),
    Importer("FMPy 3 ME", _package("fmpy"), _trajectory("fmpy", 3, "ModelExchange")),
    Importer("CasADi 2 ME (Jacobian)", _package("casadi"), _derivatives(2), DERIVATIVE_TOLERANCE),
    Importer("CasADi 3 ME (Jacobian)", _package("casadi"), _derivatives(3), DERIVATIVE_TOLERANCE),
    Importer("ecos 2 CS", _package("ecospy"), _trajectory("ecos", 2, "CoSimulation")),
    Importer("libcosim 2 CS", _package("libcosimpy"), _trajectory("libcosim", 2, "CoSimulation")),
    Importer("win64 (wine)", WINE.missing, _emulated(WINE), PLATFORM_TOLERANCE),
    Importer("linux-aarch64 (qemu)", AARCH64.missing, _emulated(AARCH64), PLATFORM_TOLERANCE),
    Importer("C master 2 CS", no_threads, four_instances, PLATFORM_TOLERANCE),
    Importer("PythonFMU 2 CS", _package("pythonfmu"), python_controller, PLATFORM_TOLERANCE),
)
