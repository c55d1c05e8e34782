"""A row of the table: an example, exported, in every importer."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from importers import IMPORTERS
from native import AARCH64, WINE
from subjects import Result, Subject

from fmugen.errors import FmugenError
from fmugen.ir.options import ExportOptions, FmiVersion
from fmugen.ir.platform import host_platform
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import verify_fmu

__all__ = ["EXAMPLES", "make_subject", "row"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: The tolerance of the solver inside the FMUs, so that figures show what importers do.
TOLERANCE = 1e-12


def row(name: str, steps: int, companion: Subject) -> list[str]:
    """The cells of an example: its name, a result an importer, and the seconds it took."""
    begin = perf_counter()
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        try:
            subject = replace(make_subject(name, Path(folder), steps), companion=companion)
        except FmugenError as error:
            results = [Result.failure(str(error))] * len(IMPORTERS)
        else:
            results = [importer.judge(subject, Path(folder)) for importer in IMPORTERS]
    return [name, *map(str, results), f"{perf_counter() - begin:.0f}"]


def make_subject(name: str, folder: Path, steps: int) -> Subject:
    """An example, exported for all that importers want, and the reference of its first steps."""
    model = read_model(EXAMPLES / name / "model.toml")
    experiment = model.experiment
    stop = min(experiment.stop, steps * experiment.step)
    model = replace(model, experiment=replace(experiment, stop=stop, tolerance=TOLERANCE))
    emulated = {each.platform.name for each in (WINE, AARCH64) if each.missing() is None}
    platforms = tuple(sorted({host_platform().name, *emulated}))
    fmus = {
        version.value: export_fmu(
            model,
            folder / f"{model.name}{version.value}.fmu",
            ExportOptions(
                trees="aac", fmi=version, platforms=platforms if version is FmiVersion.TWO else ("host",)
            ),
        ).path
        for version in FmiVersion
    }
    return Subject(name, model, fmus, verify_fmu(model, fmus[2]).outputs)
