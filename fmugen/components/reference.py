"""The tables of the reference page, from the registry.

A page has a table between ``<!-- table SECTION -->`` and ``<!-- end -->``. This module writes what stands
between them::

    python -m fmugen.components.reference docs/components.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from fmugen.components.base import REGISTRY, Component, FormulaScope, Key
from fmugen.components.network import NetworkComponent, Terminal
from fmugen.ir.element import X_AXIS, Y_AXIS, Z_AXIS, Space
from fmugen.ir.formula import Formula

__all__ = ["table_of", "updated"]

#: Between the lines of a cell.
_BREAK = "<br>"
_TABLE = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def updated(page: str) -> str:
    """A page with its tables generated."""
    return _TABLE.sub(lambda found: f"{found[1]}{table_of(found[2])}{found[3]}", page)


def table_of(section: str) -> str:
    """The table of the types of a section."""
    kinds = REGISTRY[section].values()
    network = any(issubclass(kind, NetworkComponent) for kind in kinds)
    heads = ("type", "terminals", "values", "law") if network else ("type", "keys", "meaning")
    rows = [heads, ("---",) * len(heads), *(_row(kind) for kind in kinds)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(kind: type[Component]) -> tuple[str, ...]:
    if issubclass(kind, NetworkComponent):
        mixed = len({terminal.discipline for terminal in kind.terminals}) > 1
        terminals = ", ".join(_terminal(terminal, mixed) for terminal in kind.terminals)
        return f"`{kind.type}`", terminals, _BREAK.join(map(_key, kind.table_keys())), sentence(kind)
    keys = kind.table_keys() if not kind.variant_key else ()
    told = {end.key: f"default: {end.default}" if end.default else "" for end in kind.ends}
    ends = [f"`{key}`{_bracketed(default)}" for key, default in told.items()]
    only = "" if Space.PLANAR in kind.spaces else " (spatial)"
    lines = [", ".join(ends), *_variants(kind), *map(_key, keys)]
    return f"`{kind.type}`{only}", _BREAK.join(filter(None, lines)), sentence(kind)


def sentence(kind: type[Component]) -> str:
    """The description of a type: the first sentence of its class."""
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split()).removesuffix(".")


def _terminal(terminal: Terminal, mixed: bool) -> str:
    said = [terminal.discipline.value] if mixed else []
    said += [f"default: {terminal.default.removeprefix('=')}"] if terminal.default else []
    return f"`{terminal.name}`" + _bracketed("; ".join(said))


def _variants(kind: type[Component]) -> Iterator[str]:
    if kind.variant_key:
        yield f"`{kind.variant_key}` ({', '.join(kind.variants())}) and the keys of that type"


def _key(key: Key) -> str:
    meaning = key.help if key.help != key.name.replace("_", " ") else ""
    unit = "" if key.unit == "1" else f" [{key.unit}]" if meaning else key.unit
    said = [meaning + unit] if meaning + unit else []
    said += [f"default: {_default(key.default)}"] if not key.required and _default(key.default) else []
    said += ["spatial"] if key.spatial else []
    said += [" or ".join(key.options)] if key.options else []
    varies = "" if key.scope is FormulaScope.CONSTANT else "\\*"
    return f"`{key.name}`{varies}" + _bracketed("; ".join(said))


def _default(default: object) -> str:
    if isinstance(default, Formula):
        return default.text.removesuffix(".0")
    if isinstance(default, str):
        return default
    return {X_AXIS: "x", Y_AXIS: "y", Z_AXIS: "z"}.get(default, "") if isinstance(default, tuple) else ""


def _bracketed(text: str) -> str:
    return f" ({text})" if text else ""


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(updated(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
