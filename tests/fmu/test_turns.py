"""Angles of joints and springs in space count turns, whether they are coordinates or not."""

from __future__ import annotations

import math
from ctypes import c_double
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

from fmugen.builder import ModelBuilder
from fmugen.errors import SimulationError
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Export
from fmugen.verify.compare import TIGHT, verify_fmu
from fmugen.verify.simulate import simulate_fmu
from fmugen.view.modelica import modelica_files
from tests.fmu.exchange import difference, opened, options
from tests.store import exported

_TURN = 2 * math.pi


def builder(name: str, *, weight: float = 0.0) -> ModelBuilder:
    return ModelBuilder(name, space="spatial", gravity=(0, 0, -weight))


def absolute(made: ModelBuilder, *bodies: str, stop: float) -> SystemModel:
    """A model with the trees ``absolute``: the bodies are branches, all joints are chords."""
    return made.trees("absolute", bodies, bodies).experiment(stop=stop, step=0.02, tolerance=1e-10).build()


def export_of(model: SystemModel, trees: str = "aac") -> Export:
    return exported(model, ExportOptions(trees=trees))


def run(export: Export, *names: str, stop: float) -> dict[str, np.ndarray]:
    found = simulate_fmu(export.path, stop=stop, step=0.02, outputs=names, parameters=TIGHT)
    return {"time": found.times, **found.values}


# --- coaxial wheels ----------------------------------------------------------------------------------


def wheels(joints: str, spring: str, **starts: float) -> SystemModel:
    """Two wheels on one axis, the second held to the ground by a spring; it swings at 1 rad/s."""
    made = builder("Wheels")
    made.body("one", mass=1, inertia=[0.2, 0.2, 0.2]).body("two", mass=1, inertia=[0.3, 0.3, 0.3])
    for name, ends in (("first", ["ground", "one"]), ("second", ["one", "two"])):
        made.revolute(name, *(ends if joints == "outward" else ends[::-1]), axis=[1, 2, 2])
    ends = ["ground", "two"] if spring == "outward" else ["two", "ground"]
    made.rotational_spring("spring", *ends, stiffness=0.3, axis=[1, 2, 2])
    values = {"first__angle": 0, "first__omega": 0, "second__angle": 0, "second__omega": 12} | starts
    for quantity, value in values.items():
        made.start(quantity.replace("__", "."), value if joints == "outward" else -value)
    made.output("angle", "spring.angle", unit="rad").output("along", "spring.torque", unit="N.m")
    return absolute(made, "one", "two", stop=4)


@pytest.mark.parametrize("joints", ["outward", "inward"])
@pytest.mark.parametrize("spring", ["outward", "inward"])
def test_a_spring_between_coaxial_wheels_swings_through_turns(joints: str, spring: str) -> None:
    model = wheels(joints, spring)
    export = export_of(model)
    assert export.compilation.program.angles == (), "sums of coordinates count by themselves"
    found = run(export, "angle", stop=4)
    sense = 1 if spring == "outward" else -1
    np.testing.assert_allclose(found["angle"], sense * 12 * np.sin(found["time"]), atol=1e-9)
    assert np.max(np.abs(found["angle"])) > 1.8 * _TURN
    if (joints, spring) == ("inward", "outward"):
        assert verify_fmu(model, export.path, tolerance=1e-8).problems == ()


@pytest.mark.parametrize("trees", ["aac", "absolute"])
def test_a_spring_is_wound_as_far_as_the_joints_on_its_axis(trees: str) -> None:
    model = wheels("outward", "inward", first__angle=2.5, second__angle=3, second__omega=0)
    export = export_of(model, trees)
    found = run(export, "angle", stop=1)
    np.testing.assert_allclose(found["angle"], -5.5 * np.cos(found["time"]), atol=1e-8)
    assert verify_fmu(model, export.path, stop=0.5).problems == ()


