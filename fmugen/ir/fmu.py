"""FmuDescription: what an importer sees of an FMU.

All variables are numbers in one flat array; a value reference is an index into it. The array consists of
sections, in this order::

    parameters | settings | inputs | calculated | states | derivatives | indicators | diagnostics

so that the generated code and the runtime address variables by section and offset, and no two
variables can share a value reference. States are there only where they are no calculated variables. All are
real but enumerations among the settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from fmugen.ir.model import Experiment
from fmugen.ir.options import FmiVersion, InterfaceType, Solver
from fmugen.ir.quantity import Limit

Causality = Literal["parameter", "input", "output", "local"]
Variability = Literal["fixed", "tunable", "continuous"]
Initial = Literal["exact", "approx", "calculated"]


@dataclass(frozen=True)
class Knowns:
    """The dependencies of a value.

    At one instant: ``inputs`` by name, continuous ``states`` by number, and time. At the start: inputs and
    parameters by name.
    """

    inputs: tuple[str, ...] = ()
    states: tuple[int, ...] = ()
    time: bool = False
    start: tuple[str, ...] = ()


@dataclass(frozen=True)
class CalculatedVariable:
    """A value the generated code computes, in the order in which it writes them."""

    name: str
    unit: str = "1"
    description: str = ""
    causality: Literal["output", "local"] = "local"
    knowns: Knowns = Knowns()
    limit: Limit | None = None


@dataclass(frozen=True)
class ContinuousState:
    """A state that an importer may integrate, and its derivative.

    Without ``own`` it is the calculated variable of that name. ``start`` is its value for the start values of
    all parameters, where that is known.
    """

    name: str
    unit: str
    description: str
    own: bool
    knowns: Knowns
    derivative_unit: str
    derivative_knowns: Knowns
    start: float | None = None


@dataclass(frozen=True)
class SolverSettings:
    """Default values of the solver settings every FMU offers as parameters.

    A ``step`` of 0 leaves the step to the solver: fixed-step solvers take the communication step,
    adaptive ones have no upper limit. ``sigma`` is the rate at which the projection closure lets what loops
    miss decay; other closures have none.
    """

    step: float = 0.0
    relative_tolerance: float = 1e-8
    absolute_tolerance: float = 1e-10
    max_steps: int = 100_000
    method: Solver = Solver.DOPRI5
    sigma: float | None = None


@dataclass(frozen=True)
class Variable:
    """One scalar variable of the FMU; ``None`` means that the attribute is absent.

    ``derivative_of`` is the value reference of a state; ``items`` are the names of an enumeration, whose
    values count from 1. An empty unit is one that changes on the way.
    """

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
    nominal: float | None = None
    derivative_of: int | None = None
    items: tuple[str, ...] = ()


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
    """An unknown and the knowns it depends on, as value references.

    ``time`` says whether it also depends on the independent variable, which has no value reference in FMI 2.
    """

    unknown: int
    knowns: tuple[int, ...]
    time: bool = False


@dataclass(frozen=True)
class ModelStructure:
    """Which unknowns depend on which knowns: at one instant, and (``initial``) at the start.

    ``derivatives`` has the order of the continuous states.
    """

    outputs: tuple[Dependency, ...] = ()
    derivatives: tuple[Dependency, ...] = ()
    initial: tuple[Dependency, ...] = ()


@dataclass(frozen=True)
class TerminalMember:
    """A variable in a terminal; ``kind`` is ``signal``, ``inflow`` or ``outflow``, as FMI 3 has it."""

    name: str
    variable: str
    kind: str


@dataclass(frozen=True)
class Terminal:
    """Variables that are connected together: a flange, a pin, a port."""

    name: str
    kind: str
    members: tuple[TerminalMember, ...]


@dataclass(frozen=True)
class Range:
    """A run of variables in the flat array."""

    first: int
    count: int

    @property
    def end(self) -> int:
        return self.first + self.count


@dataclass(frozen=True)
class Layout:
    """Where each kind of variable lies in the flat array."""

    parameters: Range
    settings: Range
    inputs: Range
    calculated: Range
    states: Range
    derivatives: Range
    indicators: Range
    diagnostics: Range

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
    states: tuple[Variable, ...]
    derivatives: tuple[Variable, ...]
    indicators: tuple[Variable, ...]
    diagnostics: tuple[Variable, ...]
    units: tuple[UnitDefinition, ...]
    types: tuple[TypeDefinition, ...]
    structure: ModelStructure
    experiment: Experiment = field(default_factory=Experiment)
    fmi: FmiVersion = FmiVersion.TWO
    interfaces: tuple[InterfaceType, ...] = (InterfaceType.CO_SIMULATION, InterfaceType.MODEL_EXCHANGE)
    terminals: tuple[Terminal, ...] = ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables; the position of each is its value reference."""
        return tuple(variable for section in self._sections for variable in section)

    @property
    def _sections(self) -> tuple[tuple[Variable, ...], ...]:
        return (
            self.parameters,
            self.settings,
            self.inputs,
            self.calculated,
            self.states,
            self.derivatives,
            self.indicators,
            self.diagnostics,
        )

    @property
    def layout(self) -> Layout:
        """The sections of the flat array."""
        return Layout(*_consecutive(*(len(section) for section in self._sections)))

    @property
    def continuous_states(self) -> tuple[Variable, ...]:
        """The variables that are continuous states, in order."""
        variables = self.variables
        return tuple(variables[d.derivative_of] for d in self.derivatives if d.derivative_of is not None)

    @property
    def tunable(self) -> int:
        """How many parameters may change between steps; they come first."""
        return sum(variable.variability == "tunable" for variable in self.parameters)

    @property
    def start_values(self) -> tuple[float, ...]:
        """The flat array before initialization; values that are calculated are 0."""
        return tuple(0.0 if variable.start is None else variable.start for variable in self.variables)


def _consecutive(*counts: int) -> Iterator[Range]:
    first = 0
    for count in counts:
        yield Range(first, count)
        first += count
