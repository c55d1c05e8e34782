"""Parts of ``modelDescription.xml`` that FMI 2.0 and 3.0 write alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lxml import etree

from fmugen.ir.fmu import FmuDescription, Variable
from fmugen.phases.describe.xml import Value, add, set_attributes, to_bytes

__all__ = ["METHODS", "OUTPUT_DERIVATIVES", "Parts", "add_items", "attributes_of", "number_of", "written"]

#: The categories the runtime logs in.
_LOG_CATEGORIES = (
    ("logStatusError", "why a call failed"),
    ("logStatusWarning", "where results are less accurate than usual"),
    ("logEvents", "what the solver and the closure of the loops decide on the way"),
)

#: The name of the type of the solver's method.
METHODS = "SolverMethod"

#: The FMU takes derivatives of inputs up to the third and gives those of outputs up to the first.
OUTPUT_DERIVATIVES = 1


_AddPart = Callable[[etree._Element, FmuDescription], None]


@dataclass(frozen=True)
class Parts:
    """The parts of a description that each version of the standard writes in its own way."""

    interfaces: _AddPart
    types: _AddPart
    variables: _AddPart
    structure: _AddPart


def written(description: FmuDescription, version: str, identity: Mapping[str, Value], parts: Parts) -> bytes:
    """The file: the parts in the order of the standard; ``identity`` is the attribute of the guid."""
    root = etree.Element("fmiModelDescription")
    set_attributes(
        root,
        fmiVersion=version,
        modelName=description.model_name,
        **identity,
        description=description.description or None,
        generationTool=description.generation_tool,
        generationDateAndTime=description.generated_at,
        variableNamingConvention="structured",
    )
    parts.interfaces(root, description)
    _add_units(root, description)
    parts.types(root, description)
    _add_log_categories(root)
    _add_experiment(root, description)
    parts.variables(root, description)
    parts.structure(root, description)
    return to_bytes(root)


def add_items(enumeration: etree._Element, variable: Variable) -> None:
    """The items of an enumeration, numbered from 1."""
    for value, name in enumerate(variable.items, 1):
        add(enumeration, "Item", name=name, value=value)


def _add_units(root: etree._Element, description: FmuDescription) -> None:
    units = add(root, "UnitDefinitions")
    for definition in description.units:
        unit = add(units, "Unit", name=definition.name)
        factor = None if definition.factor == 1.0 else definition.factor
        add(unit, "BaseUnit", **dict(definition.exponents), factor=factor)
        if definition.display is not None:
            add(unit, "DisplayUnit", name=definition.display.name, factor=definition.display.factor)


def _add_log_categories(root: etree._Element) -> None:
    categories = add(root, "LogCategories")
    for name, meaning in _LOG_CATEGORIES:
        add(categories, "Category", name=name, description=meaning)


def _add_experiment(root: etree._Element, description: FmuDescription) -> None:
    experiment = description.experiment
    add(
        root,
        "DefaultExperiment",
        startTime=0.0,
        stopTime=experiment.stop,
        tolerance=experiment.tolerance,
        stepSize=experiment.step,
    )


def attributes_of(variable: Variable) -> dict[str, Value]:
    """What a variable of any type says about itself."""
    return {
        "name": variable.name,
        "valueReference": variable.value_reference,
        "description": variable.description or None,
        "causality": variable.causality,
        "variability": variable.variability,
        "initial": variable.initial,
    }


def number_of(variable: Variable, declared: str | None, derivative: int | None) -> dict[str, Value]:
    """What a real variable says besides.

    ``derivative`` names the variable that this one is the derivative of, as the version counts variables.
    """
    return {
        "declaredType": declared,
        "unit": variable.unit or None,
        "min": variable.minimum,
        "max": variable.maximum,
        "nominal": variable.nominal,
        "start": variable.start,
        "derivative": derivative,
    }
