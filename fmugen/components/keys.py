"""The keys of an element's table: the form, unit, meaning and default of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from fmugen.components.mirror import Mirror
from fmugen.ir.element import GROUND, NULL_VECTOR, QUATERNION, X_AXIS, Y_AXIS, Z_AXIS, Tensor
from fmugen.ir.formula import constant

__all__ = [
    "REQUIRED",
    "Form",
    "FormulaScope",
    "Key",
    "Shape",
    "arrays",
    "axial",
    "body_name",
    "choice",
    "coefficients",
    "count",
    "direction",
    "formula_or_vector",
    "inertia",
    "option",
    "optional",
    "points",
    "position",
    "value",
    "vector",
]


class FormulaScope(Enum):
    """The use of a formula, which decides the names that are allowed in it."""

    CONSTANT = "a constant"
    DRIVER = "a driver's motion"
    FORCE = "a force"
    VALUE = "a value of a component"
    ROAD = "the height of a road"
    OUTPUT = "an output"


class Form(Enum):
    """The form of a value in the file, which also says how it changes where an assembly is mirrored."""

    FORMULA = "a number or formula"
    DIRECTION = "a direction"
    POSITION = "a position"
    VECTOR = "components of a vector"
    AXIAL = "a torque: one number in the plane, components in space"
    FORMULA_OR_VECTOR = "a number or components"
    INERTIA = "a moment of inertia, or the entries of a tensor"
    ATTITUDE = "quaternion, or a sequence of Euler angles"
    BODY = "the name of a body"
    TYPE = "a type"
    POINTS = "points by name"
    OPTION = "one of several words"
    COEFFICIENTS = "a file of coefficients, or a table"
    COUNT = "a whole number"
    ARRAYS = "the name of a file of arrays"


#: The default of a key that must be given.
REQUIRED = object()


@dataclass(frozen=True)
class Shape:
    """What the indices of an array count, a letter each, and whether the file must have it.

    ``p`` are the components of a vector, ``a`` those of an axial vector, ``w`` those of both, in this order.
    Other letters are numbers that all arrays of a file share.
    """

    indices: str
    required: bool = True


@dataclass(frozen=True)
class Key:
    """A key of a table: its form, unit, meaning and default, and the names its formulas may use.

    Planar models do not have a ``spatial`` key. ``hint`` is for whoever leaves out a key without default.
    """

    name: str
    form: Form
    help: str
    unit: str = "1"
    default: Any = REQUIRED
    scope: FormulaScope = FormulaScope.CONSTANT
    spatial: bool = False
    hint: str = ""
    mirrored: Mirror = Mirror.KEPT
    #: The words that an option may be; a reversed option becomes the other of two.
    options: tuple[str, ...] = ()
    #: The arrays of a file, by name, and what the letters of their indices count.
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    counted: Mapping[str, str] = field(default_factory=dict)

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


def _key(form: Form, help: str, default: Any = REQUIRED, **more: Any) -> Any:
    metadata = {"key": Key("", form, help, default=default, **more)}
    given = {} if default is REQUIRED else {"default": default}
    return dataclasses.field(**given, metadata=metadata, kw_only=True)


def value(
    unit: str,
    help: str,
    default: float | None = None,
    *,
    scope: FormulaScope = FormulaScope.CONSTANT,
    hint: str = "",
    mirrored: Mirror = Mirror.KEPT,
) -> Any:
    """A number or formula; required if it has no default."""
    exact = REQUIRED if default is None else constant(default)
    return _key(Form.FORMULA, help, exact, unit=unit, scope=scope, hint=hint, mirrored=mirrored)


_AXES = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS, None: None}


def direction(default: str | None, help: str, *, spatial: bool = False) -> Any:
    """A direction by its components; ``spatial`` if it can only be z in the plane."""
    return _key(Form.DIRECTION, help, _AXES[default], spatial=spatial)


def vector(unit: str, help: str, *, scope: FormulaScope = FormulaScope.CONSTANT) -> Any:
    """The components of a vector."""
    return _key(Form.VECTOR, help, unit=unit, scope=scope)


def axial(unit: str, help: str, *, scope: FormulaScope = FormulaScope.CONSTANT) -> Any:
    """The components of a torque or an angular velocity; in the plane one number, about z."""
    return _key(Form.AXIAL, help, unit=unit, scope=scope)


def formula_or_vector(unit: str, help: str, *, scope: FormulaScope = FormulaScope.CONSTANT) -> Any:
    """One number, or the components of a vector."""
    return _key(Form.FORMULA_OR_VECTOR, help, unit=unit, scope=scope)


def position(help: str) -> Any:
    """A place in the frame of a body, by default its origin."""
    return _key(Form.POSITION, help, NULL_VECTOR, unit="m")


def inertia(help: str) -> Any:
    """An inertia, by default none."""
    return _key(Form.INERTIA, help, Tensor(), unit="kg.m2")


def choice(help: str) -> Any:
    """An attitude, by default Euler parameters."""
    return _key(Form.ATTITUDE, help, QUATERNION, spatial=True)


def body_name(help: str, *, spatial: bool = False) -> Any:
    """The name of a body, by default the ground."""
    return _key(Form.BODY, help, GROUND, spatial=spatial)


def points(help: str) -> Any:
    """Points by name."""
    return _key(Form.POINTS, help, (), unit="m")


def option(
    help: str, options: tuple[str, ...], *, mirrored: Mirror = Mirror.KEPT, spatial: bool = False
) -> Any:
    """One of several words, by default the first."""
    return _key(Form.OPTION, help, options[0], options=options, mirrored=mirrored, spatial=spatial)


def coefficients(help: str, *, hint: str) -> Any:
    """Numbers by name, from a file or a table."""
    return _key(Form.COEFFICIENTS, help, hint=hint)


def arrays(
    help: str,
    shapes: Mapping[str, Shape],
    counted: Mapping[str, str],
    *,
    default: Any = REQUIRED,
    hint: str = "",
) -> Any:
    """Arrays by name, from a file."""
    return _key(Form.ARRAYS, help, default, hint=hint, shapes=shapes, counted=counted)


def optional(unit: str, help: str, *, spatial: bool = False) -> Any:
    """A number or formula that may be left out, which is not the same as zero."""
    return _key(Form.FORMULA, help, None, unit=unit, spatial=spatial)


def count(default: int, help: str, *, spatial: bool = False) -> Any:
    """A whole number that decides how many quantities the element has."""
    return _key(Form.COUNT, help, constant(default), spatial=spatial)
