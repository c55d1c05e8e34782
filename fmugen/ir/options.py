"""The options of an export."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fmugen.ir.flow import Closure

__all__ = ["CHEAPEST", "THOROUGH", "ExportOptions", "FmiVersion", "InterfaceType", "Solver"]


#: The name of the cheapest trees that a search finds.
CHEAPEST = "cheapest"
#: The name of the cheapest trees that a longer search finds.
THOROUGH = "thorough"


class FmiVersion(Enum):
    """The version of the FMI standard."""

    TWO = 2
    THREE = 3


class InterfaceType(Enum):
    """Who integrates: the FMU itself, or the importer."""

    CO_SIMULATION = "cs"
    MODEL_EXCHANGE = "me"


class Solver(Enum):
    """The integrator inside a co-simulation FMU."""

    EULER = "euler"
    RK4 = "rk4"
    DOPRI5 = "dopri5"
    RODAS3 = "rodas3"

    @property
    def controls_error(self) -> bool:
        """Whether steps are chosen by a tolerance."""
        return self in (Solver.DOPRI5, Solver.RODAS3)


@dataclass(frozen=True)
class ExportOptions:
    """Trees, closure and solver; ``step`` is the solver's step (0: see the solver).

    These are the defaults of all commands and of the pipeline.

    ``independent`` names the coordinates from which the closure starts, in place of those of the model.
    ``fmi`` and ``interfaces`` say what importers find. ``platforms`` names those the FMU has binaries for;
    with ``sources`` it can be compiled for any other. ``iterations`` is the fixed number of Newton steps over
    a block of loops without exact steps; with 0 nothing iterates, or the model is refused. ``mode`` is the
    number of the assembly mode in which the model starts; none is the one nearest to the guesses.
    """

    trees: str = CHEAPEST
    closure: Closure = Closure.TRIANGULAR
    solver: Solver = Solver.DOPRI5
    step: float = 0.0
    independent: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ("host",)
    sources: bool = False
    fmi: FmiVersion = FmiVersion.TWO
    interfaces: tuple[InterfaceType, ...] = (InterfaceType.CO_SIMULATION, InterfaceType.MODEL_EXCHANGE)
    iterations: int | None = None
    mode: int | None = None
