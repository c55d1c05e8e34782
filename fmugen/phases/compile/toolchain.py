"""C compilers: which one compiles for a platform, with which options, and how it is called."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fmugen.errors import CompileError
from fmugen.ir.platform import Platform, host_platform
from fmugen.phases.compile.units import Effort

__all__ = ["Compiler", "end_compilers", "find_compiler", "first_lines", "require_success"]

# Contraction of a*b+c is a choice of the compiler that changes the last bits: it is forbidden, so
# that every compiler gives the same motion. Nothing reads errno after a root.
_COMPILE_FLAGS = ("-std=c99", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno")
# gcc takes less than half the time for -O1. The loops of the runtime, whose lengths are not constants, gain
# up to a twentieth from -O3. No arithmetic depends on the level: results are the same.
_LEVELS = {Effort.STEPS: "-O3", Effort.STRAIGHT: "-O1", Effort.RARE: "-O2"}
# A step reads values right after they were written one by one. A vector of two of them has to wait until both
# are in the cache: without vectors a step of a four-bar takes 280 ns instead of 359, of large models as long.
_NO_VECTORS = "-fno-tree-vectorize"
_GCC = "Free Software Foundation"
_POSITION_INDEPENDENT = {"linux": ("-fPIC",), "windows": (), "darwin": ("-fPIC",)}

# ELF: calls inside the library stay inside it even if another FMU is loaded, nothing may be left
# undefined, and no names of local symbols are kept.
_LINK_FLAGS = {
    "linux": ("-shared", "-s", "-Wl,-Bsymbolic", "-Wl,-z,defs"),
    "windows": ("-shared", "-s"),
    "darwin": ("-shared", "-s"),
}
_LIBRARIES = {"linux": ("-lm",), "windows": (), "darwin": ()}

#: What zig calls a system; for Linux with the oldest C library that the binary is to run with.
_ZIG_SYSTEMS = {"linux": "linux-gnu.2.17", "windows": "windows-gnu", "darwin": "macos"}

#: The compilers that are running, in any thread.
_RUNNING: set[subprocess.Popen[str]] = set()
_LOCK = threading.Lock()

_TIMEOUT_S = 600
_QUOTED_LINES = 12


@dataclass(frozen=True)
class Compiler:
    """A C compiler: its command and its version text."""

    command: tuple[str, ...]
    version: str
    #: Options that make it compile for the platform and for no particular processor of that kind.
    target_flags: tuple[str, ...] = ()

    def compile_command(
        self, platform: Platform, unit: str, include: Path, effort: Effort = Effort.STEPS
    ) -> tuple[str, ...]:
        """The command that makes ``unit.o`` from ``unit``."""
        level = _LEVELS[effort] if _GCC in self.version else "-O2"
        vectors = (_NO_VECTORS,) if effort is Effort.STEPS else ()
        flags = (level, *vectors, *_COMPILE_FLAGS, *_POSITION_INDEPENDENT[platform.system], f"-I{include}")
        return (*self.command, *self.target_flags, *flags, "-c", unit, "-o", f"{unit}.o")

    def link_command(self, platform: Platform, units: Sequence[str], library: str) -> tuple[str, ...]:
        """The command that makes the library from the objects of ``units``."""
        objects = [f"{unit}.o" for unit in units]
        flags, libraries = _LINK_FLAGS[platform.system], _LIBRARIES[platform.system]
        return (*self.command, *self.target_flags, *flags, "-o", library, *objects, *libraries)

    def program_command(self, units: Sequence[str], program: str) -> tuple[str, ...]:
        """The command that makes a program for this machine from the objects of ``units``."""
        objects = [f"{unit}.o" for unit in units]
        libraries = _LIBRARIES[host_platform().system]
        return (*self.command, *self.target_flags, "-o", program, *objects, *libraries)

    def identity(self, platform: Platform, *efforts: Effort) -> tuple[str, ...]:
        """All of it that units of these efforts depend on, its place on this machine left out."""
        compiling = (self.compile_command(platform, "", Path(), effort) for effort in efforts)
        commands = sum(compiling, ()) + self.link_command(platform, (), "")
        return (self.version, platform.tuple, *commands[1:])


def find_compiler(platform: Platform, *, portable: bool = False) -> Compiler:
    """The compiler to use for a platform.

    For this machine it is the one that ``$CC`` names, else cc, gcc or clang; where there is none, for every
    other machine, and where the result is to run on all machines of the platform (``portable``), it is the
    one of ``ziglang``.

    Raises
    ------
    CompileError
        If there is none, or ``$CC`` cannot be run.
    """
    if platform == host_platform() and not portable:
        system = _system_compiler()
        if system is not None:
            return system
    if importlib.util.find_spec("ziglang") is not None:
        triple = f"{platform.architecture}-{_ZIG_SYSTEMS[platform.system]}"
        return Compiler((*_zig(), "cc"), _zig_version(), ("-target", triple))
    raise CompileError(
        f'no C compiler for {platform.name} was found: run `pip install "fmugen[cross]"`, or for this '
        "machine alone install gcc or clang, or set CC to the compiler to use"
    )


def require_success(command: Sequence[str], folder: Path) -> None:
    """Run a compiler; what it says when it fails becomes the error."""
    result = _run(command, folder)
    if result.returncode != 0:
        raise CompileError(f"the C compiler failed ({shlex.join(command)}):\n{first_lines(result)}")


def first_lines(result: subprocess.CompletedProcess[str]) -> str:
    """The beginning of what a program said."""
    lines = (result.stderr.strip() or result.stdout.strip() or "(it said nothing)").splitlines()
    more = [f"... and {len(lines) - _QUOTED_LINES} lines more"] if len(lines) > _QUOTED_LINES else []
    return "\n".join(lines[:_QUOTED_LINES] + more)


def _system_compiler() -> Compiler | None:
    chosen = tuple(shlex.split(os.environ.get("CC", "")))
    if chosen:
        try:
            return Compiler(chosen, _output_of((*chosen, "--version")))
        except CompileError as error:
            raise CompileError(f"the compiler that CC names cannot be used: {error}") from error
    found = (path for name in ("cc", "gcc", "clang") if (path := shutil.which(name)) is not None)
    path = next(found, None)
    return None if path is None else Compiler((path,), _output_of((path, "--version")))


def _zig() -> tuple[str, ...]:
    return (sys.executable, "-m", "ziglang")


@cache
def _zig_version() -> str:
    """Asked for once, however many platforms there are."""
    return _output_of((*_zig(), "version"))


def _output_of(command: Sequence[str]) -> str:
    result = _run(command)
    if result.returncode != 0:
        raise CompileError(f"`{shlex.join(command)}` failed: {first_lines(result)}")
    return result.stdout


def end_compilers() -> None:
    """Kill all compilers that are running."""
    with _LOCK:
        for process in _RUNNING:
            _kill(process)


def _kill(process: subprocess.Popen[str]) -> None:
    """End a compiler with the passes that it has started."""
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _run(command: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    # Libraries for Windows carry the time of linking unless this names another.
    environment = {**os.environ, "LC_ALL": "C", "SOURCE_DATE_EPOCH": "0"}
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=pipe,
            stderr=pipe,
            text=True,
            errors="replace",
            env=environment,
            process_group=None if sys.platform == "win32" else 0,
        )
    except OSError as error:
        raise CompileError(f"`{command[0]}` cannot be run: {error.strerror or error}") from error
    with process, _running(process):
        try:
            output, messages = process.communicate(timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            _kill(process)
            raise CompileError(f"`{shlex.join(command)}` did not end within {_TIMEOUT_S} s") from error
    return subprocess.CompletedProcess(command, process.returncode, output, messages)


@contextmanager
def _running(process: subprocess.Popen[str]) -> Iterator[None]:
    """While this lasts, ``process`` is one that :func:`end_compilers` ends; so it is on an interruption."""
    with _LOCK:
        _RUNNING.add(process)
    try:
        yield
    except BaseException:
        _kill(process)
        raise
    finally:
        with _LOCK:
            _RUNNING.discard(process)
