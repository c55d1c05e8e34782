"""What trees cost: every tree set of Léger's appendix A and the measured choice, by operations and by time.

    python cross_check/trees.py [TABLE ...]

Each tree set is exported with the RK4 solver at a small step; a C program times the library's ``fmi2DoStep``,
and a right-hand side is a quarter of an RK4 step. Operations are the prices of ``fmugen trees``: those of the
program, and those of linear algebra by the time they take. Below the tables stands McPhee's comparison of
absolute, joint and absolute angular coordinates of Andrews' squeezer.

The exit code is 3 if a tree set of the tables is cheaper or faster than the measured choice.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from timing import nanoseconds_of_step, stopwatch

from fmugen.errors import FmugenError
from fmugen.ir.flow import Closure
from fmugen.ir.model import JointType, NamedTrees, SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.ir.platform import host_platform
from fmugen.measure import tree_cost
from fmugen.phases.compile import compile_library
from fmugen.phases.read import read_model
from fmugen.pipeline import Generated, generate

ROOT = Path(__file__).resolve().parents[1]
TABLES: dict[str, Any] = json.loads((ROOT / "tests/data/leger_tables.json").read_text(encoding="utf-8"))
CLOSURES = (Closure.NEWTON, Closure.TRIANGULAR)
MEASURED = "measured"
#: McPhee (1998), Table 5: times relative to absolute coordinates.
SQUEEZER = {"ac": 1.00, "jc": 0.76, "aac": 0.73}

STEP = 1e-6
STEPS = 100
REPEATS = 20
ROUNDS = 15
EVALUATIONS = 4 * STEPS
#: Times that differ by less are equal: that much is noise.
NOISE = 0.03


@dataclass(frozen=True)
class Timed:
    """A compiled tree set: its operations, and the least time of a right-hand side so far."""

    operations: int
    library: Path
    guid: str
    nanoseconds: float = float("inf")


Job = tuple[SystemModel, str, Closure]
Results = dict[tuple[str, Closure], Timed | str]


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


# --- building -------------------------------------------------------------------------------------


def build(job: Job) -> tuple[int, str, bytes] | str:
    """Operations, guid and library of a tree set, or why there are none."""
    model, trees, closure = job
    try:
        made = generate(model, ExportOptions(trees, closure, Solver.RK4, STEP))
        return operations(made, closure), made.description.guid, compile_library(made.sources)
    except FmugenError as error:
        return str(error)


def operations(made: Generated, closure: Closure) -> int:
    return tree_cost(made.formulation.model, made.formulation.trees, closure).price


def built(pool: ProcessPoolExecutor, jobs: list[Job], folder: Path) -> Results:
    results: Results = {}
    for (_, trees, closure), made in zip(jobs, pool.map(build, jobs), strict=True):
        if isinstance(made, str):
            results[trees, closure] = made
            continue
        count, guid, library = made
        path = folder / f"{trees}_{closure.value}{host_platform().library_suffix}"
        path.write_bytes(library)
        results[trees, closure] = Timed(count, path, guid)
    return results


# --- timing ---------------------------------------------------------------------------------------


def timed(program: Path, results: Results) -> Results:
    """``results`` with times; in rounds over all tree sets, so that a busy moment hits no one alone."""
    for _ in range(ROUNDS):
        results = {key: _once(program, result) for key, result in results.items()}
    return results


def _once(program: Path, result: Timed | str) -> Timed | str:
    if isinstance(result, str):
        return result
    spent = nanoseconds_of_step(program, result.library, result.guid, STEP * STEPS, REPEATS)
    if isinstance(spent, str):
        return spent
    return replace(result, nanoseconds=min(result.nanoseconds, spent / EVALUATIONS))


# --- printing -------------------------------------------------------------------------------------


def print_table(table: str, results: Results) -> None:
    content = TABLES[table]
    print(f"\n{table}, {content['example']}\n")
    print("| trees | thesis complexity | thesis time, s | " + heads("operations", "ns") + " |")
    print("|---|" + "---:|" * (2 + 2 * len(CLOSURES)))
    for number, row in enumerate(content["rows"], 1):
        print(
            f"| {number} | {row['complexity'] or ''} | {row['time'] or ''} | {cells(results, str(number))} |"
        )
    print(f"| {MEASURED} | | | {cells(results, MEASURED)} |")


def heads(*units: str) -> str:
    return " | ".join(f"{closure.value}: {unit}" for closure in CLOSURES for unit in units)


def cells(results: Results, trees: str) -> str:
    found = [results[trees, closure] for closure in CLOSURES]
    return " | ".join(
        "– | –" if isinstance(result, str) else f"{result.operations} | {result.nanoseconds:.0f}"
        for result in found
    )


def verdicts(results: Results) -> Iterator[tuple[str, bool]]:
    """For each closure, whether no tree set is cheaper or faster than the measured choice."""
    for closure in CLOSURES:
        mine = results[MEASURED, closure]
        others = [r for (trees, at), r in results.items() if at is closure and trees != MEASURED]
        usable = [result for result in others if isinstance(result, Timed)]
        if isinstance(mine, str):
            yield f"{closure.value}: no measured choice: {mine}", False
            continue
        fewest = min((result.operations for result in usable), default=mine.operations)
        least = min((result.nanoseconds for result in usable), default=mine.nanoseconds)
        cheapest = mine.operations <= fewest
        fastest = mine.nanoseconds <= least * (1 + NOISE)
        yield (
            f"{closure.value}: {_verdict('by operations', cheapest, mine.operations / fewest)}, "
            f"{_verdict('by time', fastest, mine.nanoseconds / least)}",
            cheapest and fastest,
        )


def _verdict(measure: str, best: bool, ratio: float) -> str:
    return f"{'best' if best else 'NOT best'} {measure} ({ratio:.2f} of the best row)"


def print_squeezer(results: Results) -> None:
    print("\nAndrews' squeezer: time of a right-hand side relative to absolute coordinates\n")
    print("| trees | McPhee, table 5 | " + heads("operations", "ns", "ratio") + " |")
    print("|---|" + "---:|" * (1 + 3 * len(CLOSURES)))
    for trees, printed in SQUEEZER.items():
        entries = []
        for closure in CLOSURES:
            result, base = results[trees, closure], results["ac", closure]
            if isinstance(result, str) or isinstance(base, str):
                entries.append("– | – | –")
            else:
                ratio = result.nanoseconds / base.nanoseconds
                entries.append(f"{result.operations} | {result.nanoseconds:.0f} | {ratio:.2f}")
        print(f"| {trees} | {printed:.2f} | {' | '.join(entries)} |")


def print_failures(results: Results) -> None:
    for (trees, closure), result in results.items():
        if isinstance(result, str):
            print(f"{trees}, {closure.value}: {result}")


def jobs_of(model: SystemModel, trees: Iterable[str]) -> list[Job]:
    return [(model, name, closure) for name in trees for closure in CLOSURES]


def main(tables: list[str]) -> int:
    best = 0
    chosen = tables or list(TABLES)
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(2, mp_context=context) as pool:
        folder = Path(name)
        program = stopwatch(folder)
        for table in chosen:
            model = mechanism(table)
            jobs = jobs_of(model, [MEASURED, *(trees.name for trees in model.trees)])
            results = timed(program, built(pool, jobs, folder))
            print_table(table, results)
            print()
            found = list(verdicts(results))
            for sentence, _ in found:
                print(f"measured, {sentence}")
            print_failures(results)
            sys.stdout.flush()
            best += all(good for _, good in found)
        squeezer = replace(read_model(ROOT / "examples/andrews/model.toml"), outputs=())
        results = timed(program, built(pool, jobs_of(squeezer, SQUEEZER), folder))
        print_squeezer(results)
        print_failures(results)
    print(f"\nthe measured choice is best by operations and time in {best} of {len(chosen)} tables")
    return 0 if best == len(chosen) else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
