"""The archive: valid, loadable, the same bytes every time, whole or not there."""

from __future__ import annotations

import zipfile
from pathlib import Path

import fmpy
import pytest
from element_views import model_of
from fmpy.validation import validate_fmu

from fmugen.errors import OutputError
from fmugen.ir.fmu import CalculatedVariable, Knowns
from fmugen.ir.model import Input, Parameter
from fmugen.ir.platform import PLATFORMS, host_platform
from fmugen.phases import compile as compile_phase
from fmugen.phases.compile import compile_library
from fmugen.phases.describe import describe, model_description_xml
from fmugen.phases.pack import pack

GUID = "{b5c1}"
SOURCES = {
    "model.h": f'#define MODEL_GUID "{GUID}"\ndouble model_time(double t, double h);\n',
    "model.c": '#include "model.h"\ndouble model_time(double t, double h) { return t + h; }\n',
}


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> bytes:
    source = Path(__file__).with_name("minimal_fmu.c")
    monkeypatch.setattr(compile_phase, "runtime_sources", lambda: [source])
    return compile_library(SOURCES, cache_dir=tmp_path / "cache")


@pytest.fixture
def xml() -> bytes:
    model = model_of(
        "Clock",
        'tells < the "time" & nothing else',
        parameters=(Parameter("l", 1.0, "m"),),
        inputs=(Input("u", 0.0, "N"),),
    )
    calculated = (
        CalculatedVariable("clock", "s", "the time", "output", Knowns(inputs=("u",))),
        CalculatedVariable("pin.angle", "rad"),
        CalculatedVariable("load", "kg/m", "", "output"),
    )
    return model_description_xml(describe(model, calculated, GUID, environment={}))


def test_fmpy_finds_nothing_wrong(library: bytes, xml: bytes, tmp_path: Path) -> None:
    fmu = pack(xml, {host_platform(): library}, "Clock", destination=tmp_path / "Clock.fmu")
    assert validate_fmu(str(fmu)) == []
    assert fmpy.supported_platforms(str(fmu)) == [host_platform().fmi2_folder]


def test_fmpy_reads_variables_and_structure(library: bytes, xml: bytes, tmp_path: Path) -> None:
    fmu = pack(xml, {host_platform(): library}, "Clock", destination=tmp_path / "Clock.fmu")
    description = fmpy.read_model_description(str(fmu))
    assert description.guid == GUID
    feedthrough = {
        unknown.variable.name: [known.name for known in unknown.dependencies]
        for unknown in description.outputs
    }
    assert feedthrough == {"clock": ["u"], "load": []}


def test_fmpy_runs_the_packed_library(library: bytes, xml: bytes, tmp_path: Path) -> None:
    fmu = pack(xml, {host_platform(): library}, "Clock", destination=tmp_path / "Clock.fmu")
    result = fmpy.simulate_fmu(str(fmu), stop_time=0.5, output_interval=0.25, output=["clock"])
    assert result["clock"].tolist() == [0.0, 0.25, 0.5]


def test_entries(tmp_path: Path) -> None:
    fmu = pack(
        b"<x/>",
        {PLATFORMS[name]: name.encode() for name in ("win64", "linux64", "darwin64", "linux-aarch64")},
        "Clock",
        destination=tmp_path / "Clock.fmu",
        documentation={"index.html": "<p>é</p>"},
        sources={"model.c": "int x;"},
    )
    with zipfile.ZipFile(fmu) as archive:
        assert archive.namelist() == [
            "binaries/aarch64-linux/Clock.so",
            "binaries/darwin64/Clock.dylib",
            "binaries/linux64/Clock.so",
            "binaries/win64/Clock.dll",
            "documentation/index.html",
            "modelDescription.xml",
            "sources/model.c",
        ]
        assert archive.read("documentation/index.html").decode("utf-8") == "<p>é</p>"
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def folders(binaries: list[str], fmi: int, folder: Path) -> dict[str, bytes]:
    libraries = {PLATFORMS[name]: name.encode() for name in binaries}
    fmu = pack(b"<x/>", libraries, "Clock", destination=folder / "Clock.fmu", fmi=fmi)
    with zipfile.ZipFile(fmu) as archive:
        names = [name for name in archive.namelist() if name.startswith("binaries/")]
        return {name.split("/")[1]: archive.read(name) for name in names}


def test_folders_of_fmi_3_are_platform_tuples(tmp_path: Path) -> None:
    assert folders([*PLATFORMS], 3, tmp_path) == {
        "x86_64-linux": b"linux64",
        "x86_64-windows": b"win64",
        "x86_64-darwin": b"darwin64",
        "aarch64-linux": b"linux-aarch64",
        "aarch64-darwin": b"darwin-aarch64",
    }


def test_importers_that_know_no_processors_find_the_only_library(tmp_path: Path) -> None:
    assert folders(["darwin-aarch64"], 2, tmp_path) == {
        "aarch64-darwin": b"darwin-aarch64",
        "darwin64": b"darwin-aarch64",
    }
    both = folders(["linux-aarch64", "linux64"], 2, tmp_path)
    assert both == {"aarch64-linux": b"linux-aarch64", "linux64": b"linux64"}


def test_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    binaries = {PLATFORMS["win64"]: b"w" * 1000, PLATFORMS["linux64"]: b"l" * 1000}
    first = pack(b"<x/>", binaries, "Clock", destination=tmp_path / "a.fmu")
    reordered = dict(reversed(binaries.items()))
    second = pack(b"<x/>", reordered, "Clock", destination=tmp_path / "b.fmu")
    assert first.read_bytes() == second.read_bytes()


def test_an_existing_fmu_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    destination = tmp_path / "Clock.fmu"
    destination.write_text("old")
    pack(b"<x/>", {}, "Clock", destination=destination)
    assert zipfile.is_zipfile(destination)
    assert [path.name for path in tmp_path.iterdir()] == ["Clock.fmu"]


def test_a_failure_leaves_the_old_fmu_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    destination = tmp_path / "Clock.fmu"
    destination.write_text("old")

    def full_disk(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full_disk)
    with pytest.raises(OutputError, match="No space left on device"):
        pack(b"<x/>", {}, "Clock", destination=destination)
    assert destination.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["Clock.fmu"]


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"there is no folder .*nowhere; create it first"):
        pack(b"<x/>", {}, "Clock", destination=tmp_path / "nowhere" / "Clock.fmu")


def test_a_folder_is_no_destination(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="it is a folder"):
        pack(b"<x/>", {}, "Clock", destination=tmp_path)
