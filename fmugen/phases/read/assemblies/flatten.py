"""Tables with assemblies and uses -> tables of elements alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fmugen.components.base import SECTIONS, Form, Key
from fmugen.components.joints import weld_table
from fmugen.errors import FormulaError
from fmugen.formulas import evaluate, parse, renamed
from fmugen.ir.model import GROUND
from fmugen.phases.read.assemblies.mirror import kind_of, mirrored_default, mirrored_point, mirrored_value
from fmugen.phases.read.assemblies.nouns import Flattened, Raw
from fmugen.phases.read.assemblies.scope import UseScope, longest_owner, scope_of, table, total
from fmugen.phases.read.assemblies.use import Use, uses_of
from fmugen.phases.read.problems import EntryOrigin, KeyPath, ProblemLog
from fmugen.suggestions import choice_hint, did_you_mean
from fmugen.units import coherent_text

__all__ = ["flatten"]

_NAMED = ("parameters", "inputs", "outputs", *SECTIONS)
_ASSEMBLY_KEYS = ("connectors", "points", "ground", "start", "use", "description", *_NAMED)
_NOT_FORMULAS = (Form.POINTS, Form.BODY, Form.ATTITUDE, Form.TYPE, Form.OPTION)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def flatten(tables: Raw, problems: ProblemLog) -> Raw:
    """The tables of a model with every use replaced by the elements of its assembly.

    Problems found later at a flattened entry name the entry of the assembly and the use.
    """
    if "assemblies" not in tables and "use" not in tables:
        return tables
    planar = table(tables, "model").get("space", "planar") != "spatial"
    made = _Flattener(table(tables, "assemblies"), planar, problems).level(tables, (), ())
    problems.trace(made.origins)
    return {name: each for name, each in made.tables.items() if name != "assemblies"}


class _Flattener:
    def __init__(self, assemblies: Raw, planar: bool, problems: ProblemLog) -> None:
        self.assemblies, self.planar, self.problems = assemblies, planar, problems
        self.known: dict[str, Flattened] = {}
        for name, raw in assemblies.items():
            place: KeyPath = ("assemblies", name)
            if not isinstance(raw, Mapping):
                problems.add(place, "must be a table", "write [assemblies.NAME.bodies.arm] and so on")
                continue
            for key in raw:
                if key not in _ASSEMBLY_KEYS:
                    hint = choice_hint(key, _ASSEMBLY_KEYS, "the keys are")
                    problems.add((*place, key), f"an assembly has no key {key!r}", hint)

    def level(self, raw: Raw, place: KeyPath, within: tuple[str, ...]) -> Flattened:
        """A model or an assembly without its uses; ``within`` are the assemblies around it."""
        self.check_names(raw, place)
        tables = {name: each for name, each in raw.items() if name != "use"}
        merged: dict[str, Any] = {n: dict(t) if isinstance(t, Mapping) else t for n, t in tables.items()}
        if isinstance(merged.get("ground"), dict):
            merged["ground"] = {"points": {}} | merged["ground"]
            merged["ground"]["points"] = dict(table(merged["ground"], "points"))
        if isinstance(start := merged.get("start"), dict):
            merged["start"] = {n: dict(t) if isinstance(t, Mapping) else t for n, t in start.items()}
        origins: dict[KeyPath, EntryOrigin] = {}
        aliases: dict[str, str] = {}
        pending: list[tuple[str, str, object, EntryOrigin]] = []
        for use in uses_of(raw, place, self.planar, self.problems):
            assembly = self.assembly(use, within)
            if assembly is not None:
                instance = _Instance(self, assembly, use, place)
                instance.enter(merged, origins)
                aliases |= instance.aliases
                pending += instance.added_points
        self.resolve_aliases(merged, aliases)
        for target, name, point, origin in pending:
            self.add_point(merged, origins, aliased(target, aliases), name, point, origin)
        return Flattened(merged, origins, aliases)

    def check_names(self, raw: Raw, place: KeyPath) -> None:
        for section in (*_NAMED, "use"):
            for name in table(raw, section):
                if not _NAME.fullmatch(name):
                    hint = "use letters a-z, digits and _, not beginning with a digit"
                    self.problems.add((*place, section, name), f"{name!r} cannot be a name", hint)
        for name in table(raw, "use"):
            for section in _NAMED:
                if name in table(raw, section):
                    message = f"the name {name!r} is taken by {section}.{name}"
                    self.problems.add((*place, "use", name), message, "rename one of them")

    def assembly(self, use: Use, within: tuple[str, ...]) -> Flattened | None:
        name = use.assembly
        if name not in self.assemblies:
            hint = did_you_mean(name, list(self.assemblies))
            listed = ", ".join(self.assemblies) or "none"
            message = f"there is no assembly {name!r}"
            self.problems.add((*use.place, "assembly"), message, hint or f"the assemblies are {listed}")
            return None
        if name in within:
            chain = " -> ".join((*within[within.index(name) :], name))
            message = f"an assembly cannot contain itself: {chain}"
            self.problems.add((*use.place, "assembly"), message, "use another assembly")
            return None
        if name not in self.known:
            raw = self.assemblies[name]
            if not isinstance(raw, Mapping):
                return None
            self.known[name] = self.level(raw, ("assemblies", name), (*within, name))
        return self.known[name]

    def add_point(
        self,
        merged: dict[str, Any],
        origins: dict[KeyPath, EntryOrigin],
        target: str,
        name: str,
        point: object,
        origin: EntryOrigin,
    ) -> None:
        if target == GROUND:
            ground = merged.setdefault("ground", {})
            ground.setdefault("points", {})[name] = point
            origins["ground", "points", name] = origin
            return
        bodies = merged.get("bodies", {})
        if target not in bodies:
            message = f"the connector of this point is at {target!r}, which is not a body"
            self.problems.add(origin.place, message, "connect it to a body, or to the ground", origin.use)
            return
        body = dict(bodies[target])
        body["points"] = {**table(body, "points"), name: point}
        bodies[target] = body
        origins["bodies", target, "points", name] = origin

    def resolve_aliases(self, merged: dict[str, Any], aliases: Mapping[str, str]) -> None:
        """Places and formulas of this level that use the points of an assembly by their own names."""
        if not aliases:
            return

        for section in SECTIONS:
            for name, raw in table(merged, section).items():
                merged[section][name] = _aliased_element(section, raw, aliases)
        for name, raw in table(merged, "outputs").items():
            if isinstance(raw, Mapping):
                merged["outputs"][name] = {**raw, "value": _aliased_formula(raw.get("value"), aliases)}
            else:
                merged["outputs"][name] = _aliased_formula(raw, aliases)
        for group in ("fixed", "guess"):
            starts = table(table(merged, "start"), group)
            if starts:
                merged["start"][group] = {aliased(name, aliases): value for name, value in starts.items()}


def _aliased_element(section: str, raw: object, aliases: Mapping[str, str]) -> object:
    """The table of an element with the names of places in its ends and formulas replaced."""
    kind = kind_of(section, raw)
    if kind is None or not isinstance(raw, Mapping):
        return raw
    made = dict(raw)
    for end in kind.ends:
        if isinstance(made.get(end.key), str):
            made[end.key] = aliased(made[end.key], aliases)
    for key in kind.table_keys():
        if key.name in made and key.form not in _NOT_FORMULAS:
            made[key.name] = _aliased_formula(made[key.name], aliases)
    return made


def _aliased_formula(value: object, aliases: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return renamed(value, lambda name: aliased(name, aliases))
    if isinstance(value, Mapping):
        return {key: _aliased_formula(item, aliases) for key, item in value.items()}
    return [_aliased_formula(item, aliases) for item in value] if isinstance(value, list) else value


def aliased(name: str, aliases: Mapping[str, str]) -> str:
    """A dotted name with the longest other name of a place at its beginning replaced."""
    for _ in range(len(aliases) + 1):
        owner, rest = longest_owner(name, aliases.__contains__)
        if not owner:
            return name
        name = f"{aliases[owner]}.{rest}" if rest else aliases[owner]
    return name


class _Instance:
    """One use of one assembly."""

    def __init__(self, owner: _Flattener, assembly: Flattened, use: Use, place: KeyPath) -> None:
        self.problems, self.planar = owner.problems, owner.planar
        self.tables, self.inner, self.use, self.place = assembly.tables, assembly.origins, use, place
        self.prefix, self.placement = use.name, use.placement
        self.own: KeyPath = ("assemblies", use.assembly)
        self.aliases: dict[str, str] = {}
        self.added_points: list[tuple[str, str, object, EntryOrigin]] = []
        self.frame_bodies: list[tuple[str, str]] = []
        self.parameters: dict[str, object] = {}
        values = dict(self._values())
        connected, frames = self._connected()
        self.scope = scope_of(
            self.tables, self.prefix, self.placement, self.planar, connected, frames, values
        )
        self._points()

    # --- origins ---------------------------------------------------------------------------------

    def origin(self, *place: str | int) -> EntryOrigin:
        """Where an entry of the assembly's flattened tables was written."""
        for length in range(len(place), 0, -1):
            if place[:length] in self.inner:
                found = self.inner[place[:length]]
                return EntryOrigin((*found.place, *place[length:]), f"{self.prefix}.{found.use}")
        return EntryOrigin((*self.own, *place), self.prefix)

    # --- parameters and connectors ---------------------------------------------------------------

    def _values(self) -> Iterator[tuple[str, str]]:
        """The replacement of each parameter and input in formulas."""
        declared = table(self.tables, "parameters")
        yield "index", repr(self.use.index)
        yield "count", repr(self.use.count)
        self._report_unknown("parameter", self.use.parameters, declared, "parameters")
        for name, raw in declared.items():
            given = self.use.parameters.get(name)
            value = _constant(given)
            if given is not None and value is None:
                yield name, f"({given})"
                continue
            base = _with_unit(dict(raw) if isinstance(raw, Mapping) else {"value": raw})
            self.parameters[name] = base if given is None else {**base, "value": value}
            yield name, f"{self.prefix}.{name}"
        for name in table(self.tables, "inputs"):
            yield name, f"{self.prefix}.{name}"

    def _report_unknown(self, noun: str, given: Iterable[str], known: Iterable[str], key: str) -> None:
        """Report the names that the use gives below ``key`` and the assembly does not have."""
        names = [str(name) for name in known]
        for name in given:
            if name not in names:
                message = f"the assembly {self.use.assembly!r} has no {noun} {name!r}"
                hint = choice_hint(name, names, f"the {noun}s are")
                self.problems.add((*self.use.place, key, name), message, hint)

    def _connected(self) -> tuple[dict[str, str], dict[str, str]]:
        """The places outside, by their names inside, and the bodies in whose axes vectors are given."""
        connectors = self.tables.get("connectors", {})
        if isinstance(connectors, list):
            connectors = dict.fromkeys((str(name) for name in connectors), "")
        if not isinstance(connectors, Mapping):
            hint = 'write connectors = ["chassis"] or connectors = { chassis = "ground" }'
            self.problems.add((*self.own, "connectors"), "must be a list or a table", hint)
            connectors = {}
        self._report_unknown("connector", self.use.connect, connectors, "connect")
        found: dict[str, str] = {}
        for name, default in connectors.items():
            target = self.use.connect.get(name) or default
            if not isinstance(target, str) or not target:
                message = f"the connector {name!r} is not connected"
                hint = f'write connect = {{ {name} = "ground" }}, or give it a default in the assembly'
                self.problems.add((*self.use.place, "connect"), message, hint)
                target = GROUND
            found[str(name)] = target
        frames: dict[str, str] = {}
        for inside, target in {GROUND: GROUND, **found}.items():
            place, frame = self._placed(inside, target)
            found[inside], frames[inside] = place, frame
        return found, frames

    def _placed(self, inside: str, target: str) -> tuple[str, str]:
        """The origin of the assembly's frame on a body outside, and the body that has its axes."""
        if not self.placement.moved or "." in target or ":" in target or not self._is_used(inside):
            return target, target
        label = inside if inside != GROUND else "origin"
        position = [*self.placement.position] or [0] * (2 if self.planar else 3)
        point: object = position
        if self.placement.turned and not self.planar:
            point = {
                "position": position,
                "sequence": self.placement.sequence,
                "angles": [*self.placement.angles],
            }
        name = f"{self.prefix}.{label}"
        origin = EntryOrigin(self.use.place, self.prefix)
        self.added_points.append((target, name, point, origin))
        if not self.placement.turned:
            return f"{target}.{name}", target
        frame = f"{self.prefix}.{label}_frame"
        self.frame_bodies.append((f"{target}.{name}", frame))
        return frame, frame

    def _is_used(self, inside: str) -> bool:
        """Whether anything in the assembly is fastened to an outer body."""
        named = (text for name, each in self.tables.items() if name != "connectors" for text in _texts(each))
        return any(text == inside or text.startswith(f"{inside}.") for text in named)

    # --- points ----------------------------------------------------------------------------------

    def _points(self) -> None:
        """Points on the ground and on connectors, and other names of places."""
        places = dict(self.scope.places)
        for name, point in table(table(self.tables, "ground"), "points").items():
            places[f"{GROUND}.{name}"] = self._fixed_point(GROUND, name, point, ("ground", "points", name))
        for name, given in table(self.tables, "points").items():
            if isinstance(given, str):
                continue
            on = str(given.get("on", GROUND)) if isinstance(given, Mapping) else GROUND
            point = {k: v for k, v in given.items() if k != "on"} if isinstance(given, Mapping) else given
            if on not in self.scope.frames:
                known = ", ".join(self.scope.frames)
                message = f"{on!r} is not a connector of the assembly"
                where = self.origin("points", name).place
                hint = f"write on = one of {known}; points of a body are listed in its table"
                self.problems.add((*where, "on"), message, hint, self.prefix)
                continue
            placed = self._fixed_point(on, name, point, ("points", name))
            places[f"{on}.{name}"] = places[name] = placed
            self.aliases[f"{self.prefix}.{name}"] = placed
        self.scope = UseScope(**{**vars(self.scope), "places": places})
        for name, given in table(self.tables, "points").items():
            if isinstance(given, str):
                self.aliases[f"{self.prefix}.{name}"] = str(self.scope.place(given))
                places[name] = str(self.scope.place(given))
        self.scope = UseScope(**{**vars(self.scope), "places": places})

    def _fixed_point(self, on: str, name: str, given: object, at: KeyPath) -> str:
        """A point of the assembly's frame on a body outside."""
        origin = self.origin(*at)
        self._check_aim(given, origin)
        point = mirrored_point(self._point_formulas(given), self.placement.mirror)
        target = self.scope.frames[on]
        position = point.get("position") if isinstance(point, Mapping) else point
        if not self.placement.turned and isinstance(position, list) and self.placement.position:
            moved = [total(p, q) for p, q in zip(self.placement.position, position, strict=False)]
            point = {**point, "position": moved} if isinstance(point, Mapping) else moved
        full = f"{self.prefix}.{name}" if not self.placement.turned else name
        self.added_points.append((target, full, point, origin))
        return f"{target}.{full}"

    def _point_formulas(self, point: object) -> object:
        if not isinstance(point, Mapping):
            return self.scope.formula(point)
        return {k: v if k in ("sequence", "toward") else self.scope.formula(v) for k, v in point.items()}

    def _check_aim(self, point: object, origin: EntryOrigin) -> None:
        aimed = isinstance(point, Mapping) and "toward" in point
        if aimed and self.placement.mirror.exists:
            message = "a point that is aimed at another one cannot be mirrored"
            hint = "turn its axes by sequence and angles instead"
            self.problems.add((*origin.place, "toward"), message, hint, origin.use)

    # --- elements --------------------------------------------------------------------------------

    def enter(self, merged: dict[str, Any], origins: dict[KeyPath, EntryOrigin]) -> None:
        """Add the elements of the use to the tables around it."""

        def add(section: str, name: str, entry: object, origin: EntryOrigin) -> None:
            merged.setdefault(section, {})[name] = entry
            origins[section, name] = origin

        for name, entry in self.parameters.items():
            origin = self.origin("parameters", name)
            if name in self.use.parameters:
                origins["parameters", f"{self.prefix}.{name}", "value"] = EntryOrigin(
                    (*self.use.place, "parameters", name), self.prefix
                )
            add("parameters", f"{self.prefix}.{name}", entry, origin)
        for name, raw in table(self.tables, "inputs").items():
            add("inputs", f"{self.prefix}.{name}", self._input(raw), self.origin("inputs", name))
        for place, frame in self.frame_bodies:
            origin = EntryOrigin(self.use.place, self.prefix)
            add("bodies", frame, {"points": {}}, origin)
            angle = self.placement.angles[0] if self.planar else None
            add("joints", f"{frame}_weld", weld_table(place, frame, angle), origin)
        for section in SECTIONS:
            for name, raw in table(self.tables, section).items():
                origin = self.origin(section, name)
                add(section, f"{self.prefix}.{name}", self.element(section, raw, origin), origin)
        for name, raw in table(self.tables, "outputs").items():
            long = isinstance(raw, Mapping)
            value = self.scope.formula(raw.get("value") if isinstance(raw, Mapping) else raw)
            entry = {**table(self.tables["outputs"], name), "value": value} if long else value
            add("outputs", f"{self.prefix}.{name}", entry, self.origin("outputs", name))
        self._starts(merged, origins)

    def _input(self, raw: object) -> object:
        if not isinstance(raw, Mapping):
            return raw
        own = table(self.tables, "inputs")
        return {k: f"{self.prefix}.{v}" if k in ("rate", "stamp") and v in own else v for k, v in raw.items()}

    def element(self, section: str, raw: object, origin: EntryOrigin) -> object:
        kind = kind_of(section, raw)
        if kind is None or not isinstance(raw, Mapping):
            return raw
        network = SECTIONS[section].network
        variants = kind.variants()
        keys = variants.get(str(raw.get(kind.variant_key)), kind.table_keys())
        named = {key.name: key for key in keys}
        made: dict[str, object] = {}
        ends = {end.key for end in kind.ends}
        for key, value in raw.items():
            if key in ends:
                made[key] = self.scope.node(value) if network else self.scope.place(value)
            elif key in named:
                made[key] = self.value(named[key], value, (*origin.place, key), network)
            else:
                made[key] = value
        missing = (key for key in keys if key.name not in raw and not (self.planar and key.spatial))
        return made | self.mirrored_defaults(missing)

    def mirrored_defaults(self, keys: Iterable[Key]) -> dict[str, object]:
        """The defaults that a mirror turns into something else."""
        images = {key.name: mirrored_default(key, self.placement.mirror) for key in keys}
        found = {name: image for name, image in images.items() if image is not None}
        return {
            name: image[:2] if self.planar and isinstance(image, list) else image
            for name, image in found.items()
        }

    def value(self, key: Key, value: object, place: KeyPath, network: bool) -> object:
        if key.form is Form.BODY:
            return self.scope.frame(value)
        if key.form in (Form.ATTITUDE, Form.TYPE):
            return value
        if key.form is Form.OPTION:
            return mirrored_value(key, value, self.placement.mirror)
        if key.form is Form.POINTS and isinstance(value, Mapping):
            for name, point in value.items():
                self._check_aim(point, EntryOrigin((*place, name), self.prefix))
            value = {name: self._point_formulas(point) for name, point in value.items()}
        else:
            value = self.scope.formula(value)
        return value if network else mirrored_value(key, value, self.placement.mirror)

    def _starts(self, merged: dict[str, Any], origins: dict[KeyPath, EntryOrigin]) -> None:
        outer = merged.setdefault("start", {})
        taken = {*table(outer, "fixed"), *table(outer, "guess")}
        for group in ("fixed", "guess"):
            for name, raw in table(table(self.tables, "start"), group).items():
                full, value, reading = self.scope.start(name, raw)
                origin = self.origin("start", group, name)
                if self.placement.turned and self.scope.is_absolute(reading):
                    message = f"{name!r} is measured from the ground, but the use {self.prefix!r} is turned"
                    hint = "give start values of joints instead"
                    self.problems.add(origin.place, message, hint, origin.use)
                elif full not in taken:
                    outer.setdefault(group, {})[full] = value
                    origins["start", group, full] = origin


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _with_unit(parameter: dict[str, object]) -> dict[str, object]:
    """The table of a parameter with the unit that its default says, which holds for all values."""
    value = parameter.get("value")
    if not isinstance(value, str) or "unit" in parameter:
        return parameter
    try:
        unit = parse(value).unit
    except FormulaError:
        return parameter
    return {**parameter, "unit": coherent_text(unit)} if unit else parameter


def _constant(given: object) -> object | None:
    """A number of a use as the value of a parameter; ``None`` if it is a formula with names."""
    if not isinstance(given, str):
        return given
    try:
        formula = parse(given)
    except FormulaError:
        return given  # the reader says what is wrong with it
    if formula.unit:
        return given
    return evaluate(formula, {})
