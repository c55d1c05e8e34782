"""Run every example in every importer, compare with the reference, and write a table.

    python cross_check/importers [NAME ...] [--output FILE]

A figure is the largest deviation of any output from the reference, as a part of the signal's scale; angles
are compared up to whole turns. Of CasADi it is that of its Jacobian from central differences, of other
platforms that of the first steps from those of this one. ``not run`` says what is missing on this machine.
The exit code is 3 if anything failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from importers import IMPORTERS
from subjects import FAILED, Result, Subject
from together import PARTNERS

from fmugen.errors import FmugenError
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.ir.platform import PLATFORMS, host_platform
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import verify_fmu

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: The tolerance of the solver inside the FMUs, so that figures show what importers do.
TOLERANCE = 1e-12


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cross_check/importers")
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; all by default")
    parser.add_argument("--output", type=Path, help="file to write the tables to, too")
    options = parser.parse_args(arguments)
    names = options.names or sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
    lines = []
    for line in _tables(names):
        print(line, flush=True)
        lines.append(line)
    if options.output is not None:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 3 if any(FAILED in line for line in lines) else 0


def _tables(names: list[str]) -> Iterator[str]:
    yield f"| example | {' | '.join(importer.title for importer in IMPORTERS)} |"
    yield "|---" * (len(IMPORTERS) + 1) + "|"
    for name in names:
        with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
            try:
                subject = make_subject(name, Path(folder))
            except FmugenError as error:
                yield f"| {name} | {Result.failure(str(error))} |"
                continue
            results = [importer.judge(subject, Path(folder)) for importer in IMPORTERS]
        yield f"| {name} | {' | '.join(str(result) for result in results)} |"
    yield ""
    yield "| together | |"
    yield "|---|---|"
    for partner in PARTNERS:
        with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
            subjects = [make_subject(name, Path(folder)) for name in partner.examples]
            yield f"| {partner.title} | {partner.judge(subjects, Path(folder))} |"


def make_subject(name: str, folder: Path) -> Subject:
    """An example, exported for all that importers want, and its reference solution."""
    model = read_model(EXAMPLES / name / "model.toml")
    model = replace(model, experiment=replace(model.experiment, tolerance=TOLERANCE))
    wanted = {host_platform().name, "win64", "linux-aarch64"} & set(PLATFORMS)
    fmus = {
        version.value: export_fmu(
            model,
            folder / f"{model.name}{version.value}.fmu",
            ExportOptions(
                fmi=version, platforms=tuple(sorted(wanted)) if version is FmiVersion.TWO else ("host",)
            ),
        ).path
        for version in FmiVersion
    }
    verification = verify_fmu(model, fmus[2])
    return Subject(name, model, fmus, verification.outputs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
