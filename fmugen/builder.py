"""Mechanisms described in Python instead of a file.

The builder fills the same tables that a model file holds and gives them to the same reader, so that both
are checked alike and equal descriptions give equal models::

    model = (
        ModelBuilder("Pendulum", gravity=(0, "-g"))
        .parameter("g", 9.81, "m/s2")
        .body("bob", mass=1)
        .ground_point("O", 0, 0)
        ...
        .build()
    )

Numbers may be written as numbers or as formulas everywhere but in parameters, inputs and the experiment.
An attachment is written ``ground``, ``ground.O``, ``crank`` or ``crank.A``; ``tail`` and ``head`` are the
``from`` and ``to`` of the file. What is left out (``None``) has the default of the file. Vectors have two
components in planar models and three in spatial ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Self

from fmugen.ir.model import GROUND, SystemModel
from fmugen.phases.read import model_from_tables
from fmugen.phases.read.problems import ProblemLog

__all__ = ["ModelBuilder"]

Value = str | float
Components = Sequence[Value]
#: A point is its position, or a table with ``position``, ``sequence`` and ``angles``.
PointValue = Components | Mapping[str, object]


class ModelBuilder:
    """Collects a description call by call; :meth:`build` checks it as a whole.

    Parameters
    ----------
    name
        The name of the model, an identifier.
    description
        One sentence about it.
    space
        ``planar`` or ``spatial``.
    gravity
        The components of the acceleration of gravity; none if left out.
    """

    def __init__(
        self, name: str, *, description: str = "", space: str = "planar", gravity: Components | None = None
    ) -> None:
        model: dict[str, object] = {"name": name, "description": description, "space": space}
        if gravity is not None:
            model["gravity"] = _plain(gravity)
        self._name = name
        self._sections: dict[str, dict[str, object]] = {"model": model}
        self._ground: dict[str, object] = {}
        self._fixed: dict[str, object] = {}
        self._guessed: dict[str, object] = {}
        self._steady = False
        self._given_twice: list[tuple[str, ...]] = []

    # --- interface -------------------------------------------------------------------------------

    def parameter(self, name: str, value: float, unit: str = "1", description: str = "") -> Self:
        """A number that may be changed before initialization."""
        return self._enter("parameters", name, value=value, unit=unit, description=description)

    def input(
        self,
        name: str,
        start: float = 0.0,
        unit: str = "1",
        description: str = "",
        rate: str = "",
        stamp: str = "",
        slope: float | None = None,
    ) -> Self:
        """An input of the FMU.

        ``rate`` names the input that is its time derivative, ``stamp`` the one that tells when it was
        sampled; ``slope`` is how fast its samples change at the start.
        """
        others = {"description": description, "rate": rate, "stamp": stamp, "slope": slope}
        return self._enter("inputs", name, start=start, unit=unit, **others)

    def output(
        self,
        name: str,
        value: Value,
        unit: str | None = None,
        description: str = "",
        *,
        by: str | None = None,
        without: Sequence[str] | None = None,
    ) -> Self:
        """An output of the FMU; without a unit it has that of the quantity it consists of.

        ``by`` names an input: the output is the derivative of the value by it. ``without`` names inputs that
        count as zero.
        """
        inputs = {"by": by, "without": without}
        return self._enter("outputs", name, value=value, unit=unit, description=description, **inputs)

    # --- bodies and points -----------------------------------------------------------------------

    def ground_point(
        self,
        name: str,
        x: Value,
        y: Value,
        z: Value | None = None,
        *,
        sequence: str | None = None,
        angles: Components | None = None,
    ) -> Self:
        """A point fixed on the ground; its axes are turned by ``angles`` about those of ``sequence``."""
        position = [x, y] if z is None else [x, y, z]
        turned = {"position": position, **_given(sequence=sequence, angles=angles)}
        point = turned if len(turned) > 1 else position
        return self._enter_in(self._ground, ("ground", "points", name), point)

    def body(
        self,
        name: str,
        *,
        mass: Value = 0,
        inertia: Value | Components | None = None,
        center: Components | None = None,
        attitude: str | None = None,
        points: Mapping[str, PointValue] | None = None,
        description: str = "",
    ) -> Self:
        """A rigid body with its mass centre at ``center``, and points given in its frame.

        The inertia is about the mass centre: a number in the plane; in space Ixx, Iyy, Izz, and if they are
        not zero Ixy, Ixz, Iyz. ``attitude`` is ``quaternion`` or a sequence of Euler angles such as ``zyx``.
        """
        return self._enter(
            "bodies",
            name,
            mass=mass,
            inertia=inertia,
            center=center,
            attitude=attitude,
            points=dict(points or {}),
            description=description,
        )

    # --- joints ----------------------------------------------------------------------------------
    #
    # Axes are given in the axes of the two attachments, which coincide where all coordinates are zero.

    def revolute(
        self, name: str, tail: str, head: str, *, axis: Components | None = None, description: str = ""
    ) -> Self:
        """A pin: the two points stay together, the bodies turn about ``axis``, by default z."""
        return self._link("joints", name, "revolute", tail, head, axis=axis, description=description)

    def prismatic(
        self,
        name: str,
        tail: str,
        head: str,
        *,
        axis: Components | None = None,
        angle: Value = 0,
        description: str = "",
    ) -> Self:
        """A slide along ``axis``, by default x; the ``angle`` about z stays constant."""
        return self._link(
            "joints", name, "prismatic", tail, head, axis=axis, angle=angle, description=description
        )

    def universal(
        self,
        name: str,
        tail: str,
        head: str,
        *,
        axis: Components | None = None,
        second_axis: Components | None = None,
        description: str = "",
    ) -> Self:
        """A cross: ``axis`` stays in the tail, ``second_axis`` in the head; by default z and x."""
        axes = {"axis": axis, "second_axis": second_axis}
        return self._link("joints", name, "universal", tail, head, **axes, description=description)

    def spherical(
        self, name: str, tail: str, head: str, *, attitude: str | None = None, description: str = ""
    ) -> Self:
        """A ball: the two points stay together, the bodies turn freely."""
        return self._link("joints", name, "spherical", tail, head, attitude=attitude, description=description)

    def cylindrical(
        self, name: str, tail: str, head: str, *, axis: Components | None = None, description: str = ""
    ) -> Self:
        """A sleeve: slides along ``axis``, by default z, and turns about it."""
        return self._link("joints", name, "cylindrical", tail, head, axis=axis, description=description)

    def planar(
        self,
        name: str,
        tail: str,
        head: str,
        *,
        axis: Components | None = None,
        second_axis: Components | None = None,
        description: str = "",
    ) -> Self:
        """A plane with the normal ``axis``, by default z; ``second_axis`` is its x direction."""
        axes = {"axis": axis, "second_axis": second_axis}
        return self._link("joints", name, "planar", tail, head, **axes, description=description)

    def weld(self, name: str, tail: str, head: str, *, angle: Value = 0, description: str = "") -> Self:
        """A rigid connection of two points at a constant angle about z."""
        return self._link("joints", name, "weld", tail, head, angle=angle, description=description)

    def free(
        self, name: str, tail: str, head: str, *, attitude: str | None = None, description: str = ""
    ) -> Self:
        """A joint with all six freedoms, which it measures."""
        return self._link("joints", name, "free", tail, head, attitude=attitude, description=description)

    def translational(self, name: str, tail: str, head: str, *, description: str = "") -> Self:
        """A joint that lets the bodies slide in all directions and turn in none."""
        return self._link("joints", name, "translational", tail, head, description=description)

    def screw(
        self,
        name: str,
        tail: str,
        head: str,
        lead: Value,
        *,
        axis: Components | None = None,
        description: str = "",
    ) -> Self:
        """A screw along ``axis``, by default z, that advances by ``lead`` with every turn."""
        return self._link("joints", name, "screw", tail, head, lead=lead, axis=axis, description=description)

    def rod(self, name: str, tail: str, head: str, length: Value, *, description: str = "") -> Self:
        """A rod without mass between two balls, which keeps the distance of two points."""
        return self._link("joints", name, "rod", tail, head, length=length, description=description)

    def virtual(
        self,
        name: str,
        tail: str,
        head: str,
        *,
        like: str | None = None,
        axis: Components | None = None,
        second_axis: Components | None = None,
        angle: Value | None = None,
        attitude: str | None = None,
        description: str = "",
    ) -> Self:
        """A joint that constrains nothing and offers the coordinates of another type to the trees."""
        return self._link(
            "joints",
            name,
            "virtual",
            tail,
            head,
            like=like,
            axis=axis,
            second_axis=second_axis,
            angle=angle,
            attitude=attitude,
            description=description,
        )

    # --- drivers ---------------------------------------------------------------------------------

    def rotation_driver(
        self,
        name: str,
        tail: str,
        head: str,
        angle: Value,
        *,
        axis: Components | None = None,
        description: str = "",
    ) -> Self:
        """Prescribes the angle of the head's body relative to the tail's about ``axis``, by default z."""
        return self._link(
            "drivers", name, "rotation", tail, head, value=angle, axis=axis, description=description
        )

    def translation_driver(
        self,
        name: str,
        tail: str,
        head: str,
        displacement: Value | Components,
        *,
        axis: Components | None = None,
        description: str = "",
    ) -> Self:
        """Prescribes all components of the displacement, or one number: that along ``axis``."""
        motion = {"value": displacement, "axis": axis}
        return self._link("drivers", name, "translation", tail, head, **motion, description=description)

    # --- loads and springs -----------------------------------------------------------------------

    def force(
        self,
        name: str,
        on: str,
        value: Components,
        *,
        tail: str = GROUND,
        frame: str = GROUND,
        description: str = "",
    ) -> Self:
        """A force on a point, with components in the axes of ``frame``; its opposite acts on ``tail``."""
        components = {"value": value, "frame": frame, "from": tail}
        return self._enter("forces", name, type="force", on=on, description=description, **components)

    def torque(
        self,
        name: str,
        on: str,
        value: Value | Components,
        *,
        tail: str = GROUND,
        frame: str | None = None,
        description: str = "",
    ) -> Self:
        """A torque on a body; its opposite acts on ``tail``.

        In the plane it is one value; in space it has components in the axes of ``frame``.
        """
        components = {"value": value, "frame": frame, "from": tail}
        return self._enter("forces", name, type="torque", on=on, description=description, **components)

    def spring(
        self,
        name: str,
        tail: str,
        head: str,
        *,
        stiffness: Value = 0,
        damping: Value = 0,
        free: Value = 0,
        actuator: Value = 0,
        description: str = "",
    ) -> Self:
        """A spring, damper and actuator along the line of two points."""
        laws = {"stiffness": stiffness, "damping": damping, "free": free, "actuator": actuator}
        return self._link("springs", name, "translational", tail, head, description=description, **laws)

    def rotational_spring(
        self,
        name: str,
        tail: str,
        head: str,
        *,
        stiffness: Value = 0,
        damping: Value = 0,
        free: Value = 0,
        actuator: Value = 0,
        axis: Components | None = None,
        description: str = "",
    ) -> Self:
        """A spring, damper and actuator between the angles of two bodies about ``axis``, by default z."""
        laws = {"stiffness": stiffness, "damping": damping, "free": free, "actuator": actuator}
        return self._link(
            "springs", name, "rotational", tail, head, axis=axis, description=description, **laws
        )

    # --- networks --------------------------------------------------------------------------------

    def component(
        self,
        section: str,
        name: str,
        kind: str,
        nodes: Mapping[str, str],
        *,
        description: str = "",
        **values: Value,
    ) -> Self:
        """A component of a network, such as ``("electrical", "R1", "resistor", {"from": "a", "to": "b"})``.

        ``section`` is electrical, hydraulic, translational, rotational or couplers, ``nodes`` names the node
        of each terminal, and ``values`` are those of the type.
        """
        given = {"type": kind, **nodes, **values, "description": description}
        return self._enter_in(self._sections.setdefault(section, {}), (section, name), given)

    def steady(self) -> Self:
        """Start in equilibrium: velocities, accelerations and derivatives of network states are zero."""
        self._steady = True
        return self

    # --- start values, trees, experiment ---------------------------------------------------------

    def start(self, quantity: str, value: Value, *, fixed: bool = True) -> Self:
        """The start value of a position or velocity: exact, or a guess."""
        if fixed:
            return self._enter_in(self._fixed, ("start", "fixed", quantity), value)
        return self._enter_in(self._guessed, ("start", "guess", quantity), value)

    def trees(self, name: str, translation: Iterable[str], rotation: Iterable[str]) -> Self:
        """Trees of the two graphs, by the names of their elements."""
        return self._enter("trees", name, translation=list(translation), rotation=list(rotation))

    def independent(self, *names: str) -> Self:
        """The coordinates from which the closure of the loops starts."""
        return self._enter_in(self._sections, ("closure",), {"independent": list(names)})

    def experiment(self, stop: float = 1.0, step: float = 0.01, tolerance: float = 1e-8) -> Self:
        """What a simulation runs by default."""
        table = {"stop": stop, "step": step, "tolerance": tolerance}
        return self._enter_in(self._sections, ("experiment",), table)

    def build(self) -> SystemModel:
        """The model.

        Raises
        ------
        ModelError
            With every problem of the description, at places such as ``joints.pin_a.from``.
        """
        problems = ProblemLog()
        for place in self._given_twice:
            problems.add(place, "is given twice", "keep one of the two")
        ground = {"points": self._ground}
        start = {"steady": self._steady, "fixed": self._fixed, "guess": self._guessed}
        return model_from_tables({**self._sections, "ground": ground, "start": start}, self._name, problems)

    def _link(self, section: str, name: str, kind: str, tail: str, head: str, **values: object) -> Self:
        return self._enter(section, name, type=kind, **{"from": tail, "to": head}, **values)

    def _enter(self, section: str, name: str, **values: object) -> Self:
        return self._enter_in(self._sections.setdefault(section, {}), (section, name), _given(**values))

    def _enter_in(self, table: dict[str, Any], place: tuple[str, ...], value: object) -> Self:
        """Enter a value under the last key of its place; a file could not give a key twice either."""
        if place[-1] in table:
            self._given_twice.append(place)
        table[place[-1]] = _plain(value)
        return self


def _given(**values: object) -> dict[str, object]:
    """The values that are not left out."""
    return {key: value for key, value in values.items() if value is not None}


def _plain(value: object) -> object:
    """The value as ``tomllib`` would give it: sequences become lists, numpy's numbers Python's."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    return value
