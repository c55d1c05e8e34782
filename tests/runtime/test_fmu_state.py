"""FMU states: what follows a restored state follows bit by bit, and foreign states are refused."""

from __future__ import annotations

import numpy as np
import pytest

from .conftest import Open

VARIANTS = [
    ("pendulum", {}, "angle"),
    ("slider_crank", {"INDEPENDENT": 2}, "crank"),
    ("slider_crank", {"MODEL_CLOSURE": "CLOSURE_AUGMENTED"}, "crank"),
    ("slider_crank", {"DRIVEN": 1}, "crank"),
    ("parallelograms", {"LOOPS": 2}, "first"),
]


@pytest.mark.parametrize(("model", "defines", "name"), VARIANTS)
def test_a_restored_run_repeats_itself_bit_by_bit(
    open_slave: Open, model: str, defines: dict[str, object], name: str
) -> None:
    slave = open_slave(model, **defines).initialize()
    slave.run(0.5, 0.05, name)
    state, time = slave.fmu.getFMUState(), slave.time
    first = slave.run(1.5, 0.05, name, "energy", "residual", "steps")
    end = slave.state_bytes()
    slave.fmu.setFMUState(state)
    slave.time = time
    assert np.array_equal(slave.run(1.5, 0.05, name, "energy", "residual", "steps"), first)
    assert slave.state_bytes() == end
    slave.fmu.freeFMUState(state)


def test_a_state_moves_to_another_instance_through_bytes(open_slave: Open) -> None:
    one, other = (open_slave("slider_crank").initialize(start_omega=3.0) for _ in range(2))
    one.set(torque=2.0)
    one.run(0.4, 0.1, "crank")
    saved = one.fmu.getFMUState()
    copy = other.fmu.deSerializeFMUstate(one.fmu.serializeFMUState(saved))
    other.fmu.setFMUState(copy)
    other.time = one.time
    assert np.array_equal(one.run(1.0, 0.1, "crank", "s"), other.run(1.0, 0.1, "crank", "s"))
    one.fmu.freeFMUState(saved)
    other.fmu.freeFMUState(copy)


def test_a_saved_state_revives_a_failed_instance(open_slave: Open) -> None:
    slave = open_slave("slider_crank", DRIVEN=1).initialize(l2=0.6, start_angle=0.0)
    slave.step(0.1)
    state = slave.fmu.getFMUState()
    slave.fails(lambda: slave.step(1.0))
    slave.fmu.setFMUState(state)
    slave.step(0.1)
    slave.fmu.freeFMUState(state)


def test_states_of_another_fmu_or_truncated_ones_are_refused(open_slave: Open) -> None:
    pendulum, crank = open_slave("pendulum").initialize(), open_slave("slider_crank").initialize()
    state = pendulum.fmu.getFMUState()
    foreign = pendulum.fmu.serializeFMUState(state)
    pendulum.fmu.freeFMUState(state)
    refused = "not one of this FMU"
    assert refused in crank.fails(lambda: crank.fmu.deSerializeFMUstate(foreign))
    assert refused in pendulum.fails(lambda: pendulum.fmu.deSerializeFMUstate(foreign[:10]))
    assert refused in pendulum.fails(lambda: pendulum.fmu.deSerializeFMUstate(foreign[:-1]))


def test_instances_do_not_disturb_each_other(open_slave: Open) -> None:
    alone = open_slave("pendulum").initialize().run(1.0, 0.1, "angle")
    one, other = open_slave("pendulum"), open_slave("pendulum")
    one.initialize()
    other.initialize(start_angle=-0.3, g=1.6)
    rows = []
    for _ in range(10):
        one.step(0.1)
        other.step(0.1)
        rows.append([one.get("angle")])
    assert np.array_equal(rows, alone)
