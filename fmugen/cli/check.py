"""``fmugen check``: is the model sound, what can move, and where does it start?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmugen.analysis.soundness import loose_bodies, start_problems, unphysical_inertias
from fmugen.cli.networks import network_sentences, network_summary
from fmugen.cli.terminal import Phases, counted, print_line, print_table, print_warning
from fmugen.components.base import component_of
from fmugen.components.drivers import prescribed
from fmugen.components.joints import Joint, joints_of
from fmugen.errors import AssemblyError, ModelError, Problem, TreeError, UnsolvableError
from fmugen.ir.dae import Dae
from fmugen.ir.flow import Closure, SolutionFlow
from fmugen.ir.graph import Domain, Edge, LinearGraph, QuaternionTurn, Role
from fmugen.ir.model import Space, SystemModel, default_parameters
from fmugen.ir.options import ExportOptions
from fmugen.ir.tree import TreeSelection
from fmugen.phases.graph import build_graph
from fmugen.phases.read import read_model
from fmugen.phases.triangularize.assemble import Assembly
from fmugen.pipeline import Compilation
from fmugen.trees import METHODS, select_trees
from fmugen.verify.reference import require_network_start
from fmugen.view.steps import iterated_parts

__all__ = ["check_model", "gruebler_count", "spinning_links"]

#: A guess that assembly moves further than this is reported.
_NOTABLE_MOVE = 1e-2
_SHOWN_MODES = 5
#: What the summary calls the sections of a mechanism.
_SHOWN_SECTIONS = {"joints": "joints", "drivers": "drivers", "forces": "loads", "springs": "springs"}
_RANK = 1e-8
#: The trees that are formulated fastest.
_QUICK = "aac"


def check_model(path: Path, trees: str) -> None:
    """Print whether a model is sound, then how it can move, how it starts and where its motion iterates.

    Soundness is checked with the trees that are formulated fastest. Everything else holds for the coordinates
    that ``closure``, ``export`` and ``report`` use with the same ``trees``.

    Raises
    ------
    FmugenError
        If the model is wrong, a tree in it does not span, or it cannot be assembled or started.
    """
    model = read_model(path)
    graph = build_graph(model)
    _require_spanning_trees(path, model, graph)
    _require_sound(path, model)
    print_line(f"{model.name}: {model.description}" if model.description else model.name, style="bold")
    print_table("", ("", ""), _elements(model))
    for name in loose_bodies(model):
        print_line(f"note: {name} is loose: no joint, driver, spring or load is attached to it")
    with Phases() as phases:
        made = Compilation(model, ExportOptions(trees), phases)
        trial = made.trial
    if trial.refused:
        raise ModelError(str(path), (Problem("start", f"the FMU does not start: {trial.problem}"),))
    for said in trial.warnings:
        print_warning(f"the FMU says: {said}")
    _print_motion(model, graph, made, trees)
    print_line("the model is sound", style="green")


def _require_sound(path: Path, model: SystemModel) -> None:
    """Raise if the model cannot move from its start; warn of impossible inertias."""
    quick = replace(model, independent=())  # they may be coordinates of other trees only
    made = Compilation(quick, ExportOptions(_QUICK, Closure.NEWTON))
    dae, flow = made.dae, made.flow
    problems = start_problems(model, dae, flow) if model.bodies else ()
    if problems:
        raise ModelError(str(path), problems)
    if model.components:
        _require_network_start(path, model)
    for warning in unphysical_inertias(model):
        print_warning(warning)


def _print_motion(model: SystemModel, graph: LinearGraph, made: Compilation, trees: str) -> None:
    """Coordinates, degrees of freedom, start and iteration, as in an exported FMU."""
    flow, dae = made.flow, made.dae
    print_table("", ("", ""), _summary(model, made))
    if model.bodies:
        print_table(
            "coordinates for each choice of trees",
            ("trees", ">coordinates", ">constraints", ">equations", ""),
            _tree_counts(model, graph, made, trees),
        )
        for named in model.trees:
            for note in select_trees(model, graph, named.name).notes:
                print_line(f"note: {note}")
        for sentence in (*_mobility(made, flow), *_assembly(flow), *_start(model, dae, flow)):
            print_line(sentence)
    for sentence in (*network_sentences(dae), *iterated_parts(made.trial)):
        print_line(sentence)


def _require_spanning_trees(path: Path, model: SystemModel, graph: LinearGraph) -> None:
    problems = []
    for named in model.trees:
        try:
            select_trees(model, graph, named.name)
        except TreeError as error:
            problems.append(Problem(f"trees.{named.name}", str(error)))
    if problems:
        raise ModelError(str(path), tuple(problems))


def _require_network_start(path: Path, model: SystemModel) -> None:
    """Raise if the reference finds no start of the network; it is solved apart from the FMU's equations."""
    try:
        require_network_start(model)
    except (AssemblyError, UnsolvableError) as error:
        raise ModelError(str(path), (Problem("start", str(error)),)) from error


