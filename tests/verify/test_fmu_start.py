"""The judge starts where the FMU does, and proves that this is a start of the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fmugen.ir.model import SystemModel
from fmugen.verify.fmu_start import fmu_start
from fmugen.verify.mechanism import Mechanism
from fmugen.verify.reference import solve_reference
from fmugen.verify.simulate import Trajectory
from tests.verify import models

TIMES = np.array([0.0, 0.05])


def told_by_an_fmu(coupler: float, rocker: float, crank: float = 0.0) -> Trajectory:
    """What an FMU tells that starts the four-bar in the mode near the given angles."""
    guesses = models.guesses(h12__angle=coupler, h14__angle=rocker)
    started = replace(models.four_bar(), starts=(*models.fixed(h11__angle=crank, h11__omega=0), *guesses))
    return Trajectory(TIMES, solve_reference(started, TIMES).quantities)


def with_guesses(**guesses: float) -> SystemModel:
    return replace(
        models.four_bar(),
        starts=(*models.fixed(h11__angle=0, h11__omega=0), *models.guesses(**guesses)),
    )


def test_the_reference_starts_in_the_mode_of_the_fmu() -> None:
    model = with_guesses(h12__angle=0.1, h14__angle=0.1)
    for sign in (1.0, -1.0):
        told = told_by_an_fmu(1.318 * sign, 1.823 * sign)
        start = fmu_start(Mechanism(model), told)
        assert start.problems == ()
        reference = solve_reference(model, TIMES, initial=start.initial, posture=start.posture)
        for name in ("h12.angle", "h14.angle", "m3.x"):
            np.testing.assert_allclose(reference.quantity(name), told.values[name], atol=1e-9)


def test_another_mode_is_a_note_that_tells_both_distances() -> None:
    model = with_guesses(h12__angle=1.3, h14__angle=1.8)
    assert fmu_start(Mechanism(model), told_by_an_fmu(1.318, 1.823)).notes == ()
    (note,) = fmu_start(Mechanism(model), told_by_an_fmu(-1.318, -1.823)).notes
    assert "permit more than one assembly mode" in note
    assert "distances from the guesses: 3.73 and 0.0297" in note  # modulo whole turns


def test_few_or_rough_guesses_are_told_with_their_modes() -> None:
    """How many modes there are, how far they are, which was taken, and what chooses another."""
    told = told_by_an_fmu(1.318, 1.823)
    for guesses, distances in (
        ({}, "0 from the guesses, and others are at 0."),
        ({"h14__angle": 0.9}, "0.923"),
    ):
        (note,) = fmu_start(Mechanism(with_guesses(**guesses)), told).notes
        assert "the start values permit at least 2 assembly modes" in note
        assert distances in note
        assert "h14.angle" not in note  # poses of bodies, which every FMU tells
        assert "To choose another mode, give a guess: m" in note
    assert fmu_start(Mechanism(with_guesses(h12__angle=1.318, h14__angle=1.823)), told).notes == ()


def test_a_start_that_misses_a_fixed_value_is_a_problem() -> None:
    start = fmu_start(Mechanism(models.four_bar()), told_by_an_fmu(1.318, 1.823, crank=1e-6))
    assert start.posture is None
    assert start.problems == ("the FMU starts with h11.angle = 1e-06, but its start value is fixed to 0",)


def test_a_start_with_an_open_loop_is_a_problem() -> None:
    told = told_by_an_fmu(1.318, 1.823)
    told.values["m3.x"] = told.values["m3.x"] + 1e-6
    start = fmu_start(Mechanism(models.four_bar()), told)
    assert start.posture is None
    (problem,) = start.problems
    assert "starts with an open loop" in problem
    assert "by 1.00e-06" in problem
