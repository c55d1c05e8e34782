"""LinearGraph, TreeSelection -> Dae: McPhee's four steps on the expression DAG (4.5).

1. ``cutsets``: cutset equations of the branches, projected onto their motion spaces.
2. ``circuits``: circuit equations of the chords, projected onto their reaction spaces.
3. Elimination of secondary variables: arm forces by chord transformations (``cutsets``), cotree
   displacements and rotations by branch transformations (``kinematics``).
4. Assembly to M q'' + Phi_q^T lambda = F, Phi(q, t) = 0.

Networks go through the same steps in ``networks`` and end as x' = f. Forces that depend on accelerations go
into the mass matrix (``added_mass``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from fmugen.algebra.recursion import mass_matrix
from fmugen.components.base import Component, component_of
from fmugen.components.drivers import prescribed
from fmugen.components.formulas import lower
from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.substitute import substitute
from fmugen.ir.body_tree import BodyTree
from fmugen.ir.dae import (
    OWN_COORDINATE,
    Coordinate,
    Dae,
    Equation,
    Mode,
    Network,
    NetworkOrigin,
    NetworkStart,
    NetworkVariable,
    Origin,
)
from fmugen.ir.graph import Domain, Edge, LinearGraph, MotionAxis
from fmugen.ir.model import Space, Start, SystemModel, default_parameters, quantities, start_parameter
from fmugen.ir.quantity import Level, Quantity
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate.added_mass import sampled, with_added_mass
from fmugen.phases.formulate.angles import Angles
from fmugen.phases.formulate.circuits import project_circuits
from fmugen.phases.formulate.cutsets import Cutsets
from fmugen.phases.formulate.hanging import UnfitError, has_loops
from fmugen.phases.formulate.kinematics import Kinematics
from fmugen.phases.formulate.links import BALL, CROSS, FREE, PIN, Links, kinds_of_links
from fmugen.phases.formulate.modes import modes_of
from fmugen.phases.formulate.networks import couple_network, network_equations
from fmugen.phases.formulate.newton_euler import Recursion, recursion_of
from fmugen.phases.formulate.preferences import preferred_positions
from fmugen.phases.formulate.resolver import Quantities
from fmugen.phases.formulate.same_forces import is_true
from fmugen.phases.formulate.speeds import with_independent_speeds

__all__ = ["formulate", "has_loops", "linked_variants"]

#: Links with a ball may be closed by their length if the joint at their other end leaves so many turns. Links
#: with a cross always are.
_VARIANTS = ((FREE,), (PIN,), (BALL,), (PIN, BALL))


def linked_variants(model: SystemModel, graph: LinearGraph, trees: TreeSelection) -> Iterator[Dae]:
    """The same equations with more links written by their constant length (Uchida 5.2).

    The constraints of a ball may be written along fixed axes, in the axes of a link that ends in it, or in
    those of the neighbour of a body that turns freely. Which is better for the flow is known when all are
    triangularized.
    """
    possible = kinds_of_links(graph, trees)
    for kinds in _VARIANTS:
        if possible.issuperset(kinds):
            yield formulate(model, graph, trees, linked_by=kinds)


def formulate(
    model: SystemModel,
    graph: LinearGraph,
    trees: TreeSelection,
    *,
    linked_by: Collection[int] = (),
    by_body: bool = True,
) -> Dae:
    """The equations of motion in the branch coordinates of ``trees``.

    The loop of a link between a cross and a ball is closed by the length of the link. The same holds for a
    link between another joint and a ball if the number of turns of that joint is among ``linked_by``.
    Trees of bodies without loops are written ``by_body``, as recursions, unless they are not wanted.
    """
    if by_body and model.bodies and not has_loops(graph, trees):
        with suppress(UnfitError):
            return _formulated(model, graph, trees, (), by_body=True)
    return _formulated(model, graph, trees, linked_by, by_body=False)


def _formulated(
    model: SystemModel,
    graph: LinearGraph,
    trees: TreeSelection,
    linked_by: Collection[int],
    *,
    by_body: bool,
) -> Dae:
    """The equations, if they can be written ``by_body`` where that is wanted.

    Raises
    ------
    UnfitError
        If they cannot.
    """
    coordinates = branch_coordinates(graph, trees)
    kinematics = Kinematics(graph, trees, coordinates, by_body=by_body)
    links = Links(graph, trees, kinematics, (CROSS, *linked_by))
    mechanical = [start for start in model.starts if start.quantity not in graph.network_symbols]

    defaults = default_parameters(model)
    given = {start.quantity: _start_value(start, graph) for start in mechanical}
    angles = Angles(kinematics, trees.rotation, given, sampled(defaults))
    resolve = Quantities(model, graph, kinematics, coordinates, angles)
    angles.attach(resolve.motion)
    circuits = project_circuits(graph, trees, kinematics, coordinates, links, resolve.motion)
    cutsets = Cutsets(graph, trees, kinematics, circuits, resolve.motion)
    resolve.attach(cutsets)

    recursion = _recursion(model, graph, trees, kinematics, coordinates, resolve, cutsets, by_body=by_body)
    mass, force, tree = _dynamics(coordinates, cutsets, recursion)
    known = {quantity.name: quantity for quantity in quantities(model)}

    def residual(start: Start) -> Expr:
        """The deviation from a start value; of an angle, the one without whole turns."""
        missed = resolve(start.quantity) - given[start.quantity]
        return substitute(missed, {angle.symbol: angle.symbol_at_start for angle in angles.counted})

    def residuals(level: Level) -> dict[str, Expr]:
        return {
            start.quantity: residual(start)
            for start in mechanical
            if start.fixed and known[start.quantity].level is level
        }

    dae = Dae(
        graph.symbols,
        coordinates,
        tuple(circuit.constraint for circuit in circuits if not circuit.speeds),
        mass,
        force,
        {name: resolve(name) for name in _wanted(model, known)},
        _outputs(model, graph, resolve),
        residuals(Level.POSITION),
        residuals(Level.VELOCITY) | (_driver_motions(model, graph) if model.steady else {}),
        {start.quantity: residual(start) for start in mechanical if not start.fixed},
        tuple(variable.start for variable in model.inputs),
        _network(model, graph, trees, resolve),
        network_starts=_network_starts(model, graph, resolve),
        steady=model.steady,
    )
    dae = replace(
        dae,
        preferred=preferred_positions(model, kinematics, resolve),
        tree=tree,
        angles=angles.counted,
        modes=_modes(model, graph, resolve),
    )
    dae = with_added_mass(couple_network(dae, defaults), model)
    rows = [circuit.constraint for circuit in circuits if circuit.speeds]
    return with_independent_speeds(dae, rows, defaults)


def _start_value(start: Start, graph: LinearGraph) -> Expr:
    if start.adjustable:
        return graph.symbols.parameters[start_parameter(start)]
    return lower(start.value, graph.symbols)


def _network_starts(model: SystemModel, graph: LinearGraph, resolve: Quantities) -> dict[str, NetworkStart]:
    """The start values of quantities of networks."""
    return {
        start.quantity: NetworkStart(resolve(start.quantity), _start_value(start, graph), start.fixed)
        for start in model.starts
        if start.quantity in graph.network_symbols
    }


def _modes(model: SystemModel, graph: LinearGraph, resolve: Quantities) -> tuple[Mode, ...]:
    """The modes of elements, by the motion of their first edge."""

    def component(name: str) -> Component:
        return component_of(model.element(name))

    return tuple(modes_of(graph, component, lambda name: _first_edge(graph, name), resolve.motion))


def _recursion(
    model: SystemModel,
    graph: LinearGraph,
    trees: TreeSelection,
    kinematics: Kinematics,
    coordinates: Sequence[Coordinate],
    resolve: Quantities,
    cutsets: Cutsets,
    *,
    by_body: bool,
) -> Recursion | None:
    """The recursion from body to body, if it is wanted; it says what the cutsets say."""
    if not by_body:
        return None
    if not coordinates:
        raise UnfitError
    found = recursion_of(model, graph, trees, kinematics, coordinates, resolve.motion)
    if not is_true(found, coordinates, cutsets):
        raise UnfitError
    return found


def _dynamics(
    coordinates: Sequence[Coordinate], cutsets: Cutsets, recursion: Recursion | None
) -> tuple[dict[tuple[int, int], Expr], tuple[Expr, ...], BodyTree | None]:
    """The mass matrix on and below its diagonal, the forces, and the tree that they are of."""
    if recursion is not None:
        return mass_matrix(recursion.tree, coordinates[0].position.dag), recursion.forces, recursion.tree
    index = {coordinate.acceleration: number for number, coordinate in enumerate(coordinates)}
    mass: dict[tuple[int, int], Expr] = {}
    force = []
    for row, coordinate in enumerate(coordinates):
        equation = cutsets.equation(coordinate)
        force.append(equation.const)
        for unknown, coefficient in equation.coefficients.items():
            column = index.get(unknown, row + 1)
            if column <= row and not coefficient.is_zero:
                mass[row, column] = -coefficient
    return mass, tuple(force), None


def _driver_motions(model: SystemModel, graph: LinearGraph) -> dict[str, Expr]:
    """First and second derivatives of what drivers prescribe, which vanish at a steady start."""
    by_time = Tangent(graph.symbols.dag, graph.symbols.rates)
    found: dict[str, Expr] = {}
    planar = model.space is Space.PLANAR
    for driver in model.in_section("drivers"):
        for part, value in prescribed(driver, planar=planar).items():
            rate = by_time(lower(value, graph.symbols))
            name = f"driver {driver.name}{part}"
            found |= {f"rate of {name}": rate} if not rate.is_zero else {}
            found |= {f"acceleration of {name}": by_time(rate)} if not by_time(rate).is_zero else {}
    return found


def _outputs(model: SystemModel, graph: LinearGraph, resolve: Quantities) -> dict[str, Expr]:
    """The outputs; each may use those above it."""
    found: dict[str, Expr] = {}

    def named(name: str) -> Expr:
        return found[name] if name in found else resolve(name)

    for output in model.outputs:
        found[output.name] = lower(output.value, graph.symbols, named)
    return found


#: The preference of a state of an element. It is the highest, since no other variable can replace it.
_OWN_STATE = 100


def _network(model: SystemModel, graph: LinearGraph, trees: TreeSelection, resolve: Quantities) -> Network:
    """The equations of the networks, with those of the quantities they borrow from the mechanism."""
    network = network_equations(graph, trees)
    entered = {variable.symbol for variable in network.variables}
    mechanism_quantities = tuple(
        NetworkVariable(symbols[0].name, symbols[0], symbols[1:])
        for symbols in graph.mechanism_quantities.values()
        if symbols[0] not in entered
    )
    motion = tuple(
        Equation(NetworkOrigin("motion of", None, name), symbols[0] - resolve(name))
        for name, symbols in graph.mechanism_quantities.items()
    )
    states = tuple(
        NetworkVariable(state.name, state.symbol, (state.rate,), (state.unit,), _OWN_STATE)
        for state in graph.states
    )
    return Network(
        network.variables + mechanism_quantities + states,
        network.equations + motion + tuple(_rates(model, graph, resolve)),
    )


def _rates(model: SystemModel, graph: LinearGraph, resolve: Quantities) -> Iterator[Equation]:
    """The rates of the states of elements, by the motion of their first edge."""
    for element in dict.fromkeys(state.element for state in graph.states):
        rates = component_of(model.element(element)).rates(resolve.motion(_first_edge(graph, element)))
        for state in graph.states:
            if state.element == element:
                residual = state.rate - rates[state.kind]
                yield Equation(NetworkOrigin("state of", None, element), residual)


def _first_edge(graph: LinearGraph, element: str) -> Edge:
    """The edge of an element, the translational one if it has two."""
    edges = (graph.domain(domain).find(element) for domain in Domain)
    return next(edge for edge in edges if edge is not None)


def branch_coordinates(graph: LinearGraph, trees: TreeSelection) -> tuple[Coordinate, ...]:
    """The coordinates of all branches, those of the R-tree first, and the freedoms of elements."""
    dag = graph.symbols.dag
    coordinates: list[Coordinate] = []
    for domain in (Domain.ROTATION, Domain.TRANSLATION):
        branches = set(trees.domain(domain).branches)
        for edge in graph.domain(domain).edges:
            if edge.name not in branches:
                continue
            for axis in edge.motion:
                symbols = (
                    dag.symbol(axis.coordinate, SymbolRole.COORDINATE),
                    dag.symbol(axis.rate, SymbolRole.VELOCITY),
                    dag.symbol(axis.acceleration, SymbolRole.ACCELERATION),
                )
                coordinates.append(_coordinate(axis, symbols, "cutset", domain, edge.name))
    for freedom in graph.freedoms:
        symbols = (freedom.position, freedom.velocity, freedom.acceleration)
        own = _coordinate(freedom.axis, symbols, OWN_COORDINATE, Domain.TRANSLATION, freedom.element)
        coordinates.append(own)
    return tuple(coordinates)


def _coordinate(
    axis: MotionAxis, symbols: tuple[Expr, Expr, Expr], source: str, domain: Domain, name: str
) -> Coordinate:
    """The coordinate of an axis; ``symbols`` are its position, velocity and acceleration."""
    origin = Origin(source, domain, name, axis.coordinate.rpartition(".")[2])
    return Coordinate(axis.coordinate, axis.rate, axis.acceleration, axis.unit, axis.guess, *symbols, origin)


def _wanted(model: SystemModel, known: dict[str, Quantity]) -> list[str]:
    """The quantities every FMU carries: motions of bodies, reactions of drivers, variables of components."""
    planar = model.space is Space.PLANAR
    recorded = {
        f"{element.name}{reading.at}.{reading.kind}"
        for element in model.elements
        if not element.ports
        for reading in component_of(element).all_readings(planar=planar)
        if reading.recorded
    }
    components = {element.name for element in model.elements if element.ports}
    return [name for name, quantity in known.items() if name in recorded or quantity.owner in components]
