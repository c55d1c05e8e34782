"""Random legal sequences of calls end where an uninterrupted run ends, bit by bit."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import Open, Slave

#: Communication steps of the uninterrupted run, in its order: their sizes differ.
SIZES = (0.05, 0.02, 0.11, 0.005, 0.05)
NAMES = ("crank", "s", "crank_rate", "energy", "residual", "steps")

Detour = Callable[[Slave], None]


def _restore(slave: Slave) -> None:
    state = slave.fmu.getFMUState()
    time = slave.time
    slave.step(0.03)
    slave.set(torque=7.0)
    slave.fmu.setFMUState(state)
    slave.time = time
    slave.fmu.freeFMUState(state)


def _move_through_bytes(slave: Slave) -> None:
    state = slave.fmu.getFMUState()
    serialized = slave.fmu.serializeFMUState(state)
    slave.fmu.freeFMUState(state)
    time = slave.time
    slave.fmu.reset()
    slave.initialize(start_omega=-1.0)
    slave.step(0.2)
    copy = slave.fmu.deSerializeFMUstate(serialized)
    slave.fmu.setFMUState(copy)
    slave.time = time
    slave.fmu.freeFMUState(copy)


def _read(slave: Slave) -> None:
    slave.get(*NAMES)
    slave.fmu.getDirectionalDerivative([16], [14], [1.0])


def _break_the_rules(slave: Slave) -> None:
    slave.fails(lambda: slave.fmu.exitInitializationMode())
    slave.fails(lambda: slave.fmu.setReal([1000], [0.0]))
    slave.fails(lambda: slave.fmu.doStep(currentCommunicationPoint=-9.0, communicationStepSize=0.1))


def _set_the_same(slave: Slave) -> None:
    slave.set(torque=slave.get("torque"))


DETOURS: tuple[Detour, ...] = (_restore, _move_through_bytes, _read, _break_the_rules, _set_the_same)


PLANS, STEPS = 40, 250


@settings(
    max_examples=PLANS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.lists(
        st.tuples(st.integers(0, len(SIZES) - 1), st.integers(-1, len(DETOURS) - 1)),
        min_size=STEPS,
        max_size=STEPS,
    )
)
def test_detours_leave_no_trace(open_slave: Open, plan: list[tuple[int, int]]) -> None:
    """10,000 steps in all; a plan is a list of step sizes, each with a detour before it or none."""
    straight = open_slave("slider_crank", INDEPENDENT=2).initialize(start_omega=8.0)
    winding = open_slave("slider_crank", INDEPENDENT=2).initialize(start_omega=8.0)
    for size, detour in plan:
        if detour >= 0:
            DETOURS[detour](winding)
        for slave in (straight, winding):
            slave.step(SIZES[size])
    assert list(winding.get(*NAMES)) == list(straight.get(*NAMES))
    assert winding.state_bytes() == straight.state_bytes()
