"""Units: what is compiled together."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import fmpy
import pytest

from fmugen.phases.compile import units
from fmugen.phases.compile.units import Effort, units_of
from fmugen.resources import runtime_sources
from tests.runtime.conftest import MODELS, RUNTIME, STRICT, compiler

FILES = {path.name: path.read_text(encoding="utf-8") for path in runtime_sources()}
MODEL = {"model.h": "#define MODEL_NQ 2\n", "model.c": "", "trial.c": ""}
MADE = units_of(FILES | MODEL, FILES)


def test_every_file_is_in_one_unit() -> None:
    included = [name for unit in MADE for name in re.findall(r'"(\w+\.c)"', unit.text)]
    alone = [unit.name for unit in MADE if not unit.text]
    assert sorted([*included, *alone]) == sorted(name for name in FILES | MODEL if name.endswith(".c"))
    assert sorted(alone) == ["model.c", "sizes.c", "trial.c"]
    assert {name for names in (*units._STEPS.values(), units._INTERFACE) for name in names} <= set(FILES)


def test_the_model_is_compiled_first_and_as_straight_line_code() -> None:
    assert [unit.name for unit in MADE if unit.effort is Effort.STRAIGHT] == [unit.name for unit in MADE[:3]]


@pytest.mark.parametrize("fmi", [2, 3])
def test_objects_of_the_runtime_serve_all_models(tmp_path: Path, fmi: int) -> None:
    """They compile where there is no model.h, and call what all models define."""
    version = {"model.h": f"#define MODEL_FMI {fmi}\n"}
    shared = [unit for unit in units_of(FILES | version, FILES) if unit.shared]
    folders = (RUNTIME, Path(fmpy.__file__).parent / "c-code")
    for unit in shared:
        (tmp_path / unit.name).write_text(unit.text)
        command = [compiler(), *STRICT, "-O0", "-c", unit.name, "-o", f"{unit.name}.o"]
        command += [f"-I{folder}" for folder in folders]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert f"runtime_fmi{fmi}.c" in [unit.name for unit in shared]


def test_a_program_reads_the_sizes_as_the_runtime_does() -> None:
    found = {unit.name: unit for unit in units_of(FILES | MODEL, FILES, ["trial.c"])}
    assert found["shared_trial.c"].shared
    assert "trial.c" not in found


def test_the_runtime_compiles_as_one_unit_without_warnings(tmp_path: Path) -> None:
    whole = tmp_path / "whole.c"
    whole.write_text("".join(f'#include "{name}"\n' for name in FILES if name.endswith(".c")))
    folders = (RUNTIME, MODELS, MODELS / "pendulum", Path(fmpy.__file__).parent / "c-code")
    command = [compiler(), *STRICT, "-fsyntax-only", *(f"-I{folder}" for folder in folders), str(whole)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
