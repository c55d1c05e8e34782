"""The angles of joints, springs and drivers, whether they are branches or chords of the R-graph.

A branch has its coordinates. The angle of a chord follows from the rotation of its bodies against each other:

* where that is made of turns about the axis of the chord only, the angle is the sum of these turns;
* else it is the angle that a direction across the axis has turned by, which jumps by a turn (atan2).

Angles count turns. A sum of coordinates does so by itself, from its start on. Of an angle that jumps the turn
is the one nearest to a value that is remembered (``CountedAngle``). At the start the gap of a constraint that
is linear in the angle tells its turn, as the slide of a screw does. The angle of a spring is the sum of those
of the joints and drivers with its axis that lead from one of its ends to the other, where there are such.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import pi

from fmugen.errors import TreeError
from fmugen.expr.calculus import Tangent, postorder
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.generic import Generic
from fmugen.expr.substitute import Sample, substitute
from fmugen.expr.vectors import (
    Matrix3,
    Vector3,
    cross,
    dot,
    identity,
    matmul,
    matvec,
    rotation_about,
    transpose,
)
from fmugen.ir.dae import CountedAngle
from fmugen.ir.graph import AxisTurn, Edge, FixedTurn, QuaternionTurn, Role
from fmugen.ir.motion import Motion
from fmugen.ir.tree import SpanningTree
from fmugen.phases.formulate.kinematics import Kinematics

__all__ = ["Angles", "fixed_parts"]

#: The roles of edges whose axis a spring may be wound about.
_AXLES = (Role.JOINT, Role.DRIVER)


@dataclass(frozen=True)
class _Step:
    """An R-edge on the way from one body to another; ``forward`` from its tail to its head."""

    edge: Edge
    forward: bool

    @property
    def begin(self) -> str:
        return self.edge.tail if self.forward else self.edge.head

    @property
    def end(self) -> str:
        return self.edge.head if self.forward else self.edge.tail


class Angles:
    """The angles of R-edges; ``starts`` are the start values that the model gives, by quantity.

    ``sample`` tells the values of parameters.
    """

    def __init__(
        self, kinematics: Kinematics, tree: SpanningTree, starts: Mapping[str, Expr], sample: Sample
    ) -> None:
        self._kinematics, self._starts, self._sample = kinematics, starts, sample
        self._up = {
            step.node: _Step(kinematics.graph.rotation.edge(step.branch), step.forward) for step in tree.steps
        }
        self._generic = Generic()
        self._known: dict[str, list[Expr]] = {}
        self._counted: dict[str, CountedAngle] = {}
        self._motion: Callable[[Edge], Motion] | None = None

    def attach(self, motion: Callable[[Edge], Motion]) -> None:
        """Gaps of constraints can be read once the motions of edges are known (which need angles)."""
        self._motion = motion

    def __call__(self, edge: Edge) -> list[Expr]:
        """The angle of every axis of an R-edge, in the order of its turns."""
        if edge.name not in self._known:
            self._known[edge.name] = self._find(edge)
            self._wind(edge)
        return self._known[edge.name]

    @property
    def counted(self) -> tuple[CountedAngle, ...]:
        """All angles so far whose turns are counted, those that jump first."""
        return tuple(sorted(self._counted.values(), key=lambda angle: not angle.jumps))

    def _find(self, edge: Edge) -> list[Expr]:
        kinematics = self._kinematics
        turns = _axis_turns(edge)
        if kinematics.is_branch(edge):
            return [turn.given + kinematics.coordinate(turn) for turn in turns]
        if kinematics.graph.planar:
            return [kinematics.angle[edge.head] - kinematics.angle[edge.tail]]
        if all(turn.motion is None for turn in turns):
            return [turn.given for turn in turns]
        if len(turns) > 2:
            raise TreeError(f"the angles of {edge.name} are known only where it is in the rotational tree")
        names = [turn.motion.coordinate for turn in turns if turn.motion is not None]
        if edge.law is not None and (wound := self._wound_from_start(edge, names[0])) is not None:
            return [wound]
        summed = self._summed(edge)
        if summed is not None:
            return [self._count(names[0], summed, self._start(names[0]), jumps=False)]
        extracted = _extract(edge, turns, kinematics.frames.rotation(edge.tail, edge.head))
        return [
            self._count(name, base, self._start(name), jumps=True)
            for name, base in zip(names, extracted, strict=True)
        ]

    def _wound_from_start(self, edge: Edge, name: str) -> Expr | None:
        """The angle of a spring as a sum of joint angles about its axis.

        Its start value selects the turn.
        """
        wound, start = self._wound(edge), self._starts.get(name)
        if wound is None or start is None:
            return wound
        return self._count(name, wound, start, jumps=False)

    def _count(self, name: str, base: Expr, start: Expr, *, jumps: bool) -> Expr:
        symbol = base.dag.symbol(f"{name}.{'near' if jumps else 'turns'}", SymbolRole.TURNS)
        angle = self._counted[name] = CountedAngle(name, symbol, base, start, jumps)
        return angle.value

    def _start(self, name: str) -> Expr:
        """The angle closest to which an angle is at the start."""
        return self._starts.get(name, self._kinematics.frames.dag.zero)

    def _wind(self, edge: Edge) -> None:
        """Where a gap is linear in the angle of ``edge``, the angle that closes it is that at the start."""
        names = [turn.motion.coordinate for turn in _axis_turns(edge) if turn.motion is not None]
        angle = self._counted.get(names[0]) if len(names) == 1 else None
        if angle is None or self._motion is None:
            return
        dag = angle.base.dag
        for constraint in self._kinematics.graph.constraints:
            if constraint.gap is None or all(term.edge.name != edge.name for term in constraint.terms):
                continue
            gap = constraint.gap(self._motion(constraint.terms[0].edge))
            slope = Tangent(dag, {angle.added: dag.one})(gap)
            if angle.added not in postorder((slope,)) and self._sample(slope) != 0.0:
                rest = substitute(gap, {angle.added: -angle.base})
                self._counted[angle.name] = replace(angle, start=-rest / slope)

    # --- turns about one axis ------------------------------------------------------------------------

    def _summed(self, edge: Edge) -> Expr | None:
        """The angle as a sum of coordinates of the tree, up to whole turns."""
        return self._sum(edge, self._way(edge.tail, edge.head)) if len(_axis_turns(edge)) == 1 else None

    def _wound(self, spring: Edge) -> Expr | None:
        """The angle as a sum of the angles of joints and drivers."""
        ways: dict[str, list[_Step]] = {spring.tail: []}
        bodies = deque([spring.tail])
        while bodies:
            body = bodies.popleft()
            for step in self._axles(body):
                way = [*ways[body], step]
                if step.end not in ways and self._turned(spring, way) is not None:
                    ways[step.end] = way
                    bodies.append(step.end)
        return self._sum(spring, ways[spring.head]) if spring.head in ways else None

    def _axles(self, body: str) -> Iterator[_Step]:
        for edge in self._kinematics.graph.rotation.edges:
            if edge.role in _AXLES and body in (edge.tail, edge.head):
                yield _Step(edge, edge.tail == body)

    def _way(self, tail: str, head: str) -> list[_Step]:
        """The branches that lead from one body to another."""
        above = {body: number for number, body in enumerate(self._ancestors(tail))}
        down = []
        while head not in above:
            step = self._up[head]
            down.append(step)
            head = step.begin
        up = []
        while tail != head:
            step = self._up[tail]
            up.append(_Step(step.edge, not step.forward))
            tail = step.begin
        return [*up, *reversed(down)]

    def _ancestors(self, body: str) -> Iterator[str]:
        yield body
        while body in self._up:
            body = self._up[body].begin
            yield body

    def _sum(self, edge: Edge, way: Sequence[_Step]) -> Expr | None:
        """The angle of ``edge`` as a sum of the angles between its bodies.

        ``None`` if axes of other directions turn.
        """
        found = self._turned(edge, way)
        if found is None:
            return None
        signs, fixed = found
        before, after = fixed_parts(edge)
        axis, zero = _first_axis(edge, before)
        rest = matmul(fixed, transpose(matmul(before, after)))
        if not self._are_equal(matvec(rest, axis), axis):
            return None
        turning = [step for step in way if _axis_turns(step.edge)]
        dag = zero[0].dag
        angles = [sign * self(step.edge)[0] for step, sign in zip(turning, signs, strict=True)]
        return dag.add([*angles, self._offset(axis, zero, matvec(rest, zero))])

    def _offset(self, axis: Vector3, zero: Vector3, moved: Vector3) -> Expr:
        """The constant angle about an axis by which ``zero`` is ``moved``."""
        dag = zero[0].dag
        if self._are_equal(moved, zero):
            return dag.zero
        if self._are_equal(moved, _opposite(zero)):
            return dag.number(Fraction(pi))
        return dag.call("atan2", dot(cross(axis, zero), moved), dot(zero, moved))

    def _turned(self, edge: Edge, way: Sequence[_Step]) -> tuple[list[int], Matrix3] | None:
        """The signs of the turning edges on a way about the axis of ``edge``, and what they turn.

        The rotation along the way is that about the axis by the sum of their angles, times a constant one.
        """
        axis, _ = _first_axis(edge, fixed_parts(edge)[0])
        fixed = identity(axis[0].dag)
        signs = []
        for step in way:
            turns = step.edge.rotation.turns
            for turn in turns if step.forward else reversed(turns):
                if isinstance(turn, FixedTurn):
                    fixed = matmul(fixed, turn.matrix if step.forward else transpose(turn.matrix))
                    continue
                if isinstance(turn, QuaternionTurn) or len(_axis_turns(step.edge)) > 1:
                    return None
                direction = matvec(fixed, turn.axis)
                along = self._are_equal(direction, axis)
                if not along and not self._are_equal(direction, _opposite(axis)):
                    return None
                signs.append(1 if along == step.forward else -1)
        return signs, fixed

    def _are_equal(self, one: Vector3, other: Vector3) -> bool:
        return all(self._generic.are_equal(a, b) for a, b in zip(one, other, strict=True))


def _axis_turns(edge: Edge) -> list[AxisTurn]:
    return [turn for turn in edge.rotation.turns if isinstance(turn, AxisTurn)]


def _first_axis(edge: Edge, before: Matrix3) -> tuple[Vector3, Vector3]:
    """The first axis of an edge and the direction that shows its angle, in the axes of the tail's body."""
    turn = _axis_turns(edge)[0]
    return matvec(before, turn.axis), matvec(before, turn.zero)


def _opposite(vector: Vector3) -> Vector3:
    return -vector[0], -vector[1], -vector[2]


def _extract(edge: Edge, turns: list[AxisTurn], matrix: Matrix3) -> list[Expr]:
    """One or two angles from the rotation they make together, up to whole turns.

    With two, the first is the one by which the second axis has turned about the first.
    """
    before, after = fixed_parts(edge)
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


def fixed_parts(edge: Edge) -> tuple[Matrix3, Matrix3]:
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
