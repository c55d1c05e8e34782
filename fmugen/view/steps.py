"""In words: where a motion iterates, how long its steps take, and how long they may take."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.ir.trial import IteratedPart, TrialRun
from fmugen.trial import WorstStep

__all__ = ["iterated_parts", "iteration_sentence", "measured_step", "worst_steps"]

_MOST_SPANS = 4


def iteration_sentence(trial: TrialRun) -> str:
    """At how many points of the declared motion Newton iteration takes part, and when.

    >>> iteration_sentence(TrialRun(2.0, 2.0, 401))
    'none at 401 points, t = 0 to 2 s'
    >>> iteration_sentence(TrialRun(2.0, 2.0, 401, 3, spans=((0.1, 0.11), (1.0, 1.0))))
    '3 of 401 points, at t = 0.1 to 0.11, 1 s'
    """
    if not trial.is_measured:
        return f"not measured: {trial.problem}"
    if trial.iterates:
        counts = f"{trial.points_with_iteration} of {trial.points} points, {_when(trial.spans)}"
        for part in trial.parts[:1]:
            counts += f": {_names(part)}, since {part.why}{', and others' if trial.parts[1:] else ''}"
    else:
        counts = f"none at {trial.points} points, t = 0 to {trial.reached:g} s"
    early = f"; the run stops after t = {trial.reached:g} s: {trial.problem}" if trial.problem else ""
    return counts + early


def _when(spans: tuple[tuple[float, float], ...]) -> str:
    if len(spans) > _MOST_SPANS:
        return f"between t = {spans[0][0]:g} and {spans[-1][1]:g} s, in {len(spans)} spans"
    shown = [f"{begin:g}" if begin == end else f"{begin:g} to {end:g}" for begin, end in spans]
    return f"at t = {', '.join(shown)} s"


def iterated_parts(trial: TrialRun) -> Iterator[str]:
    """What was iterated there, and why."""
    for part in trial.parts:
        yield f"iterated at {part.points} points: {_names(part)}: {part.why}"


def _names(part: IteratedPart) -> str:
    loops = f" ({', '.join(part.loops)})" if part.loops else ""
    return f"{', '.join(part.unknowns)}{loops}"


def measured_step(trial: TrialRun) -> str:
    """The longest and the mean time of a communication step on this machine."""
    if not trial.is_measured or trial.points < 2:
        return f"not measured: {trial.problem}"
    return (
        f"{_time(trial.worst_seconds)} at t = {trial.worst_time:g} s, "
        f"{_time(trial.mean_seconds)} in the mean of {trial.points - 1} communication steps on this machine"
    )


def _time(seconds: float) -> str:
    """Three digits and a unit.

    >>> _time(8.052e-6), _time(0.0123), _time(2.5)
    ('8.05 µs', '12.3 ms', '2.5 s')
    """
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def worst_steps(worst: WorstStep, iterations: int | None = None) -> Iterator[tuple[str, str]]:
    """The bounds in operations: of an evaluation, of an internal step, of a communication step."""
    if iterations == 0:
        where = "and nothing iterates"
    elif iterations:
        steps = "1 Newton step" if iterations == 1 else f"{iterations} Newton steps"
        where = f"if all guards fail, with {steps} over each block"
    else:
        where = "if all guards fail and all iterations reach their limits"
    yield "worst evaluation", f"at most {worst.evaluation:,} operations, {where}"
    event = f", and {worst.event:,} for each event to locate" if worst.event else ""
    yield (
        "worst internal step",
        f"at most {worst.internal_step:,} operations, checks and change of coordinates included{event}",
    )
    if worst.adaptive:
        yield (
            "worst communication step",
            "not bounded by structure: steps are as many as the tolerance needs, "
            f"at most solver.max_steps = {worst.internal_steps:,}",
        )
    else:
        steps = "1 internal step" if worst.internal_steps == 1 else f"{worst.internal_steps} internal steps"
        without = ", without events" if worst.event else ""
        yield "worst communication step", f"at most {worst.communication_step:,} operations: {steps}{without}"
