"""Branch transformations: every across variable from the branch coordinates (McPhee, step 3b, 3c).

Displacements, velocities and accelerations of all nodes follow from one walk down each tree. The
acceleration of a node is affine in the second derivatives of the coordinates; its coefficients are
also the partial velocities.
"""

from __future__ import annotations

from collections.abc import Mapping

from fmugen.expr.calculus import postorder
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, add3, matvec, scale3, transpose
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import AxisTurn, Edge, LinearGraph, MotionAxis
from fmugen.ir.tree import SpanningTree, TreeSelection, TreeStep
from fmugen.phases.formulate.frames import Affine, Frames, FrameVector
from fmugen.phases.formulate.given import GivenMotion
from fmugen.phases.formulate.turns import RelativeRotation, Spin, relative_rotation

__all__ = ["Kinematics"]


class Kinematics:
    """Positions, velocities and accelerations of all nodes of both graphs.

    Attributes
    ----------
    position, velocity : FrameVector by node of the T-graph
    acceleration : Affine by node of the T-graph
    omega, alpha : FrameVector and Affine by body
    angle : the angle of each body about the common axis, of planar models only
    axis : the direction of motion that goes with the acceleration of a branch coordinate
    by_body : whether vectors are resolved in the axes of each body, with accelerations of coordinates in them
    moved : the edges that a freedom of an element moves, each with the direction, by its acceleration
    """

    def __init__(
        self,
        graph: LinearGraph,
        trees: TreeSelection,
        coordinates: tuple[Coordinate, ...],
        *,
        by_body: bool = False,
    ) -> None:
        self.graph = graph
        self._by_body = by_body
        self._coordinates = {coordinate.name: coordinate for coordinate in coordinates}
        self._branches = set(trees.rotation.branches)
        symbols = graph.symbols
        self._given = GivenMotion(graph)
        self.moved: dict[Expr, list[tuple[Edge, FrameVector]]] = {f.acceleration: [] for f in graph.freedoms}
        ground = trees.rotation.root
        self.frames = Frames(symbols.dag, ground)
        self.axis: dict[Expr, FrameVector] = {}
        self.omega: dict[str, FrameVector] = {ground: self.frames.null}
        self.alpha: dict[str, Affine] = {ground: Affine(self.frames.null, {})}
        self.angle: dict[str, Expr] = {ground: symbols.dag.zero}
        self._turn(trees.rotation)
        origin = trees.translation.root
        self.position: dict[str, FrameVector] = {origin: self.frames.null}
        self.velocity: dict[str, FrameVector] = {origin: self.frames.null}
        self.acceleration: dict[str, Affine] = {origin: Affine(self.frames.null, {})}
        self._move(trees.translation)

    # --- one term a body -----------------------------------------------------------------------------

    def gathered(self, vector: Affine, body: str) -> Affine:
        """A sum of vectors of several bodies, in few frames."""
        return self._shown_affine(vector, body) if self._by_body else self.frames.compact_affine(vector)

    def _shown(self, vector: FrameVector, body: str) -> FrameVector:
        if not self._by_body:
            return vector
        frame = self.frames.ground if self.graph.planar else body
        return FrameVector({frame: self.frames.resolve(vector, frame)})

    def _shown_affine(self, vector: Affine, body: str) -> Affine:
        if not self._by_body:
            return vector
        parts = {unknown: self._shown(part, body) for unknown, part in vector.coefficients.items()}
        return Affine(self._shown(vector.const, body), parts)

    @staticmethod
    def _with_seconds(bias: FrameVector, axes: Mapping[Expr, FrameVector]) -> FrameVector:
        for unknown, axis in axes.items():
            bias = bias + axis.scaled(unknown)
        return bias

    # --- rotation ----------------------------------------------------------------------------------

    def _turn(self, tree: SpanningTree) -> None:
        edges = {edge.name: edge for edge in self.graph.rotation.edges}
        for step in tree.steps:
            edge = edges[step.branch]
            relative = relative_rotation(edge.rotation, self._coordinates, self._given)
            if step.forward:
                self.frames.add(step.node, step.parent, relative.moving, relative.mounting)
            else:
                self.frames.add(step.node, step.parent, transpose(relative.matrix))
            sign = 1 if step.forward else -1
            omega, bias = self.frames.null, self.frames.null
            axes: dict[Expr, FrameVector] = {}
            shared: dict[Expr, FrameVector] = {}
            for spin in relative.spins:
                axis = self._axis(edge, step, relative, spin)
                if spin.unknown is not None:
                    axes[spin.unknown] = axis
                for unknown, factor in spin.shared:
                    shared[unknown] = shared.get(unknown, self.frames.null) + axis.scaled(factor)
                turning = axis.scaled(spin.rate)
                bias = bias + axis.scaled(spin.second)
                if spin.carried:
                    bias = bias + self.frames.cross(omega, turning)
                omega = omega + turning
            self.axis |= axes
            if self._by_body:
                bias, axes = self._with_seconds(bias, axes), {}
            for unknown, direction in shared.items():
                self.moved[unknown].append((edge, direction))
            self.omega[step.node] = self._shown(self.omega[step.parent] + omega.scaled(sign), step.node)
            carried = self.frames.cross(self.omega[edge.tail], omega)
            alpha = Affine(bias + carried, axes | shared)
            self.alpha[step.node] = self._shown_affine(
                self.alpha[step.parent] + alpha.scaled(sign), step.node
            )
            if self.graph.planar:
                turned = self.angle_across(edge)
                self.angle[step.node] = self.angle[step.parent] + turned * sign

    def _axis(self, edge: Edge, step: TreeStep, relative: RelativeRotation, spin: Spin) -> FrameVector:
        """The axis of a spin in the axes of the tail or of the head, wherever it is simpler."""
        if _size(spin.in_tail) <= _size(spin.in_head):
            return self.frames.in_simplest_frame(edge.tail, spin.in_tail)
        if relative.mounting is None:
            return self.frames.in_simplest_frame(edge.head, spin.in_head)
        if step.forward:
            return self.frames.in_simplest_frame(self.frames.joint_frame(edge.head), spin.in_head)
        return self.frames.in_simplest_frame(edge.head, matvec(transpose(relative.mounting), spin.in_head))

    def is_branch(self, edge: Edge) -> bool:
        """Whether an R-edge is in the tree, so that its coordinates are branch coordinates."""
        return edge.name in self._branches

    def coordinate(self, turn: AxisTurn) -> Expr:
        """The coordinate of a turn, zero if it has none."""
        known = None if turn.motion is None else self._coordinates.get(turn.motion.coordinate)
        return self.frames.dag.zero if known is None else known.position

    def symbol(self, axis: MotionAxis) -> Expr | None:
        """The position of a coordinate by its axis, if it is a branch coordinate."""
        known = self._coordinates.get(axis.coordinate)
        return None if known is None else known.position

    def angle_across(self, edge: Edge) -> Expr:
        """Planar: the sum of the angles of an R-edge's turns, coordinates included if it is a branch."""
        turns = [turn for turn in edge.rotation.turns if isinstance(turn, AxisTurn)]
        branch = self.is_branch(edge)
        return self.frames.dag.add(t.given + (self.coordinate(t) if branch else 0) for t in turns)

    # --- translation -------------------------------------------------------------------------------

    def _move(self, tree: SpanningTree) -> None:
        edges = {edge.name: edge for edge in self.graph.translation.edges}
        for step in tree.steps:
            sign = 1 if step.forward else -1
            displacement, velocity, acceleration = self._branch(edges[step.branch])
            self.position[step.node] = self.position[step.parent] + displacement.scaled(sign)
            body = self.graph.body_of[step.node]
            self.velocity[step.node] = self._shown(self.velocity[step.parent] + velocity.scaled(sign), body)
            self.acceleration[step.node] = self._shown_affine(
                self.acceleration[step.parent] + acceleration.scaled(sign), body
            )

    def _branch(self, edge: Edge) -> tuple[FrameVector, FrameVector, Affine]:
        """Displacement, velocity and acceleration across a T-branch (Léger, Tables B.1 to B.4)."""
        across = edge.displacement
        frame, frames = across.frame, self.frames
        first, second = self.given_rates(across.given)
        local, rate = across.given, first
        partial: dict[Expr, FrameVector] = {}
        for direction, motion in across.motion:
            coordinate = self._coordinates[motion.coordinate]
            local = add3(local, scale3(coordinate.position, direction))
            rate = add3(rate, scale3(coordinate.velocity, direction))
            partial[coordinate.acceleration] = FrameVector({frame: direction})
        self.axis |= partial
        if self._by_body:
            second = self._with_seconds(FrameVector({frame: second}), partial).parts.get(frame, second)
            partial = {}
        for freedom, (x, y, z) in self._given.partial(across.given):
            partial[freedom.acceleration] = FrameVector({frame: (x, y, z)})
            self.moved[freedom.acceleration].append((edge, partial[freedom.acceleration]))
        r, relative = FrameVector({frame: local}), FrameVector({frame: rate})
        omega = self.omega[frame]
        carried = frames.cross(omega, r)
        bias = frames.cross(omega, carried) + frames.cross(omega, relative).scaled(2)
        turned = frames.cross_affine_left(self.alpha[frame], r)
        own = Affine(FrameVector({frame: second}) + bias, partial)
        return r, relative + carried, own + turned

    def given_rates(self, given: Vector3) -> tuple[Vector3, Vector3]:
        """The first and second time derivatives of a given vector, without the terms of accelerations."""
        rate_of = self._given.rate
        first: Vector3 = (rate_of(given[0]), rate_of(given[1]), rate_of(given[2]))
        second: Vector3 = (rate_of(first[0]), rate_of(first[1]), rate_of(first[2]))
        return first, second

    # --- relative motion across any edge of the T-graph, as seen from its frame -------------------

    def displacement(self, edge: Edge) -> FrameVector:
        return self.position[edge.head] - self.position[edge.tail]

    def relative_velocity(self, edge: Edge) -> FrameVector:
        """The velocity of the head relative to the tail, as seen in the edge's frame."""
        carried = self.frames.cross(self.omega[edge.displacement.frame], self.displacement(edge))
        return self.velocity[edge.head] - self.velocity[edge.tail] - carried

    def relative_acceleration(self, edge: Edge) -> Affine:
        """The acceleration of the head relative to the tail, as seen in the edge's frame."""
        frame = edge.displacement.frame
        frames, omega, r = self.frames, self.omega[frame], self.displacement(edge)
        coriolis = frames.cross(omega, self.relative_velocity(edge)).scaled(2)
        centripetal = frames.cross(omega, frames.cross(omega, r))
        turned = frames.cross_affine_left(self.alpha[frame], r)
        difference = self.acceleration[edge.head] - self.acceleration[edge.tail]
        return difference - turned - Affine(coriolis + centripetal, {})


def _size(vector: Vector3) -> int:
    """How many operations and variables a vector has."""
    return sum(not node.constant for node in postorder(vector))
