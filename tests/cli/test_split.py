"""``fmugen split``: a package from the command line."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fmugen.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"


def split(example: str, *options: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["split", str(EXAMPLES / example / "model.toml"), *options])
    return result.exit_code, result.output


def test_a_package_and_what_its_parts_exchange(tmp_path: Path) -> None:
    drawing = tmp_path / "parts.svg"
    options = ("--parts", "auto", "--trees", "aac", "-o", str(tmp_path / "new"), "--svg", str(drawing))
    code, output = split("five_bar", *options)
    assert code == 0, output
    assert f"drawing: {drawing}" in output.replace("\n", "")
    assert ">2 position, 2 velocity, 2 acceleration, 1 time<" in drawing.read_text()
    with zipfile.ZipFile(tmp_path / "new" / "FiveBar.ssp") as archive:
        assert {"SystemStructure.ssd", "resources/hub.fmu", "resources/part_1.fmu"} == set(archive.namelist())
    rows = {line.split()[0]: line.split() for line in output.splitlines() if line.strip()}
    # The hub sends six numbers of the motion of one point and the time, and gets A (3), b (2) and the time.
    assert rows["hub"][-2:] == ["6", "7"]
    assert rows["part_1"][-2:] == ["7", "6"]


def test_mistakes_are_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        split("five_bar", "--parts", "nowhere.toml")[1]
        .strip()
        .endswith("there is no such file (write 'auto' to leave the parts to fmugen)")
    )
    Path("parts.toml").write_text('[parts.a]\nbodies = ["m1"]\n[parts.b]\nbodies = ["m2", "m3"]\n')
    code, output = split("five_bar", "--parts", "parts.toml")
    assert code == 1
    assert "no part has the body 'm4' (add it to one)" in output
    code, output = split("pendulum")
    assert code == 1
    assert "no joint between bodies that can be cut at its point" in output
    assert list(Path().iterdir()) == [Path("parts.toml")]
