"""Whether a deviation is an error of the FMU or of the reference.

A deviation is an error of the FMU only if the reference is right. Both start in the same position
(:mod:`fmugen.verify.fmu_start`). If an FMU deviates, the judge asks two questions about the reference:

- Is its motion smooth? A body that jumps between two samples has met a singular position.
- How large is its own error? A second reference with tolerances :data:`LOOSER` times as large has an error
  about as many times as large. The difference of both is a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from fmugen.errors import TimeLimitError, VerificationError
from fmugen.verify.accuracy import Accuracy
from fmugen.verify.advance import lost_rank
from fmugen.verify.frames import pose_kinds
from fmugen.verify.reference import Reference
from fmugen.verify.rotations import Array
from fmugen.verify.verdict import Verification, deviation_problems

__all__ = ["LOOSER", "looser", "with_doubt"]

#: The ratio of the tolerances of the second reference to those of the first.
LOOSER = 10.0
#: A deviation of more than so many errors of the reference is an error of the FMU.
_MOST_ERRORS = 100.0
#: A body jumps if it moves by this much (in lengths of the mechanism, or radians), and by so many times its
#: speed times the interval.
_JUMP, _TIMES = 0.3, 5.0
#: How many singular positions are named.
_SHOWN = 3

#: All signals of the reference at another accuracy.
Again = Callable[[], Mapping[str, Array]]


def looser(accuracy: Accuracy) -> Accuracy:
    """The accuracy of the second reference."""
    return replace(accuracy, relative=LOOSER * accuracy.relative, absolute=LOOSER * accuracy.absolute)


def with_doubt(verification: Verification, again: Again, reference: Reference | None = None) -> Verification:
    """A verification that says whether its deviations are errors of the FMU.

    ``reference`` is that of a mechanism, ``None`` for a network.
    """
    deviating = set(deviation_problems(verification.signals, verification.times, verification.tolerance))
    if not deviating:
        return verification
    error = _reference_error(verification, again)
    verification = replace(verification, reference_error=error)
    if not deviating.issuperset(verification.problems):
        return verification
    reason = None
    if reference is not None:
        reason = _jump(reference) or _singular(verification, reference)
    if reason is None and error is not None and error > verification.tolerance:
        reason = _inexact(verification, error)
    return replace(verification, doubt=reason)


def _reference_error(verification: Verification, again: Again) -> float | None:
    """The largest scaled difference of two references, ``None`` if the second fails."""
    try:
        values = again()
    except TimeLimitError:
        raise
    except VerificationError:
        return None
    repeated = (replace(signal, fmu=values[signal.name]) for signal in verification.signals)
    return max((signal.largest for signal in repeated), default=0.0)


def _inexact(verification: Verification, error: float) -> str | None:
    if verification.largest > _MOST_ERRORS * error:
        return None
    return (
        f"its own error is {error:.1e}, more than the tolerance {verification.tolerance:g}; "
        f"verify with a tolerance of {2.0 * error:.0e} or until an earlier stop"
    )


def _singular(verification: Verification, reference: Reference) -> str | None:
    """Singular positions, if the FMU deviates nowhere else: the reference has half of its digits there."""
    samples = zip(reference.times.tolist(), reference.coordinates, strict=True)
    lost = np.array([lost_rank(reference.mechanism, time, sample) for time, sample in samples])
    regular = lost == np.min(lost)
    if all(np.all(signal.errors[regular] <= verification.tolerance) for signal in verification.signals):
        times = ", ".join(f"{time:g} s" for time in reference.times[~regular][:_SHOWN])
        return f"the mechanism is in a singular position at t = {times}, and the FMU deviates there alone"
    return None


def _jump(reference: Reference) -> str | None:
    """A body that jumps between two samples."""
    mechanism = reference.mechanism
    length = mechanism.length
    kinds = pose_kinds(mechanism.model)
    sizes = np.array([length if unit == "m" else 1.0 for _, unit in kinds])
    for name, table in reference.bodies.items():
        poses = table[:, : len(kinds)] / sizes
        rates = np.abs(table[:, len(kinds) :])
        # Direction cosines change no faster than the body turns.
        linear = 2 if len(rates.T) == 3 else 3
        speeds = np.maximum(rates[:, :linear].max(axis=1) / length, rates[:, linear:].sum(axis=1))
        for number, (before, after) in enumerate(pairwise(poses)):
            moved = float(np.abs(after - before).max())
            begin, end = reference.times[number], reference.times[number + 1]
            expected = float(max(speeds[number], speeds[number + 1]) * (end - begin))
            if moved > max(_JUMP, _TIMES * expected):
                return f"{name} jumps in it between t = {begin:g} s and {end:g} s, near a singular position"
    return None
