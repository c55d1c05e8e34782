"""Arguments that commands share, and the checks of their values."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from fmugen.ir.flow import Closure
from fmugen.ir.options import FmiVersion, InterfaceType, Solver
from fmugen.ir.platform import choose_platforms

__all__ = [
    "ClosureOption",
    "FmiOption",
    "IndependentOption",
    "InputsOption",
    "IterationsOption",
    "JudgedArgument",
    "ModeOption",
    "ModelArgument",
    "ModelOfFmuOption",
    "NeverIterateOption",
    "PlatformsOption",
    "ReferenceSecondsOption",
    "SolverOption",
    "SolverStepOption",
    "StopOption",
    "ToleranceOption",
    "TreesOption",
    "drawing",
    "finite",
    "fmi_version",
    "interfaces_of",
    "known_interfaces",
    "names_in",
    "page",
    "page_or_drawing",
    "positive",
]


def finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


def positive(value: float | None) -> float | None:
    if finite(value) is not None and value is not None and value <= 0:
        raise typer.BadParameter(f"{value} is not positive")
    return value


def page(path: Path | None) -> Path | None:
    return _ending(path, ".html")


def drawing(path: Path | None) -> Path | None:
    return _ending(path, ".svg")


def page_or_drawing(path: Path | None) -> Path | None:
    return _ending(path, ".html", ".svg")


def _ending(path: Path | None, *endings: str) -> Path | None:
    if path is not None and path.suffix.lower() not in endings:
        raise typer.BadParameter(f"{path} does not end in {' or '.join(endings)}")
    return path


def known_platforms(text: str) -> str:
    try:
        choose_platforms(names_in(text))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return text


def interfaces_of(text: str) -> tuple[InterfaceType, ...]:
    known = {interface.value: interface for interface in InterfaceType}
    names = names_in(text)
    strange = [name for name in names if name not in known]
    if strange or not names:
        raise typer.BadParameter(f"{text!r} is not a list of interface types: cs, me or cs,me")
    return tuple(interface for interface in InterfaceType if interface.value in names)


def fmi_version(number: int) -> FmiVersion:
    try:
        return FmiVersion(number)
    except ValueError as error:
        raise typer.BadParameter(f"{number} is not a supported version of the standard: 2 or 3") from error


def known_fmi(number: int) -> int:
    return fmi_version(number).value


def known_interfaces(text: str) -> str:
    interfaces_of(text)
    return text


def names_in(listed: str) -> tuple[str, ...]:
    """Comma-separated names."""
    return tuple(name.strip() for name in listed.split(",") if name.strip())


ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model file (TOML).", show_default=False)
]
JudgedArgument = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL|FMU", help="Model file (TOML), or an FMU with --model.", show_default=False
    ),
]
ModelOfFmuOption = Annotated[
    Path | None,
    typer.Option("--model", metavar="MODEL", help="Model file of the FMU to judge.", show_default=False),
]
ReferenceSecondsOption = Annotated[
    float,
    typer.Option("--seconds", metavar="SECONDS", callback=positive, help="Time that the reference may take."),
]
ExactBeamsOption = Annotated[
    bool,
    typer.Option("--exact-beams", help="Also compare outputs with geometrically exact beams."),
]
TreesOption = Annotated[
    str,
    typer.Option(
        "--trees",
        metavar="NAME",
        help="Trees, and so coordinates: cheapest (by a short search), thorough (by a long search), variable "
        "or formulation (Léger's algorithms), ac (absolute), jc (joint), aac (absolute angular), or trees "
        "named in the file.",
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
IterationsOption = Annotated[
    int | None,
    typer.Option(
        "--iterations",
        metavar="NUMBER",
        min=1,
        help="Newton steps over each iterated block, exactly so many; default: as many as rounding needs.",
        show_default=False,
    ),
]
NeverIterateOption = Annotated[
    bool,
    typer.Option(
        "--never-iterate", help="Refuse a model that needs iteration; the FMU stops where a guard fails."
    ),
]
ModeOption = Annotated[
    int | None,
    typer.Option(
        "--mode",
        metavar="NUMBER",
        min=1,
        help="Start in this assembly mode, as fmugen modes numbers them; default: nearest to the guesses.",
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
        callback=finite,
        help="Step of the solver; 0 leaves it to the solver.",
    ),
]

ToleranceOption = Annotated[
    float,
    typer.Option(
        "--tolerance", callback=positive, help="Largest deviation allowed, as a part of the signal's scale."
    ),
]
StopOption = Annotated[
    float | None,
    typer.Option("--stop", metavar="SECONDS", callback=positive, help="Stop time; default as in the model."),
]
InputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=VALUE|FILE.csv",
        help="Constant value of an input, or a CSV file with a column time; may be repeated.",
        show_default=False,
    ),
]
PlatformsOption = Annotated[
    str,
    typer.Option(
        "--platforms",
        metavar="NAMES",
        callback=known_platforms,
        help="Platforms to compile for, separated by commas: linux64, win64, darwin64, linux-aarch64, "
        "darwin-aarch64, host, all.",
    ),
]
FmiOption = Annotated[
    int, typer.Option("--fmi", metavar="2|3", callback=known_fmi, help="Version of the FMI standard.")
]
