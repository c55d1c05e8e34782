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
#: What is larger than the rules allow, with its size. Entries leave this table; they do not grow or join it.
_COMPLEX_BLOCKS = {
    "algebra/consequences.py _lengths": 15,
    "algebra/consequences.py _without": 15,
    "algebra/polynomials.py _Reader._polynomial": 15,
    "expr/compact/reading.py _Reader._draw_out": 17,
    "ir/views.py element_of": 18,
    "phases/embedding.py _Embedding._accelerations": 27,
    "phases/formulate/speeds.py _Elimination._finished": 16,
    "phases/read/assemblies/scope.py Scope.quantity": 20,
    "phases/read/draft.py _Reader.element": 15,
    "phases/read/faults.py in_plain_words": 15,
    "phases/triangularize/flow.py _flow": 15,
    "phases/triangularize/partition.py blocks_of": 19,
    "trees/topology.py span": 18,
    "verify/mechanism.py Mechanism.__init__": 24,
    "verify/network/tableau.py Tableau.__init__": 20,
    "verify/network/tableau.py Tableau._assemble": 17,
    "verify/simple.py SimpleMeasures.__init__": 15,
    "verify/winding.py with_spring_turns": 15,
}
_LONG_FILES = {"templates/runtime/fmi3.c": 531}


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
    assert found == _COMPLEX_BLOCKS


def test_no_file_is_long() -> None:
    files = [
        path.relative_to(ROOT).as_posix()
        for folder in ("fmugen", "templates")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    ]
    lengths = {file: _lines(file) for file in files}
    assert {file: length for file, length in lengths.items() if length > _LONG} == _LONG_FILES


@pytest.mark.parametrize("file", _SHORT)
def test_what_is_read_first_is_short(file: str) -> None:
    assert _lines(file) <= _SHORT[file]


# --- types of elements ---------------------------------------------------------------------------

#: Where types may be named: their classes, the laws of the judge, and the views that the judge reads.
_PLACES = ("components/", "verify/catalogue/", "ir/views.py", "ir/model.py")
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
#: The enumerations of types that the views of a model have.
_VIEWS = {"JointType", "DriverType", "LoadType", "SpringType", "PLANAR_JOINTS"}
TYPES = {kind for kinds in REGISTRY.values() for kind in kinds}


def _named_types(text: str, types: set[str]) -> Iterator[tuple[int, str]]:
    """The lines that name a type, with its name."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Constant(value=str(word)) if word in types:
                yield node.lineno, word
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.alias(name=word) if word in _VIEWS:
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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('kinds = ("revolute", "x")', "revolute"),
        ("from fmugen.ir.views import JointType", "JointType"),
        ("if joint.type is views.JointType.WELD: pass", "JointType"),
    ],
)
def test_a_named_type_is_found(text: str, name: str) -> None:
    assert list(_named_types(text, TYPES)) == [(1, name)]
