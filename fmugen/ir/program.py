"""Program: straight-line functions over one expression DAG, with operation counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from fmugen.expr.calculus import symbols_of
from fmugen.expr.code import Operations
from fmugen.expr.dag import Expr
from fmugen.ir.dae import CoordinateKind
from fmugen.ir.flow import Attitude, SolutionFlow
from fmugen.ir.fmu import CalculatedVariable, ContinuousState

__all__ = [
    "Function",
    "Guard",
    "Leaf",
    "LeftOut",
    "MotionCode",
    "MotionStage",
    "NetworkCode",
    "Partial",
    "Program",
    "Result",
    "SetCode",
    "SolveFunction",
    "StepCode",
    "Vector",
]


class Vector(Enum):
    """The vectors of numbers that generated code reads, and the results of an exact step so far."""

    TIME = "time"
    PARAMETERS = "parameters"
    DERIVED = "derived"  # from parameters alone
    INPUTS = "inputs"
    COORDINATES = "coordinates"
    VELOCITIES = "velocities"
    ACCELERATIONS = "accelerations"
    MULTIPLIERS = "multipliers"
    STATES = "states"  # of the network
    UNKNOWNS = "unknowns"  # of the network
    SINES = "sines"  # of coordinates that turn: sine, cosine, sine, ...
    SIGNS = "signs"  # of relations
    TURNS = "turns"  # of angles that are not coordinates
    EXPECTED_SINES = "expected sines"  # of the unknown of a step
    EXPECTED_COSINES = "expected cosines"
    ROOTS = "roots"
    UNDETERMINED = "undetermined"  # reactions of redundant constraints, which count as zero


@dataclass(frozen=True)
class Leaf:
    """A value that code reads: its place in a vector, and its name in the model.

    ``change`` is true for the change of this value along a direction.
    """

    vector: Vector
    index: int
    name: str
    change: bool = False


@dataclass(frozen=True)
class Result:
    """``array[index] = value``, and the equation it comes from."""

    array: str
    index: int
    value: Expr
    origin: str = ""


@dataclass(frozen=True)
class Guard:
    """``value > factor * (the largest value met so far)`` must hold, else the position counts as singular.

    Below ``ease`` times that value the choice of independent coordinates is worth a review. A factor of zero
    asks for a positive value only.
    """

    value: Expr
    factor: float = 0.0
    ease: float = 0.0


@dataclass(frozen=True)
class MotionStage:
    """Temporaries, guards, then assignments; later stages read what earlier ones assigned.

    ``title`` says what the stage computes.
    """

    guards: tuple[Guard, ...]
    results: tuple[Result, ...]
    temporaries: tuple[Expr, ...] = ()
    title: str = ""


@dataclass(frozen=True)
class MotionCode:
    """The embedded equations of motion as stages in order.

    Velocities block by block, accelerations, multipliers in reverse order of the blocks. ``labels`` says what
    some expressions within them are, such as the entries of the reduced mass matrix.
    """

    stages: tuple[MotionStage, ...]
    operations: Operations = field(default_factory=Operations)
    labels: tuple[tuple[Expr, str], ...] = ()

    @property
    def pivots(self) -> int:
        """How many guards compare with the largest value met so far."""
        return sum(guard.factor > 0.0 for stage in self.stages for guard in stage.guards)

    @property
    def before_multipliers(self) -> int:
        """How many stages come before those that compute multipliers alone."""
        others = (n for n, s in enumerate(self.stages) if s.guards or {r.array for r in s.results} != {"l"})
        return 1 + max(others, default=-1)


@dataclass(frozen=True)
class Function:
    """Temporaries in order, then results; ``leaves`` has the leaves that only this one knows."""

    name: str
    purpose: str
    temporaries: tuple[Expr, ...]
    results: tuple[Result, ...]
    operations: Operations
    leaves: dict[Expr, Leaf] = field(default_factory=dict)


@dataclass(frozen=True)
class StepCode:
    """One step: temporaries, a call of a helper of the runtime, then temporaries and results that may use it.

    ``helper`` is "" where a step needs none. ``root`` is the leaf that it fills. ``results`` are the sine
    and the cosine of an angle, or a length; none if the helper itself gives the unknown. ``check`` is a
    helper that judges the results. ``own`` are the operations of the helpers.
    """

    unknown: int
    is_angle: bool
    helper: str
    temporaries: tuple[Expr, ...]
    arguments: tuple[Expr, ...]
    root: Expr | None
    after: tuple[Expr, ...]
    results: tuple[Expr, ...]
    check: str
    own: Operations
    operations: Operations


@dataclass(frozen=True)
class SolveFunction:
    """The exact steps of a block, in order; ``leaves`` are those that they fill."""

    name: str
    purpose: str
    steps: tuple[StepCode, ...]
    leaves: dict[Expr, Leaf]

    @property
    def operations(self) -> Operations:
        return sum((step.operations + step.own for step in self.steps), Operations())


@dataclass(frozen=True)
class SetCode:
    """The functions that compute everything from one set of independent coordinates.

    ``solve_together`` has the steps of all blocks, if all are exact, with common parts computed once.
    ``motion`` is ``None`` if the equations of motion are solved numerically.
    """

    flow: SolutionFlow
    block_functions: tuple[Function, ...]
    solve_functions: tuple[SolveFunction | None, ...]
    solve_together: SolveFunction | None
    motion: MotionCode | None

    @property
    def solving(self) -> tuple[SolveFunction, ...]:
        """The functions that an evaluation takes exact steps with."""
        solves = self.solve_functions if self.solve_together is None else (self.solve_together,)
        return tuple(solve for solve in solves if solve is not None)


@dataclass(frozen=True)
class NetworkCode:
    """The network in generated code: its states, and the blocks that find its unknowns."""

    states: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    blocks: tuple[tuple[int, ...], ...] = ()
    block_names: tuple[str, ...] = ()
    block_functions: tuple[Function, ...] = ()
    fixed_states: tuple[str, ...] = ()
    steady: bool = False
    start_unknowns: tuple[float, ...] = ()
    state_units: tuple[str, ...] = ()


@dataclass(frozen=True)
class Partial:
    """A derivative by an input that a calculated variable is, or that is to ``subtract`` from it.

    ``output`` is the number of the calculated variable, ``formula`` that of its formula among those that need
    derivatives.
    """

    output: int
    formula: int
    input: int
    subtract: bool


@dataclass(frozen=True)
class LeftOut:
    """A redundant constraint, which is not solved but checked.

    ``size`` is what its residual, in ``unit``, is compared with.
    """

    joint: str
    direction: str
    unit: str
    size: float


@dataclass(frozen=True)
class Program:
    """All functions of a model.

    ``leaves`` are the symbols and the parameter-only expressions that functions read. ``turning`` are the
    coordinates whose sine and cosine are found once and read by steps and motion, ``circles`` the leaves of
    these sines and cosines. ``sets`` belong to the flow and to its alternatives, in this order.

    For every input, ``input_rates`` has the number of the input that is its rate, or -1. ``input_drives``
    tells whether a motion is prescribed by it or by what it is a rate of. ``input_stamps`` has the number of
    the input that tells when it was sampled, or -1. ``input_slopes`` tells how fast it changes at the start,
    if that is known.

    ``partials`` are ordered by input. ``starts_by_inputs`` says whether positions, velocities or states at
    the start depend on inputs. ``left_out`` are the redundant constraints. ``angles`` are those whose turns
    are counted, the first ``jumping`` of them between accepted points. ``relations`` has the expression that
    each held sign is the sign of.
    """

    leaves: dict[Expr, Leaf]
    functions: tuple[Function, ...]
    sets: tuple[SetCode, ...]
    derived: int
    coordinate_names: tuple[str, ...]
    coordinate_units: tuple[str, ...]
    coordinate_kinds: tuple[CoordinateKind, ...]
    constraint_names: tuple[str, ...]
    turning: tuple[int, ...]
    circles: dict[Expr, Leaf]
    fixed_positions: int
    fixed_velocities: int
    calculated: tuple[CalculatedVariable, ...]
    network: NetworkCode = field(default_factory=NetworkCode)
    states: tuple[ContinuousState, ...] = ()
    time_relations: int = 0
    state_relations: int = 0
    input_rates: tuple[int, ...] = ()
    input_drives: tuple[bool, ...] = ()
    input_stamps: tuple[int, ...] = ()
    input_slopes: tuple[float | None, ...] = ()
    partials: tuple[Partial, ...] = ()
    starts_by_inputs: bool = False
    angles: tuple[str, ...] = ()
    jumping: int = 0
    left_out: tuple[LeftOut, ...] = ()
    relations: dict[Expr, Expr] = field(default_factory=dict)

    @property
    def flow(self) -> SolutionFlow:
        return self.sets[0].flow

    @property
    def block_functions(self) -> tuple[Function, ...]:
        return self.sets[0].block_functions

    @property
    def solve_functions(self) -> tuple[SolveFunction | None, ...]:
        return self.sets[0].solve_functions

    @property
    def solve_together(self) -> SolveFunction | None:
        return self.sets[0].solve_together

    @property
    def motion(self) -> MotionCode | None:
        return self.sets[0].motion

    @property
    def indicators(self) -> int:
        """Event indicators: watched relations, and the quality of independent coordinates that may change."""
        return self.state_relations + self.flow.may_change

    @property
    def attitudes(self) -> tuple[Attitude, ...]:
        """Those that are integrated whole from at least one set of independent coordinates."""
        return tuple(dict.fromkeys(attitude for each in self.sets for attitude in each.flow.whole))

    @property
    def network_reads_multipliers(self) -> bool:
        """Whether states or unknowns of the network depend on multipliers."""
        functions = (self.function("derivatives"), *self.network.block_functions)
        read = symbols_of(result.value for function in functions for result in function.results)
        return any(self.leaves[s].vector is Vector.MULTIPLIERS for s in read if s in self.leaves)

    def function(self, name: str) -> Function:
        return next(function for function in self.functions if function.name == name)

    @property
    def right_hand_side(self) -> Operations:
        """The operations that every evaluation of the equations of motion needs, iterations aside."""
        return self.right_hand_side_of(self.sets[0])

    def right_hand_side_of(self, code: SetCode) -> Operations:
        """The same, while other independent coordinates are in use."""
        exact = (solve.operations for solve in code.solving)
        given = set(code.flow.independent).intersection(self.turning)
        closure = sum(exact, self.function("derivatives").operations + Operations(functions=2 * len(given)))
        if code.motion is not None:
            return closure + code.motion.operations
        return closure + self.function("dynamics").operations + self.function("velocity").operations
