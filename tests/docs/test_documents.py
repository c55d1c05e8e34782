"""What the documentation shows is what happens, and its links lead somewhere."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import documents
import pytest
import reference
from typer.testing import CliRunner

from fmugen import errors
from fmugen.cli import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINKED = [*documents.PAGES, ROOT / "CHANGELOG.md", *sorted(ROOT.glob("examples/*/README.md"))]
#: Pages with blocks that are run, read or compiled.
SHOWN = [page for page in documents.PAGES if documents.blocks(page)]
#: Pages that export many FMUs.
LONG = {"architecture.md", "several-fmus.md", "studies.md"}
COMMANDS = [
    "check", "graph", "trees", "closure", "modes", "equations", "export",
    "simulate", "report", "verify", "cross-check", "split", "study",
]  # fmt: skip


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name_of(page), marks=pytest.mark.slow if page.name in LONG else ())
        for page in SHOWN
    ],
)
def test_a_page_shows_what_happens(page: Path, tmp_path: Path) -> None:
    documents.run_page(page, tmp_path)


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in documents.links(page):
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        assert place.exists(), target
        assert not anchor or anchor in documents.anchors(place), target


def test_every_page_is_on_the_first_page() -> None:
    linked = {(DOCS / target.partition("#")[0]).resolve() for target in documents.links(DOCS / "index.md")}
    assert set(DOCS.glob("*.md")) - {DOCS / "index.md"} <= linked


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"^ +- [^:\n]+: ([\w-]+\.md)$", text, re.MULTILINE))
    assert named == {page.name for page in DOCS.glob("*.md")}


def test_every_example_is_listed() -> None:
    listed = re.findall(
        r"\(\.\./examples/(\w+)/README\.md\)", (DOCS / "examples.md").read_text(encoding="utf-8")
    )
    assert sorted(listed) == sorted(path.parent.name for path in ROOT.glob("examples/*/model.toml"))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_every_command_is_described(command: str) -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    options = re.findall(
        r"^ +(?:-\w, )?(--[a-z-]+)", CliRunner().invoke(app, [command, "--help"]).stdout, re.MULTILINE
    )
    assert options, command
    for option in set(options) - {"--help"}:
        assert re.search(rf"{option}\b", text), option


def test_every_command_is_described() -> None:
    printed = CliRunner().invoke(app, ["--help"]).stdout
    found = re.findall(r"^  ([a-z-]+) {2,}", printed.partition("Commands:")[2], re.MULTILINE)
    assert sorted(found) == sorted(COMMANDS)


@pytest.mark.parametrize("page", documents.PAGES, ids=name_of)
def test_commands_that_are_not_run_have_the_options_shown(page: Path) -> None:
    shell = [block.text for block in documents.blocks(page) if block.language == "bash"]
    for line in chain.from_iterable(text.splitlines() for text in shell):
        match = re.match(r"fmugen ([a-z-]+) (.*)", line)
        if match is None:
            continue
        known = CliRunner().invoke(app, [match[1], "--help"]).stdout
        for word in match[2].split():
            assert not word.startswith("--") or word in known, line
            assert not word.startswith("examples/") or (ROOT / word).exists(), line


def test_the_reference_of_python_is_what_the_code_says() -> None:
    text = reference.PAGE.read_text(encoding="utf-8")
    assert reference.page_with_tables(text) == text, "run python docs/programs/reference.py --update"


def test_the_tree_of_errors_is_that_of_the_code() -> None:
    tree = [line.strip() for line in (errors.__doc__ or "").splitlines() if line.startswith("    ")]
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    assert tree and "\n".join(tree) in "\n".join(line.strip() for line in page.splitlines())


# --- the checker itself ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        (("a", "b"), ["a", "b"], True),
        (("a",), ["a", "b"], False),
        (("a", "..."), ["a"], True),
        (("...", "c"), ["a", "b", "c"], True),
        (("...", "c"), ["a", "b"], False),
        (("largest ..., allowed 1",), ["largest 2e-9, allowed 1"], True),
        (("largest ..., allowed 1",), ["largest 2e-9, allowed 2"], False),
    ],
)
def test_output_shown_must_be_that_printed(
    shown: tuple[str, ...], printed: list[str], expected: bool
) -> None:
    assert documents.fits(shown, printed) is expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "--- printed\none"),
        ("```console\n$ fmugen check nothing.toml\n...\n```\n", "exit code 1"),
        ("```python\nreturn (\n```\n", "not python"),
        ("```toml\nkey =\n```\n", "not toml"),
        ('```python title="x.py"\nraise ValueError\n```\n```console\n$ python x.py\n```\n', "exit code 1"),
    ],
)
def test_a_page_that_is_wrong_is_refused(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    monkeypatch.setattr(documents, "ROOT", tmp_path)
    (tmp_path / "examples").mkdir()
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(documents.PageError, match=re.escape(message)):
        documents.run_page(page, folder)
