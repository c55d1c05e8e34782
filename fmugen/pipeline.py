"""The compiler on one page: each property of a :class:`Compilation` takes a noun and gives the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from fmugen.assembly.start import Starting
from fmugen.ir.dae import Dae
from fmugen.ir.flow import SolutionFlow
from fmugen.ir.fmu import FmuDescription
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.options import ExportOptions
from fmugen.ir.program import Program
from fmugen.ir.tree import TreeSelection
from fmugen.phases.compile import compile_for
from fmugen.phases.describe import describe_program, model_description_xml, sign, terminals_xml
from fmugen.phases.embedding import embed_all
from fmugen.phases.emit import emit_sources
from fmugen.phases.formulate import linked_variants
from fmugen.phases.lower import lower_program
from fmugen.phases.pack import bundle_sources, pack
from fmugen.phases.triangularize import close_loops, limit_iteration
from fmugen.progress import Progress, counted, stage, timed, tried
from fmugen.trees import choose_trees, formulate_briefly, require_reactions
from fmugen.trial import TrialRun, co_simulation_sources, try_motion, worst_step_of
from fmugen.view.closure import ClosureSummary, summarize_closure
from fmugen.view.documentation import documentation

__all__ = ["Compilation", "Export", "export_fmu"]


@dataclass(frozen=True)
class Compilation(Starting):
    """A model on its way to an FMU. Each noun is computed once, when it is first asked for."""

    @stage("trees", needs="started")
    def _chosen(self) -> tuple[SystemModel, LinearGraph, TreeSelection]:
        return choose_trees(self.started, self.options.trees, self.options.closure, tried(self.progress))

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

    @stage("formulate", needs="trees")
    def formulated(self) -> Dae:
        """The equations as the trees give them, before the loops are closed."""
        return formulate_briefly(self.model, self.graph, self.trees, self.options.closure)

    @stage("closure", needs="formulated")
    def _closed(self) -> tuple[Dae, SolutionFlow]:
        require_reactions(self.model, self.trees)
        variants = linked_variants(self.model, self.graph, self.trees)
        dae, flow = close_loops(self.model, self.formulated, self.options.closure, variants)
        return dae, limit_iteration(dae, flow, self.options.iterations)

    @property
    def dae(self) -> Dae:
        """The equations, with the loop constraints in the form that needs the least iteration."""
        return self._closed[0]

    @property
    def flow(self) -> SolutionFlow:
        """The independent coordinates, and the steps that give all others."""
        return self._closed[1]

    @stage("lower", needs="flow")
    def program(self) -> Program:
        """Straight-line functions over one expression DAG."""
        return lower_program(self.model, self.dae, self.flow, embed_all(self.dae, self.flow))

    @stage("emit", needs="program")
    def _emitted(self) -> tuple[FmuDescription, dict[str, str]]:
        draft = describe_program(self.model, self.dae, self.program, self.options)
        return sign(draft, emit_sources(self.program, draft))

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

    @stage("trial run", needs="sources")
    def trial(self) -> TrialRun:
        """The run of the compiled model along its declared motion."""
        sources = co_simulation_sources(self.program, self.description, self.sources)
        return try_motion(sources, self.program, self.model.experiment, counted("trial run", self.progress))

    @cached_property
    def measured_closure(self) -> ClosureSummary:
        """How the loops are closed, with what the trial run says and the bounds of a step."""
        worst = worst_step_of(self.program, self.description, self.model.experiment.step)
        return replace(self.closure, trial=self.trial, worst=worst)


class Export(NamedTuple):
    """A finished FMU, and what it was made from."""

    compilation: Compilation
    path: Path


def export_fmu(
    model: SystemModel, destination: Path, options: ExportOptions, progress: Progress | None = None
) -> Export:
    """SystemModel -> ... -> sources -> binaries -> ``destination``."""
    made, fmi = Compilation(model, options, progress), options.fmi.value
    sources, description = made.sources, made.description
    with timed("compile", progress):
        libraries = compile_for(options.platforms, sources, fmi, counted("compile", progress))
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
