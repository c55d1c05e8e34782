"""The commands on networks."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fmugen.cli import app

MODEL = """\
[model]
name = "Filter"
[inputs]
u = { start = 1, unit = "V" }
[electrical.V]
type = "voltage_source"
from = "a"
to = "ground"
voltage = "u"
[electrical.R]
type = "resistor"
from = "a"
to = "b"
resistance = 10
[electrical.C]
type = "capacitor"
from = "b"
to = "ground"
capacitance = 0.1
[electrical.D]
type = "diode"
from = "b"
to = "c"
[electrical.S]
type = "resistor"
from = "c"
to = "ground"
resistance = 1
[outputs]
out = "C.v"
[start.fixed]
"C.v" = 0.5
[start.guess]
"R.i" = 1
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "filter.toml"
    path.write_text(MODEL)
    return path


def said(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_check_counts_components_states_and_iterations(model: Path) -> None:
    text = said("check", model)
    assert "5: 1 voltage_source, 2 resistor, 1 capacitor, 1 diode" in text
    assert "1: C.v" in text
    assert "start of the network: 1 of 1 state fixed" in text
    assert "Newton iteration finds D.v" in text
    assert "the guess of R.i is not used" in text
    assert "bodies" not in text


def test_graph_shows_the_normal_tree_and_draws_it(model: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "graph.svg"
    text = said("graph", model, "--matrices", "--svg", drawing)
    assert "electrical network, normal tree: 4 nodes, 3 branches, 2 chords" in text
    assert "f-cutset matrix A_f = [1 A_c], 3 x 5" in text
    names = [element.text for element in ET.parse(drawing).iter() if element.tag.endswith("text")]
    assert "electrical network: 4 nodes, 3 branches, 2 chords" in names


def test_equations_are_those_of_circuits_cutsets_and_laws(model: Path) -> None:
    text = said("equations", model)
    assert "0[circuit R] = C.v + R.v - V.v" in text
    assert "0[law of C] = C.i - der(C.v)/10" in text
    assert "states of the network: x' = f" in text
    assert "M q''" not in text
    document = json.loads(said("equations", model, "--format", "json"))
    assert [state["name"] for state in document["states"]] == ["C.v"]
    assert document["iterated"][0]["unknowns"] == "D.v"
    assert r"\frac{d}{dt} v_{\mathrm{C}}" in said("equations", model, "--format", "latex")


def test_trees_and_closure_have_a_word_for_networks(model: Path) -> None:
    assert "a network has one normal tree" in said("trees", model)
    text = said("closure", model)
    assert "there are no loops to close" in text
    assert "iterated unknowns   1: D.v" in text


def test_an_unsolvable_network_is_an_error_in_one_sentence(model: Path) -> None:
    model.write_text(MODEL.replace("resistance = 10", "resistance = 0"))
    result = CliRunner().invoke(app, ["check", str(model), "--trees", "aac"])
    assert result.exit_code != 0
    assert "input" in result.output
