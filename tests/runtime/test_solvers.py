"""Solvers: convergence orders, tolerances, and steps that end where they should."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from .conftest import VARIABLES, Open


def pendulum(t: float, start: float = 1.0, torque: float = 0.0) -> float:
    """The angle of the sample pendulum, to 1e-12."""
    solution = solve_ivp(
        lambda _, y: (y[1], torque - 9.81 * math.sin(y[0])),
        (0.0, t),
        (start, 0.0),
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    return float(solution.y[0, -1])


@pytest.mark.parametrize(("solver", "order", "steps"), [("EULER", 1, 400), ("RK4", 4, 100)])
def test_fixed_step_solvers_converge_with_their_order(
    open_slave: Open, solver: str, order: int, steps: int
) -> None:
    errors = []
    for count in (steps, 2 * steps):
        slave = open_slave("pendulum", MODEL_SOLVER=f"SOLVER_{solver}")
        slave.initialize(solver_step=1.0 / count)
        slave.step(1.0)
        assert slave.get("steps") == count
        errors.append(abs(slave.get("angle") - pendulum(1.0)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def test_the_fixed_step_is_the_communication_step_if_none_is_set(open_slave: Open) -> None:
    slave = open_slave("pendulum", MODEL_SOLVER="SOLVER_RK4").initialize()
    slave.run(1.0, 0.125, "angle")
    assert slave.get("steps") == 8


def test_a_fixed_step_that_does_not_divide_the_communication_step_is_shortened(open_slave: Open) -> None:
    slave = open_slave("pendulum", MODEL_SOLVER="SOLVER_RK4").initialize(solver_step=0.03)
    slave.step(0.1)
    assert slave.get("steps") == 4
    assert slave.get("angle") == pytest.approx(pendulum(0.1), abs=1e-7)


@pytest.mark.parametrize("tolerance", [1e-5, 1e-7, 1e-9, 1e-11])
def test_dopri5_follows_its_tolerance(open_slave: Open, tolerance: float) -> None:
    slave = open_slave("pendulum").initialize(relative_tolerance=tolerance, absolute_tolerance=tolerance)
    slave.run(2.0, 0.5, "angle")
    assert abs(slave.get("angle") - pendulum(2.0)) < 50 * tolerance


def test_dopri5_is_of_fifth_order(open_slave: Open) -> None:
    errors = []
    for step in (0.05, 0.025):
        slave = open_slave("pendulum").initialize(
            solver_step=step, relative_tolerance=1.0, absolute_tolerance=1.0
        )
        slave.run(1.0, step, "angle")
        errors.append(abs(slave.get("angle") - pendulum(1.0)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(5.0, abs=0.5)


def test_the_step_size_is_remembered_between_communication_steps(open_slave: Open) -> None:
    slave = open_slave("pendulum").initialize(relative_tolerance=1e-6, absolute_tolerance=1e-6)
    slave.run(1.0, 0.01, "angle")
    settled = slave.get("steps")
    slave.run(2.0, 0.01, "angle")
    assert slave.get("steps") - settled == 100


def test_communication_steps_of_any_size_give_the_same_motion(open_slave: Open) -> None:
    slave = open_slave("pendulum").initialize()
    for size in (0.3, 1e-6, 0.07, 0.629999, 1e-3, 0.999):
        slave.step(size)
    assert slave.time == pytest.approx(2.0, abs=1e-12)
    assert slave.get("angle") == pytest.approx(pendulum(slave.time), abs=1e-7)


def test_an_input_is_constant_over_a_step_and_acts_at_once(open_slave: Open) -> None:
    slave = open_slave("pendulum").initialize()
    slave.set(torque=3.0)
    assert slave.get("alpha") == pytest.approx(3.0 - 9.81 * math.sin(1.0))
    slave.step(0.7)
    assert slave.get("angle") == pytest.approx(pendulum(0.7, torque=3.0), abs=1e-7)
    slave.set(torque=0.0)
    assert slave.get("alpha") == pytest.approx(-9.81 * math.sin(slave.get("angle")))


@pytest.mark.parametrize("solver", ["DOPRI5", "RK4"])
def test_too_many_steps_are_an_error_with_the_time(open_slave: Open, solver: str) -> None:
    slave = open_slave("pendulum", MODEL_SOLVER=f"SOLVER_{solver}")
    slave.initialize(max_steps=5, solver_step=1e-3)
    sentence = slave.fails(lambda: slave.step(1.0))
    assert sentence.startswith("t = 0")
    assert "more than 5 internal steps" in sentence


def test_a_run_repeats_itself_exactly(open_slave: Open) -> None:
    runs = [open_slave("pendulum").initialize().run(1.0, 0.1, "angle", "omega", "alpha") for _ in range(2)]
    assert np.array_equal(*runs)


def test_rodas3_is_of_third_order(open_slave: Open) -> None:
    errors = []
    for step in (0.02, 0.01):
        slave = open_slave("pendulum", MODEL_SOLVER="SOLVER_RODAS3").initialize(
            solver_step=step, relative_tolerance=1.0, absolute_tolerance=1.0
        )
        slave.run(1.0, step, "angle")
        errors.append(abs(slave.get("angle") - pendulum(1.0)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.4)


def test_the_method_is_a_parameter_of_the_fmu(open_slave: Open) -> None:
    """One library, four methods, of which the fixed ones take one step a communication step."""
    counts = []
    for method in (1, 2, 3, 4):
        slave = open_slave("pendulum")
        slave.fmu.setInteger([VARIABLES["pendulum"]["method"]], [method])
        slave.initialize(relative_tolerance=1e-6, absolute_tolerance=1e-8)
        slave.run(0.5, 0.05, "angle")
        assert slave.get("angle") == pytest.approx(pendulum(0.5), abs=2e-1 if method == 1 else 1e-4)
        counts.append(slave.get("steps"))
    assert counts[:2] == [10, 10]
    assert counts[2] != counts[3]


def test_inputs_follow_their_derivatives_within_a_step(open_slave: Open) -> None:
    """A torque 2 t - 3 t^2: one step with derivatives is exact, the torque stays where it ends."""
    slave = open_slave("pendulum").initialize()
    torque = VARIABLES["pendulum"]["torque"]
    slave.fmu.setRealInputDerivatives([torque, torque], [1, 2], [2.0, -6.0])
    slave.step(0.8)
    solution = solve_ivp(
        lambda t, y: (y[1], 2.0 * t - 3.0 * t**2 - 9.81 * math.sin(y[0])),
        (0.0, 0.8),
        (1.0, 0.0),
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
    )
    assert slave.get("angle") == pytest.approx(solution.y[0, -1], abs=1e-7)
    assert slave.get("torque") == pytest.approx(2.0 * 0.8 - 3.0 * 0.8**2, abs=1e-12)
    rates = slave.fmu.getRealOutputDerivatives([VARIABLES["pendulum"]["angle"]], [1])
    assert list(rates) == pytest.approx([slave.get("omega")], abs=1e-6)
    reference = VARIABLES["pendulum"]["angle"]
    assert "not an input" in slave.fails(lambda: slave.fmu.setRealInputDerivatives([reference], [1], [0.0]))


def test_a_tuned_length_keeps_the_independent_coordinate(open_slave: Open) -> None:
    slave = open_slave("slider_crank").initialize(start_omega=1.0)
    slave.step(0.2)
    crank, rate = slave.get("crank", "crank_rate")
    slave.set(l2=2.5)
    assert list(slave.get("crank", "crank_rate")) == [crank, rate]
    assert slave.get("s") == pytest.approx(
        math.cos(crank) + math.sqrt(2.5**2 - math.sin(crank) ** 2), abs=1e-12
    )
    slave.step(0.1)
    assert slave.get("residual") < 1e-13
    slave.set(l2=0.1)
    assert "cannot be closed" in slave.fails(lambda: slave.get("s"))
