"""Parts of ``modelDescription.xml`` that FMI 2.0 and 3.0 write alike."""

from __future__ import annotations

from lxml import etree

from fmugen.ir.fmu import FmuDescription, Variable
from fmugen.phases.describe.xml import Value, add

__all__ = [
    "METHODS",
    "OUTPUT_DERIVATIVES",
    "add_experiment",
    "add_log_categories",
    "add_units",
    "attributes_of",
    "number_of",
]

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


def add_units(root: etree._Element, description: FmuDescription) -> None:
    units = add(root, "UnitDefinitions")
    for definition in description.units:
        unit = add(units, "Unit", name=definition.name)
        factor = None if definition.factor == 1.0 else definition.factor
        add(unit, "BaseUnit", **dict(definition.exponents), factor=factor)
        if definition.display is not None:
            add(unit, "DisplayUnit", name=definition.display.name, factor=definition.display.factor)


def add_log_categories(root: etree._Element) -> None:
    categories = add(root, "LogCategories")
    for name, meaning in _LOG_CATEGORIES:
        add(categories, "Category", name=name, description=meaning)


def add_experiment(root: etree._Element, description: FmuDescription) -> None:
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
