"""What a type of element is stands in its class, and reader and builder ask the class."""

from __future__ import annotations

import pytest

from fmugen.builder import element_methods
from fmugen.components.base import REGISTRY, SECTIONS, Component
from fmugen.ir.element import Space
from fmugen.phases.read.schema import element_table, keys_of

KINDS = [kind for kinds in REGISTRY.values() for kind in kinds.values()]


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
