"""Recursions over a tree of bodies: M, M q'' and M^-1 F in operations that grow with the number of bodies.

- ``mass_matrix``: composite bodies (Walker and Orin), one force along each way to the ground.
- ``inertial_forces``: M q'' without M, outwards for accelerations and inwards for forces.
- ``accelerations``: M^-1 F by articulated bodies (Featherstone), which are the factors of M one body at a
  time. Forces of velocities are in F already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fmugen.expr.dag import Dag, Expr
from fmugen.expr.vectors import Matrix3, Vector3, add3, cross, matmul, matvec, transpose
from fmugen.ir.body_tree import BodyTree, Free, Inertia, Shift, Step, Turn, Vector6

__all__ = ["accelerations", "dot6", "inertial_forces", "mass_matrix", "moved", "returned"]

_SIZE = 6


def mass_matrix(tree: BodyTree, dag: Dag) -> dict[tuple[int, int], Expr]:
    """The entries of M on and below its diagonal that are not zero."""
    found: dict[tuple[int, int], Expr] = {}
    composite = [_Spatial.of(body.inertia, dag) for body in tree.bodies]
    for number in reversed(range(len(tree.bodies))):
        body, inertia = tree.bodies[number], composite[number]
        for place in reversed(range(len(body.way))):
            step = body.way[place]
            if isinstance(step, Free):
                for k, direction in zip(step.numbers, step.directions, strict=True):
                    force = inertia.times(direction)
                    for j, entry in _met(tree, number, place, force):
                        found[max(k, j), min(k, j)] = entry
            else:
                inertia = inertia.returned(step)
        if body.parent is not None:
            composite[body.parent] = composite[body.parent].plus(inertia)
    return {place: entry for place, entry in found.items() if not entry.is_zero}


def _met(tree: BodyTree, number: int, place: int, force: Vector6) -> Iterator[tuple[int, Expr]]:
    """The work of a force on all coordinates between a step of a body and the ground."""
    current: int | None = number
    while current is not None:
        body = tree.bodies[current]
        for step in reversed(body.way[: place + 1]):
            if isinstance(step, Free):
                for j, direction in zip(step.numbers, step.directions, strict=True):
                    yield j, dot6(direction, force)
            else:
                force = returned(step, force)
        current = body.parent
        place = -1 if current is None else len(tree.bodies[current].way)


def inertial_forces(tree: BodyTree, seconds: Sequence[Expr]) -> list[Expr]:
    """M q'' for the accelerations ``seconds``."""
    dag = seconds[0].dag
    nothing: Vector6 = (dag.zero,) * _SIZE  # type: ignore[assignment]
    found = [dag.zero] * tree.coordinates
    reached: list[Vector6] = []
    for body in tree.bodies:
        state: Vector6 = nothing if body.parent is None else reached[body.parent]
        for step in body.way:
            if isinstance(step, Free):
                for k, direction in zip(step.numbers, step.directions, strict=True):
                    state = _add6(state, _scale6(seconds[k], direction))
            else:
                state = moved(step, state)
        reached.append(state)
    forces = [
        _Spatial.of(body.inertia, dag).times(state) for body, state in zip(tree.bodies, reached, strict=True)
    ]
    for number in reversed(range(len(tree.bodies))):
        body, force = tree.bodies[number], forces[number]
        for step in reversed(body.way):
            if isinstance(step, Free):
                for k, direction in zip(step.numbers, step.directions, strict=True):
                    found[k] = dot6(direction, force)
            else:
                force = returned(step, force)
        if body.parent is not None:
            forces[body.parent] = _add6(forces[body.parent], force)
    return found


@dataclass(frozen=True)
class _Eliminated:
    """A direction solved for: q'' = ``rate`` - ``factor`` . (acceleration before the step)."""

    direction: Vector6
    rate: Expr
    factor: Vector6


def accelerations(tree: BodyTree, forces: Sequence[Expr]) -> tuple[list[Expr], list[Expr]]:
    """The pivots, from the leaves to the ground, and M^-1 F by coordinate.

    Of four Euler parameters that share a step, forces and accelerations are those of the parameters. They
    have unit length, and their accelerations are without the part that keeps it.
    """
    dag = forces[0].dag
    zero6: Vector6 = (dag.zero,) * _SIZE  # type: ignore[assignment]
    articulated = [_Spatial.of(body.inertia, dag) for body in tree.bodies]
    pushed: list[Vector6] = [zero6 for _ in tree.bodies]
    solved: dict[tuple[int, int], list[_Eliminated]] = {}
    pivots: list[Expr] = []
    for number in reversed(range(len(tree.bodies))):
        body, inertia, push = tree.bodies[number], articulated[number], pushed[number]
        for place in reversed(range(len(body.way))):
            step = body.way[place]
            if not isinstance(step, Free):
                inertia, push = inertia.returned(step), returned(step, push)
                continue
            own = solved[number, place] = []
            for direction, force in reversed(_independent(step, forces)):
                column = inertia.times(direction)
                pivot = dot6(direction, column)
                pivots.append(pivot)
                inverse = 1 / pivot
                factor = _scale6(inverse, column)
                effort = force + dot6(direction, push)
                own.append(_Eliminated(direction, effort * inverse, factor))
                inertia = inertia.less(column, factor, direction)
                push = _add6(push, _scale6(-effort, factor))
        if body.parent is not None:
            articulated[body.parent] = articulated[body.parent].plus(inertia)
            pushed[body.parent] = _add6(pushed[body.parent], push)
    return pivots, _outward(tree, solved, zero6)


def _outward(
    tree: BodyTree, solved: dict[tuple[int, int], list[_Eliminated]], nothing: Vector6
) -> list[Expr]:
    found: list[Expr] = [nothing[0]] * tree.coordinates
    reached: list[Vector6] = []
    for number, body in enumerate(tree.bodies):
        state = nothing if body.parent is None else reached[body.parent]
        for place, step in enumerate(body.way):
            if not isinstance(step, Free):
                state = moved(step, state)
                continue
            values = []
            for each in reversed(solved[number, place]):
                value = each.rate - dot6(each.factor, state)
                values.append(value)
                state = _add6(state, _scale6(value, each.direction))
            if not step.is_attitude:
                found[step.numbers[0]] = values[0]
                continue
            for k, direction in zip(step.numbers, step.directions, strict=True):
                found[k] = direction[0].dag.add(a * b for a, b in zip(direction, values, strict=False)) / 4
        reached.append(state)
    return found


def _independent(step: Free, forces: Sequence[Expr]) -> list[tuple[Vector6, Expr]]:
    """The directions of a step that do not depend on each other, with the forces along them.

    The angular velocity by Euler parameters is V p', and V V^T = 4: its torque is V f / 4.
    """
    if not step.is_attitude:
        return [(step.directions[0], forces[step.numbers[0]])]
    dag = forces[0].dag
    found: list[tuple[Vector6, Expr]] = []
    for axis in range(3):
        unit = tuple(dag.one if i == axis else dag.zero for i in range(_SIZE))
        pairs = zip(step.numbers, step.directions, strict=True)
        torque = dag.add(direction[axis] * forces[k] for k, direction in pairs) / 4
        found.append((unit, torque))  # type: ignore[arg-type]
    return found


# --- steps ----------------------------------------------------------------------------------------------


def moved(step: Step, state: Vector6) -> Vector6:
    """An acceleration after a step that brings no coordinate."""
    turning, moving = _halves(state)
    if isinstance(step, Turn):
        matrix = transpose(step.matrix)
        return (*matvec(matrix, turning), *matvec(matrix, moving))
    if isinstance(step, Shift):
        return (*turning, *add3(moving, cross(turning, step.arm)))
    zero = state[0].dag.zero
    return (zero, zero, zero, *moving)


def returned(step: Step, force: Vector6) -> Vector6:
    """A torque and a force after a step as they act before it."""
    turning, pulling = _halves(force)
    if isinstance(step, Turn):
        return (*matvec(step.matrix, turning), *matvec(step.matrix, pulling))
    if isinstance(step, Shift):
        return (*add3(turning, cross(step.arm, pulling)), *pulling)
    zero = force[0].dag.zero
    return (zero, zero, zero, *pulling)


def _halves(vector: Vector6) -> tuple[Vector3, Vector3]:
    a, b, c, d, e, f = vector
    return (a, b, c), (d, e, f)


def _add6(one: Vector6, other: Vector6) -> Vector6:
    return tuple(a + b for a, b in zip(one, other, strict=True))  # type: ignore[return-value]


def _scale6(factor: Expr, vector: Vector6) -> Vector6:
    return tuple(factor * part for part in vector)  # type: ignore[return-value]


def dot6(one: Vector6, other: Vector6) -> Expr:
    return one[0].dag.add(a * b for a, b in zip(one, other, strict=True))


# --- inertias -------------------------------------------------------------------------------------------

_Rows = list[list[Expr]]


@dataclass(frozen=True)
class _Spatial:
    """A symmetric matrix of six rows: ``turning`` and ``moving`` on the diagonal, ``mixed`` to the right."""

    turning: _Rows
    mixed: _Rows
    moving: _Rows

    @classmethod
    def of(cls, inertia: Inertia, dag: Dag) -> _Spatial:
        zero, m = dag.zero, inertia.mass
        x, y, z = inertia.moments
        skew = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
        return cls(
            [list(row) for row in inertia.tensor],
            skew,
            [[m if i == j else zero for j in range(3)] for i in range(3)],
        )

    def plus(self, other: _Spatial) -> _Spatial:
        return _Spatial(
            _sum(self.turning, other.turning),
            _sum(self.mixed, other.mixed),
            _sum(self.moving, other.moving),
        )

    def times(self, vector: Vector6) -> Vector6:
        add = vector[0].dag.add
        turning, moving = _halves(vector)
        up = [
            add(a * b for a, b in zip((*self.turning[i], *self.mixed[i]), vector, strict=True))
            for i in range(3)
        ]
        columns = [[self.mixed[i][j] for i in range(3)] for j in range(3)]
        down = [
            add(a * b for a, b in zip((*columns[j], *self.moving[j]), (*turning, *moving), strict=True))
            for j in range(3)
        ]
        return (*up, *down)  # type: ignore[return-value]

    def less(self, column: Vector6, factor: Vector6, direction: Vector6) -> _Spatial:
        """Without what a free direction does not transmit."""
        dag = column[0].dag
        lying = [i for i in range(_SIZE) if not direction[i].is_zero]
        along = lying[0] if len(lying) == 1 else None

        def entry(value: Expr, i: int, j: int) -> Expr:
            return dag.zero if along in (i, j) else value - factor[i] * column[j]

        turning = [
            [entry(self.turning[max(i, j)][min(i, j)], max(i, j), min(i, j)) for j in range(3)]
            for i in range(3)
        ]
        mixed = [[entry(self.mixed[i][j], i, j + 3) for j in range(3)] for i in range(3)]
        moving = [
            [entry(self.moving[max(i, j)][min(i, j)], max(i, j) + 3, min(i, j) + 3) for j in range(3)]
            for i in range(3)
        ]
        return _Spatial(turning, mixed, moving)

    def returned(self, step: Step) -> _Spatial:
        """As it is felt before a step."""
        if isinstance(step, Turn):
            turned = _turned if step.axis is None else _turned_about
            return _Spatial(*(turned(step, block) for block in (self.turning, self.mixed, self.moving)))
        if isinstance(step, Shift):
            return self._shifted(step.arm)
        zero = self.moving[0][0].dag.zero
        nothing = [[zero] * 3 for _ in range(3)]
        return _Spatial(nothing, nothing, self.moving)

    def _shifted(self, arm: Vector3) -> _Spatial:
        """(r x) is a matrix: mixed + (r x) moving, turning + (r x) mixed^T - (mixed + (r x) moving) (r x)."""
        dag = arm[0].dag
        x, y, z = arm
        skew = [[dag.zero, -z, y], [z, dag.zero, -x], [-y, x, dag.zero]]
        mixed = [
            [
                dag.add([self.mixed[i][j], *(skew[i][k] * self.moving[k][j] for k in range(3))])
                for j in range(3)
            ]
            for i in range(3)
        ]
        turning: _Rows = [[dag.zero] * 3 for _ in range(3)]
        for i in range(3):
            for j in range(i + 1):
                parts = [skew[i][k] * self.mixed[j][k] for k in range(3)]
                parts += [-mixed[i][k] * skew[k][j] for k in range(3)]
                turning[i][j] = turning[j][i] = dag.add([self.turning[i][j], *parts])
        return _Spatial(turning, mixed, self.moving)


def _sum(one: _Rows, other: _Rows) -> _Rows:
    return [[a + b for a, b in zip(row, match, strict=True)] for row, match in zip(one, other, strict=True)]


def _turned(step: Turn, block: _Rows) -> _Rows:
    matrix = step.matrix
    rows: Matrix3 = tuple(tuple(row) for row in block)  # type: ignore[assignment]
    found = [list(row) for row in matmul(matmul(matrix, rows), transpose(matrix))]
    if all(block[i][j] is block[j][i] for i in range(3) for j in range(i)):
        for i in range(3):
            for j in range(i):
                found[j][i] = found[i][j]
    return found


def _turned_about(step: Turn, block: _Rows) -> _Rows:
    """The same about an axis of the frame, with half of the operations.

    With m = s (a11 - a22) + c (a12 + a21) the turned entries are a11 - s m, a22 + s m, c m - a21, c m - a12.
    """
    if step.axis is None:
        raise ValueError("the turn is about no axis of the frame")
    k, i, j = (step.axis + n for n in range(3))
    k, i, j = k % 3, i % 3, j % 3
    c, s = step.matrix[i][i], step.matrix[j][i]
    found = [list(row) for row in block]
    mixed = s * (block[i][i] - block[j][j]) + c * (block[i][j] + block[j][i])
    found[i][i] = block[i][i] - s * mixed
    found[j][j] = block[j][j] + s * mixed
    found[i][j] = c * mixed - block[j][i]
    found[j][i] = c * mixed - block[i][j]
    found[i][k] = c * block[i][k] - s * block[j][k]
    found[j][k] = s * block[i][k] + c * block[j][k]
    found[k][i] = c * block[k][i] - s * block[k][j]
    found[k][j] = s * block[k][i] + c * block[k][j]
    return found