def test_sums_of_turns_through_turned_attachments() -> None:
    """Joints on one axis, seen from points that are turned about it or upside down."""
    made = builder("Turned").parameter("set", 2.5, "rad")
    made.ground_point("seat", 0, 0, 0, sequence="z", angles=["set"])
    made.ground_point("down", 0, 0, 0, sequence="x", angles=["pi"])
    up = {"position": [0, 0, 0], "sequence": "xz", "angles": ["pi", 1.2]}
    under = {"position": [0, 0, 0], "sequence": "x", "angles": ["pi"]}
    made.body("one", mass=1, inertia=[0.2, 0.2, 0.2], points={"up": up})
    made.body("two", mass=1, inertia=[0.3, 0.3, 0.3], points={"under": under})
    made.revolute("first", "ground", "one").revolute("second", "two.under", "one.up", axis=[0, 0, -1])
    made.revolute("third", "ground.seat", "two").revolute("fourth", "two.under", "ground.down")
    for quantity, value in (("first", 0.3), ("second", 1)):
        made.start(f"{quantity}.angle", value).start(f"{quantity}.omega", 5 - 9 * value)
        made.output(f"{quantity}_angle", f"{quantity}.angle", unit="rad")
    for name in ("third", "fourth"):
        made.output(f"{name}_angle", f"{name}.angle", unit="rad")
    made.trees("joints", ["first", "second"], ["first", "second"])
    model = made.experiment(stop=1.5, step=0.02).build()
    export = export_of(model, "joints")
    assert export.compilation.program.angles == ("third.angle", "fourth.angle")
    assert export.compilation.program.jumping == 0
    assert verify_fmu(model, export.path).problems == ()
    found = run(export, "third_angle", "fourth_angle", stop=1.5)
    for angle in (found["third_angle"], found["fourth_angle"]):
        assert abs(angle[0]) < np.pi
        np.testing.assert_allclose(angle - angle[0], 6.3 * found["time"], atol=1e-9)


# --- a double pendulum -------------------------------------------------------------------------------


def pendulum(attitude: str) -> SystemModel:
    made = builder("Pendulum", weight=9.81)
    made.body(
        "arm",
        mass=1,
        inertia=[0.02, 0.02, 0.01],
        attitude=attitude,
        points={"top": [0, 0, 0.2], "end": [0, 0, -0.2]},
    )
    made.body("bob", mass=0.5, inertia=[0.02, 0.02, 0.01], attitude=attitude, points={"top": [0, 0, 0.1]})
    made.revolute("pin", "ground", "arm.top", axis=[0, 1, 0])
    made.revolute("hinge", "arm.end", "bob.top", axis=[0, 1, 0])
    made.rotational_spring("spring", "arm", "bob", stiffness=0.05, damping=0.001, axis=[0, 1, 0])
    for quantity, value in (("pin.angle", 0.3), ("pin.omega", 1), ("hinge.angle", 0.2), ("hinge.omega", 25)):
        made.start(quantity, value)
    made.output("angle", "hinge.angle", unit="rad").output("rate", "hinge.omega", unit="rad/s")
    made.output("twice", "2*spring.angle", unit="rad").trees("joints", ["pin", "hinge"], ["pin", "hinge"])
    return absolute(made, "arm", "bob", stop=1.2)


@pytest.fixture(scope="module")
def pendulums() -> dict[str, Export]:
    model = pendulum("quaternion")
    return {trees: export_of(model, trees) for trees in ("absolute", "joints")}


def test_absolute_coordinates_give_the_same_turns_as_joint_coordinates(pendulums: dict[str, Export]) -> None:
    assert pendulums["absolute"].compilation.program.jumping == 1
    assert pendulums["joints"].compilation.program.angles == ()
    one, other = (run(export, "angle", "rate", "twice", stop=1.2) for export in pendulums.values())
    assert np.max(other["angle"]) > 2 * _TURN
    for name in ("angle", "rate", "twice"):
        np.testing.assert_allclose(one[name], other[name], atol=1e-6, err_msg=name)
    np.testing.assert_allclose(one["twice"], 2 * one["angle"], atol=1e-12)


