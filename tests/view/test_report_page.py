"""The page about a model: all that was asked for is on it, in full and in its light form."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import etree, html

from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation, export_fmu
from fmugen.verify.compare import Verification, verify_fmu
from fmugen.view.report import Evidence, Provenance, documentation_page, fingerprint, report_page
from fmugen.view.report.animation import motion_section
from fmugen.view.report.equations import equations_section
from fmugen.view.report.evidence import verdict_of, verification_section
from fmugen.view.report.markup import data, paragraph, table
from fmugen.view.report.sections import closure_section, operations_section
from tests.support import example

OPTIONS = ExportOptions("aac")


def subject(name: str) -> Compilation:
    return Compilation(example(name), OPTIONS)


@pytest.fixture(scope="module")
def verification(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    model = example("slider_crank")
    fmu = tmp_path_factory.mktemp("fmu") / "x.fmu"
    export_fmu(model, fmu, OPTIONS)
    return verify_fmu(model, fmu, stop=0.2)


@pytest.fixture(scope="module")
def full(verification: Verification) -> str:
    provenance = Provenance({"model": ("model.toml", "12ab"), "FMU": ("x.fmu", "34cd")})
    return report_page(subject("slider_crank"), Evidence.of(verification), provenance)


def titles(page: str) -> list[str]:
    return [heading.text_content() for heading in html.fromstring(page).iter("h2")]


def part(page: str, anchor: str) -> str:
    return html.fromstring(page).get_element_by_id(anchor).text_content()


# --- the full page --------------------------------------------------------------------------------


def test_the_report_has_every_part(full: str) -> None:
    assert titles(full) == [
        "Mechanism",
        "Motion",
        "Graphs",
        "Coordinates",
        "Equations",
        "Solution flow",
        "Assembly modes",
        "Operations",
        "Verification",
        "Variables",
        "How it was produced",
    ]


def test_the_report_lists_and_draws_the_assembly_modes(full: str) -> None:
    listed = html.fromstring(full).get_element_by_id("assembly-modes")
    assert len(listed.findall(".//table/tr")) == 3  # a head and two modes
    drawn = listed.xpath(".//figure//*[local-name()='text' and @font-weight='bold']/text()")
    assert drawn == ["1, the start", "2"]
    assert "The list is complete." in listed.text_content()


def test_the_report_refers_to_nothing_outside(full: str) -> None:
    page = html.fromstring(full)
    for element in page.iter():
        for attribute in ("src", "href"):
            assert element.get(attribute, "#").startswith("#")
    assert "@import" not in full.partition("<script>")[0]


def test_the_verdict_and_its_figures_are_on_the_page(full: str, verification: Verification) -> None:
    [badge] = html.fromstring(full).find_class("verdict")
    assert badge.text_content().startswith("passed: largest deviation")
    assert "passed" in badge.get("class")
    text = part(full, "verification")
    for signal in verification.outputs:
        assert f"{signal.name}" in text and f"{signal.largest:.1e}" in text


def test_a_failed_verification_says_why(verification: Verification) -> None:
    failed = replace(verification, problems=("slider_position deviates by 0.5",))
    evidence = Evidence.of(failed)
    assert verdict_of(evidence).word == "failed"
    assert "<p>Slider_position deviates by 0.5.</p>" in verification_section(evidence).content


def test_without_a_reference_the_page_shows_the_run_and_says_so(verification: Verification) -> None:
    judged = Evidence.of(verification)
    alone = replace(judged, verification=None, failure="the motion cannot be followed")
    text = verification_section(alone).content
    assert "Not compared with the reference: the motion cannot be followed." in text
    assert text.count('class="plot"') == len(verification.outputs)


def test_peaks_of_deviations_survive_thinning(verification: Verification) -> None:
    """A run of many samples is drawn with fewer, but its largest deviation is among them."""
    signal = verification.outputs[0]
    times = np.linspace(0.0, 1.0, 10_000)
    fmu = np.zeros(10_000)
    fmu[7_777] = 0.25
    spiked = replace(signal, fmu=fmu, reference=np.zeros(10_000), scale=1.0)
    energy = verification.energy
    flat = replace(energy, kinetic=0 * times, potential=0 * times, work=0 * times)
    long = replace(verification, times=times, outputs=(spiked,), bodies=(), closure=0 * times, energy=flat)
    lines = drawn_lines(verification_section(Evidence.of(long)).content)
    assert all(len(values) <= 1_500 for values in lines)
    assert any(values.max() == pytest.approx(0.25) for values in lines)


def drawn_lines(content: str) -> list[np.ndarray]:
    import base64
    import json

    [text] = re.findall(r'id="plots-data">(.*?)</script>', content)
    plots = json.loads(text)["plots"]
    packed = [line["values"] for plot in plots for line in plot["lines"]]
    return [np.frombuffer(base64.b64decode(values), dtype="<f4") for values in packed]


def test_coordinates_come_with_reasons(full: str) -> None:
    text = part(full, "coordinates")
    made = subject("slider_crank")
    for coordinate in made.dae.coordinates:
        assert coordinate.name in text
    assert "McPhee's preferred order" in text


def test_operations_add_up(full: str) -> None:
    last = part(full, "operations").split("one right-hand side, roots and guards included")[1]
    assert str(subject("slider_crank").closure.operations.total) in last


def test_how_it_was_produced(full: str) -> None:
    text = part(full, "how-it-was-produced")
    made = subject("slider_crank")
    for expected in (made.description.guid, "12ab", "34cd", "option trees", "aac", "sympy", "plotly"):
        assert expected in text
    assert "cs, me" in text
    assert "InterfaceType" not in text


def test_the_fingerprint_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    assert fingerprint(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_model_without_bodies_is_not_animated() -> None:
    assert motion_section(SystemModel("Network"), np.zeros(2), {}) is None


# --- the light page -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["slider_crank", "spatial_four_bar"])
def test_the_light_page_has_all_that_needs_no_run(name: str, full: str) -> None:
    page = documentation_page(subject(name))
    left_out = ("Motion", "Assembly modes", "Verification")
    assert titles(page) == [title for title in titles(full) if title not in left_out]
    assert "<script" not in page
    assert len(page) < 400_000


def test_pages_are_well_formed(full: str) -> None:
    """Every tag that is opened is closed: MathML and SVG inside would swallow the rest otherwise."""
    page = documentation_page(subject("slider_crank"))
    body = re.search(r"<body>.*</body>", page, re.DOTALL)
    assert body is not None
    entities = {"&nbsp;": "&#160;"}
    etree.fromstring(re.sub("|".join(entities), lambda match: entities[match[0]], body[0]))


def test_equations_that_are_too_long_for_an_export_are_not_drawn() -> None:
    made = subject("slider_crank")
    assert "mfrac" in equations_section(made, 200).content
    short = equations_section(made, 10).content
    assert "fmugen equations prints them" in short and "mfrac" not in short


@pytest.mark.parametrize("closure", Closure)
def test_every_closure_can_be_described(closure: Closure) -> None:
    options = ExportOptions("aac", closure)
    made = Compilation(example("slider_crank"), options)
    assert closure.value in closure_section(made).content.lower()
    assert str(made.closure.operations.total) in operations_section(made).content


# --- pieces ---------------------------------------------------------------------------------------


def test_cells_and_sentences_are_escaped() -> None:
    assert "<td>a &lt; b &amp; c</td>" in table(("x",), [("a < b & c",)])
    assert paragraph("a < b") == "<p>A &lt; b.</p>"


def test_numbers_stand_flush_right_below_their_head() -> None:
    text = table(("name", "value"), [("a", 1.5), ("b", 2)])
    assert '<th>name</th><th class="number">value</th>' in text
    assert '<td>a</td><td class="number">1.5</td>' in text


def test_a_table_without_rows_is_nothing() -> None:
    assert table(("a", "b"), []) == ""


def test_data_cannot_end_their_script() -> None:
    assert data("x", {"name": "</script>"}).count("</script>") == 1
