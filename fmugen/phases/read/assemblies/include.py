"""Tables of other files, merged into those of the file that includes them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from fmugen.phases.read.assemblies.nouns import Raw
from fmugen.phases.read.files import with_files
from fmugen.phases.read.locate import line_numbers
from fmugen.phases.read.problems import ProblemLog

__all__ = ["with_included"]

#: Sections that hold tables by name, one level deeper than others.
_DEEP = ("ground", "start")
_OF_MODELS = ("model", "experiment")


def with_included(tables: Raw, path: Path, problems: ProblemLog) -> Raw:
    """The tables of a file and of all files that it includes, directly or through others."""
    if "include" not in tables:
        return tables
    merged = {name: each for name, each in tables.items() if name != "include"}
    _Includer(merged, problems).files(tables["include"], path, (path.resolve(),))
    return merged


class _Includer:
    def __init__(self, merged: dict[str, object], problems: ProblemLog) -> None:
        self.merged, self.problems = merged, problems
        self.done: set[Path] = set()

    def files(self, given: object, path: Path, within: tuple[Path, ...]) -> None:
        named = [given] if isinstance(given, str) else given
        if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
            hint = 'write include = "corner.toml", or a list of files'
            self.problems.add(("include",), "must be the name of a file", hint)
            return
        for name in named:
            self.file(path.parent / name, name, within)

    def file(self, path: Path, name: str, within: tuple[Path, ...]) -> None:
        found = path.resolve()
        if found in within:
            chain = " -> ".join(each.name for each in (*within[within.index(found) :], found))
            self.problems.add(("include",), f"a file cannot include itself: {chain}", "leave one out")
            return
        if found in self.done:
            return
        self.done.add(found)
        try:
            text = found.read_text(encoding="utf-8-sig")
            tables = tomllib.loads(text)
        except OSError as error:
            hint = "names of files are relative to the file that includes them"
            self.problems.add(("include",), f"{name!r} cannot be read: {error.strerror}", hint)
            return
        except (ValueError, RecursionError) as error:
            self.problems.add(("include",), f"{name!r} is not TOML: {error}")
            return
        for section in _OF_MODELS:
            if section in tables:
                message = f"{name!r} has a table [{section}], which only the first file can have"
                self.problems.add(("include",), message, "leave it out")
        self.problems.include(found.name, line_numbers(text))
        self.merge(with_files(tables, found.parent, self.problems), name)
        self.files(tables.get("include", []), found, (*within, found))

    def merge(self, tables: Raw, file: str) -> None:
        for section, entries in tables.items():
            if section in ("include", *_OF_MODELS):
                continue
            if section not in self.merged:
                self.merged[section] = entries
                continue
            self.merged[section] = self.joined(self.merged[section], entries, (section,), file)

    def joined(self, first: object, second: object, place: tuple[str, ...], file: str) -> object:
        if not isinstance(first, Mapping) or not isinstance(second, Mapping):
            self.problems.add(place, f"is given in {file!r} too", "keep one of the two")
            return first
        made = dict(first)
        for name, entry in second.items():
            if name not in made:
                made[name] = entry
            elif place[0] in _DEEP and len(place) == 1:
                made[name] = self.joined(made[name], entry, (*place, name), file)
            else:
                self.problems.add((*place, name), f"is given in {file!r} too", "rename one of them")
        return made
