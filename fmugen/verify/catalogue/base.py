"""Parts of the reference equations, the reader of an element, and the registry of laws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import NamedTuple, cast

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.formula import ZERO, Formula
from fmugen.ir.model import SystemModel, Vector
from fmugen.verify.catalogue.elements import Element, elements_of
from fmugen.verify.charts import Posture
from fmugen.verify.couplings import Coupling, coupling, planar_angle
from fmugen.verify.flexible import FlexibleBody
from fmugen.verify.layout import Layout, triple
from fmugen.verify.measures import (
    BodyPoint,
    Cosine,
    Displacement,
    Measure,
    NamedMeasure,
    Spin,
    Triple,
    Turn,
)
from fmugen.verify.network.parts import NetworkParts
from fmugen.verify.rotations import IDENTITY, Array

# --- constraints ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A scalar constraint of an element: its measure equals ``target``. Its reaction acts at ``head``.

    With ``velocity_only`` the constraint has no position level: the rate of the measure equals ``target``,
    and the value of the measure is not looked at. ``effort`` names the quantity that is the multiplier.
    """

    element: str
    label: str
    measure: Measure
    head: BodyPoint
    target: Formula = ZERO
    velocity_only: bool = False
    effort: str = ""

    @property
    def name(self) -> str:
        return f"{self.element}, {self.label}"

    @property
    def periodic(self) -> bool:
        """Whether whole turns make no difference."""
        return isinstance(self.measure, Turn)


#: The quantities of a reaction: places in the wrench on the head, at its attachment point.
WRENCH = {kind: place for place, kind in enumerate(("fx", "fy", "fz", "tx", "ty", "tz"))} | {"torque": 5}


# --- forces --------------------------------------------------------------------------------------


class Observation(NamedTuple):
    """The values that a force law may read at a state."""

    posture: Posture
    #: The law's measures and their rates.
    positions: list[float]
    rates: list[float]
    #: Every name that formulas may use: parameters, inputs, ``time`` and quantities.
    values: Mapping[str, float]
    #: The states of the element.
    states: list[float]


class Action(NamedTuple):
    """The result of a force law: an effort along each of its measures, energy, power, and quantities."""

    efforts: Sequence[float]
    #: Energy stored in the element, in J.
    potential: float = 0.0
    #: Power that the element feeds into the mechanism and its stored energy does not account for, in W.
    power: float = 0.0
    quantities: tuple[tuple[str, float], ...] = ()
    #: The rates of the element's states.
    rates: Sequence[float] = ()


@dataclass(frozen=True)
class ForceLaw:
    """Efforts along measures.

    An effort is a generalized force: by the Jacobian of its measure it acts on the head and, with the
    opposite sign, on the tail. ``names`` are the quantities that the law reads by name.
    """

    measures: tuple[Measure, ...]
    act: Callable[[Observation], Action]
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class OwnState:
    """A state of an element: the quantity ``element.kind``.

    ``start`` is its value where the model gives no start value; ``nominal`` is its usual size.
    """

    kind: str
    start: float = 0.0
    nominal: float = 1.0


class Inertia(NamedTuple):
    """The mass of a body, at its mass centre, and its inertia tensor about it in body axes."""

    mass: float
    tensor: Array


# --- the start -----------------------------------------------------------------------------------


class Attitude(NamedTuple):
    """A rotation, as a matrix and, in the plane, as an angle that counts turns."""

    matrix: Array
    angle: float = 0.0

    def then(self, other: Attitude) -> Attitude:
        return Attitude(self.matrix @ other.matrix, self.angle + other.angle)

    def back(self) -> Attitude:
        return Attitude(self.matrix.T, -self.angle)


UNTURNED = Attitude(IDENTITY)


class StartGuesses:
    """The start values of an element's quantities, by kind, and the names that formulas use."""

    def __init__(self, element: str, starts: Mapping[str, float], values: Mapping[str, float]) -> None:
        prefix = f"{element}."
        self.own = {name.removeprefix(prefix): x for name, x in starts.items() if name.startswith(prefix)}
        self.values = values

    def __call__(self, kind: str) -> float:
        """A start value, 0 if none is given."""
        return self.own.get(kind, 0.0)

    @property
    def turning(self) -> bool:
        """Whether an angle is given."""
        return any(kind.startswith("angle") for kind in self.own)

    @property
    def sliding(self) -> bool:
        """Whether a displacement is given."""
        return any(kind in self.own for kind in ("s", "x", "y", "z"))


