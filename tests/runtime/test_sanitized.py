"""The whole life of instances under the address and undefined-behaviour sanitizers and under valgrind."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import SANITIZED, compile_c

EXERCISE = Path(__file__).parent / "exercise.c"
WANDER = Path(__file__).parent / "wander.c"

VARIANTS: list[tuple[str, dict[str, object]]] = [
    ("pendulum", {}),
    ("pendulum", {"MODEL_SOLVER": "SOLVER_EULER"}),
    ("slider_crank", {"INDEPENDENT": 2}),
    ("slider_crank", {"DRIVEN": 1}),
    ("slider_crank", {"MODEL_CLOSURE": "CLOSURE_NEWTON_ALL", "MODEL_SOLVER": "SOLVER_RK4"}),
    ("slider_crank", {"MODEL_CLOSURE": "CLOSURE_AUGMENTED"}),
    ("slider_crank", {"MODEL_CLOSURE": "CLOSURE_BAUMGARTE"}),
    ("slider_crank", {"MODEL_CLOSURE": "CLOSURE_PENALTY"}),
    ("parallelograms", {"LOOPS": 2}),
    ("tank", {}),
]


#: The variant with the most to go wrong; the others are slow tests.
one_of_them = pytest.mark.parametrize(
    ("model", "defines"),
    [
        pytest.param(
            *variant, marks=() if variant == ("slider_crank", {"INDEPENDENT": 2}) else pytest.mark.slow
        )
        for variant in VARIANTS
    ],
)


@one_of_them
def test_nothing_leaks_and_nothing_is_undefined(
    tmp_path: Path, model: str, defines: dict[str, object]
) -> None:
    program = compile_c(tmp_path / "exercise", model, EXERCISE, *SANITIZED, **defines)
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "runtime error" not in done.stderr


@one_of_them
def test_no_sequence_of_calls_does_harm(tmp_path: Path, model: str, defines: dict[str, object]) -> None:
    """Fifty thousand calls at random for each type of FMU, legal or not; a reset leads back to a run."""
    program = compile_c(tmp_path / "wander", model, WANDER, *SANITIZED, **defines)
    done = subprocess.run([str(program), "7", "50000"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "runtime error" not in done.stderr


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@one_of_them
def test_valgrind_finds_nothing(tmp_path: Path, model: str, defines: dict[str, object]) -> None:
    """Nothing read before it is written, and nothing lost in a thousand lives."""
    program = compile_c(tmp_path / "exercise", model, EXERCISE, "-g", **defines)
    command = ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=99"]
    done = subprocess.run([*command, str(program)], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-2000:]
