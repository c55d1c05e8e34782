"""Generated C -> shared library.

The generated ``model.c`` and ``model.h`` and the hand-written runtime are compiled together, since
the sizes of a model are constants of its code. A C compiler of the system is used if there is one,
else the one in the Python package ``ziglang``. Libraries are kept in a cache under a digest of
everything they are made from, so that the same model is never compiled twice.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from fmugen.errors import CompileError
from fmugen.ir.fmu import LIBRARY_SUFFIX
from fmugen.resources import default_cache_dir, runtime_sources

#: The FMI 2.0 co-simulation functions every importer may look up when it loads the library.
EXPORTED_FUNCTIONS = (
    "fmi2CancelStep",
    "fmi2DeSerializeFMUstate",
    "fmi2DoStep",
    "fmi2EnterInitializationMode",
    "fmi2ExitInitializationMode",
    "fmi2FreeFMUstate",
    "fmi2FreeInstance",
    "fmi2GetBoolean",
    "fmi2GetBooleanStatus",
    "fmi2GetDirectionalDerivative",
    "fmi2GetFMUstate",
    "fmi2GetInteger",
    "fmi2GetIntegerStatus",
    "fmi2GetReal",
    "fmi2GetRealOutputDerivatives",
    "fmi2GetRealStatus",
    "fmi2GetStatus",
    "fmi2GetString",
    "fmi2GetStringStatus",
    "fmi2GetTypesPlatform",
    "fmi2GetVersion",
    "fmi2Instantiate",
    "fmi2Reset",
    "fmi2SerializeFMUstate",
    "fmi2SerializedFMUstateSize",
    "fmi2SetBoolean",
    "fmi2SetDebugLogging",
    "fmi2SetFMUstate",
    "fmi2SetInteger",
    "fmi2SetReal",
    "fmi2SetRealInputDerivatives",
    "fmi2SetString",
    "fmi2SetupExperiment",
    "fmi2Terminate",
)

# Contraction of a*b+c is a choice of the compiler that changes the last bits: it is forbidden, so
# that every compiler gives the same motion.
_COMPILE_FLAGS = ("-std=c99", "-O2", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off")

# ELF: calls inside the library stay inside it even if another FMU is loaded, nothing may be left
# undefined, and no names of local symbols are kept.
_LINK_FLAGS = {
    "linux": ("-shared", "-s", "-Wl,-Bsymbolic", "-Wl,-z,defs"),
    "win": ("-shared", "-s"),
    "darwin": ("-shared", "-s"),
}
_LIBRARIES = {"linux": ("-lm",), "win": (), "darwin": ()}

_TIMEOUT_S = 600
_QUOTED_LINES = 12


@dataclass(frozen=True)
class Target:
    """A platform to compile for: its FMI 2.0 name, and the name zig has for it."""

    platform: str
    triple: str

    @property
    def system(self) -> str:
        """``linux``, ``win`` or ``darwin``."""
        return self.platform.rstrip("0123456789")

    @property
    def library_suffix(self) -> str:
        return LIBRARY_SUFFIX[self.platform]


@dataclass(frozen=True)
class Compiler:
    """A C compiler: how it is called, and what it says it is."""

    command: tuple[str, ...]
    version: str
    #: Options that make it compile for the target and for no particular processor of that kind.
    target_flags: tuple[str, ...] = ()


def host_platform() -> str:
    """The FMI 2.0 platform name of this machine, such as ``linux64``."""
    return host_target().platform


def host_target() -> Target:
    """This machine as a target."""
    machine = platform.machine().lower()
    architecture = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if sys.platform.startswith("win"):
        return Target("win64", f"{architecture}-windows-gnu")
    if sys.platform == "darwin":
        return Target("darwin64", f"{architecture}-macos")
    return Target("linux64", f"{architecture}-linux-gnu.2.17")


def find_compiler(target: Target) -> Compiler:
    """The compiler to use for a target.

    For this machine it is the one that ``$CC`` names, else cc, gcc or clang; where there is none,
    and for every other machine, it is the one of ``ziglang``.

    Raises
    ------
    CompileError
        If there is none, or ``$CC`` cannot be run.
    """
    if target == host_target():
        system = _system_compiler()
        if system is not None:
            return system
    if importlib.util.find_spec("ziglang") is not None:
        zig = (sys.executable, "-m", "ziglang")
        return Compiler((*zig, "cc"), _output_of((*zig, "version")), ("-target", target.triple))
    raise CompileError(
        f'no C compiler for {target.platform} was found: run `pip install "fmugen[cross]"`, or for this '
        "machine alone install gcc or clang, or set CC to the compiler to use"
    )


def compile_library(
    sources: Mapping[str, str],
    *,
    target: Target | None = None,
    compiler: Compiler | None = None,
    work_dir: Path | None = None,
    cache_dir: Path | None = None,
) -> bytes:
    """Compile generated sources and the runtime into the shared library of an FMU.

    Parameters
    ----------
    sources
        The generated files by name: ``model.c`` and ``model.h``.
    target
        The platform to compile for; this machine by default.
    compiler
        The compiler to use; what :func:`find_compiler` finds by default.
    work_dir
        An existing folder that keeps the sources and objects; by default a temporary one.
    cache_dir
        The folder of compiled libraries; :func:`default_cache_dir` by default.

    Returns
    -------
    bytes
        The content of the library.

    Raises
    ------
    CompileError
        If there is no compiler, the compiler fails, or the library lacks an FMI function.
    """
    target = target or host_target()
    compiler = compiler or find_compiler(target)
    files = {path.name: path.read_text(encoding="utf-8") for path in runtime_sources()} | dict(sources)
    key = _digest(files, target, compiler)
    cached = (cache_dir or default_cache_dir()) / f"{key}{target.library_suffix}"
    with suppress(OSError):
        return cached.read_bytes()
    with ExitStack() as stack:
        folder = work_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fmugen-")))
        library = _build(files, target, compiler, folder)
        _require_exports(library, target)
        content = library.read_bytes()
    _remember(cached, content)
    return content


# --- finding compilers -----------------------------------------------------------------------


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


def _output_of(command: Sequence[str]) -> str:
    result = _run(command)
    if result.returncode != 0:
        raise CompileError(f"`{shlex.join(command)}` failed: {_first_lines(result)}")
    return result.stdout


def _run(command: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError as error:
        raise CompileError(f"`{command[0]}` cannot be run: {error.strerror or error}") from error
    except subprocess.TimeoutExpired as error:
        raise CompileError(f"`{shlex.join(command)}` did not end within {_TIMEOUT_S} s") from error


# --- the cache -------------------------------------------------------------------------------


def _digest(files: Mapping[str, str], target: Target, compiler: Compiler) -> str:
    """A digest of everything that the library is a function of."""
    headers = {path.name: path.read_text(encoding="utf-8") for path in _fmi_headers()}
    parts = [
        target.platform,
        target.triple,
        compiler.version,
        *compiler.command[1:],
        *compiler.target_flags,
        *_COMPILE_FLAGS,
        *_LINK_FLAGS[target.system],
        *_LIBRARIES[target.system],
    ]
    for name, text in sorted({**files, **headers}.items()):
        parts += [name, text]
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


def _remember(place: Path, content: bytes) -> None:
    """Put a library into the cache, whole; a cache that cannot be written costs only time."""
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(name).replace(place)
        finally:
            with suppress(FileNotFoundError):
                Path(name).unlink()


# --- building --------------------------------------------------------------------------------


def _build(files: Mapping[str, str], target: Target, compiler: Compiler, folder: Path) -> Path:
    """Compile each file and link them, with relative names so that no path gets into the result."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    units = sorted(name for name in files if name.endswith(".c"))
    cc = (*compiler.command, *compiler.target_flags)
    include = f"-I{_fmi_include_dir()}"
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        commands = [(*cc, *_COMPILE_FLAGS, include, "-c", unit, "-o", f"{unit}.o") for unit in units]
        for _ in pool.map(lambda command: _require_success(command, folder), commands):
            pass
    library = f"library{target.library_suffix}"
    objects = [f"{unit}.o" for unit in units]
    system = target.system
    _require_success((*cc, *_LINK_FLAGS[system], "-o", library, *objects, *_LIBRARIES[system]), folder)
    return folder / library


