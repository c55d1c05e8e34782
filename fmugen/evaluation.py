"""Expressions of a Dae as functions of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from fmugen.expr.code import compile_python
from fmugen.expr.dag import Expr
from fmugen.expr.substitute import Substitution
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.model import SystemModel, default_parameters

__all__ = ["Evaluation", "Function", "values_at_start"]


class Function(Protocol):
    """Values at positions, velocities and further vectors.

    Time is zero and inputs have their start values, unless others are given.
    """

    def __call__(
        self,
        q: Sequence[float],
        v: Sequence[float] = (),
        /,
        *further: Sequence[float],
        time: float = 0.0,
        inputs: Sequence[float] | None = None,
    ) -> list[float]: ...


class Evaluation:
    """Compiles expressions of a Dae to functions, with numbers for the parameters."""

    def __init__(self, dae: Dae, parameters: Sequence[float]) -> None:
        self._parameters, self._inputs = list(parameters), list(dae.input_starts)
        symbols = dae.symbols
        given = {
            "p": list(symbols.parameters.values()),
            "u": list(symbols.inputs.values()),
            "t": [symbols.time],
        }
        self._vectors = {
            **given,
            "q": [coordinate.position for coordinate in dae.coordinates],
            "v": [coordinate.velocity for coordinate in dae.coordinates],
        }
        #: Parameters, inputs and time.
        self.given = frozenset(symbol for vector in given.values() for symbol in vector)
        #: These, positions and velocities.
        self.known = frozenset(symbol for vector in self._vectors.values() for symbol in vector)

    @classmethod
    def at_defaults(cls, model: SystemModel, dae: Dae) -> Evaluation:
        """With the default parameters of the model."""
        defaults = default_parameters(model)
        return cls(dae, [defaults[name] for name in dae.symbols.parameters])

    def array_function(
        self,
        expressions: Sequence[Expr],
        replaced: Mapping[Expr, Expr],
        functions: Mapping[str, Callable[..., Any]],
    ) -> Callable[[Any], list[Any]]:
        """The function of positions alone, each given by an array; ``functions`` are those of arrays."""
        place = Substitution(replaced)
        compiled = compile_python([place(each) for each in expressions], self._vectors, functions)
        at_rest = [0.0] * len(self._vectors["v"])
        return lambda q: compiled(self._parameters, self._inputs, [0.0], q, at_rest)

    def function(
        self,
        expressions: Sequence[Expr],
        replaced: Mapping[Expr, Expr] | None = None,
        /,
        **further: Sequence[Expr],
    ) -> Function:
        """The function of positions, velocities and ``further`` symbols; symbols are ``replaced`` first."""
        if replaced:
            place = Substitution(replaced)
            expressions = [place(each) for each in expressions]
        compiled = compile_python(expressions, {**self._vectors, **further})

        def evaluate(
            q: Sequence[float],
            v: Sequence[float] = (),
            /,
            *further: Sequence[float],
            time: float = 0.0,
            inputs: Sequence[float] | None = None,
        ) -> list[float]:
            given = self._inputs if inputs is None else inputs
            return compiled(self._parameters, given, [time], q, v, *further)

        return evaluate


def values_at_start(
    model: SystemModel, dae: Dae, flow: SolutionFlow, expressions: Sequence[Expr]
) -> list[float]:
    """The values of functions of position, for default parameters and start values of inputs."""
    return Evaluation.at_defaults(model, dae).function(expressions, dae.known_at_start)(flow.positions)
