"""The command line: the only place that prints and exits.

This module says what the commands are called and what they accept, and turns errors into exit codes.
What a command does is in the module of its name, imported when it is asked for: ``fmugen --help``
must not wait for the numerical libraries.

    0    all is well
    1    the model is wrong, or a file cannot be read or written
    2    the command line is wrong
    3    verification failed
    130  interrupted
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fmugen import __version__
from fmugen.cli.choices import EquationFormat
from fmugen.errors import FmugenError
from fmugen.ir.flow import Closure
from fmugen.ir.options import ExportOptions, FmiVersion, InterfaceType, Solver
from fmugen.ir.platform import choose_platforms
from fmugen.ir.split import Method

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
    help="From a mechanism description through a linear graph to a verified FMI 2.0 co-simulation FMU.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # drawn boxes would double the start-up time
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """The entry point of the program ``fmugen``."""
    app(prog_name="fmugen")


# --- arguments that commands share ----------------------------------------------------------------


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


def _positive(value: float | None) -> float | None:
    if _finite(value) is not None and value is not None and value <= 0:
        raise typer.BadParameter(f"{value} is not positive")
    return value


def _page(path: Path | None) -> Path | None:
    return _ending(path, ".html")


def _drawing(path: Path | None) -> Path | None:
    return _ending(path, ".svg")


def _page_or_drawing(path: Path | None) -> Path | None:
    return _ending(path, ".html", ".svg")


def _ending(path: Path | None, *endings: str) -> Path | None:
    if path is not None and path.suffix.lower() not in endings:
        raise typer.BadParameter(f"{path} does not end in {' or '.join(endings)}")
    return path


def _platforms(text: str) -> str:
    try:
        choose_platforms(_names(text))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return text


def _interfaces(text: str) -> tuple[InterfaceType, ...]:
    known = {interface.value: interface for interface in InterfaceType}
    names = _names(text)
    strange = [name for name in names if name not in known]
    if strange or not names:
        raise typer.BadParameter(f"{text!r} is not a list of interface types: cs, me or cs,me")
    return tuple(interface for interface in InterfaceType if interface.value in names)


def _fmi(number: int) -> FmiVersion:
    try:
        return FmiVersion(number)
    except ValueError as error:
        raise typer.BadParameter(
            f"{number} is not a version of the standard that is written: 2 or 3"
        ) from error


def _known_fmi(number: int) -> int:
    return _fmi(number).value


def _known_interfaces(text: str) -> str:
    _interfaces(text)
    return text


def _names(listed: str) -> tuple[str, ...]:
    """Names that commas part."""
    return tuple(name.strip() for name in listed.split(",") if name.strip())


ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model file (TOML).", show_default=False)
]
TreesOption = Annotated[
    str,
    typer.Option(
        "--trees",
        metavar="NAME",
        help="Trees, and so coordinates: measured (the cheapest found), variable or formulation (Léger's "
        "algorithms), ac (absolute), jc (joint), aac (absolute angular), or trees named in the file.",
    ),
]
ClosureOption = Annotated[
    Closure, typer.Option("--closure", help="How loop constraints are met at run time.")
]
IndependentOption = Annotated[
    str,
    typer.Option(
        "--independent",
        metavar="NAME,...",
        help="The independent coordinates, as many as there are degrees of freedom; default: the best found.",
        show_default=False,
    ),
]
SolverOption = Annotated[Solver, typer.Option("--solver", help="Integrator inside the FMU.")]
SolverStepOption = Annotated[
    float,
    typer.Option(
        "--step",
        metavar="SECONDS",
        min=0.0,
        callback=_finite,
        help="Step of the solver; 0 leaves it to the solver.",
    ),
]

PlatformsOption = Annotated[
    str,
    typer.Option(
        "--platforms",
        metavar="NAMES",
        callback=_platforms,
        help="Platforms to compile for, separated by commas: linux64, win64, darwin64, linux-aarch64, "
        "darwin-aarch64, host, all.",
    ),
]
FmiOption = Annotated[
    int, typer.Option("--fmi", metavar="2|3", callback=_known_fmi, help="Version of the FMI standard.")
]

ToleranceOption = Annotated[
    float,
    typer.Option(
        "--tolerance", callback=_positive, help="Largest deviation allowed, as a part of the signal's scale."
    ),
]
StopOption = Annotated[
    float | None,
    typer.Option("--stop", metavar="SECONDS", callback=_positive, help="Stop time; default as in the model."),
]

_DEFAULTS = ExportOptions(trees="measured")


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
def _check(model: ModelArgument, trees: TreesOption = "aac") -> None:
    """Validate and assemble a model; count its freedoms."""
    from fmugen.cli.check import check_model

    check_model(model, trees)


@app.command("graph")
def _graph(
    model: ModelArgument,
    trees: TreesOption = _DEFAULTS.trees,
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
    closure: ClosureOption = _DEFAULTS.closure,
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
        typer.Option("--seconds", metavar="SECONDS", callback=_positive, help="Time after which to stop."),
    ] = 60.0,
    processes: Annotated[
        int, typer.Option("--processes", metavar="NUMBER", min=1, help="Processes to measure with.")
    ] = 1,
) -> None:
    """Measure what trees cost, and say why the cheapest are what they are."""
    from fmugen.cli.trees import Wanted, show_trees

    show_trees(model, closure, Wanted(candidates, neighbours, rounds, seconds, processes))


@app.command("equations")
def _equations(
    model: ModelArgument,
    trees: TreesOption = _DEFAULTS.trees,
    form: Annotated[EquationFormat, typer.Option("--format", help="What to print.")] = EquationFormat.TEXT,
) -> None:
    """Print the symbolic equations of motion."""
    from fmugen.cli.equations import print_equations

    print_equations(model, trees, form)


@app.command("closure")
def _closure(
    model: ModelArgument,
    trees: TreesOption = _DEFAULTS.trees,
    closure: ClosureOption = _DEFAULTS.closure,
    independent: IndependentOption = "",
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg", metavar="FILE", callback=_drawing, help="Draw the flow (.svg).", show_default=False
        ),
    ] = None,
) -> None:
    """Show how the loops are closed, block by block."""
    from fmugen.cli.closure import show_closure

    show_closure(model, ExportOptions(trees, closure, independent=_names(independent)), svg)


@app.command("export")
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
    trees: TreesOption = _DEFAULTS.trees,
    closure: ClosureOption = _DEFAULTS.closure,
    solver: SolverOption = _DEFAULTS.solver,
    step: SolverStepOption = _DEFAULTS.step,
    independent: IndependentOption = "",
    fmi: FmiOption = 2,
    interfaces: Annotated[
        str,
        typer.Option(
            "--type",
            metavar="TYPES",
            callback=_known_interfaces,
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
            callback=_page,
            help="Also verify the FMU and write a page about it (.html).",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compile a model to an FMU."""
    from fmugen.cli.export import Extras, export_model

    options = ExportOptions(
        trees,
        closure,
        solver,
        step,
        _names(independent),
        platforms=_names(platforms),
        sources=sources,
        fmi=_fmi(fmi),
        interfaces=_interfaces(interfaces),
    )
    export_model(model, output, options, Extras(keep_sources, modelica, report), inverse=inverse)


