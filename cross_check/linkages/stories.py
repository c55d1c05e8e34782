"""What the commands say of a model, read from what they print.

Only this module knows how results are printed, and where a command keeps the start it assembled.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fmugen.cli import app, terminal
from fmugen.evaluation import values_at_start
from fmugen.formulas import parse
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.model import Output, SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.phases.formulate import formulate
from fmugen.pipeline import Compilation

__all__ = ["Story", "all_stories", "assembled_by_check", "iterating_points", "poses_at_start", "told_by"]

#: Rows of tables that are compared.
_ROWS = ("degrees of freedom", "independent", "dependent", "closure", "coordinates")


@dataclass(frozen=True)
class Story:
    """What one command told: rows of its tables, or the sentence with which it refused, or how it crashed."""

    command: str
    text: str
    rows: Mapping[str, str] = field(default_factory=dict)
    refusal: str = ""
    crash: str = ""


def told_by(command: str, *arguments: str) -> Story:
    """Run a command of fmugen in this process, and read what it prints."""
    out, err = io.StringIO(), io.StringIO()
    terminal._WIDE = 100_000  # a wrapped cell could not be read back
    code, crash = 0, ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            app([command, *arguments], prog_name="fmugen", standalone_mode=True)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except Exception:
            crash = traceback.format_exc(limit=-4)
    refusal = " ".join(err.getvalue().split("error: ")[-1].split()) if code else ""
    if "Traceback" in err.getvalue():
        crash = err.getvalue()
    return Story(command, out.getvalue() + err.getvalue(), _rows(out.getvalue()), refusal, crash)


def _rows(printed: str) -> dict[str, str]:
    rows = {}
    for line in printed.splitlines():
        match = re.match(r"\s*(.+?)\s{2,}(\S.*?)\s*$", line)
        if match and match[1] in _ROWS:
            rows.setdefault(match[1], match[2])
    return rows


def all_stories(path: Path, fmu: Path, trees: str, *, exact: bool) -> list[Story]:
    """What all commands say of a model, the FMU of which is exported to ``fmu``.

    Exact steps of large loops take long to find. Without them, loops are closed by Newton iteration, and
    ``check``, which has exact steps, is not run.
    """
    chosen = ["--trees", trees] if exact else ["--trees", trees, "--closure", "newton"]
    return [
        *([told_by("check", str(path), "--trees", trees)] if exact else []),
        told_by("closure", str(path), *chosen),
        told_by("export", str(path), "-o", str(fmu), *chosen),
    ]


def iterating_points(closure: str, points: int) -> int | None:
    """At how many communication points of a whole run the loops iterate, if a sentence tells it.

    >>> iterating_points("exact, 90 operations per right-hand side, no iteration", 11)
    0
    >>> iterating_points("exact, 90 operations per right-hand side; 2 of 11 points iterate", 11)
    2
    >>> iterating_points("3 of 7 unknowns by Newton in a block of 3", 11)
    """
    if "where the run stops" in closure:
        return None
    if "no iteration" in closure or "no loops to close" in closure:
        return 0
    told = re.search(r"(\d+) of (\d+) points", closure)
    return int(told[1]) if told and int(told[2]) == points else None


def assembled_by_check(model: SystemModel) -> tuple[Compilation, SolutionFlow]:
    """The start that ``fmugen check`` assembles to find whether a model is sound."""
    made = Compilation(replace(model, independent=()), ExportOptions("aac", Closure.NEWTON))
    return made, made.flow


def poses_at_start(formulation: Compilation, flow: SolutionFlow, names: list[str]) -> dict[str, float]:
    """What quantities of bodies are at the start of a flow."""
    outputs = tuple(Output(f"o{number}", parse(name)) for number, name in enumerate(names))
    model = replace(formulation.model, outputs=outputs)
    dae = formulate(model, formulation.graph, formulation.trees)
    order = {coordinate.name: number for number, coordinate in enumerate(formulation.dae.coordinates)}
    positions = tuple(flow.positions[order[coordinate.name]] for coordinate in dae.coordinates)
    values = values_at_start(model, dae, replace(flow, positions=positions), list(dae.outputs.values()))
    return dict(zip(names, map(float, values), strict=True))


def furthest(one: Mapping[str, float], other: Mapping[str, float]) -> tuple[float, str]:
    """The largest difference of two poses, angles up to whole turns, and what differs by it."""
    worst = (0.0, "")
    for name, value in one.items():
        away = value - other[name]
        if name.endswith(".angle"):
            away = math.remainder(away, 2.0 * math.pi)
        if not abs(away) <= worst[0]:
            worst = (abs(away), name)
    return worst


def written(folder: Path, text: str) -> Path:
    path = folder / "model.toml"
    path.write_text(text, encoding="utf-8")
    return path
