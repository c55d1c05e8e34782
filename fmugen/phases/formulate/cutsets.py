"""Projected cutset equations and chord transformations (McPhee, steps 1 and 3a).

The vertex postulate, applied from the leaves of a tree to its root, gives the through variable of
every branch as the sum of those of the chords of its fundamental cutset, with partial sums shared.
All through variables are affine in the accelerations and multipliers.
"""

from __future__ import annotations

from collections.abc import Callable

from fmugen.components.formulas import Resolve, lower_vector
from fmugen.expr.dag import Expr
from fmugen.ir.dae import Constraint, Coordinate
from fmugen.ir.graph import (
    Domain,
    DomainGraph,
    Edge,
    GivenThrough,
    Inertial,
    LinearGraph,
    SpringDamper,
    Weight,
)
from fmugen.ir.model import GROUND
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.phases.formulate.frames import Affine, FrameVector
from fmugen.phases.formulate.kinematics import Kinematics

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
        constraints: tuple[Constraint, ...],
        resolve: Resolve,
    ) -> None:
        self._graph = graph
        self._trees = trees
        self._kinematics = kinematics
        self._resolve = resolve
        self._null = Affine(kinematics.frames.null, {})
        self._rows: dict[tuple[Domain, str], list[Constraint]] = {}
        for row in constraints:
            self._rows.setdefault((row.origin.domain, row.origin.edge), []).append(row)
        self._required: dict[tuple[Domain, str], Affine] = {}
        self.force = self._through(graph.translation, trees.translation, self._force_law)
        self.torque = self._through(graph.rotation, trees.rotation, self._torque_law)

    def equation(self, coordinate: Coordinate) -> tuple[Expr, dict[Expr, Expr]]:
        """The cutset equation of a coordinate, projected onto its motion axis.

        Returns the terms free of unknowns, and the coefficient of each unknown, of an expression that
        vanishes: -M q'' - Phi_q^T lambda + F.
        """
        origin = coordinate.origin
        edge = self._graph.domain(origin.domain).edge(origin.edge)
        axis = next(axis.axis for axis in edge.motion if axis.coordinate == coordinate.name)
        law = self._force_law if origin.domain is Domain.TRANSLATION else self._torque_law
        balance = law(edge) - self._required[origin.domain, edge.name]
        along = self._kinematics.along
        coefficients = {u: along(part, edge, axis) for u, part in balance.coefficients.items()}
        return along(balance.const, edge, axis), coefficients

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
            case Inertial(mass):  # F = -m a, (75)
                return kinematics.acceleration[edge.head].scaled(-mass)
            case Weight(force):
                return Affine(FrameVector({GROUND: force}), {})
            case GivenThrough(components, frame):
                force = lower_vector(components, self._graph.symbols, self._resolve)
                return Affine(FrameVector({frame: force}), {})
            case SpringDamper():
                tension = self._resolve(f"{edge.name}.force")
                length = self._resolve(f"{edge.name}.length")
                return Affine(kinematics.displacement(edge).scaled(-tension / length), {})
        return self._reaction(edge)

    def _torque_law(self, edge: Edge) -> Affine:
        """The torque that the terminal equation of ``edge`` gives, as far as it is known."""
        match edge.through:
            case Inertial(inertia):  # T = -I alpha - sum of r x F, (76)
                return self._kinematics.alpha[edge.head].scaled(-inertia) - self._moments(edge.head)
            case GivenThrough(components, frame):
                torque = lower_vector(components, self._graph.symbols, self._resolve)
                return Affine(FrameVector({frame: torque}), {})
            case SpringDamper():
                axis = edge.motion[0].axis
                torque_on_head = self._resolve(f"{edge.name}.torque")
                return Affine(FrameVector({edge.frame: axis}).scaled(torque_on_head), {})
        return self._reaction(edge)

    def _reaction(self, edge: Edge) -> Affine:
        """The reaction of a chord: minus its multipliers along its reaction directions."""
        total = self._null
        for row in self._rows.get((edge.domain, edge.name), []):
            direction = FrameVector({edge.frame: edge.reaction[row.reaction]})
            total = total + Affine(self._null.const, {row.multiplier: -direction})
        return total

    def _moments(self, body: str) -> Affine:
        """``sum of r x F`` over the arms of a body and the displaced joints that start on it.

        Joints that only slide freely count too: the force in such a branch vanishes by the equations, not
        identically, and the mass matrix is symmetric only with its moment.
        """
        kinematics = self._kinematics
        total = self._null
        for edge in self._graph.translation.edges:
            if edge.frame == body:
                displacement = kinematics.displacement(edge)
                total = total + kinematics.frames.cross_affine(displacement, self.force[edge.name])
        return kinematics.frames.gather_affine(total)
