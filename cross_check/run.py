"""Run the examples in every importer against their references, and published solutions, and write tables.

    python cross_check/run.py [NAME ...] [--output FILE]

References are those of the folders beside this file (references.py writes them). A row is an importer, a
model and a type of FMU; its figure is the largest error of any signal as a multiple of the tolerance of that
signal, so that up to 1 passes. Importers that this machine does not have are named below the table. The exit
code is 3 if anything failed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
from published import published_solutions

from fmugen.errors import FmugenError, SimulationError
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import TIGHT
from fmugen.verify.crosscheck import CrossCheck, read_cross_check

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
DRIVERS = HERE / "importers" / "drivers.py"
#: Seconds after which an importer counts as hanging.
TIME_LIMIT = 300
FAILED = "FAILED"


@dataclass(frozen=True)
class Importer:
    """A program that runs FMUs of a type; ``driver`` is its name in importers/drivers.py."""

    title: str
    driver: str
    package: str
    fmi: FmiVersion
    interface: str

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
    Importer("ecos", "ecos", "ecospy", FmiVersion.TWO, "CoSimulation"),
    Importer("libcosim", "libcosim", "libcosimpy", FmiVersion.TWO, "CoSimulation"),
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cross_check/run.py")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="examples; by default all, and published ones"
    )
    parser.add_argument("--output", type=Path, help="file to write the tables to, too")
    options = parser.parse_args(arguments)
    lines = []
    for line in tables(options.names):
        print(line, flush=True)
        lines.append(line)
    if options.output is not None:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 3 if any(FAILED in line for line in lines) else 0


def tables(names: list[str]) -> Iterator[str]:
    """All lines: published solutions unless examples are named, then importers."""
    if not names:
        yield from published_table()
        yield ""
    yield "| model | importer | type | error over tolerance | seconds | verdict |"
    yield "|---|---|---|---:|---:|---|"
    examples = sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
    with_reference = [name for name in examples if list((HERE / name).glob("*_ref.csv"))]
    for name in names or with_reference:
        with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
            yield from rows(name, Path(folder))
    absent = dict.fromkeys(importer.title for importer in IMPORTERS if not importer.present)
    if absent:
        yield ""
        yield f"Not on this machine: {', '.join(absent)}."


def published_table() -> Iterator[str]:
    yield "| published solution | source | values | tolerance | error over tolerance | verdict |"
    yield "|---|---|---:|---|---:|---|"
    for solution in published_solutions():
        begin = f"| {solution.title} | {solution.source} | {solution.count} | {solution.reason} |"
        with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
            try:
                yield f"{begin} {figure(solution.error(Path(folder)))} |"
            except FmugenError as error:
                yield f"{begin} | {FAILED}: {one_line(str(error))} |"


def rows(name: str, folder: Path) -> Iterator[str]:
    """What every importer makes of an example."""
    try:
        check = read_cross_check(HERE / name)
        fmus = {version: exported(name, folder, version) for version in FmiVersion}
    except FmugenError as error:
        yield f"| {name} | | | | | {FAILED}: {one_line(str(error))} |"
        return
    for number, importer in enumerate(IMPORTERS):
        if not importer.present:
            continue
        begin = f"| {name} | {importer.title} | {importer.type} |"
        start = perf_counter()
        try:
            values = driven(importer, fmus[importer.fmi], check, folder / str(number))
        except SimulationError as error:
            yield f"{begin} | | {FAILED}: {one_line(str(error))} |"
            continue
        seconds = f"{perf_counter() - start:.1f}"
        error_figure, verdict = figure(check.error(values)).split(" | ")
        yield f"{begin} {error_figure} | {seconds} | {verdict} |"


def figure(error: float) -> str:
    """Two cells: an error over its tolerance, and the verdict."""
    return f"{error:.1e} | {'passed' if error <= 1.0 else FAILED}"


def exported(name: str, folder: Path, version: FmiVersion) -> Path:
    """The FMU of an example, with a solver as exact as the reference's folder says."""
    model = read_model(EXAMPLES / name / "model.toml")
    experiment = replace(model.experiment, tolerance=TIGHT["solver.relative_tolerance"])
    destination = folder / f"{model.name}{version.value}.fmu"
    return export_fmu(replace(model, experiment=experiment), destination, ExportOptions(fmi=version)).path


def driven(importer: Importer, fmu: Path, check: CrossCheck, folder: Path) -> np.ndarray:
    """The signals an importer gives, a row a sample time; it runs in a process that can be ended."""
    folder.mkdir()
    request = {
        "fmu": str(fmu),
        "interface": importer.interface,
        "stop": check.stop,
        "step": check.step,
        "outputs": [signal.name for signal in check.signals],
    }
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    command = [sys.executable, "-P", str(DRIVERS), importer.driver, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise SimulationError(f"no end within {TIME_LIMIT} s") from error
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise SimulationError(f"exit {done.returncode}: {words[-1] if words else 'nothing said'}")
    values: np.ndarray = np.load(folder / "values.npy")
    if len(values) != len(check.times):
        raise SimulationError(f"{len(values)} rows instead of {len(check.times)}")
    return values


def one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")[:160]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
