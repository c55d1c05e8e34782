"""``fmugen split``: a model file to several FMUs in one SSP package."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from fmugen.cli.files import require_writable
from fmugen.cli.terminal import Phases, counted, print_line, print_table
from fmugen.cosim.auto import find_partition
from fmugen.cosim.export import SplitExport, export_split
from fmugen.cosim.partition import read_partition
from fmugen.cosim.split import split_model
from fmugen.errors import OutputError
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import AUTO, Method
from fmugen.phases.read import read_model

__all__ = ["Splitting", "exported_parts", "split_file"]


@dataclass(frozen=True)
class Splitting:
    """What the user asks for: parts of a file or ``auto``, a method, and a folder for the package."""

    parts: str
    method: Method | None = None
    folder: Path = Path()


def split_file(path: Path, wanted: Splitting, options: ExportOptions) -> None:
    """Split the model of a file, export its parts, and print what they are and what they exchange."""
    with Phases() as phases:
        export = exported_parts(path, wanted, options, phases)
    _show(export)


def exported_parts(path: Path, wanted: Splitting, options: ExportOptions, phases: Phases) -> SplitExport:
    """The package of a model file, made in the folder that is wanted."""
    with phases.phase("read"):
        model = read_model(path)
        partition = find_partition(model) if wanted.parts == AUTO else read_partition(Path(wanted.parts))
    _make(wanted.folder)
    destination = wanted.folder / f"{model.name}.ssp"
    require_writable(destination)
    with phases.phase("split"):
        system = split_model(model, partition, wanted.method)
    return export_split(system, destination, options, phases)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the folder {folder} cannot be made: {error.strerror or error}") from error


def _show(export: SplitExport) -> None:
    system = export.system
    sent = Counter(link.source for link in system.exchanged)
    heard = Counter(link.target for link in system.exchanged)
    rows = []
    for part in system.parts:
        generated = export.parts[part.name].generated
        states = len(generated.program.states)
        operations = generated.closure.operations.total
        bodies = ", ".join(part.bodies) or "none"
        rows.append((part.name, bodies, states, operations, heard[part.name], sent[part.name]))
    columns = ("part", "bodies", ">states", ">operations", ">numbers in", ">numbers out")
    print_table(f"{system.name}, {system.method.value}", columns, rows)
    exchanged = counted(sum(sent.values()), "number")
    print_line(f"{exchanged} exchanged per step; inputs {', '.join(system.inputs) or 'none'}")
    print_line(f"{export.path}: SystemStructure.ssd and {counted(len(system.parts), 'FMU')}")
