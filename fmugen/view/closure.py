"""The closure of a model in words and numbers: what its blocks solve, how, and at which cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fmugen.expr.calculus import symbols_of
from fmugen.expr.code import Operations
from fmugen.ir.dae import Dae
from fmugen.ir.flow import EMBEDDED, Block, Closure, SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.program import Program, SetCode
from fmugen.ir.steps import (
    ExactStep,
    GoniometricStep,
    LinearAngleStep,
    LinearStep,
    PolynomialStep,
    QuadraticStep,
)
from fmugen.ir.trial import TrialRun
from fmugen.trees.price import iteration_operations
from fmugen.trial import WorstStep
from fmugen.view.configurations import Configurations, count_configurations
from fmugen.view.steps import iterated_parts, iteration_sentence, measured_step, worst_steps

__all__ = ["AlternativeSummary", "BlockSummary", "ClosureSummary", "StepSummary", "summarize_closure"]


@dataclass(frozen=True)
class StepSummary:
    """One unknown: its equation, the degree, and the number of real roots at the start.

    ``operations`` is the whole cost; if the root is iterated, each iteration costs ``iteration`` more.
    """

    unknown: str
    equation: str
    degree: int
    real_roots: int
    operations: Operations
    guard: str
    iteration: Operations | None = None

    @property
    def cost(self) -> str:
        """The number of operations, in words where a part of them is repeated."""
        repeated = "" if self.iteration is None else f" + {self.iteration.total} an iteration"
        return f"{self.operations.total}{repeated}"


@dataclass(frozen=True)
class BlockSummary:
    """Constraints solved together. ``needs`` are the coordinates that must be known before.

    ``operations`` are those of the steps, or without steps, for a ``reason``, those of one iteration.
    """

    loops: tuple[str, ...]
    constraints: tuple[str, ...]
    unknowns: tuple[str, ...]
    needs: tuple[str, ...]
    needs_time: bool
    method: str
    operations: Operations
    steps: tuple[StepSummary, ...]
    reason: str = ""

    @property
    def iterated(self) -> int:
        """How many of the unknowns are found by Newton iteration over the block."""
        return 0 if self.steps else len(self.unknowns)

    @property
    def is_exact(self) -> bool:
        """Whether the unknowns take a fixed number of operations."""
        return bool(self.steps) and all(step.iteration is None for step in self.steps)


@dataclass(frozen=True)
class AlternativeSummary:
    """Independent coordinates that may take over, and the operations of a right-hand side with them.

    ``polynomial_degrees`` are those of the polynomials whose root is then found by bounded iteration.
    """

    independent: tuple[str, ...]
    operations: Operations
    polynomial_degrees: tuple[int, ...] = ()


@dataclass(frozen=True)
class ClosureSummary:
    """The closure of a model. ``is_straight``: the equations of motion are straight-line code.

    ``operations`` are those of a right-hand side with the first independent coordinates. ``carried`` are the
    fourth components of attitudes that are integrated whole. ``trial`` is a run along the declared motion,
    ``worst`` the bounds of a step; a summary without them says nothing of either. ``iterations`` is the fixed
    number of Newton steps over a block, ``None`` without one, 0 if the FMU never iterates.
    """

    closure: Closure
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    pivot: float
    blocks: tuple[BlockSummary, ...]
    configurations: Configurations
    operations: Operations
    is_straight: bool
    alternatives: tuple[AlternativeSummary, ...] = ()
    carried: tuple[str, ...] = ()
    trial: TrialRun | None = None
    worst: WorstStep | None = None
    iterations: int | None = None

    @property
    def most_operations(self) -> int:
        """The operations of a right-hand side, whichever coordinates are independent."""
        return max(
            each.total
            for each in (self.operations, *(alternative.operations for alternative in self.alternatives))
        )

    @property
    def iterated(self) -> int:
        """How many unknowns are found by Newton iteration over their block."""
        return sum(block.iterated for block in self.blocks)

    @property
    def polynomial_degrees(self) -> tuple[int, ...]:
        """The degrees of the polynomials whose root is found by iteration in one unknown."""
        return tuple(
            step.degree for block in self.blocks for step in block.steps if step.iteration is not None
        )

    @property
    def assembly_modes(self) -> int:
        """Combinations of the roots of all steps, real or not."""
        return math.prod(step.degree for block in self.blocks for step in block.steps)

    @property
    def is_bounded(self) -> bool:
        """Whether a right-hand side is a fixed number of operations, all of them counted."""
        is_exact = all(block.is_exact for block in self.blocks) and not self._alternative_degrees
        return self.is_straight and is_exact

    @property
    def _alternative_degrees(self) -> tuple[int, ...]:
        """The degrees of polynomials that other independent coordinates need."""
        return tuple(degree for alternative in self.alternatives for degree in alternative.polynomial_degrees)

    @property
    def sentence(self) -> str:
        """How the loops are closed, in one line."""
        if self.closure not in EMBEDDED:
            return "all coordinates are integrated, constraints are met approximately"
        if not self.dependent:
            return "there are no loops to close"
        clauses = self._iterations()
        if clauses:
            return f"{self._share(clauses)}; all else takes {self._cost}{self._iterating}"
        return f"exact, {self._cost}{self._iterating}"

    @property
    def _iterating(self) -> str:
        """What the trial run says, as the end of the sentence."""
        trial = self.trial
        if trial is None or not trial.is_measured:
            return "; where it iterates was not measured"
        points = f"{trial.points_with_iteration} of {trial.points} points"
        if self._iterations():
            return f"; Newton iteration at {points}"
        if trial.iterates:
            return f"; {points} iterate"
        if trial.problem:
            return f", no iteration up to t = {trial.reached:g} s, where the run stops"
        if trial.changes and self._alternative_degrees:
            roots = f"roots of degree {_listed(self._alternative_degrees)}, by bounded iteration"
            return f"; no Newton iteration, but other coordinates need {roots}"
        return ", no iteration"

    @property
    def run_facts(self) -> tuple[tuple[str, str], ...]:
        """Where the declared motion iterates, and the bounds of a step: names and sentences."""
        facts = [] if self.trial is None else [("iteration", iteration_sentence(self.trial))]
        if self.trial is not None and self.trial.changes:
            facts.append(("changes of coordinates", f"{self.trial.changes} on the declared motion"))
        if self.worst is not None:
            facts += worst_steps(self.worst, self.iterations)
        return tuple(facts)

    @property
    def time_facts(self) -> tuple[tuple[str, str], ...]:
        """What depends on the machine: how long a step takes."""
        return () if self.trial is None else (("longest step", measured_step(self.trial)),)

    def _iterations(self) -> list[str]:
        clauses = []
        if self.iterated:
            sizes = [block.iterated for block in self.blocks if block.iterated]
            blocks = "a block" if len(sizes) == 1 else "blocks"
            fixed = f", {_steps_each(self.iterations)}" if self.iterations else ""
            clauses.append(f"{self.iterated} by Newton in {blocks} of {_listed(sizes)}{fixed}")
        if self.polynomial_degrees:
            degrees = self.polynomial_degrees
            roots = "the root of a polynomial" if len(degrees) == 1 else "roots of polynomials"
            clauses.append(f"{len(degrees)} as {roots} of degree {_listed(degrees)}, by bounded iteration")
        return clauses

    def _share(self, clauses: list[str]) -> str:
        first, *rest = clauses
        number, _, how = first.partition(" ")
        unknowns = "unknown" if len(self.dependent) == 1 else "unknowns"
        return ", ".join([f"{number} of {len(self.dependent)} {unknowns} {how}", *rest])

    @property
    def notes(self) -> tuple[str, ...]:
        """What the sentence means, and where it does not hold."""
        notes = [] if self.trial is None else list(self._trial_notes(self.trial))
        for number, block in enumerate(self.blocks, 1):
            if block.reason:
                notes.append(f"block {number} is iterated: {block.reason}")
        notes += self._guard_notes()
        return tuple(notes)

    def _guard_notes(self) -> Iterator[str]:
        """What happens where the exact steps do not hold."""
        if self.iterations:
            yield (
                f"the number of Newton steps over a block is fixed ({self.iterations}): what they leave open "
                "is in closure.residual, and the FMU stops if it is more than 0.001"
            )
        has_steps = any(block.steps for block in self.blocks)
        if self.iterations == 0:
            if has_steps:
                yield "nothing iterates: if a guard fails, the FMU stops with a sentence"
            return
        if has_steps:
            how = f"{_steps_each(self.iterations)}" if self.iterations else "Newton iteration"
            yield f"if a guard fails, its block is solved by {how} at that instant"
        if self.alternatives:
            yield (
                "near a dead centre the FMU changes to another listed set of independent coordinates, which "
                "has exact steps of its own; if all listed sets are poor, it takes other coordinates and "
                "closes all loops by Newton iteration until a listed set is good again"
            )
        elif self.closure in EMBEDDED and self.independent and self.dependent:
            yield (
                "near a dead centre the FMU changes to other independent coordinates and closes all loops by "
                "Newton iteration until it is passed"
            )

    def _trial_notes(self, trial: TrialRun) -> Iterator[str]:
        yield from iterated_parts(trial)
        if self.is_bounded and trial.is_measured:
            these = f"at most {self.most_operations}" if self.alternatives else "these"
            if trial.iterates:
                yield f"where no guard fails, a right-hand side takes {these} operations"
            else:
                yield f"bounded cost: every right-hand side takes {these} operations, nothing iterates"

    @property
    def _cost(self) -> str:
        algebra = "" if self.is_straight else " and linear algebra"
        most = "at most " if self.alternatives else ""
        return f"{most}{self.most_operations} operations{algebra} per right-hand side"


def _steps_each(iterations: int) -> str:
    """The fixed number of Newton steps.

    >>> _steps_each(1), _steps_each(2)
    ('1 Newton step', '2 Newton steps')
    """
    return f"{iterations} Newton step" + ("s" if iterations > 1 else "")


def _listed(numbers: list[int] | tuple[int, ...]) -> str:
    """Sizes, the largest first, equal ones together.

    >>> _listed([2, 6, 2]), _listed([4])
    ('6, 2 (2 times)', '4')
    """
    counts = Counter(numbers)
    return ", ".join(
        f"{size}" if counts[size] == 1 else f"{size} ({counts[size]} times)"
        for size in sorted(counts, reverse=True)
    )


def summarize_closure(model: SystemModel, dae: Dae, flow: SolutionFlow, program: Program) -> ClosureSummary:
    """The closure of ``flow``, in words and numbers."""
    names = [coordinate.name for coordinate in dae.coordinates]
    configurations = count_configurations(model, dae, flow)
    numbers = range(len(flow.blocks)) if flow.closure in EMBEDDED else range(0)
    if flow.closure is Closure.NEWTON_ALL and flow.blocks:
        blocks: tuple[BlockSummary, ...] = (_all_at_once(dae, flow, program),)
    else:
        blocks = tuple(_block_summary(dae, flow, program, configurations, number) for number in numbers)
    return ClosureSummary(
        flow.closure,
        tuple(names[k] for k in flow.independent),
        tuple(names[k] for k in flow.dependent if k not in flow.carried),
        flow.condition,
        blocks,
        configurations,
        program.right_hand_side,
        all(code.motion is not None for code in program.sets),
        tuple(_alternative_summary(names, program, code) for code in program.sets[1:]),
        tuple(names[k] for k in flow.carried),
        iterations=flow.iterations,
    )


def _alternative_summary(names: Sequence[str], program: Program, code: SetCode) -> AlternativeSummary:
    iterated = [step for step in _steps(code.flow) if iteration_operations(step) is not None]
    return AlternativeSummary(
        tuple(names[k] for k in code.flow.independent),
        program.right_hand_side_of(code),
        tuple(_degree(step) for step in iterated),
    )


def _steps(flow: SolutionFlow) -> Iterator[ExactStep]:
    return (step for block in flow.blocks for step in block.steps)


def _all_at_once(dae: Dae, flow: SolutionFlow, program: Program) -> BlockSummary:
    whole = Block(flow.dependent, flow.rows, "")
    cost = program.function("constraints").operations + program.function("jacobian").operations
    return _described(dae, whole, cost, ())


def _block_summary(
    dae: Dae, flow: SolutionFlow, program: Program, configurations: Configurations, number: int
) -> BlockSummary:
    block, solve = flow.blocks[number], program.solve_functions[number]
    if solve is None:
        return _described(dae, block, program.block_functions[number].operations, ())
    costs = [code.operations + code.own for code in solve.steps]
    steps = tuple(
        StepSummary(
            dae.coordinates[step.unknown].name,
            _equation(step),
            _degree(step),
            configurations.real_roots[step.unknown],
            cost,
            _guard(step),
            iteration_operations(step),
        )
        for step, cost in zip(block.steps, costs, strict=True)
    )
    return _described(dae, block, sum(costs, Operations()), steps)


def _described(
    dae: Dae, block: Block, operations: Operations, steps: tuple[StepSummary, ...]
) -> BlockSummary:
    rows = [dae.constraints[row] for row in block.rows]
    needed = {column for row in rows for column in row.jacobian} - set(block.unknowns)
    return BlockSummary(
        tuple(sorted({row.origin.edge for row in rows})),
        tuple(row.name for row in rows),
        tuple(dae.coordinates[k].name for k in block.unknowns),
        tuple(dae.coordinates[k].name for k in sorted(needed)),
        dae.symbols.time in symbols_of([row.phi for row in rows]),
        block.method,
        operations,
        steps,
        block.reason,
    )


def _degree(step: ExactStep) -> int:
    match step:
        case LinearStep() | LinearAngleStep():
            return 1
        case GoniometricStep() | QuadraticStep():
            return 2
        case PolynomialStep():
            return len(step.coefficients) - 1


def _equation(step: ExactStep) -> str:
    match step:
        case LinearStep():
            return "a x = b"
        case LinearAngleStep():
            return "a sin = b, a cos = c"
        case GoniometricStep():
            return "a sin + b cos = c"
        case QuadraticStep():
            return "a x^2 + b x + c = 0"
        case PolynomialStep():
            unknown = "tan(x/2)" if step.half_angle else "x"
            return f"polynomial in {unknown}"


def _guard(step: ExactStep) -> str:
    match step:
        case LinearStep():
            return "a != 0"
        case LinearAngleStep():
            return "a^2 = b^2 + c^2"
        case GoniometricStep():
            return "a^2 + b^2 >= c^2"
        case QuadraticStep():
            return "b^2 >= 4 a c"
        case PolynomialStep():
            return "converges"
