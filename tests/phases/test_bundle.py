"""The folder ``sources``: self-contained, free of clashes, and what FMPy makes of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import fmpy
import pytest
from fmpy.build import build_platform_binary
from lxml import etree

from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.ir.platform import host_platform
from fmugen.phases.compile import exported_functions, find_compiler
from fmugen.phases.compile.symbols import read_interface
from fmugen.phases.pack.bundle import bundle_sources
from fmugen.pipeline import Compilation, export_fmu
from tests.support import example

FLAGS = ("-std=c99", "-O0", "-fPIC", "-Wall", "-Wextra", "-Werror")


@pytest.fixture(scope="module")
def pendulum() -> Compilation:
    return Compilation(example("pendulum"), ExportOptions("aac"))


def run(*command: str | Path, folder: Path) -> str:
    result = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def compiled(generated: Compilation, identifier: str, fmi: int, folder: Path, *flags: str) -> set[str]:
    """External names of a shared library made from the bundle alone."""
    bundle = bundle_sources(generated.sources, identifier, fmi)
    folder.mkdir()
    for name, text in bundle.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    compiler = find_compiler(host_platform())
    library = folder / "all.so"
    run(*compiler.command, *FLAGS, *flags, "-shared", "-o", library, *bundle.units, "-lm", folder=folder)
    return set(read_interface(library.read_bytes()).exports)


@pytest.mark.skipif(sys.platform != "linux", reason="other linkers export only what is asked for")
def test_every_external_name_begins_with_the_identifier(pendulum: Compilation, tmp_path: Path) -> None:
    names = compiled(pendulum, "Swing", 2, tmp_path / "static")
    own = {name for name in names if not name.startswith("_")}
    assert own >= {f"Swing_{name}" for name in exported_functions(2)}
    assert [name for name in own if not name.startswith("Swing_")] == []


def test_a_shared_library_has_the_names_of_the_standard(pendulum: Compilation, tmp_path: Path) -> None:
    assert compiled(pendulum, "Swing", 2, tmp_path / "shared", "-DDISABLE_PREFIX") >= exported_functions(2)


def test_build_description_of_fmi_3_is_valid(pendulum: Compilation) -> None:
    bundle = bundle_sources(pendulum.sources, "Swing", 3)
    schema_file = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3BuildDescription.xsd"
    root = etree.fromstring(bundle.files["buildDescription.xml"].encode())
    etree.XMLSchema(file=str(schema_file)).assertValid(root)
    assert tuple(file.get("name") for file in root.iter("SourceFile")) == bundle.units
    assert "buildDescription.xml" not in bundle_sources(pendulum.sources, "Swing", 2).files


@pytest.mark.parametrize("fmi", [FmiVersion.TWO, pytest.param(FmiVersion.THREE, marks=pytest.mark.slow)])
def test_fmpy_rebuilds_the_fmu_from_its_sources(
    fmi: FmiVersion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    if shutil.which("cmake") is None:
        pytest.skip("FMPy compiles with cmake, which is not installed")
    options = ExportOptions("aac", fmi=fmi, sources=True)
    fmu = export_fmu(example("pendulum"), tmp_path / "Pendulum.fmu", options).path
    shipped = fmpy.simulate_fmu(str(fmu), stop_time=1.0, output=["angle"])
    folder = tmp_path / "unzipped"
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(folder)
    shutil.rmtree(folder / "binaries")
    build = tmp_path / "build"
    build.mkdir()
    build_platform_binary(folder, build)
    rebuilt = fmpy.simulate_fmu(str(folder), stop_time=1.0, output=["angle"])
    assert rebuilt["angle"] == pytest.approx(shipped["angle"], rel=1e-12)
