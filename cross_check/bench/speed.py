"""Time right-hand sides and steps against other programs, and write a page.

    cd cross_check; python -m bench.speed [CASE ...] [--turns N] [--fresh] [--work FOLDER] [--output FILE]

Every mechanism falls from rest, under gravity alone. All contestants take turns; a ratio is that of two times
of one turn, and what is printed is the median of all turns with the smallest and the largest. Results of a
case are kept in the folder of work, so that a run that was stopped goes on where it was; ``--fresh`` begins
anew. Other programs than sympy take part where they are installed (cross_check/bench/peers/requirements.txt).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pages import write_page

from bench.peers.cases import CASES, Case
from bench.peers.page import benchmark_page
from bench.peers.racing import Record, read_record, run_case, write_record

_ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.speed")
    known = [case.name for case in CASES]
    parser.add_argument("names", nargs="*", metavar="CASE", help=f"of {', '.join(known)}; all by default")
    parser.add_argument("--turns", type=int, default=5, help="turns of all contestants")
    parser.add_argument("--fresh", action="store_true", help="begin anew, even if results are there")
    parser.add_argument("--work", type=Path, default=_ROOT / "out" / "bench", help="folder for results")
    parser.add_argument("--output", type=Path, help="page to write")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"there is no case {unknown[0]}; there are {', '.join(known)}")
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    records = []
    for case in CASES:
        if not options.names or case.name in options.names:
            records.append(_record(case, work, options.turns, options.fresh))
            print(f"{case.name}: done", file=sys.stderr, flush=True)
    page = benchmark_page(records)
    print(page)
    if options.output is not None:
        write_page(options.output, page)
    return 0


def _record(case: Case, work: Path, turns: int, fresh: bool) -> Record:
    kept = work / f"{case.name}.json"
    if kept.is_file() and not fresh:
        return read_record(kept)
    record = run_case(case, work, turns)
    write_record(record, kept)
    return record


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
