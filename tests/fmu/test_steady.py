"""A steady start is a static equilibrium, of a mechanism alone or with the network that acts on it."""

from __future__ import annotations

import math
from pathlib import Path

import fmpy
import numpy as np
import pytest
from numpy.typing import NDArray

from fmugen.builder import ModelBuilder
from fmugen.cosim.split import split_model
from fmugen.errors import AssemblyError, ModelError, SimulationError
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.split import Members, Partition
from fmugen.verify.compare import verify_fmu
from fmugen.verify.simulate import simulate_fmu
from tests.fmu.exchange import opened, options
from tests.store import exported


def hanging() -> ModelBuilder:
    """A mass on a vertical spring."""
    return (
        ModelBuilder("Hanging", gravity=(0, "-g"))
        .parameter("g", 9.81)
        .parameter("k", 100.0)
        .body("m", mass=2, inertia=0.1)
        .ground_point("top", 0, 1)
        .prismatic("slide", "ground", "m", axis=(0, 1))
        .spring("s", "ground.top", "m", stiffness="k", free=0.5)
        .output("y", "m.y")
        .experiment(stop=0.1)
        .steady()
    )


def pendulum() -> ModelBuilder:
    """A pendulum on a torsion spring: k (free - angle) = m g l sin(angle)."""
    return (
        ModelBuilder("Pendulum", gravity=(0, "-g"))
        .parameter("g", 9.81)
        .parameter("k", 6.0)
        .body("rod", mass=2, inertia=0.1, points={"a": (0, 0.5)})
        .revolute("pin", "ground", "rod.a")
        .rotational_spring("s", "ground", "rod", stiffness="k", free=1.0)
        .output("angle", "pin.angle")
        .experiment(stop=0.1)
        .steady()
    )


def slider_crank() -> ModelBuilder:
    return (
        ModelBuilder("Crank", gravity=(0, "-g"))
        .parameter("g", 9.81)
        .parameter("k", 300.0)
        .body("crank", mass=2, inertia=0.1, points={"a": (-0.1, 0), "b": (0.1, 0)})
        .body("rod", mass=1, inertia=0.1, points={"a": (-0.25, 0), "b": (0.25, 0)})
        .body("slider", mass=1, inertia=0.1)
        .ground_point("wall", 1, 0)
        .revolute("pin", "ground", "crank.a")
        .revolute("knee", "crank.b", "rod.a")
        .revolute("wrist", "rod.b", "slider")
        .prismatic("slide", "ground", "slider")
        .spring("s", "slider", "ground.wall", stiffness="k", free=0.4)
        .output("angle", "pin.angle")
        .output("a", "slide.a")
        .start("pin.angle", 0.8, fixed=False)
        .experiment(stop=0.1)
        .steady()
    )


def suspension() -> ModelBuilder:
    """A wheel carrier on two arms, held by a spring: a four-bar."""
    return (
        ModelBuilder("Suspension", gravity=(0, -9.81))
        .parameter("k", 20000.0)
        .ground_point("low", 0, 0)
        .ground_point("high", 0.05, 0.25)
        .ground_point("mount", 0.1, 0.5)
        .body("lower", mass=3, inertia=0.05, points={"a": (-0.2, 0), "b": (0.2, 0)})
        .body("upper", mass=2, inertia=0.03, points={"a": (-0.15, 0), "b": (0.15, 0)})
        .body("carrier", mass=20, inertia=0.3, points={"a": (0, -0.13), "b": (0, 0.13)})
        .revolute("p1", "ground.low", "lower.a")
        .revolute("p2", "ground.high", "upper.a")
        .revolute("p3", "lower.b", "carrier.a")
        .revolute("p4", "upper.b", "carrier.b")
        .spring("s", "lower", "ground.mount", stiffness="k", free=0.5)
        .output("angle", "p1.angle")
        .experiment(stop=0.1)
        .steady()
    )


def ball_pendulum() -> ModelBuilder:
    """A body on a ball that a spring pulls aside, its attitude a quaternion."""
    return (
        ModelBuilder("Ball", space="spatial", gravity=(0, 0, -9.81))
        .parameter("k", 40.0)
        .ground_point("post", 0.5, 0.3, -0.4)
        .body("bob", mass=2, inertia=(0.1, 0.1, 0.05), center=(0, 0, -0.5), points={"tip": (0.02, 0, -0.6)})
        .spherical("ball", "ground", "bob")
        .spring("s", "ground.post", "bob.tip", stiffness="k", damping=1, free=0.1)
        .rotational_spring("t", "ground", "bob", stiffness=0.5)
        .output("x", "bob.tip.x")
        .output("y", "bob.tip.y")
        .experiment(stop=0.1)
        .steady()
    )


