"""Where generated code finds the symbols of equations, and which equations there are."""

from __future__ import annotations

from collections.abc import Iterator

from fmugen.expr.dag import Expr
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.program import Leaf, Vector

__all__ = ["equations_of", "symbol_leaves"]


def symbol_leaves(dae: Dae, flow: SolutionFlow) -> dict[Expr, Leaf]:
    """Where generated code finds each symbol."""
    symbols, coordinates = dae.symbols, dae.coordinates
    rows = [dae.constraints[row] for row in flow.rows]
    leaves = {symbols.time: Leaf(Vector.TIME, 0, "time")}
    for vector, members in (
        (Vector.PARAMETERS, [(symbol, name) for name, symbol in symbols.parameters.items()]),
        (Vector.INPUTS, [(symbol, name) for name, symbol in symbols.inputs.items()]),
        (Vector.COORDINATES, [(c.position, c.name) for c in coordinates]),
        (Vector.VELOCITIES, [(c.velocity, c.rate_name) for c in coordinates]),
        (Vector.ACCELERATIONS, [(c.acceleration, c.acceleration_name) for c in coordinates]),
        (Vector.MULTIPLIERS, [(row.multiplier, row.name) for row in rows]),
        (Vector.STATES, [(state.symbol, state.name) for state in dae.states]),
        (Vector.UNKNOWNS, [(unknown.symbol, unknown.name) for unknown in dae.iterated]),
    ):
        leaves |= {symbol: Leaf(vector, i, name) for i, (symbol, name) in enumerate(members)}
    # The reaction of a redundant constraint is not determined; zero costs no operations.
    for i, redundant in enumerate(dae.constraints[row] for row in flow.redundant):
        leaves[redundant.multiplier] = Leaf(Vector.UNDETERMINED, i, redundant.name)
    return leaves


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
