"""SplitSystem -> ``.ssp``: every part through the compiler, and all of them in one package."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from fmugen.cosim.ssp import resource, structure_xml
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import SplitSystem
from fmugen.phases.pack import FILE_MODE, write_archive
from fmugen.pipeline import Export, export_fmu
from fmugen.progress import Progress

__all__ = ["SplitExport", "export_split"]


@dataclass(frozen=True)
class SplitExport:
    """A finished package, and the export of each part; their FMUs are in the package."""

    system: SplitSystem
    parts: dict[str, Export]
    path: Path


def export_split(
    system: SplitSystem, destination: Path, options: ExportOptions, progress: Progress | None = None
) -> SplitExport:
    """Export all parts and pack them; ``destination`` is replaced in one step."""
    exports: dict[str, Export] = {}
    entries = {"SystemStructure.ssd": (structure_xml(system), FILE_MODE)}
    with tempfile.TemporaryDirectory() as folder:
        for part in system.parts:
            path = Path(folder) / f"{part.name}.fmu"

            def told(phase: str, seconds: float | None, part: str = part.name) -> None:
                if progress is not None:
                    progress(f"{part} {phase}", seconds)

            chosen = replace(options, closure=part.closure)
            exports[part.name] = export_fmu(part.model, path, chosen, told)
            entries[resource(part)] = (path.read_bytes(), FILE_MODE)
        write_archive(destination, entries)
    return SplitExport(system, exports, destination)
