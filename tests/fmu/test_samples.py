"""Inputs with a stamp: a mechanism in two FMUs that exchange samples, against the whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave

from fmugen.builder import ModelBuilder
from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.pipeline import Export
from fmugen.verify.simulate import simulate_fmu
from tests.fmu.exchange import opened, options
from tests.fmu.parts import MOTION, hub, leg, whole
from tests.store import exported

TO_LEG = [name for names in MOTION.values() for name in names]
TO_HUB = ["bx", "by", "mxx", "mxy", "myy"]
STOP = 0.64


class Slave:
    """One FMU in a co-simulation."""

    def __init__(self, export: Export, folder: Path) -> None:
        description = export.compilation.description
        self.named = {variable.name: variable.value_reference for variable in description.variables}
        self.fmu = FMU2Slave(
            guid=description.guid,
            unzipDirectory=fmpy.extract(str(export.path), unzipdir=str(folder / description.identifier)),
            modelIdentifier=description.identifier,
            instanceName=description.identifier,
        )
        self.fmu.instantiate()

    def begin(self) -> None:
        self.fmu.reset()
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()

    def get(self, names: list[str]) -> list[float]:
        return list(self.fmu.getReal([self.named[name] for name in names]))

    def set(self, names: list[str], values: list[float]) -> None:
        self.fmu.setReal([self.named[name] for name in names], values)


@contextmanager
def slaves(folder: Path) -> Iterator[tuple[Slave, Slave]]:
    made = [Slave(exported(model, options()), folder) for model in (hub(), leg("when"))]
    try:
        yield made[0], made[1]
    finally:
        for slave in made:
            slave.fmu.freeInstance()


def give(source: Slave, target: Slave, names: list[str]) -> None:
    target.set([*names, "when"], source.get([*names, "clock"]))


def run(platform: Slave, limb: Slave, step: float, *, in_turn: bool) -> np.ndarray:
    """The platform's place at the end; both step at once, or the leg after the platform."""
    for slave in (platform, limb):
        slave.begin()
    for _ in range(2):  # the leg's inertia, then the accelerations, then nothing changes
        give(limb, platform, TO_HUB)
        give(platform, limb, TO_LEG)
    for slave in (platform, limb):
        slave.fmu.exitInitializationMode()
    # The first steps are short: nothing is known there of how inputs without rates change.
    sizes = [step * 2.0**-8, *(step * 2.0**k for k in range(-8, 0))]
    sizes += [step] * round(STOP / step - 1)
    time = 0.0
    for size in sizes:
        platform.fmu.doStep(time, size)
        if in_turn:
            give(platform, limb, TO_LEG)
        limb.fmu.doStep(time, size)
        time += size
        told = limb.get([*TO_HUB, "clock"])
        if not in_turn:
            give(platform, limb, TO_LEG)
        platform.set([*TO_HUB, "when"], told)
    return np.array([*platform.get(["px", "py", "vx", "vy"]), *limb.get(["swing_angle"])])


def test_a_mechanism_in_two_parts_converges_with_high_order(tmp_path: Path) -> None:
    export = exported(whole(), options())
    names = ["x", "y", "vx", "vy", "swing_angle"]
    values = simulate_fmu(export.path, stop=STOP, step=0.01, outputs=names).values
    expected = np.array([values[name][-1] for name in names])
    with slaves(tmp_path) as (platform, limb):
        for in_turn in (False, True):
            errors = [
                float(np.max(np.abs(run(platform, limb, step, in_turn=in_turn) - expected)))
                for step in (0.02, 0.01, 0.005)
            ]
            assert errors[-1] < 1e-6
            assert math.log2(errors[0] / errors[1]) > 3.5
            assert math.log2(errors[1] / errors[2]) > 3.5


def listener() -> SystemModel:
    """Its outputs are its inputs, as the solver sees them."""
    return (
        ModelBuilder("Listener")
        .input("when", 0, "s")
        .input("u", 1, "N", stamp="when")
        .input("w", 1, "N", stamp="when", slope=1.0)
        .input("p", 1, "m", rate="v", stamp="when")
        .input("v", 2, "m/s", rate="a", stamp="when")
        .input("a", 0, "m/s2", stamp="when")
        .body("bob", mass=1, inertia=1)
        .force("push", "bob", ["u", "p"])
        .output("seen_u", "u")
        .output("seen_w", "w")
        .output("seen_p", "p")
        .build()
    )


def cubic(t: float) -> float:
    return 1.0 + t - 3.0 * t**2 + 2.0 * t**3


#: A polynomial of degree five, and its derivatives.
QUINTIC = np.polynomial.Polynomial([1.0, 2.0, 0.0, -1.0, 3.0, 2.0])


def tell(slave: Slave, t: float) -> None:
    derivatives = [float(QUINTIC.deriv(order)(t)) if order else float(QUINTIC(t)) for order in range(3)]
    slave.set(["u", "w", "p", "v", "a", "when"], [cubic(t), cubic(t), *derivatives, t])


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Slave]:
    slave = Slave(exported(listener(), options()), tmp_path)
    slave.begin()
    slave.fmu.exitInitializationMode()
    yield slave
    slave.fmu.freeInstance()


