"""``fmugen closure``, and what an FMU says about its closure."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from fmugen.cli import app
from fmugen.expr.code import Operations
from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions
from fmugen.ir.trial import TrialRun
from fmugen.phases.read import read_model
from fmugen.pipeline import Compilation, export_fmu
from fmugen.view.closure import AlternativeSummary
from tests.support import fact

EXAMPLES = Path(__file__).parents[2] / "examples"
SVG = "{http://www.w3.org/2000/svg}"


def model_file(name: str) -> str:
    return str(EXAMPLES / name / "model.toml")


def run(name: str, *options: str) -> str:
    arguments = ["closure", model_file(name), "--trees", "aac", *options]
    result = CliRunner().invoke(app, arguments, prog_name="fmugen")
    assert result.exit_code == 0, result.output
    return result.stdout


def generated(name: str, closure: Closure = Closure.TRIANGULAR) -> Compilation:
    return Compilation(read_model(Path(model_file(name))), ExportOptions("aac", closure))


# --- the table ------------------------------------------------------------------------------------


def test_a_slider_crank_takes_a_fixed_number_of_operations() -> None:
    text = run("slider_crank")
    [row] = [line for line in text.splitlines() if "a sin + b cos = c" in line]
    assert "s11, normal" in row
    assert re.search(r"m2\.angle .* 2 +2 +\d+ +a\^2 \+ b\^2 >= c\^2", row)
    assert fact(text, "independent") == "m1.angle"
    assert fact(text, "assembly modes") == "2"
    assert fact(text, "configurations") == "2 real at the start"
    assert fact(text, "always iterated") == "0 of 1 unknown"
    operations = fact(text, "operations").split()[0]
    assert fact(text, "closure") == f"exact, {operations} operations per right-hand side, no iteration"
    assert "bounded cost" in text


def test_roots_that_other_coordinates_need_are_iteration_too() -> None:
    """``closure.iterations`` does not count them, so the sentence must tell."""
    made = generated("slider_crank").measured_closure
    alternative = AlternativeSummary(("m2.angle",), Operations(), (6,))
    changed = replace(
        made, alternatives=(alternative,), trial=replace(made.trial or TrialRun(1.0), changes=1)
    )
    assert "no iteration" in made.sentence
    assert changed.sentence.endswith(
        "no Newton iteration, but other coordinates need roots of degree 6, by bounded iteration"
    )
    assert made.is_bounded and not changed.is_bounded
    assert not any("nothing iterates" in note for note in changed.notes)


def test_a_polynomial_of_higher_degree_is_admitted_to_iterate() -> None:
    text = run("landing_gear")
    assert fact(text, "always iterated") == "1 of 5 unknowns"
    assert "1 of 5 unknowns as the root of a polynomial of degree 6" in fact(text, "closure")
    assert "an iteration" in text
    assert "bounded cost" not in text


def test_independent_coordinates_by_name() -> None:
    text = run("four_bar", "--independent", "m3.angle")
    assert fact(text, "independent") == "m3.angle"
    assert fact(text, "always iterated") == "0 of 2 unknowns"


def test_coordinates_that_cannot_be_independent_are_refused_in_a_sentence() -> None:
    arguments = ["closure", model_file("four_bar"), "--trees", "aac", "--independent", "m1.angle, m2.angle"]
    result = CliRunner().invoke(app, arguments, prog_name="fmugen")
    assert result.exit_code == 1
    assert "but 2 independent coordinates named; name exactly 1" in result.stderr
    assert "1 degree of freedom" in result.stderr


def test_a_block_without_steps_says_why(tmp_path: Path) -> None:
    """Angles of this loop are equal by values alone: one bar has a length of its own."""
    begin, bar, rest = Path(model_file("bricard")).read_text(encoding="utf-8").partition("[bodies.bar_3]")
    begin = begin.replace("mass =", 'other = { value = 1.0, unit = "m" }\nmass =', 1)
    (tmp_path / "model.toml").write_text(begin + bar + rest.replace("length", "other", 4), encoding="utf-8")
    text = run(str(tmp_path))
    assert "block 1 is iterated: " in text
    assert "equation in one unknown" in text or "not enough" in text


def test_newton_blocks_are_named_with_their_sizes() -> None:
    text = run("n_four_bar", "--closure", "newton")
    assert fact(text, "closure").startswith("4 of 4 unknowns by Newton in blocks of 2 (2 times); ")
    assert "assembly modes" not in text
    whole = run("n_four_bar", "--closure", "newton-all")
    assert fact(whole, "closure").startswith("4 of 4 unknowns by Newton in a block of 4; ")


def test_closures_that_integrate_everything_have_no_blocks() -> None:
    text = run("slider_crank", "--closure", "baumgarte")
    assert fact(text, "closure").startswith("all coordinates are integrated")
    assert "iterated" not in text


def test_an_open_chain_has_nothing_to_close() -> None:
    text = run("double_pendulum")
    assert fact(text, "closure") == "there are no loops to close"
    assert "real roots" not in text


# --- counts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "three_rrr", "landing_gear"])
def test_the_operations_of_the_steps_are_those_of_the_closure(name: str) -> None:
    model = generated(name)
    steps = [step for block in model.closure.blocks for step in block.steps]
    total = sum((step.operations for step in steps), Operations())
    functions = [function for function in model.program.solve_functions if function]
    coefficients = sum((code.operations for f in functions for code in f.steps), Operations())
    assert total.total > coefficients.total  # roots and guards have their cost
    assert total.total == sum(function.operations.total for function in functions)
    assert model.closure.operations == model.program.right_hand_side


@pytest.mark.parametrize(
    ("name", "modes", "real"),
    [("four_bar", 2, 2), ("three_rrr", 4, 4), ("double_pendulum", 1, 1)],
)
def test_real_configurations_at_the_start(name: str, modes: int, real: int) -> None:
    independent = {"three_rrr": ("m1.angle", "m2.angle", "m7.angle")}.get(name, ())
    options = ExportOptions("aac", independent=independent)
    closure = Compilation(read_model(Path(model_file(name))), options).closure
    assert closure.assembly_modes == modes
    assert closure.configurations.real == real


def test_configurations_that_close_no_loop_do_not_count() -> None:
    closure = generated("landing_gear").closure
    combinations = [step.real_roots for block in closure.blocks for step in block.steps]
    assert combinations.count(2) == 2
    assert closure.configurations.real == 2


def test_configurations_are_not_counted_where_steps_hold_in_one_mode() -> None:
    closure = generated("n_four_bar").closure
    assert "equal angles" in closure.blocks[0].method
    assert closure.configurations.real is None


def test_configurations_are_not_counted_where_unknowns_are_iterated() -> None:
    assert generated("four_bar", Closure.NEWTON).closure.configurations.real is None


# --- the drawing ----------------------------------------------------------------------------------


def test_the_drawing_shows_every_coordinate_once(tmp_path: Path) -> None:
    drawing = tmp_path / "flow.svg"
    named = ["--independent", "m1.angle,m2.angle,m3.angle"]
    assert f"drawing: {drawing}" in run("three_rrr", *named, "--svg", str(drawing))
    texts = [text.text for text in ElementTree.parse(drawing).iter(f"{SVG}text")]
    for number in range(1, 8):
        assert texts.count(f"m{number}.angle") == 1
    assert {"1. loop h30", "2. loop h33", "also needs m1.angle, m2.angle"} <= set(texts)


def test_what_moves_with_time_is_drawn_with_time(tmp_path: Path) -> None:
    drawing = tmp_path / "flow.svg"
    run("landing_gear", "--svg", str(drawing))
    assert "time" in [text.text for text in ElementTree.parse(drawing).iter(f"{SVG}text")]


def test_a_drawing_is_an_svg_file_in_a_folder_that_exists(tmp_path: Path) -> None:
    for destination, code in ((tmp_path / "flow.png", 2), (tmp_path / "nowhere" / "flow.svg", 1)):
        result = CliRunner().invoke(app, ["closure", model_file("pendulum"), "--svg", str(destination)])
        assert result.exit_code == code
        assert not destination.exists()


# --- what an FMU says -----------------------------------------------------------------------------


def test_export_says_how_loops_are_closed_by_default(tmp_path: Path) -> None:
    fmu = tmp_path / "x.fmu"
    result = CliRunner().invoke(app, ["export", model_file("slider_crank"), "-o", str(fmu)])
    assert result.exit_code == 0, result.output
    sentence = fact(result.stdout, "closure")
    assert re.fullmatch(r"triangular: exact, \d+ operations per right-hand side, no iteration", sentence)
    assert sentence.removeprefix("triangular: ") in page_of(fmu)


def test_the_page_of_an_fmu_lists_what_it_has(tmp_path: Path) -> None:
    model = replace(read_model(Path(model_file("four_bar"))), description="links < 1 m & pins")
    export = export_fmu(model, tmp_path / "x.fmu", ExportOptions("aac"))
    page = page_of(export.path)
    assert "<p>links &lt; 1 m &amp; pins</p>" in page
    description = export.compilation.description
    outputs = [variable for variable in description.calculated if variable.causality == "output"]
    for variable in (*description.parameters, *description.inputs, *outputs):
        assert f"<td>{variable.name}</td>" in page
    assert str(export.compilation.closure.operations) in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_the_same_model_gives_the_same_page(tmp_path: Path) -> None:
    model = read_model(Path(model_file("four_bar")))
    pages = [page_of(export_fmu(model, tmp_path / f"{n}.fmu", ExportOptions("aac")).path) for n in "ab"]
    assert pages[0] == pages[1]


def page_of(fmu: Path) -> str:
    with zipfile.ZipFile(fmu) as archive:
        return archive.read("documentation/index.html").decode()