# --- counts ---------------------------------------------------------------------------------------


def gruebler_count(model: SystemModel) -> int:
    """Degrees of freedom by Grübler's formula: all of every body, less what joints and drivers take away.

    Coordinates of bodies themselves, such as deflections, are degrees of freedom that nothing takes away.
    """
    planar = model.space is Space.PLANAR
    motions = 3 if planar else 6
    binding = [joint for _, joint in joints_of(model) if joint.constrains(planar=planar)]
    taken = sum(motions - joint.mobility(planar=planar) for joint in binding)
    taken += sum(len(prescribed(driver, planar=planar)) for driver in model.in_section("drivers"))
    bodies = model.in_section("bodies")
    own = sum(len(list(component_of(body).own_coordinates(planar=planar))) for body in bodies)
    return motions * len(bodies) + own - taken


def spinning_links(model: SystemModel) -> Iterator[str]:
    """Bodies that only balls hold, at two points: they spin about the line of these."""
    if model.space is not Space.SPATIAL:
        return
    driven = {end.body for driver in model.in_section("drivers") for end in driver.places}
    for body in model.in_section("bodies"):
        held = [
            (joint, end)
            for element, joint in joints_of(model)
            for end in element.places
            if end.body == body.name and joint.role is Role.JOINT
        ]
        points = {end.node for _, end in held}
        if len(points) == 2 and body.name not in driven and all(_is_ball(joint) for joint, _ in held):
            yield body.name


def _is_ball(joint: Joint) -> bool:
    """Whether a joint in space holds a point and resists no torque."""
    return joint.constrains(planar=False) and not joint.resists_torque(planar=False)


def _elements(model: SystemModel) -> Iterator[tuple[str, str]]:
    if model.bodies:
        yield "bodies", str(len(model.bodies))
        for section, shown in _SHOWN_SECTIONS.items():
            yield shown, _counted([element.type for element in model.in_section(section)])
    for section in dict.fromkeys(component.section for component in model.components):
        yield section, _counted([part.type for part in model.components if part.section == section])
    yield "inputs, outputs", f"{len(model.inputs)}, {len(model.outputs)}"


def _summary(model: SystemModel, made: Compilation) -> Iterator[tuple[str, str]]:
    closure = made.measured_closure
    if model.components:
        yield from network_summary(made.dae)
    if model.bodies:
        yield "degrees of freedom", str(made.flow.degrees_of_freedom)
        yield "Grübler's count", str(gruebler_count(model))
        yield "independent", ", ".join(closure.independent) or "none"
        yield "dependent", ", ".join((*closure.dependent, *closure.carried)) or "none"
        yield "closure", f"{closure.closure.value}: {closure.sentence}"
    yield from closure.run_facts[:1]


def _counted(kinds: list[str]) -> str:
    if not kinds:
        return "0"
    by_kind = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return f"{len(kinds)}: {by_kind}"


def _tree_counts(
    model: SystemModel, graph: LinearGraph, formulation: Compilation, chosen: str
) -> Iterator[tuple[str, int, int, int, str]]:
    for name in dict.fromkeys([*METHODS, *(named.name for named in model.trees), chosen]):
        if name == chosen:
            coordinates, constraints = _counts(formulation.graph, formulation.trees)
        else:
            coordinates, constraints = _counts(graph, select_trees(model, graph, name))
        yield name, coordinates, constraints, coordinates + constraints, "chosen" if name == chosen else ""


def _counts(graph: LinearGraph, selection: TreeSelection) -> tuple[int, int]:
    """Branch coordinates, and constraints: those of chords, between edges and of Euler parameters."""
    coordinates, constraints = len(graph.freedoms), len(graph.constraints)
    for domain in Domain:
        edges = {edge.name: edge for edge in graph.domain(domain).edges}
        tree = selection.domain(domain)
        coordinates += sum(len(edges[branch].motion) for branch in tree.branches)
        constraints += sum(edges[chord].reactions for chord in tree.chords)
        constraints += sum(_unit_lengths(edges[branch]) for branch in tree.branches)
    return coordinates, constraints


def _unit_lengths(branch: Edge) -> int:
    if branch.domain is Domain.TRANSLATION:
        return 0
    return sum(isinstance(turn, QuaternionTurn) for turn in branch.rotation.turns)


# --- sentences ------------------------------------------------------------------------------------


