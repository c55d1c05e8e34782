"""Dae, SolutionFlow -> Program: straight-line functions with shared subexpressions named.

Whatever depends on parameters alone is evaluated once, at initialization (``derive``). Switching functions of
the equations become functions of held signs (:mod:`fmugen.expr.relations`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from fmugen.expr.calculus import Tangent
from fmugen.expr.code import Operations, constants_read, count_operations, schedule
from fmugen.expr.compact import compact
from fmugen.expr.dag import Expr
from fmugen.expr.relations import Relations
from fmugen.ir.dae import Dae
from fmugen.ir.driving import driving_inputs
from fmugen.ir.flow import Block, Closure, SolutionFlow
from fmugen.ir.fmu import CalculatedVariable
from fmugen.ir.model import SystemModel
from fmugen.ir.program import (
    Function,
    Leaf,
    MotionCode,
    MotionStage,
    NetworkCode,
    Program,
    Result,
    SetCode,
    SolveFunction,
    StepCode,
    Vector,
)
from fmugen.ir.steps import ExactStep
from fmugen.phases.lower.angles import angle_results, counted_angles
from fmugen.phases.lower.arrange import compact_forms, compact_motion, stage_roots, taken, turning_coordinates
from fmugen.phases.lower.calculated import calculated_variables
from fmugen.phases.lower.dependencies import Dependencies
from fmugen.phases.lower.inputs import input_rates, input_stamps, starts_by_inputs
from fmugen.phases.lower.left_out import left_out_constraints, left_out_results
from fmugen.phases.lower.matrices import jacobian_results, mass_results, phi_results
from fmugen.phases.lower.partials import partials_of
from fmugen.phases.lower.solved import SolvedEquations
from fmugen.phases.lower.states import continuous_states
from fmugen.phases.lower.steps import CIRCLE, StepForm, form_of
from fmugen.phases.lower.symbols import equations_of, symbol_leaves
from fmugen.phases.lower.tangents import Directions, tangent_results

__all__ = ["count_program", "lower_program"]


def lower_program(
    model: SystemModel,
    dae: Dae,
    flow: SolutionFlow,
    motions: Sequence[MotionCode | None] = (),
) -> Program:
    """The functions that generated code consists of.

    ``motions`` are the embedded forms of the equations, of the flow and of its alternatives.
    """
    return _Lowering(model, dae, flow).program(_of_all_sets(flow, motions))


def count_program(
    model: SystemModel,
    dae: Dae,
    flow: SolutionFlow,
    motions: Sequence[MotionCode | None] = (),
    *,
    compacted: bool = True,
) -> Program:
    """A program to count the operations of a right-hand side.

    It has neither outputs nor states nor derivatives. Functions that a right-hand side does without are
    missing or have no content. ``compacted`` expressions are those of :func:`lower_program`.
    """
    lowering = _Lowering(model, dae, flow, whole=False, compacted=compacted)
    return lowering.program(_of_all_sets(flow, motions))


def _of_all_sets(flow: SolutionFlow, motions: Sequence[MotionCode | None]) -> list[MotionCode | None]:
    return [*motions, *(None for _ in flow.sets[len(motions) :])]


class _Lowering:
    def __init__(
        self, model: SystemModel, dae: Dae, flow: SolutionFlow, *, whole: bool = True, compacted: bool = True
    ) -> None:
        self._model, self._dae, self._flow = model, dae, flow
        self._whole, self._compacted = whole, compacted
        self._rows = [dae.constraints[row] for row in flow.rows]
        symbols = dae.symbols
        modes = {mode.symbol: mode.relation for mode in dae.modes}
        self._relations = Relations(symbols.dag, symbols.time, equations_of(dae), modes)
        symbols_read = symbol_leaves(dae, flow)
        self._directions = Directions(symbols_read)
        self._angles = counted_angles(dae)
        self._leaves = symbols_read | self._directions.leaves | self._signs()
        for i, angle in enumerate(self._angles):
            self._leaves[angle.symbol] = Leaf(Vector.TURNS, i, angle.name)
        self._structure = Dependencies(dae, flow)
        self._partials = partials_of(dae, model.outputs) if whole else ()
        self._derived: dict[Expr, Leaf] = {}
        self._turning: dict[int, int] = {}

    def program(self, motions: Sequence[MotionCode | None]) -> Program:
        whole = self._whole
        calculated: list[CalculatedVariable] = []
        values: list[Expr] = []
        if whole:
            calculated, values = calculated_variables(self._model, self._dae, self._flow, self._structure)
        shown = [variable.name for variable in calculated]
        functions = list(self._functions(shown, values, embedded=None not in motions))
        sets = self._sets(motions)
        functions += [self._closing()] if whole else []
        network = self._network()
        derive = self._derive_function()
        driving = driving_inputs(self._model)
        return Program(
            self._leaves | self._derived,
            (derive, *functions),
            sets,
            len(self._derived),
            tuple(coordinate.name for coordinate in self._dae.coordinates),
            tuple(coordinate.unit for coordinate in self._dae.coordinates),
            tuple(coordinate.kind for coordinate in self._dae.coordinates),
            tuple(row.name for row in self._rows),
            tuple(self._turning),
            self._sines(),
            len(self._dae.fixed_positions),
            len(self._dae.fixed_velocities),
            tuple(calculated),
            network,
            tuple(continuous_states(self._dae, self._flow, self._structure)) if whole else (),
            len(self._relations.by_time),
            len(self._relations.by_state),
            input_rates(self._dae),
            tuple(variable.name in driving for variable in self._model.inputs),
            input_stamps(self._model),
            tuple(variable.slope for variable in self._model.inputs),
            self._partials,
            starts_by_inputs(self._dae),
            tuple(angle.name for angle in self._angles),
            sum(angle.jumps for angle in self._angles),
            left_out_constraints(self._dae, self._flow),
            self._relations.by_sign,
        )

    def _sets(self, motions: Sequence[MotionCode | None]) -> tuple[SetCode, ...]:
        """The functions of all sets of independent coordinates; before them, what turns in any."""
        blocks = [block for flow in self._flow.sets for block in flow.blocks]
        forms = [form for block in blocks for form in self._forms(block.steps)]
        self._turning = turning_coordinates(self._dae.coordinates, self._rows, forms, motions)
        pairs = zip(self._flow.sets, motions, strict=True)
        return tuple(self._set(number, flow, motion) for number, (flow, motion) in enumerate(pairs))

    def _functions(
        self, shown: Sequence[str], values: Sequence[Expr], *, embedded: bool
    ) -> Iterator[Function]:
        """The functions of a point; ``shown`` and ``values`` are the calculated variables."""
        if self._whole or not embedded or self._flow.closure is Closure.NEWTON_ALL:
            yield from self._constraint_functions()
        if self._whole or not embedded:
            yield from self._dynamics_functions()
        if self._whole:
            left_out = left_out_results(self._dae, self._flow)
            yield self._function("left_out", "redundant constraints, to check", left_out)
            named = enumerate(zip(shown, values, strict=True))
            results = [Result("y", i, value, name) for i, (name, value) in named]
            yield self._function("outputs", "coordinates, motion of bodies, outputs", results)
            yield self._start_function("fixed", self._dae.fixed_positions, by_velocity=False)
            yield self._start_function("fixed_velocity", self._dae.fixed_velocities, by_velocity=True)
        yield from self._network_functions()
        if self._whole:
            yield from self._relation_functions()
            yield from self._tangents(values)
            for name, purpose, results in angle_results(self._dae, self._angles):
                yield self._function(name, purpose, results)

    def _tangents(self, calculated: Sequence[Expr]) -> list[Function]:
        partial = list(dict.fromkeys(sorted(each.output for each in self._partials)))
        found = tangent_results(
            self._dae,
            self._flow,
            self._directions,
            self._relations.hold,
            calculated,
            [calculated[number] for number in partial],
        )
        return [self._function(name, purpose, results) for name, purpose, results in found]

    # --- relations ---------------------------------------------------------------------------------

    def _signs(self) -> dict[Expr, Leaf]:
        signs = self._relations.by_sign
        return {sign: Leaf(Vector.SIGNS, index, sign.name) for index, sign in enumerate(signs)}

    def _relation_functions(self) -> list[Function]:
        lines = [self._relations.line(relation) for relation in self._relations.by_time]
        watched = list(self._relations.by_state)
        return [
            self._function(
                "time_relations",
                "relations that are lines in time: their values at time zero and their slopes",
                [
                    Result(array, i, line[part])
                    for part, array in enumerate(("value", "slope"))
                    for i, line in enumerate(lines)
                ],
            ),
            self._function(
                "relations",
                "relations that are watched for a change of sign",
                [Result("relation", i, value) for i, value in enumerate(watched)],
            ),
        ]

    # --- networks ----------------------------------------------------------------------------------

    def _network_functions(self) -> list[Function]:
        states = list(enumerate(self._dae.states))
        fixed = enumerate(self._dae.fixed_states.items())
        return [
            self._function(
                "derivatives",
                "derivatives of the states of the network",
                [Result("dx", i, state.derivative, state.name) for i, state in states],
            ),
            self._function(
                "start_states",
                "start values of the states of the network",
                [Result("x", i, state.start, state.name) for i, state in states],
            ),
            self._function(
                "fixed_states",
                "fixed start values of the network that are not states: residuals",
                [Result("residual", i, value, name) for i, (name, value) in fixed],
            ),
        ]

    def _network(self) -> NetworkCode:
        dae = self._dae
        return NetworkCode(
            tuple(state.name for state in dae.states),
            tuple(unknown.name for unknown in dae.iterated),
            tuple(block.unknowns for block in dae.network_blocks),
            tuple(block.name for block in dae.network_blocks),
            tuple(self._network_block(number) for number in range(len(dae.network_blocks))),
            tuple(dae.fixed_states),
            dae.steady,
            tuple(unknown.guess for unknown in dae.iterated),
            tuple(state.unit for state in dae.states),
        )

    def _network_block(self, number: int) -> Function:
        """Residuals of a block of the network, and their derivatives by its unknowns."""
        block = self._dae.network_blocks[number]
        size = len(block.unknowns)
        equations = list(enumerate(block.equations))
        results = [Result("residual", i, each.residual, str(each.origin)) for i, each in equations]
        for column, unknown in enumerate(block.unknowns):
            symbol = self._dae.iterated[unknown].symbol
            partial = Tangent(symbol.dag, {symbol: symbol.dag.one})
            results += [
                Result("jacobian", i * size + column, partial(each.residual), str(each.origin))
                for i, each in equations
            ]
        return self._function(f"network_block_{number}", f"network equations for {block.name}", results)

    # --- equations of motion -------------------------------------------------------------------------

    def _constraint_functions(self) -> list[Function]:
        return [
            self._function("constraints", "loop constraints phi(q, t)", phi_results(self._rows)),
            self._function(
                "jacobian", "Jacobian phi_q of the loop constraints", jacobian_results(self._dae, self._rows)
            ),
        ]

    def _closing(self) -> Function:
        """The check of exact steps; without results if no set has them."""
        has_steps = any(block.steps for flow in self._flow.sets for block in flow.blocks)
        phi = phi_results(self._rows if has_steps else ())
        return self._function("closing", "constraints by known sines and cosines", phi, self._sines())

    def _dynamics_functions(self) -> list[Function]:
        nu = [Result("nu", i, row.nu, str(row.origin)) for i, row in enumerate(self._rows)]
        gamma = [Result("gamma", i, row.gamma, str(row.origin)) for i, row in enumerate(self._rows)]
        origins = [str(coordinate.origin) for coordinate in self._dae.coordinates]
        force = [Result("force", i, value, origins[i]) for i, value in enumerate(self._dae.force)]
        return [
            self._function("velocity", "right-hand side nu of phi_q v = nu", nu),
            self._function(
                "dynamics",
                "terms of M a + phi_q^T lambda = F, phi_q a = gamma",
                [*jacobian_results(self._dae, self._rows), *gamma, *mass_results(self._dae), *force],
            ),
        ]

    # --- results -----------------------------------------------------------------------------------

    def _start_function(self, name: str, residuals: dict[str, Expr], *, by_velocity: bool) -> Function:
        size = len(self._dae.coordinates)
        level = "velocity" if by_velocity else "position"
        results = [Result("residual", i, value, key) for i, (key, value) in enumerate(residuals.items())]
        for column, coordinate in enumerate(self._dae.coordinates):
            variable = coordinate.velocity if by_velocity else coordinate.position
            partial = Tangent(variable.dag, {variable: variable.dag.one})
            results += [
                Result("jacobian", i * size + column, partial(value), key)
                for i, (key, value) in enumerate(residuals.items())
            ]
        return self._function(name, f"fixed start {level} values: residual and Jacobian", results)

    # --- sets of independent coordinates -------------------------------------------------------------

    def _set(self, number: int, flow: SolutionFlow, motion: MotionCode | None) -> SetCode:
        forms = [self._forms(block.steps) for block in flow.blocks]
        prefix = f"set_{number}_" if number else ""
        together = None
        if len(forms) > 1 and all(forms):
            steps = [step for block in flow.blocks for step in block.steps]
            together = self._solve_function(f"{prefix}solve_together", "all loops", self._forms(steps))
        apart = self._whole or together is None
        return SetCode(
            flow,
            tuple(
                self._block_function(f"{prefix}block_{i}", block)
                if self._whole or not steps
                else Function(f"{prefix}block_{i}", block.name, (), (), Operations(), {})
                for i, (block, steps) in enumerate(zip(flow.blocks, forms, strict=True))
            ),
            tuple(
                self._solve_function(f"{prefix}solve_{i}", block.name, steps)
                if apart
                else SolveFunction(f"{prefix}solve_{i}", block.name, (), {})
                for i, (block, steps) in enumerate(zip(flow.blocks, forms, strict=True))
            ),
            together,
            None if motion is None else self._motion(motion),
        )

    def _block_function(self, name: str, block: Block) -> Function:
        zero = self._dae.symbols.dag.zero
        rows = [self._dae.constraints[row] for row in block.rows]
        results = [Result("residual", i, row.phi, str(row.origin)) for i, row in enumerate(rows)]
        results += [
            Result("jacobian", i * len(block.unknowns) + j, row.jacobian.get(column, zero), str(row.origin))
            for i, row in enumerate(rows)
            for j, column in enumerate(block.unknowns)
        ]
        known = self._sines(without=block.unknowns)
        return self._function(name, block.name, results, known)

    # --- sines and cosines that are found once -------------------------------------------------------

    def _sines(self, without: Sequence[int] = ()) -> dict[Expr, Leaf]:
        """Leaves of the sines and cosines of turning coordinates."""
        leaves: dict[Expr, Leaf] = {}
        for number, place in self._turning.items():
            if number not in without:
                coordinate = self._dae.coordinates[number]
                for offset, function in enumerate(("sin", "cos")):
                    leaf = Leaf(Vector.SINES, 2 * place + offset, coordinate.name)
                    leaves[coordinate.position.dag.call(function, coordinate.position)] = leaf
        return leaves

    # --- exact steps ---------------------------------------------------------------------------------

    def _forms(self, steps: Sequence[ExactStep]) -> list[StepForm]:
        """The steps that one function takes, each using what those before it have found."""
        forms, hold, known = [], self._relations.hold, SolvedEquations()
        units = self._dae.unit_positions
        for step in steps:
            coordinate = self._dae.coordinates[step.unknown]
            form = form_of(known.step(step), coordinate.name, coordinate.position, units)
            arguments = tuple(hold(known.expression(argument)) for argument in form.arguments)
            forms.append(replace(form, arguments=arguments, results=tuple(map(hold, form.results))))
            if form.solved is not None:
                known.learn(form.solved)
        return forms

    def _solve_function(self, name: str, purpose: str, forms: Sequence[StepForm]) -> SolveFunction | None:
        """The exact steps of a block, or of all of them; ``None`` for a block without steps."""
        if not forms:
            return None
        forms = [
            replace(form, own=form.own + CIRCLE)
            if form.unknown in self._turning and not form.is_angle
            else form
            for form in forms
        ]
        leaves = self._sines()
        for form in forms:
            found = self._dae.coordinates[form.unknown].name
            leaves |= {symbol: Leaf(vector, form.unknown, found) for symbol, vector in form.leaves.items()}
        is_leaf = self._leaf_test(leaves)
        forms = compact_forms(forms, is_leaf) if self._compacted else forms
        groups = [group for form in forms for group in (form.arguments, form.results)]
        roots = [root for group in groups for root in group]
        self._derive(roots)
        waiting = list(schedule(roots, is_leaf))
        done: set[Expr] = set()
        steps = []
        for form in forms:
            before, waiting = taken(waiting, form.arguments, is_leaf)
            after, waiting = taken(waiting, form.results, is_leaf)
            operations = count_operations(
                (*before, *after),
                (*form.arguments, *form.results),
                lambda node: node in done or is_leaf(node),
            )
            done.update(before, after)
            steps.append(
                StepCode(
                    form.unknown,
                    form.is_angle,
                    form.helper,
                    before,
                    form.arguments,
                    form.root,
                    after,
                    form.results,
                    form.check,
                    form.own,
                    operations,
                )
            )
        return SolveFunction(name, purpose, tuple(steps), leaves)

    def _held_stage(self, stage: MotionStage) -> MotionStage:
        hold = self._relations.hold
        return replace(
            stage,
            guards=tuple(replace(guard, value=hold(guard.value)) for guard in stage.guards),
            results=tuple(replace(result, value=hold(result.value)) for result in stage.results),
        )

    def _motion(self, motion: MotionCode) -> MotionCode:
        """The stages with the temporaries that each needs and no earlier one has."""
        is_leaf = self._leaf_test(self._sines())
        labels = tuple((self._relations.hold(node), text) for node, text in motion.labels)
        motion = MotionCode(tuple(self._held_stage(stage) for stage in motion.stages))
        motion = compact_motion(motion, is_leaf) if self._compacted else motion
        groups = [stage_roots(stage) for stage in motion.stages]
        roots = [root for group in groups for root in group]
        self._derive(roots)
        named = schedule(roots, is_leaf)
        waiting = list(named)
        stages = []
        for stage, group in zip(motion.stages, groups, strict=True):
            temporaries, waiting = taken(waiting, group, is_leaf)
            stages.append(replace(stage, temporaries=temporaries))
        return MotionCode(tuple(stages), count_operations(named, roots, is_leaf), labels)

    # --- functions ----------------------------------------------------------------------------------

    def _function(
        self, name: str, purpose: str, results: Sequence[Result], leaves: dict[Expr, Leaf] | None = None
    ) -> Function:
        """A function of leaves that all functions know, and of further ``leaves``."""
        held = tuple(replace(result, value=self._relations.hold(result.value)) for result in results)
        is_leaf = self._leaf_test(leaves or {})
        roots = [result.value for result in held]
        if self._compacted:
            roots = compact(roots, is_leaf)
            held = tuple(replace(result, value=root) for result, root in zip(held, roots, strict=True))
        self._derive(roots)
        named = schedule(roots, is_leaf)
        operations = count_operations(named, roots, is_leaf)
        return Function(name, purpose, named, held, operations, leaves or {})

    def _derive(self, roots: Iterable[Expr]) -> None:
        """Number the largest parameter-only expressions below ``roots``."""
        for node in constants_read(roots):
            self._derived.setdefault(node, Leaf(Vector.DERIVED, len(self._derived), ""))

    def _derive_function(self) -> Function:
        roots = list(self._derived)
        named = schedule(roots, lambda node: node in self._leaves)
        operations = count_operations(named, roots, lambda node: node in self._leaves)
        results = tuple(Result("d", leaf.index, node) for node, leaf in self._derived.items())
        return Function("derive", "expressions of parameters only", named, results, operations)

    def _leaf_test(self, leaves: dict[Expr, Leaf]) -> Callable[[Expr], bool]:
        return lambda node: node in leaves or node in self._leaves or node in self._derived
