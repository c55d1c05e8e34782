"""Methods of integration of the judge, with their tolerances."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.integrate import DOP853, RK45, OdeSolver, Radau

#: The absolute tolerance of an FMU's solver, as a fraction of its relative tolerance.
ABSOLUTE_PART = 1e-2


@dataclass(frozen=True)
class Accuracy:
    """A method with its tolerances; the absolute one is relative to the scale of a state.

    ``intervals`` limits a step to so many output intervals, so that no step skips a short event.
    """

    method: type[OdeSolver]
    relative: float
    absolute: float
    intervals: int = 8
    explicit: bool = True


def plain(tolerance: float) -> Accuracy:
    """A method of fifth order at a relative tolerance, like those of FMUs and importers."""
    return Accuracy(RK45, tolerance, ABSOLUTE_PART * tolerance, intervals=1)


#: About ten digits of the motion of a mechanism, and of a network.
OF_MECHANISMS = Accuracy(DOP853, 1e-12, 1e-13)
OF_NETWORKS = Accuracy(DOP853, 1e-11, 1e-12)
#: An implicit method, for beams whose elements stretch.
STIFF = Accuracy(Radau, 1e-5, 1e-6, explicit=False)
