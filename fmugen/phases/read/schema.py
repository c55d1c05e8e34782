"""The tables of a model file as pydantic models.

A table knows the form of its values and which of its keys only spatial models have. For each formula it has a
:class:`FormulaScope`, which says which names are allowed. Whether names exist is checked elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, create_model, model_validator

from fmugen.components.base import SECTIONS, Component, Form, FormulaScope, Key
from fmugen.errors import FormulaError
from fmugen.formulas import parse
from fmugen.ir.formula import ZERO, Formula
from fmugen.ir.model import Space
from fmugen.phases.read.fields import (
    LIST_SHAPE,
    ONE_SHAPE,
    SPATIAL_ONLY,
    TABLE_SHAPE,
    ArraysField,
    AttitudeText,
    FormulaField,
    FormulaOrVector,
    InertiaField,
    NumberField,
    PositiveNumber,
    SequenceText,
    Text,
    TorqueField,
    UnitText,
    VectorField,
    shape_of,
)
from fmugen.phases.read.problems import KeyPath
from fmugen.units import coherent_text

__all__ = [
    "ClosureTable",
    "ElementTable",
    "ExperimentTable",
    "FormulaScope",
    "GroundTable",
    "InputTable",
    "LimitedTable",
    "ModelTable",
    "OutputTable",
    "ParameterTable",
    "PointEntry",
    "PointTable",
    "StartTable",
    "Table",
    "TreesTable",
    "element_table",
    "formulas_of",
    "keys_of",
]


# Defaults have three components like the vectors of the model; the plane leaves the third at zero.
_NULL = [ZERO, ZERO, ZERO]


class Table(BaseModel):
    """Base of all tables: no unknown keys, no conversion between types.

    The description of a field is the hint for whoever leaves it out.
    """

    # Built when first used: a file has few of the seventy tables.
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True, defer_build=True
    )

    #: The roles of formulas that are not constants, by field.
    roles: ClassVar[dict[str, FormulaScope]] = {}


# --- the model and its interface -----------------------------------------------------------------


class ModelTable(Table):
    name: Text
    description: Text = ""
    space: Literal["planar", "spatial"] = "planar"
    gravity: VectorField = _NULL


class ExperimentTable(Table):
    stop: PositiveNumber = 1.0
    step: PositiveNumber = 0.01
    tolerance: PositiveNumber = 1e-8


class LimitedTable(Table):
    """A variable with limits and a nominal value, which importers use for display and scaling."""

    #: The key of the number itself.
    number: ClassVar[str] = ""

    min: NumberField | None = None
    max: NumberField | None = None
    nominal: PositiveNumber | None = None

    @model_validator(mode="before")
    @classmethod
    def _unit_of_the_number(cls, given: object) -> object:
        """A number with a unit says the unit of its table, unless that is given."""
        value = given.get(cls.number) if isinstance(given, Mapping) else None
        if not isinstance(given, Mapping) or not isinstance(value, str) or "unit" in given:
            return given
        try:
            unit = parse(value).unit
        except FormulaError:
            return given
        return {**given, "unit": coherent_text(unit)} if unit else given


class ParameterTable(LimitedTable):
    number = "value"

    value: NumberField
    unit: UnitText = "1"
    description: Text = ""


class InputTable(LimitedTable):
    number = "start"

    start: NumberField = 0.0
    unit: UnitText = "1"
    description: Text = ""
    rate: Text = ""
    stamp: Text = ""
    slope: NumberField | None = None


class OutputTable(Table):
    roles = {"value": FormulaScope.OUTPUT}

    value: FormulaField
    unit: UnitText | None = None
    description: Text = ""
    by: Text = ""
    without: list[Text] = []


# --- bodies and points ---------------------------------------------------------------------------


class PointTable(Table):
    """A point in its long form."""

    position: VectorField
    sequence: Annotated[SequenceText, SPATIAL_ONLY] = ""
    angles: Annotated[list[FormulaField], SPATIAL_ONLY] = []
    toward: Annotated[str | None, SPATIAL_ONLY] = None


#: A point is written as its position, or as a table.
PointEntry = list[Formula] | PointTable
_PointField = Annotated[
    Annotated[VectorField, Tag(LIST_SHAPE)]
    | Annotated[PointTable, Tag(TABLE_SHAPE)]
    | Annotated[VectorField, Tag(ONE_SHAPE)],  # says what form a vector has
    Discriminator(shape_of),
]


class GroundTable(Table):
    points: dict[str, _PointField] = {}


# --- elements ----------------------------------------------------------------------------------


class ElementTable(Table):
    """An element; its ends and values are those of its class."""

    component: ClassVar[type[Component]]
    #: The keys of the values, by field.
    keys: ClassVar[dict[str, Key]] = {}


_FORMS: dict[Form, Any] = {
    Form.FORMULA: FormulaField,
    Form.DIRECTION: VectorField,
    Form.POSITION: VectorField,
    Form.VECTOR: VectorField,
    Form.AXIAL: TorqueField,
    Form.FORMULA_OR_VECTOR: FormulaOrVector,
    Form.INERTIA: InertiaField,
    Form.ATTITUDE: AttitudeText,
    Form.BODY: str,
    Form.POINTS: dict[str, _PointField],
    Form.TYPE: str,
    Form.COUNT: FormulaField,
    Form.COEFFICIENTS: dict[str, FormulaField],
    Form.ARRAYS: ArraysField,
}


def element_table(kind: type[Component], variant: str | None = None) -> type[ElementTable]:
    """The table of a type of element; ``variant`` is the value of the key that decides others."""
    known = _TABLES.get((kind, variant))
    if known is None:
        known = _TABLES[kind, variant] = _made(kind, variant)
    return known


_TABLES: dict[tuple[type[Component], str | None], type[ElementTable]] = {}


def _made(kind: type[Component], variant: str | None) -> type[ElementTable]:
    keys = kind.table_keys() if variant is None else kind.variants()[variant]
    section = SECTIONS[kind.section]
    fields: dict[str, Any] = {}
    if kind.type != section.default:
        fields["type"] = (str, ...)
    description: Any = (Text, "")
    if section.network:
        fields["description"] = description
    for end in sorted(kind.ends, key=lambda end: end.default is not None and not section.network):
        node: Any = ... if end.default is None else end.default
        fields[f"end_{end.key}"] = (str, Field(node, alias=end.key, description=end.hint or None))
    values = {f"value_{key.name}": _field_of(key) for key in keys}
    if kind.ends and not section.network:
        fields["description"] = description
    fields |= values
    fields.setdefault("description", description)
    table = create_model(kind.__name__, __base__=ElementTable, **fields)
    table.component = kind
    table.keys = {f"value_{key.name}": key for key in keys}
    table.roles = {f"value_{key.name}": key.scope for key in keys if key.scope is not FormulaScope.CONSTANT}
    return table


def _field_of(key: Key) -> tuple[Any, Any]:
    form = Literal[key.options] if key.form is Form.OPTION else _FORMS[key.form]
    if key.default is None:
        form = form | None
    if key.spatial:
        form = Annotated[form, SPATIAL_ONLY]
    default: Any = ... if key.required else key.default
    return form, Field(default, alias=key.name, description=key.hint or None)


# --- start values and trees ----------------------------------------------------------------------


class StartTable(Table):
    steady: bool = False
    fixed: dict[str, FormulaField] = {}
    guess: dict[str, FormulaField] = {}


class ClosureTable(Table):
    independent: list[str] = []


class TreesTable(Table):
    translation: list[str]
    rotation: list[str]
    complete: bool = False


# --- what tables hold ----------------------------------------------------------------------------


def keys_of(table: type[Table], space: Space) -> list[str]:
    """The keys a table may have in a model of the space."""
    return [
        info.alias or name
        for name, info in table.model_fields.items()
        if space is Space.SPATIAL or SPATIAL_ONLY not in info.metadata
    ]


def formulas_of(table: Table) -> Iterator[tuple[KeyPath, Formula, FormulaScope]]:
    """Every formula the user wrote in a table, with its place in it and its role."""
    for field, info in type(table).model_fields.items():
        role = table.roles.get(field, FormulaScope.CONSTANT)
        for place, formula in _formulas_in(getattr(table, field), (info.alias or field,)):
            yield place, formula, role


def _formulas_in(value: object, place: KeyPath) -> Iterator[tuple[KeyPath, Formula]]:
    if isinstance(value, Formula):
        yield place, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _formulas_in(item, (*place, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _formulas_in(item, (*place, key))
    elif isinstance(value, Table):
        for inner, formula, _ in formulas_of(value):
            yield (*place, *inner), formula
