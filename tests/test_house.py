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
#: Where a word that is also the name of a type means something else: a graph, a space, a discipline, a column
#: of a table, a quantity, a matrix, a symbol.
_WORDS: dict[str, set[str]] = {
    "builder.py": {"planar"},
    "cli/trees.py": {"rotation", "translation"},
    "cosim/condense.py": {"force"},
    "cosim/denoc.py": {"force"},
    "cosim/penalty.py": {"damper", "force", "spring"},
    "cosim/ports.py": {"force", "torque"},
    "ir/element.py": {"planar"},
    "ir/graph.py": {"body", "force", "rotation", "translation"},
    "ir/model.py": {"inertia", "mass"},
    "ir/network.py": {"rotational", "translational"},
    "ir/quantity.py": {"torque"},
    "phases/emit/functions.py": {"force", "mass"},
    "phases/lower/__init__.py": {"force"},
    "phases/lower/matrices.py": {"mass"},
    "phases/read/assemblies/flatten.py": {"planar"},
    "phases/read/resolve.py": {"rotation", "translation"},
    "phases/read/schema.py": {"planar"},
    "view/equations.py": {"force", "mass"},
    "view/graph.py": {"body"},
    "view/parts.py": {"force", "inertia", "torque"},
    "view/report/animation.py": {"body", "planar"},
    "view/report/scene.py": {"weld"},
}
TYPES = {kind for kinds in REGISTRY.values() for kind in kinds}


def _named_types(text: str, types: set[str]) -> Iterator[tuple[int, str]]:
    """The lines that name a type, with its name."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Constant(value=str(word)) if word in types:
                yield node.lineno, word


def test_no_module_outside_the_components_and_the_catalogue_names_a_type() -> None:
    found = {
        f"{place}:{line} {name}"
        for place, text in _python()
        if not place.startswith(_PLACES)
        for line, name in _named_types(text, TYPES - _WORDS.get(place, set()))
    }
    assert found == set()


def test_every_word_that_is_also_a_type_stands_where_it_is_allowed() -> None:
    for place, words in _WORDS.items():
        named = {name for _, name in _named_types((PACKAGE / place).read_text(encoding="utf-8"), TYPES)}
        assert words <= named, place


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
