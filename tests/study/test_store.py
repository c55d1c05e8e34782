"""The folder of a study: nothing of the user's is removed or replaced, and names do not clash."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from fmugen.builder import ModelBuilder
from fmugen.cli import app
from fmugen.errors import OutputError
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import export_fmu
from fmugen.study import Plan, Store
from fmugen.study.worker import Outcome


def store(folder: Path, runs: int = 4) -> Store:
    return Store(folder, Plan(("a",), np.arange(float(runs))[:, None]), ("y",), chunk=2)


def finished(folder: Path, fingerprint: str = "first", runs: int = 4) -> Store:
    """A store in which all runs are done."""
    done = store(folder, runs)
    done.open(fingerprint, fresh=False)
    for part in done.missing():
        done.keep(part, [Outcome((float(run),)) for run in done.runs_of(part)])
    done.gather()
    done.page.write_text("page")
    return done


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


OWN = {"study.json", "results.parquet", "findings.html", "parts/00000.parquet", "parts/00001.parquet"}


def test_a_fresh_start_removes_what_the_study_wrote_and_nothing_else(tmp_path: Path) -> None:
    folder, outside = tmp_path / "all", tmp_path / "outside"
    theirs = {"model.toml", "data/run.csv", "results.csv", ".00000000-notes.txt", "parts.toml"}
    for name in theirs:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    outside.mkdir()
    (outside / "precious.txt").write_text("mine")
    (folder / "shared").symlink_to(outside)
    finished(folder)
    later = {"parts/notes.txt", "parts/00002.parquet", "parts/1.parquet"}
    for name in later:
        (folder / name).write_text("mine")
    (folder / ".0123abcd-results.parquet").write_text("half")
    (folder / "parts" / ".0123abcd-00001.parquet").write_text("half")

    assert files(folder) > OWN
    store(folder).open("second", fresh=True)

    assert files(folder) - {"shared"} == theirs | later | {"study.json"}
    assert all((folder / name).read_text() == "mine" for name in theirs | later)
    assert (folder / "shared" / "precious.txt").read_text() == "mine"
    assert store(folder).missing() == [0, 1]


def test_a_fresh_start_may_have_fewer_runs(tmp_path: Path) -> None:
    finished(tmp_path, runs=8)
    store(tmp_path, runs=2).open("second", fresh=True)
    assert files(tmp_path) == {"study.json"}


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(
    "name", ["results.parquet", "findings.html", "parts/bolt.step", "parts", "study.json"]
)
def test_files_that_no_study_wrote_are_not_replaced(tmp_path: Path, name: str, fresh: bool) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    with pytest.raises(OutputError, match="not written by a study, and is not replaced: name another folder"):
        store(tmp_path).open("first", fresh=fresh)
    assert files(tmp_path) == {name}
    assert path.read_text() == "mine"


@pytest.mark.parametrize("text", ["[1, 2]", '{"title": "my study"}', '{"fingerprint": "x", "author": "me"}'])
def test_a_description_of_another_program_is_not_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "study.json").write_text(text)
    with pytest.raises(OutputError, match=r"study\.json was not written by a study"):
        store(tmp_path).open("first", fresh=True)
    assert (tmp_path / "study.json").read_text() == text


@pytest.mark.parametrize("name", ["parts", "results.parquet"])
def test_links_are_not_followed(tmp_path: Path, name: str) -> None:
    folder, outside = tmp_path / "study", tmp_path / "outside"
    finished(folder)
    outside.mkdir()
    for path in (folder / "parts").iterdir():
        path.rename(outside / path.name)
    (folder / "results.parquet").rename(outside / "results.parquet")
    (folder / "parts").rmdir()
    (folder / name).symlink_to(outside if name == "parts" else outside / name)
    kept = files(outside)
    for fresh in (False, True):
        with pytest.raises(OutputError, match=f"{name} is a link: a study does not follow it"):
            store(folder).open("first", fresh=fresh)
    assert files(outside) == kept


def test_results_of_an_older_layout_are_refused_until_a_fresh_start(tmp_path: Path) -> None:
    finished(tmp_path)
    (tmp_path / "study.json").write_text(json.dumps({"fingerprint": "first"}))
    with pytest.raises(
        OutputError, match="layout of another version of fmugen; name another folder, or start again"
    ):
        store(tmp_path).open("first", fresh=False)
    assert files(tmp_path) == OWN
    store(tmp_path).open("first", fresh=True)
    assert files(tmp_path) == {"study.json"}


@pytest.mark.parametrize("spoiled", [b"not parquet", None])
def test_parts_that_were_changed_are_refused(tmp_path: Path, spoiled: bytes | None) -> None:
    done = finished(tmp_path)
    part = tmp_path / "parts" / "00001.parquet"
    if spoiled is None:
        pq.write_table(pa.table({"run": [2, 3]}), part)
    else:
        part.write_bytes(spoiled)
    with pytest.raises(OutputError, match=r"parts cannot be read: (.|\n)*start again with --fresh"):
        done.gather()


def test_variables_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study in the user's own folder, of a model whose names are those of columns of the results."""
    model = (
        ModelBuilder("Pendulum", gravity=(0, "-9.81"))
        .parameter("run", 1.0, "m")
        .parameter("message", 2.0, "kg")
        .body("rod", mass="message", inertia="message*run^2/12", points={"pivot": (0, "run/2")})
        .revolute("pin", "ground", "rod.pivot")
        .output("angle", "pin.angle")
        .start("pin.angle", 0.5)
        .build()
    )
    export_fmu(model, tmp_path / "pendulum.fmu", ExportOptions("aac"))
    text = """
        study = { subject = "pendulum.fmu", method = "grid", stop = 0.02, step = 0.01 }
        [parameters]
        run = { values = [0.5, 1.5, -1.0] }
        message = { values = [4.0] }
        [results]
        last = "final(angle)"
        weight = "final(message)"
    """
    (tmp_path / "study.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    for fresh in ([], ["--fresh"]):
        result = CliRunner().invoke(app, ["study", "study.toml", "-o", ".", "--workers", "1", *fresh])
        assert result.exit_code == 0, result.output
        assert (tmp_path / "study.toml").read_text() == text
        assert (tmp_path / "pendulum.fmu").is_file()
    table = pq.read_table(tmp_path / "results.parquet")
    assert table["#run"].to_pylist() == [0, 1, 2]
    assert table["run"].to_pylist() == [0.5, 1.5, -1.0]
    assert table["message"].to_pylist() == [4.0, 4.0, 4.0]
    assert table["weight"].to_pylist() == [4.0, 4.0, 4.0]
    assert table["#message"].to_pylist() == ["", "", ""]
    assert np.isfinite(table["last"].to_numpy()).all()
