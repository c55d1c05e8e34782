"""Files that elements name: their contents take the place of their names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fmugen.components.base import REGISTRY, SECTIONS, Form, Key
from fmugen.ir.arrays import Arrays
from fmugen.phases.read.array_file import ArrayFileError, read_arrays
from fmugen.phases.read.problems import KeyPath, ProblemLog
from fmugen.phases.read.tyre_file import TyreFileError, read_tyre_file

__all__ = ["with_files"]

_FILE = "file"


def with_files(tables: Mapping[str, object], folder: Path, problems: ProblemLog) -> dict[str, object]:
    """The tables with the contents of the files that their elements name, relative to ``folder``.

    A file of coefficients stands alone, or as ``file`` in a table whose other entries replace those of the
    file.
    """
    return _Loader(folder, problems).sections(tables, ())


class _Loader:
    def __init__(self, folder: Path, problems: ProblemLog) -> None:
        self.folder, self.problems = folder, problems

    def sections(self, tables: Mapping[str, object], place: KeyPath) -> dict[str, object]:
        made = dict(tables)
        for name, entries in tables.items():
            if not isinstance(entries, Mapping):
                continue
            if name in REGISTRY:
                made[name] = {
                    key: self.element(name, raw, (*place, name, key)) for key, raw in entries.items()
                }
            elif name == "assemblies" and not place:
                made[name] = {
                    key: self.sections(raw, (name, key)) if isinstance(raw, Mapping) else raw
                    for key, raw in entries.items()
                }
        return made

    def element(self, section: str, raw: object, place: KeyPath) -> object:
        kind = REGISTRY[section].get(str(_type_of(section, raw)))
        if kind is None or not isinstance(raw, Mapping):
            return raw
        made: dict[str, Any] = dict(raw)
        for key in kind.table_keys():
            if key.form is Form.COEFFICIENTS and key.name in raw:
                made[key.name] = self.coefficients(raw[key.name], (*place, key.name))
            elif key.form is Form.ARRAYS and isinstance(raw.get(key.name), str):
                made[key.name] = self.arrays(key, raw[key.name], (*place, key.name))
        return made

    def arrays(self, key: Key, named: str, place: KeyPath) -> Arrays:
        try:
            return read_arrays(self.folder / named, key)
        except ArrayFileError as error:
            self.problems.add(place, error.message, error.hint)
            return Arrays(named)

    def coefficients(self, given: object, place: KeyPath) -> object:
        named = given.get(_FILE) if isinstance(given, Mapping) else given
        if not isinstance(named, str):
            return given
        entries = given if isinstance(given, Mapping) else {}
        own = {name: value for name, value in entries.items() if name != _FILE}
        try:
            return {**read_tyre_file(self.folder / named), **own}
        except TyreFileError as error:
            self.problems.add(place, error.message, error.hint)
            return own


def _type_of(section: str, raw: object) -> object:
    named = raw.get("type") if isinstance(raw, Mapping) else None
    return SECTIONS[section].default if named is None else named
