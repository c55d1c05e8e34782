"""States and iterated unknowns of networks: integration, starts, and sentences instead of nonsense."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from .conftest import Open


def outflow(level: float) -> float:
    """The real root of z^3 + z = level."""
    return float(next(root.real for root in np.roots([1.0, 0.0, 1.0, -level]) if abs(root.imag) < 1e-9))


def test_a_state_is_integrated_while_newton_finds_what_it_depends_on(open_slave: Open) -> None:
    slave = open_slave("tank").initialize(inflow=3.0)
    levels = slave.run(2.0, 0.1, "level", "outflow")
    expected = solve_ivp(lambda _, x: [3.0 - outflow(x[0])], (0.0, 2.0), [10.0], rtol=1e-11, atol=1e-12)
    assert levels[-1, 0] == pytest.approx(expected.y[0, -1], abs=1e-7)
    assert levels[:, 1] ** 3 + levels[:, 1] == pytest.approx(levels[:, 0], abs=1e-12)


def test_an_input_acts_at_once_on_what_is_iterated_from_the_state(open_slave: Open) -> None:
    slave = open_slave("tank").initialize()
    before = slave.get("outflow")
    slave.set(inflow=50.0)
    assert slave.get("outflow") == before == pytest.approx(2.0)


def test_a_fixed_start_value_is_met_by_moving_the_state(open_slave: Open) -> None:
    slave = open_slave("tank", MODEL_FIXED_STATES=1).initialize(start_outflow=3.0, start_level=1.0)
    assert slave.get("outflow") == pytest.approx(3.0, abs=1e-12)
    assert slave.get("level") == pytest.approx(30.0, abs=1e-10)


def test_a_steady_start_does_not_move(open_slave: Open) -> None:
    slave = open_slave("tank", MODEL_STEADY=1).initialize(inflow=2.5)
    assert slave.get("level") == pytest.approx(2.5**3 + 2.5, abs=1e-9)
    assert slave.run(5.0, 1.0, "level") == pytest.approx(2.5**3 + 2.5, abs=1e-8)


def test_contradicting_starts_name_the_value_that_is_missed(open_slave: Open) -> None:
    slave = open_slave("tank", MODEL_STEADY=1, MODEL_FIXED_STATES=1)
    message = slave.fails(lambda: slave.initialize(inflow=1.0, start_outflow=3.0))
    assert "the network has no such start" in message
    assert "valve.q" in message or "tank.p does not come to rest" in message


def test_equations_without_solution_name_their_unknown(open_slave: Open) -> None:
    slave = open_slave("tank", FLOOR=1)
    message = slave.fails(lambda: slave.initialize(start_level=0.5))
    assert "no solution is found for valve.q" in message


def test_a_division_by_zero_names_the_state(open_slave: Open) -> None:
    slave = open_slave("tank")
    message = slave.fails(lambda: slave.initialize(capacity=0.0))
    assert "tank.p or its derivative is not finite" in message


def test_saved_states_hold_the_network(open_slave: Open) -> None:
    slave = open_slave("tank").initialize()
    saved = slave.fmu.getFMUState()
    first = slave.run(1.0, 0.25, "level")
    slave.fmu.setFMUState(saved)
    slave.time = 0.0
    assert (slave.run(1.0, 0.25, "level") == first).all()
    slave.fmu.freeFMUState(saved)