def motor(voltage: str = "voltage") -> ModelBuilder:
    """A motor that holds a pendulum: m g l sin(angle) = ratio * constant * voltage / resistance."""
    builder = (
        ModelBuilder("MotorPendulum", gravity=(0, -9.81))
        .input("voltage", 0.5, "V")
        .body("bob", mass=0.5, inertia=0.002, points={"top": (0, 0.3)})
        .revolute("pin", "ground", "bob.top")
        .output("angle", "pin.angle")
        .output("current", "motor.i")
        .experiment(stop=0.1)
        .steady()
    )
    builder.component(
        "electrical", "supply", "voltage_source", {"from": "a", "to": "ground"}, voltage=voltage
    )
    terminals = {"plus": "a", "minus": "ground", "shaft": "rotor"}
    values = {"constant": 0.05, "resistance": 0.8, "inductance": 0.002}
    builder.component("couplers", "motor", "dc_motor", terminals, **values)
    return builder.component("rotational", "gear", "gear", {"from": "rotor", "to": "joint:pin"}, ratio=20)


MODELS = [hanging, pendulum, slider_crank, suspension, ball_pendulum, motor]


@pytest.mark.parametrize("build", MODELS, ids=lambda build: build.__name__)
def test_it_rests_where_the_reference_rests(build: object, tmp_path: Path) -> None:
    model: SystemModel = build().build()  # type: ignore[operator]
    export = exported(model, options(trees="aac"))
    assert verify_fmu(model, export.path).problems == ()
    rows = fmpy.simulate_fmu(str(export.path), stop_time=0.1, output_interval=0.05)
    for output in model.outputs:
        assert np.ptp(rows[output.name]) < 1e-9, output.name
    with opened(export, tmp_path) as exchanged:
        exchanged.start()
        assert np.abs(exchanged.derivatives).max() < 1e-7
        name = model.outputs[0].name
        assert exchanged.value(name) == pytest.approx(rows[name][0], abs=1e-12)


def first(path: Path, kind: str = "CoSimulation", **start: float) -> NDArray[np.void]:
    rows = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=0.02, output_interval=0.01, start_values=start
    )
    row: NDArray[np.void] = rows[0]
    return row


@pytest.mark.parametrize("fmi", [2, 3])
def test_other_parameters_have_another_equilibrium(fmi: int) -> None:
    path = exported(hanging().build(), options(fmi, trees="aac")).path
    for kind in ("CoSimulation", "ModelExchange"):
        for k, g in ((100.0, 9.81), (50.0, 9.81), (400.0, 1.62)):
            expected = 0.5 - 2 * g / k
            assert first(path, kind, k=k, g=g)["y"] == pytest.approx(expected, abs=1e-12)


def test_loops_stay_closed_on_the_way_to_another_equilibrium() -> None:
    model = slider_crank().build()
    path = exported(model, options(trees="aac")).path
    for parameters in ({"k": 150.0}, {"g": 3.0}):
        assert verify_fmu(model, path, parameters=parameters).problems == ()


@pytest.mark.parametrize("closure", [Closure.NEWTON_ALL, Closure.PROJECTION, Closure.AUGMENTED])
def test_other_closures_find_it_as_well(closure: Closure) -> None:
    exact = exported(slider_crank().build(), options(trees="aac")).path
    other = exported(slider_crank().build(), options(trees="aac", closure=closure)).path
    assert first(other)["angle"] == pytest.approx(first(exact)["angle"], abs=1e-9)


def test_the_inputs_of_the_start_decide() -> None:
    path = exported(motor().build(), options(trees="aac")).path
    for voltage in (0.5, -0.8, 1.0):
        expected = math.asin(20 * 0.05 * voltage / 0.8 / (0.5 * 9.81 * 0.3))
        row = first(path, voltage=voltage)
        assert row["angle"] == pytest.approx(expected, abs=1e-10)
        assert row["current"] == pytest.approx(voltage / 0.8, abs=1e-10)


