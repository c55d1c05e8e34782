"""Folders of the FMI cross-check: what is in them, and what errors over tolerances are."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fmugen.errors import OutputError
from fmugen.ir.model import Input, SystemModel
from fmugen.verify.crosscheck import (
    ALLOWED,
    MOST_INTERVALS,
    SAFETY,
    Signal,
    Tolerance,
    cross_check_files,
    read_cross_check,
    signal_tolerances,
)
from fmugen.verify.simulate import Trajectory
from fmugen.verify.verdict import Deviation, Verification

TIMES = np.linspace(0.0, 2.0, 201)
MODEL = SystemModel("Wave", "A wave", inputs=(Input("push", 0.25),))


def verification(times: np.ndarray = TIMES) -> Verification:
    wave = np.sin(times)
    return Verification(
        model="Wave",
        times=times,
        tolerance=1e-6,
        outputs=(
            Deviation("angle", "rad", wave + 1e-9, wave, 2.0),
            Deviation("force", "N", 3.0 * wave, 3.0 * wave, 3.0),
        ),
        skipped=("bearing",),
        messages=(),
        problems=(),
        reference_tolerance=1e-11,
    )


def looser(change: float) -> Trajectory:
    judged = verification()
    values = {signal.name: signal.fmu for signal in judged.outputs}
    return Trajectory(judged.times, {**values, "force": values["force"] + change})


def write(folder: Path, change: float = 0.0) -> dict[str, str]:
    judged = verification()
    files = cross_check_files(MODEL, judged, signal_tolerances(judged, looser(change)))
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return files


def test_a_folder_has_the_files_of_the_rules(tmp_path: Path) -> None:
    endings = ("_ref.csv", "_ref.opt", "_in.csv", "_cc.csv", "_tol.csv")
    assert set(write(tmp_path)) == {"README.md", *(f"Wave{ending}" for ending in endings)}


def test_options_are_numbers(tmp_path: Path) -> None:
    lines = write(tmp_path)["Wave_ref.opt"].splitlines()
    options = {name: float(value) for name, value in (line.split(", ") for line in lines)}
    assert options["StartTime"] == 0.0
    assert options["StopTime"] == 2.0
    assert options["StepSize"] == options["OutputIntervalLength"] == pytest.approx(0.04)
    assert options["RelTol"] == 1e-11


def test_a_reference_is_thinned_to_even_samples_and_read_back(tmp_path: Path) -> None:
    write(tmp_path)
    check = read_cross_check(tmp_path)
    assert len(check.times) == MOST_INTERVALS + 1
    assert (check.stop, check.step) == (2.0, pytest.approx(0.04))
    angle, force = check.signals
    assert angle.reference == pytest.approx(np.sin(check.times), abs=1e-9)
    assert (force.name, force.unit) == ("force", "N")


def test_a_last_short_step_is_left_out() -> None:
    times = np.append(TIMES, 2.001)
    judged = verification(times)
    files = cross_check_files(
        MODEL,
        judged,
        signal_tolerances(judged, Trajectory(times, {signal.name: signal.fmu for signal in judged.outputs})),
    )
    rows = list(csv.reader(io.StringIO(files["Wave_ref.csv"])))
    assert float(rows[-1][0]) == 2.0


def test_inputs_keep_their_start_values(tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO(write(tmp_path)["Wave_in.csv"])))
    assert rows == [["time", "push"], ["0", "0.25"], ["2", "0.25"]]
    files = cross_check_files(
        replace(MODEL, inputs=()), verification(), signal_tolerances(verification(), looser(0.0))
    )
    assert "Wave_in.csv" not in files


def test_tolerances_follow_the_scale_or_what_the_motion_amplifies() -> None:
    calm = signal_tolerances(verification(), looser(1e-9))["force"]
    wild = signal_tolerances(verification(), looser(1e-4))["force"]
    assert calm.value == pytest.approx(3.0 * ALLOWED)
    assert "of the largest value or range, 3" in calm.reason
    assert wild.value == pytest.approx(SAFETY * 1e-4)
    assert "what a solver tolerance of 1e-10 changes" in wild.reason


def test_the_page_names_what_has_no_reference(tmp_path: Path) -> None:
    assert "redundant constraints do not determine it: `bearing`" in write(tmp_path)["README.md"]


def test_errors_are_multiples_of_tolerances() -> None:
    reference = np.array([0.0, 1.0, 2.0])
    signal = Signal("x", "m", reference, Tolerance(0.5, "any"))
    assert signal.error(reference + np.array([0.0, 0.0, 1.0])) == pytest.approx(2.0)
    angle = replace(signal, unit="rad")
    assert angle.error(reference + 2.0 * np.pi) == pytest.approx(0.0, abs=1e-12)


def test_one_value_may_be_missing_but_not_two() -> None:
    signal = Signal("x", "m", np.zeros(3), Tolerance(1.0, "any"))
    assert signal.error(np.array([np.nan, 0.5, 0.0])) == 0.5
    assert signal.error(np.array([np.nan, np.nan, 0.0])) == np.inf


def test_a_folder_without_reference_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="fmugen cross-check MODEL -o"):
        read_cross_check(tmp_path)
