"""What trees cost: every tree set of Léger's appendix A and the choice of fmugen, by operations and by time.

    cd cross_check; python -m bench.trees [TABLE ...] [squeezer] [--output FILE]

Each tree set is exported with its loops closed exactly; all libraries of a table take turns in one C program,
each evaluating right-hand sides (positions, velocities, accelerations, multipliers) at the points of a short
motion. Operations and prices are those of ``fmugen trees``; complexities are those of the thesis, and ours,
counted as the thesis counts (``leger.py``).

Times are compared as if they were equal if they differ by less than 3 %: where compilers put the code of two
programs of equal operations makes as much of a difference. A tree set with fewer operations can take longer,
and in some tables no row is best in both. The choice is good if it is as short as the shortest row and as
fast as the fastest; where no row is, if it is one of the two, and no row is better by one and as good by the
other.

Below the tables stands McPhee's comparison of absolute, joint and absolute angular coordinates of Andrews'
squeezer: with multipliers and all coordinates integrated, as he does it, and with loops closed exactly, which
leaves one equation whatever the coordinates. The exit code is 3 if the choice is not good in all tables.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from pages import kept_page, names_and_page
from scipy.stats import spearmanr

from bench.leger import OUTLIERS, TABLES, counted, mechanism, rank_correlation
from bench.timing import closure_stopwatch, times_of_closures
from fmugen.errors import FmugenError
from fmugen.ir.flow import Closure
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions, Solver
from fmugen.ir.platform import host_platform
from fmugen.phases.compile import compile_library
from fmugen.phases.read import read_model
from fmugen.pipeline import Compilation
from fmugen.trees.price import Cost, program_cost

ROOT = Path(__file__).resolve().parents[2]
CHEAPEST = "thorough"
#: McPhee (1998), Table 5: times relative to absolute coordinates.
SQUEEZER = {"ac": 1.00, "jc": 0.76, "aac": 0.73}

PROBE = Path(__file__).with_name("closure_probe.c").read_text(encoding="utf-8")
STEP = 1e-6
STEPS = 100
ROUNDS = 400
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


# --- building and timing --------------------------------------------------------------------------


def build(job: tuple[SystemModel, str, Closure]) -> Built | str:
    """A tree set compiled, or why it cannot be."""
    model, trees, closure = job
    try:
        made = Compilation(model, ExportOptions(trees, closure, Solver.RK4, STEP))
        library = compile_library(made.sources | {"closure_probe.c": PROBE})
        return Built(program_cost(made.program), library, made.description.guid)
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
    times = times_of_closures(program, libraries, STEP, STEPS, ROUNDS, own=True)
    results: Results = {trees: made for trees, made in built.items() if isinstance(made, str)}
    for (trees, made), spent in zip(good.items(), times, strict=True):
        stops = math.isnan(spent.motion)
        cost = made.cost
        results[trees] = "stops on the way" if stops else Timed(cost.operations, cost.price, spent.motion)
    return {trees: results[trees] for trees in built}


def measured(
    pool: ProcessPoolExecutor,
    program: Path,
    model: SystemModel,
    trees: Sequence[str],
    closure: Closure = Closure.TRIANGULAR,
) -> Results:
    jobs = [(model, name, closure) for name in trees]
    return timed(program, dict(zip(trees, pool.map(build, jobs), strict=True)))


# --- judging --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """How the choice of fmugen compares with the rows of a table, by operations and by time."""

    mine: Timed
    rows: Mapping[str, Timed]

    @property
    def shortest(self) -> str:
        return min(self.rows, key=lambda name: (self.rows[name].operations, self.rows[name].nanoseconds))

    @property
    def fastest(self) -> str:
        return min(self.rows, key=lambda name: self.rows[name].nanoseconds)

    @property
    def is_shortest(self) -> bool:
        return self._is_shortest(self.mine)

    @property
    def is_fastest(self) -> bool:
        return self._is_fastest(self.mine)

    @property
    def best_in_both(self) -> str:
        """The row that is as short as the shortest and as fast as the fastest, if there is one."""
        both = (name for name, row in self.rows.items() if self._is_shortest(row) and self._is_fastest(row))
        return next(both, "")

    @property
    def better(self) -> str:
        """A row that is better than the choice by operations or by time, and as good by the other."""
        return next((name for name, row in self.rows.items() if _is_better(row, self.mine)), "")

    @property
    def is_good(self) -> bool:
        if self.is_shortest and self.is_fastest:
            return True
        return not self.best_in_both and (self.is_shortest or self.is_fastest) and not self.better

    def _is_shortest(self, one: Timed) -> bool:
        return one.operations <= self.rows[self.shortest].operations

    def _is_fastest(self, one: Timed) -> bool:
        return one.nanoseconds <= (1.0 + NOISE) * self.rows[self.fastest].nanoseconds

    def __str__(self) -> str:
        shortest, fastest = ("best" if best else "NOT best" for best in (self.is_shortest, self.is_fastest))
        operations = self.mine.operations / self.rows[self.shortest].operations
        time = self.mine.nanoseconds / self.rows[self.fastest].nanoseconds
        return f"{shortest} by operations ({operations:.2f} of the best row), {fastest} by time ({time:.2f})"


def _is_better(one: Timed, other: Timed) -> bool:
    shorter, faster = one.operations < other.operations, _is_faster(one, other)
    return (shorter and not _is_faster(other, one)) or (faster and one.operations <= other.operations)


def _is_faster(one: Timed, other: Timed) -> bool:
    return (1.0 + NOISE) * one.nanoseconds < other.nanoseconds


def verdict(results: Results) -> Verdict:
    mine = results[CHEAPEST]
    if isinstance(mine, str):
        raise SystemExit(f"there is no choice of fmugen: {mine}")
    rows = {name: row for name, row in results.items() if name != CHEAPEST and isinstance(row, Timed)}
    return Verdict(mine, rows)


# --- printing -------------------------------------------------------------------------------------


def print_table(table: str, results: Results) -> None:
    content = TABLES[table]
    print(f"\n{table}, {content['example']}\n")
    print("| trees | thesis time, s | thesis complexity | ours | operations | price, ns | time, ns |")
    print("|---|" + "---:|" * 6)
    for number, row in enumerate(content["rows"], 1):
        thesis = f"{row['time'] or ''} | {row['complexity'] or ''} | {counted(table, number).complexity}"
        print(f"| {number} | {thesis} | {cells(results[str(number)])} |")
    print(f"| {CHEAPEST} | | | | {cells(results[CHEAPEST])} |\n")
    print_failures(results)
    print(f"rank correlation: {', '.join(correlations(table, results))}", flush=True)


def cells(result: Timed | str) -> str:
    if isinstance(result, str):
        return "– | – | –"
    return f"{result.operations} | {result.price:.0f} | {result.nanoseconds:.0f}"


def correlations(table: str, results: Results) -> Iterator[str]:
    yield f"complexity of the thesis and ours {rank_correlation(table):.2f}"
    rows = [row for name, row in results.items() if name != CHEAPEST and isinstance(row, Timed)]
    times = [row.nanoseconds for row in rows]
    for what in ("operations", "price"):
        ours = [float(getattr(row, what)) for row in rows]
        yield f"{what} and time {spearmanr(ours, times).statistic:.2f}"


def print_verdict(found: Verdict) -> None:
    print(f"cheapest: {found}")
    if not found.best_in_both:
        shortest, fastest = (found.rows[name] for name in (found.shortest, found.fastest))
        print(
            f"no row is best in both: row {found.shortest} has {shortest.operations} operations and takes "
            f"{shortest.nanoseconds:.0f} ns, row {found.fastest} {fastest.operations} and "
            f"{fastest.nanoseconds:.0f} ns"
        )
    if found.better:
        print(f"row {found.better} is BETTER than the choice of fmugen")
    sys.stdout.flush()


def print_squeezer(found: Mapping[Closure, Results]) -> None:
    print("\nAndrews' squeezer: time of a right-hand side relative to absolute coordinates\n")
    print("| trees | closure | McPhee, table 5 | operations | price, ns | time, ns | ratio |")
    print("|---|---|" + "---:|" * 5)
    for closure, results in found.items():
        base = results["ac"]
        for trees, printed in SQUEEZER.items():
            result = results[trees]
            ratio = "–"
            if isinstance(result, Timed) and isinstance(base, Timed):
                ratio = f"{result.nanoseconds / base.nanoseconds:.2f}"
            published = f"{printed:.2f}" if closure is Closure.BAUMGARTE else ""
            print(f"| {trees} | {closure.value} | {published} | {cells(result)} | {ratio} |")
        print_failures(results)


def print_failures(results: Results) -> None:
    for trees, result in results.items():
        if isinstance(result, str):
            print(f"{trees}: {result}")


def print_summary(verdicts: dict[str, Verdict]) -> bool:
    """The last lines; whether the choice is good in all tables."""
    count = len(verdicts)
    shortest, fastest, good, both = (
        sum(bool(getattr(found, what)) for found in verdicts.values())
        for what in ("is_shortest", "is_fastest", "is_good", "best_in_both")
    )
    print(
        f"\nthe choice of fmugen is best by time in {fastest} of {count} tables, by operations in {shortest}"
    )
    print(f"some row is best in both in {both} of {count}; the choice of fmugen is good in {good} of {count}")
    mechanisms: dict[str, bool] = {}
    for table, found in verdicts.items():
        example = TABLES[table]["example"]
        mechanisms[example] = mechanisms.get(example, True) and found.is_good
    print(f"in all tables of a mechanism it is good for {sum(mechanisms.values())} of {len(mechanisms)}")
    ranks = {table: rank_correlation(table) for table in verdicts}
    print(
        f"rank correlation of the thesis's complexities with ours: {median(ranks.values()):.2f} in the median"
    )
    for table, rank in ranks.items():
        print(f"  {table} {rank:.2f}{': ' + OUTLIERS[table] if table in OUTLIERS else ''}")
    return good == count


def main(arguments: list[str]) -> int:
    names, page = names_and_page("bench.trees", arguments, [*TABLES, "squeezer"])
    with kept_page(page):
        return 0 if print_tables(names) else 3


def print_tables(names: list[str]) -> bool:
    """Everything, or the tables that are named; whether the choice of fmugen is good in all of them."""
    verdicts = {}
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(2, mp_context=context) as pool:
        program = closure_stopwatch(Path(name))
        for table in [name for name in names if name != "squeezer"] if names else TABLES:
            model = mechanism(table)
            results = measured(pool, program, model, [CHEAPEST, *(trees.name for trees in model.trees)])
            print_table(table, results)
            verdicts[table] = verdict(results)
            print_verdict(verdicts[table])
        if "squeezer" in names or not names:
            squeezer = replace(read_model(ROOT / "examples/andrews/model.toml"), outputs=())
            closures = (Closure.BAUMGARTE, Closure.TRIANGULAR)
            print_squeezer(
                {each: measured(pool, program, squeezer, list(SQUEEZER), each) for each in closures}
            )
    return not verdicts or print_summary(verdicts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
