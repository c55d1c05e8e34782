"""What each table of a model file may hold, as pydantic models.

A table knows the form of its values, and for each of its formulas a :class:`Role` that says which names it
may use. Whether names exist is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Annotated, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    PlainValidator,
)
from pydantic_core import PydanticCustomError

from fmugen.errors import FormulaError
from fmugen.formulas import parse
from fmugen.ir.formula import ONE, ZERO, Formula
from fmugen.ir.model import GROUND
from fmugen.phases.read.problems import Place, formula_message
from fmugen.units import parse_unit

__all__ = [
    "BodyTable",
    "DriverTable",
    "ExperimentTable",
    "ForceTable",
    "GroundTable",
    "InputTable",
    "JointTable",
    "LoadTable",
    "ModelTable",
    "OutputTable",
    "ParameterTable",
    "PrismaticTable",
    "Role",
    "RotationTable",
    "SpringTable",
    "StartTable",
    "Table",
    "TorqueTable",
    "TranslationTable",
    "TreesTable",
    "WeldTable",
    "describe_value",
    "formulas_of",
]


class Role(Enum):
    """What a formula is for, which decides the names it may use."""

    CONSTANT = "a constant"
    DRIVER = "a driver's motion"
    LOAD = "a force"
    OUTPUT = "an output"


# --- forms of values -----------------------------------------------------------------------------


def _fault(message: str) -> PydanticCustomError:
    return PydanticCustomError("fmugen", "{message}", {"message": message})


def describe_value(value: object) -> str:
    """A value of a TOML file in words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else "a text"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, list):
        return "a list"
    return "a table" if isinstance(value, Mapping) else f"a {type(value).__name__}"


def _formula(value: object) -> Formula:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _fault(f"must be a number or a formula in quotes, not {describe_value(value)}")
    try:
        return parse(value)
    except FormulaError as error:
        raise _fault(formula_message(error)) from None


def _two_components(value: object) -> object:
    if not isinstance(value, list):
        raise _fault(f"must be a list of two components such as [1, 0], not {describe_value(value)}")
    if len(value) != 2:
        raise _fault(f"must have two components (x and y), not {len(value)}")
    return value


def _formula_or_vector(value: object) -> Formula | list[Formula]:
    if isinstance(value, list):
        _two_components(value)
        return [_formula(component) for component in value]
    return _formula(value)


def _unit(text: str) -> str:
    try:
        parse_unit(text)
    except FormulaError as error:
        raise _fault(error.message) from None
    return text


_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _printable(text: str) -> str:
    """Names and descriptions end in modelDescription.xml, which cannot hold control characters."""
    match = _NOT_IN_XML.search(text)
    if match:
        raise _fault(f"contains the control character U+{ord(match[0]):04X}")
    return text


Text = Annotated[str, AfterValidator(_printable)]
UnitText = Annotated[str, AfterValidator(_unit)]
FormulaField = Annotated[Formula, PlainValidator(_formula)]
VectorField = Annotated[list[FormulaField], BeforeValidator(_two_components)]
FormulaOrVector = Annotated[Formula | list[Formula], PlainValidator(_formula_or_vector)]
PositiveNumber = Annotated[FiniteFloat, Field(gt=0)]


class Table(BaseModel):
    """Base of all tables: no unknown keys, no conversion between types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True)

    #: The roles of formulas that are not constants, by field.
    roles: ClassVar[dict[str, Role]] = {}


# --- the model and its interface -----------------------------------------------------------------


class ModelTable(Table):
    name: Text
    description: Text = ""
    space: Literal["planar"] = "planar"
    gravity: VectorField = [ZERO, ZERO]


class ExperimentTable(Table):
    stop: PositiveNumber = 1.0
    step: PositiveNumber = 0.01
    tolerance: PositiveNumber = 1e-8


class ParameterTable(Table):
    value: FiniteFloat
    unit: UnitText = "1"
    description: Text = ""


class InputTable(Table):
    start: FiniteFloat = 0.0
    unit: UnitText = "1"
    description: Text = ""


class OutputTable(Table):
    roles = {"value": Role.OUTPUT}

    value: FormulaField
    unit: UnitText | None = None
    description: Text = ""


# --- elements ------------------------------------------------------------------------------------


class GroundTable(Table):
    points: dict[str, VectorField] = {}


class BodyTable(Table):
    mass: FormulaField = ZERO
    inertia: FormulaField = ZERO
    points: dict[str, VectorField] = {}
    description: Text = ""


class _LinkTable(Table):
    """An element between two attachments."""

    type: str
    tail: str = Field(alias="from")
    head: str = Field(alias="to")
    description: Text = ""


class JointTable(_LinkTable):
    """A revolute or virtual joint."""


class WeldTable(JointTable):
    angle: FormulaField = ZERO


class PrismaticTable(WeldTable):
    axis: VectorField = [ONE, ZERO]


class RotationTable(_LinkTable):
    roles = {"value": Role.DRIVER}

    value: FormulaField


class TranslationTable(_LinkTable):
    roles = {"value": Role.DRIVER}

    value: FormulaOrVector
    axis: VectorField | None = None


DriverTable = RotationTable | TranslationTable


class _LoadTable(Table):
    roles = {"value": Role.LOAD}

    type: str
    head: str = Field(alias="on")
    tail: str = Field(alias="from", default=GROUND)
    description: Text = ""


class ForceTable(_LoadTable):
    value: VectorField
    frame: str = GROUND


class TorqueTable(_LoadTable):
    value: FormulaField


LoadTable = ForceTable | TorqueTable


class SpringTable(_LinkTable):
    roles = {"actuator": Role.LOAD}

    stiffness: FormulaField = ZERO
    damping: FormulaField = ZERO
    free: FormulaField = ZERO
    actuator: FormulaField = ZERO


# --- start values and trees ----------------------------------------------------------------------


class StartTable(Table):
    fixed: dict[str, FormulaField] = {}
    guess: dict[str, FormulaField] = {}


class TreesTable(Table):
    translation: list[str]
    rotation: list[str]


def formulas_of(table: Table) -> Iterator[tuple[Place, Formula, Role]]:
    """Every formula the user wrote in a table, with its place in it and its role."""
    for field, info in type(table).model_fields.items():
        role = table.roles.get(field, Role.CONSTANT)
        for place, formula in _formulas_in(getattr(table, field), (info.alias or field,)):
            yield place, formula, role


def _formulas_in(value: object, place: Place) -> Iterator[tuple[Place, Formula]]:
    if isinstance(value, Formula):
        yield place, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _formulas_in(item, (*place, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _formulas_in(item, (*place, key))
