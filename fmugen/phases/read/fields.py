"""The forms of values in a model file, as annotated types for the tables of ``schema``.

How many components a vector has, and whether an inertia or a torque is one number or several, depends on the
space of the model, which is the context of every validation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    PlainValidator,
    Tag,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

from fmugen.errors import FormulaError
from fmugen.formulas import evaluate, parse
from fmugen.ir.arrays import Arrays
from fmugen.ir.formula import Formula
from fmugen.ir.model import QUATERNION, Space
from fmugen.phases.read.problems import formula_message
from fmugen.units import parse_unit

__all__ = [
    "CUSTOM_FAULT",
    "LIST_SHAPE",
    "ONE_SHAPE",
    "PLANAR_FAULT",
    "SAY_SPATIAL",
    "SHAPES",
    "SPATIAL_ONLY",
    "TABLE_SHAPE",
    "ArraysField",
    "AttitudeText",
    "FormulaField",
    "FormulaOrVector",
    "InertiaField",
    "Measured",
    "NumberField",
    "PositiveNumber",
    "SequenceText",
    "Text",
    "TorqueField",
    "UnitText",
    "VectorField",
    "describe_value",
    "shape_of",
]

#: The type of the faults found here; their context holds ``message`` and ``hint``.
CUSTOM_FAULT = "fmugen"
#: Names of the alternatives of values that come in several shapes; pydantic puts them into its places.
ONE_SHAPE, LIST_SHAPE, TABLE_SHAPE = SHAPES = ("<one>", "<list>", "<table>")
#: The type of the fault that a key has no meaning in the plane.
PLANAR_FAULT = "fmugen_planar"

_COMPONENTS = {Space.PLANAR: "two components (x and y)", Space.SPATIAL: "three components (x, y and z)"}
_SHOWN = {Space.PLANAR: "[1, 0]", Space.SPATIAL: "[1, 0, 0]"}
_COUNT = {Space.PLANAR: 2, Space.SPATIAL: 3}
SAY_SPATIAL = 'spatial models begin with space = "spatial" in [model]'


def _fault(message: str, hint: str = "") -> PydanticCustomError:
    return PydanticCustomError(CUSTOM_FAULT, "{message}", {"message": message, "hint": hint})


def _space(info: ValidationInfo) -> Space:
    """The space of the model whose table is validated."""
    return cast(Space, info.context)


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


def shape_of(value: object) -> str:
    """Which of the shapes a value in the file has."""
    if isinstance(value, list):
        return LIST_SHAPE
    return TABLE_SHAPE if isinstance(value, Mapping) else ONE_SHAPE


def _in_space(value: object, info: ValidationInfo) -> object:
    if _space(info) is Space.PLANAR:
        raise PydanticCustomError(PLANAR_FAULT, "only spatial models have this key")
    return value


#: Marks a key that planar models do not have.
SPATIAL_ONLY = BeforeValidator(_in_space)


# --- numbers and vectors -------------------------------------------------------------------------


def _formula(value: object) -> Formula:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _fault(f"must be a number or a formula in quotes, not {describe_value(value)}")
    try:
        return parse(value)
    except FormulaError as error:
        raise _fault(formula_message(error)) from None


class Measured(float):
    """A number in SI, with the unit in which it was written; empty if it had none."""

    unit: str = ""


def _number(value: object) -> float:
    if isinstance(value, str):
        return _measured(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _fault(f"must be a number, not {describe_value(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _fault("must be a finite number")
    return number


def _measured(text: str) -> float:
    try:
        formula = parse(text)
    except FormulaError as error:
        if text[:1] in "0123456789.+-" and text:
            raise _fault(formula_message(error)) from None
        formula = None
    number = evaluate(formula, {}) if formula is not None and formula.unit else None
    if formula is None or number is None:
        raise _fault(f"must be a number, not {describe_value(text)}")
    made = Measured(number)
    made.unit = formula.unit
    return made


def _positive(value: float) -> float:
    if not value > 0:
        raise _fault("must be greater than 0")
    return value


def _vector(value: object, info: ValidationInfo) -> object:
    space = _space(info)
    components = _COMPONENTS[space]
    if not isinstance(value, list):
        listed = f"{components.partition(' (')[0]} such as {_SHOWN[space]}"
        raise _fault(f"must be a list of {listed}, not {describe_value(value)}")
    if len(value) != _COUNT[space]:
        hint = SAY_SPATIAL if space is Space.PLANAR and len(value) == 3 else ""
        raise _fault(f"must have {components}, not {len(value)}", hint)
    return value


def _vector_if_list(value: object, info: ValidationInfo) -> object:
    return _vector(value, info) if isinstance(value, list) else value


def _torque(value: object, info: ValidationInfo) -> object:
    if _space(info) is Space.SPATIAL:
        return _vector(value, info)
    return _planar_number(value, "a torque about z")


def _inertia(value: object, info: ValidationInfo) -> object:
    if _space(info) is Space.PLANAR:
        return _planar_number(value, "an inertia about z")
    forms = "[Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]"
    if not isinstance(value, list):
        raise _fault(f"must be a list {forms}, not {describe_value(value)}")
    if len(value) not in (3, 6):
        raise _fault(f"must have 3 or 6 components, not {len(value)}", f"write {forms}")
    return value


def _planar_number(value: object, meaning: str) -> object:
    if isinstance(value, list):
        raise _fault(
            f"must be a number or a formula in quotes ({meaning}), not a list",
            SAY_SPATIAL if len(value) in (3, 6) else "",
        )
    return value


FormulaField = Annotated[Formula, PlainValidator(_formula)]
VectorField = Annotated[list[FormulaField], BeforeValidator(_vector)]
_OneOrSeveral = Annotated[
    Annotated[FormulaField, Tag(ONE_SHAPE)]
    | Annotated[list[FormulaField], Tag(LIST_SHAPE)]
    | Annotated[FormulaField, Tag(TABLE_SHAPE)],
    Discriminator(shape_of),
]
#: One formula, or a vector.
FormulaOrVector = Annotated[_OneOrSeveral, BeforeValidator(_vector_if_list)]
#: One formula in the plane, a vector in space.
TorqueField = Annotated[_OneOrSeveral, BeforeValidator(_torque)]
#: One formula in the plane; in space the diagonal of the tensor, or that and xy, xz, yz.
InertiaField = Annotated[_OneOrSeveral, BeforeValidator(_inertia)]
#: A number, or a number with its unit in quotes.
NumberField = Annotated[float, PlainValidator(_number)]
PositiveNumber = Annotated[NumberField, AfterValidator(_positive)]


# --- texts ---------------------------------------------------------------------------------------


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


def _sequence(text: str) -> str:
    if not re.fullmatch("[xyz]{1,3}", text):
        raise _fault(f"{text!r} is not a sequence of axes", "write one to three of x, y, z, such as 'zyx'")
    return text


def _attitude(text: str) -> str:
    if text == QUATERNION:
        return text
    hint = "write 'quaternion', or three axes with different neighbours such as 'zyx' or 'zxz'"
    if not re.fullmatch("[xyz]{3}", text):
        raise _fault(f"{text!r} is not an attitude", hint)
    if text[1] in (text[0], text[2]):
        raise _fault(f"{text!r} turns twice about {text[1]!r} in a row, which leaves a direction out", hint)
    return text


def _arrays(value: object) -> Arrays:
    """The contents of a file, which have taken the place of its name."""
    if not isinstance(value, Arrays):
        raise _fault(f"must be the name of a file in quotes, not {describe_value(value)}")
    return value


ArraysField = Annotated[Arrays, PlainValidator(_arrays)]
Text = Annotated[str, AfterValidator(_printable)]
UnitText = Annotated[str, AfterValidator(_unit)]
SequenceText = Annotated[str, AfterValidator(_sequence)]
AttitudeText = Annotated[str, AfterValidator(_attitude)]
