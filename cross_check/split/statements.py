"""What the thesis says of its methods, beside what runs show."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Statement", "statements"]

COARSE, FINE, LONG, SHORT = "adaptive 0.001", "adaptive 1e-06", "fixed 0.01 s", "fixed 0.001 s"


@dataclass(frozen=True)
class Statement:
    """``fmus`` and ``hand`` begin with whether the statement holds there."""

    place: str
    claim: str
    fmus: str
    hand: str


class Runs:
    """Outcomes by method and setting."""

    def __init__(self, outcomes: Sequence[Any]) -> None:
        self._found = {(o.method, o.setting): o for o in outcomes}

    @property
    def penalty(self) -> list[str]:
        return self._names("penalty")

    @property
    def projection(self) -> list[str]:
        return self._names("projection")

    def _names(self, start: str) -> list[str]:
        names = list(dict.fromkeys(name for name, _ in self._found if name.startswith(start)))
        if not names:
            raise KeyError(start)
        return names

    def of(self, name: str, setting: str) -> Any:
        return self._found[name, setting]

    def all_of(self, name: str) -> list[Any]:
        found = [outcome for (method, _), outcome in self._found.items() if method == name]
        if not found:
            raise KeyError(name)
        return found

    def evaluations(self, names: Sequence[str], setting: str) -> list[int]:
        return [self.of(name, setting).evaluations for name in names]


def statements(fmus: Sequence[Any], hand: Sequence[Any]) -> list[Statement]:
    """Every statement, judged for the FMUs and for the methods by hand."""
    found = []
    for place, claim, judge in _CLAIMS:
        found.append(Statement(place, claim, _judged(judge, Runs(fmus)), _judged(judge, Runs(hand))))
    return found


def _judged(judge: Callable[[Runs], tuple[bool, str]], runs: Runs) -> str:
    try:
        holds, words = judge(runs)
    except KeyError:
        return "not run"
    return f"{'yes' if holds else '**no**'}: {words}"


def _rising(numbers: Sequence[float]) -> bool:
    return all(a < b for a, b in itertools.pairwise(numbers))


def _stiffness_costs(runs: Runs) -> tuple[bool, str]:
    words, holds = [], True
    for setting in (COARSE, FINE):
        numbers = runs.evaluations(runs.penalty, setting)
        holds = holds and _rising(numbers)
        words.append(", ".join(map(str, numbers)))
    return holds, "; ".join(words)


def _fails(setting: str, expected: int) -> Callable[[Runs], tuple[bool, str]]:
    def judge(runs: Runs) -> tuple[bool, str]:
        failed = [bool(runs.of(name, setting).failure) for name in runs.penalty]
        names = [name.split("= ")[1] for name, bad in zip(runs.penalty, failed, strict=True) if bad]
        return failed == [n >= len(failed) - expected for n in range(len(failed))], (
            "fails for " + ", ".join(names) if names else "none fails"
        )

    return judge


def _insensitive(runs: Runs) -> tuple[bool, str]:
    late = [runs.of(name, FINE).error for name in runs.penalty]
    early = [runs.of(name, FINE).early for name in runs.penalty]
    words = " ".join(f"{e:.1g}" for e in late) + " in 3 s, but " + " ".join(f"{e:.1g}" for e in early)
    return max(late) < 10 * min(late), words + " in 1 s"


def _not_stiff(runs: Runs) -> tuple[bool, str]:
    mine = max(runs.evaluations(runs.projection, FINE))
    least = min(runs.evaluations(runs.penalty, FINE))
    return mine < least, f"at most {mine}, penalty at least {least}"


def _sigma_costs(runs: Runs) -> tuple[bool, str]:
    numbers = runs.evaluations(runs.projection, FINE)
    return numbers[-1] > numbers[0], ", ".join(map(str, numbers))


def _projection_breaks(runs: Runs) -> tuple[bool, str]:
    failed = [name for name in runs.projection if runs.of(name, LONG).failure]
    largest = max(runs.of(name, LONG).error for name in runs.projection)
    return len(failed) == len(runs.projection), f"{len(failed)} fail; largest error {largest:.1e} rad"


def _few_steps(runs: Runs) -> tuple[bool, str]:
    steps = [runs.of("denoc", setting).steps for setting in (COARSE, FINE)]
    return max(steps) <= 320, f"{steps[0]} and {steps[1]} steps"


def _most_accurate(runs: Runs) -> tuple[bool, str]:
    mine = runs.of("denoc", SHORT).error
    rest = {name: runs.of(name, SHORT) for name in runs.penalty + runs.projection}
    good = [o.error for o in rest.values() if not o.failure]
    return mine <= min(good), f"{mine:.1e} rad; projection and penalty at best {min(good):.1e} rad"


def _exact_best(runs: Runs) -> tuple[bool, str]:
    """Whether for every run of another method there is one of exact that is as good for the same price."""
    mine = runs.all_of("exact")
    rest = [o for name in (*runs.penalty, *runs.projection, "denoc") for o in runs.all_of(name)]
    finished = [o for o in rest if not o.failure]
    better = [
        f"{o.method}, {o.setting}"
        for o in finished
        if not any(m.evaluations <= o.evaluations and m.error <= 1.1 * o.error for m in mine)
    ]
    gap = max(o.gap for o in mine)
    words = f"{len(finished) - len(better)} of {len(finished)} runs; loops open by at most {gap:.0e} m"
    return not better, "; ".join([words, *better])


_CLAIMS: tuple[tuple[str, str, Callable[[Runs], tuple[bool, str]]], ...] = (
    (
        "4.1, fig. 4.3e, 4.4e",
        "stiffer springs need more evaluations (tolerance 1e-3; 1e-6)",
        _stiffness_costs,
    ),
    ("4.1, fig. 4.5", "0.01 s: fails for k = 1e4, 1e5, 1e6", _fails(LONG, 3)),
    ("4.1, fig. 4.6", "0.001 s: fails for k = 1e6 only", _fails(SHORT, 1)),
    ("4.1", "the error hardly depends on k (tolerance 1e-6)", _insensitive),
    ("4.2, fig. 4.9e", "projection is not stiff: far fewer evaluations than penalty", _not_stiff),
    ("4.2", "evaluations grow with σ", _sigma_costs),
    ("4.2, fig. 4.10", "projection breaks with 0.01 s, its dependent columns singular", _projection_breaks),
    ("4.3", "DeNOC takes few steps, 301 and 319 (tolerance 1e-3 and 1e-6)", _few_steps),
    ("4.3, 5.1", "DeNOC is the most accurate of the three (0.001 s)", _most_accurate),
    (
        "–",
        "exact is best: no run of another method has an error below 0.9 of that of a run of exact with as "
        "many evaluations or fewer",
        _exact_best,
    ),
)
