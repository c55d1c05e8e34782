"""The compiler on one page: each property of a :class:`Compilation` takes a noun and gives the next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import FmuDescription
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.ir.platform import choose_platforms
from fmugen.ir.program import Program
from fmugen.ir.tree import TreeSelection
from fmugen.phases.bundle import bundle_sources
from fmugen.phases.compile import compile_libraries
from fmugen.phases.describe import describe_program, model_description_xml, sign, terminals_xml
from fmugen.phases.embedding import embed_all
from fmugen.phases.emit import emit_sources
from fmugen.phases.formulate import formulate, linked_variants
from fmugen.phases.lower import lower_program
from fmugen.phases.pack import pack
from fmugen.phases.triangularize import close_loops
from fmugen.progress import Progress, counted, timed
from fmugen.trees import choose_trees, require_reactions
from fmugen.view.closure import ClosureSummary, summarize_closure
from fmugen.view.documentation import documentation

__all__ = ["Compilation", "Export", "export_fmu"]


@dataclass(frozen=True)
class Compilation:
    """A model on its way to an FMU. Each noun is computed once, when it is first asked for."""

    source: SystemModel
    options: ExportOptions = field(default_factory=ExportOptions)
    progress: Progress | None = field(default=None, compare=False, repr=False)

    @cached_property
    def _chosen(self) -> tuple[SystemModel, LinearGraph, TreeSelection]:
        named = self.options.independent
        model = replace(self.source, independent=named) if named else self.source
        with timed("trees", self.progress):
            return choose_trees(model, self.options.trees, self.options.closure)

    @property
    def model(self) -> SystemModel:
        """The model, with the virtual joints that its trees use."""
        return self._chosen[0]

    @property
    def graph(self) -> LinearGraph:
        """Nodes and edges, one graph per domain."""
        return self._chosen[1]

    @property
    def trees(self) -> TreeSelection:
        """The spanning trees, and so the coordinates."""
        return self._chosen[2]

    @cached_property
    def formulated(self) -> Dae:
        """The equations as the trees give them, before the loops are closed."""
        graph = self.graph
        with timed("formulate", self.progress):
            return formulate(self.model, graph, self.trees)

    @cached_property
    def _closed(self) -> tuple[Dae, SolutionFlow]:
        dae, model, graph, trees = self.formulated, self.model, self.graph, self.trees
        require_reactions(model, trees)
        with timed("closure", self.progress):
            return close_loops(model, dae, self.options.closure, linked_variants(model, graph, trees))

    @property
    def dae(self) -> Dae:
        """The equations, with the loop constraints in the form that needs the least iteration."""
        return self._closed[0]

    @property
    def flow(self) -> SolutionFlow:
        """The independent coordinates, and the steps that give all others."""
        return self._closed[1]

    @cached_property
    def program(self) -> Program:
        """Straight-line functions over one expression DAG."""
        dae, flow = self._closed
        with timed("lower", self.progress):
            return lower_program(self.model, dae, flow, embed_all(dae, flow))

    @cached_property
    def _emitted(self) -> tuple[FmuDescription, dict[str, str]]:
        program = self.program
        with timed("emit", self.progress):
            draft = describe_program(self.model, self.dae, program, self.options)
            return sign(draft, emit_sources(program, draft))

    @property
    def description(self) -> FmuDescription:
        """What an importer sees: variables, value references, units, structure."""
        return self._emitted[0]

    @property
    def sources(self) -> dict[str, str]:
        """The generated C, by file name."""
        return self._emitted[1]

    @cached_property
    def closure(self) -> ClosureSummary:
        """How the loops are closed, in words and numbers."""
        return summarize_closure(self.model, self.dae, self.flow, self.program)


@dataclass(frozen=True)
class Export:
    """A finished FMU, and what it was made from."""

    compilation: Compilation
    path: Path


def export_fmu(
    model: SystemModel, destination: Path, options: ExportOptions, progress: Progress | None = None
) -> Export:
    """SystemModel -> ... -> sources -> binaries -> ``destination``."""
    made, fmi = Compilation(model, options, progress), options.fmi.value
    sources, description, count = made.sources, made.description, counted("compile", progress)
    with timed("compile", progress):
        platforms, portable = choose_platforms(options.platforms), options.platforms != ("host",)
        libraries = compile_libraries(sources, platforms, fmi=fmi, portable=portable, counter=count)
    with timed("pack", progress):
        bundle = bundle_sources(sources, description.identifier, fmi) if options.sources else None
        path = pack(
            model_description_xml(description, bundle.units if bundle else ()),
            libraries,
            description.identifier,
            fmi=fmi,
            documentation={"index.html": documentation(made)},
            sources=bundle.files if bundle else None,
            terminals=terminals_xml(description),
            destination=destination,
        )
    return Export(made, path)
