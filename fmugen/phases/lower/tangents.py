"""Directional derivatives of the model functions, linear in a direction.

Only functions are differentiated here; what is solved for (dependent coordinates, accelerations,
multipliers, unknowns of the network) follows at run time from the same matrices as the values themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.ir.dae import Dae
from fmugen.ir.flow import EMBEDDED, SolutionFlow
from fmugen.ir.program import Leaf, Result, Vector
from fmugen.phases.lower.inertial import InertialTerms

__all__ = ["Directions", "tangent_results"]


class Directions:
    """For each leaf of the model that may change, the symbol of its change along a direction."""

    def __init__(self, leaves: Mapping[Expr, Leaf]) -> None:
        self.leaves: dict[Expr, Leaf] = {}
        self._changes: dict[Expr, Expr] = {}
        for symbol, leaf in leaves.items():
            if leaf.vector is not Vector.UNDETERMINED:
                text = f"along {leaf.vector.value}[{leaf.index}]"
                change = self._changes[symbol] = symbol.dag.symbol(text, SymbolRole.DIRECTION)
                self.leaves[change] = replace(leaf, change=True)

    def of(self, symbol: Expr) -> Expr:
        """The change of a symbol."""
        return self._changes[symbol]

    def tangent(self, dae: Dae, *, held: Sequence[Expr] = ()) -> Tangent:
        """The derivative along the direction; the symbols ``held`` do not change."""
        seeds = {symbol: change for symbol, change in self._changes.items() if symbol not in held}
        zero = dae.symbols.dag.zero
        return Tangent(dae.symbols.dag, seeds | dict.fromkeys(held, zero))


def tangent_results(
    dae: Dae,
    flow: SolutionFlow,
    directions: Directions,
    hold: Callable[[Expr], Expr],
    calculated: Sequence[Expr],
    partial: Sequence[Expr],
) -> Iterator[tuple[str, str, list[Result]]]:
    """Name, purpose and results of every tangent."""
    tangent = directions.tangent(dae)

    def changes(values: Sequence[Expr], array: str = "change") -> list[Result]:
        return [Result(array, index, tangent(hold(value))) for index, value in enumerate(values)]

    rows = [dae.constraints[row] for row in flow.rows]
    slips = [row.nu.dag.add([*_products(row.jacobian, dae, "velocity"), -row.nu]) for row in rows]
    yield "constraints_tangent", "change of phi", list(_openings(dae, flow, directions, hold))
    yield "velocity_tangent", "change of phi_q v - nu", changes(slips)
    yield "dynamics_tangent", _DYNAMICS, list(_dynamics(dae, flow, directions, hold))
    yield "outputs_tangent", "change of coordinates, motion of bodies, outputs", changes(calculated)
    yield "partials_tangent", "change of formulas whose derivatives by inputs are outputs", changes(partial)
    yield "fixed_tangent", "change of what start positions miss", changes([*dae.fixed_positions.values()])
    yield (
        "fixed_velocity_tangent",
        "change of what start velocities miss",
        changes([*dae.fixed_velocities.values()]),
    )
    residuals = [equation.residual for block in dae.network_blocks for equation in block.equations]
    yield "network_tangent", "change of the residuals of the network", changes(residuals)
    yield (
        "derivatives_tangent",
        "change of the derivatives of the states of the network",
        changes([state.derivative for state in dae.states]),
    )
    yield (
        "start_states_tangent",
        "change of the start values of the states of the network",
        changes([state.start for state in dae.states]),
    )


_DYNAMICS = "change of M a + phi_q^T lambda - F and of phi_q a - gamma at given a and lambda"


def _openings(
    dae: Dae, flow: SolutionFlow, directions: Directions, hold: Callable[[Expr], Expr]
) -> Iterator[Result]:
    """How the loops open. By coordinates it is phi_q, as it is what dependent coordinates are found with.

    The rows of phi_q and the derivatives of phi differ by multiples of the lengths of Euler parameters. Where
    all coordinates are integrated, these lengths change, and the derivatives of phi count.
    """
    add, held = dae.symbols.dag.add, [c.position for c in dae.coordinates]
    embedded = flow.closure in EMBEDDED
    tangent = directions.tangent(dae, held=held if embedded else ())
    for index, row in enumerate(dae.constraints[number] for number in flow.rows):
        change = tangent(hold(row.phi))
        if embedded:
            moved = (
                hold(entry) * directions.of(dae.coordinates[k].position) for k, entry in row.jacobian.items()
            )
            change = add([change, *moved])
        yield Result("change", index, change)


def _products(jacobian: dict[int, Expr], dae: Dae, level: str) -> Iterator[Expr]:
    for column, entry in jacobian.items():
        yield entry * getattr(dae.coordinates[column], level)


def _dynamics(
    dae: Dae, flow: SolutionFlow, directions: Directions, hold: Callable[[Expr], Expr]
) -> Iterator[Result]:
    rows = [dae.constraints[row] for row in flow.rows]
    inertial_terms = InertialTerms(dae)
    solved = [*(c.acceleration for c in dae.coordinates), *(row.multiplier for row in dae.constraints)]
    tangent = directions.tangent(dae, held=solved)
    add = dae.symbols.dag.add
    for k, coordinate in enumerate(dae.coordinates):
        terms = [-dae.force[k], *inertial_terms(k)]
        terms += [row.jacobian[k] * row.multiplier for row in rows if k in row.jacobian]
        # Term by term: the sum of changes has more in common than the change of the sum.
        yield Result("balance", k, add(tangent(hold(term)) for term in terms), str(coordinate.origin))
    for c, row in enumerate(rows):
        terms = [*_products(row.jacobian, dae, "acceleration"), -row.gamma]
        yield Result("slip", c, add(tangent(hold(term)) for term in terms), str(row.origin))
