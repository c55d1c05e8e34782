"""The angles of joints, whether they are branches or chords of the R-graph.

A branch has its coordinates. A chord's angles follow from the relative rotation of its bodies, which
for a joint that is assembled has the form of its turns.
"""

from __future__ import annotations

from fmugen.errors import TreeError
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Matrix3, cross, dot, identity, matmul, matvec, rotation_about, transpose
from fmugen.ir.graph import AxisTurn, Edge, FixedTurn
from fmugen.phases.formulate.kinematics import Kinematics

__all__ = ["joint_angles"]


def joint_angles(kinematics: Kinematics, edge: Edge) -> list[Expr]:
    """The angle of every axis of an R-edge, in the order of its turns."""
    turns = [turn for turn in edge.rotation.turns if isinstance(turn, AxisTurn)]
    if kinematics.is_branch(edge):
        return [turn.given + kinematics.coordinate(turn) for turn in turns]
    if kinematics.graph.planar:
        return [kinematics.angle[edge.head] - kinematics.angle[edge.tail]]
    twin = _parallel_branch(kinematics, edge)
    if twin is not None:
        return joint_angles(kinematics, twin)
    if len(turns) > 2:
        raise TreeError(f"the angles of {edge.name} are known only where it is in the rotational tree")
    return _extract(edge, turns, kinematics.frames.rotation(edge.tail, edge.head))


def _parallel_branch(kinematics: Kinematics, edge: Edge) -> Edge | None:
    """A branch that turns the same bodies about the same axes, whose coordinates count full turns."""
    shape = _shape(edge)
    for other in kinematics.graph.rotation.edges:
        same_ends = (other.tail, other.head) == (edge.tail, edge.head)
        if same_ends and kinematics.is_branch(other) and _shape(other) == shape:
            return other
    return None


def _shape(edge: Edge) -> list[object]:
    """What the turns of an edge are, but for their coordinates."""
    return [(t.axis, t.zero, t.given) if isinstance(t, AxisTurn) else t for t in edge.rotation.turns]


def _extract(edge: Edge, turns: list[AxisTurn], matrix: Matrix3) -> list[Expr]:
    """One or two angles from the rotation they make together.

    With two, the first is the one by which the second axis has turned about the first.
    """
    before, after = _fixed_parts(edge)
    rest = matmul(matmul(transpose(before), matrix), transpose(after))
    dag = rest[0][0].dag
    angles = []
    for turn, following in zip(turns, [*turns[1:], None], strict=True):
        marker = turn.zero if following is None else following.axis
        across = cross(turn.axis, marker)
        moved = matvec(rest, marker)
        angle = dag.call("atan2", dot(across, moved), dot(marker, moved))
        angles.append(angle)
        rest = matmul(transpose(rotation_about(turn.axis, angle)), rest)
    return angles


def _fixed_parts(edge: Edge) -> tuple[Matrix3, Matrix3]:
    """The constant rotations before the first and after the last axis."""
    turns = edge.rotation.turns
    dag = next(turn for turn in turns if isinstance(turn, AxisTurn)).given.dag
    before = after = identity(dag)
    seen = False
    for turn in turns:
        if isinstance(turn, AxisTurn):
            seen = True
        elif isinstance(turn, FixedTurn):
            if seen:
                after = matmul(after, turn.matrix)
            else:
                before = matmul(before, turn.matrix)
    return before, after
