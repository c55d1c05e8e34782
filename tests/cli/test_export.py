"""``fmugen export``: platforms, sources and Modelica from the command line."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fmugen.cli import app

MODEL = Path(__file__).parents[2] / "examples" / "pendulum" / "model.toml"


def export(*options: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["export", str(MODEL), *options])
    return result.exit_code, result.output


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_sources_travel_in_the_fmu() -> None:
    code, output = export("--sources", "-o", "swing.fmu")
    assert code == 0, output
    with zipfile.ZipFile("swing.fmu") as archive:
        names = set(archive.namelist())
        description = archive.read("modelDescription.xml").decode()
    assert {"sources/model.c", "sources/fmu_names.h", "sources/fmi2Functions.h"} <= names
    assert '<File name="model.c"/>' in description


def test_modelica_lies_beside_the_fmu() -> None:
    code, output = export("--modelica", "-o", "swing.fmu")
    assert code == 0, output
    assert {path.name for path in Path().iterdir()} == {"swing.fmu", "Pendulum.mo", "Pendulum_import.mos"}
    assert Path("Pendulum.mo").read_text().startswith("model Pendulum ")
    assert 'importFMU("swing.fmu")' in Path("Pendulum_import.mos").read_text()
    assert "Pendulum.mo" in output


@pytest.mark.parametrize("names", ["win32", "linux64,amiga", ","])
def test_unknown_platforms_are_refused_before_any_work(names: str) -> None:
    code, output = export("--platforms", names)
    assert code == 2
    assert "platform" in output
    assert list(Path().iterdir()) == []


def test_a_second_export_neither_searches_nor_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives the same bytes without what takes a second to import or to run."""
    assert export("-o", "first.fmu")[0] == 0
    monkeypatch.setitem(sys.modules, "fmugen.view.report", None)
    monkeypatch.setattr("fmugen.trees.store.search_trees", None)
    code, output = export("-o", "second.fmu")
    assert code == 0, output
    assert Path("first.fmu").read_bytes() == Path("second.fmu").read_bytes()
