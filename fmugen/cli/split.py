"""``fmugen split``: a model file to several FMUs in one SSP package."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from fmugen.cli.files import require_writable, write_text
from fmugen.cli.terminal import Phases, counted, print_line, print_table
from fmugen.cosim.auto import find_partition
from fmugen.cosim.export import SplitExport, export_split
from fmugen.cosim.partition import read_partition
from fmugen.cosim.split import split_model
from fmugen.errors import OutputError
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import AUTO, Method, Part
from fmugen.phases.read import read_model

__all__ = ["Splitting", "exported_parts", "split_file"]


@dataclass(frozen=True)
class Splitting:
    """The options: a parts file or ``auto``, a method, a folder for the package, a drawing."""

    parts: str
    method: Method | None = None
    folder: Path = Path()
    svg: Path | None = None


def split_file(path: Path, wanted: Splitting, options: ExportOptions) -> None:
    """Split the model of a file, export its parts, and print what they are and what they exchange."""
    require_writable(wanted.svg)
    with Phases() as phases:
        export = exported_parts(path, wanted, options, phases)
    _show(export)
    if wanted.svg is not None:
        _draw(export, wanted.svg)


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
        bodies = ", ".join(part.bodies) or "none"
        rows.append((part.name, bodies, *_effort(export, part), heard[part.name], sent[part.name]))
    columns = ("part", "bodies", ">states", ">operations", ">numbers in", ">numbers out")
    print_table(f"{system.name}, {system.method.value}", columns, rows)
    exchanged = counted(sum(sent.values()), "number")
    print_line(f"{exchanged} exchanged per step; inputs {', '.join(system.inputs) or 'none'}")
    print_line(f"{export.path}: SystemStructure.ssd and {counted(len(system.parts), 'FMU')}")


def _effort(export: SplitExport, part: Part) -> tuple[int, int]:
    """The states of a part, and the operations of its right-hand side."""
    generated = export.parts[part.name].compilation
    return len(generated.program.states), generated.closure.operations.total


def _draw(export: SplitExport, destination: Path) -> None:
    from fmugen.view.parts import parts_svg

    notes = {}
    for part in export.system.parts:
        states, operations = _effort(export, part)
        notes[part.name] = counted(states, "state")
        if operations:
            notes[part.name] += f", {counted(operations, 'operation')}"
    write_text(destination, parts_svg(export.system, notes))
    print_line(f"drawing: {destination}")
