"""Elements of XML with attributes of any type."""

from __future__ import annotations

import re

from lxml import etree

__all__ = ["Value", "add", "set_attributes", "to_bytes"]

Value = str | float | bool | None

#: What XML cannot carry, and the control characters that no importer expects in a line of text.
_NOT_TEXT = re.compile("[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def add(parent: etree._Element, tag: str, **attributes: Value) -> etree._Element:
    """A new child; attributes that are ``None`` are left out."""
    return set_attributes(etree.SubElement(parent, tag), **attributes)


def set_attributes(element: etree._Element, **attributes: Value) -> etree._Element:
    for name, value in attributes.items():
        if value is not None:
            element.set(name, _attribute(value))
    return element


def to_bytes(root: etree._Element) -> bytes:
    etree.indent(root)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8") + b"\n"


def _attribute(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _NOT_TEXT.sub(" ", value)
    return repr(value)
