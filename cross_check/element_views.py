"""Mechanical elements of a model as classes with one attribute a key.

The bench, its peers and the tests read the joints, drivers, loads and springs of a model in this form, and
write models in it. The compiler does not: it asks the class of each type.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import singledispatch
from typing import Any, cast

from fmugen.components.base import component_class, component_of, quantities_of
from fmugen.ir.element import (
    GROUND,
    NULL_VECTOR,
    QUATERNION,
    X_AXIS,
    Z_AXIS,
    Attachment,
    Element,
    Space,
    Value,
    Vector,
)
from fmugen.ir.formula import ZERO, Formula
from fmugen.ir.model import Body, SystemModel
from fmugen.ir.network import Component
from fmugen.ir.quantity import Quantity


class _Known(Enum):
    """A type of element; one that is not listed is made when it is first asked for."""

    @classmethod
    def _missing_(cls, value: object) -> _Known | None:
        if not isinstance(value, str):
            return None
        member = object.__new__(cls)
        member._name_, member._value_ = value.upper(), value
        cls._value2member_map_[value] = member
        return member


class JointType(_Known):
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    UNIVERSAL = "universal"
    SPHERICAL = "spherical"
    CYLINDRICAL = "cylindrical"
    PLANAR = "planar"
    WELD = "weld"
    FREE = "free"
    TRANSLATIONAL = "translational"
    SCREW = "screw"
    ROD = "rod"
    VIRTUAL = "virtual"


#: The joints that planar models know.
PLANAR_JOINTS = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.WELD, JointType.VIRTUAL)


@dataclass(frozen=True)
class Joint:
    """A joint from ``tail`` to ``head``; its coordinates measure the head relative to the tail.

    At zero coordinates the axes of the two attachments coincide. ``axis`` is, in these axes, the axis of
    rotation or sliding, the first axis of a universal joint, or the normal of a planar joint.
    ``second_axis`` is the second axis of a universal joint, perpendicular to the first; a planar joint
    measures x along the part of it that lies in the plane. ``angle`` is the constant angle about z of the
    head relative to the tail for prismatic and weld joints. ``attitude`` describes the rotation of
    spherical and free joints as that of a body. ``lead`` is the advance of a screw per turn, ``length``
    that of a rod, which joins two points by balls and has no mass. A virtual joint constrains nothing; it
    offers the coordinates of the joint type ``like`` to the trees.
    """

    name: str
    type: JointType
    tail: Attachment
    head: Attachment
    axis: Vector = X_AXIS
    second_axis: Vector = X_AXIS
    angle: Formula = ZERO
    attitude: str = QUATERNION
    lead: Formula = ZERO
    length: Formula = ZERO
    like: JointType = JointType.FREE
    description: str = ""

    @property
    def kind(self) -> JointType:
        """The type whose coordinates the joint has: that of ``like`` for virtual joints."""
        return self.like if self.type is JointType.VIRTUAL else self.type


class DriverType(_Known):
    ROTATION = "rotation"
    TRANSLATION = "translation"


@dataclass(frozen=True)
class Driver:
    """A prescribed relative motion of the head relative to the tail, a function of time and inputs.

    Rotation: ``angle`` is the angle of the head relative to the tail about ``axis`` (z in the plane).
    Translation: with ``axis``, the displacement from tail to head along that axis (in the axes of
    the tail's body) equals ``displacement[0]`` and the other directions are free; without it, all
    components of the displacement, in the axes of the tail's body, equal ``displacement``.
    """

    name: str
    type: DriverType
    tail: Attachment
    head: Attachment
    angle: Formula = ZERO
    displacement: Vector = NULL_VECTOR
    axis: Vector | None = None
    description: str = ""


class LoadType(_Known):
    FORCE = "force"
    TORQUE = "torque"


@dataclass(frozen=True)
class Load:
    """A given force on the ``head`` point, or a given torque on the ``head`` body.

    The opposite load acts on ``tail`` (the ground by default). ``frame`` names the body in whose
    axes the components are given. Formulas may use parameters, inputs, ``time`` and
    quantities of position and velocity, and, as inertias do, of acceleration.
    """

    name: str
    type: LoadType
    tail: Attachment
    head: Attachment
    force: Vector = NULL_VECTOR
    torque: Vector = NULL_VECTOR
    frame: str = GROUND
    description: str = ""


class SpringType(_Known):
    TRANSLATIONAL = "translational"
    ROTATIONAL = "rotational"


@dataclass(frozen=True)
class Spring:
    """A spring, damper and actuator in parallel.

    Translational: the tension ``stiffness*(L - free) + damping*L' + actuator`` pulls the two points
    towards each other, L being their distance.
    Rotational: the torque ``-(stiffness*(angle - free) + damping*omega + actuator)`` acts on the
    head's body and its opposite on the tail's, ``angle`` being that of the head relative to the tail
    about ``axis``.
    """

    name: str
    type: SpringType
    tail: Attachment
    head: Attachment
    stiffness: Formula = ZERO
    damping: Formula = ZERO
    free: Formula = ZERO
    actuator: Formula = ZERO
    axis: Vector = Z_AXIS
    description: str = ""


# --- elements -> views ---------------------------------------------------------------------------


def _vector(element: Element, key: str, default: Vector) -> Vector:
    value = element.values.get(key)
    return cast(Vector, value) if isinstance(value, tuple) else default


def _formula(element: Element, key: str) -> Formula:
    value = element.values.get(key)
    return value if isinstance(value, Formula) else ZERO


def _text(element: Element, key: str, default: str) -> str:
    value = element.values.get(key)
    return value if isinstance(value, str) else default


def joint_view(element: Element, space: Space) -> Joint:
    # Axes of the plane are those of slides; what turns there turns about z.
    slides = "angle" in element.values or space is Space.SPATIAL
    return Joint(
        element.name,
        JointType(element.type),
        element.tail,
        element.head,
        _vector(element, "axis", X_AXIS) if slides else X_AXIS,
        _vector(element, "second_axis", X_AXIS),
        _formula(element, "angle"),
        _text(element, "attitude", QUATERNION),
        _formula(element, "lead"),
        _formula(element, "length"),
        JointType(_text(element, "like", JointType.FREE.value)),
        element.description,
    )


def driver_view(element: Element, space: Space) -> Driver:
    kind = DriverType(element.type)
    value, axis = element.values.get("value"), element.values.get("axis")
    turned = kind is DriverType.ROTATION
    along = cast(Vector, axis) if axis is not None and not (turned and space is Space.PLANAR) else None
    displacement = (value, ZERO, ZERO) if isinstance(value, Formula) else cast(Vector, value)
    return Driver(
        element.name,
        kind,
        element.tail,
        element.head,
        cast(Formula, value) if turned else ZERO,
        NULL_VECTOR if turned else displacement,
        along,
        element.description,
    )


def load_view(element: Element, space: Space) -> Load:
    kind = LoadType(element.type)
    return Load(
        element.name,
        kind,
        element.tail,
        element.head,
        _vector(element, "value", NULL_VECTOR) if kind is LoadType.FORCE else NULL_VECTOR,
        _vector(element, "value", NULL_VECTOR) if kind is LoadType.TORQUE else NULL_VECTOR,
        _text(element, "frame", GROUND),
        element.description,
    )


def spring_view(element: Element, space: Space) -> Spring:
    return Spring(
        element.name,
        SpringType(element.type),
        element.tail,
        element.head,
        _formula(element, "stiffness"),
        _formula(element, "damping"),
        _formula(element, "free"),
        _formula(element, "actuator"),
        _vector(element, "axis", Z_AXIS),
        element.description,
    )


# --- views -> elements ---------------------------------------------------------------------------

View = Body | Joint | Driver | Load | Spring | Component


@singledispatch
def element_of(view: View | Element, space: Space) -> Element:
    """The element that a view describes."""
    raise TypeError(f"expected an element or a view of one, got {type(view).__name__}")


@element_of.register
def _(view: Element, space: Space) -> Element:
    return view


@element_of.register
def _(view: Body, space: Space) -> Element:
    element = Element(view.name, "bodies", "body", {}, {}, (), (), view.description)
    return _with_values(element, view, space)


@element_of.register
def _(view: Joint, space: Space) -> Element:
    return _with_values(_element(view, "joints", ("from", "to")), view, space)


@element_of.register
def _(view: Driver, space: Space) -> Element:
    turns = view.type is DriverType.ROTATION
    value: Value = view.angle if turns else view.displacement if view.axis is None else view.displacement[0]
    axis = view.axis or Z_AXIS if turns else view.axis
    return _with_values(_element(view, "drivers", ("from", "to")), view, space, value=value, axis=axis)


@element_of.register
def _(view: Load, space: Space) -> Element:
    value = view.force if view.type is LoadType.FORCE else view.torque
    return _with_values(_element(view, "forces", ("from", "on")), view, space, value=value)


@element_of.register
def _(view: Spring, space: Space) -> Element:
    return _with_values(_element(view, "springs", ("from", "to")), view, space)


@element_of.register
def _(view: Component, space: Space) -> Element:
    return Element(
        view.name,
        view.section,
        view.type,
        dict(view.terminals),
        dict(view.values),
        tuple(Quantity(view.name, *kind, network=True) for port in view.ports for kind in port.kinds()),
        view.ports,
        view.description,
    )


def _element(view: Joint | Driver | Load | Spring, section: str, keys: tuple[str, str]) -> Element:
    ends = dict(zip(keys, (view.tail, view.head), strict=True))
    return Element(view.name, section, view.type.value, ends, {}, (), (), view.description)


def _with_values(element: Element, view: View, space: Space, **values: Value) -> Element:
    """The element with the values and quantities of its class; ``values`` differ from those of the view."""
    kind = component_class(element.section, element.type)
    keys = (
        kind.variants()[view.like.value] if isinstance(view, Joint) and kind.variants() else kind.table_keys()
    )
    for key in keys:
        if key.name not in values and hasattr(view, key.name):
            value = getattr(view, key.name)
            values[key.name] = value.value if isinstance(value, Enum) else value
    element = replace(element, values=values)
    own = quantities_of(component_of(element), element.name, planar=space is Space.PLANAR)
    return replace(element, quantities=own)


# --- models ----------------------------------------------------------------------------------------

#: The sections that the fields of a model in this form stand for.
_SECTIONS = {key: key for key in ("bodies", "joints", "drivers", "springs")} | {"loads": "forces"}
_COMPONENTS = "components"


def joints_of(model: SystemModel) -> tuple[Joint, ...]:
    return tuple(joint_view(element, model.space) for element in model.in_section("joints"))


def drivers_of(model: SystemModel) -> tuple[Driver, ...]:
    return tuple(driver_view(element, model.space) for element in model.in_section("drivers"))


def loads_of(model: SystemModel) -> tuple[Load, ...]:
    return tuple(load_view(element, model.space) for element in model.in_section("forces"))


def springs_of(model: SystemModel) -> tuple[Spring, ...]:
    return tuple(spring_view(element, model.space) for element in model.in_section("springs"))


def model_of(name: str, description: str = "", **fields: Any) -> SystemModel:
    """A model whose bodies, joints, drivers, loads, springs and components are given in this form."""
    plain = {key: value for key, value in fields.items() if key not in (*_SECTIONS, _COMPONENTS)}
    return with_views(SystemModel(name, description, **plain), **fields)


def with_views(model: SystemModel, **fields: Any) -> SystemModel:
    """The model with some of its fields replaced, and the elements of some sections."""
    plain = {key: value for key, value in fields.items() if key not in (*_SECTIONS, _COMPONENTS)}
    model = replace(model, **plain)
    elements = model.elements
    for key, given in fields.items():
        if key == _COMPONENTS:
            kept = [element for element in elements if not element.ports]
        elif key in _SECTIONS:
            kept = [element for element in elements if element.section != _SECTIONS[key]]
        else:
            continue
        elements = (*kept, *(element_of(view, model.space) for view in given))
    return replace(model, elements=elements)
