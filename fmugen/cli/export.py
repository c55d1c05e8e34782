"""``fmugen export``: a model file to an FMU."""

from __future__ import annotations

from pathlib import Path

from fmugen.cli.files import require_writable, write_text
from fmugen.cli.networks import network_summary
from fmugen.cli.terminal import Phases, counted, print_table
from fmugen.errors import OutputError
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import Export, export_fmu

__all__ = ["export_model"]


def export_model(path: Path, output: Path | None, options: ExportOptions, keep_sources: Path | None) -> None:
    """Export the model of a file and print what came out."""
    with Phases() as phases:
        with phases.phase("read"):
            model = read_model(path)
        destination = output if output is not None else Path(f"{model.name}.fmu")
        require_writable(destination)
        _require_folder(keep_sources)
        export = export_fmu(model, destination, options, phases)
    if keep_sources is not None:
        _write_sources(keep_sources, export.generated.sources)
    print_table("", (model.name, ""), _summary(export, options, keep_sources))


def _require_folder(folder: Path | None) -> None:
    if folder is not None and folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is not a folder: sources cannot be written to it")


def _write_sources(folder: Path, sources: dict[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the folder {folder} cannot be made: {error.strerror or error}") from error
    for name, text in sources.items():
        write_text(folder / name, text)


def _summary(export: Export, options: ExportOptions, keep_sources: Path | None) -> list[tuple[str, str]]:
    generated = export.generated
    flow, closure = generated.flow, generated.closure
    coordinates, constraints = len(generated.formulation.dae.coordinates), len(flow.rows)
    mechanism = [
        ("degrees of freedom", str(flow.degrees_of_freedom)),
        (
            "coordinates",
            f"{coordinates} ({len(flow.independent)} independent, {len(flow.dependent)} dependent), "
            f"trees {options.trees}",
        ),
        ("equations", f"{coordinates + constraints} ({coordinates} dynamic, {constraints} kinematic)"),
    ]
    if flow.redundant:
        mechanism.append(("left out", counted(len(flow.redundant), "redundant constraint")))
    dae, model = generated.formulation.dae, generated.formulation.model
    rows = [
        *(mechanism if model.bodies else []),
        *(network_summary(dae) if model.components else []),
        ("operations", f"{closure.operations.total} per right-hand side ({closure.operations})"),
        ("closure", f"{options.closure.value}: {closure.sentence}"),
        ("solver", options.solver.value),
        ("file", f"{export.path}, {_size(export.path.stat().st_size)}"),
    ]
    if keep_sources is not None:
        rows.append(("sources", str(keep_sources)))
    return rows


def _size(count: int) -> str:
    return f"{count} B" if count < 1000 else f"{count / 1000:.1f} kB"
