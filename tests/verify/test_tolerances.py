"""Judging an FMU at loose tolerances: errors that shrink with the tolerance pass, others do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fmugen.errors import SimulationError, VerificationError
from fmugen.verify import compare
from fmugen.verify.accuracy import Accuracy
from fmugen.verify.reference import solve_reference
from fmugen.verify.rotations import Array
from fmugen.verify.simulate import Run, Trajectory, communication_points
from fmugen.verify.tolerances import FACTOR, LEAST, LOOSE, Motion, ToleranceRuns, with_tolerances
from fmugen.verify.verdict import Verification, deviation
from tests.support import example

STOP, STEP = 2.0, 0.01
TIGHT = Run(STOP, STEP, ["x", "turn"])
DEFAULT = 1e-9


def signal(times: Array) -> dict[str, Array]:
    return {"x": 3.0 * np.sin(times), "turn": 10.0 * times}


def verification(error: float = 0.0) -> Verification:
    """A tight run that deviates by ``error`` of the scale."""
    times = communication_points(STOP, STEP)
    exact = signal(times)
    outputs = (
        deviation("x", "m", exact["x"] + 3.0 * error, exact["x"]),
        deviation("turn", "rad", exact["turn"], exact["turn"]),
    )
    return Verification("Fake", times, 1e-6, outputs, (), (), (), 1e-12)


def wanted(loose: Sequence[float] = LOOSE) -> ToleranceRuns:
    return ToleranceRuns.of(TIGHT, DEFAULT, {}, loose)


def made(errors: Mapping[float, float]) -> list[Trajectory | SimulationError]:
    """What an FMU gives whose ``x`` is wrong by the given parts of its scale, 3, at the end."""
    result: list[Trajectory | SimulationError] = []
    for run, tolerance in zip(wanted().runs, wanted().tolerances, strict=True):
        times = communication_points(run.stop, run.step)
        values = signal(times)
        values["x"] += 3.0 * errors[tolerance] * times / STOP
        result.append(Trajectory(times, values))
    return result


def amplified(by: float) -> Motion:
    """The judge's own motion, wrong by ``by`` times the tolerance."""

    def motion(times: Array, accuracy: Accuracy) -> Mapping[str, Array]:
        exact = signal(times)
        return {**exact, "x": exact["x"] + 3.0 * by * accuracy.relative * times / STOP}

    return motion


def proportional(factor: float) -> dict[float, float]:
    return {tolerance: factor * tolerance for tolerance in (DEFAULT, *LOOSE)}


def test_errors_that_shrink_with_the_tolerance_pass() -> None:
    judged = with_tolerances(verification(), wanted(), made(proportional(20.0)), amplified(1.0))
    assert judged.problems == ()
    assert [run.tolerance for run in judged.looseness] == [DEFAULT, *LOOSE]
    assert [run.is_default for run in judged.looseness] == [True, False, False, False]
    for run in judged.looseness:
        assert run.deviation == pytest.approx(20.0 * run.tolerance * 3.0 / np.ptp(signal(judged.times)["x"]))
        assert (run.signal, run.time) == ("x", STOP)


def test_errors_that_do_not_shrink_fail_with_a_sentence() -> None:
    errors = dict.fromkeys((DEFAULT, *LOOSE), 5e-3)
    judged = with_tolerances(verification(), wanted(), made(errors), amplified(1.0))
    assert not judged.passed
    assert [run.passed for run in judged.looseness] == [False, True, False, False]
    default, at_six, at_eight = judged.problems
    assert default.startswith("at its default relative tolerance of 1e-09, x deviates by 5")
    assert at_six.startswith("at a relative tolerance of 1e-06, x deviates by 5")
    assert (
        "at t = 2 s, more than 1.0e-04: unlike an integration error, it does not shrink with the tolerance"
        in at_six
    )
    assert at_eight.startswith("at a relative tolerance of 1e-08, ")


def test_a_motion_is_granted_what_it_amplifies_and_no_more() -> None:
    by = 1e3
    assert by > LEAST
    for factor, passes in ((0.9 * FACTOR * by, True), (1.1 * FACTOR * by, False)):
        judged = with_tolerances(verification(), wanted(), made(proportional(factor)), amplified(by))
        assert judged.passed is passes


def test_one_lucky_run_of_the_judge_does_not_condemn_an_fmu() -> None:
    def lucky(times: Array, accuracy: Accuracy) -> Mapping[str, Array]:
        return amplified(1e3 if accuracy.relative > 1e-5 else 0.0)(times, accuracy)

    errors = made(proportional(0.9 * FACTOR * 1e3))
    assert with_tolerances(verification(), wanted(), errors, lucky).passed


