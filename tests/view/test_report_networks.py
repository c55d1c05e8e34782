"""The page about a network: no mechanism to draw, but states, normal trees and a balance of powers."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html

from fmugen.ir.options import ExportOptions
from fmugen.pipeline import export_fmu, subject_of
from fmugen.verify.compare import verify_fmu
from fmugen.view.report import Evidence, Provenance, report_page
from tests.support import example


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> html.HtmlElement:
    model, options = example("rectifier"), ExportOptions("aac")
    export = export_fmu(model, Path(tmp_path_factory.mktemp("fmu")) / "x.fmu", options)
    evidence = Evidence.of(verify_fmu(model, export.path, stop=0.03))
    text = report_page(subject_of(export.generated, options), evidence, Provenance({}))
    return html.fromstring(text)


def part(page: html.HtmlElement, anchor: str) -> str:
    return str(page.get_element_by_id(anchor).text_content())


def test_a_network_has_no_motion(page: html.HtmlElement) -> None:
    titles = [heading.text_content() for heading in page.iter("h2")]
    assert titles[:4] == ["Model", "Graphs", "Coordinates", "Equations"]
    assert "Motion" not in titles
    assert not page.xpath("//canvas")


def test_components_are_listed_with_their_nodes(page: html.HtmlElement) -> None:
    assert "electrical diode" in part(page, "model")


def test_states_and_normal_trees(page: html.HtmlElement) -> None:
    text = part(page, "coordinates")
    assert "capacitor.v" in text and "first order" in text and "iterated" in text
    assert "branch of the electrical normal tree" in text


def test_equations_of_states_are_drawn(page: html.HtmlElement) -> None:
    assert "states of the network" in part(page, "equations")


def test_powers_balance(page: html.HtmlElement) -> None:
    assert "sum of all powers, as a part of what flows" in part(page, "verification")
