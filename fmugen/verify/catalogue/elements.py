"""Elements of a model by section, type and the keys of the model file, as the laws read them."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.ir.element import Element, Value
from fmugen.ir.model import SystemModel

__all__ = ["Element", "Value", "elements_of"]


def elements_of(model: SystemModel) -> Iterator[Element]:
    """Every element, in the order of the sections of a file."""
    yield from model.elements