@app.command("split")
def _split(
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
            help="How parts hold together; default as the file of the parts says, else exact.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of <model name>.ssp.")
    ] = Path(),
    trees: TreesOption = _DEFAULTS.trees,
    solver: SolverOption = _DEFAULTS.solver,
    step: SolverStepOption = _DEFAULTS.step,
    fmi: FmiOption = 2,
    platforms: PlatformsOption = "host",
) -> None:
    """Split a model into several FMUs, packed as SSP."""
    from fmugen.cli.split import Splitting, split_file

    options = ExportOptions(trees, solver=solver, step=step, platforms=_names(platforms), fmi=_fmi(fmi))
    split_file(model, Splitting(parts, method, output), options)


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
            callback=_positive,
            help="Communication step; default as in the model.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Value of a parameter; may be repeated."),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE|FILE.csv",
            help="Constant value of an input, or a CSV file with a column time; may be repeated.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="CSV file to write.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", callback=_page, help="Plot to write (.html)."),
    ] = None,
) -> None:
    """Run a model or an FMU with FMPy."""
    from fmugen.cli.simulate import Run, simulate_model

    simulate_model(model, Run(stop, step, tuple(settings or ()), tuple(inputs or ()), output, plot))


@app.command("verify")
def _verify(
    model: ModelArgument,
    fmu: Annotated[
        Path | None,
        typer.Option(
            "--fmu", metavar="FILE", help="Keep the FMU that is exported and judged.", show_default=False
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", callback=_page_or_drawing, help="Plot to write (.html or .svg)."
        ),
    ] = None,
    tolerance: ToleranceOption = 1e-6,
    stop: StopOption = None,
    trees: TreesOption = _DEFAULTS.trees,
    closure: ClosureOption = _DEFAULTS.closure,
    solver: SolverOption = _DEFAULTS.solver,
    step: SolverStepOption = _DEFAULTS.step,
    independent: IndependentOption = "",
) -> None:
    """Export a model and judge its FMU by a reference."""
    from fmugen.cli.verify import Judgement, verify_model

    options = ExportOptions(trees, closure, solver, step, _names(independent))
    verify_model(model, options, Judgement(tolerance, stop, fmu, plot))


@app.command("cross-check")
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
    trees: TreesOption = _DEFAULTS.trees,
    closure: ClosureOption = _DEFAULTS.closure,
    solver: SolverOption = _DEFAULTS.solver,
    step: SolverStepOption = _DEFAULTS.step,
    independent: IndependentOption = "",
) -> None:
    """Write an FMU with its reference in the layout of the FMI cross-check."""
    from fmugen.cli.cross_check import cross_check_model

    options = ExportOptions(trees, closure, solver, step, _names(independent))
    cross_check_model(model, output, options)


@app.command("study")
def _study(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study file (TOML).", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Folder of the results; default: the name of the study. What is in it is taken up.",
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
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, even if results are there.")] = False,
) -> None:
    """Run a model or an FMU many times with other parameters."""
    from fmugen.cli.study import Conditions, run_study

    run_study(study, Conditions(output, workers, scheduler, fresh))


@app.command("report")
def _report(
    model: ModelArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=_page,
            help="Page to write (.html); default <model name>.html.",
            show_default=False,
        ),
    ] = None,
    tolerance: ToleranceOption = 1e-6,
    stop: StopOption = None,
    trees: TreesOption = _DEFAULTS.trees,
    closure: ClosureOption = _DEFAULTS.closure,
    solver: SolverOption = _DEFAULTS.solver,
    step: SolverStepOption = _DEFAULTS.step,
    independent: IndependentOption = "",
) -> None:
    """Write a page about a model: drawings, equations, closure, verification, animation."""
    from fmugen.cli.report import Reporting, report_model

    options = ExportOptions(trees, closure, solver, step, _names(independent))
    report_model(model, Reporting(options, output, tolerance, stop))
