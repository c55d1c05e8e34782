"""Generated C -> shared libraries, one for each platform.

The generated ``model.c`` has the sizes of the model as constants; the hand-written runtime reads them from a
table, and is compiled once for all models. For this machine alone a C compiler of the system is used if
there is one; otherwise the one in the Python package ``ziglang``, which compiles for all platforms.
Libraries are kept in a cache under a digest of everything they are made from, so that the same model is never
compiled twice; so are objects, so that of a new model only ``model.c`` and its table of sizes are compiled.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from fmugen.cache import digest, keep
from fmugen.errors import CompileError
from fmugen.ir.platform import Platform, choose_platforms, host_platform
from fmugen.phases.compile.influences import influences
from fmugen.phases.compile.symbols import read_interface
from fmugen.phases.compile.toolchain import Compiler, end_compilers, find_compiler, require_success
from fmugen.phases.compile.units import Effort, Unit, units_of
from fmugen.resources import default_cache_dir, fmi_include_dir, runtime_sources

__all__ = [
    "Compiler",
    "compile_for",
    "compile_libraries",
    "compile_library",
    "compile_program",
    "exported_functions",
    "find_compiler",
]

#: Called with the number of files compiled so far and the number of all.
Counter = Callable[[int, int], None]

#: The libraries that come with every machine of a system; any other would have to be shipped.
_AT_HOME = {
    "linux": re.compile(r"(libc|libm)\.|ld-linux"),
    "windows": re.compile(r"(kernel32|msvcrt|ucrtbase|api-ms-win-crt-[\w-]+)\.dll$", re.IGNORECASE),
    "darwin": re.compile(r"/usr/lib/libSystem\."),
}


def exported_functions(fmi: int) -> frozenset[str]:
    """The functions of a version of the standard, which an importer may look up when it loads a library."""
    header = (fmi_include_dir() / f"fmi{fmi}Functions.h").read_text(encoding="utf-8")
    return frozenset(re.findall(rf"^\s*FMI{fmi}_Export\s+\w+\s+(fmi{fmi}\w+)\s*;", header, re.MULTILINE))


def compile_for(
    names: Sequence[str], sources: Mapping[str, str], fmi: int, counter: Counter | None = None
) -> dict[Platform, bytes]:
    """Compile for the platforms that a user names; for ``host`` alone by the compiler of this machine."""
    platforms, portable = choose_platforms(names), tuple(names) != ("host",)
    return compile_libraries(sources, platforms, fmi=fmi, portable=portable, counter=counter)


def compile_libraries(
    sources: Mapping[str, str],
    platforms: Sequence[Platform],
    *,
    fmi: int = 2,
    portable: bool = True,
    cache_dir: Path | None = None,
    counter: Counter | None = None,
) -> dict[Platform, bytes]:
    """Compile generated sources and the runtime for several platforms, side by side.

    Parameters
    ----------
    sources
        The generated files by name: ``model.c`` and ``model.h``.
    platforms
        The platforms to compile for.
    fmi
        The version of the standard whose functions the libraries must export, 2 or 3.
    portable
        Whether the library for this platform is to run on other machines, too.
    cache_dir
        The folder of compiled libraries; :func:`default_cache_dir` by default.
    counter
        Told the progress.

    Returns
    -------
    dict of Platform to bytes
        The content of each library.

    Raises
    ------
    CompileError
        If there is no compiler, the compiler fails, or a library lacks an FMI function.
    """
    compilers = {platform: find_compiler(platform, portable=portable) for platform in platforms}
    count = _Count((1 + len(_units(_all_files(sources)))) * len(platforms), counter)
    with _workers() as workers, ThreadPoolExecutor(len(platforms)) as overseers, _ending_compilers(workers):
        futures = {
            platform: overseers.submit(
                _compile, sources, platform, fmi, compiler, cache_dir, None, workers, count
            )
            for platform, compiler in compilers.items()
        }
        return {platform: future.result() for platform, future in futures.items()}


def compile_library(
    sources: Mapping[str, str],
    *,
    platform: Platform | None = None,
    fmi: int = 2,
    compiler: Compiler | None = None,
    work_dir: Path | None = None,
    cache_dir: Path | None = None,
) -> bytes:
    """Compile for one platform, this machine by default.

    ``compiler`` is what :func:`find_compiler` finds by default; ``work_dir`` is an existing folder that keeps
    the sources and objects. For all else see :func:`compile_libraries`.
    """
    platform = platform or host_platform()
    compiler = compiler or find_compiler(platform)
    with _workers() as workers, _ending_compilers(workers):
        return _compile(sources, platform, fmi, compiler, cache_dir, work_dir, workers, _Count(0, None))


def compile_program(
    sources: Mapping[str, str], main: Mapping[str, str], *, counter: Counter | None = None
) -> bytes:
    """A program for this machine from generated sources, the runtime and the files of its own, ``main``.

    It is made of the objects that a library for this machine is made of, which are compiled once.
    """
    platform = host_platform()
    compiler = find_compiler(platform)
    files = _all_files(sources) | dict(main)
    count = _Count(1 + len(_units(files, main)), counter)
    with (
        tempfile.TemporaryDirectory(prefix="fmugen-") as folder,
        _workers() as workers,
        _ending_compilers(workers),
    ):
        cache = default_cache_dir()
        units = _compile_units(files, platform, compiler, Path(folder), cache, workers, count, main)
        program = "program.exe" if platform.system == "windows" else "program"
        _run_all([compiler.program_command(units, program)], Path(folder), workers, count)
        return (Path(folder) / program).read_bytes()


def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count())


@contextmanager
def _ending_compilers(workers: Executor) -> Iterator[None]:
    """An interruption ends the compilers of ``workers`` at once: nobody waits for them, and none begins."""
    try:
        yield
    except KeyboardInterrupt:
        workers.shutdown(wait=False, cancel_futures=True)
        end_compilers()
        raise


class _Count:
    """Files compiled so far, counted by several threads."""

    def __init__(self, total: int, counter: Counter | None) -> None:
        self._total, self._counter = total, counter
        self._done = 0
        self._lock = threading.Lock()

    def add(self, files: int = 1) -> None:
        with self._lock:
            self._done += files
            if self._counter is not None:
                self._counter(self._done, self._total)


def _compile(
    sources: Mapping[str, str],
    platform: Platform,
    fmi: int,
    compiler: Compiler,
    cache_dir: Path | None,
    work_dir: Path | None,
    workers: Executor,
    count: _Count,
) -> bytes:
    files = _all_files(sources)
    key = _digest(files, platform, compiler)
    cache = cache_dir or default_cache_dir()
    cached = cache / f"{key}{platform.library_suffix}"
    with suppress(OSError):
        content = cached.read_bytes()
        count.add(1 + len(_units(files)))
        return content
    with ExitStack() as stack:
        folder = work_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fmugen-")))
        content = _build(files, platform, compiler, folder, cache, workers, count).read_bytes()
    _require_interface(content, platform, fmi)
    keep(cached, content)
    return content


def _all_files(sources: Mapping[str, str]) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in runtime_sources()} | dict(sources)


def _units(files: Mapping[str, str], main: Iterable[str] = ()) -> list[Unit]:
    return units_of(files, frozenset(path.name for path in runtime_sources()), frozenset(main))


# --- the cache -------------------------------------------------------------------------------


def _digest(
    files: Mapping[str, str], platform: Platform, compiler: Compiler, efforts: Iterable[Effort] = Effort
) -> str:
    """A digest of everything that a library, or an object, is a function of."""
    headers = {path.name: path.read_text(encoding="utf-8") for path in _fmi_headers()}
    parts = list(compiler.identity(platform, *efforts))
    for name, text in sorted({**files, **headers}.items()):
        parts += [name, text]
    return digest(parts)


def _recall(place: Path, destination: Path) -> bool:
    """Whether the cache had a file, which is then at its destination."""
    try:
        destination.write_bytes(place.read_bytes())
    except OSError:
        return False
    return True


# --- building --------------------------------------------------------------------------------


def _build(
    files: Mapping[str, str],
    platform: Platform,
    compiler: Compiler,
    folder: Path,
    cache: Path,
    workers: Executor,
    count: _Count,
) -> Path:
    """Compile and link. Names are relative, so that no path gets into the result."""
    units = _compile_units(files, platform, compiler, folder, cache, workers, count)
    library = f"library{platform.library_suffix}"
    _run_all([compiler.link_command(platform, units, library)], folder, workers, count)
    return folder / library


def _compile_units(
    files: Mapping[str, str],
    platform: Platform,
    compiler: Compiler,
    folder: Path,
    cache: Path,
    workers: Executor,
    count: _Count,
    main: Iterable[str] = (),
) -> list[str]:
    """Compile each unit that is not in the cache; the names of all units."""
    units, include = _units(files, main), fmi_include_dir()
    texts = {**files, **{unit.name: unit.text for unit in units if unit.text}}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    of_all = {name: text for name, text in texts.items() if name != "model.h"}
    kept: dict[Unit, Path] = {}
    for unit in units:
        read = influences(unit.name, of_all if unit.shared else texts)
        key = _digest(read, platform, compiler, (unit.effort,))
        kept[unit] = cache / "objects" / f"{key}.o"
    missing = [unit for unit in units if not _recall(kept[unit], folder / f"{unit.name}.o")]
    count.add(len(units) - len(missing))
    commands = [compiler.compile_command(platform, unit.name, include, unit.effort) for unit in missing]
    _run_all(commands, folder, workers, count)
    for unit in missing:
        keep(kept[unit], (folder / f"{unit.name}.o").read_bytes())
    return [unit.name for unit in units]


def _run_all(commands: Iterable[Sequence[str]], folder: Path, workers: Executor, count: _Count) -> None:
    """Run commands side by side; the first failure ends the others that have not begun."""
    futures = [workers.submit(require_success, command, folder) for command in commands]
    try:
        for future in as_completed(futures):
            future.result()
            count.add()
    finally:
        for future in futures:
            future.cancel()


def _fmi_headers() -> list[Path]:
    return sorted(fmi_include_dir().glob("fmi[23]*.h"))


def _require_interface(library: bytes, platform: Platform, fmi: int) -> None:
    """Check that a library exports the FMI functions and imports nothing that an importer may lack."""
    interface = read_interface(library)
    missing = sorted(exported_functions(fmi) - interface.exports)
    if missing:
        raise CompileError(f"the compiled library for {platform.name} does not export {', '.join(missing)}")
    foreign = sorted(name for name in interface.needs if not _AT_HOME[platform.system].match(name))
    if foreign:
        raise CompileError(
            f"the compiled library for {platform.name} needs {', '.join(foreign)}, which importers may lack: "
            "use another compiler (unset CC, or name another one)"
        )
