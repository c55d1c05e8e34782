"""What can go wrong, as one tree.

    FmugenError
    ├── ModelError            the model file or builder calls are wrong: all problems at once
    ├── FormulaError          a formula does not parse
    ├── AssemblyError         the loops cannot be closed from the given start values
    ├── NetworkError          the equations of a network have no unique solution
    ├── TreeError             a tree named by the user is not a spanning tree
    ├── ClosureError          coordinates named by the user cannot be the independent ones, or loops iterate
    ├── CompileError          no compiler, or the compiler failed
    ├── OutputError           a file cannot be written, or what goes into it contradicts itself
    ├── SimulationError       the FMU stopped with an error
    │   └── RefusedError      ... and reported what it cannot do
    └── VerificationError     the reference failed
        ├── UnsolvableError   ... because the equations of a network have no solution
        └── TimeLimitError    ... because it took longer than the user allows

Every message says where the problem is and what to do. Only ``fmugen.cli`` prints and exits.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "AssemblyError",
    "ClosureError",
    "CompileError",
    "FmugenError",
    "FormulaError",
    "ModelError",
    "NetworkError",
    "OutputError",
    "Problem",
    "RefusedError",
    "SimulationError",
    "TimeLimitError",
    "TreeError",
    "UnsolvableError",
    "VerificationError",
]


class FmugenError(Exception):
    """Base of all errors that the user can correct."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a model: where it is, what it is, and what to do about it."""

    place: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class ModelError(FmugenError):
    """The model is wrong; ``problems`` lists everything that was found."""

    def __init__(self, source: str, problems: tuple[Problem, ...]) -> None:
        self.source = source
        self.problems = problems
        count = f"{len(problems)} problem" + ("s" if len(problems) != 1 else "")
        super().__init__(f"{source}: {count}\n" + "\n".join(f"  {problem}" for problem in problems))


class FormulaError(FmugenError):
    """A formula does not parse; ``column`` counts from 1."""

    def __init__(self, text: str, column: int, message: str) -> None:
        self.text = text
        self.column = column
        self.message = message
        super().__init__(f"{message} at column {column} of {text!r}")


class AssemblyError(FmugenError):
    """The mechanism cannot be assembled."""


class NetworkError(FmugenError):
    """The equations of a network contradict each other, or leave a variable undetermined."""


class TreeError(FmugenError):
    """A named tree is not a spanning tree of its graph."""


class ClosureError(FmugenError):
    """Coordinates that the user named cannot be the independent ones, or loops need forbidden iteration."""


class CompileError(FmugenError):
    """No C compiler was found, or it failed."""


class OutputError(FmugenError):
    """A result cannot be written."""


class SimulationError(FmugenError):
    """The FMU reported an error while running."""


class RefusedError(SimulationError):
    """The FMU stopped and said in a message of its own what it cannot do."""


class VerificationError(FmugenError):
    """The reference solution could not be computed."""


class UnsolvableError(VerificationError):
    """The equations of a network have no solution at a time."""


class TimeLimitError(VerificationError):
    """The reference takes longer than the user allows."""
