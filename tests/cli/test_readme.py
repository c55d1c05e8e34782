"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fmugen.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def shown(beginning: str) -> list[str]:
    """The indented block that begins with a given line, without its indentation."""
    lines = README.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(f"    {beginning}"))
    block = []
    for line in lines[first:]:
        if not line.startswith("    "):
            break
        block.append(line.removeprefix("    "))
    return block


@pytest.fixture
def tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the model file of the tour in it, as current directory."""
    model, *_ = blocks("toml")
    monkeypatch.chdir(tmp_path)
    path = Path("pendulum.toml")
    path.write_text(model, encoding="utf-8")
    return path


def test_every_command_of_the_tour_works(tour: Path) -> None:
    tour_text = README.partition("## A tour")[2].partition("\n## ")[0]
    commands = re.findall(r"^    fmugen (.*)$", tour_text, re.MULTILINE)
    assert len(commands) == 5
    for command in commands:
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == 0, (command, result.output)


def test_the_equations_of_the_tour(tour: Path) -> None:
    printed = CliRunner().invoke(app, ["equations", str(tour)]).stdout.splitlines()
    for line in shown("M[rod.angle"):
        assert f"  {line}" in printed


def test_the_mistakes_of_the_tour(tour: Path) -> None:
    text = tour.read_text(encoding="utf-8")
    text = text.replace('mass = "mass"', 'mas = "mass"').replace('"revolute"', '"revolt"')
    tour.write_text(text, encoding="utf-8")
    assert CliRunner().invoke(app, ["check", str(tour)]).stderr.splitlines() == shown("error: pendulum")


def test_the_builder_of_the_tour(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-c", blocks("python")[0]], cwd=tmp_path, env=environment, check=True, timeout=120
    )
    assert (tmp_path / "pendulum.fmu").is_file()


def test_every_option_of_every_command_is_in_the_readme() -> None:
    for command in ("check", "graph", "equations", "export", "report", "simulate", "verify"):
        text = CliRunner().invoke(app, [command, "--help"]).stdout
        for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE):
            assert option in README or option == "--output", (command, option)


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("name", ["BallPendulum", "MotorPendulum"])
def test_the_models_shown_can_be_exported(name: str, tmp_path: Path) -> None:
    """The indented blocks that are whole model files."""
    blocks = re.findall(r"(?:^(?:    .*)?\n)+", README, re.MULTILINE)
    (block,) = (block for block in blocks if f'    name = "{name}"' in block)
    model = tmp_path / "model.toml"
    model.write_text(re.sub("^    ", "", block, flags=re.MULTILINE), encoding="utf-8")
    result = CliRunner().invoke(app, ["export", str(model), "-o", str(tmp_path / "x.fmu")])
    assert result.exit_code == 0, result.output
