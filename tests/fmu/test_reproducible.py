"""Two exports of one model are the same bytes, wherever the program lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fmugen.ir.options import ExportOptions
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation

ROOT = Path(__file__).parents[2]


def check_out(checkout: Path) -> Path:
    """The program in a folder of its own, with the slider-crank beside it."""
    for folder in ("fmugen", "templates"):
        shutil.copytree(ROOT / folder, checkout / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "examples" / "slider_crank" / "model.toml", checkout)
    return checkout


def exported(checkout: Path, seed: str, *options: str) -> bytes:
    environment = {
        **os.environ,
        "PYTHONPATH": str(checkout),
        "PYTHONHASHSEED": seed,
        "FMUGEN_CACHE": str(checkout / "cache"),
    }
    command = [sys.executable, "-m", "fmugen", "export", "model.toml", "-o", "x.fmu", *options]
    command += ["--trees", "aac"]
    subprocess.run(command, cwd=checkout, env=environment, check=True, capture_output=True, timeout=280)
    return (checkout / "x.fmu").read_bytes()


@pytest.mark.parametrize("fmi", ["2", pytest.param("3", marks=pytest.mark.slow)])
def test_two_checkouts_export_the_same_bytes(fmi: str, tmp_path: Path) -> None:
    options = ("--sources", "--fmi", fmi)
    first = exported(check_out(tmp_path / "here"), "1", *options)
    assert first == exported(check_out(tmp_path / "elsewhere" / "deeper"), "2", *options)


@pytest.mark.slow
def test_all_platforms_are_reproducible_small_and_kept(tmp_path: Path) -> None:
    """Two checkouts compile the same libraries; together they are small, and compiled once."""
    here, there = check_out(tmp_path / "here"), check_out(tmp_path / "elsewhere" / "deeper")
    first = exported(here, "1", "--platforms", "all")
    assert first == exported(there, "2", "--platforms", "all")
    assert len(first) < 1_000_000
    before = os.times()
    assert exported(here, "3", "--platforms", "all") == first
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 5.0


@pytest.mark.slow
def test_the_cache_does_not_change_the_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A search that fails leaves the same expressions behind, whether its bases are computed or read."""
    monkeypatch.setenv("FMUGEN_CACHE", str(tmp_path))
    source = ROOT / "examples" / "double_wishbone" / "model.toml"
    model = parse_model(source.read_text(encoding="utf-8"), source.name)
    cold, warm = (Compilation(model, ExportOptions(trees="aac")).sources for _ in range(2))
    assert any(tmp_path.rglob("closure/*.json"))
    assert cold == warm
