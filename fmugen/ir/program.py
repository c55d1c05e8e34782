"""Program: straight-line functions over one expression DAG, with operation counts."""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.expr.code import Operations
from fmugen.expr.dag import Expr
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import CalculatedVariable

__all__ = ["Function", "Program", "Result"]


@dataclass(frozen=True)
class Result:
    """``array[index] = value``, and the equation it comes from."""

    array: str
    index: int
    value: Expr
    origin: str = ""


@dataclass(frozen=True)
class Function:
    """Temporaries in order, then results."""

    name: str
    purpose: str
    temporaries: tuple[Expr, ...]
    results: tuple[Result, ...]
    operations: Operations


@dataclass(frozen=True)
class Program:
    """All functions of a model.

    ``names`` gives every leaf its text: symbols as ``q[0]``, parameter-only expressions as ``d[3]``.
    """

    names: dict[Expr, str]
    functions: tuple[Function, ...]
    block_functions: tuple[Function, ...]
    derived: int
    coordinate_names: tuple[str, ...]
    constraint_names: tuple[str, ...]
    fixed_positions: int
    fixed_velocities: int
    calculated: tuple[CalculatedVariable, ...]
    flow: SolutionFlow

    def function(self, name: str) -> Function:
        return next(function for function in self.functions if function.name == name)

    @property
    def right_hand_side(self) -> Operations:
        """The operations that every evaluation of the equations of motion needs, iterations aside."""
        return self.function("dynamics").operations + self.function("velocity").operations
