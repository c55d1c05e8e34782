"""Run the examples in every importer against their references, and published solutions, and write tables.

    python cross_check/run.py [NAME ...] [--jobs N] [--output FILE]

The references are the folders of ``references/``, which references.py writes. A row is an importer, a
model and a type of FMU; its figure is the largest error of any signal as a multiple of the tolerance of that
signal, so that up to 1 passes. CasADi gives the Jacobian of an FMU for model exchange in place of a motion;
its figure is the deviation from central differences over what is allowed. Importers that this machine does
not have are named below the table. The exit code is 3 if anything failed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
from pages import write_page
from published import published_solutions

sys.path.insert(1, str(Path(__file__).resolve().parent / "importers"))
from drivers import Request
from importers import DERIVATIVE_TOLERANCE
from subjects import ImporterError, NothingToRunError, run_driver

from fmugen.errors import FmugenError
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import TIGHT
from fmugen.verify.crosscheck import CrossCheck, read_cross_check

HERE = Path(__file__).resolve().parent
REFERENCES = HERE / "references"
EXAMPLES = HERE.parent / "examples"
FAILED = "FAILED"


def _motion(check: CrossCheck, values: np.ndarray) -> float:
    """The error at the times of the reference, between which there may be equally many others."""
    stride, rest = divmod(len(values) - 1, len(check.times) - 1)
    if stride < 1 or rest:
        raise ImporterError(f"{len(values)} rows instead of {len(check.times)}")
    return check.error(values[::stride])


def _jacobian(check: CrossCheck, values: np.ndarray) -> float:
    if np.isnan(values[0, 0]):
        raise NothingToRunError("no states")
    return float(values[0, 0]) / DERIVATIVE_TOLERANCE


@dataclass(frozen=True)
class Importer:
    """A program that runs FMUs of a type; ``driver`` is its name in importers/drivers.py.

    ``error`` makes a multiple of what is allowed of what it gives.
    """

    title: str
    driver: str
    package: str
    fmi: FmiVersion
    interface: str
    error: Callable[[CrossCheck, np.ndarray], float] = _motion

    @property
    def present(self) -> bool:
        return importlib.util.find_spec(self.package) is not None

    @property
    def type(self) -> str:
        short = "CS" if self.interface == "CoSimulation" else "ME"
        return f"FMI {self.fmi.value} {short}"


IMPORTERS = (
    Importer("FMPy", "fmpy", "fmpy", FmiVersion.TWO, "CoSimulation"),
    Importer("FMPy", "fmpy", "fmpy", FmiVersion.TWO, "ModelExchange"),
    Importer("FMPy", "fmpy", "fmpy", FmiVersion.THREE, "CoSimulation"),
    Importer("FMPy", "fmpy", "fmpy", FmiVersion.THREE, "ModelExchange"),
    Importer("CasADi Jacobian", "casadi", "casadi", FmiVersion.TWO, "ModelExchange", _jacobian),
    Importer("CasADi Jacobian", "casadi", "casadi", FmiVersion.THREE, "ModelExchange", _jacobian),
    Importer("ecos", "ecos", "ecospy", FmiVersion.TWO, "CoSimulation"),
    Importer("libcosim", "libcosim", "libcosimpy", FmiVersion.TWO, "CoSimulation"),
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cross_check/run.py")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="examples; by default all, and published ones"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="examples run at a time")
    parser.add_argument("--output", type=Path, help="file to write the tables to, too")
    options = parser.parse_args(arguments)
    lines = []
    for line in tables(options.names, options.jobs):
        print(line, flush=True)
        lines.append(line)
    if options.output is not None:
        write_page(options.output, "\n".join(lines) + "\n")
    return 3 if any(FAILED in line for line in lines) else 0


def tables(names: list[str], jobs: int) -> Iterator[str]:
    """All lines: published solutions unless examples are named, then importers."""
    examples = sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
    with ProcessPoolExecutor(jobs) as pool:
        if not names:
            yield "| published solution | source | values | tolerance | error over tolerance | verdict |"
            yield "|---|---|---:|---|---:|---|"
            yield from pool.map(published_row, range(len(list(published_solutions()))))
            yield ""
        yield "| model | importer | type | error over tolerance | seconds | verdict |"
        yield "|---|---|---|---:|---:|---|"
        for lines in pool.map(example_rows, names or examples):
            yield from lines
    absent = dict.fromkeys(importer.title for importer in IMPORTERS if not importer.present)
    if absent:
        yield ""
        yield f"Not on this machine: {', '.join(absent)}."


def published_row(number: int) -> str:
    solution = list(published_solutions())[number]
    begin = f"| {solution.title} | {solution.source} | {solution.count} | {solution.reason} |"
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        try:
            return f"{begin} {figure(solution.error(Path(folder)))} |"
        except FmugenError as error:
            return f"{begin} | {FAILED}: {one_line(str(error))} |"


def example_rows(name: str) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        return list(rows(name, Path(folder)))


def rows(name: str, folder: Path) -> Iterator[str]:
    """What every importer makes of an example."""
    try:
        check = read_cross_check(REFERENCES / name)
        fmus = {version: exported(name, folder, version) for version in FmiVersion}
    except FmugenError as error:
        yield f"| {name} | | | | | {FAILED}: {one_line(str(error))} |"
        return
    for importer in IMPORTERS:
        if not importer.present:
            continue
        begin = f"| {name} | {importer.title} | {importer.type} |"
        outputs = [signal.name for signal in check.signals]
        fmu = str(fmus[importer.fmi])
        step = check.step if importer.interface == "CoSimulation" else communication_step(name, check)
        request = Request(fmu, importer.interface, check.stop, step, outputs, tolerance=check.tolerance)
        start = perf_counter()
        try:
            cells = figure(importer.error(check, run_driver(importer.driver, request, folder)))
        except ImporterError as error:
            yield f"{begin} | | {FAILED}: {one_line(str(error))} |"
            continue
        except NothingToRunError as reason:
            yield f"{begin} | | not run: {reason} |"
            continue
        error_figure, verdict = cells.split(" | ")
        yield f"{begin} {error_figure} | {perf_counter() - start:.1f} | {verdict} |"


def communication_step(name: str, check: CrossCheck) -> float:
    """The step of the example's experiment, where those of the reference are multiples of it.

    In model exchange FMPy tells an FMU that a step is complete at communication points alone. What follows a
    mechanism through a singular position is decided there, so that long steps may end in it.
    """
    own = read_model(EXAMPLES / name / "model.toml").experiment.step
    stride = round(check.step / own)
    return check.step / stride if stride and abs(stride * own - check.step) < 1e-6 * own else check.step


def figure(error: float) -> str:
    """Two cells: an error over its tolerance, and the verdict."""
    return f"{error:.1e} | {'passed' if error <= 1.0 else FAILED}"


def exported(name: str, folder: Path, version: FmiVersion) -> Path:
    """The FMU of an example, with a solver as exact as the reference's folder says."""
    model = read_model(EXAMPLES / name / "model.toml")
    experiment = replace(model.experiment, tolerance=TIGHT["solver.relative_tolerance"])
    destination = folder / f"{model.name}{version.value}.fmu"
    return export_fmu(
        replace(model, experiment=experiment), destination, ExportOptions("aac", fmi=version)
    ).path


def one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")[:160]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
