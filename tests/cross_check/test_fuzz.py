"""Examples with parameters at random: each run is right or refused with a sentence."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fmugen.errors import AssemblyError, RefusedError, SimulationError
from fmugen.ir.formula import constant
from fmugen.ir.model import SystemModel, default_parameters
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import verify_fmu
from tests.support import example

fuzz: Any = importlib.import_module("fuzz")
SMALL = fuzz.Campaign(draws=3, share=0.05, trees="aac")


@pytest.fixture(scope="module")
def four_bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_fmu(
        example("four_bar"), tmp_path_factory.mktemp("fuzz") / "FourBar.fmu", ExportOptions("aac")
    ).path


@pytest.mark.parametrize("name", ["slider_crank", "five_bar", "spatial_slider_crank", "cauer_low_pass"])
def test_parameters_at_random(name: str) -> None:
    tally = fuzz.tally_of(name, SMALL)
    assert not tally.failure
    assert not [run for run in tally.runs if run.verdict in (fuzz.Verdict.WRONG, fuzz.Verdict.UNJUDGED)]
    assert tally.count(fuzz.Verdict.RIGHT) >= 2


def test_draws_are_repeatable_and_within_bounds() -> None:
    model = example("three_bodies")
    defaults = default_parameters(model)
    first, again, other = (fuzz.drawn(model, "three_bodies", k, SMALL) for k in (0, 0, 1))
    assert first == again != other
    for name, value in first.items():
        assert abs(0.7 * defaults[name]) <= abs(value) <= abs(1.4 * defaults[name])
    assert {p.name for p in model.parameters} <= first.keys()
    limited = replace(model, parameters=tuple(replace(p, maximum=p.value) for p in model.parameters))
    for name, value in fuzz.drawn(limited, "three_bodies", 0, SMALL).items():
        if not name.startswith("start."):
            assert value <= defaults[name]


def test_start_values_are_drawn_unless_they_are_angles() -> None:
    names = fuzz.drawn(example("four_bar"), "four_bar", 0, SMALL).keys()
    assert "start.h11.omega" in names
    assert "start.h11.angle" not in names


def verdict(monkeypatch: pytest.MonkeyPatch, outcome: Exception) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise outcome

    monkeypatch.setattr(fuzz, "verify_fmu", fail)
    return fuzz.judged(example("four_bar"), Path("x.fmu"), {}, SMALL).verdict


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (SimulationError("x.fmu crashed (signal 11)"), "WRONG"),
        (ZeroDivisionError("division by zero"), "WRONG"),
        (AssemblyError("the loops cannot be closed"), "UNJUDGED"),
        (TimeoutError(), "UNJUDGED"),
        (RefusedError("x.fmu stopped: the mechanism cannot be assembled"), "FOLLOWED"),
    ],
)
def test_only_a_sentence_of_the_fmu_is_a_refusal(
    outcome: Exception, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verdict(monkeypatch, outcome) is fuzz.Verdict[expected]


def test_what_cannot_be_assembled_is_refused(four_bar: Path) -> None:
    run = fuzz.judged(example("four_bar"), four_bar, {"crank_length": 9.0}, SMALL)
    assert run.verdict is fuzz.Verdict.REFUSED
    assert "cannot be assembled with these parameters" in run.reason


def test_a_wrong_motion_is_found_and_makes_the_campaign_fail(
    four_bar: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An FMU with another gravity than its model is wrong in any assembly mode."""
    model = example("four_bar")
    heavier = replace(model, gravity=(model.gravity[0], model.gravity[0], model.gravity[2]))
    run = fuzz.judged(heavier, four_bar, {"crank_mass": 1.1}, SMALL)
    assert run.verdict is fuzz.Verdict.WRONG
    assert run.deviation > 1e-3

    class Pool:
        def __init__(self, jobs: int) -> None: ...
        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *_: object) -> None: ...

        map = staticmethod(map)

    tally = fuzz.Tally("four_bar", (run,), 1.0)
    monkeypatch.setattr(fuzz, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(fuzz, "tally_of", lambda name, campaign: tally)
    assert fuzz.main(["four_bar"]) == 3
    said = capsys.readouterr().out
    assert "draw 0: wrong, deviation" in said
    assert "--set crank_mass=1.1" in said


def test_the_other_assembly_mode_is_not_wrong(four_bar: Path) -> None:
    """The reference begins crossed, the FMU open."""
    model = example("four_bar")
    starts = tuple(
        start if start.fixed else replace(start, value=constant(-start.value.number))
        for start in model.starts
    )
    run = fuzz.judged(replace(model, starts=starts), four_bar, {}, SMALL)
    assert run.verdict is fuzz.Verdict.OTHER_MODE
    assert run.deviation < 1e-6


def test_start_values_are_parameters_of_both(four_bar: Path) -> None:
    model: SystemModel = example("four_bar")
    found = verify_fmu(model, four_bar, stop=0.1, parameters={"start.h11.omega": 2.0, "start.h11.angle": 0.1})
    assert found.passed, found.problems
    (omega,) = (signal for signal in found.outputs if signal.name == "crank_omega")
    assert [omega.fmu[0], omega.reference[0]] == pytest.approx([2.0, 2.0])
