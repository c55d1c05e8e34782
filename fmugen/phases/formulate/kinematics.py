"""Branch transformations: every across variable from the branch coordinates (McPhee, step 3b, 3c).

Displacements, velocities and accelerations of all nodes follow from one walk down each tree. The
acceleration of a node is affine in the second derivatives of the coordinates; its coefficients are
also the partial velocities.
"""

from __future__ import annotations

from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, add3, scale3
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import Edge, LinearGraph
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.phases.formulate.frames import Affine, Frames, FrameVector

__all__ = ["Kinematics"]


class Kinematics:
    """Positions, velocities and accelerations of all nodes of both graphs.

    Attributes
    ----------
    position, velocity : FrameVector by node of the T-graph
    acceleration : Affine by node of the T-graph
    omega, alpha : FrameVector and Affine by body
    """

    def __init__(self, graph: LinearGraph, trees: TreeSelection, coordinates: tuple[Coordinate, ...]) -> None:
        self.graph = graph
        self._coordinates = {coordinate.name: coordinate for coordinate in coordinates}
        dag = graph.symbols.dag
        self._rate = Tangent(dag, {graph.symbols.time: dag.one})
        angles = {coordinate.name: coordinate.position for coordinate in coordinates}
        self.frames = Frames(dag, graph.rotation, trees.rotation, angles)
        self.omega: dict[str, FrameVector] = {}
        self.alpha: dict[str, Affine] = {}
        self._turn(trees.rotation)
        self.position: dict[str, FrameVector] = {}
        self.velocity: dict[str, FrameVector] = {}
        self.acceleration: dict[str, Affine] = {}
        self._move(trees.translation)

    def _turn(self, tree: SpanningTree) -> None:
        """Angular velocities and accelerations add along the R-tree (planar: axes do not turn)."""
        null_vector = self.frames.null
        self.omega[tree.root] = null_vector
        self.alpha[tree.root] = Affine(null_vector, {})
        edges = {edge.name: edge for edge in self.graph.rotation.edges}
        for link in tree.links:
            edge = edges[link.branch]
            sign = 1 if link.forward else -1
            _, rate, second = self._across(edge)
            self.omega[link.node] = self.omega[link.parent] + FrameVector({tree.root: rate}).scaled(sign)
            alpha = self._affine(tree.root, second, edge)
            self.alpha[link.node] = self.alpha[link.parent] + alpha.scaled(sign)

    def _move(self, tree: SpanningTree) -> None:
        null_vector = self.frames.null
        self.position[tree.root] = self.velocity[tree.root] = null_vector
        self.acceleration[tree.root] = Affine(null_vector, {})
        edges = {edge.name: edge for edge in self.graph.translation.edges}
        for link in tree.links:
            sign = 1 if link.forward else -1
            displacement, velocity, acceleration = self._branch(edges[link.branch])
            self.position[link.node] = self.position[link.parent] + displacement.scaled(sign)
            self.velocity[link.node] = self.velocity[link.parent] + velocity.scaled(sign)
            self.acceleration[link.node] = self.acceleration[link.parent] + acceleration.scaled(sign)

    def _branch(self, edge: Edge) -> tuple[FrameVector, FrameVector, Affine]:
        """Displacement, velocity and acceleration across a T-branch (Léger, Tables B.1 to B.4)."""
        frame, frames = edge.frame, self.frames
        local, rate, second = self._across(edge)
        r, relative = FrameVector({frame: local}), FrameVector({frame: rate})
        omega = self.omega[frame]
        carried = frames.cross(omega, r)
        centripetal = frames.cross(omega, carried)
        coriolis = frames.cross(omega, relative).scaled(2)
        bias = Affine(centripetal + coriolis, {})
        turned = frames.cross_affine_left(self.alpha[frame], r)
        return r, relative + carried, self._affine(frame, second, edge) + turned + bias

    def _across(self, edge: Edge) -> tuple[Vector3, Vector3, Vector3]:
        """The across variable in the edge's frame, its rate, and its second rate at q'' = 0."""
        rate_of = self._rate
        value = edge.given
        rate: Vector3 = (rate_of(value[0]), rate_of(value[1]), rate_of(value[2]))
        second: Vector3 = (rate_of(rate[0]), rate_of(rate[1]), rate_of(rate[2]))
        for axis in edge.motion:
            coordinate = self._coordinates.get(axis.coordinate)
            if coordinate is not None:
                value = add3(value, scale3(coordinate.position, axis.axis))
                rate = add3(rate, scale3(coordinate.velocity, axis.axis))
        return value, rate, second

    def _affine(self, frame: str, second: Vector3, edge: Edge) -> Affine:
        coefficients = {
            self._coordinates[axis.coordinate].second: FrameVector({frame: axis.axis})
            for axis in edge.motion
            if axis.coordinate in self._coordinates
        }
        return Affine(FrameVector({frame: second}), coefficients)

    # --- relative motion across any edge of the T-graph, as seen from its frame -------------------

    def displacement(self, edge: Edge) -> FrameVector:
        return self.position[edge.head] - self.position[edge.tail]

    def relative_velocity(self, edge: Edge) -> FrameVector:
        """The velocity of the head relative to the tail, as seen in the edge's frame."""
        carried = self.frames.cross(self.omega[edge.frame], self.displacement(edge))
        return self.velocity[edge.head] - self.velocity[edge.tail] - carried

    def relative_acceleration(self, edge: Edge) -> Affine:
        """The acceleration of the head relative to the tail, as seen in the edge's frame."""
        frames, omega, r = self.frames, self.omega[edge.frame], self.displacement(edge)
        coriolis = frames.cross(omega, self.relative_velocity(edge)).scaled(2)
        centripetal = frames.cross(omega, frames.cross(omega, r))
        turned = frames.cross_affine_left(self.alpha[edge.frame], r)
        difference = self.acceleration[edge.head] - self.acceleration[edge.tail]
        return difference - turned - Affine(coriolis + centripetal, {})

    def given_rates(self, edge: Edge) -> tuple[Vector3, Vector3]:
        """The first and second time derivatives of what is given across an edge."""
        rate_of = self._rate
        first: Vector3 = (rate_of(edge.given[0]), rate_of(edge.given[1]), rate_of(edge.given[2]))
        second: Vector3 = (rate_of(first[0]), rate_of(first[1]), rate_of(first[2]))
        return first, second

    def along(self, vector: FrameVector, edge: Edge, axis: Vector3) -> Expr:
        """The component of ``vector`` along ``axis``, an axis in the edge's frame."""
        return self.frames.dot(FrameVector({edge.frame: axis}), vector)
