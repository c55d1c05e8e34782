"""Projected circuit equations: a constraint for every reaction direction of a chord (McPhee, step 2).

The circuit equation of a chord, projected onto its reaction space, at the levels of position,
velocity and acceleration. A chord's reaction on its head is minus its multiplier times a direction,
so that the constraints enter the dynamic equations as ``+ Phi_q^T lambda``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fmugen.expr.calculus import Tangent
from fmugen.expr.dag import Expr, SymbolRole
from fmugen.expr.substitute import substitute
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
from fmugen.ir.dae import UNIT_LENGTH, Constraint, Coordinate, Origin
from fmugen.ir.graph import (
    Alignment,
    AngleReaction,
    AxisTurn,
    Domain,
    Edge,
    EdgeConstraint,
    FixedTurn,
    LinearGraph,
    QuaternionTurn,
    Role,
    Term,
)
from fmugen.ir.motion import Motion
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate.frames import Affine, FrameVector
from fmugen.phases.formulate.irrelevant import IrrelevantAngles
from fmugen.phases.formulate.kinematics import Kinematics
from fmugen.phases.formulate.links import BallLink, Links
from fmugen.phases.formulate.turns import first_axis

__all__ = ["Circuit", "project_circuits"]


@dataclass(frozen=True)
class Circuit:
    """A constraint, and what its multiplier does: minus it, along a direction, on the head of an edge.

    A constraint of ``speeds`` has no position level: its ``phi`` is zero everywhere.
    """

    constraint: Constraint
    acts: tuple[tuple[Edge, FrameVector], ...]
    speeds: bool = False


def project_circuits(
    graph: LinearGraph,
    trees: TreeSelection,
    kinematics: Kinematics,
    coordinates: tuple[Coordinate, ...],
    links: Links,
    motion: Callable[[Edge], Motion],
) -> tuple[Circuit, ...]:
    """All constraints, those of rotation first; rows that are identically zero are left out.

    The loops of ``links`` are written in the axes of the link. Gaps of constraints between edges read the
    ``motion`` of their first edge.
    """
    builder = _Circuits(graph, kinematics, coordinates, links, motion)
    circuits: list[Circuit] = []
    for edge in graph.rotation.edges:
        if edge.name in trees.rotation.branches:
            circuits.extend(builder.unit_lengths(edge))
    for domain in (Domain.ROTATION, Domain.TRANSLATION):
        chords = set(trees.domain(domain).chords)
        for edge in graph.domain(domain).edges:
            if edge.name in chords:
                circuits.extend(builder.of_chord(edge))
    circuits.extend(builder.of_constraint(each) for each in graph.constraints)
    if not graph.planar:
        irrelevant = IrrelevantAngles(graph.symbols.dag, coordinates)
        circuits = [
            c if c.speeds else replace(c, constraint=irrelevant.set_to_zero(c.constraint)) for c in circuits
        ]
    return tuple(c for c in circuits if c.constraint.jacobian or not c.constraint.phi.is_zero)


class _Circuits:
    def __init__(
        self,
        graph: LinearGraph,
        kinematics: Kinematics,
        coordinates: tuple[Coordinate, ...],
        links: Links,
        motion: Callable[[Edge], Motion],
    ) -> None:
        self._kinematics = kinematics
        self._links = links
        self._motion = motion
        self._dag = graph.symbols.dag
        self._by_time = Tangent(self._dag, graph.symbols.rates)
        moving = {coordinate.position: coordinate.velocity for coordinate in coordinates}
        self._along_motion = Tangent(self._dag, graph.symbols.rates | moving)
        self._index = {coordinate.acceleration: index for index, coordinate in enumerate(coordinates)}
        self._coordinates = {coordinate.name: coordinate for coordinate in coordinates}

    def of_chord(self, edge: Edge) -> Iterator[Circuit]:
        if edge.domain is Domain.TRANSLATION:
            link = self._links.at(edge)
            if link is not None:
                yield from self._of_link(edge, link)
                return
            neighbour = self._links.neighbour(edge)
            if neighbour is not None:
                yield from self._seen_from(edge, neighbour)
                return
            if edge.displacement.distance is not None:
                yield self._distance(edge, edge.displacement.distance)
            for number, axis in enumerate(edge.displacement.reaction):
                yield self._displacement(edge, axis, _direction(edge, number))
            return
        upright = tuple(self._upright(edge))
        for number, reaction in enumerate(edge.rotation.reaction):
            if isinstance(reaction, AngleReaction):
                yield self._angle(edge)
                continue
            circuit = self._alignment(edge, reaction, number)
            if upright and circuit.constraint.jacobian:
                circuit = replace(circuit, constraint=replace(circuit.constraint, closed=upright))
                upright = ()
            facing = tuple(self._facing(edge))
            yield replace(circuit, constraint=replace(circuit.constraint, facing=facing))

    def _upright(self, edge: Edge) -> Iterator[Expr]:
        """Cosines minus one.

        Alignments are also met where the head is upside down on a joint. An axis of rotation is the same in
        both bodies; without rotation, all axes are.
        """
        parts = self._around_one_axis(edge)
        if parts is None:
            return
        before, turn, after = parts
        if turn is not None and turn.motion is None:
            return  # a driver
        directions = identity(self._dag) if turn is None else (turn.axis,)
        for direction in directions:
            tail = FrameVector({edge.tail: matvec(before, direction)})
            head = FrameVector({edge.head: matvec(transpose(after), direction)})
            yield self._kinematics.frames.dot(tail, head) - 1

    def _facing(self, edge: Edge) -> Iterator[Expr]:
        """The cosine between the zero direction of the head and where a driver turns it: it is positive."""
        parts = self._around_one_axis(edge)
        if parts is None:
            return
        before, driven, after = parts
        if driven is not None and driven.motion is None:
            turned = matvec(rotation_about(driven.axis, driven.given), driven.zero)
            tail = FrameVector({edge.tail: matvec(before, turned)})
            head = FrameVector({edge.head: matvec(transpose(after), driven.zero)})
            yield self._kinematics.frames.dot(tail, head)

    def _around_one_axis(self, edge: Edge) -> tuple[Matrix3, AxisTurn | None, Matrix3] | None:
        """The fixed turns before the only axis, that axis if there is one, and the fixed turns after it.

        ``None`` if the edge turns in another way.
        """
        before = after = identity(self._dag)
        axis: AxisTurn | None = None
        for turn in edge.rotation.turns:
            if isinstance(turn, FixedTurn):
                if axis is None:
                    before = matmul(before, turn.matrix)
                else:
                    after = matmul(after, turn.matrix)
            elif isinstance(turn, AxisTurn) and axis is None:
                axis = turn
            else:
                return None
        return before, axis, after

    def _displacement(self, edge: Edge, axis: Vector3, name: str) -> Circuit:
        """The displacement along an axis of the edge's frame equals what is given."""
        kinematics, across = self._kinematics, edge.displacement
        _, second = kinematics.given_rates(across.given)
        direction = FrameVector({across.frame: axis})
        gap = kinematics.displacement(edge)
        phi = kinematics.frames.position_dot(direction, gap) - dot(axis, across.given)
        jacobian, bias = self._project(kinematics.relative_acceleration(edge), direction)
        return self._circuit(edge, name, phi, jacobian, dot(axis, second) - bias, direction)

    def _distance(self, edge: Edge, length: Expr, velocity: FrameVector | None = None) -> Circuit:
        """The length of the displacement is given: (r.r - l^2) / (2 l) = 0 for a rod without mass.

        ``velocity`` is the relative velocity of its ends where that is known otherwise.
        """
        kinematics = self._kinematics
        r = kinematics.displacement(edge)
        if velocity is None:
            velocity = kinematics.velocity[edge.head] - kinematics.velocity[edge.tail]
        acceleration = kinematics.acceleration[edge.head] - kinematics.acceleration[edge.tail]
        direction = r.scaled(1 / length)
        dots = kinematics.frames.dot
        phi = kinematics.frames.position_dot(r, r) / (2 * length) - length / 2
        jacobian, bias = self._project(acceleration, direction)
        gamma = -bias - dots(velocity, velocity) / length
        return self._circuit(edge, "length", phi, jacobian, gamma, direction)

    def _of_link(self, ball: Edge, link: BallLink) -> Iterator[Circuit]:
        """The loop of a link in its own axes: its length, along an axis of its joint, and across both.

        Where the loop is closed these are the components of the ball's displacement in other directions, the
        displacement itself vanishes from their derivatives, and the ends of the link move as it turns.
        """
        kinematics = self._kinematics
        span = replace(ball, tail=link.base, head=link.target)
        arm = FrameVector({link.body: link.arm})
        turning = kinematics.frames.cross(kinematics.omega[link.body], arm)
        length = self._distance(span, link.length, turning)
        ((_, direction),) = length.acts
        yield replace(length, acts=((ball, direction if link.forward else -direction),))
        gap = kinematics.displacement(ball)
        apart = kinematics.acceleration[ball.head] - kinematics.acceleration[ball.tail]
        for axis, name in ((link.axis, "axis"), (link.normal, "normal")):
            direction = FrameVector({link.body: axis})
            jacobian, bias = self._project(apart, direction)
            phi = kinematics.frames.position_dot(direction, gap)
            circuit = self._circuit(ball, name, phi, jacobian, -bias, direction)
            if axis is link.normal:  # which a link that points the other way meets as well
                constraint = replace(circuit.constraint, closed=kinematics.frames.in_ground(gap))
                circuit = replace(circuit, constraint=constraint)
            yield circuit

    def _seen_from(self, ball: Edge, body: str) -> Iterator[Circuit]:
        """The displacement of a ball in the axes of a body; closed, it vanishes from the derivatives."""
        kinematics = self._kinematics
        gap = kinematics.displacement(ball)
        apart = kinematics.acceleration[ball.head] - kinematics.acceleration[ball.tail]
        for axis, name in zip(identity(self._dag), "xyz", strict=True):
            direction = FrameVector({body: axis})
            jacobian, bias = self._project(apart, direction)
            phi = kinematics.frames.position_dot(direction, gap)
            yield self._circuit(ball, f"{name} of {body}", phi, jacobian, -bias, direction)

    def _angle(self, edge: Edge) -> Circuit:
        """Planar: angles add, so the circuit of angles is a sum (McPhee (85))."""
        kinematics = self._kinematics
        phi = kinematics.angle[edge.head] - kinematics.angle[edge.tail] - kinematics.angle_across(edge)
        zero, one = self._dag.zero, self._dag.one
        direction = FrameVector({kinematics.frames.ground: (zero, zero, one)})
        alpha = kinematics.alpha[edge.head] - kinematics.alpha[edge.tail]
        jacobian, bias = self._project(alpha, direction)
        given = self._by_time(self._by_time(kinematics.angle_across(edge)))
        return self._circuit(edge, "angle", phi, jacobian, given - bias, direction)

    def _alignment(self, edge: Edge, pair: Alignment, number: int) -> Circuit:
        """``u . w = 0`` for u in the tail's axes and w in the head's.

        Its rate is (omega_head - omega_tail).(w x u) + w.u', which names the direction of the reaction.
        """
        kinematics = self._kinematics
        frames, omega = kinematics.frames, kinematics.omega
        first, second = kinematics.given_rates(pair.tail)
        u, w = FrameVector({edge.tail: pair.tail}), FrameVector({edge.head: pair.head})
        u_first, u_second = FrameVector({edge.tail: first}), FrameVector({edge.tail: second})
        direction = frames.cross(w, u)
        alpha = kinematics.alpha[edge.head] - kinematics.alpha[edge.tail]
        jacobian, bias = self._project(alpha, direction)
        u_rate = frames.cross(omega[edge.tail], u) + u_first
        w_rate = frames.cross(omega[edge.head], w)
        relative = omega[edge.head] - omega[edge.tail]
        turning = frames.dot(relative, frames.cross(w_rate, u) + frames.cross(w, u_rate))
        driven = frames.dot(w, frames.cross(omega[edge.tail], u_first) + u_second) + frames.dot(
            w_rate, u_first
        )
        gamma = -(bias + turning + driven)
        return self._circuit(edge, f"alignment {number + 1}", frames.dot(u, w), jacobian, gamma, direction)

    def of_constraint(self, constraint: EdgeConstraint) -> Circuit:
        """The sum of terms over several edges; one multiplier acts on all of them."""
        edge, dag = constraint.terms[0].edge, self._dag
        jacobian: dict[int, Expr] = {}
        gamma = dag.zero if constraint.rate is None else self._by_time(constraint.rate)
        acts: list[tuple[Edge, FrameVector]] = []
        for term in constraint.terms:
            direction = self._direction(term)
            entries, bias = self._project(self._across(term.edge)[1], direction)
            gamma = gamma - bias - self._turning(term, direction)
            for index, entry in entries.items():
                jacobian[index] = jacobian.get(index, dag.zero) + entry
            acts.append((term.edge, direction))
        phi = dag.zero if constraint.gap is None else constraint.gap(self._motion(edge))
        row = self._circuit(edge, constraint.name, phi, jacobian, gamma, acts[0][1]).constraint
        if constraint.gap is None:
            row = replace(row, nu=self._given(constraint))
        return Circuit(row, tuple(acts), constraint.gap is None)

    def _given(self, constraint: EdgeConstraint) -> Expr:
        """The sum of terms that the coordinates have to make: the rate, less what drivers move."""
        dag, dots = self._dag, self._kinematics.frames.dot
        terms = [(self._direction(term), term.edge) for term in constraint.terms]
        moved = dag.add(dots(direction, self._across(edge)[0]) for direction, edge in terms)
        still = substitute(moved, {c.velocity: dag.zero for c in self._coordinates.values()})
        return (dag.zero if constraint.rate is None else constraint.rate) - still

    def _across(self, edge: Edge) -> tuple[FrameVector, Affine]:
        """Velocity and acceleration of the head relative to the tail; of a T-edge as its frame sees them."""
        kinematics = self._kinematics
        if edge.domain is Domain.TRANSLATION:
            return kinematics.relative_velocity(edge), kinematics.relative_acceleration(edge)
        velocity = kinematics.omega[edge.head] - kinematics.omega[edge.tail]
        return velocity, kinematics.alpha[edge.head] - kinematics.alpha[edge.tail]

    def _direction(self, term: Term) -> FrameVector:
        return FrameVector({term.frame: self._components(term)})

    def _components(self, term: Term) -> Vector3:
        return term.direction(self._motion(term.edge)) if callable(term.direction) else term.direction

    def _turning(self, term: Term, direction: FrameVector) -> Expr:
        """The contribution of the moving direction to the acceleration of a term."""
        if not callable(term.direction):
            return self._turned(term, direction)
        x, y, z = map(self._along_motion, self._components(term))
        moved = FrameVector({term.frame: (x, y, z)})
        return self._turned(term, direction) + self._kinematics.frames.dot(self._across(term.edge)[0], moved)

    def _turned(self, term: Term, direction: FrameVector) -> Expr:
        """The contribution of the frame of a direction, which rotates."""
        kinematics, edge = self._kinematics, term.edge
        seen_from = kinematics.frames.ground
        if edge.domain is Domain.TRANSLATION:
            seen_from = edge.displacement.frame
        elif self._is_own_axis(term):
            return self._dag.zero
        if term.frame == seen_from:
            return self._dag.zero
        turning = kinematics.omega[term.frame] - kinematics.omega[seen_from]
        return kinematics.frames.dot(self._across(edge)[0], kinematics.frames.cross(turning, direction))

    def _is_own_axis(self, term: Term) -> bool:
        """Whether the direction is the only axis of a joint."""
        edge = term.edge
        if (
            callable(term.direction)
            or term.frame != edge.tail
            or edge.law is not None
            or edge.freedoms != 1
            or not edge.reactions
        ):
            return False
        return all(part.is_zero for part in cross(first_axis(edge.rotation), term.direction))

    def unit_lengths(self, edge: Edge) -> Iterator[Circuit]:
        """Euler parameters have unit length. The multiplier of this constraint does no work."""
        for turn in edge.rotation.turns:
            if isinstance(turn, QuaternionTurn):
                found = [self._coordinates[axis.coordinate] for axis in turn.motion]
                phi = self._dag.add([*(c.position**2 for c in found), self._dag.number(-1)])
                jacobian = {self._index[c.acceleration]: 2 * c.position for c in found}
                gamma = -2 * self._dag.add(c.velocity**2 for c in found)
                yield self._circuit(edge, UNIT_LENGTH, phi, jacobian, gamma, self._kinematics.frames.null)

    def _project(self, vector: Affine, direction: FrameVector) -> tuple[dict[int, Expr], Expr]:
        """Coefficients of the accelerations, and the rest, along a direction."""
        dots = self._kinematics.frames.dot
        jacobian = {self._index[u]: dots(direction, part) for u, part in vector.coefficients.items()}
        return jacobian, dots(direction, vector.const)

    def _circuit(
        self,
        edge: Edge,
        name: str,
        phi: Expr,
        jacobian: dict[int, Expr],
        gamma: Expr,
        direction: FrameVector,
    ) -> Circuit:
        label = f"{edge.name}, {name}"
        constraint = Constraint(
            label,
            Origin("circuit", edge.domain, edge.name, name),
            phi,
            {index: entry for index, entry in sorted(jacobian.items()) if not entry.is_zero},
            -self._by_time(phi),
            gamma,
            self._dag.symbol(f"lambda[{label}]", SymbolRole.MULTIPLIER),
        )
        return Circuit(constraint, () if direction.is_null else ((edge, direction),))


def _direction(edge: Edge, number: int) -> str:
    """The name of a reaction direction of a T-edge in messages and comments."""
    count = len(edge.displacement.reaction)
    if count == 1:
        return "along" if edge.role is Role.DRIVER else "normal"
    if edge.displacement.motion:
        return f"normal {number + 1}"
    return "xyz"[number]
