"""Connected FMUs: parts and the wires between them, from FMUs or from an SSP package."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import fmpy
import networkx as nx
from fmpy.ssp.ssd import Component, read_ssd
from lxml import etree

from fmugen.archives import check_entries, check_fmu, entry_of, leaves_folder
from fmugen.errors import SimulationError
from fmugen.signals import Chain, chains_of

__all__ = ["PartFmu", "PartVariable", "System", "Wire", "connect", "load_system", "read_ssp"]

#: The variable ``name`` of a part.
PartVariable = tuple[str, str]

_STRUCTURE = "SystemStructure.ssd"
_SPACES = {
    "ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription",
    "ssc": "http://ssp-standard.org/SSP1/SystemStructureCommon",
    "osp": "http://opensimulationplatform.com/SSP/OSPAnnotations",
}
#: Unsupported elements of a package, with their descriptions.
_UNKNOWN = {
    "ssd:System/ssd:Elements/ssd:System": "systems inside of systems",
    "ssd:System/ssd:Connections/ssd:Connection/*": "connections that transform what they carry",
    ".//ssd:ParameterMapping": "mapped parameters",
}


@dataclass(frozen=True)
class Wire:
    """An output of a part goes to an input of another."""

    source: str
    output: str
    target: str
    input: str


@dataclass(frozen=True)
class PartFmu:
    """An FMU of the system, unpacked; the only one of a system has no name."""

    name: str
    folder: Path
    description: Any

    @cached_property
    def reals(self) -> list[Any]:
        return [variable for variable in self.description.modelVariables if variable.type == "Real"]

    @cached_property
    def references(self) -> dict[str, int]:
        return {variable.name: variable.valueReference for variable in self.reals}

    @cached_property
    def feedthrough(self) -> dict[str, frozenset[str]]:
        """The inputs that each output depends on."""
        inputs = frozenset(variable.name for variable in self.reals if variable.causality == "input")
        return {
            unknown.variable.name: inputs
            if unknown.dependencies is None
            else inputs & {variable.name for variable in unknown.dependencies}
            for unknown in self.description.outputs
        }

    def title(self, variable: str) -> str:
        """The name of a variable in the system."""
        return f"{self.name}.{variable}" if self.name else variable


@dataclass(frozen=True)
class System:
    """Parts and wires, parameter values that go with them, and the experiment that is proposed."""

    parts: tuple[PartFmu, ...]
    wires: tuple[Wire, ...]
    settings: Mapping[PartVariable, float] = field(default_factory=dict)
    name: str = ""
    stop: float | None = None
    step: float | None = None

    def part(self, name: str) -> PartFmu:
        return next(part for part in self.parts if part.name == name)

    def named(self, causality: str | None = None) -> dict[str, tuple[PartVariable, ...]]:
        """The variables of a causality (all, if none is given) by what they are called.

        ``part.variable`` is one of them; ``variable`` alone are those of all parts that have it. Inputs at
        the end of a wire cannot be set.
        """
        wired = {(wire.target, wire.input) for wire in self.wires} if causality == "input" else set()
        found: dict[str, tuple[PartVariable, ...]] = {}
        alone: dict[str, tuple[PartVariable, ...]] = {}
        for part in self.parts:
            for variable in part.reals:
                place = (part.name, variable.name)
                if causality in (None, variable.causality) and place not in wired:
                    found[part.title(variable.name)] = (place,)
                    alone[variable.name] = (*alone.get(variable.name, ()), place)
        return {**found, **{name: places for name, places in alone.items() if name not in found}}

    def chains(self) -> tuple[Chain, ...]:
        """The inputs whose derivatives are inputs, by what they are called; those of wires are left out."""
        rates: dict[str, str] = {}
        starts: dict[str, float] = {}
        free = {place for places in self.named("input").values() for place in places}
        for part in self.parts:
            mine = [variable for variable in part.reals if (part.name, variable.name) in free]
            starts |= {part.title(variable.name): float(variable.start or 0.0) for variable in mine}
            for variable in mine:
                if variable.derivative is not None and variable.derivative in mine:
                    rates[part.title(variable.derivative.name)] = part.title(variable.name)
        return chains_of(rates, starts)

    def rounds(self) -> list[list[Wire]]:
        """The wires in the order in which they can be followed within one evaluation.

        Those of a round need nothing but states and the rounds before.

        Raises
        ------
        SimulationError
            If outputs depend on each other without a delay.
        """
        graph: nx.DiGraph[Any] = nx.DiGraph()
        feeding = {(wire.target, wire.input): wire for wire in self.wires}
        graph.add_nodes_from(self.wires)
        for wire in self.wires:
            for name in self.part(wire.source).feedthrough[wire.output]:
                if (wire.source, name) in feeding:
                    graph.add_edge(feeding[wire.source, name], wire)
        try:
            return [sorted(layer, key=self.wires.index) for layer in nx.topological_generations(graph)]
        except nx.NetworkXUnfeasible:
            loop = ", ".join(f"{wire.source}.{wire.output}" for wire, _ in nx.find_cycle(graph))
            raise SimulationError(f"outputs depend on each other without a delay: {loop}") from None


def load_system(path: Path, folder: Path) -> System:
    """The system of an SSP package, or that of one FMU alone, unpacked into ``folder``."""
    return read_ssp(path, folder) if path.suffix.lower() == ".ssp" else connect({"": path}, (), folder)


def connect(fmus: Mapping[str, Path], wires: Iterable[Wire], folder: Path) -> System:
    """FMUs, unpacked below ``folder``, and wires between them.

    Raises
    ------
    SimulationError
        If a file is not an FMU for co-simulation of FMI 2.0, or a wire ends at an unknown variable.
    """
    # FMPy tells an FMU where its resources are by a URI, which needs an absolute path.
    folder = folder.resolve()
    # Names of parts are not those of folders: they may be any text.
    parts = tuple(_part(name, fmu, folder / f"fmu{k}") for k, (name, fmu) in enumerate(fmus.items()))
    system = System(parts, tuple(wires))
    _require_ends(system)
    experiments = [part.description.defaultExperiment for part in parts]
    steps = [float(found.stepSize) for found in experiments if found is not None and found.stepSize]
    stops = [float(found.stopTime) for found in experiments if found is not None and found.stopTime]
    return replace(
        system,
        name=parts[0].description.modelName if parts else "",
        stop=max(stops, default=None),
        step=min(steps, default=None),
    )


def _require_ends(system: System) -> None:
    """Each wire leads from an output of one part to a variable of another."""
    known = {part.name: part for part in system.parts}
    for wire in system.wires:
        for name, variable in ((wire.source, wire.output), (wire.target, wire.input)):
            if name not in known or variable not in known[name].references:
                raise SimulationError(f"a connection ends at {name}.{variable}, which is not a real variable")
        if wire.output not in known[wire.source].feedthrough:
            raise SimulationError(
                f"a connection begins at {wire.source}.{wire.output}, which is not an output"
            )


def _part(name: str, path: Path, folder: Path) -> PartFmu:
    check_fmu(path)
    try:
        description = fmpy.read_model_description(str(path), validate=False)
        unpacked = Path(fmpy.extract(str(path), unzipdir=str(folder)))
    except Exception as error:  # FMPy raises bare Exception for what it does not understand
        raise SimulationError(f"{path.name} is not an FMU: {error}") from error
    if description.fmiVersion != "2.0" or description.coSimulation is None:
        raise SimulationError(f"{path.name} is not an FMU for co-simulation of FMI version 2.0")
    return PartFmu(name, unpacked, description)


# --- packages -------------------------------------------------------------------------------------


def read_ssp(package: Path, folder: Path) -> System:
    """The system of an SSP package, unpacked into ``folder``.

    Raises
    ------
    SimulationError
        If the file is not a valid package, or has parts that are not supported.
    """
    root, structure, sources = _unpack(package, folder / "ssp")
    unknown = [text for path, text in _UNKNOWN.items() if root.find(path, _SPACES) is not None]
    if unknown:
        raise SimulationError(f"{package} has {' and '.join(unknown)}, which cannot be run here")
    fmus = {name: folder / "ssp" / entry for name, entry in sources.items()}
    inside = [c for c in structure.connections if c.startElement and c.endElement]
    wires = [Wire(c.startElement, c.startConnector, c.endElement, c.endConnector) for c in inside]
    system = connect(fmus, wires, folder)
    return replace(
        system,
        settings=_settings(package, system, structure, _components(structure)),
        name=structure.name or package.stem,
        stop=_number(root, "ssd:DefaultExperiment", "stopTime") or system.stop,
        step=_number(root, ".//osp:FixedStepAlgorithm", "baseStepSize") or system.step,
    )


def _unpack(package: Path, folder: Path) -> tuple[etree._Element, Any, dict[str, str]]:
    """Unpack a package: the root of its structure file, the system in it, the FMU of each component."""
    try:
        with zipfile.ZipFile(package) as archive:
            root = etree.fromstring(archive.read(_STRUCTURE))
            check_entries(archive, package.name)
            structure = read_ssd(str(package)).system
            sources = dict(_sources(package.name, archive, _components(structure)))
            archive.extractall(folder)
            return root, structure, sources
    except SimulationError:
        raise
    except FileNotFoundError:
        raise SimulationError(f"{package}: there is no such file") from None
    except (zipfile.BadZipFile, KeyError):
        raise SimulationError(f"{package} is not an SSP package: no archive with a {_STRUCTURE}") from None
    except OSError as error:
        raise SimulationError(f"{package} cannot be read: {error.strerror or error}") from None
    except Exception as error:  # FMPy raises bare Exception where the file violates its schema
        raise SimulationError(f"{package}: {error}") from error


def _components(structure: Any) -> list[Any]:
    return [element for element in structure.elements if isinstance(element, Component)]


def _sources(package: str, archive: zipfile.ZipFile, components: list[Any]) -> Iterator[tuple[str, str]]:
    """The names of the components, each with the entry of its FMU."""
    names = [component.name for component in components]
    for component in components:
        name, source = component.name, component.source or ""
        if leaves_folder(name):
            raise SimulationError(f"{package}: the name of the component {name!r} is a path; give it another")
        if names.count(name) > 1:
            raise SimulationError(
                f"{package}: several components are called {name!r}; give each its own name"
            )
        entry = entry_of(archive, source)
        if entry is None:
            raise SimulationError(
                f"{package}: the component {name!r} is to come from {source!r}, which is not in the package"
            )
        yield name, entry


def _settings(
    package: Path, system: System, structure: Any, components: list[Any]
) -> dict[PartVariable, float]:
    """The parameter values of a package: those of the whole win over those of a component."""
    known = system.named()
    settings: dict[PartVariable, float] = {}
    for name, parameter in _bound(structure, components):
        if parameter.type != "Real" or name not in known:
            raise SimulationError(f"{package} sets {name}, which is not a real variable of a component")
        settings[known[name][0]] = float(parameter.value)
    return settings


def _bound(structure: Any, components: list[Any]) -> Iterator[tuple[str, Any]]:
    for owner in (*components, structure):
        scope = "" if owner is structure else f"{owner.name}."
        for binding in owner.parameterBindings:
            for values in binding.parameterValues:
                for parameter in values.parameters:
                    yield f"{scope}{binding.prefix or ''}{parameter.name}", parameter


def _number(root: etree._Element, path: str, attribute: str) -> float | None:
    element = root.find(path, _SPACES)
    text = None if element is None else element.get(attribute)
    return None if text is None else float(text)
