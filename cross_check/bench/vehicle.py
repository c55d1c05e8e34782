"""The lane change of Uchida's car with every closure: cycle times, and what the closures leave open.

    cd cross_check; python -m bench.vehicle [--output FILE]

These are tables 6.1 and 6.2 of the thesis: explicit Euler with steps of 1 ms, 5 s long. The time of a cycle
is the least of some rounds. The error of a dependent coordinate is its largest distance, along the closure's
own motion, from where Newton iteration to rounding puts it for the same independent coordinates. The thesis
counts iterations; here a tolerance ends them.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pages import kept_page, names_and_page

from bench.timing import cycle_stopwatch
from fmugen.ir.flow import EMBEDDED, Closure, SolutionFlow
from fmugen.ir.options import ExportOptions, Solver
from fmugen.phases.compile import compile_library
from fmugen.phases.describe import describe_program, sign
from fmugen.phases.embedding import embed
from fmugen.phases.emit import emit_sources
from fmugen.phases.lower import lower_program
from fmugen.phases.read import read_model
from fmugen.phases.triangularize import solution_flow
from fmugen.pipeline import Compilation

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
PROBE = (HERE / "closure_probe.c").read_text(encoding="utf-8")
NAME, TREES = "vehicle_double_wishbone", "kingpin"
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")
STEP, COUNT, ROUNDS = 1e-3, 5000, 5
_TIMEOUT_S = 3600


@dataclass(frozen=True)
class Rival:
    """A closure; ``tolerance`` ends iteration. ``beside`` is what the thesis has in its place, ``thesis`` its
    cycle time of table 6.1 in ms, and ``errors`` those of table 6.2 in rad, by corners."""

    title: str
    closure: Closure
    tolerance: float | None = None
    beside: str = ""
    thesis: float | None = None
    errors: tuple[float, ...] = ()

    @property
    def defines(self) -> str:
        if self.closure is Closure.BAUMGARTE:
            return "#define MODEL_BAUMGARTE_ALPHA 5.0\n#define MODEL_BAUMGARTE_BETA 5.0\n"
        return "" if self.tolerance is None else f"#define MODEL_NEWTON_TOLERANCE {self.tolerance!r}\n"


_BY_CORNER = "block-triangular, Newton steps: "
RIVALS = (
    Rival(
        *("exact", Closure.TRIANGULAR, None, f"{_BY_CORNER}1", 0.923),
        (8.73e-3, 8.74e-3, 6.04e-3, 6.07e-3),
    ),
    Rival(
        *("Newton by corner, 1e-3", Closure.NEWTON, 1e-3, f"{_BY_CORNER}2", 0.931),
        (3.56e-4, 3.58e-4, 2.81e-4, 2.85e-4),
    ),
    Rival(
        *("Newton by corner, 1e-6", Closure.NEWTON, 1e-6, f"{_BY_CORNER}3", 0.943),
        (3.56e-4, 3.58e-4, 2.81e-4, 2.83e-4),
    ),
    Rival(
        *("Newton over all, 1e-3", Closure.NEWTON_ALL, 1e-3, "numeric inverse", 1.233),
        (3.37e-4, 3.36e-4, 1.66e-4, 1.66e-4),
    ),
    Rival("Newton over all, 1e-6", Closure.NEWTON_ALL, 1e-6),
    Rival("Baumgarte, alpha = beta = 5", Closure.BAUMGARTE),
)
#: What errors are measured from.
TRUTH = Rival("Newton to rounding", Closure.NEWTON_ALL)


@dataclass(frozen=True)
class Cycles:
    """The mean and the longest cycle in ns, the last y in m, and the largest errors by corner in rad."""

    mean: float
    longest: float
    end: float
    errors: tuple[float, ...]


def libraries(folder: Path) -> tuple[list[tuple[Path, str]], int, list[str]]:
    """The libraries with their guids, the reference of y, and the names of the coordinates."""
    model = read_model(EXAMPLES / NAME / "model.toml")
    model = replace(model, outputs=tuple(output for output in model.outputs if output.name == "y"))
    compilation = Compilation(model, ExportOptions(TREES))
    model, dae = compilation.model, compilation.formulated
    flow = solution_flow(model, dae, Closure.TRIANGULAR)
    found, reference, written = [], 0, {}
    for number, rival in enumerate((*RIVALS, TRUTH)):
        if rival.closure not in written:
            own = flow if rival.closure is Closure.TRIANGULAR else _iterated(flow, rival.closure)
            motions = [embed(dae, each) for each in own.sets] if own.closure in EMBEDDED else []
            program = lower_program(model, dae, own, motions)
            options = ExportOptions(TREES, rival.closure, Solver.EULER, STEP)
            draft = describe_program(model, dae, program, options)
            written[rival.closure] = sign(draft, emit_sources(program, draft))
        description, made = written[rival.closure]
        made = made | {"model.h": rival.defines + made["model.h"], "closure_probe.c": PROBE}
        library = folder / f"closure_{number}.so"
        library.write_bytes(compile_library(made))
        found.append((library, description.guid))
        (reference,) = (k for k, v in enumerate(description.variables) if v.name == "y")
    return found, reference, [coordinate.name for coordinate in dae.coordinates]


def _iterated(flow: SolutionFlow, closure: Closure) -> SolutionFlow:
    blocks = tuple(replace(block, steps=()) for block in flow.blocks)
    return replace(flow, blocks=blocks, alternatives=(), closure=closure)


def measured() -> list[Cycles]:
    """One entry for each rival."""
    with tempfile.TemporaryDirectory() as folder:
        made, reference, names = libraries(Path(folder))
        words = [str(word) for pair in made for word in pair]
        program = cycle_stopwatch(Path(folder))
        command = [str(program), repr(STEP), str(COUNT), str(ROUNDS), str(reference), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    return [_cycles([float(word) for word in line.split()], names) for line in done.stdout.splitlines()]


def _cycles(numbers: Sequence[float], names: Sequence[str]) -> Cycles:
    mean, longest, end, *errors = numbers
    # Angles of arms and carriers; the tie rods hang on them.
    by_corner = [
        max(e for e, name in zip(errors, names, strict=True) if name.startswith(f"{corner}."))
        for corner in CORNERS
    ]
    return Cycles(mean, longest, end, tuple(by_corner))


def lines(found: Sequence[Cycles]) -> Iterator[str]:
    """The page."""
    exact, best = found[0], RIVALS[0].thesis or math.nan
    yield "## The car of chapter 6 changes lanes\n"
    yield f"Explicit Euler, {COUNT} steps of {1e3 * STEP:g} ms. In brackets is what the thesis has in place"
    yield f"of a closure; its first one took {1e3 * best:.0f} µs a cycle. The last column is the lateral"
    yield "position at the end less that of the exact closure.\n"
    yield _row("closure", "mean [µs]", "longest [µs]", "real time / longest", "longest / exact", "end [mm]")
    yield _row(*["---"] * 6)
    for rival, one in zip(RIVALS, found, strict=False):
        ratio = f"{one.longest / exact.longest:.2f}"
        ratio += f" ({rival.thesis / best:.2f})" if rival.thesis else ""
        times = (f"{1e-3 * one.mean:.1f}", f"{1e-3 * one.longest:.1f}", f"{1e9 * STEP / one.longest:.0f}")
        yield _row(rival.title + _beside(rival), *times, ratio, f"{1e3 * (one.end - exact.end):.2g}")
    yield "\nLargest error of the dependent coordinates in rad, by corner:\n"
    yield _row("closure", *(corner.replace("_", " ") for corner in CORNERS))
    yield _row(*["---"] * (1 + len(CORNERS)))
    for rival, one in zip((*RIVALS, TRUTH), found, strict=True):
        printed = [f" ({error:.2e})" for error in rival.errors] or [""] * len(CORNERS)
        cells = [f"{error:.1e}{thesis}" for error, thesis in zip(one.errors, printed, strict=True)]
        yield _row(rival.title + _beside(rival), *cells)


def _beside(rival: Rival) -> str:
    return f" ({rival.beside})" if rival.beside else ""


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main(arguments: list[str]) -> int:
    _, page = names_and_page("bench.vehicle", arguments, [NAME])
    with kept_page(page):
        print_tables()
    return 0


def print_tables() -> None:
    for line in lines(measured()):
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
