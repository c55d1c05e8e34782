"""Outputs that are derivatives by inputs, or formulas without inputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

from fmugen.builder import ModelBuilder
from fmugen.errors import ModelError
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.pipeline import Compilation
from fmugen.verify.compare import verify_fmu
from tests.fmu.exchange import Array, Model, difference, opened, options
from tests.fmu.parts import leg
from tests.fmu.test_fmi_derivatives import worst_column
from tests.store import exported

FORCES = ("fx", "fy")
INERTIA = ("mxx", "mxy", "myx", "myy")


def references(model: Model, names: tuple[str, ...]) -> list[int]:
    return [model.reference(name) for name in names]


def disturb(model: Model) -> None:
    """Somewhere on the way, moving."""
    given = {"px": 0.85, "py": 0.42, "vx": 0.3, "vy": -0.2, "ax": 2.0, "ay": -3.0, "knee_torque": 0.7}
    model.set(references(model, tuple(given)), list(given.values()))
    model.states = np.array([0.5, -0.8])


@pytest.mark.parametrize("fmi", [2, 3])
def test_they_are_directional_derivatives_and_differences(fmi: int, tmp_path: Path) -> None:
    export = exported(leg(), options(fmi))
    with opened(export, tmp_path) as model:
        model.start()
        disturb(model)
        forces = references(model, FORCES)
        columns = [model.along(forces, model.reference(name)) for name in ("ax", "ay")]
        found = model.get(references(model, INERTIA)).reshape(2, 2)
        np.testing.assert_allclose(found, columns, rtol=1e-12)
        assert abs(found[0, 1] - found[1, 0]) < 1e-12 * abs(found[0, 0])  # an inertia, as the leg feels it
        assert np.linalg.det(found) > 0.1

        def at(x: float) -> Array:
            model.set([model.reference("ax")], [x])
            return model.get(forces)

        np.testing.assert_allclose(found[0], difference(at, 2.0, 0.5), rtol=1e-9)
        without = model.get(references(model, ("bx", "by")))
        model.set(references(model, ("ax", "ay")), [0.0, 0.0])
        np.testing.assert_allclose(without, model.get(forces), rtol=1e-10)


@pytest.mark.parametrize(
    "closure",
    [
        Closure.TRIANGULAR,
        Closure.BAUMGARTE,
        pytest.param(Closure.NEWTON_ALL, marks=pytest.mark.slow),
        pytest.param(Closure.PROJECTION, marks=pytest.mark.slow),
    ],
)
def test_their_own_derivatives_are_right(closure: Closure, tmp_path: Path) -> None:
    export = exported(leg(), options(closure=closure))
    with opened(export, tmp_path) as model:
        assert worst_column(model.start(), 1e-10) <= 1.0


def test_at_the_start_too(tmp_path: Path) -> None:
    export = exported(leg(), options())
    with opened(export, tmp_path) as model:
        model.initialize()
        wanted = references(model, ("mxx", "bx"))
        for name in ("px", "vx", "start.swing.angle"):
            r = model.reference(name)

            def value(x: float, r: int = r) -> Array:
                model.set([r], [x])
                return model.get(wanted)

            expected = difference(value, float(model.get([r])[0]), 1e-3)
            np.testing.assert_allclose(model.along(wanted, r), expected, rtol=1e-6, atol=1e-6)


def test_co_simulation_offers_them(tmp_path: Path) -> None:
    export = exported(leg(), options())
    description = export.compilation.description
    unzipped = fmpy.extract(str(export.path), unzipdir=str(tmp_path / "cs"))
    slave = FMU2Slave(
        guid=description.guid, unzipDirectory=unzipped, modelIdentifier="Leg", instanceName="leg"
    )
    named = {variable.name: variable.value_reference for variable in description.variables}
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    slave.setReal([named["ax"], named["ay"]], [1.0, 0.5])
    slave.doStep(0.0, 0.1)
    fx, bx, mxx, myx, clock = slave.getReal([named[n] for n in ("fx", "bx", "mxx", "myx", "clock")])
    assert fx == pytest.approx(bx + mxx * 1.0 + myx * 0.5, rel=1e-10)
    assert clock == pytest.approx(0.1)
    state = slave.getFMUstate()
    slave.doStep(0.1, 0.1)
    after = slave.getReal([named["bx"]])
    slave.setFMUstate(state)
    assert slave.getReal([named["bx"]]) == [bx]
    slave.doStep(0.1, 0.1)
    assert slave.getReal([named["bx"]]) == after
    slave.terminate()
    slave.freeInstance()


def test_no_loop_is_declared_where_there_is_none() -> None:
    generated = Compilation(leg(), options())
    variables = generated.description.variables
    knowns = {
        variables[output.unknown].name: {variables[known].name for known in output.knowns}
        for output in generated.description.structure.outputs
    }
    accelerations = {"ax", "ay"}
    assert accelerations <= knowns["fx"]
    for name in ("bx", "by", *INERTIA):
        assert not accelerations & knowns[name]
        assert {"px", "py"} <= knowns[name]
    assert {"vx", "knee_torque"} <= knowns["bx"]
    assert not {"vx", "knee_torque"} & knowns["mxx"]
    assert not knowns["clock"]


def arm() -> SystemModel:
    """A double pendulum with a motor: reactions and accelerations by its torque."""
    return (
        ModelBuilder("Arm", gravity=(0, -9.81))
        .input("motor", 1.5, "N.m")
        .body("upper", mass=1, inertia=0.02, points={"a": [-0.2, 0], "b": [0.2, 0]})
        .body("lower", mass=0.7, inertia=0.01, points={"b": [-0.2, 0]})
        .revolute("shoulder", "ground", "upper.a")
        .revolute("elbow", "upper.b", "lower.b")
        .torque("drive", "lower", "motor", tail="upper")
        .start("shoulder.angle", 0.3)
        .start("shoulder.omega", 0)
        .start("elbow.angle", 0.5)
        .start("elbow.omega", 1)
        .output("mobility", "elbow.alpha", by="motor")
        .output("free", "elbow.alpha", without=["motor"])
        .output("squared", "elbow.alpha^2", "rad2/s4", by="motor")
        .experiment(stop=0.5, step=0.05, tolerance=1e-10)
        .build()
    )


def test_the_reference_agrees() -> None:
    model = arm()
    assert [output.unit for output in model.outputs][:2] == ["rad/(s2.N.m)", "rad/s2"]
    export = exported(model, options())
    verification = verify_fmu(model, export.path)
    assert verification.problems == ()
    assert {signal.name for signal in verification.outputs} == {"mobility", "free", "squared"}


def test_a_formula_that_is_not_affine_has_no_value_without() -> None:
    model = arm()
    outputs = tuple(replace(o, by="", without=("motor",)) for o in model.outputs if o.name == "squared")
    with pytest.raises(ModelError, match=r"outputs.squared.without: 'elbow.alpha\^2' is not affine in motor"):
        assert Compilation(replace(model, outputs=outputs), options()).sources


def test_a_wrong_input_is_named() -> None:
    builder = ModelBuilder("Wrong").body("a", mass=1, inertia=1).input("force_x")
    builder.output("o", "a.ax", by="force").output("p", "a.ax", by="force_x", without=["force_x", "force_x"])
    builder.output("q", "a.ax", "kg", by="force_x")
    with pytest.raises(ModelError) as raised:
        builder.build()
    text = str(raised.value)
    assert "outputs.o.by: there is no input 'force' (did you mean 'force_x'?)" in text
    assert "outputs.p.without: names an input twice" in text
    assert "outputs.p.without: the output has 'by' as well" in text
    assert "outputs.q.unit: the derivative of 'a.ax' by 'force_x' is in 'm/s2', not 'kg'" in text
