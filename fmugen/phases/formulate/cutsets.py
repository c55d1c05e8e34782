"""Projected cutset equations and chord transformations (McPhee, steps 1 and 3a).

The vertex postulate, applied from the leaves of a tree to its root, gives the through variable of
every branch as the sum of those of the chords of its fundamental cutset, with partial sums shared.
All through variables are affine in the accelerations and multipliers.
"""

from __future__ import annotations

from collections.abc import Callable

from fmugen.expr.affine import AffineScalar
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import Domain, DomainGraph, Edge, LinearGraph
from fmugen.ir.motion import Motion
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.phases.formulate.circuits import Circuit
from fmugen.phases.formulate.frames import Affine, FrameVector
from fmugen.phases.formulate.kinematics import Kinematics

__all__ = ["Cutsets"]


class Cutsets:
    """The through variables of all edges, and the projected cutset equations.

    ``force[edge]`` and ``torque[edge]`` act on the head of the edge. ``motion`` is what the law of an edge
    reads.
    """

    def __init__(
        self,
        graph: LinearGraph,
        trees: TreeSelection,
        kinematics: Kinematics,
        circuits: tuple[Circuit, ...],
        motion: Callable[[Edge, Callable[[str], Affine]], Motion],
    ) -> None:
        self._graph = graph
        self._kinematics = kinematics
        self._motion = motion
        self._null = Affine(kinematics.frames.null, {})
        self._acting: dict[tuple[Domain, str], list[tuple[Expr, FrameVector]]] = {}
        for circuit in circuits:
            for edge, direction in circuit.acts:
                acting = self._acting.setdefault((edge.domain, edge.name), [])
                acting.append((circuit.constraint.multiplier, direction))
        self._required: dict[tuple[Domain, str], Affine] = {}
        self.force = self._through(graph.translation, trees.translation)
        self.torque = self._through(graph.rotation, trees.rotation)
        self._no_work = AffineScalar(graph.symbols.dag.zero, {})
        self._work = self._work_on_freedoms()

    def equation(self, coordinate: Coordinate) -> AffineScalar:
        """The cutset equation of a coordinate, projected onto its direction of motion.

        It is an expression that vanishes: -M q'' - Phi_q^T lambda + F. The equation of a freedom of an
        element is the sum over all the arms that it moves, with the work of the element itself.
        """
        dot, total = self._kinematics.frames.dot, self._work.get(coordinate.acceleration, self._no_work)
        for edge, axis in self._moved(coordinate):
            balance = self._law(edge) - self._required[edge.domain, edge.name]
            coefficients = {unknown: dot(axis, part) for unknown, part in balance.coefficients.items()}
            total = total + AffineScalar(dot(axis, balance.const), coefficients)
        return total

    def _moved(self, coordinate: Coordinate) -> list[tuple[Edge, FrameVector]]:
        """The edges that a coordinate moves: its own branch, or the arms that a freedom bends."""
        axis, origin = self._kinematics.axis.get(coordinate.acceleration), coordinate.origin
        if axis is None:
            return self._kinematics.moved[coordinate.acceleration]
        return [(self._graph.domain(origin.domain).edge(origin.edge), axis)]

    def _work_on_freedoms(self) -> dict[Expr, AffineScalar]:
        """The generalized forces of elements on their own freedoms, by the motion of their first edge."""
        found = {}
        for work in self._graph.works:
            motion = self._motion(self._graph.translation.edge(work.element), self.moments)
            for freedom, force in zip(work.freedoms, work.law(motion), strict=True):
                found[freedom.acceleration] = force
        return found

    # --- chord transformation --------------------------------------------------------------------

    def _through(self, graph: DomainGraph, tree: SpanningTree) -> dict[str, Affine]:
        gathered, body_of = self._kinematics.gathered, self._graph.body_of
        edges = {edge.name: edge for edge in graph.edges}
        sums = dict.fromkeys(graph.nodes, self._null)
        through: dict[str, Affine] = {}
        for name in tree.chords:
            edge = edges[name]
            value = through[name] = gathered(self._law(edge), body_of.get(edge.head, edge.head))
            sums[edge.head] = sums[edge.head] + value
            sums[edge.tail] = sums[edge.tail] - value
        for step in reversed(tree.steps):
            total = gathered(sums[step.node], body_of.get(step.node, step.node))
            through[step.branch] = -total if step.forward else total
            self._required[graph.domain, step.branch] = through[step.branch]
            sums[step.parent] = sums[step.parent] + total
        return through

    # --- terminal equations ----------------------------------------------------------------------

    def _law(self, edge: Edge) -> Affine:
        """The through variable from the terminal equation of ``edge``, if it is known."""
        reaction = self._reaction(edge)
        if edge.law is None:
            return reaction
        law = edge.law(self._motion(edge, self.moments))
        return law + reaction if reaction.coefficients else law

    def _reaction(self, edge: Edge) -> Affine:
        """The reaction of constraints: minus their multipliers along their directions."""
        acting = self._acting.get((edge.domain, edge.name), [])
        return Affine(self._null.const, {unknown: -direction for unknown, direction in acting})

    def moments(self, body: str) -> Affine:
        """``sum of r x F`` over the arms of a body and the displaced joints that start on it.

        Joints that only slide freely count too: the force in such a branch vanishes by the equations, not
        identically, and the mass matrix is symmetric only with its moment.
        """
        kinematics = self._kinematics
        total = self._null
        for edge in self._graph.translation.edges:
            if edge.displacement.frame == body and not edge.central:
                displacement = kinematics.displacement(edge)
                total = total + kinematics.frames.cross_affine(displacement, self.force[edge.name])
        return kinematics.gathered(total, body)
