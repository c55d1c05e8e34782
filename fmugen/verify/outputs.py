"""Values of outputs: formulas, their derivatives by an input, and formulas with inputs set to zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fmugen.ir.model import Output

__all__ = ["output_value"]

#: The step of differences by an input, relative to its size.
_SHARE = 1e-3


def output_value(
    output: Output, formula: Callable[[Mapping[str, float]], float], inputs: Mapping[str, float]
) -> float:
    """The value of an output; ``formula`` evaluates its formula for any inputs at the present state."""
    if output.without:
        return formula({**inputs, **dict.fromkeys(output.without, 0.0)})
    if not output.by:
        return formula(inputs)
    here = inputs[output.by]
    step = _SHARE * (1.0 + abs(here))

    def rise(way: float) -> float:
        return formula({**inputs, output.by: here + way}) - formula({**inputs, output.by: here - way})

    return (8.0 * rise(step) - rise(2.0 * step)) / (12.0 * step)
