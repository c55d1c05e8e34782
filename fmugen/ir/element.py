"""Elements of a model: what the user said about each, as values by the keys of the file.

Vectors have three components; a planar model moves in x and y and turns about z, so that its third
force component and its first two torque components are never asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from fmugen.ir.formula import ONE, ZERO, Formula
from fmugen.ir.network import Port
from fmugen.ir.quantity import EULER_PARAMETERS, Quantity

if TYPE_CHECKING:  # a model without arrays does not need numpy
    from fmugen.ir.arrays import Arrays

__all__ = [
    "GROUND",
    "NULL_VECTOR",
    "QUATERNION",
    "X_AXIS",
    "Y_AXIS",
    "Z_AXIS",
    "Attachment",
    "Coefficients",
    "Element",
    "Orientation",
    "Point",
    "Space",
    "Tensor",
    "Value",
    "Vector",
]

GROUND = "ground"

Vector = tuple[Formula, Formula, Formula]
#: Numbers by name, such as those of a tyre.
Coefficients = tuple[tuple[str, Formula], ...]
NULL_VECTOR: Vector = (ZERO, ZERO, ZERO)
X_AXIS: Vector = (ONE, ZERO, ZERO)
Y_AXIS: Vector = (ZERO, ONE, ZERO)
Z_AXIS: Vector = (ZERO, ZERO, ONE)


class Space(Enum):
    """The motions a model knows about."""

    PLANAR = "planar"
    SPATIAL = "spatial"


@dataclass(frozen=True)
class Orientation:
    """Axes turned by ``angles`` about the axes of ``sequence``, each about the axes reached so far.

    ``Orientation("zyx", (a, b, c))`` is Rz(a) Ry(b) Rx(c).
    """

    sequence: str
    angles: tuple[Formula, ...]


@dataclass(frozen=True)
class Point:
    """A point fixed on a body, from the origin of its frame, or on the ground.

    Joints that are fastened to it use its axes, which are those of the body unless ``orientation`` turns
    them, or their z axis points ``toward`` another point of the body. Their x axis is then in the half plane
    of the body axis that is furthest from z.
    """

    name: str
    position: Vector
    orientation: Orientation | None = None
    toward: str | None = None


@dataclass(frozen=True)
class Tensor:
    """A symmetric inertia tensor about the mass centre, in body axes, by the entries of its matrix."""

    xx: Formula = ZERO
    yy: Formula = ZERO
    zz: Formula = ZERO
    xy: Formula = ZERO
    xz: Formula = ZERO
    yz: Formula = ZERO


#: A body whose attitude is described by Euler parameters, which no motion makes singular.
QUATERNION = EULER_PARAMETERS


@dataclass(frozen=True)
class Attachment:
    """A place an element is fastened to: a body (or the ground), and a point on it.

    ``point`` is ``None`` for the origin of the frame of a body or of the ground.
    """

    body: str
    point: str | None = None

    @property
    def node(self) -> str:
        """The name of the node of the translational graph."""
        return self.body if self.point is None else f"{self.body}.{self.point}"


#: What a key of an element can hold.
Value: TypeAlias = "Formula | Vector | Tensor | tuple[Point, ...] | Coefficients | Arrays | str | None"


@dataclass(frozen=True)
class Element:
    """A body, joint, driver, force, spring or component of a network, as its user described it.

    ``section`` and ``type`` name the class that says what the element does. ``ends`` are what it is fastened
    to, from tail to head, by the keys of the file: places of a mechanism, or nodes of a network. ``values``
    has every key of the type, with defaults filled in. ``quantities`` are the scalars that formulas and
    outputs may name, ``ports`` the edges of a component of a network.
    """

    name: str
    section: str
    type: str
    ends: Mapping[str, Attachment | str] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)
    quantities: tuple[Quantity, ...] = ()
    ports: tuple[Port, ...] = ()
    description: str = ""

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

    def formulas(self) -> Iterator[Formula]:
        """Every formula of its values."""
        for value in self.values.values():
            yield from _formulas_in(value)

    def names(self) -> Iterator[str]:
        """Every name in its formulas."""
        return (name for formula in self.formulas() for name in formula.names())

    def formula(self, key: str) -> Formula:
        value = self.values[key]
        if not isinstance(value, Formula):
            raise TypeError(f"{self.section}.{self.name}.{key} is not a formula")
        return value


def _formulas_in(value: object) -> Iterator[Formula]:
    if isinstance(value, Formula):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _formulas_in(item)
    elif is_dataclass(value):
        for entry in fields(value):
            yield from _formulas_in(getattr(value, entry.name))
