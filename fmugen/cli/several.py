"""The commands that make several FMUs of a model, or run one many times."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from fmugen.cli.arguments import (
    FmiOption,
    ModelArgument,
    PlatformsOption,
    SolverOption,
    SolverStepOption,
    TreesOption,
    drawing,
    fmi_version,
    names_in,
)
from fmugen.ir.options import ExportOptions
from fmugen.ir.split import Method

__all__ = ["split", "study"]

_DEFAULTS = ExportOptions()


def split(
    model: ModelArgument,
    parts: Annotated[
        str,
        typer.Option(
            "--parts", metavar="PARTS", help="File that names the parts and their bodies (TOML), or auto."
        ),
    ] = "auto",
    method: Annotated[
        Method | None,
        typer.Option(
            "--method",
            help="How parts are coupled; default: the method of the parts file, else exact.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of <model name>.ssp.")
    ] = Path(),
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg",
            metavar="FILE",
            callback=drawing,
            help="Draw the parts and what they exchange (.svg).",
            show_default=False,
        ),
    ] = None,
    trees: TreesOption = _DEFAULTS.trees,
    solver: SolverOption = _DEFAULTS.solver,
    step: SolverStepOption = _DEFAULTS.step,
    fmi: FmiOption = 2,
    platforms: PlatformsOption = "host",
) -> None:
    """Split a model into several FMUs, packed as SSP."""
    from fmugen.cli.split import Splitting, split_file

    options = ExportOptions(
        trees, solver=solver, step=step, platforms=names_in(platforms), fmi=fmi_version(fmi)
    )
    split_file(model, Splitting(parts, method, output, svg), options)


def study(
    plan: Annotated[Path, typer.Argument(metavar="STUDY", help="Study file (TOML).", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Folder of the results; default: the name of the study. Runs in it are not repeated.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            metavar="NUMBER",
            min=1,
            help="Processes on this machine; default: its cores.",
            show_default=False,
        ),
    ] = os.cpu_count() or 1,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="Dask scheduler of a cluster to run on instead."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Discard earlier results and start again.")] = False,
) -> None:
    """Run a model, an FMU or an SSP package many times with other parameters."""
    from fmugen.cli.study import StudyOptions, run_study

    run_study(plan, StudyOptions(output, workers, scheduler, fresh))
