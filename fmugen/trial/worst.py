"""Program -> WorstStep: how many operations a step of the generated FMU may take at the most.

The bound assumes the worst of everything at once: all guards fail, all iterations reach their limits, every
step is halved as often as possible, the position is singular, and the coordinates are reviewed and changed.
Additions, multiplications, divisions and functions of double precision numbers count, as in
:class:`fmugen.expr.code.Operations`. Comparisons, signs, copies and integer operations do not.

The functions follow those of the C runtime, and are named after them. Limits are read from its files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from math import ceil

from fmugen.ir.flow import EMBEDDED, Closure
from fmugen.ir.fmu import FmuDescription
from fmugen.ir.options import Solver
from fmugen.ir.program import Program, SetCode, SolveFunction
from fmugen.ir.steps import PolynomialStep
from fmugen.resources import template_dir

__all__ = ["WorstStep", "worst_step", "worst_step_of"]

#: Evaluations of the motion in one step of each method.
_STAGES = {Solver.EULER: 1, Solver.RK4: 4, Solver.DOPRI5: 6, Solver.RODAS3: 3}
#: Counters of the runtime that a Newton iteration raises.
_COUNTERS = 3
#: The ends of steps and of what surrounds them, which do not depend on the size of a model.
_A_FEW = 40


@dataclass(frozen=True)
class WorstStep:
    """Bounds in operations.

    ``evaluation`` is of the derivatives at one point. ``internal_step`` is of one step of the solver: the
    attempt, its checks, and the review and change of coordinates. ``event`` is what it takes besides to find
    the instant at which a relation switches. ``communication_step`` is of one ``doStep`` without such
    events, which takes ``internal_steps`` at the most: the attempts that a solver of fixed step makes, or,
    where steps are chosen by a tolerance, ``solver.max_steps``.
    """

    evaluation: int
    internal_step: int
    event: int
    internal_steps: int
    communication_step: int
    adaptive: bool


def worst_step_of(program: Program, description: FmuDescription, span: float) -> WorstStep:
    """The bounds for communication steps of ``span`` seconds, with the settings that the FMU has."""
    settings = {variable.name: variable.start or 0.0 for variable in description.settings}
    solver = list(Solver)[int(settings["solver.method"]) - 1]
    return worst_step(program, solver, settings["solver.step"], span, int(settings["solver.max_steps"]))


def worst_step(program: Program, solver: Solver, step: float, span: float, max_steps: int) -> WorstStep:
    """The bounds for communication steps of ``span`` seconds; ``step`` is the solver's own (0: see there)."""
    bound = _Bound(program, solver)
    adaptive = solver.controls_error or bound.states == 0
    # Of fixed steps a second attempt is made with other coordinates.
    attempts = 1 if adaptive else 2
    fixed = max(1, ceil(span / step * (1.0 - 1e-9))) if step > 0.0 else 1
    steps = max_steps if adaptive else fixed + program.time_relations
    internal = attempts * bound.try_step + bound.change + bound.accept
    segments = 1 + program.time_relations
    return WorstStep(
        bound.evaluation,
        internal,
        bound.locate_event if program.state_relations else 0,
        steps,
        steps * internal + segments * bound.begin_segment + bound.do_step,
        adaptive,
    )


@cache
def _limit(file: str, name: str) -> int:
    """A limit that the C runtime defines."""
    text = (template_dir() / "runtime" / file).read_text(encoding="utf-8")
    found = re.search(rf"^#define {name} (\d+)", text, re.MULTILINE)
    if found is None:
        raise LookupError(f"{file} does not define {name}")
    return int(found[1])


# --- linear algebra -------------------------------------------------------------------------------


def _lu_factor(n: int) -> int:
    return sum((n - k) + 1 + (n - k - 1) + 2 * (n - k - 1) ** 2 for k in range(n))


def _lu_solve(n: int) -> int:
    return 2 * n * (n - 1) + n


def _cholesky_factor(n: int) -> int:
    return sum(2 * j + 3 for i in range(n) for j in range(i + 1))


def _cholesky_solve(n: int) -> int:
    return 2 * n * (n - 1) + 2 * n


def _minimal_norm(m: int, n: int) -> int:
    """The shortest solution of m equations in n unknowns, by reflections."""
    total = 1 + sum(2 * i + 1 for i in range(n))
    for k in range(min(m, n)):
        size = n - k
        total += (m - k) * (2 * size + 1) + (2 * (2 * size + 1) + 1 + size) + (m - k) * 5 * size
    return total


