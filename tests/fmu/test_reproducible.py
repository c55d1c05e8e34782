"""Two exports of one model are the same bytes, wherever the program lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from fmugen.ir.options import ExportOptions
from fmugen.ir.platform import host_platform
from fmugen.phases.compile import compile_library
from fmugen.phases.read import parse_model
from fmugen.pipeline import Compilation
from fmugen.verify.simulate import simulate_fmu
from tests.fmu.exchange import options as settings
from tests.store import exported as exported_of
from tests.support import example

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


def test_processors_with_avx_give_the_same_digits(tmp_path: Path) -> None:
    """Against the same functions without the variant for AVX, which other processors take."""
    export = exported_of(example("three_rrr"), settings(trees="aac"))
    sources = export.compilation.sources
    plain = sources["model.c"].replace("EVERY_STEP ", "")
    assert plain != sources["model.c"]
    library = compile_library(sources | {"model.c": plain})
    other, suffix = tmp_path / "plain.fmu", host_platform().library_suffix
    with ZipFile(export.path) as given, ZipFile(other, "w") as made:
        for name in given.namelist():
            made.writestr(name, library if name.endswith(suffix) else given.read(name))
    outputs = [output.name for output in export.compilation.model.outputs]
    first, second = (
        simulate_fmu(path, stop=0.2, step=0.02, outputs=outputs) for path in (export.path, other)
    )
    for name in outputs:
        np.testing.assert_array_equal(first.values[name], second.values[name])


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
