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
``from`` and ``to`` of the file.
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


class ModelBuilder:
    """Collects a description call by call; :meth:`build` checks it as a whole.

    Parameters
    ----------
    name
        The name of the model, an identifier.
    description
        One sentence about it.
    gravity
        The two components of the acceleration of gravity; none if left out.
    """

    def __init__(self, name: str, *, description: str = "", gravity: Components | None = None) -> None:
        model: dict[str, object] = {"name": name, "description": description}
        if gravity is not None:
            model["gravity"] = _plain(gravity)
        self._name = name
        self._sections: dict[str, dict[str, object]] = {"model": model}
        self._ground: dict[str, object] = {}
        self._fixed: dict[str, object] = {}
        self._guessed: dict[str, object] = {}
        self._given_twice: list[tuple[str, ...]] = []

    # --- interface -------------------------------------------------------------------------------

    def parameter(self, name: str, value: float, unit: str = "1", description: str = "") -> Self:
        """A number that may be changed before initialization."""
        return self._enter("parameters", name, value=value, unit=unit, description=description)

    def input(self, name: str, start: float = 0.0, unit: str = "1", description: str = "") -> Self:
        """An input of the FMU."""
        return self._enter("inputs", name, start=start, unit=unit, description=description)

    def output(self, name: str, value: Value, unit: str | None = None, description: str = "") -> Self:
        """An output of the FMU; without a unit it has that of the quantity it consists of."""
        table: dict[str, object] = {"value": value, "description": description}
        if unit is not None:
            table["unit"] = unit
        return self._enter("outputs", name, **table)

    # --- bodies and points -----------------------------------------------------------------------

    def ground_point(self, name: str, x: Value, y: Value) -> Self:
        """A point fixed on the ground."""
        return self._enter_in(self._ground, ("ground", "points", name), [x, y])

    def body(
        self,
        name: str,
        *,
        mass: Value = 0,
        inertia: Value = 0,
        points: Mapping[str, Components] | None = None,
        description: str = "",
    ) -> Self:
        """A rigid body with its frame at the mass centre, and points given in that frame."""
        return self._enter(
            "bodies", name, mass=mass, inertia=inertia, points=dict(points or {}), description=description
        )

    # --- joints ----------------------------------------------------------------------------------

    def revolute(self, name: str, tail: str, head: str, *, description: str = "") -> Self:
        """A pin: the two points stay together, the bodies turn."""
        return self._link("joints", name, "revolute", tail, head, description=description)

    def prismatic(
        self,
        name: str,
        tail: str,
        head: str,
        *,
        axis: Components = (1, 0),
        angle: Value = 0,
        description: str = "",
    ) -> Self:
        """A slide along ``axis``, given in the axes of the tail's body; ``angle`` stays constant."""
        return self._link(
            "joints", name, "prismatic", tail, head, axis=axis, angle=angle, description=description
        )

    def weld(self, name: str, tail: str, head: str, *, angle: Value = 0, description: str = "") -> Self:
        """A rigid connection of two points at a constant angle."""
        return self._link("joints", name, "weld", tail, head, angle=angle, description=description)

    def virtual(self, name: str, tail: str, head: str, *, description: str = "") -> Self:
        """A joint that constrains nothing and offers coordinates to the trees."""
        return self._link("joints", name, "virtual", tail, head, description=description)

    # --- drivers ---------------------------------------------------------------------------------

    def rotation_driver(
        self, name: str, tail: str, head: str, angle: Value, *, description: str = ""
    ) -> Self:
        """Prescribes the angle of the head's body relative to the tail's."""
        return self._link("drivers", name, "rotation", tail, head, value=angle, description=description)

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
        """Prescribes both components of the displacement, or one number: that along ``axis``."""
        along = {} if axis is None else {"axis": axis}
        return self._link(
            "drivers", name, "translation", tail, head, value=displacement, description=description, **along
        )

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

    def torque(self, name: str, on: str, value: Value, *, tail: str = GROUND, description: str = "") -> Self:
        """A torque on a body; its opposite acts on ``tail``."""
        return self._enter(
            "forces", name, type="torque", on=on, value=value, description=description, **{"from": tail}
        )

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
        description: str = "",
    ) -> Self:
        """A spring, damper and actuator between the angles of two bodies."""
        laws = {"stiffness": stiffness, "damping": damping, "free": free, "actuator": actuator}
        return self._link("springs", name, "rotational", tail, head, description=description, **laws)

    # --- start values, trees, experiment ---------------------------------------------------------

    def start(self, quantity: str, value: Value, *, fixed: bool = True) -> Self:
        """The start value of a position or velocity: exact, or a guess."""
        if fixed:
            return self._enter_in(self._fixed, ("start", "fixed", quantity), value)
        return self._enter_in(self._guessed, ("start", "guess", quantity), value)

    def trees(self, name: str, translation: Iterable[str], rotation: Iterable[str]) -> Self:
        """Trees of the two graphs, by the names of their elements."""
        return self._enter("trees", name, translation=list(translation), rotation=list(rotation))

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
        start = {"fixed": self._fixed, "guess": self._guessed}
        return model_from_tables({**self._sections, "ground": ground, "start": start}, self._name, problems)

    def _link(self, section: str, name: str, kind: str, tail: str, head: str, **values: object) -> Self:
        return self._enter(section, name, type=kind, **{"from": tail, "to": head}, **values)

    def _enter(self, section: str, name: str, **values: object) -> Self:
        return self._enter_in(self._sections.setdefault(section, {}), (section, name), values)

    def _enter_in(self, table: dict[str, Any], place: tuple[str, ...], value: object) -> Self:
        """Enter a value under the last key of its place; a file could not give a key twice either."""
        if place[-1] in table:
            self._given_twice.append(place)
        table[place[-1]] = _plain(value)
        return self


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
