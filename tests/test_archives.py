"""FMUs and packages that would leave the folder they are unpacked into."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fmugen.builder import ModelBuilder
from fmugen.errors import SimulationError
from fmugen.ir.options import ExportOptions
from fmugen.master import load_system
from fmugen.pipeline import export_fmu
from fmugen.verify.simulate import simulate_fmu

DESCRIPTION = "modelDescription.xml"
STRUCTURE = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" name="Swing">
  <ssd:System name="Swing"><ssd:Elements>{components}</ssd:Elements></ssd:System>
</ssd:SystemStructureDescription>
"""
FMU_TYPE = "application/x-fmu-sharedlibrary"


@pytest.fixture(scope="module")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = (
        ModelBuilder("Pendulum", gravity=(0, "-9.81"))
        .body("rod", mass=1, inertia=1, points={"pivot": (0, 1)})
        .revolute("pin", "ground", "rod.pivot")
        .output("angle", "pin.angle")
        .start("pin.angle", 0.5)
        .build()
    )
    return export_fmu(model, tmp_path_factory.mktemp("fmu") / "pendulum.fmu", ExportOptions("aac")).path


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


ENTRIES = {
    "above": ("../outside.txt", "'../outside.txt' would lie outside of the folder"),
    "below and above": ("resources/../../outside.txt", "would lie outside of the folder"),
    "absolute": ("{folder}/outside.txt", "would lie outside of the folder"),
    "of another system": ("..\\outside.txt", "would lie outside of the folder"),
    "of a drive": ("C:\\outside.txt", "would lie outside of the folder"),
    "a link": (link("resources/outside.txt"), "'resources/outside.txt' is a link"),
}


def with_entry(archive: Path, entry: str | zipfile.ZipInfo, folder: Path) -> Path:
    """A copy of an archive with an entry more."""
    path = folder / archive.name
    name = entry if isinstance(entry, zipfile.ZipInfo) else entry.format(folder=folder)
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w") as new:
        for known in old.namelist():
            new.writestr(known, old.read(known))
        new.writestr(name, "/etc/hostname")
    return path


def renamed(fmu: Path, folder: Path, change: Callable[[str], str]) -> Path:
    """A copy of an FMU with another description."""
    path = folder / fmu.name
    with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content.decode()) if name == DESCRIPTION else content)
    return path


def package(fmu: Path, folder: Path, *components: tuple[str, str]) -> Path:
    """A package with an FMU and components of the given names and sources."""
    path = folder / "swing.ssp"
    elements = "".join(
        f'<ssd:Component name="{name}" type="{FMU_TYPE}" source="{source}"/>' for name, source in components
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("SystemStructure.ssd", STRUCTURE.format(components=elements))
        archive.write(fmu, "resources/pendulum.fmu")
    return path


def refused_by_all(path: Path, folder: Path, words: str) -> None:
    """Nobody unpacks it, and nothing is left anywhere."""
    before = set(folder.rglob("*"))
    with pytest.raises(SimulationError, match=words):
        load_system(path, folder / "scratch" / "unpacked")
    if path.suffix == ".fmu":
        with pytest.raises(SimulationError, match=words):
            simulate_fmu(path, stop=0.1, step=0.1, outputs=["angle"])
    assert set(folder.rglob("*")) == before


@pytest.mark.parametrize("which", ENTRIES)
def test_entries_outside_of_the_folder_are_refused(which: str, fmu: Path, tmp_path: Path) -> None:
    entry, words = ENTRIES[which]
    refused_by_all(with_entry(fmu, entry, tmp_path), tmp_path, f"pendulum.fmu is not unpacked: .*{words}")
    (tmp_path / "whole").mkdir()
    whole = package(fmu, tmp_path / "whole", ("top", "resources/pendulum.fmu"))
    refused_by_all(with_entry(whole, entry, tmp_path), tmp_path, f"swing.ssp is not unpacked: .*{words}")


@pytest.mark.parametrize("identifier", ["../../../tmp/evil", "/tmp/evil", "a b", "..", "a-b", ""])
def test_a_model_identifier_that_is_a_path_is_refused(identifier: str, fmu: Path, tmp_path: Path) -> None:
    path = renamed(
        fmu,
        tmp_path,
        lambda text: text.replace('modelIdentifier="Pendulum"', f'modelIdentifier="{identifier}"'),
    )
    refused_by_all(path, tmp_path, f"model identifier '{identifier}' is not an identifier")


@pytest.mark.parametrize("name", ["{folder}/inside", "../inside", "a/../../../inside", "..\\inside"])
def test_a_component_whose_name_is_a_path_is_refused(name: str, fmu: Path, tmp_path: Path) -> None:
    whole = package(fmu, tmp_path, (name.format(folder=tmp_path), "resources/pendulum.fmu"))
    refused_by_all(whole, tmp_path, "the name of the component .* is a path; give it another")


@pytest.mark.parametrize(
    "source",
    ["../pendulum.fmu", "{fmu}", "file://{fmu}", "resources/../../pendulum.fmu", "resources", "other.fmu"],
)
def test_a_component_from_outside_of_the_package_is_refused(source: str, fmu: Path, tmp_path: Path) -> None:
    (tmp_path / "pendulum.fmu").write_bytes(fmu.read_bytes())
    whole = package(fmu, tmp_path, ("top", source.format(fmu=fmu)))
    refused_by_all(whole, tmp_path, "'top' is to come from .*, which is not in the package")


def test_components_of_one_name_are_refused(fmu: Path, tmp_path: Path) -> None:
    source = "resources/pendulum.fmu"
    whole = package(fmu, tmp_path, ("top", source), ("top", source))
    refused_by_all(whole, tmp_path, "several components are called 'top'")


@pytest.mark.parametrize("name", ["ssp", "fmu", "fmu1", "left/right", "a b", "é"])
def test_components_may_have_any_other_name(name: str, fmu: Path, tmp_path: Path) -> None:
    whole = package(fmu, tmp_path, (name, "./resources/pendulum.fmu"), ("other", "resources/pendulum.fmu"))
    system = load_system(whole, tmp_path / "scratch")
    assert [part.name for part in system.parts] == [name, "other"]
    assert {part.folder.parent for part in system.parts} == {tmp_path / "scratch"}


def test_a_file_that_is_not_an_fmu_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.fmu"
    path.write_text("text")
    refused_by_all(path, tmp_path, r"text\.fmu is not an FMU: no archive with a modelDescription\.xml")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(DESCRIPTION, "<fmiModelDescription")
    refused_by_all(path, tmp_path, "modelDescription.xml is not XML")
