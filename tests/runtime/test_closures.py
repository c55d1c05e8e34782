"""Closures: all agree, dead centres are passed, and what cannot be closed is named."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from .conftest import Open

CLOSURES = ("NEWTON", "NEWTON_ALL", "AUGMENTED", "BAUMGARTE", "PENALTY")
EXACT = ("NEWTON", "NEWTON_ALL", "AUGMENTED")
MOTION = ("crank", "rod", "s", "crank_rate", "rod_rate", "s_rate", "crank_acc", "rod_acc", "s_acc")
TIGHT = {"relative_tolerance": 1e-11, "absolute_tolerance": 1e-12}


def slider_position(crank: float, l1: float = 1.0, l2: float = 2.0) -> float:
    return l1 * math.cos(crank) + math.sqrt(l2**2 - (l1 * math.sin(crank)) ** 2)


@pytest.mark.parametrize("closure", CLOSURES[1:])
def test_all_closures_give_the_same_motion_and_reactions(open_slave: Open, closure: str) -> None:
    names = (*MOTION, "lambda_x", "lambda_y")
    runs = [
        open_slave("slider_crank", MODEL_CLOSURE=f"CLOSURE_{kind}")
        .initialize(**TIGHT, start_omega=1.0)
        .run(2.0, 0.1, *names)
        for kind in ("NEWTON", closure)
    ]
    assert np.ptp(runs[0][:, 0]) > 1.0
    np.testing.assert_allclose(runs[1], runs[0], atol=1e-5 if closure == "PENALTY" else 1e-7)


@pytest.mark.parametrize("closure", EXACT)
def test_closed_loops_are_closed_to_machine_precision(open_slave: Open, closure: str) -> None:
    slave = open_slave("slider_crank", MODEL_CLOSURE=f"CLOSURE_{closure}").initialize(start_omega=8.0)
    rows = slave.run(5.0, 0.05, "residual", "energy", "crank", "s")
    assert rows[:, 0].max() < 2e-14
    assert np.ptp(rows[:, 1]) < 1e-6 * rows[0, 1]
    assert rows[-1, 2] > 6 * 2 * math.pi, "the crank is to turn over several times"
    np.testing.assert_allclose(rows[:, 3], [slider_position(angle) for angle in rows[:, 2]], atol=1e-12)


@pytest.mark.parametrize(
    ("solver", "step", "tolerance"), [("DOPRI5", 0.0, 1e-6), ("RK4", 2e-4, 1e-6), ("EULER", 1e-5, 5e-2)]
)
def test_dead_centres_are_passed_by_changing_the_independent_coordinate(
    open_slave: Open, solver: str, step: float, tolerance: float
) -> None:
    """The slider's displacement as generated independent coordinate is singular twice per turn."""
    rows = [
        open_slave("slider_crank", INDEPENDENT=independent, MODEL_SOLVER=f"SOLVER_{solver}")
        .initialize(start_omega=8.0, solver_step=step)
        .run(2.0, 0.05, "crank", "s", "energy", "residual")
        for independent in (0, 2)
    ]
    assert rows[0][-1, 0] > 2 * 2 * math.pi
    np.testing.assert_allclose(rows[1][:, :2], rows[0][:, :2], atol=tolerance)
    assert rows[1][:, 3].max() < 1e-13


@pytest.mark.parametrize("loops", [1, 2])
def test_parallelograms_pass_their_singular_positions(open_slave: Open, loops: int) -> None:
    """Ten seconds, five turns, ten positions in which all loops lose rank at once."""
    slave = open_slave("parallelograms", LOOPS=loops).initialize()
    rows = slave.run(10.0, 0.01, "first", "first_rate", "last", "energy", "residual")
    assert np.abs(rows[:, 0] - rows[:, 2]).max() < 1e-9, "the cranks stay parallel"
    assert np.ptp(rows[:, 3]) < 1e-6
    assert rows[:, 4].max() < 1e-12
    with (Path(__file__).parents[1] / "data" / "nfourbar.csv").open() as file:
        expected = {int(row["N"]): float(row["phi_minus_half_pi_at_10s"]) for row in csv.DictReader(file)}
    assert rows[-1, 0] - math.pi / 2 == pytest.approx(expected[loops], abs=1e-6)


@pytest.mark.parametrize("closure", ["AUGMENTED", "BAUMGARTE", "PENALTY"])
def test_multipliers_stop_at_a_singular_position_rather_than_guess(open_slave: Open, closure: str) -> None:
    slave = open_slave("parallelograms", MODEL_CLOSURE=f"CLOSURE_{closure}").initialize()
    sentence = slave.fails(lambda: slave.run(1.0, 0.01, "first"))
    assert "singular position" in sentence
    first, last = slave.get("first", "last")
    assert first == pytest.approx(0.0, abs=2e-3)
    assert first == pytest.approx(last, abs=1e-4)


def test_a_balanced_parallelogram_turns_uniformly(open_slave: Open) -> None:
    slave = open_slave("parallelograms").initialize(g=0.0, start_omega=3.0)
    rows = slave.run(10.0, 0.1, "first", "last")
    times = np.linspace(0.1, 10.0, 100)
    np.testing.assert_allclose(rows[:, 0], math.pi / 2 + 3.0 * times, atol=1e-7)
    np.testing.assert_allclose(rows[:, 1], rows[:, 0], atol=1e-9)