def test_model_exchange_counts_the_same_turns(pendulums: dict[str, Export]) -> None:
    rows = fmpy.simulate_fmu(
        str(pendulums["absolute"].path),
        fmi_type="ModelExchange",
        stop_time=1.2,
        output_interval=0.02,
        relative_tolerance=1e-10,
        output=["angle"],
    )
    expected = run(pendulums["joints"], "angle", stop=1.2)
    last = np.searchsorted(rows["time"], expected["time"] + 1e-9) - 1  # events have rows of their own
    np.testing.assert_allclose(rows["angle"][last], expected["angle"], atol=1e-6)


def test_euler_angles_and_the_reference_agree_about_turns() -> None:
    model = pendulum("yxz")
    export = export_of(model, "absolute")
    verification = verify_fmu(model, export.path, stop=0.6)
    assert verification.problems == ()
    assert max(np.max(output.fmu) for output in verification.outputs if output.name == "angle") > _TURN


def test_a_restored_state_has_its_turns(pendulums: dict[str, Export], tmp_path: Path) -> None:
    export = pendulums["absolute"]
    description = export.compilation.description
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=str(fmpy.extract(str(export.path), unzipdir=str(tmp_path))),
        modelIdentifier=description.identifier,
        instanceName="it",
    )
    angle = next(v.value_reference for v in description.variables if v.name == "angle")

    def advance(begin: float, steps: int) -> list[float]:
        told = []
        for number in range(steps):
            slave.doStep(begin + 0.02 * number, 0.02)
            told += slave.getReal([angle])
        return told

    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    before = advance(0.0, 27)[-1]
    assert before > 1.5 * _TURN
    saved = slave.getFMUState()
    copy = slave.serializeFMUState(saved)
    after = advance(0.54, 20)
    assert np.max(after) > before + 1
    for state in (saved, slave.deSerializeFMUstate(copy)):
        slave.setFMUState(state)
        assert slave.getReal([angle]) == [before]
        assert advance(0.54, 20) == after
        slave.freeFMUState(state)
    slave.freeInstance()


def test_derivatives_of_an_angle_beyond_a_turn(pendulums: dict[str, Export], tmp_path: Path) -> None:
    with opened(pendulums["absolute"], tmp_path) as model:
        model.start(**{"start.hinge.angle": 7.0})
        assert model.value("angle") == pytest.approx(7.0, abs=1e-12)
        twice = model.reference("twice")
        for number, state in enumerate(model.description.continuous_states):
            x = model.states

            def shown(value: float, x: np.ndarray = x, number: int = number) -> np.ndarray:
                model.states = np.array([*x[:number], value, *x[number + 1 :]])
                return model.get([twice])

            expected = difference(shown, float(x[number]), 1e-4)
            np.testing.assert_allclose(
                model.along([twice], state.value_reference), expected, rtol=1e-7, atol=1e-8
            )


def test_the_modelica_model_integrates_what_the_angle_is_near(pendulums: dict[str, Export]) -> None:
    (text,) = (
        text
        for name, text in modelica_files(pendulums["absolute"].compilation, "it.fmu").items()
        if name.endswith(".mo")
    )
    assert "der(hinge_angle_near) = " in text
    assert "hinge_angle_near(start=0.2" in text
    assert "turns(" not in text


# --- other joints ------------------------------------------------------------------------------------


def test_a_screw_that_is_a_chord_turns_on() -> None:
    made = builder("Screw").body("nut", mass=2, inertia=[0.02, 0.02, 0.03])
    made.parameter("lead", 0.5, "m").screw("thread", "ground", "nut", lead="lead", axis=[0, 0, 1])
    made.torque("drive", "nut", [0, 0, 2]).start("thread.s", 0.6).start("thread.v", 0)
    made.output("angle", "thread.angle", unit="rad").output("s", "thread.s", unit="m")
    model = absolute(made, "nut", stop=1)
    export = export_of(model, "absolute")
    assert all(block.steps for block in export.compilation.program.flow.blocks), "no iteration"
    verification = verify_fmu(model, export.path)
    assert verification.problems == ()
    found = {output.name: output.fmu for output in verification.outputs}
    advance = 0.5 / _TURN
    expected = 0.6 / advance + verification.times**2 / (0.03 + 2 * advance**2)
    np.testing.assert_allclose(found["angle"], expected, rtol=1e-8)
    assert found["angle"][-1] - found["angle"][0] > 3 * _TURN


