"""TOML tables -> Draft: the file read table by table, as far as each can be read.

Each element is validated on its own. A value that is wrong is reported and left out, and what remains of its
table is read again, so that one mistake hides no other. Names count as declared even if what they name
is wrong: references to them are not reported as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fmugen.components.base import REGISTRY, SECTIONS, Component
from fmugen.ir.model import GROUND, Space
from fmugen.phases.read.faults import in_plain_words, place_of
from fmugen.phases.read.fields import SAY_SPATIAL, TABLE_SHAPE, describe_value
from fmugen.phases.read.problems import KeyPath, ProblemLog
from fmugen.phases.read.schema import (
    ClosureTable,
    ElementTable,
    ExperimentTable,
    GroundTable,
    InputTable,
    ModelTable,
    OutputTable,
    ParameterTable,
    StartTable,
    Table,
    TreesTable,
    element_table,
)
from fmugen.suggestions import closest, did_you_mean

__all__ = ["ELEMENT_SECTIONS", "NETWORK_SECTIONS", "DraftModel", "read_draft"]

_T = TypeVar("_T", bound=Table)
_Raw = Mapping[str, object]

#: The sections whose entries are elements, with what one entry is called.
ELEMENT_SECTIONS = {name: section.noun for name, section in SECTIONS.items() if not section.network}
#: The sections whose entries are components of networks, with what one entry is called.
NETWORK_SECTIONS = {name: section.noun for name, section in SECTIONS.items() if section.network}
_SECTIONS = (
    "model",
    "experiment",
    "parameters",
    "inputs",
    "ground",
    *ELEMENT_SECTIONS,
    *NETWORK_SECTIONS,
    "outputs",
    "start",
    "trees",
    "closure",
)


@dataclass(frozen=True)
class DraftModel:
    """The tables of a file that could be read, and every name it declares.

    ``space`` is the one the file asks for, or the likeliest if what it says is wrong. ``names`` lists the
    entries of each section and ``points`` the points of each body and of the ground, whether they could be
    read or not.
    """

    space: Space
    names: Mapping[str, tuple[str, ...]]
    points: Mapping[str, tuple[str, ...]]
    model: ModelTable | None = None
    experiment: ExperimentTable | None = None
    parameters: Mapping[str, ParameterTable] = field(default_factory=dict)
    inputs: Mapping[str, InputTable] = field(default_factory=dict)
    outputs: Mapping[str, OutputTable] = field(default_factory=dict)
    ground: GroundTable | None = None
    elements: Mapping[str, Mapping[str, ElementTable]] = field(default_factory=dict)
    start: StartTable | None = None
    trees: Mapping[str, TreesTable] = field(default_factory=dict)
    closure: ClosureTable | None = None


def read_draft(tables: _Raw, problems: ProblemLog) -> DraftModel:
    """The readable part of a file; errors are added to ``problems``."""
    reader = _Reader(tables, problems)
    reader.check_sections()
    return DraftModel(
        space=reader.space,
        names=reader.names(),
        points=reader.points(),
        model=reader.single("model", ModelTable),
        experiment=reader.single("experiment", ExperimentTable),
        parameters=reader.entries("parameters", "a parameter", ParameterTable, has_short_form=True),
        inputs=reader.entries("inputs", "an input", InputTable),
        outputs=reader.entries("outputs", "an output", OutputTable, has_short_form=True),
        ground=reader.single("ground", GroundTable),
        elements={section: reader.elements(section) for section in SECTIONS},
        start=reader.start(),
        trees=reader.entries("trees", "a pair of trees", TreesTable),
        closure=reader.single("closure", ClosureTable),
    )


class _Reader:
    """Reads the sections of one file, logging what is wrong."""

    def __init__(self, tables: _Raw, problems: ProblemLog) -> None:
        self.tables = tables
        self.problems = problems
        asked = str(self.section("model").get("space", Space.PLANAR.value))
        self.space = Space(closest(asked, [space.value for space in Space]) or Space.PLANAR)

    def check_sections(self) -> None:
        for name, section in self.tables.items():
            if name not in _SECTIONS:
                hint = did_you_mean(name, _SECTIONS) or f"the sections are {', '.join(_SECTIONS)}"
                self.problems.add((name,), f"a model file has no section {name!r}", hint)
            elif not isinstance(section, Mapping):
                self.problems.add((name,), f"must be a table [{name}], not {describe_value(section)}")
        if "model" not in self.tables:
            self.problems.add(("model",), "is missing", "begin with [model] and a name")

    def section(self, name: str) -> _Raw:
        section = self.tables.get(name, {})
        return section if isinstance(section, Mapping) else {}

    def names(self) -> dict[str, tuple[str, ...]]:
        named = ("parameters", "inputs", "outputs", *ELEMENT_SECTIONS, *NETWORK_SECTIONS, "trees")
        return {section: tuple(self.section(section)) for section in named}

    def points(self) -> dict[str, tuple[str, ...]]:
        owners = {GROUND: self.section("ground"), **self.section("bodies")}
        found = {}
        for owner, table in owners.items():
            points = table.get("points", {}) if isinstance(table, Mapping) else {}
            found[owner] = tuple(points) if isinstance(points, Mapping) else ()
        return found

    def single(self, name: str, table: type[_T]) -> _T | None:
        if not isinstance(self.tables.get(name), Mapping):
            return None
        return self.validated(table, self.section(name), (name,), f"[{name}]")

    def entries(
        self, section: str, noun: str, table: type[_T], has_short_form: bool = False
    ) -> dict[str, _T]:
        """Every readable entry of a section; in short form a value stands for ``{ value = ... }``."""
        read: dict[str, _T] = {}
        for name, raw in self.section(section).items():
            short = has_short_form and not isinstance(raw, Mapping)
            values = {"value": raw} if short else raw
            entry = self.validated(table, values, (section, name), noun, in_short_form=short)
            if entry is not None:
                read[name] = entry
        return read

    def unknown_type(self, place: KeyPath, noun: str, kind: object, valid: tuple[str, ...]) -> None:
        choice = f"the types are {', '.join(valid)}"
        if kind is None:
            self.problems.add((*place, "type"), f"the type of this {noun} is missing", choice)
        elif kind in REGISTRY.get(str(place[0]), {}):
            message = f"{self.space.value} models have no {kind} {_plural(noun)}"
            self.problems.add((*place, "type"), message, f"{choice}; {SAY_SPATIAL}")
        else:
            guess = did_you_mean(str(kind), valid)
            hint = f"{guess} {choice}" if guess else choice
            self.problems.add((*place, "type"), f"unknown {noun} type {kind!r}", hint)

    def elements(self, section: str) -> dict[str, ElementTable]:
        """Every readable entry of a section of elements, read as its class says."""
        read: dict[str, ElementTable] = {}
        for name, raw in self.section(section).items():
            entry = self.element(section, name, raw)
            if entry is not None:
                read[name] = entry
        return read

    def element(self, section: str, name: str, raw: object) -> ElementTable | None:
        place = (section, name)
        kind = self._kind(place, raw)
        if kind is None:
            return None
        called, variant = kind.called(), None
        if kind.variant_key and self.space is Space.SPATIAL and isinstance(raw, Mapping):
            variants = tuple(kind.variants())
            variant = raw.get(kind.variant_key, variants[0])
            if not isinstance(variant, str) or variant not in variants:
                self.unknown_variant((*place, kind.variant_key), called, variant, variants)
                return None
            called = f"{called} {kind.variant_key} {variant}"
        return self.validated(element_table(kind, variant), raw, place, called)

    def _kind(self, place: tuple[str, str], raw: object) -> type[Component] | None:
        """The class of an entry, by its type or as the section says; ``None`` if that is wrong."""
        section, _ = place
        about = SECTIONS[section]
        kinds = {type: kind for type, kind in REGISTRY[section].items() if self.space in kind.spaces}
        named = raw.get("type") if isinstance(raw, Mapping) else None
        if isinstance(named, str) and named in kinds:
            return kinds[named]
        if about.default in kinds and named not in REGISTRY[section]:
            return kinds[about.default]
        if isinstance(raw, Mapping):
            self.unknown_type(place, about.noun, named, tuple(kinds))
        else:
            self.problems.add(place, f"must be a table, not {describe_value(raw)}")
        return None

    def unknown_variant(self, place: KeyPath, called: str, given: object, known: tuple[str, ...]) -> None:
        guess = did_you_mean(str(given), known)
        key = place[-1]
        hint = f"{guess} it can be {key} {', '.join(known)}".strip()
        self.problems.add(place, f"{called} cannot be {key} {given!r}", hint)

    def start(self) -> StartTable | None:
        """Start values; a name without quotes is a nested table to TOML, which deserves its own hint."""
        tables: dict[str, object] = {}
        for group, values in self.section("start").items():
            tables[group] = values
            if not isinstance(values, Mapping):
                continue
            for name, value in values.items():
                if isinstance(value, Mapping):
                    hint = f'write "{name}.{next(iter(value), "angle")}" = ...'
                    self.problems.add(("start", group, name), "names of quantities need quotes here", hint)
            tables[group] = {name: value for name, value in values.items() if not isinstance(value, Mapping)}
        return self.validated(StartTable, tables, ("start",), "[start]")

    def validated(
        self, table: type[_T], raw: object, place: KeyPath, noun: str, in_short_form: bool = False
    ) -> _T | None:
        """The table, without the values that are wrong; ``None`` if one of those is indispensable."""
        try:
            return table.model_validate(raw, context=self.space)
        except ValidationError as error:
            faults = error.errors(include_url=False)
        for fault in faults:
            message, hint = in_plain_words(fault, table, noun, self.space)
            self.problems.add(place if in_short_form else place + place_of(fault), message, hint)
        try:
            readable = _without(raw, [_unreadable(fault) for fault in faults])
            return table.model_validate(readable, context=self.space)
        except ValidationError:
            return None


def _plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _unreadable(fault: ErrorDetails) -> KeyPath:
    """The part that must be left out to remove a fault: of a table within a table, the whole table."""
    keys = fault["loc"]
    return keys[: keys.index(TABLE_SHAPE)] if TABLE_SHAPE in keys else place_of(fault)


def _without(raw: object, places: list[KeyPath]) -> object:
    """A copy of nested tables without the values at, or holding, the given places."""
    if not isinstance(raw, Mapping):
        return raw
    kept: dict[str, object] = {}
    for key, value in raw.items():
        inside = [place[1:] for place in places if place and place[0] == key]
        if not inside:
            kept[key] = value
        elif isinstance(value, Mapping) and all(inside):
            kept[key] = _without(value, inside)
    return kept