@pytest.mark.parametrize("solver", ["DOPRI5", "RK4"])
@pytest.mark.parametrize("loops", [1, 2])
def test_a_communication_point_may_be_a_singular_position(open_slave: Open, loops: int, solver: str) -> None:
    """A quarter turn per second: at every odd second all rods lie on one line."""
    slave = open_slave("parallelograms", LOOPS=loops, MODEL_SOLVER=f"SOLVER_{solver}")
    slave.initialize(g=0.0, start_omega=-math.pi / 2)
    rows = slave.run(10.0, 0.1, "first", "last", "first_rate", "residual")
    expected = math.pi / 2 * (1.0 - np.linspace(0.1, 10.0, 100))
    np.testing.assert_allclose(rows[:, 0], expected, atol=1e-8)
    np.testing.assert_allclose(rows[:, 1], expected, atol=1e-8)
    np.testing.assert_allclose(rows[:, 2], -math.pi / 2, atol=1e-8)
    assert rows[:, 3].max() < 1e-12


def test_a_singular_start_is_refused(open_slave: Open) -> None:
    slave = open_slave("parallelograms", LOOPS=2)
    assert "cannot start in a singular position" in slave.fails(lambda: slave.initialize(start_angle=0.0))


@pytest.mark.parametrize("size", [0.01, 0.25, 2.0])
def test_a_driven_mechanism_has_no_state_and_follows_its_driver(open_slave: Open, size: float) -> None:
    slave = open_slave("slider_crank", DRIVEN=1).initialize()
    rows = slave.run(6.0, size, "crank", "s", "s_rate", "residual")
    times = size * np.arange(1, len(rows) + 1)
    np.testing.assert_allclose(rows[:, 0], 0.5 + 2.0 * times, atol=1e-12)
    np.testing.assert_allclose(rows[:, 1], [slider_position(angle) for angle in rows[:, 0]], atol=1e-12)
    assert rows[:, 3].max() < 1e-13


def test_accelerations_and_reactions_of_a_driven_mechanism(open_slave: Open) -> None:
    """Rates by differences of positions; the slider's equation of motion gives its reaction."""
    slave = open_slave("slider_crank", DRIVEN=1).initialize()
    h = 1e-4
    positions = slave.run(10 * h, h, "s", "s_rate", "s_acc", "lambda_x")
    s, rate, acc, reaction = positions.T
    assert rate[4] == pytest.approx((s[5] - s[3]) / (2 * h), abs=1e-6)
    assert acc[4] == pytest.approx((rate[5] - rate[3]) / (2 * h), abs=1e-6)
    assert reaction[4] == pytest.approx(0.5 * acc[4], abs=1e-9)


def test_a_loop_that_cannot_be_closed_is_named_with_the_time(open_slave: Open) -> None:
    """A rod shorter than the crank: the driven crank cannot pass asin(0.6/1)."""
    slave = open_slave("slider_crank", DRIVEN=1).initialize(l2=0.6, start_angle=0.0)
    sentence = slave.fails(lambda: slave.run(1.0, 0.05, "crank"))
    assert "loop pin_c" in sentence
    assert "singular position" in sentence
    reported = float(sentence.split("=")[1].split("s:")[0])
    assert reported == pytest.approx(math.asin(0.6) / 2.0, abs=0.01)
    assert math.isfinite(slave.get("s"))


def test_massless_bodies_are_named(open_slave: Open) -> None:
    slave = open_slave("slider_crank")
    sentence = slave.fails(lambda: slave.initialize(m1=0.0, m2=0.0, m3=0.0))
    assert "mass matrix is singular" in sentence
    assert "pin_a.angle" in sentence


# --- start ------------------------------------------------------------------------------------


def test_start_values_and_lengths_are_parameters(open_slave: Open) -> None:
    slave = open_slave("slider_crank").initialize(l1=0.7, l2=3.1, start_angle=2.5, start_omega=-2.0)
    crank, rod, s, rate = slave.get("crank", "rod", "s", "crank_rate")
    assert (crank, rate) == pytest.approx((2.5, -2.0), abs=1e-13)
    assert s == pytest.approx(slider_position(2.5, 0.7, 3.1), abs=1e-13)
    assert math.cos(rod) > 0
    assert slave.get("residual") < 1e-13


@pytest.mark.parametrize("angle", [-40.0, 3.0, 12.0])
def test_the_assembly_mode_is_kept_when_the_start_is_far_away(open_slave: Open, angle: float) -> None:
    slave = open_slave("slider_crank").initialize(start_angle=angle)
    assert slave.get("s") == pytest.approx(slider_position(angle), abs=1e-12)


def test_a_driven_mechanism_starts_at_any_time(open_slave: Open) -> None:
    slave = open_slave("slider_crank", DRIVEN=1).initialize(start_time=20.0)
    assert slave.get("crank") == pytest.approx(40.5)
    assert slave.get("s") == pytest.approx(slider_position(40.5), abs=1e-12)


def test_what_cannot_be_assembled_is_named(open_slave: Open) -> None:
    slave = open_slave("slider_crank")
    sentence = slave.fails(lambda: slave.initialize(l2=0.1))
    assert sentence.startswith("the mechanism cannot be assembled with these parameters")
    assert "pin_c, y" in sentence


def test_values_can_be_read_and_parameters_set_in_initialization_mode(open_slave: Open) -> None:
    slave = open_slave("slider_crank")
    slave.fmu.setupExperiment(startTime=0.0)
    slave.fmu.enterInitializationMode()
    assert slave.get("s") == pytest.approx(slider_position(0.5), abs=1e-12)
    slave.set(start_angle=1.5)
    assert slave.get("s") == pytest.approx(slider_position(1.5), abs=1e-12)
    slave.fmu.exitInitializationMode()
    assert slave.get("s") == pytest.approx(slider_position(1.5), abs=1e-12)
