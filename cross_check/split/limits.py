"""How long steps may be where a force comes back over extrapolated samples (docs/several-fmus.md).

    v' = -rate v + w,   w = share rate v

A part sends v, another answers with w. What each hears it extends through its step by the cubic of the last
four samples: the part always, the one that answers only where both step at once (Jacobi).
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["longest_step"]

Array = np.ndarray[Any, np.dtype[np.float64]]

#: When the samples were taken, in steps.
_TIMES = np.array([0.0, -1.0, -2.0, -3.0])


def _cubic(s: float) -> Array:
    """The weights of the samples in the value of their cubic, ``s`` steps after the last of them."""
    return np.array(
        [np.prod([(s - other) / (own - other) for other in _TIMES if other != own]) for own in _TIMES]
    )


#: Gauss's points and weights in a step, the cubic there, and at its end.
_POINTS, _WEIGHTS = (np.polynomial.legendre.leggauss(12) + np.array([[1.0], [0.0]])) / 2
_EXTENDED = np.array([_cubic(s) for s in _POINTS])
_NEXT = _cubic(1.0)


def longest_step(share: float, *, jacobi: bool, most: float = 4.0) -> float:
    """The largest product of step and rate up to which no shorter step makes the motion grow."""

    def grows(product: float) -> bool:
        return bool(np.abs(np.linalg.eigvals(_step(product, share, jacobi))).max() > 1.0 + 1e-9)

    tried = np.geomspace(1e-3, most, 60)
    last = next((k for k, product in enumerate(tried) if grows(product)), None)
    if last is None:
        return most
    below, above = tried[last - 1], tried[last]
    while above - below > 1e-4 * above:
        middle = (below + above) / 2
        below, above = (below, middle) if grows(middle) else (middle, above)
    return float(below)


def _step(product: float, share: float, jacobi: bool) -> Array:
    """What a step makes of the last four samples of v and of w (over the rate)."""
    step = np.diag(np.ones(7), -1)
    step[4, 3] = 0.0
    step[0, 0] = np.exp(-product)
    step[0, 4:] = product * (_WEIGHTS * np.exp(-product * (1 - _POINTS))) @ _EXTENDED
    step[4] = share * (np.append(_NEXT, np.zeros(4)) if jacobi else step[0])
    return step
