"""``fmugen closure``: how the loops are closed, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fmugen.cli.files import require_writable, write_text
from fmugen.cli.networks import network_summary
from fmugen.cli.terminal import Phases, counted, print_line, print_table
from fmugen.ir.flow import EMBEDDED
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import Compilation
from fmugen.view.closure import BlockSummary, ClosureSummary

__all__ = ["show_closure"]

_COLUMNS = (
    ">block",
    "loops",
    "constraints",
    "unknown",
    "method",
    "equation",
    ">degree",
    ">real roots",
    ">operations",
    "guard",
)


def show_closure(path: Path, options: ExportOptions, svg: Path | None) -> None:
    """Print the solution flow of a model, and draw it to ``svg`` if given."""
    require_writable(svg)
    with Phases() as phases:
        with phases.phase("read"):
            model = read_model(path)
        generated = Compilation(model, options, phases)
        summary = generated.measured_closure
    title = f"{model.name}, trees {options.trees}, closure {options.closure.value}"
    if summary.blocks:
        print_table(title, _COLUMNS, _rows(summary))
        print_table("", ("", ""), _facts(summary))
    else:
        print_table(title, ("", ""), _facts(summary))
    for note in summary.notes:
        print_line(note)
    if model.components:
        print_table("network", ("", ""), network_summary(generated.dae))
    if svg is not None:
        _draw(summary, title, svg)


def _rows(summary: ClosureSummary) -> Iterator[tuple[object, ...]]:
    for number, block in enumerate(summary.blocks, 1):
        shown: tuple[object, ...] = (number, ", ".join(block.loops), "; ".join(block.constraints))
        for cells in _cells(block):
            yield (*shown, *cells)
            shown = ("", "", "")


def _cells(block: BlockSummary) -> Iterator[tuple[object, ...]]:
    """A row for each step, or one for a block without steps."""
    if not block.steps:
        cost = f"{block.operations.total} an iteration"
        yield ", ".join(block.unknowns), block.method, "iterated", "", "", cost, "converges"
    for step in block.steps:
        yield (
            step.unknown,
            block.method,
            step.equation,
            step.degree,
            step.real_roots,
            step.cost,
            step.guard,
        )


def _facts(summary: ClosureSummary) -> Iterator[tuple[str, str]]:
    names = ", ".join(summary.independent) or "none"
    yield "independent", names
    if summary.dependent:
        yield "smallest pivot", f"{summary.pivot:.3g} at the start (0 is singular)"
    if summary.blocks and not summary.iterated:
        real = summary.configurations.real
        yield "assembly modes", str(summary.assembly_modes)
        yield (
            "configurations",
            "not counted here: see fmugen modes" if real is None else f"{real} real at the start",
        )
    if summary.closure in EMBEDDED:
        iterated = summary.iterated + len(summary.polynomial_degrees)
        yield "always iterated", f"{iterated} of {counted(len(summary.dependent), 'unknown')}"
    yield "operations", f"{summary.operations.total} per right-hand side ({summary.operations})"
    for alternative in summary.alternatives:
        names = ", ".join(alternative.independent)
        yield "or independent", f"{names}: {alternative.operations.total} operations"
    yield "closure", summary.sentence
    yield from summary.run_facts
    yield from summary.time_facts


def _draw(summary: ClosureSummary, title: str, destination: Path) -> None:
    from fmugen.view.flow import flow_svg

    write_text(destination, flow_svg(summary, title))
    print_line(f"drawing: {destination}")
