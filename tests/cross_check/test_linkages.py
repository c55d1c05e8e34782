"""Random linkages: what is drawn is what is said of it, and the judge sees what is wrong."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fmugen.errors import RefusedError, SimulationError
from fmugen.phases.read import read_model
from fmugen.verify.simulate import Trajectory

draws: Any = importlib.import_module("linkages.draws")
judge: Any = importlib.import_module("linkages.judge")
overconstrained: Any = importlib.import_module("linkages.overconstrained")
reliability: Any = importlib.import_module("reliability")
runs: Any = importlib.import_module("linkages.runs")
skeleton: Any = importlib.import_module("linkages.skeleton")
stories: Any = importlib.import_module("linkages.stories")
text_of: Any = importlib.import_module("linkages.text")

Verdict = judge.Verdict
#: A small draw of every family; the whole campaign is `make fuzz`.
CHEAP = [
    ("planar-loop", 5),
    ("planar-slider", 3),
    ("planar-loops", 4),
    ("planar-platform", 5),
    ("rod-platform", 5),
    ("overconstrained", 22),
    ("spatial-loop", 13),
    pytest.param("spatial-platform", 7, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("family", draws.FAMILIES)
def test_equal_seeds_give_equal_models_that_can_be_read(family: str, tmp_path: Path) -> None:
    first, again, other = (draws.draw(family, seed) for seed in (13, 13, 22))
    assert first.text == again.text != other.text
    model = read_model(stories.written(tmp_path, first.text))
    assert {body.name for body in model.bodies} == first.skeleton.frames.keys()
    assert first.mobility >= 1


def test_a_chain_that_cannot_move_is_drawn_anew() -> None:
    """The first attempt of this seed is a rigid chain, which is not suitable, and no error."""
    assert draws.draw("overconstrained", 41).mobility >= 1


@pytest.mark.parametrize("kind", overconstrained.KINDS)
def test_every_overconstrained_kind_closes_and_moves(kind: str) -> None:
    for seed in range(30):
        try:
            drawn = overconstrained.KINDS[kind](np.random.default_rng(seed))
        except skeleton.UnsuitableError:
            continue
        joints = sum(len(joint.reactions()) for joint in drawn.joints)
        motions = 6 if not drawn.planar else 3
        reactions = joints if not drawn.planar else 2 * len(drawn.joints)
        assert drawn.mobility > motions * len(drawn.frames) - reactions
        return
    pytest.fail(f"no {kind} was drawn from 30 seeds")


@pytest.mark.parametrize("family", draws.FAMILIES)
def test_the_known_pose_meets_exact_and_wrapped_guesses(family: str) -> None:
    """Seeds 0 and 2 have exact and wrapped guesses, seed 1 rough ones."""
    exact, rough, wrapped = (draws.draw(family, seed) for seed in range(3))
    assert exact.distance(exact.poses, 1.0) < 1e-9
    assert wrapped.distance(wrapped.poses, 1.0) < 1e-9
    assert rough.distance(rough.poses, 1.0) > 1e-2


@pytest.mark.parametrize(("family", "seed"), CHEAP)
def test_linkages_at_random_are_right(family: str, seed: int) -> None:
    found = judge.judged(draws.draw(family, seed))
    assert found.verdict is Verdict.RIGHT, found.findings
    assert found.deviation < 1e-6
    assert not found.missed


@pytest.mark.parametrize("kind", overconstrained.KINDS)
def test_check_counts_the_freedoms_of_overconstrained_linkages(kind: str, tmp_path: Path) -> None:
    """Constraints that follow from others are found, whatever frames the bodies have."""
    for seed in range(30):
        random = np.random.default_rng(seed)
        try:
            drawn = overconstrained.KINDS[kind](random)
            mobility = drawn.mobility
        except skeleton.UnsuitableError:
            continue
        text, _ = text_of.model_text(drawn, random, "exact", stop=0.2, drives=False)
        _, flow = stories.assembled_by_check(read_model(stories.written(tmp_path, text)))
        assert flow.degrees_of_freedom == mobility
        return


# --- what the judge sees --------------------------------------------------------------------------


def told(command: str = "check", **rows: str) -> Any:
    return stories.Story(command, "", rows)


def verdicts(case: Any) -> list[Any]:
    return [each.verdict for each in case.findings]


def test_commands_that_differ_contradict_each_other() -> None:
    one, same = told(independent="a.angle"), told("closure", independent="a.angle")
    assert not list(judge._differences([told(independent="x"), one, same]))
    (sentence,) = judge._differences([told(), one, same, told("export", independent="b.angle")])
    assert sentence == "independent: check says 'a.angle', export says 'b.angle'"


def test_a_refusal_counts_only_if_all_commands_refuse() -> None:
    sound, refused = told(), stories.Story("export", "", refusal="the loop stays open")
    case = judge._Case()
    judge._judge_refusals(case, [refused, refused], [refused, refused])
    assert verdicts(case) == [Verdict.REFUSED]
    judge._judge_refusals(case, [sound, refused], [refused])
    assert verdicts(case) == [Verdict.REFUSED, Verdict.CONTRADICTION]


def test_a_run_that_iterates_contradicts_no_iteration() -> None:
    run = Trajectory(np.arange(3.0), {"closure.iterations": np.array([0.0, 2.0, 0.0])})
    case = judge._Case()
    judge._judge_iterations(case, [told("closure", closure="2 of 3 unknowns by Newton")], run)
    assert not case.findings
    judge._judge_iterations(case, [told("closure", closure="exact, 90 operations, no iteration")], run)
    assert verdicts(case) == [Verdict.CONTRADICTION]
    assert "1 of 3 points iterate" in case.findings[0].sentence


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SimulationError("x.fmu crashed (signal 11)"), "WRONG"),
        (RefusedError("x.fmu stopped after t = 0 s: cannot be assembled"), "CONTRADICTION"),
        (RefusedError("x.fmu stopped after t = 0 s: t = 0.01 s: loop a cannot be closed"), "REFUSED"),
    ],
)
def test_how_an_fmu_stops_decides(
    error: SimulationError, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "_follows", lambda *_: True)
    case = judge._Case()
    judge._judge_stop(case, None, None, error, 1.0)
    assert case.followed is (expected == "REFUSED")
    assert verdicts(case) == [Verdict[expected]]


@pytest.mark.parametrize(
    ("first", "loose", "tight", "expected"),
    [
        (1e-6, None, None, []),
        (1e-2, 1e-1, 1e-3, []),  # errors fall with the tolerance of the importer
        (1e-2, 1e-2, 1e-2, ["WRONG"]),
        ("stopped", 1e-6, "stopped", []),
        ("stopped", 1.0, "stopped", ["REFUSED"]),
        ("crashed", "crashed", "crashed", ["WRONG"]),
    ],
)
def test_model_exchange_is_judged_apart_from_the_error_of_its_importer(
    first: Any, loose: Any, tight: Any, expected: list[str]
) -> None:
    signal = SimpleNamespace(name="x", reference=np.zeros(3), scale=1.0)
    found = SimpleNamespace(times=np.arange(3.0), signals=[signal])

    def attempt(outcome: Any) -> Any:
        if isinstance(outcome, str):
            kind = RefusedError if outcome == "stopped" else SimulationError
            return kind(f"x.fmu {outcome}")
        return Trajectory(np.arange(5.0) / 2, {"x": np.full(5, outcome)})

    case = judge._Case()
    further = {1e-8: loose, 1e-10: tight}
    judge._judge_exchange(case, found, attempt(first), lambda tolerance: attempt(further[tolerance]))
    assert verdicts(case) == [Verdict[name] for name in expected]


def test_guesses_of_all_legs_that_close_are_met_without_a_guess_of_the_platform(tmp_path: Path) -> None:
    """Nothing is said about the platform, which is turned far from zero where the loops close."""
    drawn = draws.draw("spatial-platform", 27)
    model = read_model(stories.written(tmp_path, drawn.text))
    start = stories.poses_at_start(*stories.assembled_by_check(model), list(drawn.poses))
    away, name = stories.furthest(start, drawn.poses)
    assert away < 1e-6, name


def test_commands_are_read_as_they_print(tmp_path: Path) -> None:
    path = str(stories.written(tmp_path, draws.draw("planar-loop", 0).text))
    story = stories.told_by("check", path, "--trees", "aac")
    assert not story.refusal and not story.crash
    assert int(story.rows["degrees of freedom"]) + story.rows["dependent"].count(",") + 1 >= 3
    wrong = stories.told_by("check", str(tmp_path / "none.toml"))
    assert "none.toml" in wrong.refusal and not wrong.crash


def test_exceptions_of_commands_are_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("driver")

    monkeypatch.setattr("fmugen.cli.check.read_model", fail)
    story = stories.told_by("check", str(tmp_path / "model.toml"))
    assert "KeyError: 'driver'" in story.crash


@pytest.fixture(scope="module")
def slider() -> Any:
    return draws.draw("planar-slider", 0)


def test_a_wrong_motion_and_another_start_are_found(slider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge reads a model with another gravity, and check assembles another mode."""

    def heavier(path: Path) -> Any:
        model = read_model(path)
        return replace(model, gravity=(model.gravity[1], model.gravity[0], *model.gravity[2:]))

    moved = {name: value + 0.1 for name, value in slider.poses.items()}
    monkeypatch.setattr(judge, "read_model", heavier)
    monkeypatch.setattr(judge, "poses_at_start", lambda *_: moved)
    found = judge.judged(slider)
    sentences = [f"{each.verdict.value}: {each.sentence}" for each in found.findings]
    assert found.verdict is Verdict.WRONG
    assert any(sentence.startswith("contradiction: start: ") for sentence in sentences)
    assert any(sentence.startswith("wrong: ") and "deviates" in sentence for sentence in sentences)


