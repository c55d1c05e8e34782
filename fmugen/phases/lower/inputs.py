"""The links between inputs, and whether the start depends on inputs."""

from __future__ import annotations

from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import SymbolRole
from fmugen.ir.dae import Dae
from fmugen.ir.model import SystemModel

__all__ = ["input_rates", "input_stamps", "starts_by_inputs"]


def input_rates(dae: Dae) -> tuple[int, ...]:
    """By input: the number of its stamp, or -1."""
    symbols = dae.symbols
    number = {symbol: index for index, symbol in enumerate(symbols.inputs.values())}
    return tuple(number[symbols.rates[symbol]] if symbol in symbols.rates else -1 for symbol in number)


def input_stamps(model: SystemModel) -> tuple[int, ...]:
    """By input: the number of the input that tells when it was sampled, or -1."""
    number = {variable.name: index for index, variable in enumerate(model.inputs)}
    return tuple(number.get(variable.stamp, -1) for variable in model.inputs)


def starts_by_inputs(dae: Dae) -> bool:
    """Whether positions, velocities or states at the start depend on inputs."""
    values = [value for row in dae.constraints for value in (row.phi, row.nu)]
    values += [*dae.fixed_positions.values(), *dae.fixed_velocities.values(), *dae.fixed_states.values()]
    values += [state.derivative if dae.steady else state.start for state in dae.states]
    values += dae.force if dae.steady else ()
    return bool(symbols_of(values, SymbolRole.INPUT))
