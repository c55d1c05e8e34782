"""Connected FMUs: parts and the wires between them, from FMUs or from an SSP package."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import fmpy
import networkx as nx
from fmpy.ssp.ssd import read_ssd

__all__ = ["LoopError", "PartFmu", "Place", "System", "Wire", "connect", "read_ssp"]

#: The variable ``name`` of a part.
Place = tuple[str, str]


class LoopError(Exception):
    """Outputs that depend on each other without a delay."""


@dataclass(frozen=True)
class Wire:
    """An output of a part goes to an input of another."""

    source: str
    output: str
    target: str
    input: str


@dataclass(frozen=True)
class PartFmu:
    """An FMU of the system, unpacked."""

    name: str
    folder: Path
    description: Any

    @cached_property
    def references(self) -> dict[str, int]:
        return {v.name: v.valueReference for v in self.description.modelVariables}

    @cached_property
    def feedthrough(self) -> dict[str, frozenset[str]]:
        """The inputs that each output depends on."""
        inputs = frozenset(v.name for v in self.description.modelVariables if v.causality == "input")
        return {
            unknown.variable.name: inputs
            if unknown.dependencies is None
            else inputs & {v.name for v in unknown.dependencies}
            for unknown in self.description.outputs
        }


@dataclass(frozen=True)
class System:
    """Parts and wires."""

    parts: tuple[PartFmu, ...]
    wires: tuple[Wire, ...]

    def part(self, name: str) -> PartFmu:
        return next(part for part in self.parts if part.name == name)

    def rounds(self) -> list[list[Wire]]:
        """The wires in the order in which they can be followed within one evaluation.

        Those of a round need nothing but states and the rounds before.
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
            loop = [edge[0] for edge in nx.find_cycle(graph)]
            raise LoopError(
                "outputs depend on each other: " + ", ".join(f"{w.source}.{w.output}" for w in loop)
            ) from None


def connect(fmus: Mapping[str, Path], wires: Iterable[Wire], folder: Path) -> System:
    """FMUs, unpacked below ``folder``, and wires between them."""
    parts = []
    for name, fmu in fmus.items():
        description = fmpy.read_model_description(str(fmu), validate=False)
        parts.append(PartFmu(name, Path(fmpy.extract(str(fmu), unzipdir=str(folder / name))), description))
    return System(tuple(parts), tuple(wires))


def read_ssp(package: Path, folder: Path) -> System:
    """The system of an SSP package, unpacked into ``folder``."""
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder / "ssp")
    system = read_ssd(str(package)).system
    fmus = {element.name: folder / "ssp" / element.source for element in system.elements}
    inside = [c for c in system.connections if c.startElement and c.endElement]
    wires = [Wire(c.startElement, c.startConnector, c.endElement, c.endConnector) for c in inside]
    return connect(fmus, wires, folder)
