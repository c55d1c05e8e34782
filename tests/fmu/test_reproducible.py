"""Two exports of one model are the same bytes, wherever the program lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def exported(checkout: Path, seed: str, fmi: str) -> bytes:
    for folder in ("fmugen", "templates"):
        shutil.copytree(ROOT / folder, checkout / folder, ignore=shutil.ignore_patterns("__pycache__"))
    model = shutil.copy(ROOT / "examples" / "slider_crank" / "model.toml", checkout)
    environment = {
        **os.environ,
        "PYTHONPATH": str(checkout),
        "PYTHONHASHSEED": seed,
        "FMUGEN_CACHE": str(checkout / "cache"),
    }
    command = [sys.executable, "-m", "fmugen", "export", model, "-o", "x.fmu", "--sources", "--fmi", fmi]
    command += ["--trees", "aac"]
    subprocess.run(command, cwd=checkout, env=environment, check=True, capture_output=True, timeout=240)
    return (checkout / "x.fmu").read_bytes()


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_two_checkouts_export_the_same_bytes(fmi: str, tmp_path: Path) -> None:
    first = exported(tmp_path / "here", "1", fmi)
    assert first == exported(tmp_path / "elsewhere" / "deeper", "2", fmi)
