"""Dae -> SolutionFlow: assemble, find redundant constraints, choose independent coordinates, order blocks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from fmugen.algebra import Budget
from fmugen.errors import AssemblyError
from fmugen.ir.dae import Dae
from fmugen.ir.flow import EMBEDDED, Block, Closure, SolutionFlow
from fmugen.ir.model import Space, SystemModel, default_parameters
from fmugen.phases.triangularize.assemble import Assembly, assemble
from fmugen.phases.triangularize.check import StepCheck, table_of
from fmugen.phases.triangularize.choice import Situation, choose_triangular
from fmugen.phases.triangularize.course import Course
from fmugen.phases.triangularize.dynamics import trajectory_positions
from fmugen.phases.triangularize.guards import Guards
from fmugen.phases.triangularize.judgement import Judgement, Sizes, quality_shown, usual_sizes
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
from fmugen.phases.triangularize.sets import IndependentSet

__all__ = ["solution_flow"]


def solution_flow(
    model: SystemModel, dae: Dae, closure: Closure, budget: Budget | None = None, *, alternatives: bool = True
) -> SolutionFlow:
    """How the coordinates of ``dae`` are found while the model runs.

    The independent coordinates are those that the model names, if it names any. ``budget`` limits the search
    for exact steps. Without ``alternatives`` the flow is only good for counting operations.

    Raises
    ------
    AssemblyError
        If the loops cannot be closed at the start, or a driver has no value, rate or acceleration there.
    """
    defaults = default_parameters(model)
    parameters = [defaults[name] for name in dae.symbols.parameters]
    try:
        return _flow(model, dae, closure, parameters, budget, alternatives=alternatives)
    except (ArithmeticError, ValueError) as error:
        reason = without_value(dae, parameters)
        if not reason:
            raise
        names = ", ".join(driver.name for driver in model.in_section("drivers"))
        raise AssemblyError(
            f"the drivers ({names}) cannot be followed at the start: {reason}; let the motion begin smoothly"
        ) from error


def _coordinates_at(*groups: Sequence[Position]) -> list[Numbers]:
    return [position.q for group in groups for position in group]


def _flow(
    model: SystemModel,
    dae: Dae,
    closure: Closure,
    parameters: Sequence[float],
    budget: Budget | None,
    *,
    alternatives: bool,
) -> SolutionFlow:
    if not dae.coordinates:
        Assembly(dae, parameters).require_closed()
        left_out = tuple(range(len(dae.constraints)))
        return SolutionFlow(closure, (), (), (), left_out, (), (), (), (), 1.0)
    closing = _Closing(model, dae, parameters, closure)
    chosen = closing.first_choice()
    if closure is Closure.TRIANGULAR:
        chosen = closing.triangular(chosen, budget or Budget(), alternatives=alternatives)
    return closing.flow_of(chosen)


class _Closing:
    """The loops of a Dae at its start, and along the motion as far as it is looked at."""

    def __init__(self, model: SystemModel, dae: Dae, parameters: Sequence[float], closure: Closure) -> None:
        self._model, self._dae, self._parameters, self._closure = model, dae, parameters, closure
        self._stop = model.experiment.stop
        self._assembly, self._q, self._v, self._moves, self._distances = assemble(
            dae, parameters, measures_of(model), planar=model.space is Space.PLANAR
        )
        self._rows, self._redundant = independent_rows(self._assembly, self._q, lambda: self._reached)
        self._jacobian = self._assembly.constraints(self._q)[1][self._rows]
        attitudes = attitudes_of(dae, self._rows) if closure in EMBEDDED else ()
        self._pivots = Pivots(tuple(self._rows), attitudes)
        #: The positions of the motion; none where it is not computed, ``None`` if it cannot be.
        self._trajectory: list[Position] | None = []

    @cached_property
    def _reached(self) -> list[Position]:
        return reachable_positions(self._assembly, self._q, self._stop)

    @cached_property
    def _sizes(self) -> Sizes:
        return usual_sizes(self._assembly, self._rows, self._q)

    @cached_property
    def _length(self) -> float:
        return typical_length(self._assembly, self._q)

    def _jacobians(self, positions: Sequence[Position]) -> list[Numbers]:
        return [self._assembly.constraints(at.q, time=at.time)[1][self._rows] for at in positions]

    def _judgement(self, positions: Sequence[Position]) -> Judgement:
        return Judgement(self._pivots, self._sizes, self._jacobians(positions))

    # --- the choice of independent coordinates ------------------------------------------------------------

    def first_choice(self) -> IndependentSet:
        """The coordinates that the model names; else those of the best pivots at the start."""
        dae = self._dae
        if self._model.independent:
            found = named_coordinates(dae, self._pivots, self._jacobian, self._model.independent)
        else:
            fixed = set(dae.fixed_positions)
            preferred = [k for k, coordinate in enumerate(dae.coordinates) if coordinate.name in fixed]
            found = choose_independent(dae, self._jacobian, preferred)
        independent, dependent, pivot = found
        return IndependentSet(independent, dependent, pivot, blocks_of(dae, self._pivots, dependent))

    def triangular(self, first: IndependentSet, budget: Budget, *, alternatives: bool) -> IndependentSet:
        """The choice whose closure takes the least iteration, judged along the motion."""
        reachable = self._reached
        nearby = [Position(at) for at in (self._q, *nearby_positions(self._assembly, self._q))]
        named = bool(self._model.independent)
        if first.independent and first.dependent and not named:
            self._trajectory = trajectory_positions(
                self._dae, self._assembly, self._parameters, self._q, self._v, self._stop, whole=alternatives
            )
        judge = StepCheck(self._dae, nearby, reachable, self._parameters)
        judgement = self._judgement(self._trajectory or reachable)
        course = self._course if alternatives and self._trajectory is not None else None
        seen = _coordinates_at(nearby, reachable)
        known = table_of(self._dae, [*nearby, *reachable], self._parameters)
        situation = Situation(self._pivots, self._jacobian, judgement, course, seen, known)
        return choose_triangular(self._dae, situation, first, budget, judge, fixed=named)

    def _course(self) -> Course:
        trajectory = self._trajectory or []
        positions = filled_positions(self._assembly, trajectory)
        if not trajectory or trajectory[-1].time < self._stop:  # the rest of the motion is unknown
            positions += reachable_positions(self._assembly, self._q, self._stop, far=True)
        judgement = self._judgement(positions)
        guarded = [positions[n] for n in judgement.places]
        return Course(judgement, Guards(self._dae, guarded, self._parameters))

    # --- the flow ----------------------------------------------------------------------------------------

    @cached_property
    def _eliminated(self) -> list[Numbers]:
        return [self._jacobian, *self._jacobians(self._trajectory or self._reached)]

    @cached_property
    def _judged(self) -> Judgement:
        return Judgement(self._pivots, self._sizes, self._eliminated)

    def _ordered(self, block: Block) -> Block:
        small = len(block.rows) <= LARGEST_UNORDERED
        return block if small else in_order_of_pivots(block, self._rows, self._eliminated)

    def flow_of(self, chosen: IndependentSet) -> SolutionFlow:
        """The flow with the chosen independent coordinates."""
        return SolutionFlow(
            self._closure,
            tuple(chosen.independent),
            tuple(chosen.dependent),
            tuple(self._rows),
            tuple(self._redundant),
            tuple(map(self._ordered, chosen.blocks)),
            tuple(self._q.tolist()),
            tuple(self._v.tolist()),
            self._moves,
            chosen.pivot,
            tuple(map(self.flow_of, chosen.alternatives)),
            self._length,
            whole_attitudes(self._pivots.attitudes, chosen.dependent),
            quality_shown(self._judged.qualities(chosen.dependent)),
            self._distances,
        )
