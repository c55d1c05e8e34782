"""The motion of a model whose beams are geometrically exact, refined until it no longer changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fmugen.errors import VerificationError
from fmugen.ir.model import SystemModel
from fmugen.signals import Signal
from fmugen.verify.accuracy import STIFF, Accuracy
from fmugen.verify.catalogue.exact_beams import has_beams, with_exact_beams
from fmugen.verify.reference import Reference, solve_reference
from fmugen.verify.rotations import Array

__all__ = ["ExactMotion", "exact_motion"]

#: The elements of each beam at first.
_FIRST = 2


@dataclass(frozen=True)
class ExactMotion:
    """A reference with exact beams of so many ``elements`` each.

    ``change`` is how much half of the elements changed each output, as a part of its peak.
    """

    reference: Reference
    elements: int
    change: dict[str, float]

    def deviation(self, name: str, values: Array) -> float:
        """The largest deviation of an output from other values, as a part of its peak."""
        return _part_of_peak(values, self.reference.outputs[name])


def exact_motion(
    model: SystemModel,
    times: Array,
    *,
    inputs: Mapping[str, Signal] | None = None,
    parameters: Mapping[str, float] | None = None,
    tolerance: float = 2e-3,
    most: int = 16,
    rigidity: float = 1.0,
    accuracy: Accuracy = STIFF,
) -> ExactMotion:
    """The motion with exact beams.

    Parameters
    ----------
    model, times, inputs, parameters
        As for :func:`fmugen.verify.reference.solve_reference`.
    tolerance
        The number of elements doubles until no output changes by more than this part of its peak.
    most
        The largest number of elements of a beam.
    rigidity
        A factor on the stiffness against stretch. A large one makes beams that do not stretch.
    accuracy
        The method of integration and its tolerances.

    Raises
    ------
    VerificationError
        If the model has no beam, has one that exact beams cannot represent, or still changes at ``most``.
    """
    if not has_beams(model):
        raise VerificationError(f"{model.name} has no beams")
    elements, before = _FIRST, None
    while True:
        exact = with_exact_beams(model, elements, rigidity)
        found = solve_reference(exact, times, inputs=inputs, parameters=parameters, accuracy=accuracy)
        if before is not None:
            pairs = before.outputs.items()
            change = {name: _part_of_peak(values, found.outputs[name]) for name, values in pairs}
            if max(change.values(), default=0.0) <= tolerance:
                return ExactMotion(found, elements, change)
            if 2 * elements > most:
                worst = max(change, key=lambda name: change[name])
                raise VerificationError(
                    f"the exact beams of {model.name} still change {worst} by {change[worst]:.1%} of its "
                    f"peak with {elements} elements: verify until an earlier stop"
                )
        elements, before = 2 * elements, found


def _part_of_peak(values: Array, exact: Array) -> float:
    peak = float(np.max(np.abs(exact)))
    return float(np.max(np.abs(values - exact))) / peak if peak else 0.0
