"""What contributors are told to run exists."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_a_working_day_has_ten_commands() -> None:
    (block,) = re.findall(r"```bash\n(.*?)```", text_of("CONTRIBUTING.md"), re.DOTALL)
    assert len(block.splitlines()) == 10
    for name in re.findall(r"^python (\S+\.py)", block, re.MULTILINE):
        assert (ROOT / name).is_file()


def test_every_target_of_make_that_pages_name_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        named = set(re.findall(r"`make ([a-z-]+)`", page.read_text(encoding="utf-8")))
        assert named <= targets, page.name


def test_the_hosted_workflow_runs_what_a_contributor_runs() -> None:
    assert "run: .ci/run" in text_of(".github/workflows/ci.yml")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_hooks_before_a_commit_are_those_of_make_lint() -> None:
    lint = text_of("Makefile").partition("\nlint:")[2].partition("\n\n")[0]
    programs = set(re.findall(r"\$\(BIN\)/([\w-]+)", lint))
    hooks = set(re.findall(r"entry: \.venv/bin/([\w-]+)", text_of(".pre-commit-config.yaml")))
    assert hooks == programs == {"ruff", "mypy", "lint-imports"}