def test_exact_guesses_that_are_missed_are_wrong(slider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert slider.start.kind == "exact"
    flow = stories.SolutionFlow  # the type alone; nothing of it is read
    monkeypatch.setattr(judge, "assembled_by_check", lambda model: (None, flow))
    moved = {name: value + 0.1 for name, value in slider.poses.items()}
    monkeypatch.setattr(judge, "poses_at_start", lambda *_: moved)
    case = judge._Case()
    with monkeypatch.context() as patch:
        patch.setattr(judge, "measures_of", lambda model: type("Measures", (), {"length": 1.0}))
        judge._judge_start(case, slider, type("Model", (), {"drivers": ()}), [], moved)
    assert verdicts(case) == [Verdict.WRONG]
    assert case.missed


# --- campaigns ------------------------------------------------------------------------------------


def spin(family: str, seed: int, limit: float) -> Any:
    while seed == 1:
        pass
    return runs.Judged(family, seed, "Loop", "exact", "right", seconds=1.0)


def test_a_draw_ends_with_its_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "judge_seed", spin)
    made = dict(runs.judge_tasks([("planar-loop", 0), ("planar-loop", 1)], 1.0, 2))
    assert [each.verdict for each in made["planar-loop", 0]] == ["right"]
    (slow,) = made["planar-loop", 1]
    assert slow.verdict == "too slow"