def _eliminate_sparse(m: int, n: int) -> int:
    return sum((m - 1 - k) * (1 + 2 * n) for k in range(m))


# --- the bound ------------------------------------------------------------------------------------


class _Bound:
    """The longest path through each function of the runtime, for one program."""

    def __init__(self, program: Program, solver: Solver) -> None:
        self._program, self._solver = program, solver
        self._closure, self._iterations = program.flow.closure, program.flow.iterations
        self._n, self._m = len(program.coordinate_names), len(program.flow.rows)
        self._f = len(program.flow.independent)
        self._inputs = len(program.input_rates)
        self._attitudes = len(program.attitudes)
        self._left_out = len(program.left_out)
        embedded = self._closure in EMBEDDED
        partitioned = embedded or self._closure is Closure.PROJECTION
        positions = self._f + self._attitudes if embedded else self._n
        velocities = self._f if partitioned else self._n
        self.states = positions + velocities + len(program.network.states)
        self._partitioned = partitioned
        if self.states == 0:
            self._solver = Solver.EULER  # as the runtime does: there is nothing to integrate

    def _call(self, name: str) -> int:
        """The operations of a generated function; 0 where a program has none of the name."""
        found = (each for each in self._program.functions if each.name == name)
        return sum(each.operations.total for each in found)

    # --- closing loops ------------------------------------------------------------------------

    def _newton(self, size: int, evaluation: int) -> int:
        """``solve_block``: damped Newton iteration, or a fixed number of steps."""
        if self._iterations is not None:
            step = evaluation + _lu_factor(size) + _lu_solve(size) + size + _COUNTERS
            return self._iterations * step
        halvings = _limit("loops.c", "MAX_HALVINGS") + 1
        damped = halvings * (2 * size + evaluation + 1)
        iteration = _lu_factor(size) + _lu_solve(size) + 3 * size + damped + _COUNTERS
        return 2 * evaluation + _limit("loops.c", "MAX_ITERATIONS") * iteration

    def _solve(self, code: SetCode, solve: SolveFunction) -> int:
        """Exact steps, roots of polynomials at their limit."""
        polynomials = [
            step for block in code.flow.blocks for step in block.steps if isinstance(step, PolynomialStep)
        ]
        unknowns = {step.unknown for step in solve.steps}
        roots = sum(6 * (len(p.coefficients) - 1) + 5 for p in polynomials if p.unknown in unknowns)
        circles = 2 * len(solve.steps)  # where an angle is far from its anchor
        return solve.operations.total + circles + _limit("exact.h", "EXACT_ITERATIONS") * roots

    def _blocks(self, code: SetCode) -> int:
        """All blocks of a set, each first by its steps, then by iteration."""
        total = 0 if code.solve_together is None else self._solve(code, code.solve_together)
        for block, evaluate, solve in zip(
            code.flow.blocks, code.block_functions, code.solve_functions, strict=True
        ):
            total += 0 if solve is None else self._solve(code, solve)
            total += self._newton(len(block.rows), evaluate.operations.total)
        return total

    @cached_property
    def _over_all(self) -> int:
        """One iteration over all loops."""
        return self._newton(self._m, self._call("constraints") + self._call("jacobian"))

    @cached_property
    def _close_loops(self) -> int:
        prediction = 14 * self._f + 10 * self._m + 6
        directions = 2 * 2 * (self._f + self._m)
        by_set = [self._blocks(code) for code in self._program.sets]
        return 2 * prediction + directions + max(self._over_all, *by_set)

    @cached_property
    def _project_position(self) -> int:
        m, n = self._m, self._n
        iteration = self._call("constraints") + self._call("jacobian") + _minimal_norm(m, n) + n + _COUNTERS
        return _limit("loops.c", "MAX_ITERATIONS") * iteration + 2 * self._call("constraints") + iteration

    # --- the network --------------------------------------------------------------------------

    @cached_property
    def _solve_network(self) -> int:
        network = self._program.network
        trials = _limit("network.c", "NETWORK_HALVINGS") + 1
        total = 0
        for unknowns, evaluate in zip(network.blocks, network.block_functions, strict=True):
            size, evaluation = len(unknowns), evaluate.operations.total
            residual = evaluation + 3 * size + 1
            damped = trials * (2 * size + residual + 1)
            iteration = evaluation + residual + _lu_factor(size) + _lu_solve(size) + 1 + damped + _COUNTERS
            total += _limit("network.c", "NETWORK_ITERATIONS") * iteration
        return total

    # --- motion -------------------------------------------------------------------------------

    @cached_property
    def _factor_dependent(self) -> int:
        return self._call("jacobian") + _lu_factor(self._m) + 2 * self._m

    @cached_property
    def _evaluate_regular(self) -> int:
        n, m, f, k = self._n, self._m, self._f, self._attitudes
        moved = 2 * k * m
        velocities = self._call("velocity") + self._call("constraints") + m * (4 + 2 * f) + moved
        known = 4 * k * (3 * 2 + 9)
        column = 2 * m * (f if k else 1) + moved + _lu_solve(m)
        reduction = n * (2 * n + 1) + 2 * n * n * f + 2 * n * f * (f + 1)
        lengths = 4 * k * (2 * n + 1 + 2 * m + 3)
        multipliers = m * (2 * n + 1) + _lu_solve(m) + lengths
        return (
            velocities
            + _lu_solve(m)
            + self._solve_network
            + self._call("dynamics")
            + 4 * m
            + known
            + (f + 1) * column
            + reduction
            + _cholesky_factor(f)
            + _cholesky_solve(f)
            + n * (2 * f + 1)
            + multipliers
        )

    @cached_property
    def _evaluate_limit(self) -> int:
        """The limit from four neighbours, polished."""
        if self._iterations == 0:
            return 0
        n, m, f = self._n, self._m, self._f
        turned = self._attitudes * (3 * 4 * 4 + 8 + 12 + 4 * 3 * 4)
        neighbour = 2 + 2 * f + turned + self._close_loops + self._factor_dependent + self._evaluate_regular
        polishing = self._call("constraints") + self._call("jacobian") + _minimal_norm(m, m) + m + _COUNTERS
        shares = 4 * (6 * m + 2 * n) + 4 * n + 4
        return 4 * neighbour + shares + _limit("embedding.c", "POLISHING_ITERATIONS") * polishing

    @cached_property
    def _embedded(self) -> int:
        motions = [
            code.motion.operations.total + 2 * code.motion.pivots if code.motion is not None else 0
            for code in self._program.sets
        ]
        return (
            self._close_loops
            + 2 * max(motions)
            + 2 * self._solve_network
            + self._factor_dependent
            + max(self._evaluate_regular, self._evaluate_limit)
        )

    @cached_property
    def _unreduced(self) -> int:
        n, m = self._n, self._m
        stabilized = self._call("constraints") + self._call("velocity") + m * (2 * n + 5) + 4
        if self._closure is Closure.PENALTY:
            solved = m * n * (3 * n + 3) + _cholesky_factor(n) + _cholesky_solve(n) + m * (2 * n + 2) + 1
        else:
            solved = _lu_factor(n + m) + _lu_solve(n + m)
        return self._solve_network + self._call("dynamics") + stabilized + solved

    @cached_property
    def evaluation(self) -> int:
        """``evaluate_motion``."""
        n, m, program = self._n, self._m, self._program
        inputs = 1 + self._inputs * self._an_input
        given = inputs + 2 + 6 * len(program.angles) + self._attitudes * (12 + 4 * 3 * 4)
        if self._closure in EMBEDDED:
            motion = self._embedded
        elif self._partitioned:
            motion = self._factor_dependent + self._evaluate_regular
        else:
            motion = self._unreduced
        return given + motion + 6 * n + 2 * m + self._call("derivatives") + self._attitudes * 3 * 4 * 4

    @property
    def _an_input(self) -> int:
        """The value of an input: a polynomial in time, or one through its samples."""
        stamped = any(stamp >= 0 for stamp in self._program.input_stamps)
        return 120 if stamped else 16

    # --- the choice of coordinates ------------------------------------------------------------

    @cached_property
    def _pivot(self) -> int:
        """``smallest_pivot``: the elimination that judges a set of coordinates."""
        places = sum(not result.value.is_zero for result in self._program.function("jacobian").results)
        return 2 * places + _eliminate_sparse(self._m, self._n)

    @cached_property
    def change(self) -> int:
        """All sets are judged, and the best coordinates of all are taken."""
        if not self._partitioned or not self._f or not self._m:
            return 0
        sets = len(self._program.sets)
        best = (2 if self._attitudes else 1) * (self._pivot + 1)
        return self._call("jacobian") + 2 * best + (1 + sets) * (self._pivot + 2) + sets + 4

    # --- steps --------------------------------------------------------------------------------

    @cached_property
    def _method(self) -> int:
        states, stages = self.states, _STAGES[self._solver]
        gathered = self._attitudes * 3 * 4 * 4
        stage = self.evaluation + 2 * states * (stages + 2) + gathered + 3
        error = states * (3 * 7 + 8) + 3
        implicit = self._implicit if self._solver is Solver.RODAS3 else 0
        return stages * stage + error + implicit + 2 * gathered + 4

    @cached_property
    def _implicit(self) -> int:
        """The derivatives of the right-hand side, and the linear systems of the linearly implicit method."""
        n, m, states = self._n, self._m, self.states
        network = sum(
            self._call("network_tangent")
            + each.operations.total
            + _lu_factor(len(unknowns))
            + _lu_solve(len(unknowns))
            for unknowns, each in zip(
                self._program.network.blocks, self._program.network.block_functions, strict=True
            )
        )
        direction = (
            2 * self._call("constraints_tangent")
            + 2 * self._call("velocity_tangent")
            + self._call("dynamics_tangent")
            + self._call("derivatives_tangent")
            + 2 * _lu_solve(m)
            + _lu_solve(n + m)
            + network
            + 10 * m
            + self._attitudes * 300
            + self._inputs * self._an_input
        )
        factors = self._call("dynamics") + _lu_factor(m) + _lu_factor(n + m) + m
        systems = states * states + 2 * states + _lu_factor(states) + 4 * _lu_solve(states)
        return factors + (states + 1) * direction + systems + states * 4 * (2 * 4 + 4) + 4

    @cached_property
    def _left_out_hold(self) -> int:
        if not self._left_out:
            return 0
        projected = 0 if self._iterations == 0 else self._project_position
        return 2 * (self._call("left_out") + self._left_out) + projected

    @cached_property
    def _sharpen(self) -> int:
        """A second evaluation, where exact steps have lost digits."""
        if self._closure not in EMBEDDED or self._iterations == 0:
            return 0
        return self._call("constraints") + 2 + self.evaluation

    @cached_property
    def _turns(self) -> int:
        return (self._call("angles") + 4 * len(self._program.angles)) if self._program.jumping else 0

    @cached_property
    def try_step(self) -> int:
        n, m = self._n, self._m
        settled = 0
        if self._closure is Closure.AUGMENTED:
            velocity = self._call("jacobian") + self._call("velocity") + m * (2 * n + 1) + n
            settled = self._project_position + velocity + _minimal_norm(m, n) + self.evaluation
        closed = self._call("constraints") + 2 + self._sharpen
        lost = 0 if self._partitioned else self._call("jacobian") + self._pivot
        continuous = 24 * n + 1
        turns = self._turns + 12 * self._program.jumping + 1
        return self._method + settled + closed + self._left_out_hold + lost + continuous + turns

    @cached_property
    def accept(self) -> int:
        pivots = max(code.motion.pivots if code.motion is not None else 0 for code in self._program.sets)
        anchors = 3 * len(self._program.turning)
        return anchors + self._turns + 3 * pivots + self.change + self.relations + _A_FEW

    @property
    def relations(self) -> int:
        """The signs of relations, which may depend on each other."""
        program = self._program
        number = program.time_relations + program.state_relations
        times = self._call("time_relations") + 6 * program.time_relations
        return times + (number + 1) * (self._call("relations") + program.state_relations)

    @cached_property
    def locate_event(self) -> int:
        trials = _limit("solvers.c", "MAX_LOCATIONS") + 1
        return trials * (self.try_step + self.relations + 12) + 2 * self.relations + 8

    @cached_property
    def begin_segment(self) -> int:
        """Relations take their signs, and the motion follows them."""
        passes = self._program.time_relations + self._program.state_relations + 2
        return (
            passes * (self.evaluation + self.relations)
            + self._sharpen
            + self._left_out_hold
            + self._turns
            + self.relations
        )

    @cached_property
    def do_step(self) -> int:
        """What is done once: inputs, parameters that were tuned, the motion that follows them."""
        n, m = self._n, self._m
        positions = 2 * _limit("partition.c", "SCALING_POSITIONS")
        scales = positions * (self._call("jacobian") + 8 * n + 3 * m * n + m)
        projected = 0 if self._closure in EMBEDDED else self._project_position + self._call("velocity")
        projected += m * (2 * n + 1) + _minimal_norm(m, n) + self._call("jacobian") + n
        first = self.states * 6 + self._attitudes * 3 * 4 * 8
        inputs = self._inputs * (60 + self._an_input)
        return self._call("derive") + scales + projected + self.begin_segment + first + inputs + _A_FEW
