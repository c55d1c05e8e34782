"""Dae -> SolutionFlow: assemble, find redundant constraints, choose independent coordinates, order blocks."""

from __future__ import annotations

from functools import partial

from fmugen.algebra import Budget
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.model import SystemModel, default_parameters
from fmugen.phases.triangularize.assemble import assemble
from fmugen.phases.triangularize.check import reproduces
from fmugen.phases.triangularize.choice import Choice, choose_triangular
from fmugen.phases.triangularize.partition import (
    blocks_of,
    choose_independent,
    independent_rows,
    nearby_positions,
)

__all__ = ["solution_flow"]


def solution_flow(
    model: SystemModel, dae: Dae, closure: Closure, budget: Budget | None = None
) -> SolutionFlow:
    """How the coordinates of ``dae`` are found while the model runs.

    ``budget`` limits the search for exact steps.
    """
    if not dae.coordinates:
        return SolutionFlow(closure, (), (), (), (), (), (), (), (), 1.0)
    defaults = default_parameters(model)
    parameters = [defaults[name] for name in dae.symbols.parameters]
    assembly, q, v, moves = assemble(dae, parameters)
    rows, redundant = independent_rows(assembly, q)
    _, jacobian = assembly.constraints(q)
    fixed = set(dae.fixed_positions)
    preferred = [index for index, coordinate in enumerate(dae.coordinates) if coordinate.name in fixed]
    if closure is Closure.TRIANGULAR:
        positions = [q, *nearby_positions(assembly, q)]
        is_right = partial(reproduces, dae, positions=positions, parameters=parameters)
        choice = choose_triangular(dae, jacobian[rows], rows, preferred, budget or Budget(), is_right)
    else:
        independent, dependent, condition = choose_independent(dae, jacobian[rows], preferred)
        choice = Choice(independent, dependent, condition, blocks_of(dae, rows, dependent))
    return SolutionFlow(
        closure,
        tuple(choice.independent),
        tuple(choice.dependent),
        tuple(rows),
        tuple(redundant),
        choice.blocks,
        tuple(q.tolist()),
        tuple(v.tolist()),
        moves,
        choice.pivot,
    )
