"""Terminals of FMI 3: inputs beside what they work with."""

from __future__ import annotations

import zipfile
from pathlib import Path

import fmpy
import pytest
from lxml import etree

from fmugen.ir.fmu import Terminal
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.describe.terminals import terminals_of
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation, export_fmu
from tests.support import example

SCHEMA = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"


def terminals(name: str) -> tuple[Terminal, ...]:
    return Compilation(example(name), ExportOptions(trees="aac")).description.terminals


def members(terminal: Terminal) -> dict[str, tuple[str, str]]:
    return {member.name: (member.variable, member.kind) for member in terminal.members}


@pytest.mark.parametrize(
    ("name", "terminal", "kind", "expected"),
    [
        (
            "pendulum",
            "drive",
            "rotational flange",
            {"tau": ("drive_torque", "inflow"), "phi": ("rod.angle", "signal"), "w": ("rod.omega", "signal")},
        ),
        (
            "motor_slider_crank",
            "supply",
            "electrical pin",
            {"v": ("voltage", "signal"), "i": ("supply.i", "outflow")},
        ),
        (
            "two_outlet_reservoir",
            "pump",
            "hydraulic port",
            {"q": ("supply", "outflow"), "p": ("pump.p", "signal")},
        ),
        (
            "vibrating_system",
            "force5",
            "translational flange",
            {"f": ("F5", "inflow"), "s": ("force5.s", "signal"), "v": ("force5.v", "signal")},
        ),
    ],
)
def test_an_input_is_beside_what_it_works_with(
    name: str, terminal: str, kind: str, expected: dict[str, tuple[str, str]]
) -> None:
    found = {each.name: each for each in terminals(name)}
    assert found[terminal].kind == kind
    assert members(found[terminal]) == expected


def test_a_driver_takes_angle_and_rate_and_gives_its_torque() -> None:
    text = """
[model]
name = "Driven"
[inputs]
angle = { unit = "rad", rate = "omega" }
omega = { unit = "rad/s", rate = "alpha" }
alpha = { unit = "rad/s2" }
[bodies.rod]
mass = 1
inertia = 1
[joints.pin]
type = "revolute"
from = "ground"
to = "rod"
[drivers.motor]
type = "rotation"
from = "ground"
to = "rod"
value = "angle"
"""
    model = parse_model(text, "driven.toml")
    (terminal,) = terminals_of(model, ["angle", "omega", "alpha", "motor.torque"])
    assert members(terminal) == {
        "phi": ("angle", "signal"),
        "w": ("omega", "signal"),
        "tau": ("motor.torque", "inflow"),
    }
    assert terminals_of(model, ["angle", "omega", "alpha"]) == ()


def test_the_file_is_as_the_schema_asks_and_only_in_fmi_3(tmp_path: Path) -> None:
    schema = etree.XMLSchema(etree.parse(str(SCHEMA)))
    entry = "terminalsAndIcons/terminalsAndIcons.xml"
    for version in FmiVersion:
        path = tmp_path / f"{version.value}.fmu"
        export = export_fmu(example("pendulum"), path, ExportOptions(fmi=version, trees="aac"))
        with zipfile.ZipFile(path) as archive:
            assert (entry in archive.namelist()) == (version is FmiVersion.THREE)
            if version is FmiVersion.THREE:
                root = etree.fromstring(archive.read(entry))
                schema.assertValid(root)
                named = {variable.name for variable in export.compilation.description.variables}
                assert {each.get("variableName") for each in root.iter("TerminalMemberVariable")} <= named


def test_a_model_without_inputs_has_none() -> None:
    assert terminals("four_bar") == ()
