"""Explicit Runge-Kutta methods of scipy that find all stages of a step at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import OdeSolver

from fmugen.verify.rotations import Array

__all__ = ["Stages", "at_once"]

#: From the times of the stages, the step, the start, the matrix of the method and an array whose first row
#: has the rates at the start: the state at the last stage, with the rates at all stages in the rows of the
#: array; or ``None``, and the stages are found one by one.
Stages = Callable[[Array, float, Array, Array, Array], Array | None]

#: The limits of the change of a step, and the part of the estimated step that is tried, as in scipy.
_LEAST, _MOST, _SAFETY = 0.2, 10.0, 0.9


def at_once(method: type[OdeSolver], stages: Stages) -> type[OdeSolver]:
    """The method with ``stages`` in place of a call for each stage."""

    class AtOnce(method):  # type: ignore[misc]
        def _step_impl(self) -> tuple[bool, str | None]:
            return _step(self, stages)

    return AtOnce


def _step(solver: Any, stages: Stages) -> tuple[bool, str | None]:
    """One step, tried with smaller and smaller sizes until the estimated error is small enough."""
    t, y = solver.t, solver.y
    smallest = 10.0 * abs(np.nextafter(t, solver.direction * np.inf) - t)
    size = min(max(solver.h_abs, smallest), solver.max_step)
    rejected = False
    while size >= smallest:
        end = min(t + size, solver.t_bound)
        step = end - t
        size = abs(step)
        found = _tried(solver, stages, step)
        scale = solver.atol + np.maximum(np.abs(y), np.abs(found)) * solver.rtol
        error = solver._estimate_error_norm(solver.K, step, scale)
        if error < 1.0:
            factor = _MOST if error == 0.0 else min(_MOST, _SAFETY * error**solver.error_exponent)
            solver.h_previous, solver.y_old = step, y
            solver.t, solver.y, solver.f = end, found, solver.K[-1].copy()
            solver.h_abs = size * (min(1.0, factor) if rejected else factor)
            return True, None
        size *= max(_LEAST, _SAFETY * error**solver.error_exponent)
        rejected = True
    return False, solver.TOO_SMALL_STEP


def _tried(solver: Any, stages: Stages, step: float) -> Array:
    """The state after a step; the rates at all stages and at its end are left in the solver."""
    K, count = solver.K, solver.n_stages
    K[0] = solver.f
    matrix = np.zeros((count + 1, count))
    matrix[:count, : solver.A.shape[1]] = solver.A
    matrix[count] = solver.B
    times = solver.t + step * np.append(solver.C[:count], 1.0)
    found = stages(times, step, solver.y, matrix, K)
    if found is None:
        for stage in range(1, count + 1):
            found = solver.y + step * (matrix[stage, :stage] @ K[:stage])
            K[stage] = solver.fun(times[stage], found)
    return np.asarray(found)
