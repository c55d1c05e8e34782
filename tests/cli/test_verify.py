"""``fmugen verify``: an FMU that exists, both standards, a time limit, and what a verdict tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_cli import PENDULUM, SLIDER_CRANK, Outcome


@pytest.fixture(scope="module", params=["2", "3"])
def pendulum(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fmu") / "pendulum.fmu"
    outcome = Outcome("export", PENDULUM, "--trees", "aac", "--fmi", request.param, "-o", str(path))
    assert outcome.code == 0, outcome.err
    return path


def test_an_fmu_of_either_standard_is_judged_by_its_model(pendulum: Path) -> None:
    outcome = Outcome("verify", str(pendulum), "--model", PENDULUM, "--stop", "0.3")
    assert outcome.code == 0, outcome.err
    assert "passed: largest deviation" in outcome.out
    assert "compile" not in outcome.err


def test_what_is_known_is_told_before_the_reference(pendulum: Path) -> None:
    outcome = Outcome("verify", str(pendulum), "--model", PENDULUM, "--stop", "0.3")
    assert "the FMU ran to t = 0.3 s, closure residual at most 0.0e+00; now the reference" in outcome.err


def test_an_fmu_of_either_standard_is_simulated(pendulum: Path, tmp_path: Path) -> None:
    results = tmp_path / "out.csv"
    arguments = ("--input", "drive_torque=1", "--set", "length=0.7", "--stop", "0.1", "-o", str(results))
    outcome = Outcome("simulate", str(pendulum), *arguments)
    assert outcome.code == 0, outcome.err
    first, *_, last = results.read_text(encoding="utf-8").splitlines()[1:]
    assert float(first.split(",")[4]) == pytest.approx(-0.7 * 0.5403023058681398)
    assert float(last.split(",")[0]) == pytest.approx(0.1)


def test_an_fmu_of_another_model_is_refused_by_names(pendulum: Path, tmp_path: Path) -> None:
    outcome = Outcome("verify", str(pendulum), "--model", SLIDER_CRANK)
    assert outcome.code == 1
    assert "is not an FMU of" in outcome.err
    assert "the model has no input 'drive_torque'" in outcome.err
    other = tmp_path / "other.toml"
    text = Path(PENDULUM).read_text(encoding="utf-8")
    assert "length = { value = 1.0" in text
    other.write_text(text.replace("length = { value = 1.0", "length = { value = 1.5"), encoding="utf-8")
    outcome = Outcome("verify", str(pendulum), "--model", str(other))
    assert outcome.code == 1
    assert "the parameter 'length' is 1 in the FMU and 1.5 in the model" in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [("x.fmu",), ("x.fmu", "--model", PENDULUM, "--fmu", "y.fmu"), (PENDULUM, "--model", PENDULUM)],
)
def test_an_fmu_goes_with_its_model(arguments: tuple[str, ...]) -> None:
    assert Outcome("verify", *arguments).code == 2


def test_the_other_standard() -> None:
    outcome = Outcome("verify", PENDULUM, "--trees", "aac", "--fmi", "3", "--stop", "0.2")
    assert outcome.code == 0, outcome.err
    assert "passed" in outcome.out


def test_a_reference_without_time_ends_with_3() -> None:
    outcome = Outcome("verify", SLIDER_CRANK, "--trees", "aac", "--stop", "2", "--seconds", "0.05")
    assert outcome.code == 3
    assert "not judged: the reference did not end within 0.05 s" in outcome.err


def test_a_wrong_fmu_exits_with_3() -> None:
    arguments = ("--trees", "aac", "--solver", "euler", "--step", "0.01", "--stop", "0.5")
    outcome = Outcome("verify", PENDULUM, *arguments)
    assert outcome.code == 3
    assert "FAILED: the FMU is wrong: largest deviation" in outcome.out
    assert "deviates by" in outcome.out
    assert "reference error" in outcome.out


def test_a_fixed_step_fmu_is_not_run_at_other_tolerances(tmp_path: Path) -> None:
    path = tmp_path / "euler.fmu"
    Outcome("export", PENDULUM, "--trees", "aac", "--solver", "euler", "--step", "1e-3", "-o", str(path))
    outcome = Outcome("verify", str(path), "--model", PENDULUM, "--stop", "0.2", "--tolerance", "0.1")
    assert outcome.code == 0, outcome.out
    assert "at other tolerances" not in outcome.out


def test_a_reference_less_exact_than_the_tolerance_judges_nothing() -> None:
    outcome = Outcome("verify", PENDULUM, "--trees", "aac", "--stop", "0.5", "--tolerance", "1e-300")
    assert outcome.code == 3
    assert "FAILED" not in outcome.out
    assert "not judged: the reference could not follow: its own error is" in outcome.out


def test_outputs_are_compared_with_exact_beams_on_request(tmp_path: Path) -> None:
    """Of two shapes, at small deflections; the exact beam is refined until its motion hardly changes."""
    path = tmp_path / "beam.toml"
    path.write_text(
        '[model]\nname = "Beam"\ngravity = [0, -9.81]\n[experiment]\nstop = 0.1\nstep = 0.02\n'
        '[bodies.rod]\ntype = "beam"\nshapes = 2\nlength = 1\ndensity = 2700\nmodulus = 7e10\n'
        "diameter = 0.02\npoints.tip = [1, 0]\n"
        '[joints.clamp]\ntype = "weld"\nfrom = "ground"\nto = "rod"\n[outputs]\ntip = "rod.tip.y"\n',
        encoding="utf-8",
    )
    outcome = Outcome("verify", str(path), "--trees", "aac", "--exact-beams")
    assert outcome.code == 0, outcome.err
    table = outcome.out.partition("geometrically exact beams of")[2]
    _, deviation, change = next(line for line in table.splitlines() if line.startswith(" tip")).split()
    assert 1e-6 < float(deviation) < 5e-3
    assert float(change) < 2e-3
    other = Outcome("verify", PENDULUM, "--trees", "aac", "--stop", "0.1", "--exact-beams")
    assert other.code == 3
    assert "not compared with exact beams: Pendulum has no beams" in other.err
