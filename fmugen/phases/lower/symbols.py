"""What the symbols of equations are called in generated code, and which equations there are."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow

__all__ = ["equations_of", "symbol_names"]


def symbol_names(dae: Dae, flow: SolutionFlow) -> dict[Expr, str]:
    """The text of every symbol."""
    symbols = dae.symbols
    names = {symbols.time: "t"}
    names |= {symbol: f"p[{i}]" for i, symbol in enumerate(symbols.parameters.values())}
    names |= {symbol: f"u[{i}]" for i, symbol in enumerate(symbols.inputs.values())}
    for i, coordinate in enumerate(dae.coordinates):
        names[coordinate.position] = f"q[{i}]"
        names[coordinate.velocity] = f"v[{i}]"
        names[coordinate.second] = f"a[{i}]"
    names |= {dae.constraints[row].multiplier: f"l[{i}]" for i, row in enumerate(flow.rows)}
    names |= {state.symbol: f"x[{i}]" for i, state in enumerate(dae.states)}
    names |= {unknown.symbol: f"z[{i}]" for i, unknown in enumerate(dae.iterated)}
    # The reaction of a redundant constraint is not determined; zero is the one that costs nothing.
    names |= {dae.constraints[row].multiplier: "0.0" for row in flow.redundant}
    return names


def equations_of(dae: Dae) -> Iterator[Expr]:
    """Everything that is integrated or solved; its relations switch at events."""
    for row in dae.constraints:
        yield from (row.phi, row.nu, row.gamma, *row.jacobian.values())
    yield from dae.mass.values()
    yield from dae.force
    for state in dae.states:
        yield state.derivative
    for block in dae.network_blocks:
        yield from (equation.residual for equation in block.equations)
