"""Studies of split systems: the same as those of the whole, and resumed as those."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from fmugen.cli import app
from fmugen.study import find, plan_runs, read_study
from fmugen.verify.simulate import simulate_fmu
from tests.support import EXAMPLES

TEXT = """
[study]
subject = "{subject}"
method = "grid"
chunk = 4
stop = 0.2
step = 0.001
{more}

[parameters]
length = {{ from = 0.9, to = 1.1, count = 6 }}
"solver.relative_tolerance" = {{ values = [1e-10, 1e-11] }}

[inputs]
push = 0.5

[results]
last = "final(lower_angle)"
fastest = "peak(tip_vx)"
"""


def study(folder: Path, subject: Path, more: str = "", text: str = TEXT) -> Path:
    path = folder / f"{subject.stem}.toml"
    path.write_text(text.format(subject=subject, more=more))
    return path


def conduct(path: Path) -> pa.Table:
    result = CliRunner().invoke(app, ["study", "--workers", "2", str(path)])
    assert result.exit_code == 0, result.output
    return pq.read_table(path.with_suffix("") / "results.parquet")


def test_a_study_of_parts_is_that_of_the_whole(swing: Path, tmp_path: Path) -> None:
    path = study(tmp_path, swing / "parted.ssp", 'scheme = "gauss-seidel"')
    parted = conduct(path)
    assert set(parted["#message"].to_pylist()) == {""}
    assert parted["#run"].to_pylist() == list(range(12))
    plan = plan_runs(read_study(path))
    assert np.ptp(parted["last"].to_numpy()) > 1e-3
    for run in (0, 7, 11):
        whole = simulate_fmu(
            swing / "whole.fmu",
            stop=0.2,
            step=0.001,
            outputs=["lower_angle", "tip_vx"],
            parameters=dict(zip(plan.names, plan.values[run].tolist(), strict=True)),
            inputs={"push": lambda time: 0.5},
        ).values
        assert abs(parted["last"][run].as_py() - whole["lower_angle"][-1]) < 1e-6
        assert abs(parted["fastest"][run].as_py() - np.abs(whole["tip_vx"]).max()) < 1e-6
    # What is missing is run again, and all else is left as it is.
    parts = sorted((path.with_suffix("") / "parts").glob("*.parquet"))
    assert len(parts) == 3
    kept = {part: part.stat().st_mtime_ns for part in parts[::2]}
    parts[1].unlink()
    assert conduct(path).equals(parted)
    assert all(part.stat().st_mtime_ns == written for part, written in kept.items())


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("length =", "bottom.length =", "parameters.bottom.length: the model has no parameter"),
        ("length =", "top.lenght =", "did you mean 'top.length'"),
        ("push = 0.5", "bottom.knee_cut_x = 0.5", "inputs.bottom.knee_cut_x: the model has no input"),
        ("lower_angle", "sample_time", "several parts have 'sample_time'"),
        ('"parted.ssp"', '"none.ssp"', "there is no such file"),
    ],
)
def test_names_that_the_parts_do_not_have_are_refused(
    swing: Path, tmp_path: Path, before: str, after: str, words: str
) -> None:
    text = TEXT.replace("{subject}", "parted.ssp").replace(before, after)
    path = study(tmp_path, swing / "parted.ssp", text=text)
    (tmp_path / "parted.ssp").symlink_to(swing / "parted.ssp")
    result = CliRunner().invoke(app, ["study", str(path)])
    assert result.exit_code == 1
    assert words in " ".join(result.output.split())
    assert not path.with_suffix("").exists()


EXAMPLE = EXAMPLES / "three_rrr_driven" / "study.toml"


def test_the_study_of_the_manipulator_can_be_read() -> None:
    example = read_study(EXAMPLE)
    assert example.parts == str(EXAMPLE.with_name("parts.toml"))
    assert "leg_1.thigh_mass" in example.variations


@pytest.mark.slow
def test_the_study_of_the_manipulator(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["study", str(EXAMPLE), "-o", str(tmp_path), "--workers", "2"])
    assert result.exit_code == 0, result.output
    table = pq.read_table(tmp_path / "results.parquet")
    assert set(table["#message"].to_pylist()) == {""}
    findings = find(read_study(EXAMPLE), table)
    influences = {(i.measure, i.parameter): i.total for i in findings.influences}
    # The load decides how high the platform stands, unlike legs how it turns.
    assert influences["height", "platform_mass"] > 0.9
    assert influences["turn", "leg_2.thigh_mass"] > influences["turn", "platform_mass"]
