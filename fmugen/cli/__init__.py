"""The command line: the only place that prints and exits.

This module says what the commands are called and what they accept, and turns errors into exit codes.
What a command does is in the module of its name, imported when it is asked for: ``fmugen --help``
must not wait for the numerical libraries.

    0    all is well
    1    the model is wrong, or a file cannot be read or written
    2    the command line is wrong
    3    verification failed, or the FMU could not be judged
    130  interrupted
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fmugen.cli.arguments import (
    ClosureOption,
    ExactBeamsOption,
    FmiOption,
    InputsOption,
    JudgedArgument,
    ModelArgument,
    ModelOfFmuOption,
    PlatformsOption,
    ReferenceSecondsOption,
    StopOption,
    ToleranceOption,
    TreesOption,
    drawing,
    fmi_version,
    interfaces_of,
    known_interfaces,
    names_in,
    page,
    page_or_drawing,
    positive,
)
from fmugen.cli.choices import EquationFormat
from fmugen.cli.compiling import DEFAULTS, closing, compiling, with_options
from fmugen.cli.several import split, study
from fmugen.errors import FmugenError
from fmugen.ir.options import ExportOptions
from fmugen.version import __version__

__all__ = ["app", "main"]

_MODEL_ERROR = 1
_INTERRUPTED = 130


class _Commands(TyperGroup):
    """The commands, with errors of the user turned into sentences and exit codes."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except FmugenError as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(_MODEL_ERROR) from error
        except KeyboardInterrupt as interruption:
            typer.echo("interrupted", err=True)
            raise typer.Exit(_INTERRUPTED) from interruption


app = typer.Typer(
    cls=_Commands,
    help="From the description of a mechanism or network through linear graphs to verified FMUs.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # drawn boxes would double the start-up time
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """The entry point of the program ``fmugen``."""
    app(prog_name="fmugen")


# --- commands -------------------------------------------------------------------------------------


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fmugen {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command("check")
def _check(model: ModelArgument, trees: TreesOption = DEFAULTS.trees) -> None:
    """Validate and assemble a model; count its freedoms; say where its motion iterates."""
    from fmugen.cli.check import check_model

    check_model(model, trees)


@app.command("graph")
def _graph(
    model: ModelArgument,
    trees: TreesOption = DEFAULTS.trees,
    matrices: Annotated[
        bool, typer.Option("--matrices", help="Also show incidence, f-cutset and f-circuit matrices.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw both graphs.", show_default=False)
    ] = None,
) -> None:
    """Show the linear graphs and their trees."""
    from fmugen.cli.graph import show_graphs

    show_graphs(model, trees, matrices=matrices, svg=svg)


@app.command("trees")
def _trees(
    model: ModelArgument,
    closure: ClosureOption = DEFAULTS.closure,
    candidates: Annotated[
        int | None,
        typer.Option("--candidates", metavar="NUMBER", min=1, help="Pairs of trees to begin with."),
    ] = None,
    neighbours: Annotated[
        int | None,
        typer.Option(
            "--neighbours",
            metavar="NUMBER",
            min=0,
            help="Neighbours of the best in a round.",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option("--rounds", metavar="NUMBER", min=0, help="Rounds of neighbours at most."),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="SECONDS", callback=positive, help="Time after which to stop."),
    ] = 120.0,
    processes: Annotated[
        int, typer.Option("--processes", metavar="NUMBER", min=1, help="Processes that share the search.")
    ] = 1,
) -> None:
    """Price the promising trees, and give the reasons for the cheapest."""
    from fmugen.cli.trees import TreesOptions, show_trees

    show_trees(model, closure, TreesOptions(candidates, neighbours, rounds, seconds, processes))


@app.command("equations")
def _equations(
    model: ModelArgument,
    trees: TreesOption = DEFAULTS.trees,
    form: Annotated[EquationFormat, typer.Option("--format", help="What to print.")] = EquationFormat.TEXT,
) -> None:
    """Print the symbolic equations of motion."""
    from fmugen.cli.equations import print_equations

    print_equations(model, trees, form)


@app.command("closure")
@with_options(closing)
def _closure(
    model: ModelArgument,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg", metavar="FILE", callback=drawing, help="Draw the flow (.svg).", show_default=False
        ),
    ] = None,
    *,
    options: ExportOptions,
) -> None:
    """Show how the loops are closed, block by block."""
    from fmugen.cli.closure import show_closure

    show_closure(model, options, svg)


@app.command("modes")
@with_options(closing)
def _modes(
    model: ModelArgument,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg", metavar="FILE", callback=drawing, help="Draw each mode (.svg).", show_default=False
        ),
    ] = None,
    write: Annotated[
        int | None,
        typer.Option(
            "--write",
            metavar="NUMBER",
            min=1,
            help="Write this mode into the model file, as guesses.",
            show_default=False,
        ),
    ] = None,
    *,
    options: ExportOptions,
) -> None:
    """List all real configurations at the start (assembly modes), and choose one."""
    from fmugen.cli.modes import show_modes

    show_modes(model, options, svg, write)


