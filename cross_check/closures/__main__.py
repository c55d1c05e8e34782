"""Close the loops of all mechanisms of the corpus, and write the table of the reach.

    cd cross_check; python -m closures [NAME ...] [--no-verify] [--cheapest] [--fresh] [--trees NAME]
                                       [--output FILE]

Every mechanism is closed with the trees ``aac``. With ``--cheapest`` those that leave unknowns to iteration
are closed with the cheapest trees, too, and the row with less iteration counts. Rows are kept in
``out/reach`` under their description and the program's sources, so that a run which was stopped goes on;
``--fresh`` begins anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

from pages import write_page

from closures.corpus import CORPUS
from closures.description import Mechanism
from closures.reach import Reach, Run, measured, page
from fmugen.ir.options import CHEAPEST

ROOT = Path(__file__).resolve().parents[2]
_KEPT = ROOT / "out" / "reach"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m closures")
    known = {mechanism.name: mechanism for mechanism in CORPUS}
    parser.add_argument("names", nargs="*", metavar="NAME", help="mechanisms of the corpus; all by default")
    parser.add_argument("--no-verify", action="store_true", help="close the loops only")
    parser.add_argument("--cheapest", action="store_true", help="try the cheapest trees where others iterate")
    parser.add_argument("--fresh", action="store_true", help="measure again what was measured before")
    parser.add_argument("--trees", default="aac", help="the trees to begin with (aac)")
    parser.add_argument("--output", type=Path, help="page to write")
    asked = parser.parse_args(arguments)
    for name in asked.names:
        if name not in known:
            parser.error(f"there is no {name}; there are {', '.join(known)}")
    rows = []
    for name in asked.names or known:
        row = _kept_row(known[name], asked)
        rows.append(row)
        print(f"{row.name}: {row.problem or f'{row.exact} of {row.unknowns} exact, {row.trees}'}", flush=True)
    text = page(rows)
    print(text)
    if asked.output is not None:
        write_page(asked.output, text)
    return 0


def _kept_row(mechanism: Mechanism, asked: argparse.Namespace) -> Reach:
    texts = (repr(mechanism), asked.trees, str(asked.no_verify), str(asked.cheapest), _program())
    key = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:24]
    place = _KEPT / f"{mechanism.name}-{key}.json"
    if place.is_file() and not asked.fresh:
        kept = json.loads(place.read_text(encoding="utf-8"))
        return Reach(**kept | {"runs": tuple(Run(**run) for run in kept["runs"])})
    row = min(_rows(mechanism, asked), key=_effort)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(asdict(row)), encoding="utf-8")
    return row


def _rows(mechanism: Mechanism, asked: argparse.Namespace) -> Iterator[Reach]:
    verify = not asked.no_verify
    first = measured(mechanism, asked.trees, verify=verify)
    yield first
    if asked.cheapest and (first.iterated or first.problem):
        yield measured(mechanism, CHEAPEST, verify=verify)


def _effort(row: Reach) -> tuple[bool, int, int]:
    return bool(row.problem), row.iterated, row.operations


@cache
def _program() -> str:
    """A digest of the program."""
    found = hashlib.sha256()
    parts = [*(ROOT / "fmugen").rglob("*.py"), *(ROOT / "templates").rglob("*.[chj]*")]
    for path in sorted(parts):
        found.update(path.read_bytes())
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
