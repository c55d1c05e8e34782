"""Fit the weights of the price of trees to measured times, and print them beside those that fmugen uses.

    cd cross_check; python -m bench.prices [TABLE ...] [--rounds N] [--fresh] [--output FILE]

The price of a tree set is the expected time of one right-hand side: a weighted sum of what it computes. The
weights come from the tree sets of Léger's appendix A, timed as ``bench.trees`` times them:

1. The constant and the weights of arithmetic operations, functions and exact steps are fitted to the sets in
   which nothing iterates.
2. The weights of iterated blocks and of their elimination are fitted to the other sets; what the first step
   found is held.

Both are non-negative least squares of the relative error. Every table has a factor of its own for the speed
that the machine had while it was timed; the factors have the geometric mean 1. A set without iterated blocks
that iterates nevertheless has exact steps that fail where it starts: it is left out. No set is left to linear
algebra in loops, so these two weights cannot be fitted here.

Times of a table are kept in ``out/prices``; ``--fresh`` measures again. Compare the ratios of weights: the
unit of a price is the nanosecond of the machine of the fit.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from pages import kept_page
from scipy.optimize import nnls
from scipy.stats import spearmanr

from bench.leger import TABLES, mechanism
from bench.timing import closure_stopwatch, times_of_closures
from bench.trees import STEP, STEPS, Built, Cost, build
from fmugen.expr.code import Operations
from fmugen.ir.flow import Closure
from fmugen.ir.platform import host_platform

_KEPT = Path(__file__).resolve().parents[2] / "out" / "prices"
#: Weights in the order of the columns of a sample.
STRAIGHT = ("call", "arithmetic operation", "function", "exact step")
ITERATED = ("iterated block", "operation of its elimination")
#: Rounds of alternating fits of weights and factors; they settle within some tens.
_ROUNDS_OF_FIT = 200

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """What a tree set computes, the iterations that were seen, and its time."""

    table: str
    trees: str
    arithmetic: int
    functions: int
    steps: int
    iterated: int
    elimination: int
    algebra: int
    iterations: float
    nanoseconds: float
    price: float

    @property
    def straight(self) -> list[float]:
        return [1.0, self.arithmetic, self.functions, self.steps]

    @property
    def fits(self) -> bool:
        """Whether the set does what its counts say."""
        return not self.algebra and (self.iterated > 0 or self.iterations == 0.0)


@dataclass(frozen=True)
class Fit:
    """Weights in nanoseconds, the factor of each table, and the root mean square of the relative error."""

    weights: Array
    factors: dict[str, float]
    error: float


# --- measuring ------------------------------------------------------------------------------------


def samples_of(table: str, program: Path, pool: ProcessPoolExecutor, rounds: int) -> list[Sample]:
    """All tree sets of a table that can be built and run, timed in turns."""
    model = mechanism(table)
    names = [trees.name for trees in model.trees]
    jobs = [(model, name, Closure.TRIANGULAR) for name in names]
    built = dict(zip(names, pool.map(build, jobs), strict=True))
    good = {name: made for name, made in built.items() if isinstance(made, Built)}
    libraries = []
    for number, made in enumerate(good.values()):
        path = program.with_name(f"library{number}{host_platform().library_suffix}")
        path.write_bytes(made.library)
        libraries.append((path, made.guid))
    times = times_of_closures(program, libraries, STEP, STEPS, rounds, own=True)
    return [
        _sample(table, name, made.cost, spent.iterations, spent.motion)
        for (name, made), spent in zip(good.items(), times, strict=True)
        if not math.isnan(spent.motion)
    ]


def _sample(table: str, trees: str, cost: Cost, iterations: float, nanoseconds: float) -> Sample:
    functions = cost.program.functions
    return Sample(
        table,
        trees,
        arithmetic=cost.program.total - functions,
        functions=functions,
        steps=cost.steps,
        iterated=cost.iterated,
        elimination=cost.elimination,
        algebra=cost.algebra,
        iterations=iterations,
        nanoseconds=nanoseconds,
        price=cost.price,
    )


def measured_samples(tables: Sequence[str], rounds: int, fresh: bool) -> Iterator[Sample]:
    """The samples of all tables, measured or kept from a run before."""
    _KEPT.mkdir(parents=True, exist_ok=True)
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(2, mp_context=context) as pool:
        program = closure_stopwatch(Path(name))
        for table in tables:
            kept = _KEPT / f"{table}.json"
            if fresh or not kept.is_file():
                found = samples_of(table, program, pool, rounds)
                kept.write_text(json.dumps([asdict(sample) for sample in found], indent=1), encoding="utf-8")
                print(f"{table}: {len(found)} tree sets timed", file=sys.stderr, flush=True)
            for sample in json.loads(kept.read_text(encoding="utf-8")):
                yield Sample(**sample)


# --- fitting --------------------------------------------------------------------------------------


def fit(
    samples: Sequence[Sample],
    columns: Array,
    known: Array | None = None,
    held: Mapping[str, float] | None = None,
) -> Fit:
    """Weights w and factors f of tables that minimize the relative error of f (columns w + known).

    Weights and factors take turns; each turn is a linear least-squares problem. Factors that are ``held`` are
    not fitted. Without ``known`` times the scale of all factors is free; their geometric mean is set to 1.
    """
    held = held or {}
    tables = sorted({sample.table for sample in samples})
    places = np.array([tables.index(sample.table) for sample in samples])
    times = np.array([sample.nanoseconds for sample in samples])
    fixed = np.zeros(len(samples)) if known is None else known
    factors = np.array([held.get(table, 1.0) for table in tables])
    weights = np.zeros(columns.shape[1])
    for _ in range(_ROUNDS_OF_FIT):
        scale = factors[places] / times
        weights, _ = nnls(columns * scale[:, None], 1.0 - fixed * scale)
        ratios = (columns @ weights + fixed) / times
        for number, table in enumerate(tables):
            if table not in held:
                own = ratios[places == number]
                factors[number] = own.sum() / (own @ own)
        if known is None:
            factors /= np.exp(np.log(factors).mean())
    errors = factors[places] * (columns @ weights + fixed) / times - 1.0
    return Fit(weights, dict(zip(tables, factors.tolist(), strict=True)), float(np.sqrt(np.mean(errors**2))))


def fit_in_two_steps(samples: Sequence[Sample]) -> tuple[Fit, Fit | None]:
    """The weights of straight-line code, then, if sets iterate, those of iteration."""
    plain = [sample for sample in samples if not sample.iterated]
    straight = fit(plain, np.array([sample.straight for sample in plain]))
    others = [sample for sample in samples if sample.iterated]
    if not others:
        return straight, None
    known = np.array([sample.straight for sample in others]) @ straight.weights
    columns = np.array([[sample.iterated, sample.elimination] for sample in others], dtype=np.float64)
    return straight, fit(others, columns, known, straight.factors)


def present_weights() -> list[float]:
    """The weights that fmugen uses, in the order of ``STRAIGHT`` and ``ITERATED``."""
    call = Cost(0, 0, Operations()).price
    units = (
        Cost(0, 0, Operations(additions=1)),
        Cost(0, 0, Operations(functions=1)),
        Cost(0, 0, Operations(), steps=1),
        Cost(0, 0, Operations(), iterated=1),
        Cost(0, 0, Operations(), elimination=1),
    )
    return [call, *(unit.price - call for unit in units)]


# --- printing -------------------------------------------------------------------------------------


def print_fit(samples: Sequence[Sample]) -> None:
    used = [sample for sample in samples if sample.fits]
    straight, iterated = fit_in_two_steps(used)
    weights = [*straight.weights, *([] if iterated is None else iterated.weights)]
    present = present_weights()
    print("| weight | fit, ns | over an arithmetic operation | in use, ns | over an arithmetic operation |")
    print("|---|" + "---:|" * 4)
    for name, found, own in zip((*STRAIGHT, *ITERATED), weights, present, strict=False):
        print(f"| {name} | {found:.3g} | {found / weights[1]:.1f} | {own:.3g} | {own / present[1]:.1f} |")
    plain = sum(not sample.iterated for sample in used)
    print(
        f"\n{plain} tree sets without iteration: root mean square of the relative error {straight.error:.1%}"
    )
    if iterated is not None:
        print(f"{len(used) - plain} tree sets with iteration: {iterated.error:.1%}")
    for sample in samples:
        if not sample.fits:
            print(f"left out: {sample.table} row {sample.trees}, which iterates where its exact steps fail")
    fitted = [np.dot(sample.straight, straight.weights) for sample in used]
    if iterated is not None:
        extra = [[sample.iterated, sample.elimination] for sample in used]
        fitted = [float(a + np.dot(b, iterated.weights)) for a, b in zip(fitted, extra, strict=True)]
    for title, prices in (("prices of the fit", fitted), ("prices in use", [each.price for each in used])):
        ranks = list(_rank_correlations(used, prices))
        print(f"{title} and times, rank correlation inside a table: {median(ranks):.2f} in the median")


def _rank_correlations(samples: Sequence[Sample], prices: Sequence[float]) -> Iterator[float]:
    for table in dict.fromkeys(sample.table for sample in samples):
        pairs = [(p, s.nanoseconds) for p, s in zip(prices, samples, strict=True) if s.table == table]
        if len({price for price, _ in pairs}) > 1:
            yield float(spearmanr(*zip(*pairs, strict=True)).statistic)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.prices")
    parser.add_argument("names", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all by default")
    parser.add_argument("--rounds", type=int, default=400, help="turns of all tree sets of a table")
    parser.add_argument("--fresh", action="store_true", help="measure again")
    parser.add_argument("--output", type=Path, help="page to write, too")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(TABLES))
    if unknown:
        parser.error(f"there is no table {unknown[0]}; there are {', '.join(TABLES)}")
    samples = list(measured_samples(options.names or list(TABLES), options.rounds, options.fresh))
    with kept_page(options.output):
        print_fit(samples)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
