"""Names inside an assembly as names of the model that uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fmugen.components.base import SECTIONS
from fmugen.components.measures import Cosine, Heading, NodePosition, Reading, Spin, places
from fmugen.errors import FormulaError
from fmugen.formulas import parse, renamed
from fmugen.ir.formula import CONSTANTS, TIME
from fmugen.ir.model import GROUND
from fmugen.ir.network import FLANGE
from fmugen.phases.read.assemblies.mirror import kind_of, negated, parity, prototype
from fmugen.phases.read.assemblies.nouns import Number, Placement, Raw

__all__ = ["UseScope", "longest_owner", "points_of", "scope_of", "table", "total"]

_ABSOLUTE = (NodePosition, Heading, Cosine, Spin)
#: What tells the sign of a quantity of an owner, and whether it is measured from the ground.
_Transform = tuple[int, Reading | None]


def table(tables: Raw, name: str) -> Raw:
    """A table in a table; an empty one if there is none."""
    found = tables.get(name, {})
    return found if isinstance(found, Mapping) else {}


def points_of(raw: object) -> tuple[str, ...]:
    return tuple(table(raw, "points")) if isinstance(raw, Mapping) else ()


def longest_owner(name: str, known: Callable[[str], bool]) -> tuple[str, str]:
    """The longest known beginning of a dotted name, and the rest; no beginning if none is known."""
    owner, rest = name, ""
    while owner:
        if known(owner):
            return owner, rest
        owner, _, last = owner.rpartition(".")
        rest = f"{last}.{rest}" if rest else last
    return "", name


def total(first: Number, second: object) -> object:
    """The sum of two numbers or formulas."""
    if first == 0 or not isinstance(second, str | int | float):
        return second
    if second == 0:
        return first
    if isinstance(first, str) or isinstance(second, str):
        return f"({_in_si(first)}) + ({_in_si(second)})"
    return first + second


def _in_si(value: Number) -> Number:
    """A number with a unit cannot be a part of a formula, but the number in SI can."""
    try:
        return parse(value).text if isinstance(value, str) else value
    except FormulaError:
        return value


@dataclass(frozen=True)
class UseScope:
    """The names of one use of an assembly.

    ``places`` maps bodies, points, connectors and other names of places to places of the model, ``nodes`` the
    nodes of networks. ``frames`` maps bodies to those in whose axes vectors are given. ``values`` are the
    parameters and inputs, each with the text that takes its place in formulas.
    """

    prefix: str
    placement: Placement
    planar: bool
    places: Mapping[str, str]
    frames: Mapping[str, str]
    elements: Mapping[str, tuple[str, object]]
    values: Mapping[str, str]

    def place(self, text: object) -> object:
        """A place of an assembly; what it does not know belongs to the model."""
        if not isinstance(text, str):
            return text
        owner, rest = longest_owner(text, self.places.__contains__)
        if not owner:
            return text
        return f"{self.places[owner]}.{rest}" if rest else self.places[owner]

    def frame(self, text: object) -> object:
        return self.frames.get(text, self.place(text)) if isinstance(text, str) else text

    def node(self, text: object) -> object:
        """A node of a network: of a connector, of a joint, or the assembly's own."""
        if not isinstance(text, str) or text == GROUND or text.startswith("="):
            return text
        if text.startswith(FLANGE):
            joint = text.removeprefix(FLANGE)
            return f"{FLANGE}{self.prefix}.{joint}" if joint in self.elements else text
        return self.places.get(text, f"{self.prefix}.{text}")

    def formula(self, value: object) -> object:
        """A number or formula, or lists or tables of them, with the names of the model."""
        if isinstance(value, str):
            return renamed(value, self.name)
        if isinstance(value, list):
            return [self.formula(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self.formula(item) for key, item in value.items()}
        return value

    def name(self, name: str) -> str:
        """The meaning of a name in a formula of the assembly."""
        if name in self.values:
            return self.values[name]
        if name in CONSTANTS or name == TIME:
            return name
        quantity, sign, reading = self.quantity(name)
        offset = self.offset(reading)
        if offset != 0:
            quantity = f"({quantity} - ({_in_si(offset)}))"
        return quantity if sign > 0 else f"(-{quantity})"

    def quantity(self, name: str) -> tuple[str, int, Reading | None]:
        """The quantity of the model, its sign in the mirror, and how it is measured if that is known."""
        place, kind = longest_owner(name, self.places.__contains__)
        owner, rest = longest_owner(name, self.elements.__contains__)
        if name in (place, owner) or not (place or owner):
            return name, 1, None  # an element itself has no value: the name is one of the model
        section, given = self.elements.get(owner, ("bodies", {}))
        raw = given if isinstance(given, Mapping) else {}
        if len(place) > len(owner):
            full, readings = f"{self.places[place]}.{kind}", self._readings_of_place(place, kind)
        else:
            full, readings = f"{self.prefix}.{name}", self._readings(section, raw, rest)
        reading, known = readings.get(name.rpartition(".")[2]), kind_of(section, raw)
        if reading is None or known is None or SECTIONS[section].network:
            return full, 1, None
        return full, parity(prototype(known, raw), reading, self.placement.mirror), reading

    def _readings_of_place(self, place: str, kind: str) -> dict[str, Reading]:
        """The quantities of a place, and those of a body where it is one."""
        readings = {reading.kind: reading for reading in places(planar=self.planar)}
        section, _ = self.elements.get(place, ("bodies", None))
        body = kind_of(section, {}) if section == "bodies" and kind not in readings else None
        found = body.prototype().readings(planar=self.planar) if body is not None else ()
        return readings | {reading.kind: reading for reading in found}

    def _readings(self, section: str, raw: Raw, rest: str) -> dict[str, Reading]:
        kind = kind_of(section, raw)
        if kind is None or SECTIONS[section].network:
            return {}
        found = prototype(kind, raw).all_readings(planar=self.planar)
        readings = {reading.kind: reading for reading in found if not reading.at}
        if "." in rest:  # a point, or the mass centre
            readings |= {reading.kind: reading for reading in places(planar=self.planar)}
        return readings

    def offset(self, reading: Reading | None) -> Number:
        """The difference between a position in the model and in the assembly."""
        placement = self.placement
        if reading is None or placement.turned or not isinstance(reading.measure, NodePosition):
            return 0
        component, order = reading.measure.component, reading.measure.order
        known = order == 0 and component < len(placement.position)
        return placement.position[component] if known else 0

    def is_absolute(self, reading: Reading | None) -> bool:
        """Whether the quantity is measured from the ground, in its axes."""
        return reading is not None and isinstance(reading.measure, _ABSOLUTE)

    def start(self, name: str, value: object) -> tuple[str, object, Reading | None]:
        """The start value of a quantity of the model."""
        full, sign, reading = self.quantity(name)
        given = self.formula(value)
        return full, total(self.offset(reading), given if sign > 0 else negated(given)), reading


def scope_of(
    tables: Raw,
    prefix: str,
    placement: Placement,
    planar: bool,
    connected: Mapping[str, str],
    frames: Mapping[str, str],
    values: Mapping[str, str],
) -> UseScope:
    """The names of an assembly whose tables have no uses.

    ``connected`` are the places outside: connectors, their points, and the ground.
    """
    elements = {name: (section, raw) for section in SECTIONS for name, raw in table(tables, section).items()}
    places = dict(_own_places(tables, prefix)) | dict(connected)
    return UseScope(prefix, placement, planar, places, frames, elements, values)


def _own_places(tables: Raw, prefix: str) -> Iterator[tuple[str, str]]:
    for name, raw in table(tables, "bodies").items():
        yield name, f"{prefix}.{name}"
        for point in points_of(raw):
            yield f"{name}.{point}", f"{prefix}.{name}.{point}"
