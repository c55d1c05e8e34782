"""The limits of steps that docs/several-fmus.md has."""

from __future__ import annotations

import pytest
from split.limits import longest_step


@pytest.mark.parametrize(("share", "limit"), [(0.3, 0.066), (0.5, 0.040), (0.9, 0.022), (1.0, 0.020)])
def test_two_extrapolations_need_short_steps(share: float, limit: float) -> None:
    assert longest_step(share, jacobi=True) == pytest.approx(limit, abs=6e-4)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9, 1.0])
def test_one_extrapolation_allows_a_hundred_times_longer_ones(share: float) -> None:
    assert longest_step(share, jacobi=False) > 2.0
