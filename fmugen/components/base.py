"""What a type of element is: one class, which all other modules ask.

A type is a frozen dataclass below :class:`Component` whose fields are the keys of its table in a file::

    @component
    class Revolute(Joint):
        \"\"\"Turns about `axis`.\"\"\"

        type, symbol = "revolute", Symbol.PIN
        axis: Vector = direction("z", "axis of rotation", spatial=True)

        def freedoms(self) -> Freedoms:
            return Freedoms(Held(), About(self.axis))

The decorator enters it into :data:`REGISTRY`. From there the reader, the builder, the checks, the graph, the
formulation, the drawings and the documentation know it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, dataclass_transform

from fmugen.components.exchange import Plug
from fmugen.components.keys import (
    REQUIRED,
    Form,
    FormulaScope,
    Key,
    Shape,
    arrays,
    axial,
    body_name,
    choice,
    coefficients,
    count,
    direction,
    formula_or_vector,
    inertia,
    option,
    optional,
    points,
    position,
    value,
    vector,
)
from fmugen.components.measures import FreedomValue, ModeNumber, Reading, StateValue
from fmugen.components.mirror import Mirror
from fmugen.expr.dag import Expr
from fmugen.ir.arrays import Arrays
from fmugen.ir.element import (
    GROUND,
    Attachment,
    Element,
    Space,
)
from fmugen.ir.formula import ONE, Formula
from fmugen.ir.graph import Edge, EdgeConstraint, Role, Work
from fmugen.ir.motion import ModeSwitch, Motion
from fmugen.ir.quantity import Level, Quantity, freedom_kinds

if TYPE_CHECKING:
    from fmugen.components.site import Site

__all__ = [
    "ANY_SPACE",
    "MODE",
    "REGISTRY",
    "REQUIRED",
    "SECTIONS",
    "SPATIAL",
    "Component",
    "End",
    "Form",
    "FormulaScope",
    "Key",
    "Mirror",
    "Numbers",
    "Section",
    "Shape",
    "State",
    "Symbol",
    "arrays",
    "axial",
    "body_name",
    "choice",
    "coefficients",
    "component",
    "component_class",
    "component_of",
    "count",
    "direction",
    "element_of",
    "formula_or_vector",
    "inertia",
    "named_bodies",
    "option",
    "optional",
    "points",
    "position",
    "quantities_of",
    "register",
    "renamed",
    "value",
    "vector",
]

ANY_SPACE = (Space.PLANAR, Space.SPATIAL)
SPATIAL = (Space.SPATIAL,)


#: The quantity that is the number of the mode of an element, from zero.
MODE = "mode"


class Symbol(Enum):
    """How an element is drawn: by a mark at its tail, a line between its ends, or an arrow at its head."""

    PIN = "pin"
    BALL = "ball"
    WELD = "weld"
    ROD = "rod"
    SPRING = "spring"
    DRIVER = "driver"
    ARROW = "arrow"


@dataclass(frozen=True)
class End:
    """An end of an element, by the key of the file; required if it has no default.

    ``hint`` is shown if it is missing.
    """

    key: str
    default: str | None = None
    hint: str = ""


class Numbers(Protocol):
    """The values of an element with the default parameters, for :meth:`Component.check`.

    Each method reports what is wrong with the key it names.
    """

    def positive(self, key: str) -> None: ...
    def not_negative(self, key: str) -> None: ...
    def perpendicular(self, first: str, second: str) -> None: ...
    def across(self, normal: str, direction: str) -> None: ...
    def problem(self, key: str, message: str, hint: str = "") -> None: ...

    def number(self, formula: Formula) -> float | None:
        """The value with the default parameters, if there is one."""

    @property
    def planar(self) -> bool: ...


# --- types ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """A state of an element; its rate is given by :meth:`Component.rates`, its start by ``[start]``.

    An own coordinate that is ``at_rest`` starts at zero with a rate of zero, unless the file says otherwise.
    """

    name: str
    unit: str
    help: str = ""
    mirrored: Mirror = Mirror.KEPT
    at_rest: bool = False


@dataclass(frozen=True)
class Section:
    """A section of the file: what one entry is called, and whether its type alone says so."""

    noun: str
    type_is_noun: bool = False
    #: The type of an entry without a type.
    default: str | None = None
    #: Whether methods of the builder are called as the types.
    type_names_method: bool = True
    #: Whether its elements are components of networks, which are connected to nodes.
    network: bool = False


#: The sections of elements, in the order of a model.
SECTIONS = {
    "bodies": Section("body", default="body"),
    "joints": Section("joint"),
    "drivers": Section("driver", type_names_method=False),
    "forces": Section("load", type_is_noun=True),
    "springs": Section("spring", type_names_method=False),
    "electrical": Section("electrical component", type_is_noun=True, network=True),
    "hydraulic": Section("hydraulic component", type_is_noun=True, network=True),
    "translational": Section("translational component", type_is_noun=True, network=True),
    "rotational": Section("rotational component", type_is_noun=True, network=True),
    "couplers": Section("coupler", type_is_noun=True, network=True),
}


class Component:
    """Base of all types of elements; an instance has the values of one element as its fields."""

    section: ClassVar[str] = ""
    type: ClassVar[str] = ""
    #: The spaces whose models know the type.
    spaces: ClassVar[tuple[Space, ...]] = ANY_SPACE
    #: What it is fastened to, from tail to head.
    ends: ClassVar[tuple[End, ...]] = (End("from"), End("to"))
    states: ClassVar[tuple[State, ...]] = ()
    #: What its law distinguishes between events, if anything; the first is that of the start.
    modes: ClassVar[tuple[str, ...]] = ()
    symbol: ClassVar[Symbol | None] = None
    #: What its edges are to the choice of trees.
    role: ClassVar[Role]
    #: What lists of edges call it; its type if this is empty.
    label: ClassVar[str] = ""

    #: A key that decides which other keys there are.
    variant_key: ClassVar[str] = ""

    @classmethod
    def variants(cls) -> Mapping[str, tuple[Key, ...]]:
        """The keys of the table for each value of the deciding key; the first is the default."""
        return {}

    @classmethod
    def table_keys(cls) -> tuple[Key, ...]:
        """The keys of its table beside ``type``, its ends and ``description``."""
        found = []
        for entry in dataclasses.fields(cls):  # type: ignore[arg-type]  # a decorated class
            key = entry.metadata["key"]
            found.append(dataclasses.replace(key, name=entry.name))
        return tuple(found)

    @classmethod
    def prototype(cls) -> Component:
        """An element of the type whose required values are one."""
        keys = cls.table_keys()
        return cls(**{key.name: _any_value(key.form) for key in keys if key.required})

    @classmethod
    def edge_label(cls) -> str:
        return cls.label or cls.type

    @classmethod
    def builder_method(cls) -> str:
        """The method of the builder for elements of the type."""
        section = SECTIONS[cls.section]
        return cls.type if section.type_names_method else f"{cls.type}_{section.noun}"

    @classmethod
    def called(cls) -> str:
        """Its noun with an article."""
        noun = cls.noun()
        return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

    @classmethod
    def noun(cls) -> str:
        """The noun for an element of the type in messages: ``revolute joint``, ``force``, ``body``."""
        section = SECTIONS[cls.section]
        alone = section.type_is_noun or cls.type == section.default
        return cls.type if alone else f"{cls.type} {section.noun}"

    def given(self) -> dict[str, Any]:
        """The values by the keys of the file."""
        return {key.name: getattr(self, key.name) for key in self.table_keys()}

    def check(self, at: Numbers) -> None:
        """Report what is wrong with the values for the default parameters."""

    def readings(self, *, planar: bool) -> Iterator[Reading]:
        """The quantities that formulas and outputs may name, and how each is measured."""
        return iter(())

    def all_readings(self, *, planar: bool) -> Iterator[Reading]:
        """The quantities of :meth:`readings`, then own coordinates and states, which every FMU has."""
        yield from self.readings(planar=planar)
        for own in self.own_coordinates(planar=planar):
            for kind, level, unit in freedom_kinds(own.name, own.unit):
                recorded = level is not Level.ACCELERATION
                yield Reading(kind, level, unit, FreedomValue(), recorded=recorded)
        for state in self.states:
            yield Reading(state.name, Level.VELOCITY, state.unit, StateValue(), recorded=True)
        if self.modes:
            yield Reading(MODE, Level.VELOCITY, "1", ModeNumber(), recorded=True)

    def own_coordinates(self, *, planar: bool) -> Iterator[State]:
        """Its coordinates beside those of its edges, such as deflections; :meth:`build` gives their work."""
        return iter(())

    def build(self, at: Site) -> Iterator[Edge | EdgeConstraint | Work]:
        """The edges in both graphs, constraints between them, and work on freedoms of its own."""
        raise NotImplementedError

    def weight(self, at: Site) -> Iterator[Edge]:
        """The edges of gravity, which acts on what has a mass."""
        return iter(())

    def plugs(self, element: Element, *, planar: bool) -> Iterator[Plug]:
        """Where another system can take the place of the element."""
        return iter(())

    def rates(self, at: Motion) -> Mapping[str, Expr]:
        """The time derivatives of the states; ``at`` is the motion of the first edge."""
        return {}

    def switches(self, at: Motion) -> Iterator[ModeSwitch]:
        """The changes of mode; ``at`` is the motion of the first edge."""
        return iter(())


def _any_value(form: Form) -> object:
    if form is Form.FORMULA:
        return ONE
    if form is Form.COEFFICIENTS:
        return ()
    if form is Form.ARRAYS:
        return Arrays()
    return (ONE, ONE, ONE)


#: The class of every type, by section and type.
REGISTRY: dict[str, dict[str, type[Component]]] = {section: {} for section in SECTIONS}

_C = TypeVar("_C", bound=type[Component])


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(
        value,
        direction,
        vector,
        axial,
        formula_or_vector,
        position,
        inertia,
        choice,
        body_name,
        points,
        option,
        coefficients,
        optional,
        count,
        arrays,
    ),
)
def component(cls: _C) -> _C:
    """Make a class a type of element and enter it into the registry, except a base without ``type``."""
    dataclass(frozen=True, kw_only=True)(cls)
    return register(cls) if cls.type else cls


def register(cls: _C) -> _C:
    """Enter a class into the registry."""
    REGISTRY[cls.section][cls.type] = cls
    return cls


def component_class(section: str, type: str) -> type[Component]:
    return REGISTRY[section][type]


def component_of(element: Element) -> Component:
    """The class of an element with its values."""
    kind = component_class(element.section, element.type)
    return kind(**element.values)


def named_bodies(element: Element) -> Iterator[str]:
    """The bodies, except the ground, whose names are values of an element."""
    for key in component_class(element.section, element.type).table_keys():
        name = element.values.get(key.name) if key.form is Form.BODY else GROUND
        if name != GROUND:
            yield str(name)


def element_of(
    kind: Component,
    name: str,
    ends: tuple[Attachment, ...] = (),
    *,
    planar: bool,
    description: str = "",
) -> Element:
    """The element of a model that has the values of ``kind``."""
    keys = (end.key for end in kind.ends)
    return Element(
        name,
        kind.section,
        kind.type,
        dict(zip(keys, ends, strict=True)),
        kind.given(),
        quantities_of(kind, name, planar=planar),
        (),
        description,
    )


def renamed(element: Element, name: str) -> Element:
    """The same element under another name."""
    owned = (dataclasses.replace(q, owner=name + q.owner[len(element.name) :]) for q in element.quantities)
    return dataclasses.replace(element, name=name, quantities=tuple(owned))


def quantities_of(kind: Component, name: str, *, planar: bool) -> tuple[Quantity, ...]:
    return tuple(each.quantity(name) for each in kind.all_readings(planar=planar))
