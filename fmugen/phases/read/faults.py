"""What pydantic finds wrong with a table, in the words of a model file."""

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
from fmugen.phases.read.problems import Place
from fmugen.phases.read.schema import PointTable, Table, keys_of
from fmugen.suggestions import did_you_mean

__all__ = ["in_plain_words", "place_of"]


def place_of(fault: ErrorDetails) -> Place:
    """The keys that lead to a fault, without pydantic's names for the shapes of values."""
    return tuple(key for key in fault["loc"] if key not in SHAPES)


def in_plain_words(fault: ErrorDetails, table: type[Table], noun: str, space: Space) -> tuple[str, str]:
    """The message and the hint for one of pydantic's errors."""
    if TABLE_SHAPE in fault["loc"]:  # only points are tables within tables
        table, noun = PointTable, "a point"
    given = describe_value(fault["input"])
    context = fault.get("ctx", {})
    if fault["type"] == CUSTOM_FAULT:
        return context["message"], context["hint"]
    if fault["type"] == PLANAR_FAULT:
        keys = ", ".join(keys_of(table, space))
        return f"{noun} has no key {fault['loc'][-1]!r} in the plane", f"the keys are {keys}; {SAY_SPATIAL}"
    match fault["type"]:
        case "missing":
            return "is missing", _description(table, fault["loc"][-1])
        case "extra_forbidden":
            return _unknown_key(str(fault["loc"][-1]), table, noun, space)
        case "bool_type":
            return f"must be true or false, not {given}", ""
        case "string_type":
            return f"must be text in quotes, not {given}", ""
        case "float_type":
            return f"must be a number, not {given}", ""
        case "finite_number":
            return "must be a finite number", ""
        case "greater_than":
            return f"must be greater than {context['gt']:g}", ""
        case "list_type":
            return f"must be a list, not {given}", ""
        case "dict_type":
            return f"must be a table, not {given}", ""
        case "model_type":
            return f"must be a table, not {given}", f"its keys are {', '.join(keys_of(table, space))}"
        case "literal_error":
            return f"must be {context['expected']}, not {given}", ""
        case _:
            return fault["msg"], ""


def _description(table: type[Table], key: str | int) -> str:
    for name, info in table.model_fields.items():
        if key == (info.alias or name):
            return info.description or ""
    return ""


def _unknown_key(key: str, table: type[Table], noun: str, space: Space) -> tuple[str, str]:
    keys = keys_of(table, space)
    return f"{noun} has no key {key!r}", did_you_mean(key, keys) or f"the keys are {', '.join(keys)}"
