"""Program: straight-line functions over one expression DAG, with operation counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from fmugen.expr.code import Operations
from fmugen.expr.dag import Expr
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import CalculatedVariable, ContinuousState

__all__ = [
    "Function",
    "Guard",
    "Motion",
    "NetworkCode",
    "Program",
    "Result",
    "Section",
    "SolveFunction",
    "StepCode",
]


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
class Section:
    """Temporaries, guards, then assignments; later sections read what earlier ones assigned."""

    guards: tuple[Guard, ...]
    results: tuple[Result, ...]
    temporaries: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Motion:
    """The embedded equations of motion as sections in order.

    Velocities block by block, accelerations, multipliers in reverse order of the blocks.
    """

    sections: tuple[Section, ...]
    operations: Operations = field(default_factory=Operations)


@dataclass(frozen=True)
class Function:
    """Temporaries in order, then results."""

    name: str
    purpose: str
    temporaries: tuple[Expr, ...]
    results: tuple[Result, ...]
    operations: Operations


@dataclass(frozen=True)
class StepCode:
    """A call of a helper of the runtime that solves one step, with the temporaries its arguments need."""

    helper: str
    unknown: int
    is_angle: bool
    temporaries: tuple[Expr, ...]
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class SolveFunction:
    """The exact steps of a block, in order.

    ``names`` are the sines and cosines of the unknowns, which the steps themselves give.
    """

    name: str
    purpose: str
    steps: tuple[StepCode, ...]
    names: dict[Expr, str]
    operations: Operations


@dataclass(frozen=True)
class NetworkCode:
    """What generated code knows of the network: its states, and the blocks that find its unknowns."""

    states: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    blocks: tuple[tuple[int, ...], ...] = ()
    block_names: tuple[str, ...] = ()
    block_functions: tuple[Function, ...] = ()
    fixed_states: tuple[str, ...] = ()
    steady: bool = False
    start_unknowns: tuple[float, ...] = ()


@dataclass(frozen=True)
class Program:
    """All functions of a model.

    ``names`` gives every leaf its text: symbols as ``q[0]``, parameter-only expressions as ``d[3]``.
    """

    names: dict[Expr, str]
    functions: tuple[Function, ...]
    block_functions: tuple[Function, ...]
    solve_functions: tuple[SolveFunction | None, ...]
    motion: Motion | None
    derived: int
    coordinate_names: tuple[str, ...]
    constraint_names: tuple[str, ...]
    fixed_positions: int
    fixed_velocities: int
    calculated: tuple[CalculatedVariable, ...]
    flow: SolutionFlow
    network: NetworkCode = field(default_factory=NetworkCode)
    states: tuple[ContinuousState, ...] = ()
    time_relations: int = 0
    state_relations: int = 0

    @property
    def indicators(self) -> int:
        """Event indicators: watched relations, and the quality of independent coordinates that may change."""
        return self.state_relations + any(state.own for state in self.states)

    def function(self, name: str) -> Function:
        return next(function for function in self.functions if function.name == name)

    @property
    def right_hand_side(self) -> Operations:
        """The operations that every evaluation of the equations of motion needs, iterations aside."""
        exact = (solve.operations for solve in self.solve_functions if solve is not None)
        closure = sum(exact, self.function("derivatives").operations)
        if self.motion is not None:
            return closure + self.motion.operations
        return closure + self.function("dynamics").operations + self.function("velocity").operations
