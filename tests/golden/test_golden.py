"""Compilation C and Modelica of two models, line by line: what a change does to the text is seen in review.

``pytest tests/golden --update`` rewrites the files.
"""

from __future__ import annotations

import difflib
from functools import cache
from pathlib import Path

import pytest

from fmugen.ir.options import ExportOptions
from fmugen.pipeline import Compilation
from fmugen.view.modelica import modelica_files
from tests.support import example

FOLDER = Path(__file__).parent


@cache
def generated(name: str) -> Compilation:
    return Compilation(example(name), ExportOptions("aac"))


def sources(name: str) -> dict[str, str]:
    """The generated texts of an example by file name; ``model.h`` has the guid, which says nothing."""
    equations = modelica_files(generated(name), f"{name}.fmu").items()
    modelica = {file: text for file, text in equations if file.endswith(".mo")}
    return {"model.c": generated(name).sources["model.c"], **modelica}


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("pendulum", "model.c"),
        ("pendulum", "Pendulum.mo"),
        ("slider_crank", "model.c"),
        ("slider_crank", "SliderCrank.mo"),
    ],
)
def test_text(name: str, file: str, update: bool) -> None:
    text, path = sources(name)[file], FOLDER / name / file
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    old, new = kept.splitlines(), text.splitlines()
    difference = "\n".join(difflib.unified_diff(old, new, f"kept {file}", "generated", lineterm=""))
    if difference:
        pytest.fail(f"{name}/{file} differs; if it should, run pytest tests/golden --update\n{difference}")
