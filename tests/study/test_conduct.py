"""Studies as a user runs them: results, interruption, failing runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from fmugen.cli import app
from fmugen.study import plan_runs, read_study
from fmugen.verify.simulate import simulate_fmu


def study(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, ["study", "--workers", "2", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def test_every_run_is_that_of_the_fmu_alone(study_file: Path, pendulum: Path) -> None:
    said = study(study_file)
    assert "120 runs" in said
    assert "best: run" in said
    folder = study_file.with_suffix("")
    assert (folder / "findings.html").stat().st_size > 1_000_000
    table = pq.read_table(folder / "results.parquet")
    assert table["#run"].to_pylist() == list(range(120))
    plan = plan_runs(read_study(study_file))
    for run in (0, 57, 119):
        parameters = dict(zip(plan.names, plan.values[run].tolist(), strict=True))
        alone = simulate_fmu(
            pendulum, stop=0.2, step=0.05, outputs=["angle", "rod.omega"], parameters=parameters
        )
        assert table["last"][run].as_py() == alone.values["angle"][-1]
        assert table["fastest"][run].as_py() == np.abs(alone.values["rod.omega"]).max()


def test_a_study_killed_in_the_middle_goes_on_where_it_was(study_file: Path) -> None:
    study_file.write_text(
        study_file.read_text().replace("runs = 120", "runs = 1200").replace("step = 0.05", "step = 0.002")
    )
    folder = study_file.with_suffix("")
    command = [sys.executable, "-m", "fmugen", "study", str(study_file), "--workers", "2"]
    running = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        _wait_for(lambda: len(list((folder / "parts").glob("*.parquet"))) >= 20, running)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    kept = {path: path.stat().st_mtime_ns for path in (folder / "parts").glob("[0-9]*.parquet")}
    assert len(kept) < 120, "the study ended before it could be interrupted"
    study(study_file)
    assert all(path.stat().st_mtime_ns == written for path, written in kept.items())
    assert pq.read_table(folder / "results.parquet")["#run"].to_pylist() == list(range(1200))


def _wait_for(condition: object, running: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while not condition():  # type: ignore[operator]
        assert running.poll() is None, "the study ended before it could be interrupted"
        assert time.monotonic() < deadline, "no part was finished within a minute"
        time.sleep(0.01)


def test_a_folder_of_another_study_is_refused(study_file: Path) -> None:
    study_file.write_text(study_file.read_text().replace("runs = 120", "runs = 12"))
    study(study_file)
    study_file.write_text(study_file.read_text().replace("seed = 3", "seed = 4"))
    result = CliRunner().invoke(app, ["study", str(study_file)])
    assert result.exit_code == 1
    assert "another study" in result.output
    study(study_file, "--fresh")


def test_runs_that_the_fmu_refuses_have_its_sentence_as_result(study_file: Path) -> None:
    study_file.write_text(
        study_file.read_text()
        .replace('method = "random"\nruns = 120', 'method = "grid"')
        .replace("length = { min = 0.5, max = 1.5 }", "length = { values = [1.0] }")
        .replace("mass = { mean = 2.0, deviation = 0.1 }", "mass = { values = [2.0, 0.0, 3.0] }")
    )
    study(study_file)
    table = pq.read_table(study_file.with_suffix("") / "results.parquet")
    messages = table["#message"].to_pylist()
    assert messages[0] == messages[2] == ""
    assert messages[1]
    assert np.isfinite(table["last"].to_numpy()).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("length = {", "lenght = {", "did you mean 'length'"),
        ("final(angle)", "final(angel)", "did you mean 'angle'"),
    ],
)
def test_names_that_the_fmu_does_not_know_are_refused(
    study_file: Path, before: str, after: str, words: str
) -> None:
    study_file.write_text(study_file.read_text().replace(before, after))
    result = CliRunner().invoke(app, ["study", str(study_file)])
    assert result.exit_code == 1
    assert words in result.output
    assert not study_file.with_suffix("").exists()
