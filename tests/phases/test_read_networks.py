"""Model files with networks: what they become, and what is said about mistakes."""

from __future__ import annotations

import pytest

from fmugen.errors import ModelError
from fmugen.ir.model import SystemModel
from fmugen.ir.network import Discipline, Port
from fmugen.phases.read import parse_model

HEAD = '[model]\nname = "M"\n[parameters]\nR = 2.0\n[inputs]\nu = {}\n'


def read(text: str) -> SystemModel:
    return parse_model(HEAD + text, "m.toml")


def problem(text: str) -> str:
    with pytest.raises(ModelError) as error:
        read(text)
    assert len(error.value.problems) == 1, error.value.problems
    return str(error.value.problems[0])


def test_a_component_has_its_nodes_values_and_ports() -> None:
    model = read('[electrical.R1]\ntype = "resistor"\nfrom = "a"\nto = "ground"\nresistance = "2*R"')
    (resistor,) = model.components
    assert (resistor.name, resistor.section, resistor.type) == ("R1", "electrical", "resistor")
    assert resistor.terminals == (("from", "a"), ("to", "ground"))
    assert resistor.value("resistance").text == "2*R"
    assert resistor.ports == (Port(Discipline.ELECTRICAL, "a", "ground"),)


def test_defaults_are_filled_in() -> None:
    model = read('[electrical.T]\ntype = "transformer"\nfrom = "a"\nto = "g"\nfrom2 = "b"\nratio = 2')
    assert model.components[0].terminal("to2") == "g"
    model = read('[rotational.J]\ntype = "inertia"\nto = "a"\ninertia = 1')
    assert model.components[0].terminal("from") == "ground"


def test_a_steady_start_can_be_asked_for() -> None:
    assert read('[translational.m]\ntype = "mass"\nto = "a"\nmass = 1\n[start]\nsteady = true').steady
    assert "must be true or false" in problem(
        '[translational.m]\ntype = "mass"\nto = "a"\nmass = 1\n[start]\nsteady = 1'
    )


RESISTOR = '[electrical.R1]\ntype = "resistor"\nfrom = "a"\nto = "b"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[electrical.R1]\ntype = "resistr"', ["unknown electrical component type", "'resistor'"]),
        (RESISTOR, ["resistance: is missing", "give the resistance in Ohm"]),
        (RESISTOR + "resistance = 1\nresistence = 2", ["a resistor has no key", "'resistance'"]),
        ('[electrical.C]\ntype = "capacitor"\nfrom = "a"\nto = "b"\ncapacitance = "u"', ["constant"]),
        (RESISTOR.replace('"b"', '"a"') + "resistance = 1", ["both ends of this resistor", "'a'"]),
        (RESISTOR.replace('"b"', '"R1"') + "resistance = 1", ["has the name of electrical.R1"]),
        (RESISTOR.replace('"b"', '"b c"') + "resistance = 1", ["cannot be the name of a node"]),
        (
            RESISTOR + 'resistance = 1\n[hydraulic.P]\ntype = "reservoir"\nfrom = "a"\ncapacitance = 1',
            ["the node 'a' is electrical (see R1), not hydraulic"],
        ),
        (
            '[rotational.J]\ntype = "inertia"\nto = "joint:pin"\ninertia = 1',
            ["there is no joint 'pin'", "the joints are none"],
        ),
        (RESISTOR + 'resistance = 1\n[outputs]\ny = "R1.f"', ["'R1' has no quantity 'f'", "v, i"]),
        (RESISTOR + 'resistance = 1\n[outputs]\ny = "c.v"', ["there is no element or point 'c'"]),
    ],
)
def test_mistakes_are_said_with_their_place(text: str, words: list[str]) -> None:
    message = problem(text)
    for word in words:
        assert word in message


def test_a_flange_belongs_to_a_joint_of_its_kind() -> None:
    mechanism = (
        "[ground]\npoints = { O = [0, 0] }\n[bodies.arm]\nmass = 1\n"
        '[joints.pin]\ntype = "revolute"\nfrom = "ground.O"\nto = "arm"\n'
    )
    wrong = '[translational.m]\ntype = "mass"\nto = "joint:pin"\nmass = 1'
    message = problem(mechanism + wrong)
    assert "'pin' is a revolute joint, which has no translational flange" in message
    assert "name a prismatic joint" in message
    right = '[rotational.J]\ntype = "inertia"\nto = "joint:pin"\ninertia = 1'
    assert read(mechanism + right).components[0].terminal("to") == "joint:pin"


def test_quantities_of_components_and_nodes_can_be_outputs_with_their_units() -> None:
    mass = '[translational.m]\ntype = "mass"\nto = "p"\nmass = 1\n'
    model = read(mass + '[outputs]\nplace = "p.s"\nforce = "m.f"\nrate = "m.v"')
    assert [output.unit for output in model.outputs] == ["m", "N", "m/s"]