def test_a_campaign_goes_on_where_it_was_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, int]] = []

    def judge_tasks(tasks: Any, limit: float, jobs: int) -> Any:
        for family, seed in tasks:
            asked.append((family, seed))
            wrong = seed == 2
            verdict = "wrong" if wrong else "right"
            findings = [["wrong", "a.x deviates | by 1"]] if wrong else []
            yield (
                (family, seed),
                [runs.Judged(family, seed, "Loop", "rough", verdict, findings, seconds=10.0, deviation=1e-9)],
            )

    monkeypatch.setattr(reliability, "ROOT", tmp_path)
    monkeypatch.setattr(reliability, "judge_tasks", judge_tasks)
    output = tmp_path / "page.md"
    few = ["planar-loop", "--cpu-minutes", "0.3"]
    assert reliability.main(few) == 0
    assert asked == [("planar-loop", 0), ("planar-loop", 1)]  # twenty seconds are more than 0.3 minutes
    assert reliability.main([*few[:2], "1", "--draws", "4", "--output", str(output)]) == 3
    assert asked[2:] == [("planar-loop", 2), ("planar-loop", 3)]
    page_text = output.read_text()
    assert "| planar-loop | 0-3 | 4 | 3 | 0 | 0 | 0 | 0 | 1 | 0 | 0 | 1.0e-09 | 0 | 40 |" in page_text
    assert "`python cross_check/reliability.py planar-loop --seed 2`" in page_text
    assert "a.x deviates / by 1" in page_text
    asked.clear()
    reliability.main([*few, "--fresh"])
    assert asked == [("planar-loop", 0), ("planar-loop", 1)]
    capsys.readouterr()
