"""Ctrl-C: the program ends at once, says so, and leaves no compiler behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
#: A compiler that says when it begins, and would take a minute.
COMPILER = """\
import os, pathlib, sys, time
if "--version" in sys.argv:
    print("slow 1.0")
else:
    pathlib.Path({begun!r}).open("a").write(f"{{os.getpid()}}\\n")
    time.sleep(60)
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")


def exporting(example: str, folder: Path, trees: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "fmugen", "export", str(EXAMPLES / example / "model.toml")]
    return subprocess.Popen(
        [*command, "--trees", trees, "-o", str(folder / "model.fmu")],
        env={**os.environ, "FMUGEN_CACHE": str(folder / "cache"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell lets its background jobs ignore the signal, and what these start inherits that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def interrupted(process: subprocess.Popen[str]) -> str:
    """What the program says to the signal, which its children do not get."""
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - begin < 15  # of a machine that does other work; an idle one takes 0.2 s
    assert process.returncode == 130
    assert "Traceback" not in said
    assert said.endswith("interrupted\n")
    return said


def test_during_the_search_for_trees(tmp_path: Path) -> None:
    process = exporting("stewart_gough", tmp_path, "cheapest")
    assert process.stderr is not None
    assert "read" in process.stderr.readline()
    time.sleep(0.5)
    interrupted(process)
    assert not (tmp_path / "model.fmu").exists()


def test_during_the_compilation(tmp_path: Path) -> None:
    begun, compiler = tmp_path / "begun", tmp_path / "compiler.py"
    compiler.write_text(COMPILER.format(begun=str(begun)))
    process = exporting("pendulum", tmp_path, "jc", CC=f"{sys.executable} {compiler}")
    while process.poll() is None and not (begun.exists() and begun.read_text().endswith("\n")):
        time.sleep(0.05)
    interrupted(process)
    for number in begun.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(number), 0)
