"""The reference for networks against solutions known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fmugen.errors import AssemblyError, VerificationError
from fmugen.ir.model import SystemModel
from fmugen.phases.read import parse_model
from fmugen.verify.moved import fed_inputs
from fmugen.verify.network.follow import NetworkReference, solve_network
from fmugen.verify.network.power import power_balance
from fmugen.verify.reference import hold_inputs, solve_reference
from tests.support import example

TIMES = np.linspace(0.0, 1.0, 11)


def model(*tables: str) -> SystemModel:
    """A model from shorthand: ``electrical.R1 resistor a b resistance=2`` is a component."""
    lines = ['[model]\nname = "Network"']
    for table in tables:
        if table.startswith("["):
            lines.append(table)
            continue
        name, kind, *rest = table.split(" ")
        lines.append(f'[{name}]\ntype = "{kind}"')
        terminals = iter(("from", "to"))
        for part in rest:
            field, _, value = part.partition("=") if "=" in part else (next(terminals), "", part)
            lines.append(f'{field} = "{value}"')
    return parse_model("\n".join(lines), "network")


def run(described: SystemModel, times: np.ndarray = TIMES, **signals: object) -> NetworkReference:
    return solve_network(described, times, hold_inputs(described, fed_inputs(described, signals, times)))  # type: ignore[arg-type]


def test_capacitor_charges_exponentially() -> None:
    found = run(
        model(
            "electrical.V voltage_source a ground voltage=5",
            "electrical.R resistor a b resistance=2",
            "electrical.C capacitor b ground capacitance=0.25",
            '[start.fixed]\n"C.v" = 1.0',
        )
    )
    np.testing.assert_allclose(found.quantities["C.v"], 5 - 4 * np.exp(-TIMES / 0.5), rtol=1e-10)
    np.testing.assert_allclose(found.quantities["V.i"], -2 * np.exp(-TIMES / 0.5), rtol=1e-9)


def test_capacitors_in_a_loop_share_their_charge() -> None:
    """Two capacitors beside a source in series: one constraint, and the current is that of the source."""
    found = run(
        model(
            "electrical.V voltage_source a ground voltage=sin(3*time)",
            "electrical.C1 capacitor a b capacitance=1",
            "electrical.C2 capacitor b ground capacitance=2",
        )
    )
    assert found.system.reduced.constraints.shape[1] == 1
    np.testing.assert_allclose(found.quantities["C1.v"], 2 / 3 * np.sin(3 * TIMES), atol=1e-10)
    np.testing.assert_allclose(found.quantities["C1.i"], 2 * np.cos(3 * TIMES), atol=1e-9)


def test_coils_at_a_node_divide_a_current() -> None:
    found = run(
        model(
            "electrical.I current_source ground a current=sin(2*time)",
            "electrical.L1 inductor a ground inductance=1",
            "electrical.L2 inductor a ground inductance=3",
        )
    )
    np.testing.assert_allclose(found.quantities["L1.i"], 0.75 * np.sin(2 * TIMES), atol=1e-10)
    np.testing.assert_allclose(found.quantities["L2.v"], 1.5 * np.cos(2 * TIMES), atol=1e-9)


def test_diode_and_switch_follow_their_laws() -> None:
    found = run(
        model(
            "[inputs]\non = { start = 1.0 }",
            "electrical.V voltage_source a ground voltage=1",
            "electrical.S switch a b control=on on_resistance=1 off_resistance=1e6",
            "electrical.D diode b ground saturation_current=1e-6 thermal_voltage=0.04 leakage=1e8",
        ),
        on=lambda time: float(time < 0.5),
    )
    voltage, current = found.quantities["D.v"], found.quantities["D.i"]
    np.testing.assert_allclose(current, 1e-6 * np.expm1(voltage / 0.04) + voltage / 1e8, rtol=1e-9)
    np.testing.assert_allclose(voltage + current * np.where(TIMES < 0.5, 1.0, 1e6), 1.0, rtol=1e-12)


def test_a_diode_is_linear_beyond_its_largest_exponent() -> None:
    found = run(
        model(
            "electrical.I current_source ground a current=1000",
            "electrical.D diode a ground saturation_current=1e-6 thermal_voltage=0.04 maximum_exponent=15",
        ),
        TIMES[:2],
    )
    top = 1e-6 * math.exp(15.0)
    assert found.quantities["D.v"][0] == pytest.approx(0.04 * (14 + (1000 + 1e-6) / top), rel=1e-6)


def test_op_amp_integrates() -> None:
    found = run(
        model(
            "electrical.V voltage_source in ground voltage=cos(time)",
            "electrical.R resistor in minus resistance=2",
            "electrical.C capacitor minus out capacitance=0.5",
            "electrical.A op_amp positive=ground negative=minus output=out",
        )
    )
    np.testing.assert_allclose(found.quantities["out.v"], -np.sin(TIMES), atol=1e-10)


def test_controlled_source_amplifies() -> None:
    found = run(
        model(
            "electrical.V voltage_source a ground voltage=3",
            "electrical.R1 resistor a b resistance=1",
            "electrical.R2 resistor b ground resistance=2",
            "electrical.E voltage_source c ground voltage=10*R2.v+R1.i^2",
            "electrical.R3 resistor c ground resistance=1",
        ),
        TIMES[:2],
    )
    assert found.quantities["R3.v"][0] == pytest.approx(21.0)


def test_a_pipe_carries_both_ways_alike() -> None:
    described = model(
        "[inputs]\nflow = { start = 0.5 }",
        "hydraulic.Q pump to=a flow=flow",
        "hydraulic.P resistance a ground resistance=3 exponent=1.85 smoothing=1e-6",
    )
    forth, back, still = (
        run(described, TIMES[:2], flow=lambda time, q=q: q).quantities["P.p"][0] for q in (0.5, -0.5, 0.0)
    )
    assert forth == -back == pytest.approx(3 * 0.5**1.85, rel=1e-10)
    assert still == 0.0


def test_coupled_inertias_turn_as_one() -> None:
    """A gear, a rack and their masses: one degree of freedom, with the inertia that Lagrange gives."""
    described = model(
        "rotational.drive torque to=motor torque=2",
        "rotational.J1 inertia to=motor inertia=0.1",
        "rotational.G gear from=motor to=pinion ratio=4",
        "rotational.J2 inertia to=pinion inertia=0.5",
        "couplers.K rack shaft=pinion rod=rod radius=0.3",
        "translational.M mass to=rod mass=7",
        '[outputs]\na = "M.a"',
    )
    found = run(described)
    acceleration = 2 * 4 / (0.1 * 16 + 0.5 + 7 * 0.09)
    np.testing.assert_allclose(found.quantities["J2.phi"], 0.5 * acceleration * TIMES**2, atol=1e-11)
    np.testing.assert_allclose(found.quantities["M.s"], 0.15 * acceleration * TIMES**2, atol=1e-11)
    np.testing.assert_allclose(found.outputs["a"], 0.3 * acceleration, rtol=1e-10)
    assert found.quantities["K.f"][-1] == pytest.approx(7 * 0.3 * acceleration)


def test_a_moved_wall_drives_a_mass() -> None:
    """A mass on a prescribed position: the source exerts what the mass asks for."""
    found = run(
        model(
            "translational.wall position_source to=w position=sin(2*time)",
            "translational.M mass to=w mass=3",
        )
    )
    np.testing.assert_allclose(found.quantities["M.v"], 2 * np.cos(2 * TIMES), atol=1e-10)
    np.testing.assert_allclose(found.quantities["wall.f"], -12 * np.sin(2 * TIMES), atol=1e-9)


def test_motor_and_cylinder_exchange_power() -> None:
    found = run(
        model(
            "electrical.V voltage_source a ground voltage=12",
            "couplers.M dc_motor plus=a minus=ground shaft=s constant=0.5 resistance=2 inductance=0.1",
            "rotational.J inertia to=s inertia=0.2",
            "hydraulic.P pump to=h flow=1e-3",
            "hydraulic.T reservoir h ground capacitance=1e-9",
            "couplers.Z cylinder head=h to=x area=0.01",
            "translational.W mass to=x mass=10",
            "translational.D damper ground x damping=50",
        )
    )
    told = found.quantities
    copper = 2 * told["M.i"] ** 2
    storing = told["M.v"] - 2 * told["M.i"] - 0.5 * told["M.w"]
    np.testing.assert_allclose(
        told["M.v"] * told["M.i"], copper + storing * told["M.i"] + told["M.tau"] * told["M.w"], rtol=1e-12
    )
    np.testing.assert_allclose(told["Z.p1"] * told["Z.q1"], told["Z.f"] * told["Z.v"], rtol=1e-12)
    balance = power_balance(found.system.tableau.edges, TIMES, told, {})
    assert set(balance.imbalance) == {"electrical", "hydraulic", "translational", "rotational"}
    assert balance.largest < 1e-12


def test_values_that_belong_to_no_network_are_out_of_balance() -> None:
    found = run(example("transformer"), np.linspace(0.0, 0.02, 5))
    told = found.quantities | {"load.i": 1.001 * found.quantities["load.i"]}
    assert power_balance(found.system.tableau.edges, found.times, told, {}).largest > 1e-6


def test_a_force_may_depend_on_an_acceleration() -> None:
    """What is proportional to the acceleration counts as mass."""
    found = run(
        model(
            "translational.M mass to=a mass=1",
            "translational.F force to=a force=1-0.25*M.a",
            '[outputs]\na = "M.a"',
        )
    )
    np.testing.assert_allclose(found.outputs["a"], 0.8, rtol=1e-12)
    other = model("translational.M mass to=a mass=1", "translational.F force to=a force=1-0.25*F.a")
    with pytest.raises(VerificationError, match="accelerations of masses only"):
        run(other)


# --- starts ----------------------------------------------------------------------------------------------

RESONATOR = (
    "electrical.V voltage_source a ground voltage=6",
    "electrical.R1 resistor a b resistance=1",
    "electrical.L inductor b c inductance=0.1",
    "electrical.C capacitor c ground capacitance=0.1",
    "electrical.R2 resistor c ground resistance=2",
)


def test_a_steady_start_stays() -> None:
    found = run(model(*RESONATOR, "[start]\nsteady = true"))
    np.testing.assert_allclose(found.quantities["C.v"], 4.0, rtol=1e-10)
    np.testing.assert_allclose(found.quantities["L.i"], 2.0, rtol=1e-10)


def test_a_start_value_may_be_that_of_another_variable() -> None:
    found = run(model(*RESONATOR, '[start.fixed]\n"R2.i" = 1.5\n"R1.v" = 1.0'))
    assert found.quantities["C.v"][0] == pytest.approx(3.0)
    assert found.quantities["L.i"][0] == pytest.approx(1.0)


def test_contradicting_start_values_are_told() -> None:
    described = model(*RESONATOR, '[start.fixed]\n"C.v" = 3.0\n"R2.i" = 1.0')
    with pytest.raises(AssemblyError, match="contradict"):
        run(described)


def test_a_network_without_a_unique_solution_is_told() -> None:
    described = model(
        "electrical.V1 voltage_source a ground voltage=1",
        "electrical.V2 voltage_source a ground voltage=1",
        "electrical.R resistor a ground resistance=1",
    )
    with pytest.raises(VerificationError, match="no unique solution"):
        run(described)


def test_a_stiff_network_is_followed() -> None:
    found = run(
        model(
            "electrical.V voltage_source a ground voltage=sin(time)",
            "electrical.R1 resistor a b resistance=1",
            "electrical.C1 capacitor b ground capacitance=1e-7",
            "electrical.R2 resistor b c resistance=1",
            "electrical.C2 capacitor c ground capacitance=1",
        )
    )
    exact = (np.sin(TIMES) - 2 * np.cos(TIMES) + 2 * np.exp(-TIMES / 2)) / 5
    np.testing.assert_allclose(found.quantities["C2.v"], exact, atol=1e-6)


# --- networks on joints ----------------------------------------------------------------------------------

PENDULUM = """\
[bodies.bob]
mass = 2.0
inertia = 0.1
points = { top = [0, 0.5] }
[joints.pin]
type = "revolute"
from = "ground"
to = "bob.top"
"""


def test_a_flywheel_on_a_joint_adds_to_the_inertia() -> None:
    """Through a gear of ratio 3, without gravity: what a constant torque on the joint accelerates."""
    described = model(
        "rotational.G gear from=wheel to=joint:pin ratio=3",
        "rotational.J inertia to=wheel inertia=0.05",
        "rotational.drive torque to=joint:pin torque=1.2",
        PENDULUM,
    )
    reference = solve_reference(described, TIMES)
    acceleration = 1.2 / (0.1 + 2 * 0.25 + 9 * 0.05)
    np.testing.assert_allclose(reference.quantity("pin.angle"), 0.5 * acceleration * TIMES**2, atol=1e-10)
    np.testing.assert_allclose(reference.quantity("J.phi"), 1.5 * acceleration * TIMES**2, atol=1e-10)
    np.testing.assert_allclose(reference.quantity("J.alpha"), 3 * acceleration, rtol=1e-9)
    assert reference.energy.largest < 1e-9


def test_a_spring_on_a_joint_swings_it() -> None:
    described = model("rotational.K spring ground joint:pin stiffness=5.4", PENDULUM)
    reference = solve_reference(described, TIMES, initial={"pin.angle": 0.2, "pin.omega": 0.0})
    np.testing.assert_allclose(reference.quantity("pin.angle"), 0.2 * np.cos(3 * TIMES), atol=1e-9)


def test_a_motor_may_be_controlled_by_the_mechanism() -> None:
    """A voltage that is proportional to an angle makes a motor a spring; its resistance damps."""
    described = model(
        "electrical.V voltage_source a ground voltage=-10.8*pin.angle",
        "couplers.M dc_motor plus=a minus=ground shaft=joint:pin constant=0.5 resistance=1",
        PENDULUM,
    )
    reference = solve_reference(described, TIMES, initial={"pin.angle": 0.2, "pin.omega": 0.0})
    inertia, stiffness, damping = 0.6, 5.4, 0.25
    decay = damping / (2 * inertia)
    pace = math.sqrt(stiffness / inertia - decay**2)
    swing = 0.2 * np.exp(-decay * TIMES) * (np.cos(pace * TIMES) + decay / pace * np.sin(pace * TIMES))
    np.testing.assert_allclose(reference.quantity("pin.angle"), swing, atol=1e-9)


def test_a_driven_joint_turns_a_generator() -> None:
    """Drivers determine the motion; the current of the generator is still a state."""
    described = model(
        "couplers.M dc_motor plus=a minus=ground shaft=joint:pin constant=0.5 resistance=1 inductance=0.2",
        "electrical.R resistor a ground resistance=3",
        PENDULUM,
        '[drivers.crank]\ntype = "rotation"\nfrom = "ground"\nto = "bob"\nvalue = "2*time"',
    )
    reference = solve_reference(described, TIMES)
    charged = 0.5 * 2 / 4 * (1 - np.exp(-TIMES * 4 / 0.2))
    np.testing.assert_allclose(reference.quantity("R.i"), charged, atol=1e-9)
    np.testing.assert_allclose(reference.quantity("crank.torque"), 0.5 * charged, atol=1e-9)


def test_a_load_may_depend_on_a_network() -> None:
    described = model(
        "electrical.V voltage_source a ground voltage=6",
        "electrical.R resistor a ground resistance=2",
        PENDULUM,
        '[forces.push]\ntype = "torque"\non = "bob"\nvalue = "0.2*R.i"',
    )
    reference = solve_reference(described, TIMES)
    np.testing.assert_allclose(reference.quantity("pin.angle"), 0.5 * TIMES**2, atol=1e-10)
