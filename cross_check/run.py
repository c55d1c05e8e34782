"""Export every example, run its FMU, judge it against the independent reference, and print a table.

    python cross_check/run.py [NAME ...]

The exit code is 3 if any example fails.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import export_fmu
from fmugen.verify.compare import verify_fmu

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def main(names: list[str]) -> int:
    chosen = names or sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
    failures = 0
    print("| example | largest deviation | closure residual | energy imbalance | seconds | verdict |")
    print("|---|---|---|---|---|---|")
    for name in chosen:
        model = read_model(EXAMPLES / name / "model.toml")
        begin = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            fmu = export_fmu(model, Path(folder) / f"{model.name}.fmu", ExportOptions()).path
            result = verify_fmu(model, fmu)
        seconds = time.process_time() - begin
        failures += not result.passed
        print(
            f"| {name} | {result.largest:.1e} | {np.max(result.closure):.1e} "
            f"| {result.energy.largest:.1e} | {seconds:.1f} | {'passed' if result.passed else 'FAILED'} |",
            flush=True,
        )
    return 3 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
