"""Run every example in every importer, compare with the reference, and write a table.

    python cross_check/importers [NAME ...] [--steps N] [--workers N] [--fresh] [--output FILE]

A figure is the largest deviation of any output from the reference, as a part of the signal's scale; angles
are compared up to whole turns. Of the validator it is the number of problems, of CasADi the difference of its
Jacobian from central differences, of other platforms that from this one; of the master in C, which runs two
instances of the example and two of another FMU in two threads, that from runs alone; of a controller in
an FMU of PythonFMU, which drives the last input by the first output, that from the same law called directly.
``not run`` says what is missing on this machine, or in the model. Rows that passed are kept in the cache of
fmugen until the program, the example or an importer changes, so that a run that was stopped goes on where
it was; ``--fresh`` runs all of them. The exit code is 3 if anything failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from rows import EXAMPLES, make_subject, row
from table import COMPANION, Cells, failures, finished_rows, page, place_of_row

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))
from pages import write_page


def main(arguments: list[str]) -> int:
    known = sorted(path.parent.name for path in EXAMPLES.glob("*/model.toml"))
    parser = argparse.ArgumentParser(prog="cross_check/importers")
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; all by default")
    parser.add_argument("--steps", type=int, default=100, help="communication steps to run at most (100)")
    parser.add_argument("--workers", type=int, default=2, help="examples to run at a time (2)")
    parser.add_argument("--fresh", action="store_true", help="run all rows, even if they are kept")
    parser.add_argument("--output", type=Path, help="file to write the table to, too")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"there is no example {unknown[0]}; there are {', '.join(known)}")
    places = {name: place_of_row(name, options.steps) for name in options.names or known}
    if options.fresh:
        for place in places.values():
            place.unlink(missing_ok=True)

    def run(names: Sequence[str]) -> Iterator[Cells]:
        return _run(names, options.steps, options.workers)

    try:
        rows = finished_rows(places, run, lambda words: print(words, file=sys.stderr, flush=True))
    except KeyboardInterrupt:
        print("stopped; rows that passed are kept, and the same command goes on", file=sys.stderr)
        return 130
    text = page(rows, options.steps)
    print(text, end="")
    if options.output is not None:
        write_page(options.output, text)
    return 3 if any(map(failures, rows)) else 0


def _run(names: Sequence[str], steps: int, workers: int) -> Iterator[Cells]:
    """The rows of examples as they end."""
    # A process of an importer that crashes takes none of these with it.
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder, pool:
        companion = make_subject(COMPANION, Path(folder), steps)
        started = [pool.submit(row, name, steps, companion) for name in names]
        try:
            for ended in as_completed(started):
                yield ended.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
