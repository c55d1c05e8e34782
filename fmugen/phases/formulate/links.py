"""Links that end in a ball: their loop in the axes of the link (Uchida 5.2).

The ball at the end of such a link is at a constant distance from the joint at its other end: a cross, a pin,
or another ball. Where the link hangs on that joint, that one equation is free of all angles of the joint; of
the other two, along the axis of the joint that is fixed in the link and across it, the first is free of the
angle about that axis, and so, for a pin, of every angle. Written so, the order of solution sees that what the
link carries can be found before the link itself.

Any other ball may close a loop in which a body turns freely on its neighbour. In the axes of the neighbour,
the loop says that this turn, and no other one, leads a vector of the body to a known vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, cross, dot, matvec, transpose, unit
from fmugen.ir.graph import AxisTurn, Edge, FixedTurn, LinearGraph, QuaternionTurn
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate.kinematics import Kinematics

__all__ = ["BALL", "CROSS", "FREE", "PIN", "BallLink", "Links", "kinds_of_links"]

#: How many turns the joint of a link leaves; and no link, but a free turn in the loop.
PIN, CROSS, BALL = 1, 2, 3
FREE = 0


@dataclass(frozen=True)
class BallLink:
    """A link ``body`` that leads by ``arm`` from the node ``base`` of another body to a ball.

    ``target`` is the node that the ball joins to it, ``axis`` an axis of its joint, and ``normal`` is
    perpendicular to the axis and the arm. Arm, axis and normal are in the axes of the link. ``forward`` is
    true if the ball points from the link to the target.
    """

    body: str
    base: str
    target: str
    arm: Vector3
    axis: Vector3
    normal: Vector3
    forward: bool

    @property
    def length(self) -> Expr:
        return self.arm[0].dag.call("sqrt", dot(self.arm, self.arm))


class Links:
    """Finds the link that a ball belongs to.

    The joint at its other end leaves as many turns as one of ``kinds``; earlier kinds are tried first. With
    the kind ``FREE``, balls without a link may be seen from the neighbour of a body that turns freely.
    """

    def __init__(
        self,
        graph: LinearGraph,
        trees: TreeSelection,
        kinematics: Kinematics,
        kinds: Sequence[int],
    ) -> None:
        self._graph = graph
        self._kinematics = kinematics
        self._kinds = [kind for kind in kinds if kind != FREE]
        self._neighbours = _Neighbours(graph, trees) if FREE in kinds else None
        self._joints: dict[str, Edge] = {}
        for step in trees.rotation.steps:
            edge = graph.rotation.edge(step.branch)
            turns = graph.turns_at_a_point(step.branch)
            if turns in self._kinds and step.branch in trees.translation.branches:
                self._joints[step.node] = edge

    def at(self, ball: Edge) -> BallLink | None:
        """The link at either end of ``ball``, a chord of the translational graph."""
        if self._graph.turns_at_a_point(ball.name) != BALL:
            return None
        ends = [(ball.tail, ball.head), (ball.head, ball.tail)]
        joints = [self._joints.get(self._graph.body_of[node]) for node, _ in ends]
        for kind in self._kinds:
            for joint, (node, target) in zip(joints, ends, strict=True):
                if joint is not None and self._graph.turns_at_a_point(joint.name) == kind:
                    link = self._link(joint, node, target, forward=node == ball.tail)
                    if link is not None:
                        return link
        return None

    def neighbour(self, ball: Edge) -> str | None:
        """The body in whose axes the loop of ``ball`` has one free turn alone, if it is sought."""
        return None if self._neighbours is None else self._neighbours.of(ball)

    def _link(self, joint: Edge, node: str, target: str, *, forward: bool) -> BallLink | None:
        body = self._graph.body_of[node]
        edge = self._graph.translation.edge(joint.name)
        ends = (edge.tail, edge.head)
        own, base = ends if self._graph.body_of[edge.tail] == body else ends[::-1]
        way = self._kinematics.position[node] - self._kinematics.position[own]
        if way.parts.keys() != {body} or not self._is_apart(joint, target, base):
            return None
        arm, axis = way.parts[body], _own_axis(joint, body)
        if joint.freedoms == BALL and (axis is None or _is_zero(cross(arm, axis))):
            axis = _across(arm)
        if axis is None or _is_zero(cross(arm, axis)):
            return None
        return BallLink(body, base, target, arm, axis, unit(cross(arm, axis)), forward)

    def _is_apart(self, joint: Edge, target: str, base: str) -> bool:
        """Whether the way from the base to the target does not turn with the link."""
        positions = self._kinematics.position
        way = self._kinematics.frames.in_ground(positions[target] - positions[base])
        present = set(symbols_of(way))
        return all(self._kinematics.symbol(axis) not in present for axis in joint.motion)


class _Neighbours:
    """The bodies on which others turn freely, by the loops of balls."""

    def __init__(self, graph: LinearGraph, trees: TreeSelection) -> None:
        self._graph, self._translation = graph, trees.translation
        self._above = {step.node: step for step in trees.rotation.steps}

    def of(self, ball: Edge) -> str | None:
        """The neighbour of the first body, seen from the ground, that turns freely in the loop of ``ball``.

        ``None`` if there is none, or if the loop is written in the axes of this neighbour anyway.
        """
        graph = self._graph
        given = ball.displacement.given
        if graph.turns_at_a_point(ball.name) != BALL or not _is_zero(given):
            return None
        branches = [graph.translation.edge(name) for name, _ in self._translation.circuits[ball.name]]
        found = next(filter(None, (self._outermost(edge.displacement.frame) for edge in branches)), None)
        return None if found == ball.displacement.frame else found

    def _outermost(self, body: str) -> str | None:
        """The neighbour of the body nearest to the ground that carries ``body`` and turns freely."""
        found = None
        while body in self._above:
            step = self._above[body]
            turns = self._graph.rotation.edge(step.branch).rotation.turns
            if any(isinstance(turn, QuaternionTurn) for turn in turns):
                found = step.parent
            body = step.parent
        return found


def _is_zero(vector: Vector3) -> bool:
    return all(component.is_zero for component in vector)


def _across(arm: Vector3) -> Vector3 | None:
    """A direction perpendicular to ``arm``; none for an arm without length."""
    dag = arm[0].dag
    axes = [(dag.one, dag.zero, dag.zero), (dag.zero, dag.one, dag.zero), (dag.zero, dag.zero, dag.one)]
    # Along an axis that the arm has no part in, or else the first: not along the arm, whatever its length is.
    for axis in sorted(axes, key=lambda axis: not dot(arm, axis).is_zero):
        if not _is_zero(cross(arm, axis)):
            return unit(cross(arm, axis))
    return None


def _own_axis(joint: Edge, body: str) -> Vector3 | None:
    """The axis of a joint that is fixed in ``body``, in its axes; none where its turns have no axis."""
    turns = joint.rotation.turns if joint.head != body else joint.rotation.turns[::-1]
    axis: Vector3 | None = None
    passed = []
    for turn in turns:
        if isinstance(turn, AxisTurn):
            axis = turn.axis
            break
        if isinstance(turn, FixedTurn):
            passed.append(turn.matrix if joint.head != body else transpose(turn.matrix))
    if axis is None:
        return None
    for matrix in reversed(passed):
        axis = matvec(matrix, axis)
    return axis


def kinds_of_links(graph: LinearGraph, trees: TreeSelection) -> set[int]:
    """The kinds of links there may be; empty if no ball closes a loop."""
    if all(graph.turns_at_a_point(chord) != BALL for chord in trees.translation.chords):
        return set()
    branches = {step.branch for step in trees.rotation.steps}.intersection(trees.translation.branches)
    neighbours = _Neighbours(graph, trees)
    balls = (graph.translation.edge(name) for name in trees.translation.chords)
    free = {FREE} if any(neighbours.of(ball) for ball in balls) else set()
    return free | ({graph.turns_at_a_point(branch) for branch in branches} - {FREE})