def test_samples_are_extended_by_the_polynomial_through_them(heard: Slave) -> None:
    times = [0.0, 0.1, 0.25, 0.3, 0.5]
    for begin, end in pairwise(times):
        tell(heard, begin)
        assert heard.get(["seen_u"])[0] == pytest.approx(cubic(begin))
        heard.fmu.doStep(begin, end - begin)
        if begin >= 0.1:  # two samples of value, rate and acceleration
            assert heard.get(["seen_p"])[0] == pytest.approx(float(QUINTIC(end)), rel=1e-10)
    assert heard.get(["seen_u"])[0] == pytest.approx(cubic(0.5), rel=1e-10)
    assert heard.get(["u"])[0] == cubic(0.3)  # what was set


def test_a_slope_at_the_start_counts_as_a_sample(heard: Slave) -> None:
    seen = []
    for begin, end in pairwise([0.0, 0.1, 0.25, 0.3, 0.5, 0.6]):
        tell(heard, begin)
        heard.fmu.doStep(begin, end - begin)
        seen.append(heard.get(["seen_w"])[0])
    assert seen[0] == pytest.approx(1.1)
    assert seen[2:] == pytest.approx([cubic(0.3), cubic(0.5), cubic(0.6)], rel=1e-10)


def test_samples_from_the_end_of_a_step_are_interpolated(heard: Slave) -> None:
    """What a step after that of the other part sees, at its begin too."""
    for begin, end in pairwise([0.0, 0.1, 0.2, 0.3]):
        tell(heard, end)
        heard.fmu.doStep(begin, end - begin)
    tell(heard, 0.4)
    assert heard.get(["seen_u"])[0] == pytest.approx(cubic(0.3), rel=1e-12)
    heard.fmu.doStep(0.3, 0.05)
    assert heard.get(["seen_u"])[0] == pytest.approx(cubic(0.35), rel=1e-10)


def test_a_stamp_that_jumps_begins_anew(heard: Slave) -> None:
    for begin in (0.0, 0.1, 0.2):
        tell(heard, begin)
        heard.fmu.doStep(begin, 0.1)
    heard.set(["u", "when"], [7.0, 0.15])
    assert heard.get(["seen_u"]) == [7.0]
    heard.set(["u", "when"], [8.0, 99.0])
    assert heard.get(["seen_u"]) == [8.0]


@pytest.mark.parametrize("swing", [0.0, 2.0])
def test_a_failure_of_the_exchange_is_told_as_such(
    heard: Slave, swing: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """The solver fails for want of steps; with samples that go to and fro they are the cause."""
    heard.begin()
    heard.set(["solver.step", "solver.max_steps"], [0.01, 50.0])
    heard.fmu.exitInitializationMode()
    for number in range(5):
        tell(heard, 0.1 * number)
        heard.set(["u"], [cubic(0.1 * number) + swing * (-1) ** number])
        if number < 4:
            heard.fmu.doStep(0.1 * number, 0.1)
    with pytest.raises(FMICallException):
        heard.fmu.doStep(0.4, 1.0)
    said = capsys.readouterr().out
    assert "more than 50 internal steps" in said
    assert ("take shorter communication steps" in said) is bool(swing)


def test_samples_are_a_part_of_the_state(heard: Slave) -> None:
    for begin in (0.0, 0.1, 0.2):
        tell(heard, begin)
        heard.fmu.doStep(begin, 0.1)
    state = heard.fmu.serializeFMUstate(heard.fmu.getFMUstate())
    tell(heard, 0.3)
    heard.fmu.doStep(0.3, 0.1)
    expected = heard.get(["seen_u", "seen_p"])
    heard.begin()
    heard.fmu.exitInitializationMode()
    heard.fmu.setFMUstate(heard.fmu.deSerializeFMUstate(state))
    tell(heard, 0.3)
    heard.fmu.doStep(0.3, 0.1)
    assert heard.get(["seen_u", "seen_p"]) == expected


def test_model_exchange_takes_plain_values(tmp_path: Path) -> None:
    export = exported(listener(), options())
    with opened(export, tmp_path) as model:
        model.start()
        model.fmu.setTime(0.5)
        for value in (3.0, 4.0):
            model.set([model.reference("u")], [value])
            assert model.value("seen_u") == value


def test_what_cannot_be_a_stamp_is_said() -> None:
    builder = (
        ModelBuilder("Wrong").body("bob", mass=1, inertia=1).input("when", unit="m").input("then", unit="s")
    )
    builder.input("e", slope=1.0)
    builder.input("a", stamp="went").input("b", stamp="when").input("c", stamp="then").input("d", stamp="c")
    with pytest.raises(ModelError) as raised:
        builder.build()
    text = str(raised.value)
    assert "inputs.a.stamp: there is no input 'went' (did you mean 'when'?)" in text
    assert "inputs.b.stamp: 'when' is in 'm', which is not a time" in text
    assert "inputs.d.stamp: 'c' has a stamp itself" in text
    assert "inputs.e.slope: only an input with a stamp has a slope" in text
    assert "inputs.c" not in text