@dataclass(frozen=True)
class Relation:
    """A rough pose of an element's head relative to its tail.

    ``rotation`` and ``displacement`` are in the axes of the tail's body, ``None`` where they are free.
    ``known`` says that the rotation follows from a start value or a constant, ``vague`` that only the length
    of the displacement is meant. ``angles`` are remembered angles by quantity.
    """

    rotation: Attitude | None
    displacement: Array | None
    known: bool
    vague: bool = False
    angles: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Link:
    """A relation with its ends."""

    tail: BodyPoint
    head: BodyPoint
    relation: Relation


@dataclass(frozen=True)
class BodyPose:
    """A rough pose of a body: its attitude if known, and positions of its origin and mass centre.

    Components that are not known are NaN.
    """

    rotation: Attitude | None
    origin: Array
    center: Array


@dataclass(frozen=True)
class Axle:
    """Two bodies that turn relative to each other about one axis, in the axes of the tail's body.

    ``angle`` is the quantity that counts the turns, ``None`` if they do not turn.
    """

    tail: int
    head: int
    axis: Triple
    angle: str | None


@dataclass(frozen=True)
class Pose:
    """The data of an element for the assembly of the start.

    ``relation`` gives the pose of the head relative to the tail, ``body`` that of a body. ``upright`` are
    cosines that are one in the right assembly; the constraints alone also allow minus one. ``wound`` is an
    axle whose turns at the start follow from other axles. ``links`` are rough poses of parts of a body.
    """

    relation: Callable[[StartGuesses], Relation] | None = None
    body: Callable[[StartGuesses], BodyPose] | None = None
    upright: tuple[Cosine, ...] = ()
    axle: Axle | None = None
    wound: Axle | None = None
    links: tuple[Link, ...] = ()


