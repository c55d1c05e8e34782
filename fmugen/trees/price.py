"""What one evaluation of the equations of motion costs: its operations, and the time they take.

**Operations** are those of the straight-line functions after sharing, those of the helpers that take exact
steps, and those of the linear algebra that is left to loops; each counts as one. With n coordinates,
m constraints and f = n - m degrees of freedom, an LU factorization of size k takes 2/3 k^3 operations, a
Cholesky factorization k^3/3, a solution with either 2 k^2:

- Iterated blocks of size k are evaluated, factored and solved about three times.
- Embedding in loops factors Phi_d once and solves with it for the velocities, the f columns of B, gamma and
  the multipliers; B^T M B takes 2 n^2 f + 2 n f^2, the reduced system a Cholesky factorization of size f.
- Multiplier closures: an LU factorization and a solution of size n + m.
- The penalty closure: 2 m n^2 to add the constraints to M, a Cholesky factorization and a solution of size n.

**The price** is the time that these operations are expected to take, in nanoseconds of one machine. Only
ratios of prices matter. Operations of straight-line code overlap, so one takes less than a cycle. A function
takes as long as twelve of them. An exact step also has guards, a prediction and an angle. Linear algebra in
loops also has loads and tests.

The weights were fitted to times of the tree sets of Léger's appendix A (``cross_check/bench/prices.py``), by
non-negative least squares of the relative error. Every table has a factor for the speed of the machine. First
the weights of straight-line code were fitted to the sets without iteration, then those of iteration to the
others. No set is embedded in loops any more: the weights of embedding come from an older fit. Fitted again,
the relative error is 9.1 % (root mean square) without iteration and 8.1 % with it. Prices with the weights in
use rank the sets of a table as their times do: Spearman's correlation is 0.97 in the median.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fmugen.algebra import Budget
from fmugen.expr.code import Operations, count_operations
from fmugen.expr.dag import Expr, Operation
from fmugen.ir.dae import Dae
from fmugen.ir.flow import EMBEDDED, Closure, SolutionFlow
from fmugen.ir.model import SystemModel
from fmugen.ir.program import Program
from fmugen.ir.steps import ExactStep, PolynomialStep
from fmugen.phases.embedding import embed
from fmugen.phases.lower import count_program
from fmugen.phases.triangularize import close_loops

__all__ = [
    "PRICE_ERROR",
    "Cost",
    "cost_of",
    "count",
    "iteration_operations",
    "lower_bound",
    "program_cost",
]

#: Prices that differ by less may be in another order when measured.
PRICE_ERROR = 0.03

_NEWTON_EVALUATIONS = 3
_ROOT_ITERATIONS = 2

# Nanoseconds.
_ARITHMETIC = 0.264
_FUNCTION = 3.2
_STEP = 5.3
_ELIMINATION = 0.30
_ITERATED_BLOCK = 434.0
_LOOP_OPERATION = 0.43
_LOOPS = 280.0
_CALL = 35.0


@dataclass(frozen=True)
class Cost:
    """One evaluation of the equations of motion: how many equations there are, and what they take.

    ``program`` are the operations of straight-line code, helpers and iterations included, ``algebra`` those
    in loops, ``elimination`` those of the elimination in iterated blocks; ``steps`` exact steps are taken,
    and ``iterated`` blocks solved by iteration.
    """

    coordinates: int
    constraints: int
    program: Operations
    algebra: int = 0
    elimination: int = 0
    steps: int = 0
    iterated: int = 0

    @property
    def degrees_of_freedom(self) -> int:
        return self.coordinates - self.constraints

    @property
    def operations(self) -> int:
        """All operations, each counted as one."""
        return self.program.total + self.algebra + self.elimination

    @property
    def price(self) -> float:
        """The time that the operations are expected to take, in nanoseconds."""
        steps = _STEP * self.steps
        iteration = _ITERATED_BLOCK * self.iterated + _ELIMINATION * self.elimination
        loops = _LOOPS + _LOOP_OPERATION * self.algebra if self.algebra else 0.0
        return _CALL + _straight_line(self.program) + steps + iteration + loops


def cost_of(
    model: SystemModel, dae: Dae, closure: Closure, others: Iterable[Dae] = (), budget: Budget | None = None
) -> Cost:
    """The cost of one evaluation of ``dae``, with its loops closed as in an export.

    ``others`` are further forms of the equations. ``budget`` limits the search for exact steps of each.
    """
    best, flow = close_loops(model, dae, closure, others, budget, alternatives=False)
    return count(model, best, flow)


def count(model: SystemModel, dae: Dae, flow: SolutionFlow, *, compacted: bool = True) -> Cost:
    """The cost of one evaluation with loops closed by ``flow``.

    Operations that are not ``compacted`` are more than those of an export, by about the same share for all
    trees of a model.
    """
    motions = [embed(dae, flow)] if flow.closure in EMBEDDED else []
    return program_cost(count_program(model, dae, flow, motions, compacted=compacted))


def program_cost(program: Program) -> Cost:
    """The cost of one evaluation of the equations of motion of ``program``."""
    flow = program.flow
    n, m = len(program.coordinate_names), len(program.constraint_names)
    exact = [step for block in flow.blocks for step in block.steps]
    iterated = _iterated_sizes(flow)
    elimination = _NEWTON_EVALUATIONS * sum(_lu(size) + _solve(size) for size in iterated)
    algebra = _linear_algebra(flow.closure, n, m) if program.motion is None else 0
    return Cost(n, m, _operations(program, exact), algebra, elimination, len(exact), len(iterated))


def lower_bound(dae: Dae, closure: Closure) -> float:
    """A price that the equations of ``dae`` hardly have less than, known before any loop is closed.

    It is that of the entries of M (as far as it is needed), F, Phi_q and gamma, and of one step for each
    constraint, or, where all coordinates are kept, of the linear algebra.
    """
    rows = [entry for row in dae.constraints for entry in (*row.jacobian.values(), row.gamma)]
    # Recursions do without the entries of M.
    mass = () if dae.tree is not None and closure in EMBEDDED else dae.mass.values()
    entries = count_operations((), [*mass, *dae.force, *rows], _is_given)
    constraints = len(dae.constraints)
    if closure in EMBEDDED:
        rest = _STEP * constraints
    else:
        rest = _LOOP_OPERATION * _linear_algebra(closure, len(dae.coordinates), constraints)
    return _CALL + _straight_line(entries) + rest


def _is_given(node: Expr) -> bool:
    return node.constant or node.operation is Operation.SYMBOL


def _straight_line(operations: Operations) -> float:
    functions = operations.functions
    return _ARITHMETIC * (operations.total - functions) + _FUNCTION * functions


# --- straight-line code ---------------------------------------------------------------------------


def _operations(program: Program, exact: Sequence[ExactStep]) -> Operations:
    """Operations of the equations of motion, and of what finds the dependent coordinates."""
    closure = program.flow.closure

    def operations(name: str) -> Operations:
        return program.function(name).operations

    total = program.right_hand_side
    if closure not in EMBEDDED:
        return total + operations("constraints")
    if program.motion is None:
        total += operations("jacobian")
    if closure is Closure.NEWTON_ALL:
        newton = operations("constraints") + operations("jacobian")
        return total + _repeated(newton, _NEWTON_EVALUATIONS)
    for step in exact:
        total += _repeated(iteration_operations(step) or Operations(), _ROOT_ITERATIONS)
    for function, solve in zip(program.block_functions, program.solve_functions, strict=True):
        if solve is None:
            total += _repeated(function.operations, _NEWTON_EVALUATIONS)
    return total


def _repeated(operations: Operations, times: int) -> Operations:
    return sum([operations] * times, Operations())


def iteration_operations(step: ExactStep) -> Operations | None:
    """The operations of one iteration: value, slope and size of a polynomial, and the bounded step."""
    if not isinstance(step, PolynomialStep):
        return None
    each = 3 * (len(step.coefficients) - 1)
    return Operations(each + 2, each + 2, 1, 0)


# --- loops ----------------------------------------------------------------------------------------


def _iterated_sizes(flow: SolutionFlow) -> list[int]:
    """The sizes of the blocks that are iterated."""
    if flow.closure not in EMBEDDED or not flow.rows:
        return []
    if flow.closure is Closure.NEWTON_ALL:
        return [len(flow.rows)]
    return [len(block.rows) for block in flow.blocks if not block.steps]


def _linear_algebra(closure: Closure, n: int, m: int) -> int:
    """The operations that solve for accelerations and multipliers in loops."""
    f = n - m
    if closure in EMBEDDED or closure is Closure.PROJECTION:
        embedding = _lu(m) + (f + 3) * _solve(m) + 2 * m * f + 2 * m * n
        reduction = 2 * n * n * (f + 1) + 2 * n * f * (f + 2)
        return embedding + reduction + _cholesky(f) + _solve(f)
    if closure is Closure.PENALTY:
        return 2 * m * n * n + _cholesky(n) + _solve(n) + 4 * m * n
    return _lu(n + m) + _solve(n + m)


def _lu(size: int) -> int:
    return 2 * size**3 // 3


def _cholesky(size: int) -> int:
    return size**3 // 3


def _solve(size: int) -> int:
    return 2 * size * size
