"""Run every example in every importer, compare with the reference, and write a table.

    python cross_check/importers [NAME ...] [--steps N] [--workers N] [--output FILE]

A figure is the largest deviation of any output from the reference, as a part of the signal's scale; angles
are compared up to whole turns. Of the validator it is the number of problems, of CasADi the difference of its
Jacobian from central differences, of other platforms that from this one; of the master in C, which runs two
instances of the example and two of another FMU in two threads, that from runs alone; of a controller in
an FMU of PythonFMU, which drives the last input by the first output, that from the same law called directly.
``not run`` says what is missing on this machine, or in the model. The exit code is 3 if anything failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from importers import IMPORTERS
from rows import EXAMPLES, make_subject, row
from subjects import FAILED

#: The other FMU of the master in C.
COMPANION = "slider_crank"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cross_check/importers")
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; all by default")
    parser.add_argument("--steps", type=int, default=100, help="communication steps to run at most (100)")
    parser.add_argument("--workers", type=int, default=2, help="examples to run at a time (2)")
    parser.add_argument("--output", type=Path, help="file to write the table to, too")
    options = parser.parse_args(arguments)
    names = options.names or sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
    lines = []
    for line in _table(names, options.steps, options.workers):
        print(line, flush=True)
        lines.append(line)
    if options.output is not None:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 3 if any(FAILED in line for line in lines) else 0


def _table(names: list[str], steps: int, workers: int) -> Iterator[str]:
    yield f"The first {steps} communication steps of every example, or all where there are fewer."
    yield ""
    yield _line(["example", *(importer.title for importer in IMPORTERS), "seconds"])
    yield _line(["---"] * (len(IMPORTERS) + 2))
    yield _line(["*passes up to*", *(f"{importer.tolerance:.0e}" for importer in IMPORTERS), ""])
    # A process of an importer that crashes takes none of these with it.
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder, pool:
        companion = make_subject(COMPANION, Path(folder), steps)
        for cells in pool.map(partial(row, steps=steps, companion=companion), names):
            yield _line(cells)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
