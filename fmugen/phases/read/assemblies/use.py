"""``[use.NAME]`` tables -> uses: arrays spelled out, with their placement, parameters and connections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fmugen.errors import FormulaError
from fmugen.formulas import evaluate, parse, renamed
from fmugen.phases.read.assemblies.nouns import Number, Placement, Raw, Reflection
from fmugen.phases.read.assemblies.scope import table
from fmugen.phases.read.fields import describe_value
from fmugen.phases.read.problems import KeyPath, ProblemLog
from fmugen.suggestions import choice_hint

__all__ = ["Use", "uses_of"]

_KEYS = (
    *("assembly", "count", "mirror", "position", "angle", "sequence", "angles", "parameters", "connect"),
    *("first", "last", "description"),
)
#: A mistyped count must not fill the memory.
_MOST = 1000
_INDEXED = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Use:
    """One use of an assembly; of an array, the one with a certain index."""

    name: str
    place: KeyPath
    assembly: str
    index: int
    count: int
    placement: Placement
    parameters: Mapping[str, object]
    connect: Mapping[str, str]


def uses_of(tables: Raw, place: KeyPath, planar: bool, problems: ProblemLog) -> Iterator[Use]:
    """Every readable use of a model or of an assembly."""
    for name, raw in table(tables, "use").items():
        yield from _Reader((*place, "use", name), planar, problems).uses(name, raw)


class _Reader:
    def __init__(self, place: KeyPath, planar: bool, problems: ProblemLog) -> None:
        self.place, self.planar, self.problems = place, planar, problems

    def uses(self, name: str, raw: object) -> Iterator[Use]:
        if not isinstance(raw, Mapping):
            self.problems.add(self.place, f"must be a table, not {describe_value(raw)}")
            return
        for key in raw:
            if key not in _KEYS:
                hint = choice_hint(key, _KEYS, "the keys are")
                self.problems.add((*self.place, key), f"a use has no key {key!r}", hint)
        assembly = raw.get("assembly")
        if not isinstance(assembly, str):
            self.problems.add((*self.place, "assembly"), "is missing", "name the assembly")
            return
        count = raw.get("count")
        if count is None:
            yield self.use(name, raw, assembly, 1, 1)
        elif isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MOST:
            message = f"must be a whole number from 1 to {_MOST}"
            self.problems.add((*self.place, "count"), message, "write count = 6")
        else:
            for index in range(1, count + 1):
                yield self.use(f"{name}{index}", self.member(raw, index, count), assembly, index, count)

    def member(self, raw: Raw, index: int, count: int) -> Raw:
        """The table of one member; ``first`` and ``last`` take the place of what is said for all."""
        made = dict(raw)
        for key, here in (("first", index == 1), ("last", index == count)):
            for name, value in table(raw, key).items() if here else ():
                both = isinstance(value, Mapping) and isinstance(made.get(name), Mapping)
                made[name] = {**table(made, name), **value} if both and isinstance(value, Mapping) else value
        return made

    def use(self, name: str, raw: Raw, assembly: str, index: int, count: int) -> Use:
        def filled(value: object) -> object:
            return self.indexed(value, index, count)

        parameters = {key: filled(value) for key, value in table(raw, "parameters").items()}
        connect = {key: str(filled(value)) for key, value in table(raw, "connect").items()}
        placement = self.placement({key: filled(value) for key, value in raw.items()})
        return Use(name, self.place, assembly, index, count, placement, parameters, connect)

    def indexed(self, value: object, index: int, count: int) -> object:
        """A value with ``index`` and ``count`` replaced, in formulas and in braces in names."""
        if isinstance(value, list):
            return [self.indexed(item, index, count) for item in value]
        if not isinstance(value, str):
            return value
        known = {"index": float(index), "count": float(count)}

        def number(match: re.Match[str]) -> str:
            try:
                found = evaluate(parse(match[1]), known)
            except FormulaError:
                found = None
            if found is None or not found.is_integer():
                message = f"{match[0]!r} is not a whole number of index and count"
                self.problems.add(self.place, message, "write for example leg{index+1}")
                return "0"
            return str(int(found))

        text = _INDEXED.sub(number, value)
        return renamed(text, lambda name: str(int(known[name])) if name in known else name)

    def placement(self, raw: Raw) -> Placement:
        mirror = raw.get("mirror", "")
        axes = ("x", "y") if self.planar else ("x", "y", "z")
        if mirror not in ("", *axes):
            message = f"must be {', '.join(map(repr, axes))}, not {describe_value(mirror)}"
            self.problems.add((*self.place, "mirror"), message, "it names the axis that is reversed")
            mirror = ""
        position = self.numbers(raw, "position", len("xy" if self.planar else "xyz"))
        sequence, angles = str(raw.get("sequence", "")), self.numbers(raw, "angles", None)
        if self.planar:
            for key in ("sequence", "angles"):
                if key in raw:
                    message = f"a use in the plane has no key {key!r}"
                    self.problems.add((*self.place, key), message, "write angle = 0.5")
            sequence, angles = "", ()
            if "angle" in raw:
                angle = raw["angle"]
                sequence, angles = "z", (angle if isinstance(angle, str | int | float) else 0,)
        elif "angle" in raw:
            hint = 'write sequence = "z", angles = [0.5]'
            self.problems.add((*self.place, "angle"), "only a use in the plane has an angle", hint)
        elif len(sequence) != len(angles):
            message = f"sequence and angles differ in length: {len(sequence)} and {len(angles)}"
            hint = "give one angle for each letter of the sequence"
            self.problems.add((*self.place, "angles"), message, hint)
            sequence, angles = "", ()
        return Placement(Reflection.across(str(mirror)), position, sequence, angles)

    def numbers(self, raw: Raw, key: str, count: int | None) -> tuple[Number, ...]:
        given = raw.get(key, [])
        listed = isinstance(given, list) and all(
            isinstance(item, str | int | float) and not isinstance(item, bool) for item in given
        )
        if not isinstance(given, list) or not listed or (given and count not in (None, len(given))):
            size = "numbers or formulas" if count is None else f"{count} numbers or formulas"
            self.problems.add((*self.place, key), f"must be a list of {size}")
            return ()
        return tuple(given)