def test_a_switch_may_turn_on_the_way() -> None:
    """A mass above a buffer rests on it."""
    model = (
        ModelBuilder("Buffer", gravity=(0, -9.81))
        .body("m", mass=2, inertia=0.1)
        .prismatic("slide", "ground", "m", axis=(0, 1))
        .force("buffer", "m", (0, "5000*max(0, -slide.s) - 20*slide.v"))
        .output("y", "m.y")
        .start("m.y", 0.3, fixed=False)
        .experiment(stop=0.1)
        .steady()
        .build()
    )
    path = exported(model, options(trees="aac")).path
    assert first(path)["y"] == pytest.approx(-2 * 9.81 / 5000, abs=1e-12)
    assert verify_fmu(model, path).problems == ()


def test_switches_fit_the_states_of_the_network() -> None:
    model = motor("if(motor.i - 0.2, 0.5, 1.0)").build()
    path = exported(model, options(trees="aac")).path
    assert first(path)["current"] == pytest.approx(0.625, abs=1e-10)
    assert "motor.i changes with" in refusal(motor("if(motor.i - 0.9, 0.5, 1.0)"))


def filtered(voltage: str) -> ModelBuilder:
    builder = ModelBuilder("Filter").output("v", "C.v").experiment(stop=0.1).steady()
    ends = {"from": "a", "to": "ground"}
    builder.component("electrical", "supply", "voltage_source", ends, voltage=voltage)
    builder.component("electrical", "R", "resistor", {"from": "a", "to": "b"}, resistance=10)
    return builder.component("electrical", "C", "capacitor", {"from": "b", "to": "ground"}, capacitance=1e-3)


def test_a_network_alone_starts_with_switches_that_fit_or_not_at_all() -> None:
    path = exported(filtered("if(C.v - 1, 3, 2)").build(), options()).path
    assert first(path)["v"] == pytest.approx(3.0, abs=1e-10)
    assert "goes to and fro" in refusal(filtered("if(C.v - 2.5, 1, 3)"))


def test_the_start_depends_on_all_that_moves_the_equilibrium() -> None:
    """InitialUnknowns says so, and no derivatives of the start are promised."""
    export = exported(motor().build(), options(trees="aac"))
    description = fmpy.read_model_description(str(export.path))
    (angle,) = [u for u in description.initialUnknowns if u.variable.name == "angle"]
    assert "voltage" in {variable.name for variable in angle.dependencies}


def test_parts_of_a_steady_system_are_refused() -> None:
    parts = tuple(Members(name, (name,)) for name in ("crank", "rod", "slider"))
    with pytest.raises(ModelError, match="steady start"):
        split_model(slider_crank().build(), Partition(parts))


def refusal(builder: ModelBuilder, **parameters: float) -> str:
    path = exported(builder.build(), options(trees="aac")).path
    with pytest.raises(SimulationError, match="after t = 0 s") as refused:
        simulate_fmu(path, stop=0.1, step=0.1, outputs=[], parameters=parameters)
    return str(refused.value)


def test_a_falling_mass_has_no_equilibrium() -> None:
    text = refusal(hanging(), k=0.0)
    assert "cannot be steady: no equilibrium is found" in text
    assert "slide.s accelerates with -9.81" in text


def test_a_fixed_value_out_of_equilibrium_is_named() -> None:
    text = refusal(pendulum().start("pin.angle", 0.5))
    assert "rod.angle accelerates with" in text
    assert "fixed start values or drivers hold it" in text


def test_a_fixed_value_in_equilibrium_is_kept() -> None:
    builder = pendulum().start("pin.angle", 1.0)
    path = exported(builder.build(), options(trees="aac")).path
    assert first(path, g=0.0)["angle"] == pytest.approx(1.0, abs=1e-12)


def driven(value: str) -> ModelBuilder:
    return (
        pendulum()
        .parameter("speed", 0.0)
        .body("cart", mass=1, inertia=1)
        .prismatic("rail", "ground", "cart")
        .translation_driver("drive", "ground", "cart", value, axis=(1, 0))
    )


def test_what_moves_at_the_start_is_refused() -> None:
    with pytest.raises(AssemblyError, match=r"rate of driver drive is 0\.1"):
        exported(driven("0.1*time").build(), options(trees="aac"))
    with pytest.raises(AssemblyError, match=r"acceleration of driver drive is 0\.2"):
        exported(driven("0.1*time^2").build(), options(trees="aac"))
    with pytest.raises(AssemblyError, match=r"pin\.omega is 0\.5"):
        exported(pendulum().start("pin.omega", 0.5).build(), options(trees="aac"))
    assert "cannot be steady: something moves" in refusal(driven("speed*time"), speed=1.0)
