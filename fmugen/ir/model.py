"""SystemModel: what the user said, validated, in SI units.

Vectors have three components; a planar model moves in x and y and turns about z, so that its third
force component and its first two torque components are never asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from fmugen.ir.formula import ONE, ZERO, Formula

GROUND = "ground"

Vector = tuple[Formula, Formula, Formula]
NULL_VECTOR: Vector = (ZERO, ZERO, ZERO)
X_AXIS: Vector = (ONE, ZERO, ZERO)


class Space(Enum):
    """The motions a model knows about."""

    PLANAR = "planar"


@dataclass(frozen=True)
class Parameter:
    """A number the user of the FMU may change before initialization."""

    name: str
    value: float
    unit: str = "1"
    description: str = ""


@dataclass(frozen=True)
class Input:
    """A continuous FMU input."""

    name: str
    start: float = 0.0
    unit: str = "1"
    description: str = ""


@dataclass(frozen=True)
class Output:
    """An FMU output: a formula over parameters, inputs, ``time`` and quantities of elements."""

    name: str
    value: Formula
    unit: str = "1"
    description: str = ""


@dataclass(frozen=True)
class Point:
    """A point fixed on a body (a rigid arm from its mass centre) or on the ground."""

    name: str
    position: Vector


@dataclass(frozen=True)
class Body:
    """A rigid body; its frame sits at the mass centre."""

    name: str
    mass: Formula
    inertia: Formula
    points: tuple[Point, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class Attachment:
    """A place an element is fastened to: a body (or the ground), and a point on it.

    ``point`` is ``None`` for the mass centre of a body and for the origin of the ground.
    """

    body: str
    point: str | None = None

    @property
    def node(self) -> str:
        """The name of the node of the translational graph."""
        return self.body if self.point is None else f"{self.body}.{self.point}"


class JointType(Enum):
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    WELD = "weld"
    VIRTUAL = "virtual"


@dataclass(frozen=True)
class Joint:
    """A joint from ``tail`` to ``head``; its coordinates measure the head relative to the tail.

    ``axis`` is the sliding direction of a prismatic joint, in the axes of the tail's body.
    ``angle`` is the constant angle of the head's body relative to the tail's for prismatic and
    weld joints. A virtual joint constrains nothing; it offers coordinates to the trees.
    """

    name: str
    type: JointType
    tail: Attachment
    head: Attachment
    axis: Vector = X_AXIS
    angle: Formula = ZERO
    description: str = ""


class DriverType(Enum):
    ROTATION = "rotation"
    TRANSLATION = "translation"


@dataclass(frozen=True)
class Driver:
    """A prescribed relative motion of the head relative to the tail, a function of time.

    Rotation: ``angle`` is the angle of the head's body relative to the tail's.
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


class LoadType(Enum):
    FORCE = "force"
    TORQUE = "torque"


@dataclass(frozen=True)
class Load:
    """A given force on the ``head`` point, or a given torque on the ``head`` body.

    The opposite load acts on ``tail`` (the ground by default). ``frame`` names the body in whose
    axes the force components are given. Formulas may use parameters, inputs, ``time`` and
    quantities of position and velocity.
    """

    name: str
    type: LoadType
    tail: Attachment
    head: Attachment
    force: Vector = NULL_VECTOR
    torque: Formula = ZERO
    frame: str = GROUND
    description: str = ""


class SpringType(Enum):
    TRANSLATIONAL = "translational"
    ROTATIONAL = "rotational"


@dataclass(frozen=True)
class Spring:
    """A spring, damper and actuator in parallel.

    Translational: the tension ``stiffness*(L - free) + damping*L' + actuator`` pulls the two points
    towards each other, L being their distance.
    Rotational: the torque ``-(stiffness*(angle - free) + damping*omega + actuator)`` acts on the
    head's body and its opposite on the tail's, ``angle`` being that of the head relative to the tail.
    """

    name: str
    type: SpringType
    tail: Attachment
    head: Attachment
    stiffness: Formula = ZERO
    damping: Formula = ZERO
    free: Formula = ZERO
    actuator: Formula = ZERO
    description: str = ""


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
    """Trees named by the user; rigid arms are understood to be in the translational tree."""

    name: str
    translation: tuple[str, ...]
    rotation: tuple[str, ...]


@dataclass(frozen=True)
class Experiment:
    """What ``simulate`` and ``verify`` run by default, and the FMU's DefaultExperiment."""

    stop: float = 1.0
    step: float = 0.01
    tolerance: float = 1e-8


