"""``fmugen modes``: the list, the drawings, and the choice of a mode by its number."""

from __future__ import annotations

import shutil
from pathlib import Path

from lxml import etree
from typer.testing import CliRunner

from fmugen.cli import app
from tests.support import EXAMPLES

MODEL = EXAMPLES / "four_bar" / "model.toml"


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def rows(text: str) -> list[list[str]]:
    """The cells of the rows that begin with the number of a mode."""
    return [line.split() for line in text.splitlines() if line[:6].strip().isdigit()]


def test_modes_are_listed_and_drawn(tmp_path: Path) -> None:
    out = run("modes", MODEL, "--trees", "aac", "--svg", tmp_path / "modes.svg")
    assert [row[0] for row in rows(out)] == ["1", "2"]
    assert rows(out)[0][-2:] == ["the", "start"]
    assert "all have the values of the start of h11.angle" in out
    assert "the list is complete" in out
    drawing = etree.parse(str(tmp_path / "modes.svg"))
    titles = drawing.xpath("//*[local-name()='text' and @font-weight='bold']/text()")
    assert titles == ["1, the start", "2"]


def test_a_mode_is_written_as_guesses_and_is_then_the_start(tmp_path: Path) -> None:
    model = tmp_path / "model.toml"
    shutil.copy(MODEL, model)
    before = model.read_text(encoding="utf-8")
    first = rows(run("modes", model, "--trees", "aac"))
    out = run("modes", model, "--trees", "aac", "--write", "2")
    assert "mode 2 is written to" in out
    after = model.read_text(encoding="utf-8")
    assert len(after.splitlines()) == len(before.splitlines())
    assert sum(a != b for a, b in zip(after.splitlines(), before.splitlines(), strict=True)) == 2
    again = rows(run("modes", model, "--trees", "aac"))
    assert again[0][2:-2] == first[1][2:]
    assert again[1][2:] == first[0][2:-2]


def test_nothing_is_written_for_a_mode_that_is_not_there(tmp_path: Path) -> None:
    model = tmp_path / "model.toml"
    shutil.copy(MODEL, model)
    result = CliRunner().invoke(app, ["modes", str(model), "--trees", "aac", "--write", "7"])
    assert result.exit_code == 1
    assert "there are 2 assembly modes: choose a number from 1 to 2" in result.output
    assert model.read_bytes() == MODEL.read_bytes()


def test_a_chosen_mode_is_exported_and_verified() -> None:
    """The judge starts in the same mode, found by a program of its own."""
    chosen = run("verify", MODEL, "--trees", "aac", "--mode", "2", "--stop", "0.2")
    assert "passed" in chosen
