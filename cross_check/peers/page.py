"""Records of cases as a page: the machine, the versions, ratios with their spread, goals and growth."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from peers.casadi_run import TOLERANCE
from peers.contestants import CONTESTANTS
from peers.racing import COUNT, STEP, Record, Times

__all__ = ["benchmark_page"]

_OWN, *_OTHERS = [contestant.name for contestant in CONTESTANTS]
_KANE = _OTHERS[0]
_PEERS = _OTHERS[1:]
#: How much dearer twice as many windows may be: linear growth with a little to spare.
_LINEAR = 2.3
#: The largest error, in metres, with which a time counts.
_SAME_MOTION = 1e-5

Part = Callable[[Times], list[float]]


def benchmark_page(records: Sequence[Record]) -> str:
    """The text of the page."""
    return "\n".join(_lines(records)) + "\n"


def _lines(records: Sequence[Record]) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield "Written by `make bench`. CPU times of one run, all programs taking turns; ratios are medians of"
    yield "all turns, with the smallest and the largest in brackets. Every mechanism falls from rest for"
    yield f"{COUNT * STEP:g} s; all integrate with RK4 and steps of {1e3 * STEP:g} ms."
    yield "An error is the largest distance of a mass centre from the independent reference at the end."
    yield ""
    yield f"Machine: {_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}."
    versions = dict.fromkeys(version for record in records for version in record.versions.values())
    yield f"Versions: {', '.join(versions)}, Python {platform.python_version()}."
    yield ""
    yield "## Right-hand side"
    yield ""
    yield "Positions, velocities, accelerations and multipliers from independent coordinates."
    yield ""
    yield from _table(records, lambda times: times.side)
    yield ""
    yield "## Step"
    yield ""
    yield "`fmi2DoStep` through a master in C against a step of RK4 in other programs. CVODES and IDAS choose"
    yield f"their steps, at a tolerance of {TOLERANCE:g}: theirs is the time of the motion over {COUNT}."
    yield ""
    yield from _table(records, lambda times: times.step)
    yield ""
    yield from _errors(records)
    yield ""
    yield from _goals(records)
    growing = [record for record in records if record.windows and _OWN in record.times]
    if len(growing) > 1:
        yield ""
        yield from _growth(growing)
    left_out = [
        f"- {record.case}, {name}: {reason}" for record in records for name, reason in record.unfit.items()
    ]
    if left_out:
        yield from ("", "## Not run", "", *left_out)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def _table(records: Sequence[Record], part: Part) -> Iterator[str]:
    yield f"| case | {_OWN}, ns | {' | '.join(_OTHERS)} |"
    yield "|---|---:|" + "---:|" * len(_OTHERS)
    for record in records:
        own = record.times.get(_OWN)
        spent = "–" if own is None else f"{np.median(part(own)):.0f}"
        yield f"| {record.case} | {spent} | {' | '.join(_ratio(record, name, part) for name in _OTHERS)} |"


def _ratio(record: Record, name: str, part: Part) -> str:
    ratios = _ratios(record, name, part)
    if ratios is None:
        return "–"
    return f"{np.median(ratios):.1f} ({ratios.min():.1f}–{ratios.max():.1f})"


def _ratios(record: Record, name: str, part: Part) -> np.ndarray | None:
    """The times of a contestant over our own, turn by turn."""
    if name not in record.times or _OWN not in record.times or not part(record.times[name]):
        return None
    return np.array(part(record.times[name])) / np.array(part(record.times[_OWN]))


def _errors(records: Sequence[Record]) -> Iterator[str]:
    names = [_OWN, *_OTHERS]
    yield "Errors at the end, in metres:"
    yield ""
    yield f"| case | {' | '.join(names)} |"
    yield "|---|" + "---:|" * len(names)
    for record in records:
        cells = [f"{record.times[name].error:.0e}" if name in record.times else "–" for name in names]
        yield f"| {record.case} | {' | '.join(cells)} |"


def _goals(records: Sequence[Record]) -> Iterator[str]:
    yield "## Goals"
    yield ""
    yield "How many times faster right-hand sides are to be, and are."
    yield ""
    yield "| case | than | goal | measured | |"
    yield "|---|---|---:|---:|---|"
    for record in records:
        for rival, goal in record.goals.items():
            reached = _reached(record, _PEERS if rival == "peers" else [rival])
            if reached is not None:
                verdict = _verdict(record.times[_OWN].error, goal, reached)
                than = "the fastest peer" if rival == "peers" else rival
                yield f"| {record.case} | {than} | {goal:g} | {reached:.1f} | {verdict} |"


def _verdict(error: float, goal: float, reached: float) -> str:
    if not error <= _SAME_MOTION:
        return f"NOT COUNTED: the motion is wrong by {error:.0e} m"
    return "reached" if reached >= goal else f"MISSED by {goal / reached:.2f}x"


def _reached(record: Record, rivals: Sequence[str]) -> float | None:
    found = [_ratios(record, name, lambda times: times.side) for name in rivals]
    return min((float(np.median(ratios)) for ratios in found if ratios is not None), default=None)


def _growth(records: Sequence[Record]) -> Iterator[str]:
    yield "## Growth with the number of windows of an N-four-bar"
    yield ""
    yield f"Where windows double, a factor up to {_LINEAR} counts as linear."
    yield ""
    yield "| windows | right-hand side, ns | step, ns | model to C, s | characters of C |"
    yield "|---:|---:|---:|---:|---:|"
    rows = {record.windows: _sizes(record) for record in records}
    for windows, sizes in rows.items():
        half = rows.get(windows // 2) if windows % 2 == 0 else None
        cells = [
            f"{size:.3g}" if half is None else f"{size:.3g} ({size / before:.2f}x)"
            for size, before in zip(sizes, half or sizes, strict=True)
        ]
        yield f"| {windows} | {' | '.join(cells)} |"


def _sizes(record: Record) -> tuple[float, ...]:
    own = record.times[_OWN]
    return (
        float(np.median(own.side)),
        float(np.median(own.step)),
        record.seconds,
        float(record.characters),
    )
