"""Projected cutset equations and chord transformations (McPhee, steps 1 and 3a).

The vertex postulate, applied from the leaves of a tree to its root, gives the through variable of
every branch as the sum of those of the chords of its fundamental cutset, with partial sums shared.
All through variables are affine in the accelerations and multipliers.
"""

from __future__ import annotations

from collections.abc import Callable

from fmugen.components.formulas import Resolve, lower_vector
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import matvec
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import (
    Domain,
    DomainGraph,
    Edge,
    FlangeLoad,
    GivenThrough,
    Inertia,
    LinearGraph,
    Mass,
    SpringDamper,
    Weight,
)
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.phases.formulate.circuits import Circuit
from fmugen.phases.formulate.frames import Affine, FrameVector
from fmugen.phases.formulate.kinematics import Kinematics
from fmugen.phases.formulate.turns import first_axis

__all__ = ["Cutsets"]

_Law = Callable[[Edge], Affine]


class Cutsets:
    """The through variables of all edges, and the projected cutset equations.

    ``force[edge]`` and ``torque[edge]`` act on the head of the edge.
    """

    def __init__(
        self,
        graph: LinearGraph,
        trees: TreeSelection,
        kinematics: Kinematics,
        circuits: tuple[Circuit, ...],
        resolve: Resolve,
    ) -> None:
        self._graph = graph
        self._kinematics = kinematics
        self._resolve = resolve
        self._null = Affine(kinematics.frames.null, {})
        self._acting: dict[tuple[Domain, str], list[tuple[Expr, FrameVector]]] = {}
        for circuit in circuits:
            for edge, direction in circuit.acts:
                acting = self._acting.setdefault((edge.domain, edge.name), [])
                acting.append((circuit.constraint.multiplier, direction))
        self._required: dict[tuple[Domain, str], Affine] = {}
        self.force = self._through(graph.translation, trees.translation, self._force_law)
        self.torque = self._through(graph.rotation, trees.rotation, self._torque_law)

    def equation(self, coordinate: Coordinate) -> tuple[Expr, dict[Expr, Expr]]:
        """The cutset equation of a coordinate, projected onto its direction of motion.

        Returns the terms free of unknowns, and the coefficient of each unknown, of an expression that
        vanishes: -M q'' - Phi_q^T lambda + F.
        """
        origin = coordinate.origin
        edge = self._graph.domain(origin.domain).edge(origin.edge)
        law = self._force_law if origin.domain is Domain.TRANSLATION else self._torque_law
        balance = law(edge) - self._required[origin.domain, edge.name]
        axis, dot = self._kinematics.axis[coordinate.second], self._kinematics.frames.dot
        coefficients = {unknown: dot(axis, part) for unknown, part in balance.coefficients.items()}
        return dot(axis, balance.const), coefficients

    # --- chord transformation --------------------------------------------------------------------

    def _through(self, graph: DomainGraph, tree: SpanningTree, law: _Law) -> dict[str, Affine]:
        gather = self._kinematics.frames.gather_affine
        edges = {edge.name: edge for edge in graph.edges}
        sums = dict.fromkeys(graph.nodes, self._null)
        through: dict[str, Affine] = {}
        for name in tree.chords:
            edge = edges[name]
            value = through[name] = gather(law(edge))
            sums[edge.head] = sums[edge.head] + value
            sums[edge.tail] = sums[edge.tail] - value
        for link in reversed(tree.links):
            total = gather(sums[link.node])
            through[link.branch] = -total if link.forward else total
            self._required[graph.domain, link.branch] = through[link.branch]
            sums[link.parent] = sums[link.parent] + total
        return through

    # --- terminal equations ----------------------------------------------------------------------

    def _force_law(self, edge: Edge) -> Affine:
        """The force that the terminal equation of ``edge`` gives, as far as it is known."""
        kinematics = self._kinematics
        match edge.through:
            case Mass(mass):
                return kinematics.acceleration[edge.head].scaled(-mass)
            case Weight(force):
                return Affine(FrameVector({kinematics.frames.ground: force}), {})
            case GivenThrough():
                return self._given(edge.through)
            case SpringDamper():
                tension = self._resolve(f"{edge.name}.force")
                length = self._resolve(f"{edge.name}.length")
                return Affine(kinematics.displacement(edge).scaled(-tension / length), {})
            case FlangeLoad(load):
                axis, _ = edge.displacement.motion[0]
                return Affine(FrameVector({edge.displacement.frame: axis}).scaled(load), {})
        return self._reaction(edge)

    def _torque_law(self, edge: Edge) -> Affine:
        """The torque that the terminal equation of ``edge`` gives, as far as it is known."""
        match edge.through:
            case Inertia():
                return self._inertia_torque(edge.head, edge.through) - self._moments(edge.head)
            case GivenThrough():
                return self._given(edge.through)
            case SpringDamper():
                direction = self._kinematics.frames.settle(edge.tail, first_axis(edge.rotation))
                return Affine(direction.scaled(self._resolve(f"{edge.name}.torque")), {})
            case FlangeLoad(load):
                direction = self._kinematics.frames.settle(edge.tail, first_axis(edge.rotation))
                return Affine(direction.scaled(load), {})
        return self._reaction(edge)

    def _given(self, through: GivenThrough) -> Affine:
        vector = lower_vector(through.components, self._graph.symbols, self._resolve)
        return Affine(self._kinematics.frames.settle(through.frame, vector), {})

    def _inertia_torque(self, body: str, inertia: Inertia) -> Affine:
        """``-J alpha - omega x J omega``, in the axes of the body."""
        frames, alpha = self._kinematics.frames, self._kinematics.alpha[body]
        omega = self._kinematics.omega[body]

        def momentum(vector: FrameVector) -> FrameVector:
            return frames.settle(body, matvec(inertia.tensor, frames.resolve(vector, body)))

        gyroscopic = frames.cross(omega, momentum(omega))
        coefficients = {unknown: -momentum(part) for unknown, part in alpha.coefficients.items()}
        return Affine(-momentum(alpha.const) - gyroscopic, coefficients)

    def _reaction(self, edge: Edge) -> Affine:
        """The reaction of constraints: minus their multipliers along their directions."""
        acting = self._acting.get((edge.domain, edge.name), [])
        return Affine(self._null.const, {unknown: -direction for unknown, direction in acting})

    def _moments(self, body: str) -> Affine:
        """``sum of r x F`` over the arms of a body and the displaced joints that start on it.

        Joints that only slide freely count too: the force in such a branch vanishes by the equations, not
        identically, and the mass matrix is symmetric only with its moment.
        """
        kinematics = self._kinematics
        total = self._null
        for edge in self._graph.translation.edges:
            if edge.displacement.frame == body and not isinstance(edge.through, FlangeLoad):
                displacement = kinematics.displacement(edge)
                total = total + kinematics.frames.cross_affine(displacement, self.force[edge.name])
        return kinematics.frames.gather_affine(total)
