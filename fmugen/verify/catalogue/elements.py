"""Elements of a model by section, type and the keys of the model file.

A model keeps its elements in tuples with a class each. The laws of the catalogue read them all in one form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fmugen.ir.formula import Formula
from fmugen.ir.model import (
    Attachment,
    Body,
    Driver,
    DriverType,
    Joint,
    Load,
    LoadType,
    Point,
    Spring,
    SystemModel,
    Tensor,
    Vector,
)
from fmugen.ir.network import Component

_Described = Body | Joint | Driver | Load | Spring | Component
#: What a key of an element can hold.
Value = Formula | Vector | Tensor | tuple[Point, ...] | str | None


@dataclass(frozen=True)
class Element:
    """A body, joint, driver, force, spring or component of a network.

    ``ends`` are the places of a mechanism or the nodes of a network, from tail to head. ``values`` has every
    other key.
    """

    name: str
    section: str
    type: str
    ends: Mapping[str, Attachment | str] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)

    @property
    def places(self) -> tuple[Attachment, ...]:
        """The places of the mechanism that the element is fastened to, from tail to head."""
        return tuple(end for end in self.ends.values() if isinstance(end, Attachment))

    @property
    def tail(self) -> Attachment:
        return self.places[0]

    @property
    def head(self) -> Attachment:
        return self.places[-1]


def elements_of(model: SystemModel) -> Iterator[Element]:
    """Every element, in the order of the sections of a file."""
    described: tuple[Element | _Described, ...] = (
        *model.bodies,
        *model.joints,
        *model.drivers,
        *model.loads,
        *model.springs,
        *model.components,
    )
    for each in described:
        yield each if isinstance(each, Element) else _element(each)


def _element(described: _Described) -> Element:
    match described:
        case Body():
            return Element(described.name, "bodies", "body", {}, _values(described))
        case Joint():
            values: dict[str, Value] = {**_values(described), "like": described.like.value}
            return _between("joints", described, values)
        case Driver():
            return _between("drivers", described, {"value": _motion(described), "axis": described.axis})
        case Load():
            given = described.force if described.type is LoadType.FORCE else described.torque
            return _between("forces", described, {"value": given, "frame": described.frame})
        case Spring():
            return _between("springs", described, _values(described))
        case Component():
            section, kind = described.section, described.type
            return Element(described.name, section, kind, dict(described.terminals), dict(described.values))


def _between(section: str, described: Joint | Driver | Load | Spring, values: Mapping[str, Value]) -> Element:
    ends = {"from": described.tail, "to": described.head}
    return Element(described.name, section, described.type.value, ends, values)


def _motion(driver: Driver) -> Value:
    """The prescribed angle, displacement along an axis, or vector."""
    if driver.type is DriverType.ROTATION:
        return driver.angle
    return driver.displacement if driver.axis is None else driver.displacement[0]


def _values(described: Body | Joint | Spring) -> dict[str, Value]:
    return {key: getattr(described, key) for key in described.__dataclass_fields__}
