"""An FMU at loose tolerances: its error must be proportional to the tolerance.

Every motion amplifies the errors of a solver, a chaotic one by a large factor. The judge measures this factor
on its own equations: it integrates them by a plain method of fifth order at loose tolerances. The largest
ratio of its own deviation to the tolerance is the *amplification* of the motion.

An FMU passes at a tolerance if its run ends and its deviation is at most
:data:`FACTOR` * max(:data:`LEAST`, amplification) * tolerance. This bound is proportional to the tolerance,
so errors that do not shrink with it exceed the bound. The bound is never below the deviation that passes in
the tight run, nor below :data:`FACTOR` times the deviation of the tight run: rounding errors do not shrink.

Loose runs have long communication steps, so that the tolerance limits the steps of the solver and not the
master. The run at the default settings of the FMU has the communication steps of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fmugen.errors import SimulationError, TimeLimitError, VerificationError
from fmugen.verify.accuracy import ABSOLUTE_PART, Accuracy, plain
from fmugen.verify.rotations import Array
from fmugen.verify.simulate import Run, Trajectory, communication_points
from fmugen.verify.verdict import Looseness, Rows, Verification, largest_deviation

__all__ = ["FACTOR", "LEAST", "LOOSE", "ToleranceRuns", "with_tolerances"]

#: Relative tolerances of the solver of an FMU.
LOOSE = (1e-4, 1e-6, 1e-8)
#: Tolerances at which the judge measures the amplification. A single one may have a small error by chance.
_MEASURED = (1e-4, 1e-6)
#: How much larger the error of an FMU may be than that of a plain integration. Examples of chaotic motion
#: reach 7; a quaternion whose fourth component is found by a division by 0.01 reaches 25 to 150.
FACTOR = 15.0
#: The smallest amplification: the errors of many steps add up.
LEAST = 7.0
#: The approximate number of communication steps of a loose run.
_STEPS = 50

#: The judge's own motion: quantities and outputs at given times, at an accuracy.
Motion = Callable[[Array, Accuracy], Mapping[str, Array]]


@dataclass(frozen=True)
class ToleranceRuns:
    """The other runs of an FMU: first at its default settings, then at loose tolerances.

    ``rows`` are, for each run, the samples of the tight run at which it communicates.
    """

    runs: tuple[Run, ...]
    tolerances: tuple[float, ...]
    rows: tuple[Rows, ...]

    @staticmethod
    def of(
        tight: Run, default: float, parameters: Mapping[str, float], loose: Sequence[float]
    ) -> ToleranceRuns:
        """Runs like ``tight``, with the parameters of the user alone; none if ``loose`` is empty.

        ``default`` is the relative tolerance that the FMU declares.
        """
        if not loose:
            return ToleranceRuns((), (), ())
        times = communication_points(tight.stop, tight.step)
        # Inputs are sampled at the communication points, so other points would give another motion.
        stride = 1 if tight.inputs else max(1, (len(times) - 1) // _STEPS)
        coarse = replace(tight, step=stride * tight.step)
        points = communication_points(coarse.stop, coarse.step)
        rows = np.searchsorted(times, points - 0.5 * min(tight.step, times[-1] - times[-2]))
        return ToleranceRuns(
            (replace(tight, parameters=parameters), *(_at(coarse, parameters, each) for each in loose)),
            (default, *loose),
            (np.arange(len(times)), *(rows for _ in loose)),
        )


def _at(run: Run, parameters: Mapping[str, float], tolerance: float) -> Run:
    settings = {
        "solver.relative_tolerance": tolerance,
        "solver.absolute_tolerance": ABSOLUTE_PART * tolerance,
    }
    return replace(run, parameters={**parameters, **settings})


def with_tolerances(
    verification: Verification,
    wanted: ToleranceRuns,
    made: Sequence[Trajectory | SimulationError],
    motion: Motion,
) -> Verification:
    """A verification that also judges the runs at other tolerances, unless it is in doubt."""
    if not wanted.runs or verification.doubt is not None:
        return verification
    amplification = _amplification(verification, wanted.rows[-1], motion)
    looseness = tuple(
        _judged(verification, number == 0, tolerance, amplification, run, rows)
        for number, (tolerance, run, rows) in enumerate(
            zip(wanted.tolerances, made, wanted.rows, strict=True)
        )
    )
    problems = (*verification.problems, *_problems(looseness))
    return replace(verification, looseness=looseness, problems=problems)


def _amplification(verification: Verification, rows: Rows, motion: Motion) -> float:
    """The largest deviation of the judge's own loose runs, relative to their tolerances.

    It is infinite if the judge can integrate the motion at tight tolerances only.
    """
    ratios = []
    for tolerance in _MEASURED:
        try:
            values = motion(verification.times[rows], plain(tolerance))
        except TimeLimitError:
            raise
        except VerificationError:
            continue
        ratios.append(largest_deviation(verification.signals, values, rows)[0] / tolerance)
    return max(ratios, default=float("inf"))


def _judged(
    verification: Verification,
    is_default: bool,
    tolerance: float,
    amplification: float,
    run: Trajectory | SimulationError,
    rows: Rows,
) -> Looseness:
    floor = max(verification.tolerance, FACTOR * verification.largest)
    allowed = max(floor, FACTOR * max(LEAST, amplification) * tolerance)
    if isinstance(run, SimulationError):
        return Looseness(tolerance, is_default, allowed, stopped=str(run))
    size, signal, at = largest_deviation(verification.signals, run.values, rows)
    return Looseness(tolerance, is_default, allowed, size, signal, float(verification.times[at]))


def _problems(looseness: Iterable[Looseness]) -> Iterator[str]:
    for run in looseness:
        at = f"at {'its default' if run.is_default else 'a'} relative tolerance of {run.tolerance:g}"
        if run.stopped:
            yield f"{at}, {run.stopped}"
        elif not run.passed:
            yield (
                f"{at}, {run.signal} deviates by {run.deviation:.2e} at t = {run.time:g} s, more than "
                f"{run.allowed:.1e}: unlike an integration error, it does not shrink with the "
                f"tolerance"
            )
