"""Judge linkages at random and examples with parameters at random, and write the figures.

    python cross_check/reliability.py [FAMILY ...] [--first N] [--draws N] [--cpu-minutes X] [--limit SECONDS]
                                      [--jobs N] [--fresh] [--output FILE]
    python cross_check/reliability.py FAMILY --seed N [--show]

A linkage is drawn in a closed pose, with guesses that are exact, rough, off by whole turns, or missing. All
that a user runs is run: ``check``, ``closure``, ``export``, the FMU in co-simulation and model exchange, and
the reference. All of them must tell one story, and the FMU must be right. A solver of model exchange has
errors of its own: where it deviates or fails, shorter steps and another tolerance must show the FMU right.

- *right*: all agree on start, coordinates and iterations, and the FMU follows the reference.
- *refused with a sentence*: all commands refuse the model, or the FMU stops on the way and says why.
- *reference could not follow*: the judge says so.
- *contradiction*: two of them tell different things of one model.
- *wrong*: a deviation, a number that is not finite, a start that misses guesses which close all loops.
- *crash*: an exception that is not a sentence for the user.
- *too slow*: not judged within the limit of CPU seconds.

The family ``examples`` draws parameters (``cross_check/fuzz.py``). It gets a share of the CPU time, the
linkages the rest, seed after seed. Judged draws are kept in ``out/reliability`` while the program stays the
same, so that a run which was stopped goes on; ``--fresh`` begins anew. Equal seeds give equal draws. The exit
code is 3 after contradictions, wrong runs and crashes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from linkages.draws import FAMILIES, draw
from linkages.page import page
from linkages.runs import EXAMPLES_FAMILY, Judged, Task, example_tasks, judge_seed, judge_tasks
from pages import write_page

ROOT = Path(__file__).resolve().parent.parent
#: The part of the CPU time for examples, where both are asked for.
_EXAMPLES_SHARE = 0.35
#: Verdicts that make the program fail.
_BAD = ("contradiction", "wrong", "crash")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="cross_check/reliability.py")
    known = [*FAMILIES, EXAMPLES_FAMILY]
    parser.add_argument(
        "families", nargs="*", metavar="FAMILY", help=f"of {', '.join(known)}; all by default"
    )
    parser.add_argument("--seed", type=int, help="judge one draw and print all that was found")
    parser.add_argument("--show", action="store_true", help="print the model file of the draw, too")
    parser.add_argument("--first", type=int, default=0, help="first seed (0)")
    parser.add_argument("--draws", type=int, help="draws of each family; no bound by default")
    parser.add_argument("--cpu-minutes", type=float, default=60.0, help="CPU time of all draws (60)")
    parser.add_argument("--limit", type=float, default=90.0, help="CPU seconds of a draw (90)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="draws judged at a time")
    parser.add_argument("--fresh", action="store_true", help="judge again what was judged before")
    parser.add_argument("--output", type=Path, help="page to write")
    asked = parser.parse_args(arguments)
    for name in asked.families:
        if name not in known:
            parser.error(f"there is no family {name}; there are {', '.join(known)}")
    families = asked.families or known
    if asked.seed is not None:
        return _one(families, asked.seed, asked.limit, asked.show)
    store = _Store(asked.fresh)
    judged = list(_campaign(families, asked, store))
    text = page(judged, asked.limit)
    print(text)
    if asked.output is not None:
        write_page(asked.output, text)
    return 3 if any(each.verdict in _BAD for each in judged) else 0


def _one(families: Sequence[str], seed: int, limit: float, show: bool) -> int:
    bad = False
    for family in families:
        if family == EXAMPLES_FAMILY:
            continue
        if show:
            print(draw(family, seed).text)
        found = judge_seed(family, seed, limit)
        print("\n".join(_lines(found)))
        bad = bad or found.verdict in _BAD
    return 3 if bad else 0


def _campaign(families: Sequence[str], asked: argparse.Namespace, store: _Store) -> Iterator[Judged]:
    """Judge until the CPU time or the draws are used up; what was kept counts."""
    drawn = [family for family in families if family != EXAMPLES_FAMILY]
    budget, spent = 60.0 * asked.cpu_minutes, 0.0
    if EXAMPLES_FAMILY in families:
        share = _EXAMPLES_SHARE * budget if drawn else budget
        for each in _judged(example_tasks(asked.first + 1, asked.draws), share, asked, store):
            spent += each.seconds
            yield each
    if drawn:
        yield from _judged(_linkage_tasks(drawn, asked.first, asked.draws), budget - spent, asked, store)


def _judged(
    tasks: Iterator[Task], budget: float, asked: argparse.Namespace, store: _Store
) -> Iterator[Judged]:
    """The outcomes of tasks, until their CPU seconds are spent."""
    spent = 0.0
    kept: list[Judged] = []

    def to_judge() -> Iterator[Task]:
        nonlocal spent
        for task in tasks:
            if spent >= budget:
                return
            known = store.kept(task)
            if known is None:
                yield task
                continue
            spent += sum(each.seconds for each in known)
            kept.extend(known)

    for task, found in judge_tasks(to_judge(), asked.limit, asked.jobs):
        store.keep(task, found)
        spent += sum(each.seconds for each in found)
        for each in found:
            print("\n".join(_lines(each)), flush=True)
        yield from found
    yield from kept


def _linkage_tasks(families: Sequence[str], first: int, draws: int | None) -> Iterator[Task]:
    seed = first
    while draws is None or seed < first + draws:
        for family in families:
            yield family, seed
        seed += 1


def _lines(judged: Judged) -> Iterator[str]:
    yield (
        f"{judged.family} {judged.seed}: {judged.name}, guesses {judged.guesses}: {judged.verdict}"
        f"{f', deviation {judged.deviation:.1e}' if judged.deviation else ''}, {judged.seconds:.1f} s"
    )
    for verdict, sentence in judged.findings:
        yield f"    {verdict}: {sentence}"
    if judged.missed:
        yield "    a start nearer to the guesses is known"


class _Store:
    """Draws that were judged, in a file that belongs to the program as it is."""

    def __init__(self, fresh: bool) -> None:
        folder = ROOT / "out" / "reliability"
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{_fingerprint()}.jsonl"
        if fresh:
            self._path.unlink(missing_ok=True)
        self._known: dict[Task, list[Judged]] = {}
        if self._path.is_file():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self._known[row["task"][0], row["task"][1]] = [Judged(**each) for each in row["judged"]]

    def kept(self, task: Task) -> list[Judged] | None:
        return self._known.get(task)

    def keep(self, task: Task, judged: list[Judged]) -> None:
        row = {"task": list(task), "judged": [asdict(each) for each in judged]}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _fingerprint() -> str:
    """A word that changes with the program and with what is drawn."""
    digest = hashlib.sha256()
    for folder in ("fmugen", "templates", "cross_check/linkages", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