def test_a_cross_and_a_sleeve_that_are_chords_turn_on() -> None:
    made = builder("Spinning")
    made.body("part", mass=2, inertia=[0.02, 0.02, 0.03]).body("rod", mass=2, inertia=[0.02, 0.02, 0.03])
    made.universal("cross", "ground", "part", axis=[0, 0, 1], second_axis=[1, 0, 0])
    made.cylindrical("sleeve", "ground", "rod", axis=[0, 1, 1])
    starts = {"cross.angle1": 0.1, "cross.omega1": 6, "cross.angle2": 0.3, "cross.omega2": 5}
    starts |= {"sleeve.angle": 7, "sleeve.omega": -9, "sleeve.s": 0, "sleeve.v": 0.5}
    for quantity, value in starts.items():
        made.start(quantity, value)
    for name in ("cross.angle1", "cross.angle2", "sleeve.angle"):
        made.output(name.replace(".", "_"), name, unit="rad")
    model = absolute(made, "part", "rod", stop=1.6)
    export = export_of(model, "absolute")
    assert export.compilation.program.jumping == 3
    verification = verify_fmu(model, export.path)
    assert verification.problems == ()
    found = {output.name: output.fmu for output in verification.outputs}
    np.testing.assert_allclose(found["sleeve_angle"], 7 - 9 * verification.times, atol=1e-8)
    for angle in found.values():
        assert np.max(np.abs(np.diff(angle))) < 1, "no jump"
        assert np.ptp(angle) > np.pi


def test_a_driven_joint_that_is_a_chord_turns_on() -> None:
    made = builder("Driven").body("part", mass=2, inertia=[0.02, 0.02, 0.03])
    made.revolute("pin", "ground", "part", axis=[0, 1, 1])
    made.rotation_driver("motor", "part", "ground", "7 - 4*time", axis=[0, 1, 1])
    for name in ("pin.angle", "motor.angle"):
        made.output(name.replace(".", "_"), name, unit="rad")
    model = absolute(made, "part", stop=3)
    found = run(export_of(model, "absolute"), "pin_angle", "motor_angle", stop=3)
    np.testing.assert_allclose(found["motor_angle"], 7 - 4 * found["time"], atol=1e-12)
    np.testing.assert_allclose(found["pin_angle"], _TURN - 7 + 4 * found["time"], atol=1e-12)


def test_a_network_acts_on_a_joint_that_is_a_chord() -> None:
    made = builder("Coiled").body("part", mass=2, inertia=[0.02, 0.02, 0.03])
    made.revolute("pin", "ground", "part", axis=[0, 0, 1])
    made.component("rotational", "coil", "spring", {"from": "ground", "to": "joint:pin"}, stiffness=0.03)
    made.start("pin.angle", 0.5).start("pin.omega", 12).output("angle", "pin.angle", unit="rad")
    model = absolute(made, "part", stop=2)
    found = run(export_of(model, "absolute"), "angle", stop=2)
    expected = 0.5 * np.cos(found["time"]) + 12 * np.sin(found["time"])
    np.testing.assert_allclose(found["angle"], expected, atol=1e-8)


# --- long steps --------------------------------------------------------------------------------------


