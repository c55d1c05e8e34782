"""How exactly the judge integrates a motion: as exactly as it can, or at a tolerance of a user."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.integrate import DOP853, RK45, OdeSolver

#: The absolute tolerance of a solver of an FMU, as a part of its relative tolerance.
ABSOLUTE_PART = 1e-2


@dataclass(frozen=True)
class Accuracy:
    """An explicit method with its tolerances; the absolute one is a part of the scale of a state.

    ``intervals`` is the most output intervals in one step: what lasts for a few of them must not be stepped
    over.
    """

    method: type[OdeSolver]
    relative: float
    absolute: float
    intervals: int = 8


def plain(tolerance: float) -> Accuracy:
    """A method of fifth order at a relative tolerance, as solvers of FMUs and importers have it."""
    return Accuracy(RK45, tolerance, ABSOLUTE_PART * tolerance, intervals=1)


#: Ten digits of a mechanism's motion, and of a network's.
OF_MECHANISMS = Accuracy(DOP853, 1e-12, 1e-13)
OF_NETWORKS = Accuracy(DOP853, 1e-11, 1e-12)
