"""Compilation: the library, its cache, and what is said when it fails."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fmugen.errors import CompileError
from fmugen.ir.platform import PLATFORMS, host_platform
from fmugen.phases import compile as compile_phase
from fmugen.phases.compile import (
    Compiler,
    compile_libraries,
    compile_library,
    exported_functions,
    find_compiler,
)
from fmugen.phases.compile.influences import influences
from fmugen.phases.compile.symbols import read_interface
from fmugen.resources import default_cache_dir

MODEL = {
    "model.h": '#define MODEL_GUID "{1}"\ndouble model_time(double t, double h);\n',
    "model.c": '#include "model.h"\ndouble model_time(double t, double h) { return t + h; }\n',
}


@pytest.fixture(autouse=True)
def minimal_runtime(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = Path(__file__).with_name("minimal_fmu.c")
    monkeypatch.setattr(compile_phase, "runtime_sources", lambda: [source])
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path / "cache"))


def loaded(library: bytes, folder: Path) -> ctypes.CDLL:
    path = folder / f"loaded{host_platform().library_suffix}"
    path.write_bytes(library)
    return ctypes.CDLL(str(path))


def test_exports_every_fmi_function_and_nothing_of_the_model(tmp_path: Path) -> None:
    library = loaded(compile_library(MODEL), tmp_path)
    assert all(hasattr(library, name) for name in exported_functions(2))
    assert not hasattr(library, "model_time")


@pytest.mark.parametrize(("fmi", "count", "some"), [(2, 44, "fmi2GetDerivatives"), (3, 75, "fmi3DoStep")])
def test_exported_functions_are_those_of_the_fmi_header(fmi: int, count: int, some: str) -> None:
    functions = exported_functions(fmi)
    assert some in functions
    assert len(functions) == count


@pytest.mark.slow
@pytest.mark.timeout(900)  # a first compilation for Windows builds the C runtime, too
def test_one_machine_compiles_for_all_platforms() -> None:
    progress: list[tuple[int, int]] = []
    libraries = compile_libraries(MODEL, list(PLATFORMS.values()), counter=lambda *x: progress.append(x))
    assert list(libraries) == list(PLATFORMS.values())
    for library in libraries.values():
        exports = {name for name in read_interface(library).exports if name.startswith(("fmi", "model"))}
        assert exports == exported_functions(2)
    assert progress[-1] == (15, 15)
    linux, aarch64 = libraries[PLATFORMS["linux64"]], libraries[PLATFORMS["linux-aarch64"]]
    assert (linux[18], aarch64[18]) == (62, 183)  # the processor an ELF file is for


def test_a_library_of_the_oldest_c_library_is_asked_for() -> None:
    compiler = find_compiler(host_platform(), portable=True)
    assert compiler.target_flags[0] == "-target"
    if sys.platform == "linux":
        assert compiler.target_flags[1].endswith("-linux-gnu.2.17")


def test_libraries_that_importers_may_lack_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(compile_phase._AT_HOME, host_platform().system, re.compile("nothing"))
    with pytest.raises(CompileError, match=r"needs .*, which importers may lack"):
        compile_library(MODEL)


def test_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    first = compile_library(MODEL, cache_dir=tmp_path / "a")
    second = compile_library(MODEL, cache_dir=tmp_path / "b")
    assert first == second


def test_second_compilation_comes_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_library(MODEL)

    def must_not_build(*_: object) -> Path:
        raise AssertionError("the compiler ran although nothing changed")

    monkeypatch.setattr(compile_phase, "_build", must_not_build)
    assert compile_library(MODEL) == first
    with pytest.raises(AssertionError, match="the compiler ran"):
        compile_library({**MODEL, "model.c": MODEL["model.c"] + "\n"})


def test_cache_key_covers_sources_platform_and_compiler() -> None:
    here, compiler = host_platform(), Compiler(("cc",), "1")
    keys = {
        compile_phase._digest(MODEL, here, compiler),
        compile_phase._digest({**MODEL, "model.h": ""}, here, compiler),
        compile_phase._digest(MODEL, replace(here, architecture="z80"), compiler),
        compile_phase._digest(MODEL, here, Compiler(("cc",), "2")),
        compile_phase._digest(MODEL, here, Compiler(("cc", "-m32"), "1")),
    }
    assert len(keys) == 5


def test_only_what_a_change_touches_is_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_library(MODEL)
    compiled: list[str] = []
    run = compile_phase.require_success

    def noted(command: Sequence[str], folder: Path) -> None:
        compiled.extend(word for word in command if word.endswith(".c"))
        run(command, folder)

    monkeypatch.setattr(compile_phase, "require_success", noted)
    other_guid = MODEL["model.h"].replace("{1}", "{2}")
    compile_library({**MODEL, "model.h": other_guid})
    assert "model.c" not in compiled
    compile_library({**MODEL, "model.h": other_guid + "double model_rate(double t);\n"})
    assert "model.c" in compiled


@pytest.mark.parametrize(
    ("unit", "depends"),
    [
        ("int n = GUID;", True),
        ("int n = 1;", False),
        ("int n = SIZE;", False),
        ("int n = PAIR(1);", True),
        ("#define MAKE(x, y) x##y\nint n = MAKE(GU, ID);", True),
        ("#ifdef GUID\nint n;\n#endif", True),
    ],
)
def test_an_object_depends_on_the_constants_that_it_names(unit: str, depends: bool) -> None:
    def files(guid: int) -> dict[str, str]:
        pair = "#define PAIR(x) (x + GUID)\n" if "PAIR" in unit else ""
        header = f"#define GUID {guid}\n#define SIZE 3\n{pair}"
        return {"a.h": '#include "b.h"\n', "b.h": header, "c.h": "int c;", "a.c": f'#include "a.h"\n{unit}\n'}

    first, second = (influences("a.c", files(guid)) for guid in (1, 2))
    assert set(first) == {"a.c", "a.h", "b.h"}
    assert (first != second) == depends


def test_unwritable_cache_only_costs_time(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("not a folder")
    assert compile_library(MODEL, cache_dir=occupied / "cache")


def test_work_dir_keeps_the_sources(tmp_path: Path) -> None:
    compile_library(MODEL, work_dir=tmp_path)
    assert (tmp_path / "model.c").read_text() == MODEL["model.c"]


def test_compiler_errors_are_quoted_with_their_place() -> None:
    broken = {**MODEL, "model.c": "int model_time(void) { return nonsense; }\n"}
    with pytest.raises(CompileError, match=r"model\.c:1:.*nonsense"):
        compile_library(broken)


def test_only_the_first_lines_are_quoted() -> None:
    broken = {**MODEL, "model.c": "int f(void) {\n" + "".join(f"a{i};\n" for i in range(40)) + "}\n"}
    with pytest.raises(CompileError) as caught:
        compile_library(broken)
    message = str(caught.value)
    assert len(message.splitlines()) < 20
    assert message.splitlines()[-1].startswith("... and ")


def test_missing_definitions_are_link_errors() -> None:
    with pytest.raises(CompileError, match="model_time"):
        compile_library({**MODEL, "model.c": "typedef int nothing;\n"})


def test_missing_fmi_function_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runtime = tmp_path / "runtime.c"
    text = Path(__file__).with_name("minimal_fmu.c").read_text()
    runtime.write_text(text.replace("ACCEPT(fmi2Reset, C)", ""))
    monkeypatch.setattr(compile_phase, "runtime_sources", lambda: [runtime])
    with pytest.raises(CompileError, match=r"does not export fmi2Reset$"):
        compile_library(MODEL)


def test_cc_is_respected_with_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    # Any program that knows --version will do.
    monkeypatch.setenv("CC", shlex.join([sys.executable, "-B"]))
    compiler = find_compiler(host_platform())
    assert compiler.command == (sys.executable, "-B")
    assert compiler.version.startswith("Python")


def test_unusable_cc_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CompileError, match="CC names cannot be used: `no-such-compiler` cannot be run"):
        find_compiler(host_platform())


def test_without_any_compiler_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CompileError, match=r'pip install "fmugen\[cross\]".*gcc'):
        find_compiler(host_platform())


def test_other_machines_need_the_cross_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    other = next(item for item in PLATFORMS.values() if item != host_platform())
    with pytest.raises(CompileError, match=f"no C compiler for {other.name}"):
        find_compiler(other)


def test_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMUGEN_CACHE", "/own")
    monkeypatch.setenv("XDG_CACHE_HOME", "/users")
    assert default_cache_dir() == Path("/own")
    monkeypatch.delenv("FMUGEN_CACHE")
    assert default_cache_dir() == Path("/users/fmugen")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_dir() == Path("~/.cache/fmugen").expanduser()
