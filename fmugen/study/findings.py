"""The findings of a study: the spread, the best run, and the influence of each parameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fmugen.study.spec import MESSAGE, Method, Study

__all__ = ["Findings", "Influence", "Spread", "find"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """The distribution of a measure over the runs that succeeded."""

    measure: str
    mean: float
    deviation: float
    least: float
    low: float
    median: float
    high: float
    most: float


@dataclass(frozen=True)
class Influence:
    """The part of the variance of a measure that a parameter causes: alone, and with all others."""

    measure: str
    parameter: str
    first: float
    total: float


@dataclass(frozen=True)
class Findings:
    """``best`` is the number of the best run; ``failed`` maps messages to how many runs ended with them."""

    runs: int
    spreads: tuple[Spread, ...]
    best: int | None
    influences: tuple[Influence, ...]
    failed: dict[str, int]


def find(study: Study, table: pa.Table) -> Findings:
    """Evaluate the results of all runs."""
    messages = table[MESSAGE].to_pylist()
    good = np.array([not message for message in messages])
    failed: dict[str, int] = {}
    for message in messages:
        if message:
            failed[message] = failed.get(message, 0) + 1
    measures = {m.name: table[m.name].to_numpy() for m in study.measures}
    spreads = tuple(_spread(name, values[good]) for name, values in measures.items() if good.any())
    influences: tuple[Influence, ...] = ()
    if study.method is Method.SENSITIVITY:
        parameters = tuple(study.variations)
        influences = tuple(
            influence
            for name, values in measures.items()
            for influence in _influences(name, parameters, values, study.runs)
        )
    return Findings(len(messages), spreads, _best(study, measures, good), influences, failed)


def _spread(name: str, values: Array) -> Spread:
    least, low, median, high, most = np.quantile(values, [0.0, 0.05, 0.5, 0.95, 1.0]).tolist()
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return Spread(name, float(values.mean()), deviation, least, low, median, high, most)


def _best(study: Study, measures: dict[str, Array], good: NDArray[np.bool_]) -> int | None:
    if study.goal is None or not good.any():
        return None
    values = np.where(good, measures[study.goal.measure], np.nan)
    return int(np.nanargmax(values) if study.goal.largest else np.nanargmin(values))


def _influences(measure: str, parameters: tuple[str, ...], values: Array, base: int) -> list[Influence]:
    """Sobol' indices, estimated as by Saltelli (2010, first order) and Jansen (1999, total).

    Base samples of which any run failed are left out.
    """
    blocks = values.reshape(len(parameters) + 2, base)
    blocks = blocks[:, np.isfinite(blocks).all(axis=0)]
    if not blocks.size:
        return [Influence(measure, parameter, 0.0, 0.0) for parameter in parameters]
    blocks = blocks - blocks[:2].mean()  # a common mean would only add noise to the estimate
    a, b, mixed = blocks[0], blocks[1], blocks[2:]
    variance = np.var(blocks[:2])
    if variance == 0.0:
        return [Influence(measure, parameter, 0.0, 0.0) for parameter in parameters]
    return [
        Influence(
            measure,
            parameter,
            float(np.mean(b * (ab - a)) / variance),
            float(0.5 * np.mean((a - ab) ** 2) / variance),
        )
        for parameter, ab in zip(parameters, mixed, strict=True)
    ]
