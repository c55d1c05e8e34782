"""The page of the benchmark: ratios of turns, goals, growth."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

KANE = "sympy Kane + CSE + KKT"


def record(case: str, **changes: Any) -> Any:
    racing = importlib.import_module("bench.peers.racing")
    values: dict[str, Any] = {
        "case": case,
        "windows": 0,
        "goals": {"peers": (8.0, 8.0), KANE: (1.5, 1.5)},
        "seconds": 1.0,
        "characters": 1000,
        "versions": {"fmugen": "fmugen 1"},
        "times": {
            "fmugen": racing.Times([100.0, 200.0, 100.0], [400.0, 800.0, 400.0], 1e-9),
            KANE: racing.Times([210.0, 400.0, 190.0], [800.0, 1600.0, 800.0], 2e-9),
            "CasADi IDAS": racing.Times([], [4e3, 8e3, 4e3], 1e-9),
            "MuJoCo": racing.Times([500.0, 1000.0, 500.0], [2e3, 4e3, 2e3], 1e-4),
        },
        "unfit": {"Pinocchio": "no pin"},
        "equal": {
            "fmugen": racing.Equal(10.0, [1e4, 2e4, 1e4], 1e-9),
            "Exudyn": racing.Equal(20.0, [1e5, 2e5, 1e5], 1e-6),
            "CasADi IDAS": racing.Equal(1e-3, [6e5, 12e5, 6e5], 1e-6),
        },
    }
    return racing.Record(**values | changes)


def page(*records: Any) -> list[str]:
    text: str = importlib.import_module("bench.peers.page").benchmark_page(records)
    return text.splitlines()


def test_a_ratio_is_that_of_one_turn_and_has_its_spread() -> None:
    line = "| four_bar | 100 | 2.0 (1.9–2.1) | 5.0 (5.0–5.0) | – | – | – | – | – |"
    assert line in page(record("four_bar"))


def test_an_integrator_without_right_hand_sides_has_steps_alone() -> None:
    lines = page(record("four_bar"))
    line = "| four_bar | 400 | 2.0 (2.0–2.0) | 5.0 (5.0–5.0) | – | – | – | – | 10.0 (10.0–10.0) |"
    assert line in lines


def test_a_motion_is_compared_at_the_longest_step_that_is_exact_enough() -> None:
    line = (
        "| four_bar | 10.0 [10 ms] | – | – | – | – | 10.0 (10.0–10.0) [5 ms] | – | 60.0 (60.0–60.0) [1e-03] |"
    )
    assert line in page(record("four_bar"))


def test_goals_that_are_missed_say_by_how_much() -> None:
    lines = page(record("four_bar"))
    assert f"| four_bar | right-hand side | {KANE} | 1.5 | 2.0 | reached |" in lines
    assert "| four_bar | right-hand side | the fastest peer, MuJoCo | 8 | 5.0 | MISSED by 1.60x |" in lines
    assert "| four_bar | motion | the fastest peer, Exudyn | 8 | 10.0 | reached |" in lines


def test_the_time_of_a_wrong_motion_does_not_count() -> None:
    kept = record("four_bar")
    wrong = replace(kept.times["fmugen"], error=0.1)
    lines = page(replace(kept, times=kept.times | {"fmugen": wrong}))
    verdict = "NOT COUNTED: the motion is wrong by 1e-01 m"
    assert f"| four_bar | right-hand side | {KANE} | 1.5 | 2.0 | {verdict} |" in lines


def test_what_did_not_run_says_why() -> None:
    assert "- four_bar, Pinocchio: no pin" in page(record("four_bar"))


def test_growth_is_told_where_windows_double() -> None:
    small = record("n_four_bar_20", windows=20)
    factors = {"side": 2.0, "step": 2.3, "seconds": 1.5, "characters": 2.1}
    large = record("n_four_bar_40", windows=40, characters=2100, seconds=1.5, growth=factors)
    lines = page(small, large)
    assert "| 20 | 100 | 400 | 1 | 1e+03 |" in lines
    assert "| 40 | 100 (2.00x) | 400 (2.30x) | 1.5 (1.50x) | 2.1e+03 (2.10x) |" in lines


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    racing = importlib.import_module("bench.peers.racing")
    kept = record("four_bar", windows=3)
    racing.write_record(kept, tmp_path / "kept.json")
    assert racing.read_record(tmp_path / "kept.json") == kept


def test_a_case_that_is_kept_is_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    racing, bench = (importlib.import_module(name) for name in ("bench.peers.racing", "bench.speed"))
    racing.write_record(record("four_bar"), tmp_path / "four_bar.json")
    output = tmp_path / "page.md"
    assert bench.main(["four_bar", "--work", str(tmp_path), "--output", str(output)]) == 0
    assert output.read_text(encoding="utf-8").strip() == capsys.readouterr().out.strip()


def test_an_unknown_case_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    bench = importlib.import_module("bench.speed")
    with pytest.raises(SystemExit):
        bench.main(["seven_bar"])
    assert "there is no case seven_bar" in capsys.readouterr().err
