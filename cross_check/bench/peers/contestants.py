"""Who is timed: each makes a program for a mechanism, which then prints its times and where bodies end up."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import fmugen
from bench.peers.casadi_run import casadi_integration
from bench.peers.drake_run import drake_integration
from bench.peers.exudyn_run import exudyn_integration
from bench.peers.kane import kane_source
from bench.peers.lines import skeleton_lines
from bench.peers.mjcf import mjcf_file
from bench.peers.skeleton import Array, Skeleton
from bench.timing import closure_stopwatch, nanoseconds_of_steps, stopwatch, times_of_closures
from fmugen.formulas import parse
from fmugen.ir.flow import Closure
from fmugen.ir.model import Output, SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.ir.platform import host_platform
from fmugen.phases.compile import compile_library, find_compiler
from fmugen.pipeline import export_fmu
from fmugen.verify.simulate import simulate_fmu

__all__ = ["CONTESTANTS", "COUNT", "TOLERANCE", "Contestant", "Outcome", "Program", "Race", "UnfitError"]

_HERE = Path(__file__).resolve().parent
#: The parameter of our FMUs that sets the solver's step.
_STEP = "solver.step"
_TIME_LIMIT = 900
#: Times the motion is gone along for one reading, and the steps after which these are enough.
_ROUNDS, _FEWEST_ROUNDS, _MANY_STEPS = 20, 3, 2000
_MOST_COORDINATES = 21
#: Steps of a motion: as usual, and what is tried to find the longest step that is exact enough.
COUNT = 100
_COUNTS = (5, 10, 20, 50, COUNT, 200, 500, 1000, 2000, 5000, 10000)
#: The same of solvers that choose their steps: relative tolerances.
TOLERANCE = 1e-8
_TOLERANCES = tuple(10.0**-digits for digits in range(2, 13))


class UnfitError(Exception):
    """A contestant cannot take part: why not."""


@dataclass(frozen=True)
class Race:
    """A mechanism that falls from rest for ``stop`` seconds; files go to ``folder``."""

    model: SystemModel
    trees: str
    skeleton: Skeleton
    folder: Path
    stop: float


@dataclass(frozen=True)
class Outcome:
    """Nanoseconds of a right-hand side and of the motion, and the mass centres at its end, by body.

    Programs that integrate on their own tell no time of a side.
    """

    side: float | None
    motion: float
    centers: dict[str, Array]


#: What runs with a number of steps, or with a tolerance.
Program = Callable[[float], Outcome]


@dataclass(frozen=True)
class Contestant:
    """``prepare`` makes what is timed; ``version`` says what it is made with.

    ``efforts`` are what the program may be run with, the least exact first; ``usual`` is what all compare at.
    """

    name: str
    version: Callable[[], str]
    prepare: Callable[[Race], Program]
    efforts: tuple[float, ...] = _COUNTS
    usual: float = COUNT


def _rounds(count: float) -> int:
    return min(_ROUNDS, max(_FEWEST_ROUNDS, round(_MANY_STEPS / count)))


# --- fmugen --------------------------------------------------------------------------------------


def _prepare_own(race: Race) -> Program:
    step = race.stop / COUNT
    options = ExportOptions(race.trees, Closure.TRIANGULAR, Solver.RK4, step)
    model = replace(race.model, outputs=_center_outputs(race))
    export = export_fmu(model, race.folder / "own.fmu", options)
    description = export.compilation.description
    guid = description.guid
    library = race.folder / f"own{host_platform().library_suffix}"
    library.write_bytes(_library_in(export.path))
    probe = (_HERE.parent / "closure_probe.c").read_text(encoding="utf-8")
    probed = race.folder / f"probed{host_platform().library_suffix}"
    probed.write_bytes(compile_library(export.compilation.sources | {"closure_probe.c": probe}))
    sides, steps = closure_stopwatch(race.folder), stopwatch(race.folder)
    reference = next(v.value_reference for v in description.variables if v.name == _STEP)

    @functools.cache
    def centers(count: float) -> dict[str, Array]:
        return _own_centers(race, export.path, race.stop / count)

    def run(count: float) -> Outcome:
        side = None
        if count == COUNT:
            (times,) = times_of_closures(sides, [(probed, guid)], step, COUNT, _ROUNDS)
            side = times.motion
        setting = (reference, race.stop / count)
        (spent,) = nanoseconds_of_steps(
            steps, [(library, guid)], race.stop, _rounds(count), round(count), setting
        )
        if isinstance(spent, str):
            raise UnfitError(spent)
        return Outcome(side, spent, centers(count))

    return run


def _library_in(fmu: Path) -> bytes:
    suffix = host_platform().library_suffix
    with zipfile.ZipFile(fmu) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith(suffix)))


def _axes(race: Race) -> str:
    return "xy" if race.skeleton.planar else "xyz"


def _center_outputs(race: Race) -> tuple[Output, ...]:
    """Outputs that show the mass centres, which an FMU does not for bodies with another origin."""
    return tuple(
        Output(f"{body.name}_center_{axis}", parse(f"{body.center_node}.{axis}"), "m")
        for body in race.model.bodies
        for axis in _axes(race)
    )


def _own_centers(race: Race, fmu: Path, step: float) -> dict[str, Array]:
    names = {body.name: [f"{body.name}_center_{axis}" for axis in _axes(race)] for body in race.model.bodies}
    outputs = [name for group in names.values() for name in group]
    run = simulate_fmu(fmu, stop=race.stop, step=race.stop, outputs=outputs, parameters={_STEP: step})
    ends = {body: [run.values[name][-1] for name in group] for body, group in names.items()}
    return {body: np.array([*end, *[0.0] * (3 - len(end))]) for body, end in ends.items()}


# --- programs that print -------------------------------------------------------------------------


def _printing(race: Race, *command: str | Path) -> Program:
    """A program that is told the step, how many there are, and rounds."""

    def run(count: float) -> Outcome:
        words = (repr(race.stop / count), str(round(count)), str(_rounds(count)))
        side, step, centers = _times(_said([*command, *words]))
        return Outcome(side, step * count, centers)

    return run


def _said(command: Sequence[str | Path]) -> str:
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise UnfitError(f"no end within {_TIME_LIMIT} s") from error
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise UnfitError((errors or done.stderr.splitlines() or [f"exit {done.returncode}"])[0][:200])
    return done.stdout


def _times(text: str) -> tuple[float, float, dict[str, Array]]:
    """Nanoseconds of a right-hand side and of a step, and mass centres."""
    times, *bodies = text.splitlines()
    side, step = map(float, times.split())
    places = (line.split() for line in bodies)
    return side, step, {name: np.array(place, dtype=np.float64) for name, *place in places}


def _compiler() -> list[str]:
    return list(find_compiler(host_platform()).command)


def _prepare_kane(race: Race) -> Program:
    _require_small(race)
    equations, program = race.folder / "kane.h", race.folder / "time_kane"
    equations.write_text(kane_source(race.skeleton), encoding="utf-8")
    source = _HERE / "time_kane.c"
    _said([*_compiler(), "-O2", f"-I{_HERE}", f'-DKANE="{equations}"', source, "-o", program, "-lm"])
    return _printing(race, program)


def _prepare_mujoco(race: Race) -> Program:
    package = _package("mujoco")
    libraries = sorted(package.glob("libmujoco.so.*"))
    if not libraries:
        raise UnfitError("no libmujoco")
    file, program = race.folder / "mechanism.xml", race.folder / "time_mujoco"
    file.write_text(mjcf_file(race.skeleton), encoding="utf-8")
    flags = ["-O2", f"-I{_HERE}", f"-I{package / 'include'}", f"-Wl,-rpath,{package}"]
    _said([*_compiler(), *flags, _HERE / "time_mujoco.c", libraries[0], "-o", program])
    return _printing(race, program, file)


#: What Pinocchio's own build files define for its users.
_PINOCCHIO = (
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
    "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",
)


def _prepare_pinocchio(race: Race) -> Program:
    prefix = next((p for path in sys.path if (p := Path(path) / "cmeel.prefix").is_dir()), None)
    if prefix is None or not (prefix / "include" / "pinocchio").is_dir():
        raise UnfitError("no pin")
    file, program = race.folder / "mechanism.txt", race.folder.parent / "time_pinocchio"
    file.write_text(skeleton_lines(race.skeleton), encoding="utf-8")
    if not program.is_file():
        include = [f"-I{prefix / 'include'}", f"-I{prefix / 'include' / 'eigen3'}", f"-I{_HERE}"]
        link = [f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"]
        source = _HERE / "time_pinocchio.cpp"
        _said(["g++", "-std=c++17", "-O2", "-w", *_PINOCCHIO, *include, source, "-o", program, *link])
    return _printing(race, program, file)


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise UnfitError(f"no {name}")
    return Path(found.origin).parent


def _own_version() -> str:
    return f"fmugen {fmugen.__version__}"


def _version(package: str) -> Callable[[], str]:
    def version() -> str:
        try:
            return f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            return f"{package} not installed"

    return version


# --- libraries that integrate in this process -----------------------------------------------------


def _integrating(race: Race, integrate: Callable[[float], tuple[float, Array]]) -> Program:
    def run(effort: float) -> Outcome:
        rounds = _rounds(effort) if effort > 1 else _ROUNDS
        try:
            spent, places = min((integrate(effort) for _ in range(rounds)), key=lambda result: result[0])
        except (RuntimeError, ValueError) as error:
            raise UnfitError(str(error).strip().splitlines()[0][:200]) from error
        names = (bone.name for bone in race.skeleton.bones)
        return Outcome(None, 1e9 * spent, dict(zip(names, places, strict=True)))

    return run


def _prepare_casadi(solver: str) -> Callable[[Race], Program]:
    def prepare(race: Race) -> Program:
        _require_small(race)
        _package("casadi")
        return _integrating(race, casadi_integration(race.skeleton, solver, race.stop))

    return prepare


def _prepare_drake(race: Race) -> Program:
    _package("pydrake")
    integrate = drake_integration(race.skeleton, race.stop)
    return _integrating(race, lambda count: integrate(round(count)))


def _prepare_exudyn(race: Race) -> Program:
    _package("exudyn")
    integrate = exudyn_integration(race.skeleton, race.stop)
    return _integrating(race, lambda count: integrate(round(count)))


def _require_small(race: Race) -> None:
    """Symbolic derivations are for the plane, and take minutes beyond some coordinates."""
    if not race.skeleton.planar:
        raise UnfitError("derived for the plane only")
    if len(race.skeleton.tree) > _MOST_COORDINATES:
        raise UnfitError(f"more than {_MOST_COORDINATES} coordinates")


#: The first is the measure of the others.
CONTESTANTS = (
    Contestant("fmugen", _own_version, _prepare_own),
    Contestant("sympy Kane + CSE + KKT", _version("sympy"), _prepare_kane),
    Contestant("MuJoCo", _version("mujoco"), _prepare_mujoco),
    Contestant("Pinocchio", _version("pin"), _prepare_pinocchio),
    Contestant("Drake", _version("drake"), _prepare_drake),
    Contestant("Exudyn", _version("exudyn"), _prepare_exudyn),
    Contestant("CasADi CVODES", _version("casadi"), _prepare_casadi("cvodes"), _TOLERANCES, TOLERANCE),
    Contestant("CasADi IDAS", _version("casadi"), _prepare_casadi("idas"), _TOLERANCES, TOLERANCE),
)
