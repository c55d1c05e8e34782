"""The page of figures that a campaign writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linkages.judge import Verdict
from linkages.runs import EXAMPLES_FAMILY, Judged

__all__ = ["page"]

_COLUMNS = (
    Verdict.RIGHT,
    Verdict.REFUSED,
    Verdict.UNFOLLOWED,
    Verdict.CONTRADICTION,
    Verdict.WRONG,
    Verdict.CRASH,
    Verdict.SLOW,
)
_HEADER = """\
# Reliability

Written by `cross_check/reliability.py`; `make fuzz` runs it for 60 CPU minutes. This page is of a run of
{minutes:.1f} CPU minutes. Linkages are drawn at random in a closed pose, with guesses that are exact, rough,
off by whole turns, or missing. `check`, `closure`, `export`, the FMU and the reference must tell one story of
each, and the FMU must be right in co-simulation and in model exchange. The program explains the columns.
"""


def page(judged: Sequence[Judged], limit: float) -> str:
    """All figures, and a command for every draw that is not right."""
    header = _HEADER.format(minutes=sum(each.seconds for each in judged) / 60.0)
    return "\n".join([header, *_table(judged, limit), *_failures(judged)]) + "\n"


def _table(judged: Sequence[Judged], limit: float) -> Iterator[str]:
    names = [verdict.value for verdict in _COLUMNS]
    names[-1] = f"{names[-1]} ({limit:g} CPU s)"
    names.insert(2, "of these the reference follows")
    yield f"| family | seeds | runs | {' | '.join(names)} | largest deviation | nearer start known | CPU s |"
    yield "|---|---" + "|---:" * (len(names) + 4) + "|"
    families = list(dict.fromkeys(each.family for each in judged))
    families.sort(key=lambda family: family == EXAMPLES_FAMILY)
    for family in families:
        mine = [each for each in judged if each.family == family]
        yield _row(family, _seeds(mine), mine)
    if len(families) > 1:
        yield _row("all", "", judged)
    yield ""


def _row(name: str, seeds: str, judged: Sequence[Judged]) -> str:
    counts = [sum(each.verdict == verdict.value for each in judged) for verdict in _COLUMNS]
    counts.insert(2, sum(each.followed for each in judged))
    deviation = max((each.deviation for each in judged if each.verdict == Verdict.RIGHT.value), default=0.0)
    missed = sum(each.missed for each in judged)
    seconds = sum(each.seconds for each in judged)
    cells = [name, seeds, len(judged), *counts, f"{deviation:.1e}", missed, f"{seconds:.0f}"]
    return f"| {' | '.join(map(str, cells))} |"


def _seeds(judged: Sequence[Judged]) -> str:
    """The seeds of a family, as ranges.

    >>> _seeds([Judged("x", seed, "", "", "") for seed in (0, 1, 2, 5)])
    '0-2, 5'
    """
    ranges: list[list[int]] = []
    for seed in sorted({each.seed for each in judged}):
        if ranges and seed == ranges[-1][1] + 1:
            ranges[-1][1] = seed
        else:
            ranges.append([seed, seed])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in ranges)


def _failures(judged: Sequence[Judged]) -> Iterator[str]:
    for verdict in reversed(_COLUMNS[1:]):
        mine = [each for each in judged if each.verdict == verdict.value]
        if not mine:
            continue
        yield f"## {verdict.value.capitalize()}"
        yield ""
        for each in mine:
            sentences = [text for found, text in each.findings if found == verdict.value]
            yield f"- `{each.command}` ({each.name}, guesses {each.guesses}): {_plain(sentences[0])}"
        yield ""


def _plain(text: str) -> str:
    return text.replace("|", "/")[:300]