# --- parts ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """The contributions of an element to the reference equations.

    ``rows`` are constraints and ``reactions`` the kinds of quantities of their wrench on the head.
    ``measures`` are the quantities of motion, ``actions`` the applied forces, ``states`` those with rates of
    their own. ``pose`` serves the assembly. Bodies have an ``inertia``, components of networks a ``network``.
    The inertia of a ``flexible`` body depends on coordinates of its own.
    """

    rows: tuple[Row, ...] = ()
    measures: tuple[NamedMeasure, ...] = ()
    actions: tuple[ForceLaw, ...] = ()
    states: tuple[OwnState, ...] = ()
    pose: Pose | None = None
    reactions: tuple[str, ...] = ()
    inertia: Inertia | None = None
    flexible: FlexibleBody | None = None
    network: NetworkParts | None = None


class ElementParts(NamedTuple):
    """An element, with its parts."""

    element: Element
    parts: Parts

    @property
    def name(self) -> str:
        return self.element.name


# --- reading an element --------------------------------------------------------------------------


class Reader:
    """An element with numbers for the parameters its values use."""

    def __init__(self, element: Element, layout: Layout, slots: Iterator[int]) -> None:
        self.element, self.layout = element, layout
        self.name, self.planar, self.ground = element.name, layout.planar, layout.ground
        self._slots = slots

    # Values, by the keys of the file.

    def formula(self, key: str) -> Formula:
        value = self.element.values[key]
        if not isinstance(value, Formula):
            raise VerificationError(f"{key} of {self.name} is not a formula")
        return value

    def number(self, key: str) -> float:
        """The value of a formula of parameters."""
        return self.layout.number(self.formula(key))

    def direction(self, key: str) -> Vector | None:
        """A vector of formulas, if it is given."""
        return cast("Vector | None", self.element.values[key])

    def vector(self, key: str) -> Array:
        """The value of a vector of parameters."""
        return self.layout.vector(cast(Vector, self.element.values[key]))

    def text(self, key: str) -> str:
        return str(self.element.values[key])

    # Geometry.

    @cached_property
    def tail(self) -> BodyPoint:
        return self.layout.place(self.element.tail)

    @cached_property
    def head(self) -> BodyPoint:
        return self.layout.place(self.element.head)

    @property
    def tail_axes(self) -> Array:
        """The axes of the attachment at the tail, in those of its body."""
        return self.layout.axes_of(self.element.tail)

    @property
    def head_axes(self) -> Array:
        return self.layout.axes_of(self.element.head)

    @cached_property
    def coupling(self) -> Coupling:
        return coupling(self.layout, self.element.tail, self.element.head)

    def triad(self, key: str = "axis", toward: Vector | None = None) -> Array:
        """Rows: the unit vector along an axis, one across it on the side of ``toward``, and the third."""
        return self.layout.triad(self.direction(key), toward, self.name)

    def in_ground(self, direction: Array) -> Displacement:
        """The displacement of the head from the tail along a direction of the ground."""
        return Displacement(self.tail, self.head, self.ground, triple(direction))

    def in_tail(self, direction: Array) -> Displacement:
        """The displacement of the head from the tail along a direction in the axes of the tail's body."""
        return Displacement(self.tail, self.head, self.tail.body, triple(direction))

    def planar_angle(self) -> Spin:
        """The angle of the head's body relative to the tail's, in the plane."""
        return planar_angle(self.layout, self.element.tail, self.element.head)

    def axle(self, axis: Array | None, angle: str | None) -> Axle:
        """The ends with an axis in the axes of the tail's attachment; no axis if they do not turn."""
        direction = np.zeros(3) if axis is None else self.tail_axes @ axis
        return Axle(self.tail.body, self.head.body, triple(direction), angle)

    def slot(self) -> int:
        """A new slot of the memory, for an angle in space that counts turns."""
        return next(self._slots)

    # Kinds of the quantities of a wrench.

    @property
    def force_kinds(self) -> tuple[str, ...]:
        return tuple(f"f{axis}" for axis in self.layout.axes)

    @property
    def torque_kinds(self) -> tuple[str, ...]:
        return ("torque",) if self.planar else ("tx", "ty", "tz")


# --- the registry --------------------------------------------------------------------------------

Law = Callable[[Reader], Parts]
_LAWS: dict[tuple[str, str], Law] = {}


def law(section: str, kind: str) -> Callable[[Law], Law]:
    """Enter a law into the catalogue, for elements of a section and type."""

    def enter(function: Law) -> Law:
        _LAWS[section, kind] = function
        return function

    return enter


def known_types() -> frozenset[tuple[str, str]]:
    """The sections and types that have a law."""
    return frozenset(_LAWS)


def law_of(section: str, kind: str) -> Law:
    """The law of a type.

    Raises
    ------
    VerificationError
        If the catalogue does not have it.
    """
    if (section, kind) not in _LAWS:
        raise VerificationError(
            f"the reference has no law for the type {kind!r} of section {section!r}: "
            "enter one with @law of fmugen.verify.catalogue"
        )
    return _LAWS[section, kind]


def parts_of_model(layout: Layout) -> tuple[ElementParts, ...]:
    """The parts of every element of a model."""
    return _parts_of(elements_of(layout.model), layout)


def network_parts(layout: Layout) -> list[tuple[str, NetworkParts]]:
    """The components of a model's network, by name."""
    # Components of networks are fastened to nodes, other elements to places.
    connected = [each for each in elements_of(layout.model) if each.ends and not each.places]
    found = [(each.name, each.parts.network) for each in _parts_of(connected, layout)]
    return [(name, network) for name, network in found if network is not None]


def state_quantities(model: SystemModel) -> list[str]:
    """The quantities that are states of force laws."""
    found = parts_of_model(Layout(model))
    return [f"{each.name}.{state.kind}" for each in found for state in each.parts.states]


def _parts_of(elements: Iterable[Element], layout: Layout) -> tuple[ElementParts, ...]:
    slots = count()
    return tuple(
        ElementParts(element, law_of(element.section, element.type)(Reader(element, layout, slots)))
        for element in elements
    )
