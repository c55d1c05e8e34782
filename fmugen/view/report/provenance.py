"""How a page and its FMU were produced: program, versions, options and fingerprints."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from fmugen.ir.options import ExportOptions
from fmugen.view.report.markup import ReportSection, section, table

if TYPE_CHECKING:
    from fmugen.pipeline import Compilation

__all__ = ["Provenance", "fingerprint", "provenance_section"]

_PACKAGES = ("numpy", "scipy", "sympy", "python-flint", "networkx", "fmpy", "plotly")


@dataclass(frozen=True)
class Provenance:
    """The files that a report is about, by what they are, with their names and fingerprints."""

    files: Mapping[str, tuple[str, str]]


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def provenance_section(subject: Compilation, provenance: Provenance | None = None) -> ReportSection:
    """The FMU says what made it and how; a report also names files and versions."""
    pieces = [table((), _made(subject))]
    if provenance is not None:
        files = [(what, name, _code(digest)) for what, (name, digest) in provenance.files.items()]
        pieces.append(table(("file", "name", "SHA-256"), files))
        pieces.append(table(("software", "version"), _versions()))
    return section("How it was produced", *pieces)


def _made(subject: Compilation) -> Iterator[tuple[object, ...]]:
    yield "program", subject.description.generation_tool
    yield "guid of the FMU", _code(subject.description.guid)
    yield from _options(subject.options)
    experiment = subject.model.experiment
    yield (
        "experiment",
        f"{experiment.stop:g} s in steps of {experiment.step:g} s, tolerance {experiment.tolerance:g}",
    )


def _options(options: ExportOptions) -> Iterator[tuple[str, str]]:
    for field in fields(options):
        value = getattr(options, field.name)
        values = value if isinstance(value, tuple) else (value,)
        yield f"option {field.name}", ", ".join(map(_plain, values)) or "none"


def _plain(value: object) -> str:
    match value:
        case Enum():
            return str(value.value)
        case bool():
            return "yes" if value else "no"
    return str(value)


def _versions() -> Iterator[tuple[str, str]]:
    yield "Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    for package in _PACKAGES:
        yield package, version(package)


def _code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(text)
