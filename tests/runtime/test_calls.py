"""The FMI 2.0 calling sequence, and what the FMU says when it is broken."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from ctypes import c_double, c_int

import pytest
from fmpy.fmi1 import FMICallException

from .conftest import GUIDS, HEADERS, VARIABLES, Build, Open, Slave

Action = Callable[[Slave], object]

ACTIONS: dict[str, Action] = {
    "setup": lambda it: it.fmu.setupExperiment(startTime=0.0),
    "enter": lambda it: it.fmu.enterInitializationMode(),
    "exit": lambda it: it.fmu.exitInitializationMode(),
    "get": lambda it: it.get("angle"),
    "set": lambda it: it.set(torque=1.0),
    "step": lambda it: it.step(0.01),
    "terminate": lambda it: it.fmu.terminate(),
    "reset": lambda it: it.fmu.reset(),
    "save": lambda it: it.fmu.freeFMUState(it.fmu.getFMUState()),
    "no integers": lambda it: it.fmu.getInteger([]),
    "time": lambda it: it.fmu.getRealStatus(2),
}

#: How to reach a state, and which actions are legal in it.
STATES = {
    "instantiated": ((), {"setup", "enter", "set", "reset", "save"}),
    "initialization mode": (
        ("setup", "enter"),
        {"exit", "get", "set", "reset", "save", "no integers"},
    ),
    "between steps": (
        ("setup", "enter", "exit"),
        {"get", "set", "step", "terminate", "reset", "save", "no integers", "time"},
    ),
    "terminated": (
        ("setup", "enter", "exit", "step", "terminate"),
        {"get", "reset", "save", "no integers", "time"},
    ),
    "instantiated again": (("setup", "enter", "exit", "step", "reset"), {"setup", "enter", "set", "save"}),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("action", ACTIONS)
def test_each_call_is_legal_where_the_standard_says(open_slave: Open, state: str, action: str) -> None:
    path, legal = STATES[state]
    slave = open_slave("pendulum")
    for earlier in path:
        ACTIONS[earlier](slave)
    if action in legal or (action == "reset"):
        ACTIONS[action](slave)
        assert slave.messages == []
    else:
        assert "must not be called while the FMU is" in slave.fails(lambda: ACTIONS[action](slave))


def test_after_a_failed_step_values_can_be_read_but_no_step_done(open_slave: Open) -> None:
    slave = open_slave("slider_crank", DRIVEN=1).initialize(l2=0.6, start_angle=0.0)
    slave.fails(lambda: slave.run(1.0, 0.1, "crank"))
    assert 0.5 < slave.get("crank") < 0.65
    assert "in the error state" in slave.fails(lambda: slave.step(0.1))
    slave.fmu.reset()
    slave.initialize()
    slave.step(0.1)


def test_a_wrong_guid_or_type_is_refused(build: Build) -> None:
    slave = Slave(build("pendulum"), "pendulum")
    slave.fmu.guid = "{another}"
    with pytest.raises(Exception, match="instantiate"):
        slave.fmu.instantiate(callbacks=slave._callbacks)
    assert GUIDS["pendulum"] in slave.messages[-1]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("angle", 1.0, "is calculated"),
        ("steps", 1.0, "is calculated"),
        ("start_angle", 2.0, "is fixed after initialization"),
        ("relative_tolerance", 1e-3, "is fixed after initialization"),
        ("torque", float("nan"), "finite number"),
        ("torque", float("inf"), "finite number"),
    ],
)
def test_what_cannot_be_set(open_slave: Open, name: str, value: float, said: str) -> None:
    slave = open_slave("pendulum").initialize()
    assert said in slave.fails(lambda: slave.set(**{name: value}))


def test_values_are_set_all_or_none(open_slave: Open) -> None:
    slave = open_slave("pendulum").initialize()
    slave.fails(lambda: slave.set(torque=5.0, start_angle=2.0))
    assert slave.get("torque") == 0.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"solver_step": -1.0}, "solver.step"),
        ({"relative_tolerance": 0.0}, "solver.relative_tolerance"),
        ({"absolute_tolerance": -1e-9}, "solver.absolute_tolerance"),
        ({"max_steps": 0.0}, "solver.max_steps"),
        ({"method": 5.0}, "solver.method"),
        ({"method": 2.5}, "solver.method"),
    ],
)
def test_settings_that_make_no_sense(open_slave: Open, settings: dict[str, float], said: str) -> None:
    slave = open_slave("pendulum")
    assert said in slave.fails(lambda: slave.initialize(**settings))


def test_unknown_value_references_and_other_types(open_slave: Open) -> None:
    slave = open_slave("pendulum").initialize()
    beyond = len(VARIABLES["pendulum"])
    assert f"value reference {beyond}" in slave.fails(lambda: slave.fmu.getReal([beyond]))
    assert f"value reference {beyond}" in slave.fails(lambda: slave.fmu.setReal([beyond], [0.0]))
    assert "no integer variable" in slave.fails(lambda: slave.fmu.getInteger([0]))
    assert "type Boolean" in slave.fails(lambda: slave.fmu.getBoolean([0]))
    assert "no integer variable" in slave.fails(lambda: slave.fmu.setInteger([0], [0]))
    torque, angle = VARIABLES["pendulum"]["torque"], VARIABLES["pendulum"]["angle"]
    derivative = slave.fmu.getDirectionalDerivative
    assert "no derivative of" in slave.fails(lambda: derivative([torque], [torque], [1.0]))
    assert "no derivative by" in slave.fails(lambda: derivative([angle], [angle], [1.0]))


def test_steps_must_be_positive_and_start_where_the_last_one_ended(open_slave: Open) -> None:
    slave = open_slave("pendulum").initialize()
    slave.step(0.1)
    for start, size in ((0.1, 0.0), (0.1, -0.1), (0.1, float("nan")), (0.2, 0.1), (0.0, 0.1)):
        slave.fails(
            lambda start=start, size=size: slave.fmu.doStep(
                currentCommunicationPoint=start, communicationStepSize=size
            )
        )
    slave.step(0.1)


def test_the_clock_of_the_environment_may_differ_by_round_off(open_slave: Open) -> None:
    slave = open_slave("pendulum").initialize()
    for k in range(1000):
        slave.fmu.doStep(currentCommunicationPoint=k * 0.001, communicationStepSize=0.001)
    value = c_double()
    slave.fmu.fmi2GetRealStatus(slave.fmu.component, c_int(2), value)
    assert value.value == pytest.approx(1.0, abs=1e-15)


def test_the_tolerance_of_the_experiment_counts_unless_a_setting_is_given(open_slave: Open) -> None:
    chosen, default = open_slave("pendulum"), open_slave("pendulum")
    chosen.set(relative_tolerance=1e-5)
    for slave in (chosen, default):
        slave.fmu.setupExperiment(tolerance=1e-12, startTime=0.0)
        slave.fmu.enterInitializationMode()
        slave.fmu.exitInitializationMode()
    assert chosen.get("relative_tolerance") == 1e-5
    assert list(default.get("relative_tolerance", "absolute_tolerance")) == [1e-12, 1e-12]


def test_an_output_that_is_not_finite_is_an_error(open_slave: Open) -> None:
    slave = open_slave("pendulum").initialize(start_angle=100.0)
    reference = VARIABLES["pendulum"]["reciprocal"]
    assert f"value reference {reference} is not finite" in slave.fails(lambda: slave.get("angle"))


def test_events_are_told_when_debug_logging_is_on(open_slave: Open) -> None:
    slave = open_slave("slider_crank", INDEPENDENT=2).initialize(start_omega=8.0)
    slave.run(1.0, 0.02, "crank")
    assert slave.messages == []
    slave.fmu.setDebugLogging(True, ["logEvents"])
    slave.run(2.0, 0.02, "crank")
    assert any("independent coordinates" in message for message in slave.messages)
    with pytest.raises(FMICallException):
        slave.fmu.setDebugLogging(True, ["unheard of"])


def test_only_the_fmi_functions_are_exported(build: Build) -> None:
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(build("pendulum"))],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    names = {line.split()[-1] for line in listed.stdout.splitlines()}
    assert {"fmi2Instantiate", "fmi2DoStep", "fmi2GetFMUstate"} <= names
    assert all(name.startswith("fmi2") for name in names), names


def test_the_other_standard_exports_its_own_functions(build: Build) -> None:
    """Strictly compiled, with every function that the header of FMI 3 declares."""
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(build("pendulum", MODEL_FMI=3))],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    names = {line.split()[-1] for line in listed.stdout.splitlines()}
    declared = set(re.findall(r"#define (fmi3\w+)\s+fmi3FullName", (HEADERS / "fmi3Functions.h").read_text()))
    assert names == declared
