"""Errors of pydantic in the words of a model file."""

from __future__ import annotations

from pydantic_core import ErrorDetails

from fmugen.ir.model import Space
from fmugen.phases.read.fields import (
    CUSTOM_FAULT,
    PLANAR_FAULT,
    SAY_SPATIAL,
    SHAPES,
    TABLE_SHAPE,
    describe_value,
)
from fmugen.phases.read.problems import KeyPath
from fmugen.phases.read.schema import PointTable, Table, keys_of
from fmugen.suggestions import choice_hint

__all__ = ["in_plain_words", "place_of"]


def place_of(fault: ErrorDetails) -> KeyPath:
    """The keys that lead to a fault, without pydantic's names for the shapes of values."""
    return tuple(key for key in fault["loc"] if key not in SHAPES)


#: The sentence for each of pydantic's types of errors that says all with the value and its bounds.
_SENTENCES = {
    "bool_type": "must be true or false, not {given}",
    "string_type": "must be text in quotes, not {given}",
    "float_type": "must be a number, not {given}",
    "finite_number": "must be a finite number",
    "greater_than": "must be greater than {gt:g}",
    "list_type": "must be a list, not {given}",
    "dict_type": "must be a table, not {given}",
    "model_type": "must be a table, not {given}",
    "literal_error": "must be {expected}, not {given}",
    "missing": "is missing",
}


def in_plain_words(fault: ErrorDetails, table: type[Table], noun: str, space: Space) -> tuple[str, str]:
    """The message and the hint for one of pydantic's errors."""
    if TABLE_SHAPE in fault["loc"]:  # only points are tables within tables
        table, noun = PointTable, "a point"
    context = fault.get("ctx", {})
    keys = ", ".join(keys_of(table, space))
    if fault["type"] == CUSTOM_FAULT:
        return context["message"], context["hint"]
    if fault["type"] == PLANAR_FAULT:
        return f"{noun} has no key {fault['loc'][-1]!r} in the plane", f"the keys are {keys}; {SAY_SPATIAL}"
    if fault["type"] == "extra_forbidden":
        return _unknown_key(str(fault["loc"][-1]), table, noun, space)
    if fault["type"] not in _SENTENCES:
        return fault["msg"], ""
    message = _SENTENCES[fault["type"]].format(given=describe_value(fault["input"]), **context)
    match fault["type"]:
        case "missing":
            return message, _description(table, fault["loc"][-1])
        case "model_type":
            return message, f"its keys are {keys}"
        case _:
            return message, ""


def _description(table: type[Table], key: str | int) -> str:
    for name, info in table.model_fields.items():
        if key == (info.alias or name):
            return info.description or ""
    return ""


def _unknown_key(key: str, table: type[Table], noun: str, space: Space) -> tuple[str, str]:
    keys = keys_of(table, space)
    return f"{noun} has no key {key!r}", choice_hint(key, keys, "the keys are")