def _require_success(command: Sequence[str], folder: Path) -> None:
    result = _run(command, folder)
    if result.returncode != 0:
        raise CompileError(f"the C compiler failed ({shlex.join(command)}):\n{_first_lines(result)}")


def _first_lines(result: subprocess.CompletedProcess[str]) -> str:
    lines = (result.stderr.strip() or result.stdout.strip() or "(it said nothing)").splitlines()
    more = [f"... and {len(lines) - _QUOTED_LINES} lines more"] if len(lines) > _QUOTED_LINES else []
    return "\n".join(lines[:_QUOTED_LINES] + more)


def _fmi_include_dir() -> Path:
    """The FMI headers that FMPy brings along (found without importing FMPy)."""
    spec = importlib.util.find_spec("fmpy")
    if spec is None or spec.origin is None:
        raise CompileError("the FMI headers are missing: run `pip install fmpy`")
    return Path(spec.origin).parent / "c-code"


def _fmi_headers() -> list[Path]:
    return sorted(_fmi_include_dir().glob("fmi2*.h"))


# Loading happens in a process of its own: it cannot be undone in this one.
_LIST_MISSING = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print(" ".join(name for name in sys.argv[2:] if not hasattr(library, name)))
"""


def _require_exports(library: Path, target: Target) -> None:
    """Check that the library loads and exports the FMI functions, where it can be loaded."""
    if target != host_target():
        return
    command = (sys.executable, "-I", "-S", "-c", _LIST_MISSING, str(library.resolve()), *EXPORTED_FUNCTIONS)
    result = _run(command)
    if result.returncode != 0:
        raise CompileError(f"the compiled library cannot be loaded:\n{_first_lines(result)}")
    missing = result.stdout.strip()
    if missing:
        raise CompileError(f"the compiled library does not export {missing.replace(' ', ', ')}")
