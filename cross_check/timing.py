"""Timing FMUs from C: compiles the driver once, and asks it for the time of a step."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zipfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.compile import host_platform
from fmugen.pipeline import Export, export_fmu

_HERE = Path(__file__).resolve().parent


@lru_cache(maxsize=1)
def _driver() -> Path:
    """The compiled driver."""
    compiler = next(path for name in ("cc", "gcc", "clang") if (path := shutil.which(name)))
    spec = find_spec("fmpy")
    if spec is None or spec.origin is None:
        raise SystemExit("FMPy is missing: its folder c-code has the FMI headers")
    include = Path(spec.origin).parent / "c-code"
    program = Path(tempfile.mkdtemp(prefix="fmugen-bench-")) / "driver"
    command = [compiler, "-O2", "-o", str(program), str(_HERE / "driver.c"), f"-I{include}", "-ldl"]
    subprocess.run(command, check=True, timeout=120)
    return program


def time_step(
    model: SystemModel, options: ExportOptions, step: float, count: int = 1000, repeats: int = 15
) -> tuple[float | None, Export]:
    """Nanoseconds of CPU time for a step of the FMU, ``None`` if it stops on the way, and the export."""
    with tempfile.TemporaryDirectory() as folder:
        export = export_fmu(model, Path(folder) / f"{model.name}.fmu", options)
        platform = host_platform()
        library = Path(folder) / "library.so"
        with zipfile.ZipFile(export.path) as archive:
            name = next(n for n in archive.namelist() if n.startswith(f"binaries/{platform}/"))
            library.write_bytes(archive.read(name))
        guid = export.generated.description.guid
        command = [str(_driver()), str(library), guid, repr(step), str(count), str(repeats)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return (float(result.stdout) if result.returncode == 0 else None), export
