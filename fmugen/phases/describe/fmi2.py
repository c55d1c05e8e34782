"""FmuDescription -> ``modelDescription.xml`` of FMI 2.0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
from fmugen.phases.describe.xml import Value, add, set_attributes

__all__ = ["fmi2_description"]


def fmi2_description(description: FmuDescription, source_files: Sequence[str] = ()) -> bytes:
    """The description; ``source_files`` are listed for importers that compile."""

    def add_interfaces(root: etree._Element, description: FmuDescription) -> None:
        set_attributes(root, numberOfEventIndicators=len(description.indicators))
        _add_interfaces(root, description, source_files)

    parts = Parts(add_interfaces, _add_types, _add_variables, _add_structure)
    return written(description, "2.0", {"guid": description.guid}, parts)


def _add_interfaces(root: etree._Element, description: FmuDescription, source_files: Sequence[str]) -> None:
    common: dict[str, Value] = {
        "modelIdentifier": description.identifier,
        "needsExecutionTool": False,
        "canBeInstantiatedOnlyOncePerProcess": False,
        "canNotUseMemoryManagementFunctions": False,
        "canGetAndSetFMUstate": True,
        "canSerializeFMUstate": True,
        "providesDirectionalDerivative": True,
    }
    elements = []
    if InterfaceType.MODEL_EXCHANGE in description.interfaces:
        elements.append(add(root, "ModelExchange", **common, completedIntegratorStepNotNeeded=False))
    if InterfaceType.CO_SIMULATION in description.interfaces:
        element = add(
            root,
            "CoSimulation",
            **common,
            canHandleVariableCommunicationStepSize=True,
            canInterpolateInputs=True,
            maxOutputDerivativeOrder=OUTPUT_DERIVATIVES,
            canRunAsynchronuously=False,
        )
        elements.append(element)
    for element in elements if source_files else ():
        files = add(element, "SourceFiles")
        for name in source_files:
            add(files, "File", name=name)


def _add_types(root: etree._Element, description: FmuDescription) -> None:
    types = add(root, "TypeDefinitions")
    for definition in description.types:
        simple = add(types, "SimpleType", name=definition.name)
        add(
            simple,
            "Real",
            quantity=definition.quantity,
            unit=definition.unit,
            displayUnit=definition.display_unit,
        )
    for variable in description.settings:
        if variable.items:
            enumeration = add(add(types, "SimpleType", name=METHODS), "Enumeration")
            add_items(enumeration, variable)


def _add_variables(root: etree._Element, description: FmuDescription) -> None:
    type_of = {definition.unit: definition.name for definition in description.types}
    variables = add(root, "ModelVariables")
    for variable in description.variables:
        scalar = add(
            variables,
            "ScalarVariable",
            **attributes_of(variable),
        )
        if variable.items and variable.start is not None:
            add(scalar, "Enumeration", declaredType=METHODS, start=int(variable.start))
        else:
            derived = None if variable.derivative_of is None else _index(variable.derivative_of)
            add(scalar, "Real", **number_of(variable, type_of.get(variable.unit), derived))


def _add_structure(root: etree._Element, description: FmuDescription) -> None:
    structure = add(root, "ModelStructure")
    _add_unknowns(structure, "Outputs", description.structure.outputs)
    _add_unknowns(structure, "Derivatives", description.structure.derivatives)
    _add_unknowns(structure, "InitialUnknowns", description.structure.initial)


def _add_unknowns(structure: etree._Element, tag: str, unknowns: Iterable[Dependency]) -> None:
    """Unknowns with their dependencies; none at all is an empty list, not a missing one."""
    listed = list(unknowns)
    if not listed:
        return
    element = add(structure, tag)
    for unknown in listed:
        add(
            element,
            "Unknown",
            index=_index(unknown.unknown),
            dependencies=" ".join(str(_index(known)) for known in unknown.knowns),
            dependenciesKind=" ".join("dependent" for _ in unknown.knowns),
        )


def _index(value_reference: int) -> int:
    """The place of a variable in ``ModelVariables``, which FMI counts from 1."""
    return value_reference + 1
