"""TrialRun: what the compiled model does on its declared motion: where it iterates, how long steps take."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["IteratedPart", "TrialRun"]


@dataclass(frozen=True)
class IteratedPart:
    """Unknowns that were iterated together, the loops they close, and at how many points this happened.

    ``why`` says what left them to iteration.
    """

    unknowns: tuple[str, ...]
    loops: tuple[str, ...]
    points: int
    why: str


@dataclass(frozen=True)
class TrialRun:
    """One co-simulation of the model's own C, with default parameters, from 0 to ``stop``.

    ``points`` are the communication points that were reached, the start included. A point iterates if an
    evaluation of the step to it does: there the output ``closure.iterations`` is positive. ``spans`` are the
    times between which all points iterate. ``changes`` are changes of the independent coordinates. Seconds
    are of one communication step: each the least of some repetitions, then the largest and the mean of all.

    A run that ended early has a ``problem`` and has reached ``reached``. One that could not be made has no
    points, and its problem says why; ``refused`` tells that the model itself did not start. ``warnings`` are
    those of the instance on the way.
    """

    stop: float
    reached: float = 0.0
    points: int = 0
    points_with_iteration: int = 0
    spans: tuple[tuple[float, float], ...] = ()
    parts: tuple[IteratedPart, ...] = ()
    iterations: int = 0
    evaluations: int = 0
    changes: int = 0
    steps: int = 0
    worst_seconds: float = 0.0
    worst_time: float = 0.0
    mean_seconds: float = 0.0
    problem: str = ""
    refused: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def is_measured(self) -> bool:
        return self.points > 0

    @property
    def is_complete(self) -> bool:
        """Whether the whole declared motion was run."""
        return self.is_measured and not self.problem

    @property
    def iterates(self) -> bool:
        """Whether a point of the motion, as far as it was run, iterates."""
        return self.points_with_iteration > 0

    @property
    def unknowns(self) -> tuple[str, ...]:
        """All unknowns that were iterated somewhere."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.unknowns))
