"""What a type of element is stands in its class: no other module names types."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import fmugen
from fmugen.builder import element_methods
from fmugen.components.base import REGISTRY, SECTIONS, Component
from fmugen.ir.element import Space
from fmugen.phases.read.schema import element_table, keys_of

PACKAGE = Path(fmugen.__file__).parent
#: Where types may be named: their classes, the laws of the judge, and the views that the judge reads.
_PLACES = ("components/", "verify/", "ir/views.py", "ir/model.py")
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
KINDS = [kind for kinds in REGISTRY.values() for kind in kinds.values()]


def test_no_module_outside_the_components_and_the_judge_names_a_type() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith(_PLACES):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in TYPES - _WORDS:
                found.append(f"{place}:{node.lineno} {node.value!r}")
            elif isinstance(node, ast.Name | ast.alias) and _name(node) in _VIEWS:
                found.append(f"{place}:{node.lineno} {_name(node)}")
    assert found == []


def _name(node: ast.Name | ast.alias) -> str:
    return node.id if isinstance(node, ast.Name) else node.name


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.section} {kind.type}")
def test_a_type_says_what_it_is(kind: type[Component]) -> None:
    """It has a sentence, and keys with a meaning that its table in a file has as well."""
    assert kind.__doc__ and len(kind.__doc__.split("\n\n")[0].split()) <= 30
    keys = kind.table_keys()
    assert all(key.help for key in keys)
    known = keys_of(element_table(kind), Space.SPATIAL)
    assert {end.key for end in kind.ends} | {key.name for key in keys} <= set(known)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.section} {kind.type}")
def test_the_builder_can_make_every_type(kind: type[Component]) -> None:
    if not SECTIONS[kind.section].network:
        arguments = element_methods()[kind.builder_method()].parameters
        assert {key.name for key in kind.table_keys()} <= set(arguments)
