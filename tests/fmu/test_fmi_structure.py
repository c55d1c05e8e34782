"""The model structure: every dependency that derivatives show is listed, and no other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from fmugen.ir.fmu import Dependency
from tests.fmu.exchange import Model, opened, options
from tests.store import exported
from tests.support import example

#: No loops; one freedom in a loop; none at all; states of a network are covered by the derivatives.
NAMES = ["pendulum", "double_pendulum", "slider_crank", "four_bar", "quick_return"]


def shown(model: Model, unknown: int, knowns: Iterable[int], points: Iterable[np.ndarray | None]) -> set[int]:
    """The knowns by which an unknown has a derivative at one of the points."""
    found = set()
    for point in points:
        if point is not None:
            model.states = point
        for known in knowns:
            if abs(model.along([unknown], known)[0]) > 1e-9:
                found.add(known)
    return found


def differences(
    model: Model, listed: Iterable[Dependency], knowns: list[int], points: list[np.ndarray | None]
) -> list[str]:
    names = [variable.name for variable in model.description.variables]
    said = []
    for dependency in listed:
        found = shown(model, dependency.unknown, knowns, points)
        for known in found ^ set(dependency.knowns):
            what = "is missing" if known in found else "is not there"
            said.append(f"{names[dependency.unknown]} by {names[known]} {what}")
    return said


@pytest.mark.parametrize("name", NAMES)
def test_dependencies_at_an_instant_are_complete_and_minimal(name: str, tmp_path: Path) -> None:
    export = exported(example(name), options())
    with opened(export, tmp_path) as model:
        model.start()
        description = model.description
        knowns = [v.value_reference for v in (*description.continuous_states, *description.inputs)]
        rng = np.random.default_rng(5)
        points = [model.states + rng.uniform(-0.2, 0.2, model.size) for _ in range(3)]
        structure = description.structure
        listed = (*structure.outputs, *structure.derivatives)
        said = differences(model, listed, knowns, [*points])
        # What a coordinate depends on after another one has become independent does not show before.
        assert [each for each in said if not ("by state[" in each and each.endswith("not there"))] == []


@pytest.mark.parametrize("name", ["pendulum", "slider_crank", "quick_return"])
def test_dependencies_at_the_start_are_complete(name: str, tmp_path: Path) -> None:
    """Start values that happen to be zero hide some dependencies, so that only missing ones are errors."""
    export = exported(example(name), options())
    with opened(export, tmp_path) as model:
        model.initialize()
        description = model.description
        knowns = [v.value_reference for v in (*description.parameters, *description.inputs)]
        said = differences(model, description.structure.initial, knowns, [None])
        assert [sentence for sentence in said if sentence.endswith("is missing")] == []
        settings = {v.value_reference for v in description.settings}
        assert all(not settings & set(d.knowns) for d in description.structure.initial)


def test_a_start_position_does_not_depend_on_masses() -> None:
    export = exported(example("slider_crank"), options())
    description = export.compilation.description
    names = {v.value_reference: v.name for v in description.variables}
    start = {names[d.unknown]: {names[k] for k in d.knowns} for d in description.structure.initial}
    assert start["rod_angle"] == {"crank_length", "rod_length", "start_angle"}
    assert start["crank_angle"] == {"start_angle"}
