"""Study -> Plan: the parameter values of every run, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, qmc

from fmugen.study.spec import Grid, Method, Normal, Study, Uniform

__all__ = ["Plan", "plan_runs"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """Row ``k`` of ``values`` has the parameters of run ``k``, in the order of ``names``."""

    names: tuple[str, ...]
    values: Array

    @property
    def runs(self) -> int:
        return len(self.values)


def plan_runs(study: Study) -> Plan:
    """All runs of a study.

    Random samples are independent and grow with ``runs``: the first hundred are the same for any number.
    Those of the sensitivity method are Saltelli's: two matrices A and B of base samples, then for each
    parameter A with its column taken from B, block after block.
    """
    names = tuple(study.variations)
    variations = list(study.variations.values())
    if study.method is Method.GRID:
        grids = [variation.values for variation in variations if isinstance(variation, Grid)]
        return Plan(names, np.array(list(product(*grids)), dtype=np.float64))
    if study.method is Method.RANDOM:
        shares = np.random.Generator(np.random.PCG64(study.seed)).random((study.runs, len(names)))
    else:
        shares = _saltelli(study.runs, len(names), study.seed)
    columns = [_quantiles(variation, shares[:, k]) for k, variation in enumerate(variations)]
    return Plan(names, np.stack(columns, axis=1))


def _saltelli(base: int, parameters: int, seed: int) -> Array:
    # Scrambled Sobol points: a power of two of them is balanced, any other number is cut from it.
    both = qmc.Sobol(2 * parameters, seed=seed).random_base2(int(np.ceil(np.log2(base))))[:base]
    a, b = both[:, :parameters], both[:, parameters:]
    mixed = []
    for k in range(parameters):
        exchanged = a.copy()
        exchanged[:, k] = b[:, k]
        mixed.append(exchanged)
    return np.concatenate([a, b, *mixed])


def _quantiles(variation: object, shares: Array) -> Array:
    match variation:
        case Uniform(least, most):
            return least + (most - least) * shares
        case Normal(mean, deviation):
            # The extremes of the unit interval would lie at infinity.
            inside = np.clip(shares, 1e-12, 1.0 - 1e-12)
            return np.asarray(norm.ppf(inside, mean, deviation), dtype=np.float64)
    raise TypeError(f"{variation!r} is not a distribution")
