"""Links between a cross and a ball: their loop in the axes of the link (Uchida 5.2).

The ball at the end of such a link is at a constant distance from the cross at its other end. Where the link
hangs on its cross, that one equation is free of both angles of the cross; of the other two, along the axis of
the cross that is fixed in the link and across it, the first is free of the angle about that axis. Written so,
the order of solution sees that what the link carries can be found before the link itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from fmugen.expr.calculus import symbols_of
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, cross, dot, matvec, transpose, unit
from fmugen.ir.graph import AxisTurn, Domain, Edge, EdgeKind, FixedTurn, LinearGraph
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate.kinematics import Kinematics

__all__ = ["Link", "Links"]


@dataclass(frozen=True)
class Link:
    """A link ``body`` that leads from the node ``base``, not of its own, by ``arm`` to a ball.

    ``target`` is the node that the ball joins to it, ``axis`` the axis of its cross, ``normal`` perpendicular
    to that and to the arm; arm, axis and normal are in the axes of the link. ``forward`` tells that the ball
    points from the link to the target.
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
    """Finds the link that a ball belongs to."""

    def __init__(self, graph: LinearGraph, trees: TreeSelection, kinematics: Kinematics) -> None:
        self._graph = graph
        self._kinematics = kinematics
        hanging = {link.node: link.branch for link in trees.rotation.links}
        branches = {Domain.TRANSLATION: trees.translation.branches, Domain.ROTATION: trees.rotation.branches}
        self._crosses: dict[str, Edge] = {}
        for body, branch in hanging.items():
            edge = graph.rotation.edge(branch)
            if edge.kind is EdgeKind.UNIVERSAL and branch in branches[Domain.TRANSLATION]:
                self._crosses[body] = edge

    def at(self, ball: Edge) -> Link | None:
        """The link at either end of ``ball``, a chord of the translational graph."""
        if ball.kind is not EdgeKind.SPHERICAL:
            return None
        for node, target in ((ball.tail, ball.head), (ball.head, ball.tail)):
            link = self._link(node, target, forward=node == ball.tail)
            if link is not None:
                return link
        return None

    def _link(self, node: str, target: str, *, forward: bool) -> Link | None:
        body = self._graph.body_of[node]
        joint = self._crosses.get(body)
        if joint is None:
            return None
        edge = self._graph.translation.edge(joint.name)
        ends = (edge.tail, edge.head)
        own, base = ends if self._graph.body_of[edge.tail] == body else ends[::-1]
        way = self._kinematics.position[node] - self._kinematics.position[own]
        if way.parts.keys() != {body} or not self._is_apart(joint, target, base):
            return None
        arm, axis = way.parts[body], _own_axis(joint, body)
        normal = cross(arm, axis)
        if all(component.is_zero for component in normal):
            return None
        return Link(body, base, target, arm, axis, unit(normal), forward)

    def _is_apart(self, joint: Edge, target: str, base: str) -> bool:
        """Whether the way from the base to the target does not turn with the link."""
        positions = self._kinematics.position
        way = self._kinematics.frames.in_ground(positions[target] - positions[base])
        present = set(symbols_of(way))
        return all(self._kinematics.symbol(axis) not in present for axis in joint.motion)


def _own_axis(joint: Edge, body: str) -> Vector3:
    """The axis of a cross that is fixed in ``body``, in its axes."""
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
        raise ValueError(f"{joint.name} has no axis")
    for matrix in reversed(passed):
        axis = matvec(matrix, axis)
    return axis
