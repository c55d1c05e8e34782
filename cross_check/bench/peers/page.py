"""Records of cases as a page: the machine, the versions, ratios with their spread, goals and growth."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from bench.peers.contestants import CONTESTANTS, COUNT, TOLERANCE
from bench.peers.racing import SAME_MOTION, STOP, Record

__all__ = ["benchmark_page"]

_OWN, *_OTHERS = [contestant.name for contestant in CONTESTANTS]
_KANE = _OTHERS[0]
_PEERS = _OTHERS[1:]
#: How much dearer twice as many windows may be: linear growth with a little to spare.
_LINEAR = 2.3

#: The readings of a contestant, turn by turn; none where there are none.
Part = Callable[[Record, str], Sequence[float]]


def _sides(record: Record, name: str) -> Sequence[float]:
    return record.times[name].side if name in record.times else ()


def _steps(record: Record, name: str) -> Sequence[float]:
    return record.times[name].step if name in record.times else ()


def _motions(record: Record, name: str) -> Sequence[float]:
    return record.equal[name].motion if name in record.equal else ()


def benchmark_page(records: Sequence[Record]) -> str:
    """The text of the page."""
    return "\n".join(_lines(records)) + "\n"


def _lines(records: Sequence[Record]) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield "Written by `make bench`. CPU times of one run, all programs taking turns; ratios are medians of"
    yield "all turns, with the smallest and the largest in brackets. Every mechanism falls from rest for"
    yield f"{STOP:g} s."
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
    yield from _table(records, _sides)
    yield ""
    yield "## Step"
    yield ""
    yield f"`fmi2DoStep` of {1e3 * STOP / COUNT:g} ms through a master in C against a step of other programs:"
    yield "of RK4, in Drake of its discrete solver (SAP), in Exudyn of the generalized-alpha method. CVODES"
    yield f"and IDAS choose their steps, at a tolerance of {TOLERANCE:g}: theirs is the time of the motion"
    yield f"over {COUNT}."
    yield ""
    yield from _table(records, _steps)
    yield ""
    yield from _errors(records)
    yield ""
    yield "## Motion at equal error"
    yield ""
    yield "CPU time of all of the motion, with the longest step, or the loosest tolerance, whose error is"
    yield f"at most {SAME_MOTION:g} m; square brackets tell it. A dash: no step that was tried, down to"
    yield f"{1e3 * STOP / max(CONTESTANTS[0].efforts):g} ms, is exact enough."
    yield ""
    yield from _equal_table(records)
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
        own = part(record, _OWN)
        spent = f"{np.median(own):.0f}" if len(own) else "–"
        yield f"| {record.case} | {spent} | {' | '.join(_ratio(record, name, part) for name in _OTHERS)} |"


def _equal_table(records: Sequence[Record]) -> Iterator[str]:
    yield f"| case | {_OWN}, µs | {' | '.join(_OTHERS)} |"
    yield "|---|---:|" + "---:|" * len(_OTHERS)
    for record in records:
        own = record.equal.get(_OWN)
        spent = "–" if own is None else f"{1e-3 * np.median(own.motion):.1f} [{_effort(own.effort)}]"
        cells = (
            f"{_ratio(record, name, _motions)} [{_effort(record.equal[name].effort)}]"
            if own is not None and name in record.equal
            else "–"
            for name in _OTHERS
        )
        yield f"| {record.case} | {spent} | {' | '.join(cells)} |"


def _effort(effort: float) -> str:
    """A number of steps as the length of one, or a tolerance."""
    return f"{1e3 * STOP / effort:g} ms" if effort > 1 else f"{effort:.0e}"


def _ratio(record: Record, name: str, part: Part) -> str:
    ratios = _ratios(record, name, part)
    if ratios is None:
        return "–"
    return f"{np.median(ratios):.1f} ({ratios.min():.1f}–{ratios.max():.1f})"


def _ratios(record: Record, name: str, part: Part) -> np.ndarray | None:
    """The times of a contestant over our own, turn by turn."""
    theirs, own = part(record, name), part(record, _OWN)
    return np.array(theirs) / np.array(own) if len(theirs) and len(own) else None


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
    yield "How many times faster right-hand sides are to be, and are; the same of the motion at equal error."
    yield ""
    yield "| case | of | than | goal | measured | |"
    yield "|---|---|---|---:|---:|---|"
    for record in records:
        for rival, goals in record.goals.items():
            parts = (("right-hand side", _sides), ("motion", _motions))
            for (what, part), goal in zip(parts, goals, strict=True):
                reached = _reached(record, _PEERS if rival == "peers" else [rival], part)
                if reached is not None:
                    ratio, name = reached
                    than = f"the fastest peer, {name}" if rival == "peers" else rival
                    verdict = _verdict(record.times[_OWN].error, goal, ratio)
                    yield f"| {record.case} | {what} | {than} | {goal:g} | {ratio:.1f} | {verdict} |"


def _verdict(error: float, goal: float, reached: float) -> str:
    if not error <= SAME_MOTION:
        return f"NOT COUNTED: the motion is wrong by {error:.0e} m"
    return "reached" if reached >= goal else f"MISSED by {goal / reached:.2f}x"


def _reached(record: Record, rivals: Sequence[str], part: Part) -> tuple[float, str] | None:
    """The least ratio to rivals, and whose it is."""
    found = {name: _ratios(record, name, part) for name in rivals}
    medians = [(float(np.median(ratios)), name) for name, ratios in found.items() if ratios is not None]
    return min(medians, default=None)


def _growth(records: Sequence[Record]) -> Iterator[str]:
    yield "## Growth with the number of windows of an N-four-bar"
    yield ""
    yield f"Where windows double, a factor up to {_LINEAR} counts as linear. Factors are those of the"
    yield "least times of turns that both sizes take."
    yield ""
    yield "| windows | right-hand side, ns | step, ns | model to C, s | characters of C |"
    yield "|---:|---:|---:|---:|---:|"
    for record in records:
        factors = [f" ({factor:.2f}x)" for factor in record.growth.values()] or [""] * 4
        cells = [f"{size:.3g}{factor}" for size, factor in zip(_sizes(record), factors, strict=True)]
        yield f"| {record.windows} | {' | '.join(cells)} |"


def _sizes(record: Record) -> tuple[float, ...]:
    own = record.times[_OWN]
    return (
        float(np.median(own.side)),
        float(np.median(own.step)),
        record.seconds,
        float(record.characters),
    )
