"""FmuDescription -> ``modelDescription.xml`` of FMI 3.0."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from fmugen.ir.fmu import Dependency, FmuDescription
from fmugen.ir.options import InterfaceType
from fmugen.phases.describe.common import (
    METHODS,
    OUTPUT_DERIVATIVES,
    Parts,
    add_items,
    attributes_of,
    number_of,
    written,
)
from fmugen.phases.describe.xml import Value, add

__all__ = ["fmi3_description"]


def fmi3_description(description: FmuDescription) -> bytes:
    """The description."""
    parts = Parts(_add_interfaces, _add_types, _add_variables, _add_structure)
    return written(description, "3.0", {"instantiationToken": description.guid}, parts)


def _add_interfaces(root: etree._Element, description: FmuDescription) -> None:
    common: dict[str, Value] = {
        "modelIdentifier": description.identifier,
        "needsExecutionTool": False,
        "canBeInstantiatedOnlyOncePerProcess": False,
        "canGetAndSetFMUState": True,
        "canSerializeFMUState": True,
        "providesDirectionalDerivatives": True,
        "providesAdjointDerivatives": True,
    }
    if InterfaceType.MODEL_EXCHANGE in description.interfaces:
        add(root, "ModelExchange", **common, needsCompletedIntegratorStep=True)
    if InterfaceType.CO_SIMULATION in description.interfaces:
        add(
            root,
            "CoSimulation",
            **common,
            canHandleVariableCommunicationStepSize=True,
            maxOutputDerivativeOrder=OUTPUT_DERIVATIVES,
            hasEventMode=False,
        )


def _add_types(root: etree._Element, description: FmuDescription) -> None:
    types = add(root, "TypeDefinitions")
    for definition in description.types:
        add(
            types,
            "Float64Type",
            name=definition.name,
            quantity=definition.quantity,
            unit=definition.unit,
            displayUnit=definition.display_unit,
        )
    for variable in description.settings:
        if variable.items:
            add_items(add(types, "EnumerationType", name=METHODS), variable)


def _add_variables(root: etree._Element, description: FmuDescription) -> None:
    type_of = {definition.unit: definition.name for definition in description.types}
    variables = add(root, "ModelVariables")
    for variable in description.variables:
        if variable.items and variable.start is not None:
            start = int(variable.start)
            add(variables, "Enumeration", **attributes_of(variable), declaredType=METHODS, start=start)
        else:
            add(
                variables,
                "Float64",
                **attributes_of(variable),
                **number_of(variable, type_of.get(variable.unit), variable.derivative_of),
            )
    add(
        variables,
        "Float64",
        name="time",
        valueReference=_time(description),
        description="simulation time",
        causality="independent",
        variability="continuous",
        unit="s",
    )


def _time(description: FmuDescription) -> int:
    """The value reference of time, behind all others."""
    return len(description.variables)


def _add_structure(root: etree._Element, description: FmuDescription) -> None:
    element, structure, time = add(root, "ModelStructure"), description.structure, _time(description)
    _add_unknowns(element, "Output", structure.outputs, time)
    _add_unknowns(element, "ContinuousStateDerivative", structure.derivatives, time)
    _add_unknowns(element, "InitialUnknown", structure.initial, time)
    for indicator in description.indicators:
        add(element, "EventIndicator", valueReference=indicator.value_reference)


def _add_unknowns(structure: etree._Element, tag: str, unknowns: Iterable[Dependency], time: int) -> None:
    for unknown in unknowns:
        knowns = [*unknown.knowns, *([time] if unknown.time else [])]
        add(
            structure,
            tag,
            valueReference=unknown.unknown,
            dependencies=" ".join(map(str, knowns)),
            dependenciesKind=" ".join("dependent" for _ in knowns),
        )
