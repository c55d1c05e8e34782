"""``fmugen trees`` and the trees that other commands accept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fmugen.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"
SLIDER_CRANK = str(EXAMPLES / "slider_crank" / "model.toml")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), prog_name="fmugen")
    assert result.exit_code == 0, result.output
    return result.stdout


def test_candidates_are_listed_with_their_costs_and_one_is_chosen() -> None:
    lines = run("trees", SLIDER_CRANK).splitlines()
    chosen = [line.split() for line in lines if line.rstrip().endswith("chosen")]
    assert len(chosen) == 1
    dynamic, kinematic, program, algebra, price = map(int, chosen[0][-6:-1])
    assert (dynamic, kinematic, algebra) == (2, 1, 0)
    others = [line.split() for line in lines if line.startswith((" row", " jc", " formulation "))]
    assert others
    assert min(int(words[-3]) for words in others) >= program
    assert min(int(words[-1]) for words in others) >= price


def test_the_reason_is_given_branch_by_branch() -> None:
    text = run("trees", SLIDER_CRANK)
    (coordinates,) = re.findall("^coordinates: (.*)$", text, re.MULTILINE)
    assert coordinates.count(",") == 1
    _, _, reasons = text.partition("rotation tree")
    for coordinate in coordinates.split(", "):
        branch = coordinate.removesuffix(".angle")
        assert re.search(f"^ {branch} .*brings {coordinate}", reasons, re.MULTILINE)
    assert re.search("^ s11 .*brings no coordinate", reasons, re.MULTILINE)


def test_a_tight_time_limit_is_admitted() -> None:
    result = CliRunner().invoke(app, ["trees", SLIDER_CRANK, "--seconds", "1e-9"])
    assert result.exit_code == 0
    assert "time limit reached after" in result.stderr


@pytest.mark.parametrize("trees", ["cheapest", "variable", "formulation", "jc", "ac", "aac", "row6"])
def test_other_commands_accept_the_methods(trees: str) -> None:
    assert f"trees {trees}" in run("graph", SLIDER_CRANK, "--trees", trees)
    assert "mass matrix M" in run("equations", SLIDER_CRANK, "--trees", trees)


def test_unknown_trees_are_refused_in_a_sentence() -> None:
    result = CliRunner().invoke(app, ["equations", SLIDER_CRANK, "--trees", "fastest"])
    assert result.exit_code == 1
    assert "there are no trees 'fastest'" in result.stderr
    assert "cheapest" in result.stderr


@pytest.fixture
def with_partial_trees(tmp_path: Path) -> str:
    """The slider-crank, with trees that require one branch, and others whose branches close a loop."""
    path = tmp_path / "model.toml"
    partial = (
        "\n[trees.mine]\nrotation = ['m2']\ntranslation = []\ncomplete = true\n"
        "\n[trees.ring]\nrotation = []\ntranslation = ['h8', 'h9', 'h10', 's11']\ncomplete = true\n"
    )
    path.write_text(Path(SLIDER_CRANK).read_text(encoding="utf-8") + partial, encoding="utf-8")
    return str(path)


def notes(text: str) -> list[str]:
    """The notes that a command prints, each on one line."""
    return re.findall("^note: .*$", text, re.MULTILINE)


def test_check_notes_what_was_added_to_partial_trees_and_left_out(with_partial_trees: str) -> None:
    found = notes(run("check", with_partial_trees, "--trees", "aac"))
    (rotation,) = [
        note for note in found if note.startswith("note: added to the rotation tree of trees.mine:")
    ]
    assert "m2" not in rotation.partition(":")[2]
    (ring,) = [
        note for note in found if note.startswith("note: left out of the translation tree of trees.ring")
    ]
    assert re.search(r": (h8|h9|h10|s11); each closes a loop with other branches$", ring)
    assert not notes(run("check", SLIDER_CRANK, "--trees", "aac"))


def test_graph_notes_what_was_added_to_the_trees_that_it_shows(with_partial_trees: str) -> None:
    text = run("graph", with_partial_trees, "--trees", "mine")
    found = notes(text)
    assert found and all("of trees.mine" in note for note in found)
    added = next(note for note in found if "rotation" in note).rpartition(": ")[2].split(", ")
    shown = text.partition("R-graph")[2]
    for branch in ("m2", *added):
        assert re.search(rf"^ {branch} .* branch", shown, re.MULTILINE)
