"""What the export of a model imports: heavy libraries only where the model needs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_HEAVY = ("fmpy", "matplotlib", "mpmath", "networkx", "pandas", "plotly", "scipy", "sympy")

_COMMAND = """
import sys
import fmugen.cli.export
print(*sorted(set({heavy!r}) & set(sys.modules)))
"""

_SOURCES = """
import sys
from pathlib import Path
from fmugen.ir.options import ExportOptions
from fmugen.phases.read import read_model
from fmugen.pipeline import Compilation
made = Compilation(read_model(Path({path!r})), ExportOptions(trees={trees!r}))
assert "model.c" in made.sources
print(*sorted(set({heavy!r}) & set(sys.modules)))
"""


def _imported(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_command_imports_no_heavy_library() -> None:
    assert _imported(_COMMAND.format(heavy=_HEAVY)) == []


@pytest.mark.parametrize(
    ("example", "allowed"),
    [("double_pendulum", set()), ("four_bar", {"scipy"})],
    ids=["open chain", "loop"],
)
def test_equations_to_c_import_only_what_they_need(example: str, allowed: set[str]) -> None:
    path = str(Path(__file__).parents[1] / "examples" / example / "model.toml")
    assert set(_imported(_SOURCES.format(path=path, trees="aac", heavy=_HEAVY))) <= allowed


def test_the_page_inside_an_fmu_is_drawn_without_heavy_libraries() -> None:
    assert _imported(_COMMAND.replace("cli.export", "view.report").format(heavy=_HEAVY)) == []
