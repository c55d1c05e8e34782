"""FmuDescription: what an importer sees of an FMU.

All variables are real numbers in one flat array; a value reference is an index into it. The array
consists of five sections, in this order::

    parameters | settings | inputs | calculated | diagnostics

so that the generated code and the runtime address variables by section and offset, and no two
variables can share a value reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from fmugen.ir.model import Experiment

Causality = Literal["parameter", "input", "output", "local"]
Variability = Literal["fixed", "continuous"]
Initial = Literal["exact", "calculated"]


@dataclass(frozen=True)
class CalculatedVariable:
    """A value the generated code computes, in the order in which it writes them.

    ``depends_on_inputs`` names the inputs the value depends on at one instant (not through the
    state): the direct feedthrough.
    """

    name: str
    unit: str = "1"
    description: str = ""
    causality: Literal["output", "local"] = "local"
    depends_on_inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class SolverSettings:
    """Default values of the solver settings every FMU offers as parameters.

    A ``step`` of 0 leaves the step to the solver: fixed-step solvers take the communication step,
    adaptive ones have no upper limit.
    """

    step: float = 0.0
    relative_tolerance: float = 1e-8
    absolute_tolerance: float = 1e-10
    max_steps: int = 100_000


@dataclass(frozen=True)
class Variable:
    """One scalar variable of the FMU; ``None`` means that the attribute is absent."""

    name: str
    value_reference: int
    causality: Causality
    variability: Variability
    initial: Initial | None
    start: float | None
    unit: str
    description: str = ""
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True)
class DisplayUnit:
    """Another unit for the eye: ``display value = factor * value``."""

    name: str
    factor: float


@dataclass(frozen=True)
class UnitDefinition:
    """A unit as exponents of the SI base units (and the radian), zero exponents left out.

    ``base value = factor * value``.
    """

    name: str
    exponents: tuple[tuple[str, int], ...]
    factor: float = 1.0
    display: DisplayUnit | None = None


@dataclass(frozen=True)
class TypeDefinition:
    """The type that all variables of one unit declare; ``quantity`` is what it measures, if it has a name."""

    name: str
    quantity: str | None
    unit: str
    display_unit: str | None = None


@dataclass(frozen=True)
class Dependency:
    """An output and the inputs it depends on at one instant, as value references."""

    unknown: int
    knowns: tuple[int, ...]


@dataclass(frozen=True)
class Section:
    """A run of variables in the flat array."""

    first: int
    count: int

    @property
    def end(self) -> int:
        return self.first + self.count


@dataclass(frozen=True)
class Layout:
    """Where each kind of variable lies in the flat array."""

    parameters: Section
    settings: Section
    inputs: Section
    calculated: Section
    diagnostics: Section

    @property
    def size(self) -> int:
        return self.diagnostics.end


@dataclass(frozen=True)
class FmuDescription:
    """Everything ``modelDescription.xml`` says, and the layout of the variables.

    ``identifier`` is the file name of the binaries, ``generated_at`` an ISO date and time or
    ``None`` where the FMU is to have the same bytes whenever it is built.
    """

    model_name: str
    identifier: str
    guid: str
    description: str
    generation_tool: str
    generated_at: str | None
    parameters: tuple[Variable, ...]
    settings: tuple[Variable, ...]
    inputs: tuple[Variable, ...]
    calculated: tuple[Variable, ...]
    diagnostics: tuple[Variable, ...]
    units: tuple[UnitDefinition, ...]
    types: tuple[TypeDefinition, ...]
    outputs: tuple[Dependency, ...]
    experiment: Experiment = field(default_factory=Experiment)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables; the position of each is its value reference."""
        return self.parameters + self.settings + self.inputs + self.calculated + self.diagnostics

    @property
    def layout(self) -> Layout:
        """The sections of the flat array."""
        sections = _consecutive(
            len(self.parameters),
            len(self.settings),
            len(self.inputs),
            len(self.calculated),
            len(self.diagnostics),
        )
        return Layout(*sections)

    @property
    def start_values(self) -> tuple[float, ...]:
        """The flat array before initialization; values that are calculated are 0."""
        return tuple(0.0 if variable.start is None else variable.start for variable in self.variables)


def _consecutive(*counts: int) -> Iterator[Section]:
    first = 0
    for count in counts:
        yield Section(first, count)
        first += count
