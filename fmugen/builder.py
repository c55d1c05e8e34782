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
Every type of element has a method with the keys of its table: ``revolute("pin", "ground.O", "crank.A")``;
:func:`element_methods` lists them. An attachment is written ``ground``, ``ground.O``, ``crank`` or
``crank.A``; ``tail`` and ``head`` are the ``from`` and ``to`` of the file. What is left out (``None``) has
the default of the file. Vectors have two components in planar models and three in spatial ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Self

from fmugen.components.base import REGISTRY, SECTIONS, Component
from fmugen.ir.model import SystemModel
from fmugen.phases.read import model_from_tables
from fmugen.phases.read.problems import ProblemLog

__all__ = ["AssemblyBuilder", "ModelBuilder", "element_methods", "signature_of"]

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

    def parameter(self, name: str, value: Value, unit: str | None = None, description: str = "") -> Self:
        """A number that may be changed before initialization; a text such as ``"540.7 mm"`` says its unit."""
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

        ``rate`` names the input that is its time derivative, ``stamp`` the input with the time of the
        sample. ``slope`` is the rate of the samples at the start.
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

    # --- sub-assemblies --------------------------------------------------------------------------

    def assembly(self, name: str, part: AssemblyBuilder) -> Self:
        """A part that :meth:`use` puts into the model; it is described as a model is."""
        return self._enter_in(
            self._sections.setdefault("assemblies", {}), ("assemblies", name), part.tables()
        )

    def use(
        self,
        name: str,
        assembly: str,
        *,
        parameters: Mapping[str, Value] | None = None,
        connect: Mapping[str, str] | None = None,
        mirror: str | None = None,
        position: Components | None = None,
        angle: Value | None = None,
        sequence: str | None = None,
        angles: Components | None = None,
        count: int | None = None,
        first: Mapping[str, object] | None = None,
        last: Mapping[str, object] | None = None,
    ) -> Self:
        """An assembly in the model: its elements are called ``name.element``.

        ``mirror`` names the axis that is reversed. With ``count`` there are ``name1``, ``name2`` and so on;
        formulas may use ``index`` and ``count``, and ``first`` and ``last`` say what differs there.
        """
        return self._enter(
            "use",
            name,
            assembly=assembly,
            parameters=parameters,
            connect=connect,
            mirror=mirror,
            position=position,
            angle=angle,
            sequence=sequence,
            angles=angles,
            count=count,
            first=first,
            last=last,
        )

    # --- elements --------------------------------------------------------------------------------

    def add(
        self, section: str, name: str, type: str, *ends: str, description: str = "", **values: object
    ) -> Self:
        """An element of any type, by the keys of the file.

        ``add("joints", "pin", "revolute", "ground.O", "rod.top", axis=(0, 0, 1))``. The ends are those
        of the type, from tail to head; one alone is the end that has no default.
        """
        kind = REGISTRY.get(section, {}).get(type)
        keys = ["from", "to"] if kind is None else [end.key for end in kind.ends]
        if kind is not None and len(ends) < len(keys):
            keys = [end.key for end in kind.ends if end.default is None]
        named = {} if type == getattr(SECTIONS.get(section), "default", None) else {"type": type}
        given = {**named, **dict(zip(keys, ends, strict=False)), **values, "description": description}
        return self._enter(section, name, **given)

    def __getattr__(self, name: str) -> Callable[..., ModelBuilder]:
        """The method of a type of element, such as ``revolute``; see :func:`element_methods`."""
        kind = None if name.startswith("_") else _kinds().get(name)
        if kind is None:
            raise AttributeError(f"a ModelBuilder has no method {name!r}")

        def method(*given: Any, **values: Any) -> ModelBuilder:
            bound = signature_of(kind).bind(*given, **values).arguments
            table = {_KEYS.get(key, key): value for key, value in bound.items()}
            named = {} if kind.type == SECTIONS[kind.section].default else {"type": kind.type}
            return self._enter(kind.section, table.pop("name"), **named, **table)

        method.__name__, method.__doc__ = name, kind.__doc__
        method.__signature__ = signature_of(kind)  # type: ignore[attr-defined]
        return method

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_kinds()]

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
        return model_from_tables(self.tables(), self._name, problems)

    def tables(self) -> dict[str, object]:
        """The description as the tables of a model file."""
        ground = {"points": self._ground}
        start = {"steady": self._steady, "fixed": self._fixed, "guess": self._guessed}
        return {**self._sections, "ground": ground, "start": start}

    def _enter(self, section: str, name: str, **values: object) -> Self:
        return self._enter_in(self._sections.setdefault(section, {}), (section, name), _given(**values))

    def _enter_in(self, table: dict[str, Any], place: tuple[str, ...], value: object) -> Self:
        """Enter a value under the last key of its place; a file could not give a key twice either."""
        if place[-1] in table:
            self._given_twice.append(place)
        table[place[-1]] = _plain(value)
        return self


class AssemblyBuilder(ModelBuilder):
    """The description of a sub-assembly, for :meth:`ModelBuilder.assembly`."""

    def __init__(self) -> None:
        super().__init__("assembly")
        del self._sections["model"]

    def connector(self, name: str, default: str = "") -> Self:
        """A place outside, which the use connects; without a default it must."""
        return self._enter_in(self._sections.setdefault("connectors", {}), ("connectors", name), default)

    def point(self, name: str, place: str | Components, *, on: str | None = None) -> Self:
        """Another name of a place of the assembly, or a position ``on`` a connector or on the ground."""
        entry = place if isinstance(place, str) else {"position": place, **_given(on=on)}
        return self._enter_in(self._sections.setdefault("points", {}), ("points", name), entry)

    def tables(self) -> dict[str, object]:
        made = super().tables()
        made["start"] = {"fixed": self._fixed, "guess": self._guessed}
        return made


#: The arguments that are not called as the keys of the file, which are words of Python.
_KEYS = {"tail": "from", "head": "to"}
_NAMES = {key: argument for argument, key in _KEYS.items()}


def element_methods() -> dict[str, inspect.Signature]:
    """The methods for types of elements, by name, with their arguments."""
    return {name: signature_of(kind) for name, kind in _kinds().items()}


def _kinds() -> dict[str, type[Component]]:
    mechanical = (kinds for section, kinds in REGISTRY.items() if not SECTIONS[section].network)
    return {kind.builder_method(): kind for kinds in mechanical for kind in kinds.values()}


def signature_of(kind: type[Component]) -> inspect.Signature:
    """The arguments of a type: its name, what must be given, and by keyword what has a default."""
    tables = (kind.table_keys(), *kind.variants().values())
    keys = {key.name: key.required for table in tables for key in table}
    ends = {_NAMES.get(end.key, end.key): end.default is None for end in kind.ends}
    arguments = {**ends, **keys}
    parameter, empty = inspect.Parameter, inspect.Parameter.empty
    first = ["name", *(name for name, required in arguments.items() if required)]
    last = [*(name for name, required in arguments.items() if not required), "description"]
    return inspect.Signature(
        [parameter(name, parameter.POSITIONAL_OR_KEYWORD, default=empty) for name in first]
        + [parameter(name, parameter.KEYWORD_ONLY, default=None) for name in last]
    )


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
