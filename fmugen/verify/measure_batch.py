"""Many measures evaluated together, with derivatives.

For a measure f of the posture, and twists t of all bodies, the batch gives

    f' = J t            f'' = J t' + b

The ground is the last body and has columns of its own, so that elements on the ground need no special case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fmugen.verify.charts import Chart, Posture, Twist
from fmugen.verify.measures import Composite, Jets, Measure, Simple
from fmugen.verify.rotations import Array
from fmugen.verify.simple import SimpleMeasures


class Values(NamedTuple):
    """Measures at a state: ``f``, its Jacobian and the bias of its second derivative."""

    value: Array
    #: With respect to the rates of the chart.
    jacobian: Array
    bias: Array
    #: The Jacobian with respect to the twists of all bodies.
    twists: Array


class MeasureBatch:
    """Measures of a chart's bodies."""

    def __init__(self, measures: Sequence[Measure], chart: Chart) -> None:
        self.measures = tuple(measures)
        self._columns = chart.columns
        self._parts = SimpleMeasures(dict.fromkeys(p for m in self.measures for p in _parts(m)), chart)
        self._composites = [
            (row, measure) for row, measure in enumerate(self.measures) if isinstance(measure, Composite)
        ]
        number = self._parts.number
        self._source = np.array([number[_parts(measure)[0]] for measure in self.measures], dtype=np.intp)
        self._inputs = {row: [number[part] for part in measure.parts] for row, measure in self._composites}

    def at(self, posture: Posture, twist: Twist | None = None) -> Values:
        """Evaluate all measures; without a twist the bias is zero."""
        parts = self._parts.at(posture, twist)
        value, twists, bias = (table[self._source] for table in parts)
        if self._composites:
            rate = np.zeros(len(parts.value)) if twist is None else parts.jacobian @ twist.flat
            for row, measure in self._composites:
                inputs = self._inputs[row]
                jets = Jets(parts.value[inputs], rate[inputs], parts.bias[inputs], parts.jacobian[inputs])
                value[row], twists[row], bias[row] = measure.combine(jets, posture.memory)
        return Values(value, twists[:, self._columns], bias, twists)


def _parts(measure: Measure) -> tuple[Simple, ...]:
    """The simple measures that a measure is made of."""
    return measure.parts if isinstance(measure, Composite) else (measure,)
