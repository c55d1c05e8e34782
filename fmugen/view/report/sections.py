"""The sections that need no run: what the model is, how it is solved, what its FMU offers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from fmugen.components.base import component_class
from fmugen.expr.code import Operations
from fmugen.ir.dae import Dae
from fmugen.ir.fmu import Variable
from fmugen.ir.graph import Domain, NetworkGraph, Role
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import SpanningTree
from fmugen.view.closure import ClosureSummary
from fmugen.view.flow import flow_svg
from fmugen.view.graph import graphs_svg
from fmugen.view.mathml import coordinate_mathml, name_mathml
from fmugen.view.report.drawing import drawing_svg
from fmugen.view.report.markup import ReportSection, figure, folded, heading, paragraph, section, table
from fmugen.view.report.modes import DRAWN, mode_columns, mode_rows, mode_sentences, modes_svg
from fmugen.view.report.poses import start_poses
from fmugen.view.report.scene import scene_of

if TYPE_CHECKING:
    from fmugen.pipeline import Compilation

__all__ = [
    "closure_section",
    "coordinates_section",
    "graphs_section",
    "interface_section",
    "key_facts",
    "mechanism_section",
    "modes_section",
    "operations_section",
]

#: Longer lists are folded.
_LONG_LIST = 12
#: Start values below this count as zero.
_ROUNDING = 1e-14


# --- what the model is ----------------------------------------------------------------------------


def key_facts(subject: Compilation) -> list[tuple[str, str]]:
    """The most important facts."""
    flow, closure, options = subject.flow, subject.measured_closure, subject.options
    return [
        *_size_of_network(subject),
        ("degrees of freedom", str(flow.degrees_of_freedom)),
        ("dynamic equations", str(len(subject.dae.coordinates))),
        ("kinematic equations", str(len(flow.rows))),
        ("redundant constraints left out", str(len(flow.redundant))),
        ("operations per right-hand side", f"{closure.operations.total} ({closure.operations})"),
        ("trees", options.trees),
        ("independent coordinates", ", ".join(closure.independent) or "none"),
        ("closure", f"{closure.closure.value}: {closure.sentence}"),
        *closure.run_facts[:1],
        ("solver", options.solver.value),
    ]


def _size_of_network(subject: Compilation) -> Iterator[tuple[str, str]]:
    if subject.model.components:
        yield "network equations", str(len(subject.dae.network.equations))
        yield "first-order states", str(len(subject.dae.states))
        yield "iterated unknowns of the network", str(len(subject.dae.iterated))


def mechanism_section(subject: Compilation) -> ReportSection:
    """The mechanism at its start, and the elements it is made of."""
    model = subject.model
    poses = start_poses(model, subject.dae, subject.flow)
    scene = scene_of(model, poses)
    drawing = ""
    if scene is not None:
        caption = (
            "At the start. Circles are joints, crosses are mass centres; hatched joints are on the ground."
        )
        drawing = figure(drawing_svg(scene, poses, f"{model.name} at its start"), caption)
    elements = table(("element", "type", "from → to", "description"), _elements(model))
    return section("Mechanism" if model.bodies else "Model", drawing, _perhaps_folded("elements", elements))


def _elements(model: SystemModel) -> Iterator[tuple[object, ...]]:
    for element in model.elements:
        if element.ports:
            nodes = ", ".join(f"{terminal} {node}" for terminal, node in element.ends.items())
            yield element.name, f"{element.section} {element.type}", nodes, element.description
        else:
            ends = " → ".join(place.node for place in element.places)
            noun = component_class(element.section, element.type).noun()
            yield element.name, noun, ends, element.description


def _perhaps_folded(what: str, content: str) -> str:
    count = content.count("<tr>") - 1
    return folded(f"{count} {what}", content) if count > _LONG_LIST else content


# --- graphs, trees, coordinates -------------------------------------------------------------------


def graphs_section(subject: Compilation) -> ReportSection:
    """The linear graphs, with their trees."""
    drawing = graphs_svg(subject.graph, subject.trees, f"{subject.model.name}, trees {subject.options.trees}")
    return section("Graphs", figure(drawing, "Branches of the trees are bold, chords thin."))


def coordinates_section(subject: Compilation) -> ReportSection:
    """The coordinates, and why the trees that bring them were chosen."""
    columns = ("coordinate", "", "unit", "", "at the start", "equation from")
    coordinates = table(columns, _coordinates(subject))
    reasons = [
        table((f"branch of the {domain.value} tree", "why"), _reasons(subject, domain)) for domain in Domain
    ]
    states = table(("state of the network", "", "unit", "", "at the start"), _states(subject.dae))
    networks = [_normal_tree(graph, tree) for graph, tree in _networks(subject)]
    return section(
        "Coordinates",
        _perhaps_folded("coordinates", coordinates),
        _perhaps_folded("states", states),
        *reasons,
        *networks,
    )


def _states(dae: Dae) -> Iterator[tuple[object, ...]]:
    for state in dae.states:
        symbol = Markup(f"<math>{name_mathml(state.name)}</math>")
        yield state.name, symbol, state.unit, "first order", "fixed" if state.fixed else "a guess"
    for unknown in dae.iterated:
        symbol = Markup(f"<math>{name_mathml(unknown.name)}</math>")
        yield unknown.name, symbol, unknown.unit, "iterated", ""


def _networks(subject: Compilation) -> Iterator[tuple[NetworkGraph, SpanningTree]]:
    return zip(subject.graph.networks, subject.trees.networks, strict=True)


def _normal_tree(graph: NetworkGraph, tree: SpanningTree) -> str:
    """The branches of a network, in the order of preference in a normal tree."""
    branches = set(tree.branches)
    rows = [(edge.name, edge.rank.value) for edge in graph.edges if edge.name in branches]
    return table((f"branch of the {graph.domain.value} normal tree", "why"), rows)


def _coordinates(subject: Compilation) -> Iterator[tuple[object, ...]]:
    independent = set(subject.flow.independent)
    for number, coordinate in enumerate(subject.dae.coordinates):
        kind = "independent" if number in independent else "dependent"
        symbol = Markup(f"<math>{coordinate_mathml(coordinate.name)}</math>")
        start = float(subject.flow.positions[number])
        shown = start if abs(start) > _ROUNDING else 0.0
        yield coordinate.name, symbol, coordinate.unit, kind, shown, coordinate.origin


def _reasons(subject: Compilation, domain: Domain) -> Iterator[tuple[str, str]]:
    branches = set(subject.trees.domain(domain).branches)
    for edge in subject.graph.domain(domain).edges:
        if edge.name in branches and edge.role is not Role.ARM:
            yield edge.name, subject.trees.reasons.get((domain, edge.name), "")


# --- solution -------------------------------------------------------------------------------------


def closure_section(subject: Compilation) -> ReportSection:
    """How the loops are closed: in words, as a table, as a drawing."""
    closure = subject.measured_closure
    sentences = [f"{closure.closure.value}: {closure.sentence}", *closure.notes]
    pieces = [paragraph(sentence) for sentence in sentences]
    if closure.blocks:
        columns = ("block", "unknown", "equation", "degree", "real roots", "operations", "guard")
        pieces.append(table(columns, _steps(closure)))
        pieces.append(figure(flow_svg(closure, "Solution flow"), wide=True))
    if closure.run_facts:
        pieces.append(table((), closure.run_facts))
    return section("Solution flow", *pieces)


def modes_section(subject: Compilation) -> ReportSection:
    """All real configurations at the start, with a drawing of each."""
    if not subject.flow.rows:
        return section("Assembly modes")
    columns = [name.removeprefix(">") for name in mode_columns(subject)]
    count = len(subject.modes.modes)
    caption = "The mechanism in each mode, all in one scale."
    if count > DRAWN:
        caption = f"The {DRAWN} modes nearest to the start, all in one scale."
    drawings = modes_svg(subject) if count > 1 else ""
    return section(
        "Assembly modes",
        *(paragraph(sentence) for sentence in mode_sentences(subject)),
        _perhaps_folded("assembly modes", table(columns, mode_rows(subject))),
        figure(drawings, caption) if drawings else "",
    )


def _steps(closure: ClosureSummary) -> Iterator[tuple[object, ...]]:
    for number, block in enumerate(closure.blocks, 1):
        name = f"{number}. {', '.join(block.loops)}"
        if not block.steps:
            each = f"{block.operations.total} an iteration"
            iterated = f"Newton, {len(block.unknowns)} unknowns"
            yield name, ", ".join(block.unknowns), iterated, "", "", each, ""
        for step in block.steps:
            yield name, step.unknown, step.equation, step.degree, step.real_roots, step.cost, step.guard


def operations_section(subject: Compilation) -> ReportSection:
    """What each function of the generated program costs."""
    columns = ("function", "", "additions", "multiplications", "divisions", "functions", "total")
    note = paragraph("one evaluation of the equations of motion uses some of these; shared terms count once")
    return section("Operations", table(columns, _costs(subject)), note)


def _costs(subject: Compilation) -> Iterator[tuple[object, ...]]:
    program = subject.program
    for function in (*program.functions, *program.block_functions):
        if function.operations.total:
            yield function.name, function.purpose, *_counts(function.operations)
    for solve in program.solve_functions:
        if solve is not None:
            yield solve.name, solve.purpose, *_counts(solve.operations)
    if program.motion is not None:
        yield (
            "motion",
            "velocities, accelerations and multipliers, embedded",
            *_counts(program.motion.operations),
        )
    yield (
        "in all",
        "one right-hand side, roots and guards included",
        *_counts(program.right_hand_side),
    )
    for alternative in subject.measured_closure.alternatives:
        names = ", ".join(alternative.independent)
        yield "in all", f"the same, while {names} are independent", *_counts(alternative.operations)


def _counts(operations: Operations) -> tuple[int, ...]:
    kinds = (operations.additions, operations.multiplications, operations.divisions, operations.functions)
    return (*kinds, operations.total)


# --- what the FMU offers --------------------------------------------------------------------------


def interface_section(subject: Compilation) -> ReportSection:
    """Parameters, inputs, outputs and settings."""
    description = subject.description
    outputs = [variable for variable in description.calculated if variable.causality == "output"]
    lists = (
        ("Parameters", description.parameters, "default"),
        ("Inputs", description.inputs, "start"),
        ("Outputs", outputs, ""),
        ("Settings of the solver", description.settings, "default"),
    )
    pieces = [
        f"{heading(title)}\n{_variables(variables, start)}" for title, variables, start in lists if variables
    ]
    return section("Variables", *pieces)


def _variables(variables: Sequence[Variable], start: str) -> str:
    columns = ("name", *([start] if start else []), "unit", "description")
    return table(
        columns,
        (
            (variable.name, *([variable.start] if start else []), variable.unit, variable.description)
            for variable in variables
        ),
    )
