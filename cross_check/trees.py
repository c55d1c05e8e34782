"""What trees cost: every tree set of Léger's appendix A and the measured choice, by operations and by time.

    python cross_check/trees.py [TABLE ...]

Each tree set is exported with its loops closed exactly and the RK4 solver; all libraries of a table take
turns in one C program, and a right-hand side is a quarter of an RK4 step. Operations and prices are those of
``fmugen trees``; complexities are those of the thesis, and ours, counted as the thesis counts (``leger.py``).

Times are compared as if they were equal if they differ by less than 3 %: where compilers put the code of two
programs of equal operations makes as much of a difference. A tree set with fewer operations can take longer.
Where the measured choice has not the fewest, the rows that do and that are fastest are printed side by side,
with those pairs of trees around both, by one exchange, that have no more operations: is one as fast, it is
best in both, and the choice is not; if none is, they are in conflict.

Below the tables stands McPhee's comparison of absolute, joint and absolute angular coordinates of Andrews'
squeezer. The exit code is 3 if a tree set of the tables is faster than the measured choice, or if some pair
of trees is best by operations and by time, and the choice is not.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from leger import OUTLIERS, TABLES, counted, mechanism, rank_correlation
from scipy.stats import spearmanr
from timing import nanoseconds_of_steps, stopwatch

from fmugen.cost import Cost, program_cost
from fmugen.errors import FmugenError
from fmugen.ir.flow import Closure
from fmugen.ir.graph import EdgeKind
from fmugen.ir.model import NamedTrees, SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.ir.platform import host_platform
from fmugen.ir.tree import TreeSelection
from fmugen.measure import tree_cost
from fmugen.phases.compile import compile_library
from fmugen.phases.graph import build_graph
from fmugen.phases.read import read_model
from fmugen.phases.select import neighbours, select_trees
from fmugen.pipeline import generate

ROOT = Path(__file__).resolve().parents[1]
MEASURED = "measured"
#: McPhee (1998), Table 5: times relative to absolute coordinates.
SQUEEZER = {"ac": 1.00, "jc": 0.76, "aac": 0.73}

STEP = 1e-6
STEPS = 40
ROUNDS = 400
EVALUATIONS = 4 * STEPS
#: Times that differ by less are equal.
NOISE = 0.03
#: So many of the pairs of trees around one, the most promising first, are looked at.
AROUND = 24


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
    """How the measured choice compares with the rows of a table, by operations and by time.

    ``shortest`` and ``fastest`` are rows. If the choice is not as good as these, ``rivals`` are pairs around
    the two that have no more operations than the shortest.
    """

    mine: Timed
    shortest: str
    fastest: str
    rows: Mapping[str, Timed]
    rivals: Mapping[str, Timed]

    @property
    def operations(self) -> float:
        return self.mine.operations / self.rows[self.shortest].operations

    @property
    def time(self) -> float:
        return self.mine.nanoseconds / self.rows[self.fastest].nanoseconds

    @property
    def is_shortest(self) -> bool:
        return self.operations <= 1.0

    @property
    def is_fastest(self) -> bool:
        return self.time <= 1.0 + NOISE

    @property
    def best_in_both(self) -> str:
        """A pair that is as short as the shortest row and as fast as the fastest, which the choice is not."""
        if self.is_shortest and self.is_fastest:
            return ""
        limit = (1.0 + NOISE) * min(self.rows[self.fastest].nanoseconds, self.mine.nanoseconds)
        short = {**self.rivals, self.shortest: self.rows[self.shortest]}
        return next((name for name, pair in short.items() if pair.nanoseconds <= limit), "")

    @property
    def is_good(self) -> bool:
        return self.is_fastest and not self.best_in_both

    def __str__(self) -> str:
        shortest, fastest = ("best" if best else "NOT best" for best in (self.is_shortest, self.is_fastest))
        return (
            f"{shortest} by operations ({self.operations:.2f} of the best row), "
            f"{fastest} by time ({self.time:.2f})"
        )


def verdict(results: Results, rivals: Results) -> Verdict:
    mine = results[MEASURED]
    if isinstance(mine, str):
        raise SystemExit(f"there is no measured choice: {mine}")
    rows = {name: row for name, row in results.items() if name != MEASURED and isinstance(row, Timed)}
    shortest = min(rows, key=lambda name: (rows[name].operations, rows[name].nanoseconds))
    fastest = min(rows, key=lambda name: rows[name].nanoseconds)
    ran = {name: rival for name, rival in rivals.items() if isinstance(rival, Timed)}
    return Verdict(mine, shortest, fastest, rows, ran)


def exchanged(pool: ProcessPoolExecutor, model: SystemModel, best: Verdict) -> SystemModel:
    """``model`` with trees around the shortest and the fastest row that are as short as the shortest."""
    graph = build_graph(model)
    rows = [select_trees(model, graph, name) for name in (best.shortest, best.fastest)]
    around = {_branches(trees): trees for row in rows for trees in neighbours(graph, row, AROUND)}
    limit = best.rows[best.shortest].operations
    found = pool.map(operations_of, [(model, trees) for trees in around.values()])
    short = [t for t, operations in zip(around.values(), found, strict=True) if operations <= limit]
    arms = {edge.name for edge in graph.translation.edges if edge.kind is EdgeKind.ARM}
    named = (
        NamedTrees(t.name, tuple(b for b in t.translation.branches if b not in arms), t.rotation.branches)
        for t in short
    )
    return replace(model, trees=tuple(named))


def _branches(trees: TreeSelection) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(trees.translation.branches), frozenset(trees.rotation.branches)


def operations_of(job: tuple[SystemModel, TreeSelection]) -> float:
    """The operations of a pair of trees; infinitely many if it cannot be used."""
    try:
        return tree_cost(*job, Closure.TRIANGULAR).operations
    except FmugenError:
        return float("inf")


# --- printing -------------------------------------------------------------------------------------


def print_table(table: str, results: Results) -> None:
    content = TABLES[table]
    print(f"\n{table}, {content['example']}\n")
    print("| trees | thesis time, s | thesis complexity | ours | operations | price, ns | time, ns |")
    print("|---|" + "---:|" * 6)
    for number, row in enumerate(content["rows"], 1):
        thesis = f"{row['time'] or ''} | {row['complexity'] or ''} | {counted(table, number).complexity}"
        print(f"| {number} | {thesis} | {cells(results[str(number)])} |")
    print(f"| {MEASURED} | | | | {cells(results[MEASURED])} |\n")
    print_failures(results)
    print(f"rank correlation: {', '.join(correlations(table, results))}", flush=True)


def cells(result: Timed | str) -> str:
    if isinstance(result, str):
        return "– | – | –"
    return f"{result.operations} | {result.price:.0f} | {result.nanoseconds:.0f}"


def correlations(table: str, results: Results) -> Iterator[str]:
    yield f"complexity of the thesis and ours {rank_correlation(table):.2f}"
    rows = [row for name, row in results.items() if name != MEASURED and isinstance(row, Timed)]
    times = [row.nanoseconds for row in rows]
    for what in ("operations", "price"):
        ours = [float(getattr(row, what)) for row in rows]
        yield f"{what} and time {spearmanr(ours, times).statistic:.2f}"


def print_verdict(found: Verdict) -> None:
    print(f"measured: {found}")
    if found.is_shortest and found.is_fastest:
        return
    for what, name in (("fewest operations", found.shortest), ("fastest", found.fastest)):
        row = found.rows[name]
        print(f"{what}: row {name}, {row.operations} operations, {row.nanoseconds:.0f} ns")
    for name, rival in found.rivals.items():
        print(f"no more operations: {name}, {rival.operations} operations, {rival.nanoseconds:.0f} ns")
    both = found.best_in_both
    print(f"BEST IN BOTH: {both}" if both else "none of these is best in both", flush=True)


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
    shortest, fastest, good = (
        sum(all(getattr(v, what) for v in found) for found in mechanisms.values())
        for what in ("is_shortest", "is_fastest", "is_good")
    )
    print(f"\nthe measured choice is best by time {fastest} of {count}, by operations {shortest} of {count}")
    print(f"no pair of trees is better by both in {good} of {count}")
    ranks = {table: rank_correlation(table) for table in verdicts}
    print(
        f"rank correlation of the thesis's complexities with ours: {median(ranks.values()):.2f} in the median"
    )
    for table, rank in ranks.items():
        print(f"  {table} {rank:.2f}{': ' + OUTLIERS[table] if table in OUTLIERS else ''}")
    return good == count


def main(tables: list[str]) -> int:
    verdicts = {}
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(2, mp_context=context) as pool:
        program = stopwatch(Path(name))
        for table in tables or TABLES:
            model = mechanism(table)
            results = measured(pool, program, model, [MEASURED, *(trees.name for trees in model.trees)])
            print_table(table, results)
            found = verdict(results, {})
            if not (found.is_shortest and found.is_fastest):
                wider = exchanged(pool, model, found)
                rivals = [trees.name for trees in wider.trees]
                found = verdict(results, measured(pool, program, wider, rivals) if rivals else {})
            verdicts[table] = found
            print_verdict(found)
        squeezer = replace(read_model(ROOT / "examples/andrews/model.toml"), outputs=())
        print_squeezer(measured(pool, program, squeezer, list(SQUEEZER)))
    return 0 if print_summary(verdicts) else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
