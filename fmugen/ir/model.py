"""SystemModel: what the user said, validated, in SI units.

Vectors have three components; a planar model moves in x and y and turns about z, so that its third
force component and its first two torque components are never asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar, cast

from fmugen.ir.element import (
    GROUND,
    NULL_VECTOR,
    QUATERNION,
    X_AXIS,
    Z_AXIS,
    Attachment,
    Element,
    Orientation,
    Point,
    Space,
    Tensor,
    Vector,
)
from fmugen.ir.formula import ZERO, Formula
from fmugen.ir.network import Component, node_quantities
from fmugen.ir.quantity import Quantity, attitude_kinds, vector_kinds

__all__ = [
    "GROUND",
    "NULL_VECTOR",
    "QUATERNION",
    "X_AXIS",
    "Z_AXIS",
    "Attachment",
    "Body",
    "Element",
    "Experiment",
    "Input",
    "NamedTrees",
    "Orientation",
    "Output",
    "Parameter",
    "Point",
    "Space",
    "Start",
    "SystemModel",
    "Tensor",
    "Vector",
    "attitude_kinds",
    "default_parameters",
    "quantities",
    "start_parameter",
]

#: The order of the sections of a model whose elements are mechanical.
SECTIONS = ("bodies", "joints", "drivers", "forces", "springs")


@dataclass(frozen=True)
class Parameter:
    """A number the user of the FMU may change, between steps as well."""

    name: str
    value: float
    unit: str = "1"
    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None


@dataclass(frozen=True)
class Input:
    """A continuous FMU input; ``rate`` names the input that is its time derivative, if there is one.

    What is prescribed by an input needs its first and second derivative. ``stamp`` names the input that tells
    when the value was sampled: between communication points of a co-simulation samples are interpolated or
    extrapolated. ``slope`` is how fast a sampled input changes at the start, where there is one sample only.
    """

    name: str
    start: float = 0.0
    unit: str = "1"
    description: str = ""
    rate: str = ""
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    stamp: str = ""
    slope: float | None = None


@dataclass(frozen=True)
class Output:
    """An FMU output: a formula over parameters, inputs, ``time`` and quantities of elements.

    With ``by`` it is the partial derivative of the formula by that input, the states held. With ``without``
    it is what the formula would be if these inputs were zero; the formula is affine in them.
    """

    name: str
    value: Formula
    unit: str = "1"
    description: str = ""
    by: str = ""
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Start:
    """A start value of a position or velocity quantity: exact if ``fixed``, else a guess."""

    quantity: str
    value: Formula
    fixed: bool

    @property
    def adjustable(self) -> bool:
        """Whether the value is a plain number that becomes an FMU parameter of its own.

        A value that is a formula is adjusted through the parameters it uses.
        """
        return self.fixed and self.value.number is not None


@dataclass(frozen=True)
class NamedTrees:
    """Trees named by the user; rigid arms are understood to be in the translational tree.

    With ``complete`` they are edges that the user requires, to which others are added.
    """

    name: str
    translation: tuple[str, ...]
    rotation: tuple[str, ...]
    complete: bool = False


@dataclass(frozen=True)
class Experiment:
    """The default run of ``simulate`` and ``verify``, and the DefaultExperiment of the FMU."""

    stop: float = 1.0
    step: float = 0.01
    tolerance: float = 1e-8


_T = TypeVar("_T")


@dataclass(frozen=True)
class Body:
    """A rigid body with its mass centre at ``center``, from the origin of its frame.

    ``attitude`` says which coordinates describe its orientation where it is a branch of the rotational
    tree of a spatial model: Euler parameters, or Euler angles of a sequence such as ``zyx``.
    """

    name: str
    mass: Formula
    inertia: Tensor
    points: tuple[Point, ...] = ()
    center: Vector = NULL_VECTOR
    attitude: str = QUATERNION
    description: str = ""

    @property
    def center_node(self) -> str:
        """The node of the mass centre: the body itself unless its frame sits elsewhere."""
        at_origin = all(component.number == 0 for component in self.center)
        return self.name if at_origin else f"{self.name}.center"


@dataclass(frozen=True)
class SystemModel:
    """A mechanism, a network or both, as described by its user; every name in it resolves.

    ``elements`` are in the order of the sections of a file and, within a section, in declared order.
    ``steady`` asks for a start at rest: an equilibrium of the mechanism and the network. ``independent`` are
    the coordinates from which the closure is to start; none leaves the choice open.
    """

    name: str
    description: str = ""
    space: Space = Space.PLANAR
    gravity: Vector = NULL_VECTOR
    parameters: tuple[Parameter, ...] = ()
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    ground: tuple[Point, ...] = ()
    elements: tuple[Element, ...] = ()
    starts: tuple[Start, ...] = ()
    steady: bool = False
    trees: tuple[NamedTrees, ...] = ()
    independent: tuple[str, ...] = ()
    experiment: Experiment = field(default_factory=Experiment)

    def __post_init__(self) -> None:
        object.__setattr__(self, "elements", tuple(sorted(self.elements, key=_section_order)))

    def with_elements(self, *elements: Element) -> SystemModel:
        """The same model with more elements."""
        return replace(self, elements=(*self.elements, *elements))

    def in_section(self, *sections: str) -> tuple[Element, ...]:
        """The elements of some sections."""
        return tuple(element for element in self.elements if element.section in sections)

    def element(self, name: str) -> Element:
        return next(element for element in self.elements if element.name == name)

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, with their values by name."""
        return tuple(_body_of(element) for element in self.in_section("bodies"))

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """The components of networks, with their values by name."""
        return tuple(_component_of(element) for element in self.elements if element.ports)


