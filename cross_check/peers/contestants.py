"""Who is timed: each makes a program for a mechanism, which then prints its times and where bodies end up."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from timing import closure_stopwatch, nanoseconds_of_step, stopwatch, times_of_closures

import fmugen
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.ir.platform import host_platform
from fmugen.phases.compile import compile_library, find_compiler
from fmugen.pipeline import export_fmu
from fmugen.verify.simulate import simulate_fmu
from peers.casadi_run import casadi_integration
from peers.kane import kane_source
from peers.lines import skeleton_lines
from peers.mjcf import mjcf_file
from peers.skeleton import Array, Skeleton

__all__ = ["CONTESTANTS", "Contestant", "Outcome", "Race", "UnfitError"]

_HERE = Path(__file__).resolve().parent
_TIME_LIMIT = 900
#: Times the motion is gone along for one reading.
_ROUNDS = 20
_MOST_COORDINATES = 21


class UnfitError(Exception):
    """A contestant cannot take part: why not."""


@dataclass(frozen=True)
class Race:
    """A mechanism that falls from rest for ``count`` steps of ``step`` seconds; files go to ``folder``."""

    model: SystemModel
    trees: str
    skeleton: Skeleton
    folder: Path
    step: float
    count: int

    @property
    def stop(self) -> float:
        return self.step * self.count


@dataclass(frozen=True)
class Outcome:
    """Nanoseconds of a right-hand side and of a step, and the mass centres at the end, by body.

    Integrators that choose their steps have the time of the whole motion over its steps, and no side.
    """

    side: float | None
    step: float
    centers: dict[str, Array]


Program = Callable[[], Outcome]


@dataclass(frozen=True)
class Contestant:
    """``prepare`` makes what is timed; ``version`` says what it is made with."""

    name: str
    version: Callable[[], str]
    prepare: Callable[[Race], Program]


# --- fmugen --------------------------------------------------------------------------------------


def _prepare_own(race: Race) -> Program:
    options = ExportOptions(race.trees, Closure.TRIANGULAR, Solver.RK4, race.step)
    export = export_fmu(race.model, race.folder / "own.fmu", options)
    guid = export.generated.description.guid
    library = race.folder / f"own{host_platform().library_suffix}"
    library.write_bytes(_library_in(export.path))
    probe = (_HERE.parent / "closure_probe.c").read_text(encoding="utf-8")
    probed = race.folder / f"probed{host_platform().library_suffix}"
    probed.write_bytes(compile_library(export.generated.sources | {"closure_probe.c": probe}))
    sides, steps = closure_stopwatch(race.folder), stopwatch(race.folder)
    centers = _own_centers(race, export.path)

    def run() -> Outcome:
        (times,) = times_of_closures(sides, [(probed, guid)], race.step, race.count, _ROUNDS)
        spent = nanoseconds_of_step(steps, library, guid, race.stop, _ROUNDS)
        if isinstance(spent, str):
            raise UnfitError(spent)
        return Outcome(times.motion, spent / race.count, centers)

    return run


def _library_in(fmu: Path) -> bytes:
    suffix = host_platform().library_suffix
    with zipfile.ZipFile(fmu) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith(suffix)))


def _own_centers(race: Race, fmu: Path) -> dict[str, Array]:
    axes = "xy" if race.skeleton.planar else "xyz"
    names = {body.name: [f"{body.center_node}.{axis}" for axis in axes] for body in race.model.bodies}
    outputs = [name for group in names.values() for name in group]
    run = simulate_fmu(fmu, stop=race.stop, step=race.stop, outputs=outputs)
    ends = {body: [run.values[name][-1] for name in group] for body, group in names.items()}
    return {body: np.array([*end, *[0.0] * (3 - len(end))]) for body, end in ends.items()}


# --- programs that print -------------------------------------------------------------------------


def _printing(command: Sequence[str | Path]) -> Program:
    return lambda: _outcome(_said(command))


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


def _outcome(text: str) -> Outcome:
    times, *bodies = text.splitlines()
    side, step = map(float, times.split())
    places = (line.split() for line in bodies)
    return Outcome(side, step, {name: np.array(place, dtype=np.float64) for name, *place in places})


def _compiler() -> list[str]:
    return list(find_compiler(host_platform()).command)


def _prepare_kane(race: Race) -> Program:
    _require_small(race)
    equations, program = race.folder / "kane.h", race.folder / "time_kane"
    equations.write_text(kane_source(race.skeleton), encoding="utf-8")
    source = _HERE / "time_kane.c"
    _said([*_compiler(), "-O2", f"-I{_HERE}", f'-DKANE="{equations}"', source, "-o", program, "-lm"])
    return _printing([program, repr(race.step), str(race.count), str(_ROUNDS)])


def _prepare_mujoco(race: Race) -> Program:
    package = _package("mujoco")
    libraries = sorted(package.glob("libmujoco.so.*"))
    if not libraries:
        raise UnfitError("no libmujoco")
    file, program = race.folder / "mechanism.xml", race.folder / "time_mujoco"
    file.write_text(mjcf_file(race.skeleton, race.step), encoding="utf-8")
    flags = ["-O2", f"-I{_HERE}", f"-I{package / 'include'}", f"-Wl,-rpath,{package}"]
    _said([*_compiler(), *flags, _HERE / "time_mujoco.c", libraries[0], "-o", program])
    return _printing([program, file, str(race.count), str(_ROUNDS)])


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
    return _printing([program, file, repr(race.step), str(race.count), str(_ROUNDS)])


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


def _prepare_casadi(solver: str) -> Callable[[Race], Program]:
    def prepare(race: Race) -> Program:
        _require_small(race)
        _package("casadi")
        integrate = casadi_integration(race.skeleton, solver, race.stop)

        def run() -> Outcome:
            spent, places = min((integrate() for _ in range(_ROUNDS)), key=lambda result: result[0])
            names = (bone.name for bone in race.skeleton.bones)
            centers = {name: np.array([*place, 0.0]) for name, place in zip(names, places, strict=True)}
            return Outcome(None, 1e9 * spent / race.count, centers)

        return run

    return prepare


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
    Contestant("CasADi CVODES", _version("casadi"), _prepare_casadi("cvodes")),
    Contestant("CasADi IDAS", _version("casadi"), _prepare_casadi("idas")),
)
