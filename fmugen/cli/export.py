"""``fmugen export``: a model file to an FMU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fmugen.analysis.inverse import inverse_of
from fmugen.analysis.soundness import unphysical_inertias
from fmugen.cli.files import require_writable, write_files
from fmugen.cli.networks import network_summary
from fmugen.cli.terminal import Phases, counted, print_table, print_warning
from fmugen.errors import OutputError
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import Export, export_fmu
from fmugen.view.closure import ClosureSummary
from fmugen.view.modelica import modelica_files

__all__ = ["ExportFiles", "export_model"]


@dataclass(frozen=True)
class ExportFiles:
    """Files written in addition to the FMU.

    The generated C to a folder, the equations as a Modelica model, a page about the model and its
    verification.
    """

    keep_sources: Path | None = None
    modelica: bool = False
    report: Path | None = None


def export_model(
    path: Path, output: Path | None, options: ExportOptions, files: ExportFiles, *, inverse: bool = False
) -> None:
    """Export the model of a file, or its inverse, and print a summary."""
    with Phases() as phases:
        with phases.phase("read"):
            model = read_model(path)
            if inverse:
                model = inverse_of(model)
        destination = output if output is not None else Path(f"{model.name}.fmu")
        require_writable(destination, path)
        require_writable(files.report)
        _require_folder(files.keep_sources)
        export = export_fmu(model, destination, options, phases)
    for warning in unphysical_inertias(model):
        print_warning(warning)
    for said in export.compilation.trial.warnings:
        print_warning(f"the FMU says: {said}")
    written = []
    if files.keep_sources is not None:
        write_files(files.keep_sources, export.compilation.sources)
        written.append(("sources", str(files.keep_sources)))
    if files.modelica:
        equations = modelica_files(export.compilation, destination.name)
        write_files(destination.parent, equations)
        written.append(("Modelica", ", ".join(str(destination.parent / name) for name in equations)))
    print_table("", (model.name, ""), [*_summary(export, options), *written])
    if files.report is not None:
        # The judge takes a second to import; only a report needs it.
        from fmugen.cli.report import ReportOptions, report_export

        report_export(path, export, ReportOptions(options, files.report))


def _require_folder(folder: Path | None) -> None:
    if folder is not None and folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is not a folder: sources cannot be written to it")


def _summary(export: Export, options: ExportOptions) -> list[tuple[str, str]]:
    generated = export.compilation
    flow, closure = generated.flow, generated.measured_closure
    coordinates, constraints = len(generated.dae.coordinates), len(flow.rows)
    mechanism = [
        ("degrees of freedom", str(flow.degrees_of_freedom)),
        (
            "coordinates",
            f"{coordinates} ({len(flow.independent)} independent, {len(flow.dependent)} dependent), "
            f"trees {options.trees}",
        ),
        ("independent", ", ".join(closure.independent) or "none"),
        ("equations", f"{coordinates + constraints} ({coordinates} dynamic, {constraints} kinematic)"),
    ]
    if flow.redundant:
        mechanism.append(("left out", counted(len(flow.redundant), "redundant constraint")))
    dae, model = generated.dae, generated.model
    return [
        *(mechanism if model.bodies else []),
        *(network_summary(dae) if model.components else []),
        ("operations", f"{closure.operations.total} per right-hand side ({closure.operations})"),
        ("closure", f"{options.closure.value}: {closure.sentence}"),
        *_steps(closure),
        ("solver", options.solver.value),
        ("file", f"{export.path}, {_size(export.path.stat().st_size)}"),
    ]


def _steps(closure: ClosureSummary) -> Iterator[tuple[str, str]]:
    """Where the declared motion iterates, and how long a step takes: at the most, and on this machine."""
    facts = dict(closure.run_facts)
    yield "iteration", facts["iteration"]
    yield "worst internal step", facts["worst internal step"]
    yield from closure.time_facts


def _size(count: int) -> str:
    return f"{count} B" if count < 1000 else f"{count / 1000:.1f} kB"
