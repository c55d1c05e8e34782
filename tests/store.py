"""FMUs of models, made once and shared by all tests of a run."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fmugen.cache import place_of
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation, Export, export_fmu

__all__ = ["exported"]


def exported(model: SystemModel, options: ExportOptions) -> Export:
    """The FMU of a model; its compilation computes what a test asks for.

    Workers share the folder. Two that ask at the same moment both make the FMU, and one replaces the other.
    """
    path = place_of("test-fmus", [repr(model), repr(options)], "") / f"{model.name}.fmu"
    if path.exists():
        return Export(Compilation(model, options), path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        made = export_fmu(model, Path(scratch) / path.name, options)
        made.path.replace(path)
    return made._replace(path=path)