def _body_of(element: Element) -> Body:
    values = element.values

    def known(key: str, default: _T) -> _T:
        return cast(_T, values.get(key, default))

    return Body(
        element.name,
        known("mass", ZERO),
        known("inertia", Tensor()),
        known("points", ()),
        known("center", NULL_VECTOR),
        known("attitude", QUATERNION),
        element.description,
    )


def _component_of(element: Element) -> Component:
    return Component(
        element.name,
        element.section,
        element.type,
        tuple((key, str(node)) for key, node in element.ends.items()),
        tuple((key, cast(Formula, value)) for key, value in element.values.items()),
        element.ports,
        element.description,
    )


def _section_order(element: Element) -> int:
    return SECTIONS.index(element.section) if element.section in SECTIONS else len(SECTIONS)


def start_parameter(start: Start) -> str:
    """The name of the FMU parameter of an adjustable start value."""
    return f"start.{start.quantity}"


def default_parameters(model: SystemModel) -> dict[str, float]:
    """Every FMU parameter with its default value, in declared order."""
    values = {parameter.name: parameter.value for parameter in model.parameters}
    for start in model.starts:
        if start.adjustable and start.value.number is not None:
            values[start_parameter(start)] = start.value.number
    return values


# --- quantities ------------------------------------------------------------------------------


def quantities(model: SystemModel) -> Iterator[Quantity]:
    """Every quantity of every element, in declared order.

    Planar models: ``x y vx vy ax ay`` of bodies (their frames' origins; ``body.center`` where the mass
    centre is elsewhere) and points, ``angle omega alpha``
    of bodies; relative to the ground, in its axes. Revolute: ``angle omega alpha``; prismatic: ``s v a``;
    virtual joints: the displacement of the head from the tail in the axes of the tail (``x y``, with
    the rates of these components) and ``angle omega alpha``. Joints other than virtual, and drivers:
    ``fx fy torque`` of the reaction on the head's body, forces in ground axes. Rotation drivers:
    ``angle omega alpha``. Springs: ``length speed force`` (tension) or ``angle omega torque`` (on the
    head). Loads: ``fx fy`` (ground axes) or ``torque``, on the head.

    Spatial models have ``z`` as well. Bodies have direction cosines ``rxx`` to ``rzz`` (``rxy`` is the
    x component of the body's y axis), ``wx wy wz`` and ``alphax alphay alphaz`` in ground axes. Joints have
    ``s``, ``x y z``, ``angle`` or ``angle1 angle2 angle3`` as they have freedoms, with their rates, and
    the reaction ``fx fy fz tx ty tz``; rods have ``tension``. Euler angles of bodies, spherical and
    free joints (``angle1`` ...) are known only where the trees make them coordinates.

    Components of networks have the across and through variables of their ports (``R1.v R1.i``), and nodes
    their across variables.
    """
    places = vector_kinds("xy" if model.space is Space.PLANAR else "xyz")
    for point in model.ground:
        yield from (Quantity(f"{GROUND}.{point.name}", *kind) for kind in places)
    for element in model.elements:
        yield from element.quantities
    yield from node_quantities((element.ports for element in model.elements), GROUND)
