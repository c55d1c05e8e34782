"""Compilation: the library, its cache, and what is said when it fails."""

from __future__ import annotations

import ctypes
import importlib.util
import shlex
import sys
from pathlib import Path

import pytest

from fmugen.errors import CompileError
from fmugen.phases import compile as compile_phase
from fmugen.phases.compile import (
    EXPORTED_FUNCTIONS,
    Compiler,
    Target,
    compile_library,
    find_compiler,
    host_platform,
    host_target,
)
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
    path = folder / f"loaded{host_target().library_suffix}"
    path.write_bytes(library)
    return ctypes.CDLL(str(path))


def test_exports_every_fmi_function_and_nothing_of_the_model(tmp_path: Path) -> None:
    library = loaded(compile_library(MODEL), tmp_path)
    assert all(hasattr(library, name) for name in EXPORTED_FUNCTIONS)
    assert not hasattr(library, "model_time")


def test_exported_functions_are_those_of_the_fmi_header() -> None:
    header = (compile_phase._fmi_include_dir() / "fmi2Functions.h").read_text(encoding="utf-8")
    declared = {line.split()[-1].rstrip(";") for line in header.splitlines() if "FMI2_Export fmi2" in line}
    model_exchange_only = {
        "fmi2EnterEventMode",
        "fmi2NewDiscreteStates",
        "fmi2EnterContinuousTimeMode",
        "fmi2CompletedIntegratorStep",
        "fmi2SetTime",
        "fmi2SetContinuousStates",
        "fmi2GetDerivatives",
        "fmi2GetEventIndicators",
        "fmi2GetContinuousStates",
        "fmi2GetNominalsOfContinuousStates",
    }
    assert set(EXPORTED_FUNCTIONS) == declared - model_exchange_only


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


def test_cache_key_covers_sources_target_and_compiler() -> None:
    here, compiler = host_target(), Compiler(("cc",), "1")
    keys = {
        compile_phase._digest(MODEL, here, compiler),
        compile_phase._digest({**MODEL, "model.h": ""}, here, compiler),
        compile_phase._digest(MODEL, Target("win64", "x86_64-windows-gnu"), compiler),
        compile_phase._digest(MODEL, here, Compiler(("cc",), "2")),
        compile_phase._digest(MODEL, here, Compiler(("cc", "-m32"), "1")),
    }
    assert len(keys) == 5


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
    compiler = find_compiler(host_target())
    assert compiler.command == (sys.executable, "-B")
    assert compiler.version.startswith("Python")


def test_unusable_cc_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CompileError, match="CC names cannot be used: `no-such-compiler` cannot be run"):
        find_compiler(host_target())


def test_without_any_compiler_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CompileError, match=r'pip install "fmugen\[cross\]".*gcc'):
        find_compiler(host_target())


def test_other_machines_need_the_cross_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CompileError, match="no C compiler for win32"):
        find_compiler(Target("win32", "x86-windows-gnu"))


@pytest.mark.parametrize(
    ("system", "machine", "platform", "triple"),
    [
        ("linux", "x86_64", "linux64", "x86_64-linux-gnu.2.17"),
        ("linux", "aarch64", "linux64", "aarch64-linux-gnu.2.17"),
        ("win32", "AMD64", "win64", "x86_64-windows-gnu"),
        ("darwin", "arm64", "darwin64", "aarch64-macos"),
    ],
)
def test_platform_names(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, platform: str, triple: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(compile_phase.platform, "machine", lambda: machine)
    assert host_target() == Target(platform, triple)
    assert host_platform() == platform


def test_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FMUGEN_CACHE", "/own")
    monkeypatch.setenv("XDG_CACHE_HOME", "/users")
    assert default_cache_dir() == Path("/own")
    monkeypatch.delenv("FMUGEN_CACHE")
    assert default_cache_dir() == Path("/users/fmugen")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_dir() == Path("~/.cache/fmugen").expanduser()
