"""Programs in C that load the library of an FMU as an importer does, here and on other platforms."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from subjects import ImporterError, Subject, run

from fmugen.ir.platform import PLATFORMS, Platform, host_platform
from fmugen.phases.compile import find_compiler
from fmugen.resources import default_cache_dir, fmi_include_dir

Array = np.ndarray[Any, np.dtype[np.float64]]

_HERE = Path(__file__).parent
_FLAGS = ("-std=c99", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror")


@dataclass(frozen=True)
class Emulator:
    """A program that runs programs of another platform; the first of ``commands`` that exists is used."""

    platform: Platform
    commands: tuple[str, ...]
    options: tuple[str, ...] = ()

    def missing(self) -> str | None:
        if platform.machine() not in ("x86_64", "AMD64") or sys.platform != "linux":
            return "only from Linux on x86_64"
        return None if self.command() else f"no {Path(self.commands[0]).name}"

    def command(self) -> str | None:
        return next((found for name in self.commands if (found := shutil.which(name))), None)


WINE = Emulator(PLATFORMS["win64"], ("wine64", "/usr/lib/wine/wine64", "wine"))
AARCH64 = Emulator(
    PLATFORMS["linux-aarch64"], ("qemu-aarch64", "qemu-aarch64-static"), ("-L", "/usr/aarch64-linux-gnu")
)


def build(program: str, target: Platform, folder: Path) -> Path:
    """Compile ``program``.c for a platform."""
    compiler = find_compiler(target)
    binary = folder / f"{program}-{target.name}{'.exe' if target.system == 'windows' else ''}"
    libraries = ("-ldl", "-lpthread") if target.system == "linux" else ()
    if not binary.is_file():
        source = str(_HERE / f"{program}.c")
        include = f"-I{fmi_include_dir()}"
        command = [*compiler.command, *compiler.target_flags, *_FLAGS, include, source, "-o", str(binary)]
        run([*command, *libraries])
    return binary


def library_of(subject: Subject, target: Platform, folder: Path) -> Path:
    """The library of an FMU, unpacked; one that is missing is a failure."""
    entry = f"binaries/{target.folder(2)}/{subject.model.name}{target.library_suffix}"
    with zipfile.ZipFile(subject.fmus[2]) as archive:
        if entry not in archive.namelist():
            raise ImporterError(f"the FMU has no {entry}")
        return Path(archive.extract(entry, folder / subject.name))


def drive_library(
    subject: Subject,
    emulator: Emulator | None,
    folder: Path,
    stop: float | None = None,
    step: float | None = None,
) -> Array:
    """The outputs that the library of a platform computes, this machine's without an emulator."""
    target = host_platform() if emulator is None else emulator.platform
    program = build("drive", target, folder)
    library = library_of(subject, target, folder)
    guid, references = subject.references()
    experiment = subject.model.experiment
    span = (experiment.stop if stop is None else stop, experiment.step if step is None else step)
    arguments = [guid, *map(repr, span), *map(str, references)]
    command = [str(program), str(library), *arguments]
    environment = dict(os.environ)
    if emulator is not None:
        command = [emulator.command() or "", *emulator.options, *command]
        environment |= {"WINEDEBUG": "-all", "WINEPREFIX": str(default_cache_dir() / "wine")}
    lines = run(command, environment).splitlines()
    return np.array([[float(word) for word in line.split()] for line in lines])
