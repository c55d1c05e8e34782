"""Random linkages: what is drawn is what is said of it, and the judge sees what is wrong."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmugen.errors import AssemblyError, RefusedError, SimulationError
from fmugen.phases.read import read_model
from fmugen.verify.simulate import Trajectory

draws: Any = importlib.import_module("linkages.draws")
judge: Any = importlib.import_module("linkages.judge")
overconstrained: Any = importlib.import_module("linkages.overconstrained")
page: Any = importlib.import_module("linkages.page")
reliability: Any = importlib.import_module("reliability")
runs: Any = importlib.import_module("linkages.runs")
skeleton: Any = importlib.import_module("linkages.skeleton")
stories: Any = importlib.import_module("linkages.stories")

Verdict = judge.Verdict
#: Draws that cost a few seconds each, of every family.
CHEAP = [
    ("planar-loop", 7),
    ("planar-loop", 8),
    ("planar-slider", 1),
    ("planar-slider", 3),
    ("planar-loops", 2),
    ("planar-platform", 1),
]


@pytest.mark.parametrize("family", draws.FAMILIES)
def test_equal_seeds_give_equal_models_that_can_be_read(family: str, tmp_path: Path) -> None:
    texts = []
    for seed in range(3):
        drawn = draws.draw(family, seed)
        assert drawn.text == draws.draw(family, seed).text
        model = read_model(stories.written(tmp_path, drawn.text))
        assert {body.name for body in model.bodies} == drawn.skeleton.frames.keys()
        assert drawn.mobility >= 1
        texts.append(drawn.text)
    assert len(set(texts)) == 3


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
