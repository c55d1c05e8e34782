"""SystemModel and calculated variables -> FmuDescription -> ``modelDescription.xml``.

:func:`describe` decides what an importer sees: names, value references, causalities, start values,
units, declared types and the model structure. :func:`model_description_xml` writes that down as the
FMI 2.0 schema asks, and decides nothing.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count

from lxml import etree

from fmugen import __version__
from fmugen.errors import OutputError
from fmugen.ir.fmu import (
    CalculatedVariable,
    Dependency,
    DisplayUnit,
    FmuDescription,
    SolverSettings,
    TypeDefinition,
    UnitDefinition,
    Variable,
)
from fmugen.ir.model import SystemModel, quantities, start_parameter
from fmugen.units import parse_unit

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
    ("closure.residual", "largest absolute value of the loop constraints"),
    ("closure.iterations", "Newton iterations of the last evaluation"),
    ("solver.steps", "internal steps since the start"),
)

#: The categories the runtime logs in.
LOG_CATEGORIES = (
    ("logStatusError", "why a call failed"),
    ("logEvents", "what the solver and the closure of the loops decide on the way"),
)


def describe(
    model: SystemModel,
    calculated: Sequence[CalculatedVariable],
    guid: str,
    *,
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
    references = count()  # drawn from in the order of the sections
    parameters = tuple(_parameters(model, references))
    solver = tuple(_settings(settings or SolverSettings(), references))
    inputs = tuple(_inputs(model, references))
    computed = tuple(_calculated(calculated, references))
    diagnostics = tuple(_diagnostics(references))
    variables = parameters + solver + inputs + computed + diagnostics
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
        diagnostics=diagnostics,
        units=units,
        types=tuple(_type_definition(unit) for unit in units),
        outputs=tuple(_output_dependencies(calculated, computed, inputs)),
        experiment=model.experiment,
    )


# --- variables -------------------------------------------------------------------------------


def _parameters(model: SystemModel, references: Iterator[int]) -> Iterator[Variable]:
    for parameter in model.parameters:
        yield _parameter(
            parameter.name, parameter.value, parameter.unit, parameter.description, next(references)
        )
    unit_of = {quantity.name: quantity.unit for quantity in quantities(model)}
    for start in model.starts:
        value = start.value.number
        if start.adjustable and value is not None:
            unit, description = unit_of[start.quantity], f"start value of {start.quantity}"
            yield _parameter(start_parameter(start), value, unit, description, next(references))


def _settings(settings: SolverSettings, references: Iterator[int]) -> Iterator[Variable]:
    rows = (
        ("solver.step", settings.step, "s", "step of the solver (0: its own choice)", 0.0),
        ("solver.relative_tolerance", settings.relative_tolerance, "1", "relative tolerance of a step", 0.0),
        ("solver.absolute_tolerance", settings.absolute_tolerance, "1", "absolute tolerance of a step", 0.0),
        ("solver.max_steps", float(settings.max_steps), "1", "most steps between communication points", 1.0),
    )
    for name, value, unit, description, minimum in rows:
        yield _parameter(name, value, unit, description, next(references), minimum)


def _parameter(
    name: str, value: float, unit: str, description: str, reference: int, minimum: float | None = None
) -> Variable:
    return Variable(
        name, reference, "parameter", "fixed", "exact", value, unit, description=description, minimum=minimum
    )


def _inputs(model: SystemModel, references: Iterator[int]) -> Iterator[Variable]:
    for given in model.inputs:
        # FMI 2.0 wants a start value on an input and forbids the attribute ``initial``.
        yield Variable(
            given.name,
            next(references),
            "input",
            "continuous",
            None,
            given.start,
            given.unit,
            given.description,
        )


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


def _diagnostics(references: Iterator[int]) -> Iterator[Variable]:
    for name, description in DIAGNOSTICS:
        yield Variable(name, next(references), "local", "continuous", "calculated", None, "1", description)


def _require_unique_names(variables: Sequence[Variable]) -> None:
    counts = Counter(variable.name for variable in variables)
    repeated = [name for name, times in counts.items() if times > 1]
    if repeated:
        raise OutputError(
            f"several FMU variables have the same name: {', '.join(repeated)}; rename one of each"
        )


def _output_dependencies(
    calculated: Sequence[CalculatedVariable], computed: Sequence[Variable], inputs: Sequence[Variable]
) -> Iterator[Dependency]:
    reference_of = {variable.name: variable.value_reference for variable in inputs}
    for value, variable in zip(calculated, computed, strict=True):
        if value.causality == "output":
            knowns = sorted({reference_of[name] for name in value.depends_on_inputs})
            yield Dependency(variable.value_reference, tuple(knowns))


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
    return sorted({variable.unit for variable in variables})


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


# --- XML -------------------------------------------------------------------------------------


def model_description_xml(description: FmuDescription) -> bytes:
    """``modelDescription.xml`` of an FMI 2.0 co-simulation FMU, the same bytes for the same input."""
    root = etree.Element("fmiModelDescription")
    _set(
        root,
        fmiVersion="2.0",
        modelName=description.model_name,
        guid=description.guid,
        description=description.description or None,
        generationTool=description.generation_tool,
        generationDateAndTime=description.generated_at,
        variableNamingConvention="structured",
        numberOfEventIndicators=0,
    )
    _add_co_simulation(root, description)
    _add_units(root, description)
    _add_types(root, description)
    _add_log_categories(root)
    _add_experiment(root, description)
    _add_variables(root, description)
    _add_structure(root, description)
    etree.indent(root)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8") + b"\n"


def _add_co_simulation(root: etree._Element, description: FmuDescription) -> None:
    _add(
        root,
        "CoSimulation",
        modelIdentifier=description.identifier,
        needsExecutionTool=False,
        canHandleVariableCommunicationStepSize=True,
        canInterpolateInputs=False,
        maxOutputDerivativeOrder=0,
        canRunAsynchronuously=False,
        canBeInstantiatedOnlyOncePerProcess=False,
        canNotUseMemoryManagementFunctions=False,
        canGetAndSetFMUstate=True,
        canSerializeFMUstate=True,
        providesDirectionalDerivative=False,
    )


def _add_units(root: etree._Element, description: FmuDescription) -> None:
    units = _add(root, "UnitDefinitions")
    for definition in description.units:
        unit = _add(units, "Unit", name=definition.name)
        factor = None if definition.factor == 1.0 else definition.factor
        _add(unit, "BaseUnit", **dict(definition.exponents), factor=factor)
        if definition.display is not None:
            _add(unit, "DisplayUnit", name=definition.display.name, factor=definition.display.factor)


def _add_types(root: etree._Element, description: FmuDescription) -> None:
    types = _add(root, "TypeDefinitions")
    for definition in description.types:
        simple = _add(types, "SimpleType", name=definition.name)
        _add(
            simple,
            "Real",
            quantity=definition.quantity,
            unit=definition.unit,
            displayUnit=definition.display_unit,
        )


def _add_log_categories(root: etree._Element) -> None:
    categories = _add(root, "LogCategories")
    for name, meaning in LOG_CATEGORIES:
        _add(categories, "Category", name=name, description=meaning)


def _add_experiment(root: etree._Element, description: FmuDescription) -> None:
    experiment = description.experiment
    _add(
        root,
        "DefaultExperiment",
        startTime=0.0,
        stopTime=experiment.stop,
        tolerance=experiment.tolerance,
        stepSize=experiment.step,
    )


def _add_variables(root: etree._Element, description: FmuDescription) -> None:
    type_of = {definition.unit: definition.name for definition in description.types}
    variables = _add(root, "ModelVariables")
    for variable in description.variables:
        scalar = _add(
            variables,
            "ScalarVariable",
            name=variable.name,
            valueReference=variable.value_reference,
            description=variable.description or None,
            causality=variable.causality,
            variability=variable.variability,
            initial=variable.initial,
        )
        _add(
            scalar,
            "Real",
            declaredType=type_of[variable.unit],
            unit=variable.unit,
            min=variable.minimum,
            max=variable.maximum,
            start=variable.start,
        )


def _add_structure(root: etree._Element, description: FmuDescription) -> None:
    """Outputs with their direct feedthrough; at initialization each depends on everything known.

    An ``InitialUnknowns`` entry without ``dependencies`` means all knowns, which is the truth: the
    assembly of the mechanism brings every parameter to bear on every output.
    """
    structure = _add(root, "ModelStructure")
    if not description.outputs:
        return
    outputs = _add(structure, "Outputs")
    initial = _add(structure, "InitialUnknowns")
    for output in description.outputs:
        _add(
            outputs,
            "Unknown",
            index=_index(output.unknown),
            dependencies=" ".join(str(_index(known)) for known in output.knowns),
            dependenciesKind=" ".join("dependent" for _ in output.knowns),
        )
        _add(initial, "Unknown", index=_index(output.unknown))


def _index(value_reference: int) -> int:
    """The place of a variable in ``ModelVariables``, which FMI counts from 1."""
    return value_reference + 1


def _add(parent: etree._Element, tag: str, **attributes: str | float | bool | None) -> etree._Element:
    return _set(etree.SubElement(parent, tag), **attributes)


def _set(element: etree._Element, **attributes: str | float | bool | None) -> etree._Element:
    for name, value in attributes.items():
        if value is not None:
            element.set(name, _attribute(value))
    return element


def _attribute(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _NOT_TEXT.sub(" ", value)
    return repr(value)


#: What XML cannot carry, and the control characters that no importer expects in a line of text.
_NOT_TEXT = re.compile("[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
