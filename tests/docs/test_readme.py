"""The README begins with what fmugen is for, and shows a picture of a real run."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_begins_with_the_use_and_a_picture() -> None:
    opening = README.partition("## Two commands")[0]
    assert "FMU" in opening and "tree" not in opening
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", opening)
    assert (ROOT / picture).stat().st_size < 50_000


def test_the_readme_names_the_two_commands() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^make (\w+)", README, re.MULTILINE)
    assert commands == ["demo", "test"]
    assert all(re.search(rf"^{command}:", makefile, re.MULTILINE) for command in commands)
