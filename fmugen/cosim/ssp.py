"""SplitSystem -> ``SystemStructure.ssd``: the system as SSP 1.0 describes it.

Every part is a component. Its connectors are what is connected to other parts, and the outputs of the whole
system. Inputs of the whole system are set at the parts: ecos knows no connections to the outside, and FMPy
sets every connector of an input, connected or not. The parameters of each part are bound in the file itself,
so that they can be changed without touching an FMU.
"""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from fmugen.ir.model import Input, Output, Parameter
from fmugen.ir.split import Part, SplitSystem
from fmugen.units import parse_unit
from fmugen.version import __version__

__all__ = ["resource", "structure_xml"]

_NAMESPACES = {
    name: f"http://ssp-standard.org/SSP1/{title}"
    for name, title in (
        ("ssd", "SystemStructureDescription"),
        ("ssc", "SystemStructureCommon"),
        ("ssv", "SystemStructureParameterValues"),
    )
}
#: What libcosim reads of the step between communication points.
_OSP = "http://opensimulationplatform.com/SSP/OSPAnnotations"


def resource(part: Part) -> str:
    """The path of a part's FMU in the package."""
    return f"resources/{part.name}.fmu"


def structure_xml(system: SplitSystem) -> bytes:
    """``SystemStructure.ssd``, the same bytes for the same input."""
    # libcosim takes a declaration of a namespace further inside for an element of its own.
    root = etree.Element(_tag("ssd:SystemStructureDescription"), nsmap={**_NAMESPACES, "osp": _OSP})
    root.attrib.update({"version": "1.0", "name": system.name, "generationTool": f"fmugen {__version__}"})
    top = _sub(root, "ssd:System", name=system.name, **_described(system.description))
    units = {unit for part in system.parts for unit in _units(part)}
    elements = _sub(top, "ssd:Elements")
    for part in system.parts:
        kind = "application/x-fmu-sharedlibrary"
        component = _sub(
            elements,
            "ssd:Component",
            name=part.name,
            type=kind,
            source=resource(part),
            **_described(part.model.description),
        )
        _connectors(component, _connected(system, part))
        _parameters(component, part)
    connections = _sub(top, "ssd:Connections")
    for link in system.exchanged:
        ends = {"startElement": link.source, "startConnector": link.output}
        ends |= {"endElement": link.target, "endConnector": link.input}
        _sub(connections, "ssd:Connection", **ends)
    _declare_units(root, units)
    experiment = _sub(root, "ssd:DefaultExperiment", startTime="0.0", stopTime=repr(system.experiment.stop))
    _step(experiment, system.experiment.step)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


Connector = tuple[str, str, str]


def _connected(system: SplitSystem, part: Part) -> list[Connector]:
    """Name, kind and unit of those variables of a part that a connection begins or ends at."""
    sent = {link.output for link in system.connections if link.source == part.name}
    heard = {link.input for link in system.exchanged if link.target == part.name}
    inputs = [
        (variable.name, "input", variable.unit) for variable in part.model.inputs if variable.name in heard
    ]
    outputs = [(shown.name, "output", shown.unit) for shown in part.model.outputs if shown.name in sent]
    return [*inputs, *outputs]


def _connectors(parent: etree._Element, connectors: Iterable[Connector]) -> None:
    listed = list(connectors)
    if listed:
        group = _sub(parent, "ssd:Connectors")
        for name, kind, unit in listed:
            _sub(_sub(group, "ssd:Connector", name=name, kind=kind), "ssc:Real", unit=unit)


def _parameters(component: etree._Element, part: Part) -> None:
    if not part.model.parameters:
        return
    binding = _sub(_sub(component, "ssd:ParameterBindings"), "ssd:ParameterBinding")
    values = _sub(_sub(binding, "ssd:ParameterValues"), "ssv:ParameterSet", version="1.0", name=part.name)
    group = _sub(values, "ssv:Parameters")
    for parameter in part.model.parameters:
        entry = _sub(group, "ssv:Parameter", name=parameter.name, **_described(parameter.description))
        _sub(entry, "ssv:Real", value=repr(parameter.value), unit=parameter.unit)
    _declare_units(values, {parameter.unit for parameter in part.model.parameters}, "ssv")


def _units(part: Part) -> Iterable[str]:
    variables: tuple[Input | Output | Parameter, ...] = (*part.model.inputs, *part.model.outputs)
    return (variable.unit for variable in variables)


def _declare_units(parent: etree._Element, units: Iterable[str], space: str = "ssd") -> None:
    group = _sub(parent, f"{space}:Units")
    for name in sorted(units):
        unit = parse_unit(name)
        base = {key: str(power) for key, power in unit.exponents.items() if power}
        if unit.factor != 1.0:
            base["factor"] = repr(unit.factor)
        if unit.offset != 0.0:
            base["offset"] = repr(unit.offset)
        _sub(_sub(group, "ssc:Unit", name=name), "ssc:BaseUnit", **base)


def _step(experiment: etree._Element, step: float) -> None:
    """The communication step as libcosim reads it; SSP 1.0 has no element for it."""
    annotation = _sub(
        _sub(experiment, "ssd:Annotations"), "ssc:Annotation", type="com.opensimulationplatform"
    )
    algorithm = etree.SubElement(annotation, f"{{{_OSP}}}Algorithm")
    etree.SubElement(algorithm, f"{{{_OSP}}}FixedStepAlgorithm", baseStepSize=repr(step))


def _described(text: str) -> dict[str, str]:
    return {"description": text} if text else {}


def _tag(name: str) -> str:
    space, _, local = name.partition(":")
    return f"{{{_NAMESPACES[space]}}}{local}"


def _sub(parent: etree._Element, tag: str, /, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, _tag(tag), attributes)
