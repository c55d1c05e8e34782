"""The judge of a draw: all commands tell one story, and the FMU is right by the reference."""

from __future__ import annotations

import math
import re
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

import numpy as np
from element_views import drivers_of

from fmugen.errors import FmugenError, RefusedError, SimulationError, TimeLimitError
from fmugen.ir.model import SystemModel
from fmugen.phases.read import read_model
from fmugen.phases.triangularize.measures import measures_of
from fmugen.verify.compare import verify_fmu
from fmugen.verify.deadline import limited_time, start_clock
from fmugen.verify.reference import solve_reference
from fmugen.verify.simulate import Run, Trajectory, communication_points, simulate_runs
from fmugen.verify.verdict import Verification
from linkages.draws import Draw
from linkages.stories import (
    Story,
    all_stories,
    assembled_by_check,
    furthest,
    iterating_points,
    poses_at_start,
    written,
)

__all__ = ["Finding", "Outcome", "Verdict", "judged"]

#: Poses that differ by more are different starts (m, rad or 1).
_SAME = 1e-6
#: A start that is further from the guesses by more than this has missed a nearer one.
_NEARER = 1e-4
#: What model exchange with CVode may deviate by: its own tolerance, amplified by the motion.
_EXCHANGE = 1e-4
#: What deviates more, or fails, is run again with steps so many times shorter and these tolerances. Where a
#: motion amplifies errors, the deviation must fall to this part between them.
_SHORTER = 10
_AGAIN = (1e-8, 1e-10)
_CONVERGING = 0.1
#: Every so many seeds small linkages are compiled with the cheapest trees, the default of export.
_SEARCHED = 10
_SMALL = 4
#: Exact steps of spatial loops take a minute to find: only every so many seeds ask for them.
_EXACT = 4


_Attempt = Trajectory | SimulationError


class Verdict(Enum):
    """What a draw comes to, the worst last."""

    RIGHT = "right"
    REFUSED = "refused with a sentence"
    UNFOLLOWED = "reference could not follow"
    SLOW = "too slow"
    CONTRADICTION = "contradiction"
    WRONG = "wrong"
    CRASH = "crash"

    @property
    def rank(self) -> int:
        return list(Verdict).index(self)


@dataclass(frozen=True)
class Finding:
    verdict: Verdict
    sentence: str


