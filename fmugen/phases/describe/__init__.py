"""SystemModel and Program -> FmuDescription -> ``modelDescription.xml``.

:func:`describe` decides what an importer sees: names, value references, causalities, start values,
units, declared types and the model structure. :func:`model_description_xml` writes that down as the
schema of the standard asks (:mod:`.fmi2`, :mod:`.fmi3`), and decides nothing.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count

from fmugen.errors import OutputError
from fmugen.ir.dae import Dae
from fmugen.ir.driving import driving_inputs, rate_chains
from fmugen.ir.flow import Closure
from fmugen.ir.fmu import (
    CalculatedVariable,
    ContinuousState,
    Dependency,
    DisplayUnit,
    FmuDescription,
    Knowns,
    ModelStructure,
    SolverSettings,
    TypeDefinition,
    UnitDefinition,
    Variable,
)
from fmugen.ir.model import Input, SystemModel, quantities, start_parameter
from fmugen.ir.options import ExportOptions, FmiVersion, InterfaceType, Solver
from fmugen.ir.program import Program
from fmugen.phases.describe.fixed_step import fixed_step
from fmugen.phases.describe.fmi2 import fmi2_description
from fmugen.phases.describe.fmi3 import fmi3_description
from fmugen.phases.describe.terminals import terminals_of, terminals_xml
from fmugen.units import parse_unit
from fmugen.version import __version__

__all__ = [
    "DIAGNOSTICS",
    "QUANTITIES",
    "InterfaceOptions",
    "describe",
    "describe_program",
    "model_description_xml",
    "sign",
    "terminals_xml",
]

#: The guid of a description that is not signed yet.
_NO_GUID = "{00000000-0000-0000-0000-000000000000}"
#: Khan's rate for the projection closure lies between 10 and 40 per second (4.2).
_DECAY_RATE = 20.0
#: The absolute tolerance of a solver is this part of its relative one.
_ABSOLUTE_SHARE = 1e-2

#: The quantity that a unit measures in mechanics and in the physical networks around it.
QUANTITIES = {
    "1": "Dimensionless",
    "A": "ElectricCurrent",
    "F": "Capacitance",
    "H": "Inductance",
    "Hz": "Frequency",
    "J": "Energy",
    "N": "Force",
    "N.m": "Torque",
    "N.m.s/rad": "RotationalDampingConstant",
    "N.m/rad": "RotationalSpringConstant",
    "N.s/m": "TranslationalDampingConstant",
    "N/m": "TranslationalSpringConstant",
    "Ohm": "Resistance",
    "Pa": "Pressure",
    "V": "ElectricPotential",
    "W": "Power",
    "kg": "Mass",
    "kg.m2": "MomentOfInertia",
    "m": "Length",
    "m/s": "Velocity",
    "m/s2": "Acceleration",
    "m2": "Area",
    "m3": "Volume",
    "rad": "Angle",
    "rad/s": "AngularVelocity",
    "rad/s2": "AngularAcceleration",
    "s": "Time",
}

_DISPLAY_UNITS = {"rad": DisplayUnit("deg", 180 / math.pi)}

#: Values the runtime itself reports, in the order in which it writes them.
DIAGNOSTICS = (
    ("closure.residual", "largest absolute value of the loop constraints, redundant ones included"),
    (
        "closure.iterations",
        "Newton iterations of the last communication step; in model exchange, of the last evaluation",
    ),
    ("solver.steps", "internal steps since the start"),
)


@dataclass(frozen=True)
class InterfaceOptions:
    """The standard and the interface types of an FMU, and what it offers to model exchange.

    ``step`` is the step that the FMU declares, if it is not the communication step of the model.
    """

    fmi: FmiVersion = FmiVersion.TWO
    interfaces: tuple[InterfaceType, ...] = (InterfaceType.CO_SIMULATION, InterfaceType.MODEL_EXCHANGE)
    states: tuple[ContinuousState, ...] = ()
    indicators: int = 0
    step: float | None = None


def model_description_xml(description: FmuDescription, source_files: Sequence[str] = ()) -> bytes:
    """``modelDescription.xml``, the same bytes for the same input.

    ``source_files`` are those of the folder ``sources`` that are to be compiled; FMI 3 lists them elsewhere.
    """
    if description.fmi is FmiVersion.THREE:
        return fmi3_description(description)
    return fmi2_description(description, source_files)


def describe_program(
    model: SystemModel, dae: Dae, program: Program, options: ExportOptions
) -> FmuDescription:
    """What an importer sees of a program. Its guid is set by :func:`sign`, when the sources are known."""
    tolerance = model.experiment.tolerance
    settings = SolverSettings(
        options.step,
        tolerance,
        tolerance * _ABSOLUTE_SHARE,
        method=options.solver,
        sigma=_DECAY_RATE if options.closure is Closure.PROJECTION else None,
    )
    # Importers may integrate a model-exchange FMU in steps of the declared size.
    exchanged = InterfaceType.MODEL_EXCHANGE in options.interfaces
    step = fixed_step(model, dae, program.flow) if exchanged else model.experiment.step
    face = InterfaceOptions(options.fmi, options.interfaces, program.states, program.indicators, step)
    return describe(model, program.calculated, _NO_GUID, face=face, settings=settings)


def sign(description: FmuDescription, sources: Mapping[str, str]) -> tuple[FmuDescription, dict[str, str]]:
    """Description and sources with the guid that both must share: the fingerprint of their content."""
    content = "".join(sources.values()) + model_description_xml(description).decode()
    digest = hashlib.sha256(content.encode()).hexdigest()
    guid = f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"
    return replace(description, guid=guid), {
        name: text.replace(description.guid, guid) for name, text in sources.items()
    }


def describe(
    model: SystemModel,
    calculated: Sequence[CalculatedVariable],
    guid: str,
    *,
    face: InterfaceOptions | None = None,
    settings: SolverSettings | None = None,
    environment: Mapping[str, str] = os.environ,
) -> FmuDescription:
    """Decide what an importer sees of the FMU.

    Parameters
    ----------
    model
        Its parameters and inputs become those of the FMU, and each fixed start value that is a
        plain number becomes a parameter ``start.<quantity>``.
    calculated
        The outputs and local variables, in the order in which the generated code writes them.
    guid
        The fingerprint of the generated code, which binary and description must share.
    face
        The standard, the interface types, the continuous states, and the step to declare.
    settings
        Default values of the solver settings.
    environment
        Where ``SOURCE_DATE_EPOCH`` is looked up: the date of generation is written only if it is set.

    Returns
    -------
    FmuDescription
        Complete: value references are positions in the flat array of variables.

    Raises
    ------
    OutputError
        If ``SOURCE_DATE_EPOCH`` is not a time.
    """
    face = face or InterfaceOptions()
    references = count()  # drawn from in the order of the sections
    parameters = tuple(_parameters(model, references))
    solver = tuple(_settings(settings or SolverSettings(), references))
    inputs = tuple(_inputs(model, references))
    starts = {state.name: state.start for state in face.states}
    computed = tuple(_started(each, starts) for each in _calculated(calculated, references))
    states = tuple(_started(each, starts) for each in _states(face.states, references))
    named = {variable.name: variable.value_reference for variable in computed + states}
    derivatives = tuple(_derivatives(face.states, named, references))
    indicators = tuple(_indicators(face.indicators, references))
    diagnostics = tuple(_diagnostics(references))
    variables = parameters + solver + inputs + computed + states + derivatives + indicators + diagnostics
    _require_unique_names(variables)
    units = tuple(_unit_definition(unit) for unit in _units_in_use(variables))
    return FmuDescription(
        model_name=model.name,
        identifier=model.name,
        guid=guid,
        description=model.description,
        generation_tool=f"fmugen {__version__}",
        generated_at=_generation_time(environment),
        parameters=parameters,
        settings=solver,
        inputs=inputs,
        calculated=computed,
        states=states,
        derivatives=derivatives,
        indicators=indicators,
        diagnostics=diagnostics,
        units=units,
        types=tuple(_type_definition(unit) for unit in units),
        structure=_structure(calculated, face.states, variables),
        experiment=replace(model.experiment, step=face.step or model.experiment.step),
        fmi=face.fmi,
        interfaces=face.interfaces,
        terminals=terminals_of(model, [variable.name for variable in variables]),
    )


# --- variables -------------------------------------------------------------------------------


def _parameters(model: SystemModel, references: Iterator[int]) -> Iterator[Variable]:
    for parameter in model.parameters:
        yield Variable(
            parameter.name,
            next(references),
            "parameter",
            "tunable",
            "exact",
            parameter.value,
            parameter.unit,
            parameter.description,
            minimum=parameter.minimum,
            maximum=parameter.maximum,
            nominal=parameter.nominal,
        )
    unit_of = {quantity.name: quantity.unit for quantity in quantities(model)}
    for start in model.starts:
        value = start.value.number
        if start.adjustable and value is not None:
            unit, description = unit_of[start.quantity], f"start value of {start.quantity}"
            yield _parameter(start_parameter(start), value, unit, description, next(references))


def _settings(settings: SolverSettings, references: Iterator[int]) -> Iterator[Variable]:
    rows = (
        ("solver.step", settings.step, "s", "step of the solver (0: chosen by the solver)", 0.0),
        ("solver.relative_tolerance", settings.relative_tolerance, "1", "relative tolerance of a step", 0.0),
        ("solver.absolute_tolerance", settings.absolute_tolerance, "1", "absolute tolerance of a step", 0.0),
        ("solver.max_steps", float(settings.max_steps), "1", "most steps between communication points", 1.0),
    )
    for name, value, unit, description, minimum in rows:
        yield _parameter(name, value, unit, description, next(references), minimum)
    methods = tuple(solver.value for solver in Solver)
    yield Variable(
        "solver.method",
        next(references),
        "parameter",
        "fixed",
        "exact",
        1.0 + methods.index(settings.method.value),
        "1",
        "integrator of co-simulation; rodas3 is for stiff models",
        items=methods,
    )
    if settings.sigma is not None:
        note = "rate at which velocities lead positions back to closed loops"
        yield _parameter("closure.sigma", settings.sigma, "1/s", note, next(references), 0.0)


def _parameter(
    name: str, value: float, unit: str, description: str, reference: int, minimum: float | None = None
) -> Variable:
    return Variable(
        name, reference, "parameter", "fixed", "exact", value, unit, description=description, minimum=minimum
    )


def _inputs(model: SystemModel, references: Iterator[int]) -> Iterator[Variable]:
    numbers = {variable.name: next(references) for variable in model.inputs}
    rate_of = {variable.rate: variable.name for variable in model.inputs if variable.rate}
    notes = {chain[0].name: _fed_with(chain) for chain in rate_chains(model)}
    driving = driving_inputs(model)
    for variable in model.inputs:
        source = rate_of.get(variable.name)
        parts = [variable.description or (f"rate of {source}" if source else "")]
        parts += [notes[variable.name]] if variable.name in notes and variable.name in driving else []
        # FMI 2.0 wants a start value on an input and forbids the attribute ``initial``.
        yield Variable(
            variable.name,
            numbers[variable.name],
            "input",
            "continuous",
            None,
            variable.start,
            variable.unit,
            "; ".join(part for part in parts if part),
            derivative_of=None if source is None else numbers[source],
            minimum=variable.minimum,
            maximum=variable.maximum,
            nominal=variable.nominal,
        )


def _fed_with(chain: Sequence[Input]) -> str:
    rates = " and ".join(variable.name for variable in chain[1:])
    return f"prescribes a motion: feed {rates}, its derivatives, with it"


def _calculated(calculated: Sequence[CalculatedVariable], references: Iterator[int]) -> Iterator[Variable]:
    for value in calculated:
        yield Variable(
            value.name,
            next(references),
            value.causality,
            "continuous",
            "calculated",
            None,
            value.unit,
            value.description,
        )


def _started(variable: Variable, starts: Mapping[str, float | None]) -> Variable:
    """A state whose start value is known; the assembly at initialization decides in the end."""
    start = starts.get(variable.name)
    return variable if start is None else replace(variable, initial="approx", start=start)


def _states(states: Sequence[ContinuousState], references: Iterator[int]) -> Iterator[Variable]:
    for state in states:
        if state.own:
            yield _local(state.name, next(references), state.unit, state.description)


def _derivatives(
    states: Sequence[ContinuousState], named: Mapping[str, int], references: Iterator[int]
) -> Iterator[Variable]:
    for state in states:
        note = f"derivative of {state.name}"
        variable = _local(f"der({state.name})", next(references), state.derivative_unit, note)
        yield replace(variable, derivative_of=named[state.name])


def _indicators(number: int, references: Iterator[int]) -> Iterator[Variable]:
    for index in range(number):
        note = "changes its sign where the equations or the independent coordinates switch"
        yield _local(f"event[{index + 1}]", next(references), "", note)


def _local(name: str, reference: int, unit: str, description: str) -> Variable:
    return Variable(name, reference, "local", "continuous", "calculated", None, unit, description)


def _diagnostics(references: Iterator[int]) -> Iterator[Variable]:
    for name, description in DIAGNOSTICS:
        yield _local(name, next(references), "1", description)


def _require_unique_names(variables: Sequence[Variable]) -> None:
    counts = Counter(variable.name for variable in variables)
    repeated = [name for name, times in counts.items() if times > 1]
    if repeated:
        raise OutputError(
            f"several FMU variables have the same name: {', '.join(repeated)}; rename one of each"
        )


def _structure(
    calculated: Sequence[CalculatedVariable], states: Sequence[ContinuousState], variables: Sequence[Variable]
) -> ModelStructure:
    reference_of = {variable.name: variable.value_reference for variable in variables}
    state_references = [reference_of[state.name] for state in states]

    def instant(name: str, knowns: Knowns) -> Dependency:
        found = {reference_of[each] for each in knowns.inputs} | {state_references[k] for k in knowns.states}
        return Dependency(reference_of[name], tuple(sorted(found)), knowns.time)

    def start(name: str, knowns: Knowns) -> Dependency:
        return Dependency(reference_of[name], tuple(sorted(reference_of[each] for each in knowns.start)))

    outputs = [value for value in calculated if value.causality == "output"]
    unknowns = {value.name: value.knowns for value in outputs}
    unknowns |= {state.name: state.knowns for state in states}
    unknowns |= {f"der({state.name})": state.derivative_knowns for state in states}
    initial = sorted((start(name, knowns) for name, knowns in unknowns.items()), key=lambda d: d.unknown)
    return ModelStructure(
        tuple(instant(value.name, value.knowns) for value in outputs),
        tuple(instant(f"der({state.name})", state.derivative_knowns) for state in states),
        tuple(initial),
    )


def _generation_time(environment: Mapping[str, str]) -> str | None:
    epoch = environment.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return None
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise OutputError(
            f"SOURCE_DATE_EPOCH is {epoch!r}: it must be a number of seconds since 1970, or be unset"
        ) from error
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# --- units and types -------------------------------------------------------------------------


def _units_in_use(variables: Sequence[Variable]) -> list[str]:
    return sorted({variable.unit for variable in variables if variable.unit})


def _unit_definition(text: str) -> UnitDefinition:
    unit = parse_unit(text)
    exponents = tuple((base, power) for base, power in unit.exponents.items() if power != 0)
    return UnitDefinition(text, exponents, unit.factor, _DISPLAY_UNITS.get(text))


def _type_definition(unit: UnitDefinition) -> TypeDefinition:
    """The declared type of all variables of one unit.

    FMI 2.0 forbids a type to be named like a variable. ``SI.`` is safe: the last word of a dotted
    variable name never begins with a capital or a quote.
    """
    quantity = QUANTITIES.get(unit.name)
    name = f"SI.'{unit.name}'" if quantity is None else f"SI.{quantity}"
    return TypeDefinition(name, quantity, unit.name, unit.display.name if unit.display else None)
