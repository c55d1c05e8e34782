"""SystemModel: what the user said, validated, in SI units.

Vectors have three components; a planar model moves in x and y and turns about z, so that its third
force component and its first two torque components are never asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from fmugen.ir.formula import ONE, ZERO, Formula
from fmugen.ir.network import Component, component_quantities
from fmugen.ir.quantity import Kinds, Level, Quantity

GROUND = "ground"

Vector = tuple[Formula, Formula, Formula]
NULL_VECTOR: Vector = (ZERO, ZERO, ZERO)
X_AXIS: Vector = (ONE, ZERO, ZERO)
Z_AXIS: Vector = (ZERO, ZERO, ONE)


class Space(Enum):
    """The motions a model knows about."""

    PLANAR = "planar"
    SPATIAL = "spatial"


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
QUATERNION = "quaternion"


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


class JointType(Enum):
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


class DriverType(Enum):
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


class LoadType(Enum):
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


class SpringType(Enum):
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
    """A mechanism, a network or both, as described by its user; every name in it resolves.

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
    bodies: tuple[Body, ...] = ()
    joints: tuple[Joint, ...] = ()
    drivers: tuple[Driver, ...] = ()
    loads: tuple[Load, ...] = ()
    springs: tuple[Spring, ...] = ()
    components: tuple[Component, ...] = ()
    starts: tuple[Start, ...] = ()
    steady: bool = False
    trees: tuple[NamedTrees, ...] = ()
    independent: tuple[str, ...] = ()
    experiment: Experiment = field(default_factory=Experiment)


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

_P, _V, _A = Level.POSITION, Level.VELOCITY, Level.ACCELERATION


def _vector(axes: str) -> Kinds:
    levels = (("", _P, "m"), ("v", _V, "m/s"), ("a", _A, "m/s2"))
    return tuple((f"{prefix}{axis}", level, unit) for prefix, level, unit in levels for axis in axes)


def _angle(suffix: str = "") -> Kinds:
    kinds = (("angle", _P, "rad"), ("omega", _V, "rad/s"), ("alpha", _A, "rad/s2"))
    return tuple((f"{kind}{suffix}", level, unit) for kind, level, unit in kinds)


_SLIDE: Kinds = (("s", _P, "m"), ("v", _V, "m/s"), ("a", _A, "m/s2"))
_SPIN: Kinds = (
    *((f"r{i}{j}", _P, "1") for i in "xyz" for j in "xyz"),
    *((f"w{axis}", _V, "rad/s") for axis in "xyz"),
    *((f"alpha{axis}", _A, "rad/s2") for axis in "xyz"),
)
_TURNS = {
    JointType.REVOLUTE: 1,
    JointType.UNIVERSAL: 2,
    JointType.CYLINDRICAL: 1,
    JointType.PLANAR: 1,
    JointType.SCREW: 1,
}
_SLIDES: dict[JointType, Kinds] = {
    JointType.PRISMATIC: _SLIDE,
    JointType.CYLINDRICAL: _SLIDE,
    JointType.SCREW: _SLIDE,
    JointType.PLANAR: _vector("xy"),
    JointType.TRANSLATIONAL: _vector("xyz"),
}


def attitude_kinds(attitude: str) -> Kinds:
    """The quantities of an attitude: those of Euler angles; Euler parameters are coordinates only."""
    return () if attitude == QUATERNION else tuple(k for n in "123" for k in _angle(n))


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
    planar = model.space is Space.PLANAR
    point_kinds = _vector("xy" if planar else "xyz")
    for point in model.ground:
        yield from _of(f"{GROUND}.{point.name}", point_kinds)
    for body in model.bodies:
        turning = _angle() if planar else _SPIN + attitude_kinds(body.attitude)
        yield from _of(body.name, point_kinds + turning)
        if body.center_node != body.name:
            yield from _of(body.center_node, point_kinds)
        for point in body.points:
            yield from _of(f"{body.name}.{point.name}", point_kinds)
    for joint in model.joints:
        yield from _of(joint.name, _joint_kinds(joint, planar))
    for driver in model.drivers:
        rotation = driver.type is DriverType.ROTATION
        yield from _of(driver.name, _angle() + _torque(planar) if rotation else _force(planar))
    for spring in model.springs:
        if spring.type is SpringType.TRANSLATIONAL:
            yield from _of(spring.name, (("length", _P, "m"), ("speed", _V, "m/s"), ("force", _V, "N")))
        else:
            yield from _of(spring.name, (*_angle()[:2], ("torque", _V, "N.m")))
    for load in model.loads:
        kinds = _force(planar) if load.type is LoadType.FORCE else _torque(planar)
        yield from _of(load.name, tuple((kind, _V, unit) for kind, _, unit in kinds))
    yield from component_quantities(model.components, GROUND)


def _joint_kinds(joint: Joint, planar: bool) -> Kinds:
    reaction = () if joint.type is JointType.VIRTUAL else _force(planar) + _torque(planar)
    kind = joint.kind
    if kind is JointType.ROD:
        return (("tension", _A, "N"), *_force(planar))
    if kind is JointType.FREE:
        motion = _vector("xy") + _angle() if planar else _vector("xyz") + attitude_kinds(joint.attitude)
        return motion + reaction
    if kind is JointType.SPHERICAL:
        return attitude_kinds(joint.attitude) + reaction
    turns = _TURNS.get(kind, 0)
    angles = _angle() if turns == 1 else tuple(k for n in range(turns) for k in _angle(str(n + 1)))
    return _SLIDES.get(kind, ()) + angles + reaction


def _force(planar: bool) -> Kinds:
    return tuple((f"f{axis}", _A, "N") for axis in ("xy" if planar else "xyz"))


def _torque(planar: bool) -> Kinds:
    return (("torque", _A, "N.m"),) if planar else tuple((f"t{axis}", _A, "N.m") for axis in "xyz")


def _of(owner: str, kinds: Kinds) -> Iterator[Quantity]:
    return (Quantity(owner, kind, level, unit) for kind, level, unit in kinds)