def _mobility(formulation: Compilation, flow: SolutionFlow) -> Iterator[str]:
    """Why the rank of the constraints and Grübler's count differ, if they do."""
    surplus = flow.degrees_of_freedom - gruebler_count(formulation.model)
    if surplus:
        yield (
            f"Grübler's count is {surplus} too low: it assumes independent constraints, but "
            f"{surplus} of them {'follows' if surplus == 1 else 'follow'} from the others at the assembled "
            "position; the rank of the Jacobian decides"
        )
    for row in flow.redundant:
        yield f"redundant constraint, left out: {formulation.dae.constraints[row].origin}"
    if flow.redundant:
        yield "an FMU does not solve redundant constraints; it checks them and stops where one does not hold"
    for circuit, count in _identities(formulation) if surplus > len(flow.redundant) else ():
        yield f"redundant, left out: {counted(count, 'constraint')} of {circuit}, met in every position"
    for each in formulation.graph.constraints:
        if each.gap is None:
            yield (
                f"{each.element}, {each.name}: a velocity constraint: it removes one velocity and no "
                "position; positions whose velocities follow from it are states"
            )
    for name in spinning_links(formulation.model):
        yield (
            f"{name} spins freely about the line of its two ball joints: a degree of freedom that moves "
            "nothing else; a joint of type rod has the same effect without it"
        )


def _identities(formulation: Compilation) -> Iterator[tuple[str, int]]:
    """The circuits of chords, and how many of their equations reduce to 0 = 0."""
    written = Counter((row.origin.domain, row.origin.edge) for row in formulation.dae.constraints)
    tied = (each for each in formulation.graph.constraints if each.gap is not None)
    written.subtract((each.domain, each.element) for each in tied)
    for domain in Domain:
        chords = set(formulation.trees.domain(domain).chords)
        for edge in formulation.graph.domain(domain).edges:
            if edge.name in chords and (missing := edge.reactions - written[domain, edge.name]):
                yield f"{domain.value} circuit {edge.name}", missing


def _assembly(flow: SolutionFlow) -> Iterator[str]:
    if flow.moves:
        furthest = max(flow.moves, key=lambda move: abs(move.distance))
        yield f"assembly moved the guesses by at most {abs(furthest.distance):.2g} ({furthest.quantity})"
    for move in flow.moves:
        if abs(move.distance) > _NOTABLE_MOVE:
            yield f"  {move.quantity} by {move.distance:+.4g}"
    nearest, *others = flow.distances or (0.0,)
    if others:
        shown = ", ".join(f"{distance:.3g}" for distance in others[:_SHOWN_MODES])
        more = ", ..." if len(others) > _SHOWN_MODES else ""
        given = "guesses" if flow.moves else "start values"
        yield (
            f"the {given} permit at least {len(others) + 1} assembly modes. fmugen takes the nearest, at a "
            f"distance of {nearest:.3g}; the others are at {shown}{more} (rad, or parts of the longest arm; "
            "joints without a start value count with a tenth of their distance from 0). To choose another "
            "mode, give guesses near it"
        )


def _start(model: SystemModel, dae: Dae, flow: SolutionFlow) -> Iterator[str]:
    """Whether fixed start values determine the start, or guesses influence it."""
    positions, velocities = _fixed_freedoms(model, dae, flow)
    freedoms = flow.degrees_of_freedom
    all_of_them = counted(freedoms, "degree of freedom")
    if dae.steady and dae.coordinates:
        also = " together with the network" if dae.states else ""
        yield f"start positions: {positions} of {all_of_them} fixed, start velocities: 0"
        yield f"  the start is steady: at initialization the FMU finds the equilibrium near the guesses{also}"
        return
    for fixed, what in ((positions, "positions"), (velocities, "velocities")):
        if fixed == freedoms:
            yield f"start {what}: fixed ({all_of_them})"
        else:
            yield (
                f"start {what}: {fixed} of {all_of_them} fixed; the others start as close to the guesses "
                "as the loops allow (0 without a guess)"
            )


def _fixed_freedoms(model: SystemModel, dae: Dae, flow: SolutionFlow) -> tuple[int, int]:
    """How many degrees of freedom the fixed start values determine: positions, velocities."""
    defaults = default_parameters(model)
    assembly = Assembly(dae, [defaults[name] for name in dae.symbols.parameters])
    q, v = np.array(flow.positions), np.array(flow.velocities)
    _, constraints = assembly.constraints(q)
    _, positions = assembly.fixed(q)
    _, velocities = assembly.fixed_rates(q, v)

    def rank(*parts: NDArray[np.float64]) -> int:
        return int(np.linalg.matrix_rank(np.vstack(parts), tol=_RANK)) if dae.coordinates else 0

    loops = rank(constraints)
    return rank(constraints, positions) - loops, rank(constraints, velocities) - loops