@app.command("export")
@with_options(compiling)
def _export(
    model: ModelArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="FMU to write; default <model name>.fmu.",
            show_default=False,
        ),
    ] = None,
    fmi: FmiOption = 2,
    interfaces: Annotated[
        str,
        typer.Option(
            "--type",
            metavar="TYPES",
            callback=known_interfaces,
            help="Interface types: cs (co-simulation), me (model exchange), or both.",
        ),
    ] = "cs,me",
    platforms: PlatformsOption = "host",
    sources: Annotated[
        bool,
        typer.Option("--sources", help="Also pack the C sources, for importers that compile them."),
    ] = False,
    inverse: Annotated[
        bool,
        typer.Option(
            "--inverse",
            help="Inverse dynamics: motions become inputs, the forces and torques that drive them outputs.",
        ),
    ] = False,
    modelica: Annotated[
        bool,
        typer.Option(
            "--modelica",
            help="Also write the equations as a Modelica model beside the FMU, and a script that imports it.",
        ),
    ] = False,
    keep_sources: Annotated[
        Path | None,
        typer.Option(
            "--keep-sources", metavar="DIR", help="Also write the generated C to DIR.", show_default=False
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            callback=page,
            help="Also verify the FMU and write a page about it (.html).",
            show_default=False,
        ),
    ] = None,
    *,
    options: ExportOptions,
) -> None:
    """Compile a model to an FMU."""
    from fmugen.cli.export import ExportFiles, export_model

    options = replace(
        options,
        platforms=names_in(platforms),
        sources=sources,
        fmi=fmi_version(fmi),
        interfaces=interfaces_of(interfaces),
    )
    export_model(model, output, options, ExportFiles(keep_sources, modelica, report), inverse=inverse)


app.command("split")(split)


@app.command("simulate")
def _simulate(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Model file (TOML) or FMU.", show_default=False)
    ],
    stop: StopOption = None,
    step: Annotated[
        float | None,
        typer.Option(
            "--step",
            metavar="SECONDS",
            callback=positive,
            help="Communication step; default as in the model.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Value of a parameter; may be repeated."),
    ] = None,
    inputs: InputsOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="CSV file to write.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", callback=page, help="Plot to write (.html)."),
    ] = None,
) -> None:
    """Run a model or an FMU with FMPy."""
    from fmugen.cli.simulate import Run, simulate_model

    simulate_model(model, Run(stop, step, tuple(settings or ()), tuple(inputs or ()), output, plot))


@app.command("verify")
@with_options(compiling)
def _verify(
    subject: JudgedArgument,
    model: ModelOfFmuOption = None,
    fmu: Annotated[
        Path | None,
        typer.Option(
            "--fmu", metavar="FILE", help="Keep the FMU that is exported and judged.", show_default=False
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", callback=page_or_drawing, help="Plot to write (.html or .svg)."
        ),
    ] = None,
    tolerance: ToleranceOption = 1e-6,
    stop: StopOption = None,
    inputs: InputsOption = None,
    seconds: ReferenceSecondsOption = 1800.0,
    exact_beams: ExactBeamsOption = False,
    fmi: FmiOption = 2,
    *,
    options: ExportOptions,
) -> None:
    """Export a model and judge its FMU by a reference, or judge an FMU that exists."""
    from fmugen.cli.verify import VerifyOptions, verify_file, verify_model

    wanted = VerifyOptions(tolerance, stop, fmu, plot, tuple(inputs or ()), seconds, exact_beams)
    if subject.suffix.lower() == ".fmu":
        if model is None or fmu is not None:
            raise typer.BadParameter(
                "an FMU is compared with its model: give --model MODEL, and leave out --fmu"
            )
        verify_file(subject, model, wanted)
        return
    if model is not None:
        raise typer.BadParameter("--model needs an FMU as the first argument: name it, or leave out --model")
    verify_model(subject, replace(options, fmi=fmi_version(fmi)), wanted)


@app.command("cross-check")
@with_options(compiling)
def _cross_check(
    model: ModelArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Folder to write; default: the name of the model.",
            show_default=False,
        ),
    ] = None,
    inputs: InputsOption = None,
    *,
    options: ExportOptions,
) -> None:
    """Write an FMU with its reference in the layout of the FMI cross-check."""
    from fmugen.cli.cross_check import cross_check_model

    cross_check_model(model, output, options, tuple(inputs or ()))


app.command("study")(study)


@app.command("report")
@with_options(compiling)
def _report(
    model: ModelArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=page,
            help="Page to write (.html); default <model name>.html.",
            show_default=False,
        ),
    ] = None,
    tolerance: ToleranceOption = 1e-6,
    stop: StopOption = None,
    inputs: InputsOption = None,
    *,
    options: ExportOptions,
) -> None:
    """Write a page about a model: drawings, equations, closure, verification, animation."""
    from fmugen.cli.report import ReportOptions, report_model

    report_model(model, ReportOptions(options, output, tolerance, stop, tuple(inputs or ())))