@dataclass(frozen=True)
class SystemModel:
    """A mechanism as described by its user; every name in it resolves."""

    name: str
    description: str = ""
    space: Space = Space.PLANAR
    gravity: Vector = NULL_VECTOR
    parameters: tuple[Parameter, ...] = ()
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    ground: tuple[Point, ...] = ()
    bodies: tuple[Body, ...] = ()
    joints: tuple[Joint, ...] = ()
    drivers: tuple[Driver, ...] = ()
    loads: tuple[Load, ...] = ()
    springs: tuple[Spring, ...] = ()
    starts: tuple[Start, ...] = ()
    trees: tuple[NamedTrees, ...] = ()
    experiment: Experiment = field(default_factory=Experiment)


def start_parameter(start: Start) -> str:
    """The name of the FMU parameter of an adjustable start value."""
    return f"start.{start.quantity}"


# --- quantities ------------------------------------------------------------------------------
#
# A quantity is a scalar of an element that formulas and outputs may name: ``crank.angle``,
# ``crank.tip.vx``, ``pin.fx``. Its level says what it needs: 0 positions, 1 velocities,
# 2 accelerations or reactions.


class Level(Enum):
    POSITION = 0
    VELOCITY = 1
    ACCELERATION = 2


@dataclass(frozen=True)
class Quantity:
    """``owner`` is an element or a ``body.point``; ``kind`` is the last word of the name."""

    owner: str
    kind: str
    level: Level
    unit: str

    @property
    def name(self) -> str:
        return f"{self.owner}.{self.kind}"


_P, _V, _A = Level.POSITION, Level.VELOCITY, Level.ACCELERATION
_POINT = (
    ("x", _P, "m"),
    ("y", _P, "m"),
    ("vx", _V, "m/s"),
    ("vy", _V, "m/s"),
    ("ax", _A, "m/s2"),
    ("ay", _A, "m/s2"),
)
_ANGLE = (("angle", _P, "rad"), ("omega", _V, "rad/s"), ("alpha", _A, "rad/s2"))
_SLIDE = (("s", _P, "m"), ("v", _V, "m/s"), ("a", _A, "m/s2"))
_REACTION = (("fx", _A, "N"), ("fy", _A, "N"), ("torque", _A, "N.m"))

_JOINT = {
    JointType.REVOLUTE: _ANGLE + _REACTION,
    JointType.PRISMATIC: _SLIDE + _REACTION,
    JointType.WELD: _REACTION,
    JointType.VIRTUAL: _POINT + _ANGLE,
}


def quantities(model: SystemModel) -> Iterator[Quantity]:
    """Every quantity of every element, in declared order.

    Bodies: ``x y vx vy ax ay`` of the mass centre and ``angle omega alpha``, relative to the ground.
    Points (``body.point``, ``ground.point``): ``x y vx vy ax ay`` relative to the ground.
    Revolute: ``angle omega alpha``; prismatic: ``s v a``; virtual joints: the displacement of the
    head from the tail in the axes of the tail's body (``x y``, with the rates of these components) and
    ``angle omega alpha``. Joints other than virtual, and drivers: ``fx fy torque`` of the reaction on
    the head's body, forces in ground axes. Rotation drivers: ``angle omega alpha``.
    Springs: ``length speed force`` (tension) or ``angle omega torque`` (on the head).
    Loads: ``fx fy`` (ground axes) or ``torque``, on the head.
    """
    for point in model.ground:
        yield from _of(f"{GROUND}.{point.name}", _POINT)
    for body in model.bodies:
        yield from _of(body.name, _POINT + _ANGLE)
        for point in body.points:
            yield from _of(f"{body.name}.{point.name}", _POINT)
    for joint in model.joints:
        yield from _of(joint.name, _JOINT[joint.type])
    for driver in model.drivers:
        rotation = driver.type is DriverType.ROTATION
        yield from _of(driver.name, _ANGLE + _REACTION[2:] if rotation else _REACTION[:2])
    for spring in model.springs:
        if spring.type is SpringType.TRANSLATIONAL:
            yield from _of(spring.name, (("length", _P, "m"), ("speed", _V, "m/s"), ("force", _V, "N")))
        else:
            yield from _of(spring.name, (*_ANGLE[:2], ("torque", _V, "N.m")))
    for load in model.loads:
        force = load.type is LoadType.FORCE
        components = (("fx", _V, "N"), ("fy", _V, "N")) if force else (("torque", _V, "N.m"),)
        yield from _of(load.name, components)


def _of(owner: str, kinds: tuple[tuple[str, Level, str], ...]) -> Iterator[Quantity]:
    return (Quantity(owner, kind, level, unit) for kind, level, unit in kinds)