@dataclass(frozen=True)
class Outcome:
    """All that was found of a draw.

    ``missed`` tells that a start nearer to the guesses is known, ``followed`` that the reference goes on
    where the FMU stops.
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    missed: bool = False
    followed: bool = False
    deviation: float = 0.0


@dataclass
class _Case:
    """What is gathered while a draw is judged."""

    findings: list[Finding] = field(default_factory=list)
    missed: bool = False
    followed: bool = False
    deviation: float = 0.0

    def found(self, verdict: Verdict, sentence: str) -> None:
        self.findings.append(Finding(verdict, " ".join(sentence.split())[:500]))

    def outcome(self) -> Outcome:
        worst = max((each.verdict for each in self.findings), key=lambda v: v.rank, default=Verdict.RIGHT)
        return Outcome(worst, tuple(self.findings), self.missed, self.followed, self.deviation)


def judged(draw: Draw, seconds: float = 60.0) -> Outcome:
    """Run all that a user runs on a draw, and compare."""
    case = _Case()
    with tempfile.TemporaryDirectory(prefix="fmugen-") as folder:
        try:
            _judge(case, draw, Path(folder), seconds)
        except Exception:
            case.found(Verdict.CRASH, traceback.format_exc(limit=-4))
    return case.outcome()


def _judge(case: _Case, draw: Draw, folder: Path, seconds: float) -> None:
    path, fmu = written(folder, draw.text), folder / "model.fmu"
    small = draw.skeleton.planar and len(draw.skeleton.frames) <= _SMALL
    trees = "cheapest" if small and draw.seed % _SEARCHED == 0 else "aac"
    exact = draw.skeleton.planar or draw.seed % _EXACT == 0
    stories = all_stories(path, fmu, trees, exact=exact)
    for story in stories:
        if story.crash:
            case.found(Verdict.CRASH, f"{story.command}: {story.crash}")
    refusals = [story for story in stories if story.refusal]
    if refusals:
        _judge_refusals(case, stories, refusals)
        return
    if case.findings:
        return
    for sentence in _differences(stories):
        case.found(Verdict.CONTRADICTION, sentence)
    model = read_model(path)
    _judge_run(case, draw, model, fmu, stories, seconds)


def _judge_refusals(case: _Case, stories: list[Story], refusals: list[Story]) -> None:
    first = refusals[0]
    if len(refusals) == len(stories):
        case.found(Verdict.REFUSED, first.refusal)
        return
    others = ", ".join(dict.fromkeys(story.command for story in stories if not story.refusal))
    case.found(Verdict.CONTRADICTION, f"{first.command} refuses, {others} do not: {first.refusal}")


def _differences(stories: list[Story]) -> Iterator[str]:
    """Where two commands tell different things of the same row."""
    told: dict[str, tuple[str, str]] = {}
    for story in stories[1:]:
        for row, text in story.rows.items():
            if row == "closure":
                text = text.removeprefix("triangular: ").removeprefix("newton: ")
            command, other = told.setdefault(row, (story.command, text))
            if other != text:
                yield f"{row}: {command} says '{other}', {story.command} says '{text}'"


# --- the run --------------------------------------------------------------------------------------


def _judge_run(
    case: _Case, draw: Draw, model: SystemModel, fmu: Path, stories: list[Story], seconds: float
) -> None:
    names = list(draw.poses)
    outputs = [output.name for output in model.outputs]
    span = (model.experiment.stop, model.experiment.step)
    stepped = Run(*span, [*names, "closure.iterations", *outputs])
    exchanged = Run(*span, [*names, *outputs], interface="ModelExchange", tolerance=1e-10)
    run, exchange = simulate_runs(fmu, [stepped, exchanged], seconds)
    if isinstance(run, SimulationError):
        _judge_stop(case, draw, model, run, seconds)
        return
    _judge_start(case, draw, model, stories, {name: float(run.values[name][0]) for name in names})
    _judge_iterations(case, stories, run)
    try:
        found = verify_fmu(
            model, fmu, time_limit=seconds, reference_limit=seconds, loose=(), stop=model.experiment.stop
        )
    except TimeLimitError as error:
        case.found(Verdict.SLOW, str(error))
        return
    except SimulationError as error:
        case.found(Verdict.WRONG, f"verify: {error}")
        return
    except FmugenError as error:
        case.found(Verdict.UNFOLLOWED, str(error))
        return
    _judge_verification(case, found)
    if found.passed:

        def again(tolerance: float) -> _Attempt:
            (made,) = simulate_runs(
                fmu, [replace(exchanged, step=exchanged.step / _SHORTER, tolerance=tolerance)], seconds
            )
            return made

        _judge_exchange(case, found, exchange, again)


def _judge_stop(case: _Case, draw: Draw, model: SystemModel, error: SimulationError, seconds: float) -> None:
    """An FMU that does not come to its end: the commands before it have called the model sound."""
    times = [float(time) for time in re.findall(r"t = ([-+.e0-9]+) s", str(error))]
    if not isinstance(error, RefusedError):
        case.found(Verdict.WRONG, str(error))
    elif max(times, default=0.0) == 0.0:
        case.found(Verdict.CONTRADICTION, f"the model is sound for check, but does not start: {error}")
    else:
        case.found(Verdict.REFUSED, str(error))
        case.followed = _follows(draw, model, seconds)


@limited_time()
def _follows(draw: Draw, model: SystemModel, seconds: float) -> bool:
    """Whether the reference has a motion where the FMU stops."""
    start = poses_at_start(*assembled_by_check(model), list(draw.poses))
    start_clock(seconds)
    try:
        times = communication_points(model.experiment.stop, model.experiment.step)
        solve_reference(model, times, hints=start)
    except FmugenError:
        return False
    return True


def _judge_start(
    case: _Case, draw: Draw, model: SystemModel, stories: list[Story], start: dict[str, float]
) -> None:
    formulation, flow = assembled_by_check(model)
    checked = poses_at_start(formulation, flow, list(start))
    away, name = furthest(start, checked)
    if not away <= _SAME:
        case.found(
            Verdict.CONTRADICTION,
            f"start: {name} is {checked[name]:.9g} for check, {start[name]:.9g} in the FMU",
        )
    length = measures_of(model).length
    known, taken = (draw.distance(poses, length) for poses in (draw.poses, start))
    if taken > known + _NEARER:
        case.missed = True
        sentence = f"start: at a distance of {taken:.4g} from the guesses; one at {known:.4g} is known"
        if "rough" not in draw.start.kind:
            case.found(Verdict.WRONG, f"{sentence}, with guesses that close all loops")
    if furthest(start, draw.poses)[0] <= _SAME:
        freedoms = draw.mobility - len(drivers_of(model))
        for story in stories:
            counted = story.rows.get("degrees of freedom", str(freedoms))
            if counted != str(freedoms):
                sentence = f"{story.command} counts {counted} degrees of freedom, there are {freedoms}"
                case.found(Verdict.WRONG, sentence)


def _judge_iterations(case: _Case, stories: list[Story], run: Trajectory) -> None:
    iterations = run.values["closure.iterations"]
    points = int(np.count_nonzero(iterations))
    for story in stories:
        said = story.rows.get("closure", "")
        if iterating_points(said, len(iterations)) not in (None, points):
            case.found(
                Verdict.CONTRADICTION,
                f"iterates: {story.command} says '{said}', but {points} of {len(iterations)} points iterate",
            )


def _judge_verification(case: _Case, found: Verification) -> None:
    case.deviation = found.largest
    if found.passed:
        return
    if found.doubt is not None:
        case.found(Verdict.UNFOLLOWED, found.doubt)
    else:
        case.found(Verdict.WRONG, "; ".join(found.problems[:3]))


def _judge_exchange(
    case: _Case, found: Verification, run: _Attempt, again: Callable[[float], _Attempt]
) -> None:
    """Model exchange with an importer's solver, which has an error of its own.

    What fails is run again with shorter steps and two tolerances: the importer then tells the FMU of
    completed steps more often, and errors that fall with the tolerance are those of the importer.
    """
    first = _deviation(found, run)
    if first <= _EXCHANGE:
        return
    loose, tight = (again(tolerance) for tolerance in _AGAIN)
    errors = [_deviation(found, each) for each in (loose, tight)]
    if min(errors) <= _EXCHANGE or errors[1] <= _CONVERGING * errors[0] < math.inf:
        return
    if isinstance(tight, RefusedError):
        case.found(Verdict.REFUSED, f"model exchange: {tight}")
    elif isinstance(tight, SimulationError):
        case.found(Verdict.WRONG, f"model exchange: {tight}")
    else:
        case.found(Verdict.WRONG, f"model exchange: deviates by {errors[0]:.2e}, then by {errors[1]:.2e}")


def _deviation(found: Verification, run: _Attempt) -> float:
    """The largest deviation of a run, which may have further points between; infinite where it failed."""
    if isinstance(run, SimulationError):
        return math.inf
    worst = 0.0
    for signal in found.signals:
        values = np.interp(found.times, run.times, run.values[signal.name])
        worst = max(worst, float(np.max(np.abs(values - signal.reference) / signal.scale)))
    return worst if math.isfinite(worst) else math.inf