def test_many_turns_in_a_step_are_counted_or_refused() -> None:
    """A tilted part on a spinning axle: its angle about the axis of the axle is no sum of coordinates."""
    made = builder("Axle").parameter("torque", 200, "N.m")
    made.body("hub", mass=1, inertia=[0.1, 0.1, 0.1]).body("part", mass=1, inertia=[0.1, 0.1, 0.1])
    made.revolute("axle", "ground", "hub", axis=[0, 0, 1]).revolute("tilt", "hub", "part", axis=[1, 0, 0])
    made.rotation_driver("hold", "hub", "part", 0.3, axis=[1, 0, 0])
    made.torque("drive", "hub", [0, 0, "torque*sin(20*time)"])
    made.rotational_spring("watch", "ground", "part", axis=[0, 0, 1])
    made.start("axle.angle", 0.2).start("axle.omega", 100)
    made.output("angle", "watch.angle", unit="rad").output("turned", "axle.angle", unit="rad")
    export = export_of(made.experiment(stop=2, step=0.5).build())
    assert export.compilation.program.jumping == 1

    def end(**parameters: float) -> dict[str, np.ndarray]:
        values = {name.replace("__", "."): value for name, value in parameters.items()}
        return simulate_fmu(
            export.path, stop=2, step=0.5, outputs=["angle", "turned"], parameters=values
        ).values

    for values in (end(), end(torque=0), end(torque=0, solver__method=2)):
        assert values["turned"][-1] > 30 * _TURN
        np.testing.assert_allclose(values["angle"], values["turned"], atol=1e-9)
    with pytest.raises(SimulationError, match=r"watch\.angle turns too far in one step"):
        end(solver__method=2)


# --- events ------------------------------------------------------------------------------------------


def braked() -> SystemModel:
    """A part that spins at 5 rad/s from 0.5 rad on, and is braked by a spring beyond 7 rad."""
    made = builder("Braked").body("part", mass=2, inertia=[0.02, 0.02, 0.03])
    made.revolute("pin", "ground", "part", axis=[0, 0, 1])
    made.torque("brake", "part", [0, 0, "-0.3*step(pin.angle - 7)*(pin.angle - 7)"])
    made.start("pin.angle", 0.5).start("pin.omega", 5).output("angle", "pin.angle", unit="rad")
    return absolute(made, "part", stop=2)


def braked_angle(t: float) -> float:
    since, frequency = t - 1.3, math.sqrt(10)
    return 0.5 + 5 * t if since < 0 else 7 + 5 / frequency * math.sin(frequency * since)


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_event_at_an_angle_beyond_a_turn_comes_once(tmp_path: Path, fmi: int) -> None:
    export = exported(braked(), options(fmi, trees="absolute"))
    assert export.compilation.program.jumping == 1
    for kind, allowed in (("CoSimulation", 1e-7), ("ModelExchange", 1e-5)):
        rows = fmpy.simulate_fmu(
            str(export.path),
            fmi_type=kind,
            stop_time=2.0,
            output_interval=0.05,
            relative_tolerance=1e-9,
            output=["angle"],
        )
        np.testing.assert_allclose(rows["angle"], [braked_angle(t) for t in rows["time"]], atol=allowed)
    if fmi == 2:
        assert event_times(export, tmp_path) == [pytest.approx(1.3, abs=0.0021)]


def event_times(export: Export, folder: Path) -> list[float]:
    """When the angle meets its limit, integrated by the midpoint rule as an importer would."""
    found, h = [], 0.002
    with opened(export, folder) as model:
        model.start()
        values = (c_double * 2)()  # of the limit, and of the independent coordinates
        model.fmu.getEventIndicators(values, 2)
        signs = np.sign(values)
        for number in range(900):
            x, t = model.states, number * h
            middle = x + h / 2 * model.derivatives
            model.fmu.setTime(t + h / 2)
            model.states = middle
            slope = model.derivatives
            model.fmu.setTime(t + h)
            model.states = x + h * slope
            due, _ = model.fmu.completedIntegratorStep()
            model.fmu.getEventIndicators(values, 2)
            changed = np.sign(values) != signs
            if changed[0]:
                found.append(t + h)
            if due or changed.any():
                model.fmu.enterEventMode()
                model.update()
                model.fmu.enterContinuousTimeMode()
                model.fmu.getEventIndicators(values, 2)
            signs = np.sign(values)
    return found
