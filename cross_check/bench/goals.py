"""Times against their goals: of exports that are measured already, and of the commands check and verify."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from statistics import median

from bench.sizes import chain

__all__ = ["print_goals"]

TIME_LIMIT_S = 600

#: CPU seconds that the export of a model may take.
_EXPORTS = {
    "jansen_walker": 8.0,
    "v6_engine": 8.0,
    "truss_8": 10.0,
    "robot_24": 15.0,
    "car_14": 20.0,
}
#: CPU seconds that the check of an open chain of so many bodies may take.
_CHAINS = {100: 3.0, 1000: 60.0}
#: CPU seconds that the verification of an example may take, its export included.
_VERIFIED = {"slider_crank": 3.0, "stewart_gough": 20.0}
_START_S = 0.2
_GROWTH = 2.3


def _seconds(root: Path, folder: Path, *words: str) -> tuple[float, str]:
    """The CPU seconds of a command, those of the compiler included, and how it ended if not well."""
    environment = {**os.environ, "PYTHONPATH": str(root), "FMUGEN_CACHE": str(folder / "cache")}

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "fmugen", *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_S,
            cwd=folder,
        )
    except subprocess.TimeoutExpired:
        return spent() - before, f"stopped after {TIME_LIMIT_S} s"
    said = (done.stderr or done.stdout).strip().splitlines()
    return spent() - before, "" if done.returncode == 0 else (said[-1] if said else "no message")


def _rows(
    sums: Mapping[str, float], examples: Collection[str], root: Path, folder: Path
) -> Iterator[tuple[str, float, float, str]]:
    """What is measured, its value, its goal, and how a command ended."""
    of_examples = {name: sums[name] for name in examples}
    if of_examples:
        slowest = max(of_examples, key=lambda name: of_examples[name])
        yield "export of an example, median [s]", median(of_examples.values()), 2.0, ""
        yield f"export of an example, slowest ({slowest}) [s]", of_examples[slowest], 8.0, ""
    for name, goal in _EXPORTS.items():
        if name in sums:
            yield f"export of {name} [s]", sums[name], goal, ""
    if {"n_four_bar_20", "n_four_bar_40"} <= set(sums):
        yield (
            "export of n_four_bar_40, times that of n_four_bar_20",
            sums["n_four_bar_40"] / sums["n_four_bar_20"],
            _GROWTH,
            "",
        )
    seconds, ended = _seconds(root, folder, "--help")
    yield "`fmugen --help` [s]", seconds, _START_S, ended
    for links, goal in _CHAINS.items():
        file = folder / f"chain_{links}.toml"
        file.write_text(chain(links), encoding="utf-8")
        seconds, ended = _seconds(root, folder, "check", str(file))
        yield f"`fmugen check` of an open chain of {links} bodies [s]", seconds, goal, ended
    for name, goal in _VERIFIED.items():
        seconds, ended = _seconds(root, folder, "verify", str(root / "examples" / name / "model.toml"))
        yield f"`fmugen verify` of {name}, export included [s]", seconds, goal, ended


def print_goals(sums: Mapping[str, float], examples: Collection[str], root: Path, folder: Path) -> None:
    """A row for each goal. ``sums`` are the seconds of exports; some of them are of ``examples``."""
    print("\nGoals, in CPU seconds with a warm cache:\n")
    print("| measured | value | goal | |\n|---|---|---|---|")
    for what, value, goal, ended in _rows(sums, examples, root, folder):
        verdict = ended or ("met" if value <= goal else "missed")
        print(f"| {what} | {value:.2f} | {goal:g} | {verdict} |", flush=True)
