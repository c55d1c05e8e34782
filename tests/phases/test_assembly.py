"""The assembly: whole turns, the nearest of several modes, the same start for all trees."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from fmugen.builder import ModelBuilder
from fmugen.evaluation import values_at_start
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation
from tests.models.hard_to_assemble import myard, rccc, three_prs

TREES = ("aac", "jc", "ac")


def start_of(model: SystemModel, trees: str, *names: str) -> tuple[SolutionFlow, list[float]]:
    """The flow, and quantities of bodies at the assembled start."""
    dae = Compilation(model, ExportOptions(trees)).formulated
    flow = solution_flow(model, dae, Closure.NEWTON)
    return flow, values_at_start(model, dae, flow, [dae.quantities[name] for name in names])


# --- whole turns ---------------------------------------------------------------------------------


def four_bar(**guesses: float) -> SystemModel:
    """A four-bar whose crank is at an angle of 0.5, with guesses of the other pins."""
    builder = ModelBuilder("FourBar").ground_point("P", 3.0, 0.0)
    for name, length in (("crank", 1.0), ("coupler", 3.0), ("rocker", 2.5)):
        builder.body(name, mass=1, inertia=0.1, points={"end": [length, 0]})
    builder.revolute("a", "ground", "crank").revolute("b", "crank.end", "coupler")
    builder.revolute("c", "coupler.end", "rocker.end").revolute("d", "ground.P", "rocker")
    builder.start("a.angle", 0.5)
    for name, value in guesses.items():
        builder.start(f"{name}.angle", value, fixed=False)
    return builder.build()


@pytest.mark.parametrize("trees", TREES)
@pytest.mark.parametrize("turned", ["b", "c", "d"])
def test_guesses_of_angles_count_up_to_whole_turns(trees: str, turned: str) -> None:
    """Guesses that close the loop, but not when they are added up, are met all the same."""
    _, (crank, coupler, rocker) = start_of(
        four_bar(b=0.3, c=1.0, d=1.9), trees, "crank.angle", "coupler.angle", "rocker.angle"
    )
    closed = {"b": coupler - crank, "c": rocker - coupler, "d": rocker}
    guesses = {**closed, turned: closed[turned] + 2 * math.pi}
    flow, found = start_of(four_bar(**guesses), trees, "coupler.angle", "rocker.angle")
    assert np.cos(np.array(found) - [coupler, rocker]) == pytest.approx([1.0, 1.0], abs=1e-12)
    assert max(abs(move.distance) for move in flow.moves) < 1e-9


@pytest.mark.parametrize("trees", TREES)
def test_a_guess_of_more_than_a_turn_is_kept(trees: str) -> None:
    _, (rocker,) = start_of(four_bar(d=1.9), trees, "rocker.angle")
    _, (wound,) = start_of(four_bar(d=1.9 + 4 * math.pi), trees, "rocker.angle")
    assert wound - rocker == pytest.approx(4 * math.pi)


# --- the nearest mode ----------------------------------------------------------------------------

LENGTHS = {"coupler": 2.2, "rocker": 2.0, "arm": 2.5, "lever": 2.1}


def six_bar(guesses: dict[str, float]) -> SystemModel:
    """A crank of 1 at an angle of 1, a first dyad to (2.5, 0), and one from its coupler to (4, 1)."""
    builder = ModelBuilder("SixBar").ground_point("P", 2.5, 0.0).ground_point("Q", 4.0, 1.0)
    builder.body("crank", mass=1, inertia=0.1, points={"end": [1.0, 0]})
    for name, length in LENGTHS.items():
        points = {"end": [length, 0], "tap": [0.6 * length, 0.2]}
        builder.body(name, mass=1, inertia=0.1, points=points)
        builder.start(f"{name}.angle", guesses[name], fixed=False)
    builder.revolute("a", "ground", "crank").revolute("b", "crank.end", "coupler")
    builder.revolute("c", "coupler.end", "rocker.end").revolute("d", "ground.P", "rocker")
    builder.revolute("e", "coupler.tap", "arm").revolute("f", "arm.end", "lever.end")
    builder.revolute("g", "ground.Q", "lever").start("a.angle", 1.0)
    return builder.build()


def dyads(tail: complex, head: complex, first: float, second: float) -> Iterator[tuple[float, float]]:
    """The angles of two bars that join two points: both modes."""
    gap = head - tail
    along = (abs(gap) ** 2 + first**2 - second**2) / (2 * abs(gap))
    for across in (1, -1):
        corner = tail + gap / abs(gap) * (along + across * 1j * math.sqrt(first**2 - along**2))
        yield math.atan2(*reversed(_pair(corner - tail))), math.atan2(*reversed(_pair(corner - head)))


def _pair(value: complex) -> tuple[float, float]:
    return value.real, value.imag


def modes() -> Iterator[dict[str, float]]:
    end = complex(math.cos(1.0), math.sin(1.0))
    for coupler, rocker in dyads(end, 2.5 + 0j, LENGTHS["coupler"], LENGTHS["rocker"]):
        tap = end + (0.6 * LENGTHS["coupler"] + 0.2j) * complex(math.cos(coupler), math.sin(coupler))
        for arm, lever in dyads(tap, 4 + 1j, LENGTHS["arm"], LENGTHS["lever"]):
            yield {"coupler": coupler, "rocker": rocker, "arm": arm, "lever": lever}


@pytest.mark.parametrize("trees", TREES)
def test_the_nearest_of_all_modes_is_taken(trees: str) -> None:
    random = np.random.default_rng(1)
    names = [f"{name}.angle" for name in LENGTHS]
    for _ in range(8):
        guesses = dict(zip(LENGTHS, random.uniform(-3.0, 3.0, 4).tolist(), strict=True))
        distances = [
            math.hypot(*(math.remainder(mode[name] - guesses[name], 2 * math.pi) for name in LENGTHS))
            for mode in modes()
        ]
        assert len(distances) == 4
        _, found = start_of(six_bar(guesses), trees, *names)
        missed = [
            math.remainder(value - guesses[name], 2 * math.pi)
            for name, value in zip(LENGTHS, found, strict=True)
        ]
        assert math.hypot(*missed) == pytest.approx(min(distances), abs=1e-9)


@pytest.mark.parametrize("trees", TREES)
def test_without_guesses_joints_are_nearest_to_zero(trees: str) -> None:
    """The pins of the upper mode are turned less; without a word on it, all modes are told."""
    flow, (coupler, rocker) = start_of(four_bar(), trees, "coupler.angle", "rocker.angle")
    assert (coupler, rocker) == pytest.approx((0.738122336532529, 1.532073615265012), abs=1e-9)
    assert len(flow.distances) == 2


@pytest.mark.parametrize("trees", TREES)
def test_a_guess_between_two_modes_tells_of_both(trees: str) -> None:
    flow, (rocker,) = start_of(four_bar(d=0.0), trees, "rocker.angle")
    assert rocker == pytest.approx(1.532073615265012)
    assert flow.distances == pytest.approx((1.5343, 1.9851), abs=1e-4)


@pytest.mark.parametrize("trees", TREES)
def test_an_open_chain_starts_with_its_joints_at_zero(trees: str) -> None:
    """Also where the axes of a point are turned, so that a joint at zero turns its body."""
    builder = ModelBuilder("Arm", space="spatial").ground_point(
        "A", 0, 0, 1, sequence="xy", angles=[0.4, 0.3]
    )
    builder.body("arm", mass=1, inertia=[1, 1, 1], points={"end": [1, 0, 0]})
    builder.body("hand", mass=1, inertia=[1, 1, 1])
    builder.revolute("pin", "ground.A", "arm").spherical("ball", "arm.end", "hand")
    turned, upright = start_of(builder.build(), trees, "arm.rxx", "hand.rxx")[1]
    assert (turned, upright) == pytest.approx((math.cos(0.3), 1.0), abs=1e-9)


# --- mechanisms in space -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(rccc(), id="rccc"),
        pytest.param(rccc((1.0, 1.0, 1.0, 1.0)), id="rccc 1 1 1 1"),
        pytest.param(myard((0.5, 1.0, 1.0, 1.0, 1.0)), id="myard"),
        pytest.param(three_prs(), id="tripod", marks=pytest.mark.slow),
    ],
)
def test_all_trees_start_in_the_same_position(model: SystemModel) -> None:
    """Also where the axes of a joint could be closed in opposite directions."""
    names = [f"{body.name}.{kind}" for body in model.bodies for kind in ("x", "y", "z", "rxx", "ryy", "rxz")]
    starts = [start_of(model, trees, *names)[1] for trees in TREES]
    for found in starts[1:]:
        np.testing.assert_allclose(found, starts[0], atol=1e-7)


# --- driven angles -------------------------------------------------------------------------------


def driven_crank(angle: float, tilt: float = 0.0) -> SystemModel:
    """A crank in space that a driver turns; its axis is tilted in the crank by two joints in between."""
    builder = ModelBuilder("DrivenCrank", space="spatial", gravity=[0, 0, -9.81])
    builder.body("crank", mass=1, inertia=[0.1, 0.1, 0.1], center=[0.3, 0, 0])
    if tilt:
        builder.universal("pivot", "ground", "crank", axis=[0, 0, 1], second_axis=[1, 0, 0])
        builder.start("pivot.angle2", tilt)
    else:
        builder.revolute("pivot", "ground", "crank", axis=[0, 0, 1])
    builder.rotation_driver("motor", "ground", "crank", f"{angle} + time", axis=[0, 0, 1])
    return builder.output("x", "crank.rxx").build()


@pytest.mark.parametrize("trees", TREES)
@pytest.mark.parametrize("tilt", [0.0, 0.4])
@pytest.mark.parametrize("angle", [0.4, math.pi / 2, 2.5, -2.9, math.pi])
def test_a_driven_crank_does_not_start_half_a_turn_away(angle: float, tilt: float, trees: str) -> None:
    """The equation of a driver alone is also met by the opposite direction."""
    _, found = start_of(driven_crank(angle, tilt), trees, "crank.rxx", "crank.ryx")
    assert found == pytest.approx([math.cos(angle), math.sin(angle)], abs=1e-11)
