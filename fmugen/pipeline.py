"""The compiler on one page: each line takes a noun and gives the next."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from fmugen.cache import keep, kept_text, place_of
from fmugen.choice import cheapest_trees
from fmugen.fixed_step import fixed_step
from fmugen.inverse import inverse_model, prescribed_motions
from fmugen.ir.dae import Dae
from fmugen.ir.flow import EMBEDDED, Closure, SolutionFlow
from fmugen.ir.fmu import FmuDescription, SolverSettings
from fmugen.ir.graph import LinearGraph
from fmugen.ir.model import Output, SystemModel
from fmugen.ir.options import ExportOptions, FmiVersion, InterfaceType
from fmugen.ir.platform import choose_platforms
from fmugen.ir.program import Program
from fmugen.ir.tree import TreeSelection
from fmugen.measure import Effort
from fmugen.phases.bundle import bundle_sources
from fmugen.phases.compile import compile_libraries
from fmugen.phases.describe import Face, describe, model_description_xml, terminals_xml
from fmugen.phases.embedding import embed
from fmugen.phases.emit import emit_sources
from fmugen.phases.formulate import formulate
from fmugen.phases.graph import build_graph
from fmugen.phases.lower import lower_program
from fmugen.phases.pack import pack
from fmugen.phases.select import MEASURED, METHODS, select_trees
from fmugen.phases.triangularize import solution_flow
from fmugen.rows import closed_equations
from fmugen.start import values_at_start
from fmugen.view.closure import ClosureSummary, summarize_closure
from fmugen.view.modelica import import_script, modelica_model
from fmugen.virtual import require_reactions

if TYPE_CHECKING:
    from fmugen.view.report import Subject

__all__ = [
    "Export",
    "Formulation",
    "Generated",
    "choose_trees",
    "export_fmu",
    "formulate_model",
    "generate",
    "inverse_of",
    "modelica_files",
    "subject_of",
]

#: Khan's rate for the projection closure lies between 10 and 40 per second (4.2).
DECAY_RATE = 20.0
#: Characters of a bar that shows how far a phase has come.
_BAR = 24

#: Called with the name of each phase when it begins and, with its seconds, when it ends.
Progress = Callable[[str, float | None], None]


@dataclass(frozen=True)
class Formulation:
    """The symbolic half: a mechanism and its equations."""

    model: SystemModel
    graph: LinearGraph
    trees: TreeSelection
    dae: Dae


@dataclass(frozen=True)
class Generated:
    """The generated half: the program and what an importer sees of it."""

    formulation: Formulation
    flow: SolutionFlow
    program: Program
    description: FmuDescription
    sources: dict[str, str]

    @cached_property
    def closure(self) -> ClosureSummary:
        """How the loops are closed, in words and numbers."""
        formulation = self.formulation
        return summarize_closure(formulation.model, formulation.dae, self.flow, self.program)


@dataclass(frozen=True)
class Export:
    """A finished FMU."""

    generated: Generated
    path: Path


def choose_trees(
    model: SystemModel, graph: LinearGraph, trees: str, closure: Closure = Closure.TRIANGULAR
) -> TreeSelection:
    """LinearGraph -> TreeSelection: the trees of a method or of the file, or the cheapest of this graph."""
    if _to_be_measured(model, trees):
        return cheapest_trees(model, graph, closure, Effort(proposals=0))[2]
    if trees == MEASURED and not model.bodies:
        trees = next(iter(METHODS))
    return select_trees(model, graph, trees)


def _to_be_measured(model: SystemModel, trees: str) -> bool:
    """Whether trees are to be measured, which takes a mechanism: a network has one normal tree."""
    return trees == MEASURED and bool(model.bodies) and all(named.name != MEASURED for named in model.trees)


def formulate_model(
    model: SystemModel, trees: str, progress: Progress | None = None, closure: Closure = Closure.TRIANGULAR
) -> Formulation:
    """SystemModel -> LinearGraph -> TreeSelection -> Dae.

    Where measured trees use virtual joints that were proposed for them, the formulation is of a model that
    has these joints.
    """
    with _timed("graph", progress):
        graph = build_graph(model)
    with _timed("trees", progress):
        if _to_be_measured(model, trees):
            model, graph, selection = cheapest_trees(model, graph, closure)
        else:
            selection = choose_trees(model, graph, trees, closure)
    with _timed("formulate", progress):
        dae = formulate(model, graph, selection)
    return Formulation(model, graph, selection, dae)


def inverse_of(model: SystemModel) -> SystemModel:
    """SystemModel -> SystemModel: motions in, from where they stand; driving forces and torques out."""
    motions = prescribed_motions(model)
    probe = replace(model, outputs=tuple(Output(name, value) for name, value in motions.items()))
    dae = formulate_model(probe, "aac").dae
    flow = solution_flow(probe, dae, Closure.NEWTON)
    starts = values_at_start(probe, dae, flow, list(dae.outputs.values()))
    return inverse_model(model, dict(zip(dae.outputs, starts, strict=True)))


def generate(model: SystemModel, options: ExportOptions, progress: Progress | None = None) -> Generated:
    """SystemModel -> ... -> SolutionFlow -> Program -> FmuDescription -> C sources."""
    model = replace(model, independent=options.independent or model.independent)
    formulation = formulate_model(model, options.trees, progress, options.closure)
    require_reactions(formulation.model, formulation.trees)
    model = formulation.model
    with _timed("closure", progress):
        dae, flow = closed_equations(
            model, formulation.graph, formulation.trees, formulation.dae, options.closure
        )
        formulation = replace(formulation, dae=dae)
    with _timed("lower", progress):
        embedded = options.closure in EMBEDDED
        motions = [embed(dae, each) for each in flow.sets] if embedded else []
        program = lower_program(model, dae, flow, motions)
    with _timed("emit", progress):
        tolerance = model.experiment.tolerance
        sigma = DECAY_RATE if options.closure is Closure.PROJECTION else None
        settings = SolverSettings(
            options.step, tolerance, tolerance * 1e-2, method=options.solver, sigma=sigma
        )
        # The step that an FMU declares is also that of importers which integrate it by fixed steps.
        exchanged = InterfaceType.MODEL_EXCHANGE in options.interfaces
        step = fixed_step(model, dae, flow) if exchanged else model.experiment.step
        face = Face(options.fmi, options.interfaces, program.states, program.indicators, step)
        draft = describe(model, program.calculated, "", face=face, settings=settings)
        fingerprint = "".join(emit_sources(program, draft).values())
        guid = _guid(fingerprint + model_description_xml(draft).decode())
        description = describe(model, program.calculated, guid, face=face, settings=settings)
        sources = emit_sources(program, description)
    return Generated(formulation, flow, program, description, sources)


def export_fmu(
    model: SystemModel, destination: Path, options: ExportOptions, progress: Progress | None = None
) -> Export:
    """SystemModel -> ... -> sources -> binaries -> ``destination``."""
    generated = generate(model, options, progress)
    identifier, fmi = generated.description.identifier, options.fmi.value
    with _timed("compile", progress):
        libraries = compile_libraries(
            generated.sources,
            choose_platforms(options.platforms),
            fmi=fmi,
            portable=options.platforms != ("host",),
            counter=_counter("compile", progress),
        )
    with _timed("pack", progress):
        terminals = generated.description.terminals if options.fmi is FmiVersion.THREE else ()
        bundle = bundle_sources(generated.sources, identifier, fmi) if options.sources else None
        path = pack(
            model_description_xml(generated.description, () if bundle is None else bundle.units),
            libraries,
            identifier,
            fmi=fmi,
            documentation={"index.html": _documentation(generated, options)},
            sources=None if bundle is None else bundle.files,
            terminals=terminals_xml(terminals) if terminals else None,
            destination=destination,
        )
    return Export(generated, path)


def _documentation(generated: Generated, options: ExportOptions) -> str:
    """The page inside the FMU, drawn once: it takes a second to import what draws equations."""
    formulation = generated.formulation
    made_from = (generated.description.guid, repr(formulation.model), repr(formulation.trees), repr(options))
    place = place_of("pages", made_from, ".html")
    page = kept_text(place)
    if page is None:
        from fmugen.view.report import documentation_page

        page = documentation_page(subject_of(generated, options))
        keep(place, page.encode())
    return page


def modelica_files(generated: Generated, fmu: str) -> dict[str, str]:
    """Dae, SolutionFlow -> the equations in Modelica, and a script that imports the file ``fmu``, by name."""
    formulation, name = generated.formulation, generated.description.identifier
    equations = modelica_model(formulation.model, formulation.dae, generated.flow, generated.program)
    return {f"{name}.mo": equations, f"{name}_import.mos": import_script(formulation.model, fmu)}


def subject_of(generated: Generated, options: ExportOptions) -> Subject:
    """What pages about a model are about."""
    from fmugen.view.report import Subject

    formulation = generated.formulation
    return Subject(
        formulation.model,
        formulation.graph,
        formulation.trees,
        formulation.dae,
        generated.flow,
        generated.program,
        generated.closure,
        generated.description,
        options,
    )


def _guid(content: str) -> str:
    """A guid that is the same for the same content."""
    digest = hashlib.sha256(content.encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def _counter(phase: str, progress: Progress | None) -> Callable[[int, int], None]:
    """What tells ``progress`` how far a running phase has come."""

    def count(done: int, total: int) -> None:
        if progress is not None:
            progress(f"{phase} {'━' * (_BAR * done // total):╌<{_BAR}} {done} of {total}", None)

    return count


@contextmanager
def _timed(phase: str, progress: Progress | None) -> Iterator[None]:
    if progress is None:
        yield
        return
    progress(phase, None)
    begin = perf_counter()
    yield
    progress(phase, perf_counter() - begin)
