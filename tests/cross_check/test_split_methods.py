"""Khan's methods, written down by hand: they move the manipulator as prescribed, and fail where his did."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from element_views import Driver, DriverType, loads_of, with_views

from fmugen.formulas import parse
from fmugen.ir.model import Output
from fmugen.phases.read import read_model
from fmugen.verify.reference import solve_reference

EXAMPLE = Path(__file__).parents[2] / "examples" / "three_rrr_driven" / "model.toml"


def by_hand() -> Any:
    return importlib.import_module("split.manipulator")


def run(method: Any, stop: float, step: float) -> Any:
    return importlib.import_module("split.exchange").fixed(by_hand().ByHand(method), stop, step, [])


def error(found: Any) -> float:
    return float(by_hand().deviation(found.times, by_hand().snapshots(found.values)))


def test_torques_are_those_of_the_reference() -> None:
    model = read_model(EXAMPLE)
    drivers, hand = [], by_hand()
    for leg in range(3):
        load = next(load for load in loads_of(model) if load.name == f"motor_{leg + 1}")
        turn = f"2*pi*time/{hand.PERIOD}"
        formula = parse(f"{hand.STARTS[leg]:.17g} + {hand.AMPLITUDES[leg]:.17g}*({turn} - sin({turn}))")
        drivers.append(Driver(f"drive_{leg}", DriverType.ROTATION, load.tail, load.head, angle=formula))
    outputs = tuple(Output(f"tau_{leg}", parse(f"drive_{leg}.torque"), "N.m") for leg in range(3))
    starts = tuple(replace(start, fixed=False) for start in model.starts)
    moved = with_views(model, loads=(), inputs=(), outputs=outputs, drivers=tuple(drivers), starts=starts)
    times = np.linspace(0.0, hand.PERIOD, 7)
    reference = solve_reference(moved, times)
    for leg in range(3):
        found = [hand.applied(t)[2 * leg] for t in times]
        assert np.abs(found - reference.outputs[f"tau_{leg}"]).max() < 1e-8


@pytest.mark.parametrize("name", ["projection", "projection_platform", "denoc", "exact"])
def test_methods_without_compliance_follow_the_prescribed_motion(name: str) -> None:
    hand = by_hand()
    methods = {
        "projection": hand.Projection(10.0),
        "projection_platform": hand.Projection(10.0, hand.PLATFORM),
        "denoc": hand.DeNoc(),
        "exact": hand.Exact(),
    }
    found = run(methods[name], 0.5, 0.01)
    assert not found.failure
    assert error(found) < 1e-8
    assert max(seen.gap for seen in by_hand().snapshots(found.values)) < (1e-15 if name == "exact" else 1e-8)


def test_penalty_fails_for_the_stiffnesses_and_steps_of_the_thesis() -> None:
    """Figures 4.5 and 4.6: with 0.01 s all but the softest fail, with 0.001 s the stiffest alone."""
    stiffnesses = (1e3, 1e4, 1e5, 1e6)
    with np.errstate(all="ignore"):
        for step, expected in ((0.01, [1e4, 1e5, 1e6]), (0.001, [1e6])):
            assert [k for k in stiffnesses if run(by_hand().Penalty(k), 25 * step, step).failure] == expected


def test_virtual_springs_give_in_proportion_to_their_compliance() -> None:
    soft, hard = (error(run(by_hand().Penalty(k), 0.3, 0.001)) for k in (1e4, 1e5))
    assert soft / hard == pytest.approx(10, rel=0.2)


def test_the_steps_of_the_thesis_are_those_of_its_longest_step() -> None:
    """Section 4.3 counts 301 and 319 steps; the method itself needs far fewer."""
    hand, exchange = by_hand(), importlib.import_module("split.exchange")
    for tolerance in (1e-3, 1e-6):
        held = exchange.adaptive(hand.ByHand(hand.DeNoc()), hand.PERIOD, tolerance, [], largest=0.01)
        free = exchange.adaptive(hand.ByHand(hand.DeNoc()), hand.PERIOD, tolerance, [])
        assert 300 <= held.steps <= 319
        assert free.steps < 60