def test_errors_need_not_be_smaller_than_those_of_rounding() -> None:
    errors = made(dict.fromkeys((DEFAULT, *LOOSE), 4e-6))
    assert not with_tolerances(verification(), wanted(), errors, amplified(1.0)).passed
    assert with_tolerances(verification(error=5e-7), wanted(), errors, amplified(1.0)).passed


def test_a_run_that_does_not_end_fails_with_the_words_of_the_fmu() -> None:
    runs = made(proportional(1.0))
    runs[1] = SimulationError("Fake.fmu stopped after t = 0.43 s: the pin broke")
    judged = with_tolerances(verification(), wanted(), runs, amplified(1.0))
    said = "at a relative tolerance of 0.0001, Fake.fmu stopped after t = 0.43 s: the pin broke"
    assert judged.problems == (said,)
    assert not judged.looseness[1].passed


def test_a_motion_that_the_judge_cannot_follow_loosely_is_not_condemned() -> None:
    def lost(times: Array, accuracy: Accuracy) -> Mapping[str, Array]:
        raise VerificationError("the reference cannot be followed")

    assert with_tolerances(verification(), wanted(), made(proportional(1e3)), lost).passed


def test_whole_turns_are_deviations() -> None:
    runs = made(proportional(1.0))
    for run in runs:
        assert isinstance(run, Trajectory)
        run.values["turn"][3:] -= 2.0 * np.pi
    assert not with_tolerances(verification(), wanted(), runs, amplified(1.0)).passed


def test_a_small_signal_is_judged_by_the_size_of_the_others_in_its_unit() -> None:
    """A solver does not know that one of two lengths hardly changes."""
    found, size = verification(), 1e-3
    small = deviation("y", "m", np.zeros_like(found.times), np.zeros_like(found.times))
    assert small.scale == size
    runs = made(proportional(1.0))
    for run, tolerance in zip(runs, wanted().tolerances, strict=True):
        assert isinstance(run, Trajectory)
        run.values["y"] = np.full_like(run.times, 3.0 * tolerance)

    def motion(times: Array, accuracy: Accuracy) -> dict[str, Array]:
        return {**amplified(1.0)(times, accuracy), "y": np.zeros_like(times)}

    both = replace(found, outputs=(*found.outputs, small))
    assert with_tolerances(both, wanted(), runs, motion).passed


def test_no_tolerances_no_runs() -> None:
    runs = wanted(loose=())
    assert runs.runs == ()
    found = verification()
    assert with_tolerances(found, runs, (), amplified(1.0)) is found


@pytest.mark.parametrize(
    ("stop", "step", "points"), [(2.0, 0.01, 51), (1.005, 0.01, 52), (1.525, 0.01, 52), (0.3, 0.1, 4)]
)
def test_loose_runs_communicate_at_samples_of_the_tight_run(stop: float, step: float, points: int) -> None:
    runs = ToleranceRuns.of(Run(stop, step, ["x"]), DEFAULT, {"m": 2.0}, LOOSE)
    times = communication_points(stop, step)
    for run, rows in zip(runs.runs, runs.rows, strict=True):
        np.testing.assert_allclose(times[rows], communication_points(run.stop, run.step), rtol=1e-12)
    assert len(runs.rows[-1]) == points
    assert runs.runs[0].parameters == {"m": 2.0}
    settings = {"solver.relative_tolerance": 1e-6, "solver.absolute_tolerance": 1e-8}
    assert runs.runs[2].parameters == {"m": 2.0, **settings}


def test_inputs_are_sampled_at_every_communication_point() -> None:
    runs = ToleranceRuns.of(Run(STOP, STEP, ["x"], inputs={"u": np.sin}), DEFAULT, {}, LOOSE)
    assert {run.step for run in runs.runs} == {STEP}


def test_a_tumbling_body_is_not_granted_any_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It amplifies errors by 3e4. A quaternion found by a division by 0.01 makes them 0.83 at 1e-6."""
    model = example("tumbling_body")
    reference = solve_reference(model, communication_points(model.experiment.stop, model.experiment.step))
    exact = {**reference.values, "closure.residual": np.zeros(len(reference.times))}

    def simulate(path: Path, runs: Sequence[Run], *_: float) -> list[Trajectory]:
        made = []
        for run in runs:
            times = communication_points(run.stop, run.step)
            rows = np.searchsorted(reference.times, times - 1e-6)
            values = {name: exact[name][rows] for name in run.outputs}
            if run.parameters.get("solver.relative_tolerance") == 1e-6:
                values["spin_rate"] = values["spin_rate"] + 0.83 * np.ptp(exact["spin_rate"])
            made.append(Trajectory(times, values))
        return made

    monkeypatch.setattr(compare, "simulate_runs", simulate)
    (problem,) = compare.verify_fmu(model, Path("any.fmu")).problems
    assert problem.startswith("at a relative tolerance of 1e-06, spin_rate deviates by")
