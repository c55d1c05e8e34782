"""Write the tables of docs/python.md from signatures and docstrings.

    python docs/programs/reference.py [--update]

A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``. NAME is one class, whose public methods
and documented properties are listed, or several functions and classes. The builder's methods for types of
elements follow its own. Without ``--update`` the program only
compares; the exit code is 1 if a table differs.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

from fmugen.builder import ModelBuilder, element_methods

PAGE = Path(__file__).resolve().parents[1] / "python.md"
_TABLE = re.compile(r"(<!-- table: ([\w. ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page_with_tables(text: str) -> str:
    """The text of a page with all tables as the code is."""
    return _TABLE.sub(lambda match: match[1] + "\n".join(table(match[2])) + "\n" + match[3], text)


def table(names: str) -> Iterator[str]:
    """The rows about all methods of a class, or about several functions and classes."""
    objects = [_found(name) for name in names.split()]
    yield "| call | meaning |"
    yield "| --- | --- |"
    if len(objects) == 1 and inspect.isclass(objects[0]):
        owner = objects[0]
        yield _row(owner.__name__, owner)
        for name, member in vars(owner).items():
            if name.startswith("_"):
                continue
            if inspect.isfunction(member):
                yield _row(f".{name}", member)
            elif isinstance(member, property | cached_property) and inspect.getdoc(member):
                yield f"| `.{name}` | {_meaning(member)} |"
        if owner is ModelBuilder:
            for name in element_methods():
                yield _row(f".{name}", getattr(ModelBuilder("any"), name))
    else:
        for each in objects:
            yield _row(each.__name__, each)


def _row(name: str, about: Callable[..., Any]) -> str:
    parameters = [p for p in inspect.signature(about).parameters.values() if p.name != "self"]
    shown = ", ".join(_parameter(p) for p in parameters)
    if any(p.kind is p.KEYWORD_ONLY for p in parameters):
        first = next(p for p in parameters if p.kind is p.KEYWORD_ONLY)
        before = [_parameter(p) for p in parameters[: parameters.index(first)]]
        shown = ", ".join([*before, "*", *(_parameter(p) for p in parameters[len(before) :])])
    return f"| `{name}({shown})` | {_meaning(about)} |"


def _parameter(parameter: inspect.Parameter) -> str:
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.default is parameter.empty:
        return star + parameter.name
    return f"{parameter.name}={_value(parameter.default)}"


def _value(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple) and value:
        return f"({', '.join(map(_value, value))}{',' * (len(value) == 1)})"
    shown = repr(value)
    return shown if "<" not in shown else "..."


def _meaning(about: object) -> str:
    """The docstring up to its first section, in one line of Markdown."""
    text = inspect.getdoc(about) or ""
    prose = re.split(r"\n\w+\n-{3,}\n", text)[0]
    return re.sub(r":\w+:`([^`]+)`", r"`\1`", " ".join(prose.split()).replace("``", "`")).replace("|", "\\|")


def _found(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def main(arguments: list[str]) -> int:
    text = PAGE.read_text(encoding="utf-8")
    new = page_with_tables(text)
    if "--update" in arguments:
        PAGE.write_text(new, encoding="utf-8")
    elif new != text:
        print(f"{PAGE.name} is not up to date: python docs/programs/reference.py --update", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
