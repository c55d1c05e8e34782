"""Rules about the code itself: the size of files and functions, and where types of elements are named."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from radon.complexity import cc_visit

import fmugen
from fmugen.components.base import REGISTRY

ROOT = Path(__file__).parents[1]
PACKAGE = Path(fmugen.__file__).parent
#: The cyclomatic complexity that no function reaches.
_COMPLEX = 15
#: Lines of a file.
_LONG = 500
_SHORT = {"fmugen/pipeline.py": 150, "README.md": 150}


def _lines(place: str) -> int:
    return len((ROOT / place).read_text(encoding="utf-8").splitlines())


def _python() -> Iterator[tuple[str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")


def test_no_function_is_complex() -> None:
    found = {
        f"{place} {block.fullname}": block.complexity
        for place, text in _python()
        for block in cc_visit(text)
        if block.complexity >= _COMPLEX
    }
    assert found == {}


def test_no_file_is_long() -> None:
    files = [
        path.relative_to(ROOT).as_posix()
        for folder in ("fmugen", "templates")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    ]
    lengths = {file: _lines(file) for file in files}
    assert {file: length for file, length in lengths.items() if length > _LONG} == {}


@pytest.mark.parametrize("file", _SHORT)
def test_what_is_read_first_is_short(file: str) -> None:
    assert _lines(file) <= _SHORT[file]


# --- types of elements ---------------------------------------------------------------------------

#: Where types may be named: their classes, and the laws of the judge.
_PLACES = ("components/", "verify/catalogue/")
#: Types whose name is also a word of the program: a graph, a space, a discipline, a table, a symbol.
_WORDS = {
    "body",
    "damper",
    "free",
    "force",
    "inertia",
    "mass",
    "planar",
    "rod",
    "rotation",
    "rotational",
    "spring",
    "torque",
    "translation",
    "translational",
    "weld",
}
TYPES = {kind for kinds in REGISTRY.values() for kind in kinds}


def _named_types(text: str, types: set[str]) -> Iterator[tuple[int, str]]:
    """The lines that name a type, with its name."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Constant(value=str(word)) if word in types:
                yield node.lineno, word


def test_no_module_outside_the_components_and_the_catalogue_names_a_type() -> None:
    found = [
        f"{place}:{line} {name}"
        for place, text in _python()
        if not place.startswith(_PLACES)
        # The judge does not use the words of the program: there every name of a type counts.
        for line, name in _named_types(text, TYPES if place.startswith("verify/") else TYPES - _WORDS)
    ]
    assert found == []


def test_a_named_type_is_found() -> None:
    assert list(_named_types('kinds = ("revolute", "x")', TYPES)) == [(1, "revolute")]


# --- places of modules ---------------------------------------------------------------------------

#: Modules that users and tools import from the root.
_ENTRANCES = {"__init__", "__main__", "api", "builder", "pipeline", "version"}


def _importers() -> dict[str, set[str]]:
    """For each module at the root, the packages and modules of the root that import it."""
    found: dict[str, set[str]] = {path.stem: set() for path in PACKAGE.glob("*.py")}
    for place, text in _python():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fmugen."):
                name = str(node.module).split(".")[1]
                if name in found:
                    found[name].add(place.partition("/")[0])
    return found


def test_a_module_at_the_root_serves_several_packages() -> None:
    lonely = {name: sorted(users) for name, users in _importers().items() if len(users) < 2}
    assert {name: users for name, users in lonely.items() if name not in _ENTRANCES} == {}
