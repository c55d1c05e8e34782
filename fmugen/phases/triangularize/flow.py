"""Dae -> SolutionFlow: assemble, find redundant constraints, choose independent coordinates, order blocks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fmugen.algebra import Budget
from fmugen.errors import AssemblyError
from fmugen.ir.dae import Dae
from fmugen.ir.flow import EMBEDDED, Block, Closure, SolutionFlow
from fmugen.ir.model import Space, SystemModel, default_parameters
from fmugen.phases.triangularize.assemble import Assembly, assemble
from fmugen.phases.triangularize.check import StepCheck
from fmugen.phases.triangularize.choice import Situation, choose_triangular
from fmugen.phases.triangularize.course import Course
from fmugen.phases.triangularize.dynamics import passed_positions
from fmugen.phases.triangularize.guards import Guards
from fmugen.phases.triangularize.judgement import Judgement, quality_shown, usual_sizes
from fmugen.phases.triangularize.measures import measures_of
from fmugen.phases.triangularize.motion import filled_positions, nearby_positions, reachable_positions
from fmugen.phases.triangularize.named import named_coordinates
from fmugen.phases.triangularize.numeric import Numbers, Position, without_value
from fmugen.phases.triangularize.partition import (
    Pivots,
    attitudes_of,
    blocks_of,
    choose_independent,
    independent_rows,
    typical_length,
    whole_attitudes,
)
from fmugen.phases.triangularize.pivots import LARGEST_UNORDERED, in_order_of_pivots
from fmugen.phases.triangularize.sets import Choice

__all__ = ["solution_flow"]


def solution_flow(
    model: SystemModel, dae: Dae, closure: Closure, budget: Budget | None = None, *, spares: bool = True
) -> SolutionFlow:
    """How the coordinates of ``dae`` are found while the model runs.

    Independent are the coordinates that the model names, if it names any. ``budget`` limits the search for
    exact steps. Without ``spares`` it is enough to know what an evaluation costs.

    Raises
    ------
    AssemblyError
        If the loops cannot be closed at the start, or a driver has no value, rate or acceleration there.
    """
    defaults = default_parameters(model)
    parameters = [defaults[name] for name in dae.symbols.parameters]
    try:
        return _flow(model, dae, closure, parameters, budget, spares=spares)
    except (ArithmeticError, ValueError) as error:
        reason = without_value(dae, parameters)
        if not reason:
            raise
        names = ", ".join(driver.name for driver in model.in_section("drivers"))
        raise AssemblyError(
            f"the drivers ({names}) cannot be followed at the start: {reason}; let the motion begin smoothly"
        ) from error


def _flow(
    model: SystemModel,
    dae: Dae,
    closure: Closure,
    parameters: Sequence[float],
    budget: Budget | None,
    *,
    spares: bool,
) -> SolutionFlow:
    if not dae.coordinates:
        Assembly(dae, parameters).require_closed()
        left_out = tuple(range(len(dae.constraints)))
        return SolutionFlow(closure, (), (), (), left_out, (), (), (), (), 1.0)
    assembly, q, v, moves, distances = assemble(
        dae, parameters, measures_of(model), planar=model.space is Space.PLANAR
    )

    @cache
    def reached() -> list[Position]:
        return reachable_positions(assembly, q, model.experiment.stop)

    rows, redundant = independent_rows(assembly, q, reached)
    jacobian = assembly.constraints(q)[1][rows]
    pivots = Pivots(tuple(rows), attitudes_of(dae, rows) if closure in EMBEDDED else ())
    fixed = set(dae.fixed_positions)
    preferred = [index for index, coordinate in enumerate(dae.coordinates) if coordinate.name in fixed]
    if model.independent:
        independent, dependent, pivot = named_coordinates(dae, pivots, jacobian, model.independent)
    else:
        independent, dependent, pivot = choose_independent(dae, jacobian, preferred)
    choice = Choice(independent, dependent, pivot, blocks_of(dae, pivots, dependent))

    def jacobians(positions: Sequence[Position]) -> list[Numbers]:
        return [assembly.constraints(at.q, time=at.time)[1][rows] for at in positions]

    sizes = usual_sizes(assembly, rows, q)
    passed: list[Position] | None = []
    if closure is Closure.TRIANGULAR:
        moved = reached()
        near = [Position(q), *(Position(at) for at in nearby_positions(assembly, q))]
        named = bool(model.independent)
        if independent and dependent and not named:
            passed = passed_positions(dae, assembly, parameters, q, v, model.experiment.stop, whole=spares)

        def course() -> Course:
            stop = model.experiment.stop
            positions = filled_positions(assembly, passed or [])
            if not passed or passed[-1].time < stop:  # the rest may lead anywhere
                positions += reachable_positions(assembly, q, stop, far=True)
            judgement = Judgement(pivots, sizes, jacobians(positions))
            return Course(judgement, Guards(dae, [positions[n] for n in judgement.places], parameters))

        judge = StepCheck(dae, near, moved, parameters)
        judgement = Judgement(pivots, sizes, jacobians(passed or moved))
        situation = Situation(pivots, jacobian, judgement, course if spares and passed is not None else None)
        choice = choose_triangular(dae, situation, choice, budget or Budget(), judge, fixed=named)

    length = typical_length(assembly, q)

    @cache
    def eliminated() -> list[Numbers]:
        return [jacobian, *jacobians(passed or reached())]

    @cache
    def judged() -> Judgement:
        return Judgement(pivots, sizes, eliminated())

    def ordered(block: Block) -> Block:
        small = len(block.rows) <= LARGEST_UNORDERED
        return block if small else in_order_of_pivots(block, rows, eliminated())

    def flow_of(choice: Choice) -> SolutionFlow:
        return SolutionFlow(
            closure,
            tuple(choice.independent),
            tuple(choice.dependent),
            tuple(rows),
            tuple(redundant),
            tuple(map(ordered, choice.blocks)),
            tuple(q.tolist()),
            tuple(v.tolist()),
            moves,
            choice.pivot,
            tuple(flow_of(spare) for spare in choice.spares),
            length,
            whole_attitudes(pivots.attitudes, choice.dependent),
            quality_shown(judged().qualities(choice.dependent)),
            distances,
        )

    return flow_of(choice)
