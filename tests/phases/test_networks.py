"""Networks: states, index reduction, elimination, iterated unknowns, loads on joints, sentences."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from fmugen.errors import NetworkError
from fmugen.expr.code import compile_python
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae
from fmugen.ir.model import default_parameters
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import model_from_tables
from fmugen.pipeline import Compilation

Parts = dict[str, dict[str, object]]


def part(kind: str, tail: str, head: str, **values: object) -> dict[str, object]:
    return {"type": kind, "from": tail, "to": head, **values}


def formulated(sections: dict[str, Parts], **more: object) -> Dae:
    tables = {"model": {"name": "M"}, "inputs": {"u": {"start": 1.0}}, **sections, **more}
    return Compilation(model_from_tables(tables, "test"), ExportOptions("cheapest")).formulated


def electrical(**parts: dict[str, object]) -> Dae:
    return formulated({"electrical": parts})


def evaluated(dae: Dae, *values: Expr) -> Callable[..., list[float]]:
    """A function of states and inputs; models here have no parameters."""
    arguments = {"x": [state.symbol for state in dae.states], "u": list(dae.symbols.inputs.values())}
    return compile_python(values, {**arguments, "t": [dae.symbols.time]})


def states(dae: Dae) -> list[str]:
    return [state.name for state in dae.states]


SOURCE = part("voltage_source", "a", "ground", voltage="u")


# --- states --------------------------------------------------------------------------------------


def test_a_capacitor_loop_has_one_state_less_than_capacitors() -> None:
    dae = electrical(
        v=SOURCE,
        r=part("resistor", "a", "b", resistance=1),
        c1=part("capacitor", "b", "ground", capacitance=1),
        c2=part("capacitor", "b", "c", capacitance=2),
        c3=part("capacitor", "c", "ground", capacitance=3),
    )
    assert states(dae) == ["c1.v", "c2.v"]
    rates = evaluated(dae, *(state.derivative for state in dae.states))([0.3, 0.2], [1.0], [0.0])
    whole = 1 + 1 / (1 / 2 + 1 / 3)
    assert rates == pytest.approx([0.7 / whole, 0.7 / whole * 3 / 5])


def test_an_inductor_cutset_behind_a_ring_of_resistors_is_reduced() -> None:
    """Vertex by vertex no equation contains inductors only: the cutset of the branch shows it."""
    ring = {f"r{i}{j}": part("resistor", f"n{i}", f"n{j}", resistance=1) for i, j in ("12", "23", "31")}
    coils = {f"l{i}": part("inductor", f"n{i}", "ground", inductance=1) for i in "123"}
    dae = electrical(**ring, **coils)
    assert len(states(dae)) == 2


def test_a_capacitor_at_a_source_of_time_is_no_state() -> None:
    dae = electrical(
        v=part("voltage_source", "a", "ground", voltage="sin(2*time)"),
        c=part("capacitor", "a", "ground", capacitance=0.5),
    )
    assert states(dae) == []
    assert evaluated(dae, dae.quantities["c.i"])([], [0.0], [0.25]) == pytest.approx([math.cos(0.5)])


def test_a_capacitor_at_an_input_takes_the_rate_of_the_input() -> None:
    source = part("voltage_source", "a", "ground", voltage="level")
    storage = part("capacitor", "a", "ground", capacitance=3)
    inputs = {"level": {"unit": "V", "rate": "slope"}, "slope": {"unit": "V/s"}}
    dae = formulated({"electrical": {"v": source, "c": storage}}, inputs=inputs)
    assert states(dae) == []
    assert evaluated(dae, dae.quantities["c.i"])([], [5.0, 2.0], [0.0]) == [6.0]


def test_rigidly_coupled_inertias_are_one() -> None:
    dae = formulated(
        {
            "rotational": {
                "drive": {"type": "torque", "to": "a", "torque": "u"},
                "j1": {"type": "inertia", "to": "a", "inertia": 2},
                "gear": part("gear", "a", "b", ratio=5),
                "j2": {"type": "inertia", "to": "b", "inertia": 100},
            }
        }
    )
    assert states(dae) == ["j1.phi", "j1.w"]
    speedup = evaluated(dae, dae.states[1].derivative, dae.quantities["gear.tau1"])
    assert speedup([0.0, 0.0], [3.0], [0.0]) == pytest.approx([0.5, -3 + 2 * 0.5])


def test_a_fixed_start_value_chooses_the_state() -> None:
    sections = {
        "electrical": {
            "i": part("current_source", "ground", "b", current="u"),
            "c1": part("capacitor", "b", "ground", capacitance=1),
            "c2": part("capacitor", "b", "ground", capacitance=2),
        }
    }
    assert states(formulated(sections)) == ["c1.v"]
    chosen = formulated(sections, start={"fixed": {"c2.v": 4}})
    assert states(chosen) == ["c2.v"]
    assert chosen.states[0].fixed
    assert chosen.fixed_states == {}


def test_a_long_line_of_resistors_stays_sparse() -> None:
    """Whole cutsets and circuits of a ladder would cost operations with the cube of its length."""
    parts = {"v": SOURCE}
    for k in range(1, 41):
        parts[f"r{k}"] = part("resistor", "a" if k == 1 else f"n{k - 1}", f"n{k}", resistance=f"1 + {k}*u^2")
        parts[f"g{k}"] = part("resistor", f"n{k}", "ground", resistance=1)
    dae = electrical(**parts)
    conductance = 0.0
    for k in range(40, 0, -1):
        conductance = 1 / (1 + k * 0.25 + 1 / (1 + conductance))
    (current,) = evaluated(dae, dae.quantities["v.i"])([], [0.5], [0.0])
    assert current == pytest.approx(-0.5 * conductance, rel=1e-12)


# --- iterated unknowns ---------------------------------------------------------------------------


def test_a_ring_of_pipes_iterates_one_flow() -> None:
    dae = formulated(
        {
            "hydraulic": {
                "tank": {"type": "reservoir", "from": "a", "capacitance": 1},
                "p1": part("resistance", "a", "b", resistance=2, exponent=1.85),
                "p2": part("resistance", "b", "c", resistance=3, exponent=1.85),
                "p3": part("resistance", "c", "a", resistance=4, exponent=1.85),
                "town": {"type": "consumption", "from": "b", "flow": "u"},
            }
        }
    )
    assert len(dae.iterated) == 1
    assert [len(block.equations) for block in dae.network_blocks] == [1]
    assert states(dae) == ["tank.p"]


def test_iteration_begins_at_the_guess() -> None:
    parts = {
        "v": SOURCE,
        "r": part("resistor", "a", "b", resistance=1),
        "d": part("diode", "b", "ground"),
    }
    dae = formulated({"electrical": parts}, start={"guess": {"d.v": 0.4}})
    assert [(unknown.name, unknown.unit, unknown.guess) for unknown in dae.iterated] == [("d.v", "V", 0.4)]


# --- components ----------------------------------------------------------------------------------


def test_a_switch_is_closed_by_its_input() -> None:
    dae = electrical(
        v=part("voltage_source", "a", "ground", voltage=10),
        s=part("switch", "a", "b", control="u", on_resistance=1, off_resistance=99),
        r=part("resistor", "b", "ground", resistance=1),
    )
    current = evaluated(dae, dae.quantities["r.i"])
    assert [current([], [u], [0.0])[0] for u in (0.0, 0.49, 0.5, 1.0)] == pytest.approx([0.1, 0.1, 5, 5])


def test_an_ideal_amplifier_integrates() -> None:
    dae = electrical(
        v=SOURCE,
        r=part("resistor", "a", "n", resistance=2),
        c=part("capacitor", "n", "o", capacitance=0.5),
        amp={"type": "op_amp", "positive": "ground", "negative": "n", "output": "o"},
        load=part("resistor", "o", "ground", resistance=4),
    )
    assert states(dae) == ["c.v"]
    rate, out, current = evaluated(
        dae, dae.states[0].derivative, dae.quantities["load.v"], dae.quantities["amp.i2"]
    )([3.0], [1.0], [0.0])
    assert (rate, out) == pytest.approx((1.0, -3.0))
    assert current == pytest.approx(0.5 + 3.0 / 4)


def test_a_transformer_between_two_capacitors_leaves_one_state() -> None:
    dae = electrical(
        v=SOURCE,
        r=part("resistor", "a", "p", resistance=1),
        c1=part("capacitor", "p", "ground", capacitance=1),
        t={"type": "transformer", "from": "p", "to": "ground", "from2": "s", "ratio": 2},
        c2=part("capacitor", "s", "ground", capacitance=4),
    )
    assert states(dae) == ["c1.v"]
    (rate,) = evaluated(dae, dae.states[0].derivative)([0.0], [1.0], [0.0])
    assert rate == pytest.approx(1 / (1 + 4 / 2**2))


def test_a_cylinder_moves_a_mass_against_the_pressure_of_its_rod_side() -> None:
    dae = formulated(
        {
            "hydraulic": {
                "supply": {"type": "pressure_source", "from": "a", "to": "ground", "pressure": "u"},
                "back": {"type": "pressure_source", "from": "b", "to": "ground", "pressure": 10},
            },
            "couplers": {
                "ram": {"type": "cylinder", "head": "a", "rod": "b", "to": "m", "area": 3, "rod_area": 2}
            },
            "translational": {"load": {"type": "mass", "to": "m", "mass": 5}},
        }
    )
    assert states(dae) == ["load.s", "load.v"]
    rate, inflow, outflow = evaluated(
        dae, dae.states[1].derivative, dae.quantities["ram.q1"], dae.quantities["ram.q2"]
    )([0.0, 0.5], [20.0], [0.0])
    assert (rate, inflow, outflow) == pytest.approx(((60 - 20) / 5, 1.5, -1.0))


def test_a_motor_drives_a_rack_and_a_speed_source_is_integrated() -> None:
    dae = formulated(
        {
            "electrical": {"v": SOURCE},
            "couplers": {
                "motor": {"type": "dc_motor", "plus": "a", "minus": "ground", "shaft": "s", "constant": 2}
                | {"resistance": 4},
                "rack": {"type": "rack", "shaft": "s", "rod": "p", "radius": 0.5},
            },
            "translational": {
                "load": {"type": "mass", "to": "p", "mass": 8},
                "belt": {"type": "speed_source", "to": "b", "speed": "3*u"},
                "grip": part("damper", "b", "p", damping=1),
            },
        }
    )
    assert set(states(dae)) == {"load.s", "load.v", "belt.s"}
    values = {state.name: state.derivative for state in dae.states}
    order = {"load.s": 0.0, "load.v": 1.5, "belt.s": 0.0}
    x = [order[name] for name in states(dae)]
    rates = evaluated(dae, values["belt.s"], values["load.v"])(x, [2.0], [0.0])
    current = (2.0 - 2 * 1.5 / 0.5) / 4
    assert rates == pytest.approx([6.0, (2 * current / 0.5 + (6.0 - 1.5)) / 8])


def test_an_inertance_and_a_compliance_swing() -> None:
    dae = formulated(
        {
            "hydraulic": {
                "line": part("inertance", "a", "ground", inertance=2),
                "hose": part("compliance", "a", "ground", capacitance=0.5),
                "leak": part("resistance", "a", "ground", resistance=10),
            }
        }
    )
    assert states(dae) == ["line.q", "hose.p"]
    rates = evaluated(dae, *(state.derivative for state in dae.states))([1.0, 4.0], [0.0], [0.0])
    assert rates == pytest.approx([2.0, -(1.0 + 0.4) / 0.5])


# --- controlled sources and mechanisms -----------------------------------------------------------


def test_a_source_may_be_controlled_by_any_quantity() -> None:
    dae = electrical(
        v=SOURCE,
        r=part("resistor", "a", "ground", resistance=4),
        gain=part("voltage_source", "b", "ground", voltage="10*r.i"),
        load=part("resistor", "b", "ground", resistance=2),
    )
    assert evaluated(dae, dae.quantities["load.i"])([], [2.0], [0.0]) == pytest.approx([2.5])


PENDULUM: dict[str, object] = {
    "model": {"name": "M", "gravity": [0, -10]},
    "ground": {"points": {"O": [0, 0]}},
    "bodies": {"arm": {"mass": 1, "inertia": 0, "points": {"O": [-1, 0]}}},
    "joints": {"pin": {"type": "revolute", "from": "ground.O", "to": "arm.O"}},
}


def test_an_inertia_behind_a_gear_is_added_to_the_mass_matrix() -> None:
    rotational = {
        "rotor": {"type": "inertia", "to": "n", "inertia": 0.5},
        "gear": part("gear", "n", "joint:pin", ratio=3),
        "drive": {"type": "torque", "to": "n", "torque": "u"},
    }
    dae = formulated({"rotational": rotational}, **PENDULUM)
    assert not dae.states
    q, v = dae.coordinates[0].position, dae.coordinates[0].velocity
    inputs = list(dae.symbols.inputs.values())
    mass, force = compile_python([dae.mass[0, 0], dae.force[0]], {"q": [q], "v": [v], "u": inputs})(
        [0.0], [0.0], [2.0]
    )
    assert mass == pytest.approx(1 + 9 * 0.5)
    assert force == pytest.approx(-10 + 3 * 2.0)


def test_a_force_of_the_mechanism_may_use_quantities_of_a_network() -> None:
    sections: dict[str, object] = {
        "electrical": {
            "i": part("current_source", "ground", "b", current="u"),
            "c": part("capacitor", "b", "ground", capacitance=1),
        },
        "forces": {"motor": {"type": "torque", "on": "arm", "value": "7*c.v"}},
    }
    dae = formulated(sections, **PENDULUM)  # type: ignore[arg-type]
    assert states(dae) == ["c.v"]
    arguments = {"x": [dae.states[0].symbol], "q": [dae.coordinates[0].position]}
    (force,) = compile_python(dae.force, arguments)([2.0], [math.pi / 2])
    assert force == pytest.approx(14.0)


def test_a_network_may_use_positions_of_the_mechanism() -> None:
    valve = {"r": part("resistor", "a", "ground", resistance="1 + pin.angle^2"), "v": SOURCE}
    dae = formulated({"electrical": valve}, **PENDULUM)
    q = [dae.coordinates[0].position]
    current = compile_python([dae.quantities["r.i"]], {"q": q, "u": list(dae.symbols.inputs.values())})
    assert current([3.0], [5.0]) == pytest.approx([0.5])


# --- sentences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"v": SOURCE, "w": part("voltage_source", "a", "ground", voltage=1)},
            ["w, v form a loop of electrical sources"],
        ),
        (
            {"v": SOURCE, "r": part("resistor", "a", "ground", resistance=1)}
            | {"far": part("resistor", "b", "c", resistance=1)},
            ["the electrical nodes b, c are not connected to the ground"],
        ),
        (
            {"i": part("current_source", "a", "ground", current=1)},
            ["is connected by i alone", "connect it by another element"],
        ),
        (
            {"v": SOURCE, "c": part("capacitor", "a", "ground", capacitance=1)},
            ["derivative of the input 'u'", "put an element between"],
        ),
        (
            {
                "v": SOURCE,
                "r": part("resistor", "a", "b", resistance=1),
                "n": part("resistor", "b", "ground", resistance=-1),
            },
            ["does not determine", "resistances, masses or ratios that are zero"],
        ),
    ],
)
def test_networks_without_solution_are_refused_in_words(
    parts: dict[str, dict[str, object]], words: list[str]
) -> None:
    with pytest.raises(NetworkError) as refusal:
        electrical(**parts)
    for word in words:
        assert word in str(refusal.value)


def test_contradicting_start_values_are_named() -> None:
    sections = {
        "electrical": {
            "i": part("current_source", "ground", "b", current="u"),
            "c1": part("capacitor", "b", "ground", capacitance=1),
            "c2": part("capacitor", "b", "ground", capacitance=2),
        }
    }
    with pytest.raises(NetworkError, match=r"c1\.v, c2\.v contradict one another"):
        formulated(sections, start={"fixed": {"c1.v": 1, "c2.v": 2}})
    agreed = formulated(sections, start={"fixed": {"c1.v": 2, "c2.v": 2}})
    assert list(agreed.fixed_states) == ["c1.v", "c2.v"]
    with pytest.raises(NetworkError, match=r"start value of i\.i cannot be fixed"):
        formulated(sections, start={"fixed": {"i.i": 1}})


def test_defaults_of_start_values_are_parameters() -> None:
    sections = {
        "electrical": {
            "r": part("resistor", "b", "ground", resistance=1),
            "c": part("capacitor", "b", "ground", capacitance=1),
        }
    }
    tables = {"model": {"name": "M"}, **sections, "start": {"fixed": {"c.v": 3}}}
    model = model_from_tables(tables, "test")
    assert default_parameters(model) == {"start.c.v": 3.0}
    dae = Compilation(model, ExportOptions("cheapest")).formulated
    assert dae.states[0].start is dae.symbols.parameters["start.c.v"]
    assert np.isfinite(evaluated(dae, dae.states[0].derivative)([1.0], [], [0.0])).all()
