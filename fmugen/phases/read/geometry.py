"""Checks of elements at the default parameters: axes, lengths, masses, inertias.

Parameters may change in the FMU, but the model must be possible as it is written. A value that cannot be
computed because of a wrong name is reported where names are checked.

Parameters may be changed in the FMU, but a mechanism that is impossible as it is written is a mistake.
A value that cannot be computed because a name in it is wrong is reported where names are checked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from fmugen.formulas import evaluate
from fmugen.ir.formula import Formula
from fmugen.ir.model import Tensor
from fmugen.phases.read.problems import KeyPath, ProblemLog

__all__ = ["Geometry"]

#: How far rounded components may be from what they stand for, relative to the vector or tensor.
_ROUNDING = 1e-6
#: A cosine from here on counts as parallel where a direction across an axis is needed.
_NEARLY_PARALLEL = 0.995


class Geometry:
    """Judges values of one model with its default parameters."""

    def __init__(self, parameters: Mapping[str, float], problems: ProblemLog) -> None:
        self.parameters = parameters
        self.problems = problems

    def value(self, formula: Formula) -> float | None:
        """The value with the default parameters; ``None`` if a name is unknown."""
        return evaluate(formula, self.parameters)

    def check_not_negative(self, place: KeyPath, formula: Formula) -> None:
        value = self.value(formula)
        if value is not None and not value >= 0:
            self._refuse(place, f"{place[-1]} cannot be negative", formula, value)

    def check_positive(self, place: KeyPath, formula: Formula) -> None:
        value = self.value(formula)
        if value is not None and not value > 0:
            self._refuse(place, f"{place[-1]} must be positive", formula, value)

    def _refuse(self, place: KeyPath, message: str, formula: Formula, value: float) -> None:
        """Report a bad number. The value of a formula is not in the file, so the message contains it."""
        told = "" if formula.number is not None else f": it is {value:.6g} with the default parameters"
        self.problems.add(place, f"{message}{told}")

    # --- axes ----------------------------------------------------------------------------------------

    def check_direction(self, place: KeyPath, axis: Sequence[Formula]) -> None:
        values = self._values(axis)
        if values is not None and not 0 < math.hypot(*values) < math.inf:
            message = "an axis needs a direction: not all of its components can be zero"
            self.problems.add(place, message, self._with_defaults(axis, values))

    def check_perpendicular(
        self, place: KeyPath, first: Sequence[Formula], second: Sequence[Formula]
    ) -> None:
        cosine = self._cosine(first, second)
        if cosine is not None and abs(cosine) > _ROUNDING:
            degrees = math.degrees(math.acos(cosine))
            message = (
                f"the axes of a universal joint must be perpendicular, but they are {degrees:.4g}° apart"
            )
            self.problems.add(place, message, "give axis and second_axis such as [0, 0, 1] and [1, 0, 0]")

    def check_across(self, place: KeyPath, normal: Sequence[Formula], direction: Sequence[Formula]) -> None:
        cosine = self._cosine(normal, direction)
        if cosine is not None and abs(cosine) > _NEARLY_PARALLEL:
            message = "the x direction of a planar joint must lie across its normal, the axis"
            self.problems.add(place, message, "leave second_axis out, or give a direction in the plane")

    def coincide(self, first: Sequence[Formula], second: Sequence[Formula]) -> bool:
        """Whether two points are at the same place."""
        a, b = self._values(first), self._values(second)
        return a is not None and b is not None and math.dist(a, b) == 0

    def _cosine(self, first: Sequence[Formula], second: Sequence[Formula]) -> float | None:
        """The cosine between two directions, if both are directions."""
        a, b = self._values(first), self._values(second)
        if a is None or b is None:
            return None
        lengths = math.hypot(*a) * math.hypot(*b)
        if not 0 < lengths < math.inf:
            return None
        return max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b, strict=True)) / lengths))

    # --- inertia -------------------------------------------------------------------------------------

    def check_inertia(self, place: KeyPath, tensor: Tensor) -> None:
        """The principal moments are not negative.

        One may exceed the sum of the other two: no body is like that, but a rotor that only turns about its
        axis needs no other moment. ``fmugen check`` warns of it.
        """
        entries = (tensor.xx, tensor.yy, tensor.zz, tensor.xy, tensor.xz, tensor.yz)
        values = self._values(entries)
        if values is None:
            return
        if not all(map(math.isfinite, values)):
            self.problems.add(place, "the inertia has no value", self._with_defaults(entries, values))
            return
        xx, yy, zz, xy, xz, yz = values
        low, middle, high = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        allowance = _ROUNDING * max(abs(low), abs(high))
        moments = f"its principal moments are {low:.6g}, {middle:.6g} and {high:.6g}"
        hint = self._with_defaults(entries, values)
        if low < -allowance:
            self.problems.add(place, f"no body has a negative inertia: {moments}", hint)

    def _values(self, formulas: Sequence[Formula]) -> list[float] | None:
        values = [self.value(formula) for formula in formulas]
        known = [value for value in values if value is not None]
        return known if len(known) == len(values) else None

    def _with_defaults(self, formulas: Sequence[Formula], values: Sequence[float]) -> str:
        """The values of formulas, for a hint; empty if the user wrote numbers."""
        if all(formula.number is not None for formula in formulas):
            return ""
        return f"with the default parameters: [{', '.join(f'{value:.6g}' for value in values)}]"
