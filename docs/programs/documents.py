"""Run what the documentation shows, and compare or rewrite the output that it shows.

    python docs/programs/documents.py [--update] [PAGE ...]

The blocks of a page are worked through in order, in an empty folder that has ``examples`` beside it:

- A block with a ``title`` is a file of that name.
- A ``console`` block has commands after ``$``, and below each what it prints; ``...`` stands for any lines.
- A ``bash`` block is not run, but for commands that draw a picture of docs/images: it must be what they draw.
- A ``python`` or ``toml`` block without a title must be correct Python or TOML; it is not run.

With ``--update`` output and pictures that differ are written anew.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Every page of the repository whose links and blocks are tested.
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "cross_check/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
_FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_DRAWING = re.compile(r"^fmugen .* --svg (docs/images/[\w.]+)$", re.MULTILINE)
_ANY = "..."
#: Seconds that a command may take.
_LIMIT = 240


class PageError(Exception):
    """What a page shows is not what happens."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it is, if any, and where its text is in the page."""

    language: str
    title: str
    text: str
    begin: int


@dataclass(frozen=True)
class Command:
    """A command line, and the lines that the page shows below it."""

    line: str
    shown: tuple[str, ...]


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = _FENCE.finditer(text)
    return [Block(match[1], match[2] or "", match[3], match.start(3)) for match in found]


def commands(block: Block) -> list[Command]:
    """The commands of a ``console`` block."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    if parts[0]:
        raise PageError(f"a console block begins with output: {parts[0].splitlines()[0]}")
    return [Command(first, tuple(rest)) for first, *rest in (part.splitlines() for part in parts[1:])]


def run_page(page: Path, folder: Path, update: bool = False) -> None:
    """Work through all blocks of a page in a folder.

    Raises
    ------
    PageError
        At the first block that does not do what the page shows.
    """
    workshop = _prepared(folder)
    page_text = page.read_text(encoding="utf-8")
    written = []
    end = 0
    for block in blocks(page):
        try:
            text = _worked(block, workshop, update)
        except PageError as error:
            line = page_text.count("\n", 0, block.begin) + 1
            raise PageError(f"{page.relative_to(ROOT)}, block at line {line}: {error}") from None
        written += [page_text[end : block.begin], text]
        end = block.begin + len(block.text)
    new = "".join([*written, page_text[end:]])
    if update and new != page_text:
        page.write_text(new, encoding="utf-8")


def _worked(block: Block, folder: Path, update: bool) -> str:
    """Do what a block says; its text, with the output of today if that is asked for."""
    if block.title:
        place = folder / block.title
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(block.text, encoding="utf-8")
    elif block.language == "console":
        return "".join(_compared(command, folder, update) for command in commands(block))
    elif block.language == "bash":
        for match in _DRAWING.finditer(block.text):
            _redrawn(match[0], match[1], folder, update)
    elif block.language in _READERS:
        try:
            _READERS[block.language](block.text)
        except ValueError as error:
            raise PageError(f"not {block.language}: {error}") from None
    return block.text


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise ValueError(str(error)) from None


#: What reads a block that is not run, and raises ValueError if it cannot.
_READERS: dict[str, Callable[[str], object]] = {"toml": tomllib.loads, "python": _parsed}


def _compared(command: Command, folder: Path, update: bool) -> str:
    shown = command.shown
    # A page that shows a mistake shows its message.
    mistake = any(line.startswith("error:") for line in shown)
    printed = _printed(["sh", "-c", command.line], folder, 1 if mistake else 0)
    if not fits(shown, printed):
        if not update:
            expected, got = "\n".join(shown), "\n".join(printed)
            raise PageError(f"{command.line}\n--- shown\n{expected}\n--- printed\n{got}")
        shown = tuple(printed)
    return "".join(f"{line}\n" for line in (f"$ {command.line}", *shown))


def _redrawn(command: str, picture: str, folder: Path, update: bool) -> None:
    (folder / picture).parent.mkdir(parents=True, exist_ok=True)
    _printed(["sh", "-c", command], folder)
    drawn = (folder / picture).read_bytes()
    if drawn != (ROOT / picture).read_bytes():
        if not update:
            raise PageError(f"{picture} is not what this draws: {command}")
        (ROOT / picture).write_bytes(drawn)


def fits(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether the lines shown are those printed; ``...`` stands for any lines, or any text of a line."""
    pattern = "".join(r"(?:.*\n)*" if line.strip() == _ANY else _pattern(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _pattern(line: str) -> str:
    return ".*".join(map(re.escape, line.split(_ANY)))


def _printed(command: list[str], folder: Path, code: int = 0) -> list[str]:
    """The lines that a command prints when it ends with an exit code; for 1, those of its error messages."""
    environment = {
        **os.environ,
        "COLUMNS": "100",
        "PATH": f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_LIMIT, check=False
    )
    if done.returncode != code or "Traceback" in done.stderr:
        raise PageError(f"{command[-1]}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    text = done.stdout + done.stderr * code
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return lines


def _prepared(folder: Path) -> Path:
    """A folder to work in, with the examples, and ``fmugen`` and ``python`` on the path."""
    workshop, programs = folder / "work", folder / "bin"
    workshop.mkdir()
    programs.mkdir()
    shutil.copytree(ROOT / "examples", workshop / "examples")
    for name, module in (("fmugen", "-m fmugen"), ("pythonfmu", "-m pythonfmu"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return workshop


def links(page: Path) -> Iterator[str]:
    """The targets of all links and pictures of a page that are not addresses of the web."""
    code = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
    text = code.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            yield target


def anchors(page: Path) -> set[str]:
    """The names of the headings of a page, as GitHub and MkDocs make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


def main(arguments: list[str]) -> int:
    update = "--update" in arguments
    names = [Path(name).resolve() for name in arguments if name != "--update"]
    failed = False
    for page in names or PAGES:
        with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
            try:
                run_page(page, Path(folder), update)
            except PageError as error:
                print(error, file=sys.stderr)
                failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
