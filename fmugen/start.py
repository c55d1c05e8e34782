"""Expressions of a model as numbers at its assembled start."""

from __future__ import annotations

from collections.abc import Sequence

from fmugen.expr.code import compile_python
from fmugen.expr.dag import Expr
from fmugen.expr.substitute import Substitution
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import SystemModel, default_parameters

__all__ = ["values_at_start"]


def values_at_start(
    model: SystemModel, dae: Dae, flow: SolutionFlow, expressions: Sequence[Expr]
) -> list[float]:
    """The values of functions of position, for default parameters and start values of inputs."""
    symbols, defaults = dae.symbols, default_parameters(model)
    counted = Substitution(dae.known_at_start)
    evaluate = compile_python(
        [counted(expression) for expression in expressions],
        {
            "p": list(symbols.parameters.values()),
            "u": list(symbols.inputs.values()),
            "t": [symbols.time],
            "q": [coordinate.position for coordinate in dae.coordinates],
        },
    )
    parameters = [defaults[name] for name in symbols.parameters]
    return evaluate(parameters, dae.input_starts, [0.0], flow.positions)
