"""Units: what is compiled together."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import fmpy

from fmugen.phases.compile import units
from fmugen.phases.compile.influences import influences
from fmugen.phases.compile.units import Effort, units_of
from fmugen.resources import runtime_sources
from tests.runtime.conftest import MODELS, RUNTIME, STRICT, compiler

FILES = {path.name: path.read_text(encoding="utf-8") for path in runtime_sources()}
MODEL = {"model.h": "#define MODEL_NQ 2\n", "model.c": "", "trial.c": ""}
MADE = units_of(FILES | MODEL, FILES)


def test_every_file_is_in_one_unit() -> None:
    included = [name for unit in MADE for name in re.findall(r'"(\w+\.c)"', unit.text)]
    alone = [unit.name for unit in MADE if not unit.text]
    assert sorted(included) == sorted(name for name in FILES if name.endswith(".c"))
    assert sorted(alone) == ["model.c", "trial.c"]
    assert {name for names in units._PARTS.values() for name in names} <= set(FILES)


def test_the_model_is_compiled_first_and_as_straight_line_code() -> None:
    assert [unit.name for unit in MADE if unit.effort is Effort.STRAIGHT] == [unit.name for unit in MADE[:2]]


def test_an_object_without_sizes_serves_all_models() -> None:
    texts = FILES | MODEL | {unit.name: unit.text for unit in MADE if unit.text}
    assert not any("MODEL_" in text for text in influences("runtime_algebra.c", texts).values())


def test_the_runtime_compiles_as_one_unit_without_warnings(tmp_path: Path) -> None:
    whole = tmp_path / "whole.c"
    whole.write_text("".join(f'#include "{name}"\n' for name in FILES if name.endswith(".c")))
    folders = (RUNTIME, MODELS, MODELS / "pendulum", Path(fmpy.__file__).parent / "c-code")
    command = [compiler(), *STRICT, "-fsyntax-only", *(f"-I{folder}" for folder in folders), str(whole)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
