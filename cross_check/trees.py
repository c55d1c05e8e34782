"""What trees cost: every tree set of Léger's appendix A and the measured choice, by operations and by time.

    python cross_check/trees.py [TABLE ...]

Each tree set is exported with its loops closed exactly and the RK4 solver; all libraries of a table take
turns in one C program, and a right-hand side is a quarter of an RK4 step. Operations and prices are those of
``fmugen trees``. A tree set with fewer operations can take longer: sines, roots and further coordinates take
time that additions do not. There the measured choice is the fastest, not the shortest, and what is asked is
that no tree set beats it in both. Times are compared as if they were equal if they differ by less than 3 %.
Below the tables stands McPhee's comparison of absolute, joint and absolute angular coordinates of Andrews'
squeezer.

The exit code is 3 if a tree set of the tables is faster than the measured choice, or as fast and shorter.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from scipy.stats import spearmanr
from timing import nanoseconds_of_steps, stopwatch

from fmugen.cost import Cost, program_cost
from fmugen.errors import FmugenError
from fmugen.ir.flow import Closure
from fmugen.ir.model import JointType, NamedTrees, SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.ir.platform import host_platform
from fmugen.phases.compile import compile_library
from fmugen.phases.read import read_model
from fmugen.pipeline import generate

ROOT = Path(__file__).resolve().parents[1]
TABLES: dict[str, Any] = json.loads((ROOT / "tests/data/leger_tables.json").read_text(encoding="utf-8"))
MEASURED = "measured"
#: McPhee (1998), Table 5: times relative to absolute coordinates.
SQUEEZER = {"ac": 1.00, "jc": 0.76, "aac": 0.73}

STEP = 1e-6
STEPS = 40
ROUNDS = 400
EVALUATIONS = 4 * STEPS
#: Times that differ by less are equal.
NOISE = 0.03


@dataclass(frozen=True)
class Built:
    """A compiled tree set."""

    cost: Cost
    library: bytes
    guid: str


@dataclass(frozen=True)
class Timed:
    """The cost of a tree set and the time of a right-hand side."""

    operations: int
    price: float
    nanoseconds: float


Results = dict[str, Timed | str]


def mechanism(table: str) -> SystemModel:
    """The model of a table with trees ``1``, ``2``, ... for its rows, without outputs: they cost time too."""
    content = TABLES[table]
    model = read_model(ROOT / "examples" / content["example"] / "model.toml")
    rows = [row.get("corrected", row) for row in content["rows"]]
    trees = tuple(
        NamedTrees(str(number), tuple(row["translation"]), tuple(row["rotation"]))
        for number, row in enumerate(rows, 1)
    )
    virtual = content.get("virtual", True)
    joints = tuple(joint for joint in model.joints if virtual or joint.type is not JointType.VIRTUAL)
    return replace(model, trees=trees, joints=joints, outputs=())


# --- building and timing --------------------------------------------------------------------------


def build(job: tuple[SystemModel, str]) -> Built | str:
    """A tree set compiled, or why it cannot be."""
    model, trees = job
    try:
        made = generate(model, ExportOptions(trees, Closure.TRIANGULAR, Solver.RK4, STEP))
        return Built(program_cost(made.program), compile_library(made.sources), made.description.guid)
    except FmugenError as error:
        return str(error)


def timed(program: Path, built: dict[str, Built | str]) -> Results:
    """The times of all that was built; of the rest, why it was not."""
    good = {trees: made for trees, made in built.items() if isinstance(made, Built)}
    libraries = []
    for number, made in enumerate(good.values()):
        path = program.with_name(f"library{number}{host_platform().library_suffix}")
        path.write_bytes(made.library)
        libraries.append((path, made.guid))
    times = nanoseconds_of_steps(program, libraries, STEP * STEPS, ROUNDS)
    results: Results = {trees: made for trees, made in built.items() if isinstance(made, str)}
    for (trees, made), spent in zip(good.items(), times, strict=True):
        cost = made.cost
        results[trees] = (
            spent if isinstance(spent, str) else Timed(cost.operations, cost.price, spent / EVALUATIONS)
        )
    return {trees: results[trees] for trees in built}


def measured(pool: ProcessPoolExecutor, program: Path, model: SystemModel, trees: Sequence[str]) -> Results:
    jobs = [(model, name) for name in trees]
    return timed(program, dict(zip(trees, pool.map(build, jobs), strict=True)))


# --- judging --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """How the measured choice compares with the best row of a table, by operations and by time."""

    operations: float
    time: float
    unbeaten: bool

    @property
    def is_shortest(self) -> bool:
        return self.operations <= 1.0

    @property
    def is_fastest(self) -> bool:
        return self.time <= 1.0 + NOISE

    def __str__(self) -> str:
        shortest, fastest = ("best" if best else "NOT best" for best in (self.is_shortest, self.is_fastest))
        both = "no row is" if self.unbeaten else "A ROW IS"
        return (
            f"{shortest} by operations ({self.operations:.2f} of the best row), "
            f"{fastest} by time ({self.time:.2f}); {both} faster, or as fast and shorter"
        )


def verdict(results: Results) -> Verdict:
    mine = results[MEASURED]
    if isinstance(mine, str):
        raise SystemExit(f"there is no measured choice: {mine}")
    rows = [row for trees, row in results.items() if trees != MEASURED and isinstance(row, Timed)]
    return Verdict(
        mine.operations / min(row.operations for row in rows),
        mine.nanoseconds / min(row.nanoseconds for row in rows),
        not any(beats(row, mine) for row in rows),
    )


def beats(row: Timed, mine: Timed) -> bool:
    ratio = row.nanoseconds / mine.nanoseconds
    return ratio < 1.0 / (1.0 + NOISE) or (ratio <= 1.0 and row.operations < mine.operations)


# --- printing -------------------------------------------------------------------------------------


def print_table(table: str, results: Results) -> None:
    content = TABLES[table]
    print(f"\n{table}, {content['example']}\n")
    print("| trees | thesis complexity | thesis time, s | operations | price, ns | time, ns |")
    print("|---|" + "---:|" * 5)
    for number, row in enumerate(content["rows"], 1):
        thesis = f"{row['complexity'] or ''} | {row['time'] or ''}"
        print(f"| {number} | {thesis} | {cells(results[str(number)])} |")
    print(f"| {MEASURED} | | | {cells(results[MEASURED])} |\n")
    print_failures(results)
    print(f"rank correlation: {', '.join(correlations(content['rows'], results))}")


def cells(result: Timed | str) -> str:
    if isinstance(result, str):
        return "– | – | –"
    return f"{result.operations} | {result.price:.0f} | {result.nanoseconds:.0f}"


def correlations(rows: Sequence[dict[str, Any]], results: Results) -> Iterator[str]:
    pairs = [(row["complexity"], results[str(number)]) for number, row in enumerate(rows, 1)]
    both = [(complexity, result) for complexity, result in pairs if complexity and isinstance(result, Timed)]
    complexities = [complexity for complexity, _ in both]
    operations, prices, times = (
        [float(getattr(result, name)) for _, result in both]
        for name in ("operations", "price", "nanoseconds")
    )
    yield f"complexity and operations {spearmanr(complexities, operations).statistic:.2f}"
    yield f"operations and time {spearmanr(operations, times).statistic:.2f}"
    yield f"price and time {spearmanr(prices, times).statistic:.2f}"


def print_squeezer(results: Results) -> None:
    print("\nAndrews' squeezer: time of a right-hand side relative to absolute coordinates\n")
    print("| trees | McPhee, table 5 | operations | price, ns | time, ns | ratio |")
    print("|---|" + "---:|" * 5)
    base = results["ac"]
    for trees, printed in SQUEEZER.items():
        result = results[trees]
        ratio = "–"
        if isinstance(result, Timed) and isinstance(base, Timed):
            ratio = f"{result.nanoseconds / base.nanoseconds:.2f}"
        print(f"| {trees} | {printed:.2f} | {cells(result)} | {ratio} |")
    print_failures(results)


def print_failures(results: Results) -> None:
    for trees, result in results.items():
        if isinstance(result, str):
            print(f"{trees}: {result}")


def print_summary(verdicts: dict[str, Verdict]) -> bool:
    """The last lines; a mechanism with two tables is best if it is in both."""
    mechanisms: dict[str, list[Verdict]] = {}
    for table, found in verdicts.items():
        mechanisms.setdefault(TABLES[table]["example"], []).append(found)
    count = len(mechanisms)
    shortest = sum(all(v.is_shortest for v in found) for found in mechanisms.values())
    fastest = sum(all(v.is_fastest for v in found) for found in mechanisms.values())
    unbeaten = sum(all(v.unbeaten for v in found) for found in mechanisms.values())
    print(f"\nno tree set is faster, or as fast and shorter: {unbeaten} of {count} mechanisms")
    print(f"best by operations {shortest} of {count}, by time {fastest} of {count}")
    return unbeaten == fastest == count


def main(tables: list[str]) -> int:
    verdicts = {}
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(2, mp_context=context) as pool:
        program = stopwatch(Path(name))
        for table in tables or TABLES:
            model = mechanism(table)
            results = measured(pool, program, model, [MEASURED, *(trees.name for trees in model.trees)])
            print_table(table, results)
            verdicts[table] = verdict(results)
            print(f"measured: {verdicts[table]}", flush=True)
        squeezer = replace(read_model(ROOT / "examples/andrews/model.toml"), outputs=())
        print_squeezer(measured(pool, program, squeezer, list(SQUEEZER)))
    return 0 if print_summary(verdicts) else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
