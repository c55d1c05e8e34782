"""What each table of a model file may hold, as pydantic models.

A table knows the form of its values, which of its keys only spatial models have, and for each of its formulas
a :class:`Role` that says which names it may use. Whether names exist is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, FiniteFloat, Tag, create_model

from fmugen.components.networks import COMPONENTS, NetworkComponent
from fmugen.ir.formula import ONE, ZERO, Formula
from fmugen.ir.model import GROUND, QUATERNION, Space
from fmugen.phases.read.fields import (
    LIST_SHAPE,
    ONE_SHAPE,
    SPATIAL_ONLY,
    TABLE_SHAPE,
    AttitudeText,
    FormulaField,
    FormulaOrVector,
    InertiaField,
    PositiveNumber,
    SequenceText,
    Text,
    TorqueField,
    UnitText,
    VectorField,
    shape_of,
)
from fmugen.phases.read.problems import Place

__all__ = [
    "COMPONENT_TABLES",
    "DRIVERS",
    "JOINTS",
    "LOADS",
    "SPRINGS",
    "VIRTUAL_JOINTS",
    "AttitudeTable",
    "AxisTable",
    "BodyTable",
    "ComponentTable",
    "DriverTable",
    "ExperimentTable",
    "ForceTable",
    "GroundTable",
    "InputTable",
    "JointTable",
    "LimitedTable",
    "LoadTable",
    "ModelTable",
    "OutputTable",
    "ParameterTable",
    "PointEntry",
    "PointTable",
    "PrismaticTable",
    "RodTable",
    "Role",
    "RotationTable",
    "RotationalSpringTable",
    "ScrewTable",
    "SpringTable",
    "StartTable",
    "Table",
    "TorqueTable",
    "TranslationTable",
    "TreesTable",
    "TwoAxesTable",
    "VirtualTable",
    "WeldTable",
    "formulas_of",
    "keys_of",
]


class Role(Enum):
    """What a formula is for, which decides the names it may use."""

    CONSTANT = "a constant"
    DRIVER = "a driver's motion"
    LOAD = "a force"
    VALUE = "a value of a component"
    OUTPUT = "an output"


# Defaults have three components like the vectors of the model; the plane leaves the third at zero.
_NULL = [ZERO, ZERO, ZERO]
_X = [ONE, ZERO, ZERO]
_Z = [ZERO, ZERO, ONE]


class Table(BaseModel):
    """Base of all tables: no unknown keys, no conversion between types.

    The description of a field is the hint for whoever leaves it out.
    """

    # Built when first used: a file has few of the seventy tables.
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True, defer_build=True
    )

    #: The roles of formulas that are not constants, by field.
    roles: ClassVar[dict[str, Role]] = {}


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
    """What may have limits and a nominal value; importers show and scale by them."""

    min: FiniteFloat | None = None
    max: FiniteFloat | None = None
    nominal: Annotated[FiniteFloat, Field(gt=0)] | None = None


class ParameterTable(LimitedTable):
    value: FiniteFloat
    unit: UnitText = "1"
    description: Text = ""


class InputTable(LimitedTable):
    start: FiniteFloat = 0.0
    unit: UnitText = "1"
    description: Text = ""
    rate: Text = ""
    stamp: Text = ""
    slope: FiniteFloat | None = None


class OutputTable(Table):
    roles = {"value": Role.OUTPUT}

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


class BodyTable(Table):
    mass: FormulaField = ZERO
    inertia: InertiaField = ZERO
    center: VectorField = _NULL
    attitude: Annotated[AttitudeText, SPATIAL_ONLY] = QUATERNION
    points: dict[str, _PointField] = {}
    description: Text = ""


# --- joints --------------------------------------------------------------------------------------


class _LinkTable(Table):
    """An element between two attachments."""

    type: str
    tail: str = Field(alias="from")
    head: str = Field(alias="to")
    description: Text = ""


class JointTable(_LinkTable):
    """A joint with nothing to say about its geometry."""


class WeldTable(JointTable):
    angle: FormulaField = ZERO


class AxisTable(JointTable):
    """A joint about or along one axis, which in the plane can only be z."""

    axis: Annotated[VectorField, SPATIAL_ONLY] = _Z


class PrismaticTable(AxisTable):
    axis: VectorField = _X
    angle: FormulaField = ZERO


class TwoAxesTable(AxisTable):
    second_axis: VectorField = _X


class AttitudeTable(JointTable):
    attitude: Annotated[AttitudeText, SPATIAL_ONLY] = QUATERNION


class ScrewTable(AxisTable):
    lead: FormulaField = Field(description="give the advance per turn in metres")


class RodTable(JointTable):
    length: FormulaField = Field(description="give the distance of its ends in metres")


class VirtualTable(JointTable):
    """A virtual joint; its other keys are those of the joint it is like."""

    like: Annotated[str, SPATIAL_ONLY] = "free"


class _VirtualAxisTable(AxisTable, VirtualTable):
    pass


class _VirtualPrismaticTable(PrismaticTable, VirtualTable):
    pass


class _VirtualTwoAxesTable(TwoAxesTable, VirtualTable):
    pass


class _VirtualAttitudeTable(AttitudeTable, VirtualTable):
    pass


#: The table of each joint type.
JOINTS: dict[str, type[JointTable]] = {
    "revolute": AxisTable,
    "prismatic": PrismaticTable,
    "universal": TwoAxesTable,
    "spherical": AttitudeTable,
    "cylindrical": AxisTable,
    "planar": TwoAxesTable,
    "weld": WeldTable,
    "free": AttitudeTable,
    "translational": JointTable,
    "screw": ScrewTable,
    "rod": RodTable,
    "virtual": _VirtualAttitudeTable,
}
#: The table of a virtual joint for each type it can be like.
VIRTUAL_JOINTS: dict[str, type[VirtualTable]] = {
    "free": _VirtualAttitudeTable,
    "revolute": _VirtualAxisTable,
    "prismatic": _VirtualPrismaticTable,
    "universal": _VirtualTwoAxesTable,
    "spherical": _VirtualAttitudeTable,
    "cylindrical": _VirtualAxisTable,
    "planar": _VirtualTwoAxesTable,
    "translational": VirtualTable,
}


# --- drivers, loads, springs ---------------------------------------------------------------------


class RotationTable(_LinkTable):
    roles = {"value": Role.DRIVER}

    value: FormulaField
    axis: Annotated[VectorField, SPATIAL_ONLY] = _Z


class TranslationTable(_LinkTable):
    roles = {"value": Role.DRIVER}

    value: FormulaOrVector
    axis: VectorField | None = None


DriverTable = RotationTable | TranslationTable
DRIVERS: dict[str, type[DriverTable]] = {"rotation": RotationTable, "translation": TranslationTable}


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
    value: TorqueField
    frame: Annotated[str, SPATIAL_ONLY] = GROUND


LoadTable = ForceTable | TorqueTable
LOADS: dict[str, type[LoadTable]] = {"force": ForceTable, "torque": TorqueTable}


class SpringTable(_LinkTable):
    roles = {"actuator": Role.LOAD}

    stiffness: FormulaField = ZERO
    damping: FormulaField = ZERO
    free: FormulaField = ZERO
    actuator: FormulaField = ZERO


class RotationalSpringTable(SpringTable):
    axis: Annotated[VectorField, SPATIAL_ONLY] = _Z


SPRINGS: dict[str, type[SpringTable]] = {
    "translational": SpringTable,
    "rotational": RotationalSpringTable,
}


# --- networks ------------------------------------------------------------------------------------


class ComponentTable(Table):
    """A component of a network; its terminals and values are those of its class."""

    type: str
    description: Text = ""


def _component_table(component: type[NetworkComponent]) -> type[ComponentTable]:
    """The table of a component: a text for every terminal, a formula for every value."""
    fields: dict[str, Any] = {}
    for terminal in component.terminals:
        hint = f"name the node of the terminal {terminal.name!r}"
        node: Any = ... if terminal.default is None else terminal.default
        fields[f"terminal_{terminal.name}"] = (str, Field(node, alias=terminal.name, description=hint))
    for value in component.values:
        formula = value.default_formula
        hint = f"{value.help} in {value.unit}" if value.unit != "1" else value.help
        default: Any = ... if formula is None else formula
        fields[f"value_{value.name}"] = (FormulaField, Field(default, alias=value.name, description=hint))
    roles = {f"value_{value.name}": Role.VALUE for value in component.values if value.free}
    table = create_model(component.__name__, __base__=ComponentTable, **fields)
    table.roles = roles
    return table


#: The table of each component, by section and type.
COMPONENT_TABLES: dict[str, dict[str, type[ComponentTable]]] = {
    section: {kind: _component_table(component) for kind, component in components.items()}
    for section, components in COMPONENTS.items()
}


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


# --- what tables hold ----------------------------------------------------------------------------


def keys_of(table: type[Table], space: Space) -> list[str]:
    """The keys a table may have in a model of the space."""
    return [
        info.alias or name
        for name, info in table.model_fields.items()
        if space is Space.SPATIAL or SPATIAL_ONLY not in info.metadata
    ]


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
    elif isinstance(value, Table):
        for inner, formula, _ in formulas_of(value):
            yield (*place, *inner), formula
