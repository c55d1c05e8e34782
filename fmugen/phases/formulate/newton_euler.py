"""Newton-Euler recursion over a tree of bodies: its inertias, and the forces F of its coordinates.

Spatial vectors are in the axes of each body, at the node where it hangs on its parent, planar ones in the
axes of the ground. Gravity is an acceleration of the ground where each body weighs its mass times gravity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fmugen.algebra.recursion import dot6, moved, returned
from fmugen.components.formulas import lower
from fmugen.expr.dag import Dag, Expr, SymbolRole
from fmugen.expr.vectors import Matrix3, Vector3, add3, cross, dot, is_null, matvec, null, scale3, transpose
from fmugen.ir.body_tree import BodyTree, Detach, Free, Inertia, Shift, TreeBody, Vector6
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import Domain, Edge, LinearGraph, Role
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import TreeSelection
from fmugen.phases.formulate.frames import Affine, FrameVector
from fmugen.phases.formulate.hanging import Given, Hanging, UnfitError, hanging_bodies, shown
from fmugen.phases.formulate.kinematics import Kinematics
from fmugen.phases.formulate.motion import EdgeMotion

__all__ = ["Recursion", "recursion_of"]


@dataclass(frozen=True)
class Recursion:
    """The tree, and the forces F of the coordinates."""

    tree: BodyTree
    forces: tuple[Expr, ...]


def recursion_of(
    model: SystemModel,
    graph: LinearGraph,
    trees: TreeSelection,
    kinematics: Kinematics,
    coordinates: Sequence[Coordinate],
    motion: Callable[[Edge], EdgeMotion],
) -> Recursion:
    """The recursion over the bodies.

    Raises
    ------
    UnfitError
        If they form no tree for one, or have inertias that it does not describe.
    """
    return _Builder(model, graph, trees, kinematics, coordinates, motion).build()


class _Builder:
    def __init__(
        self,
        model: SystemModel,
        graph: LinearGraph,
        trees: TreeSelection,
        kinematics: Kinematics,
        coordinates: Sequence[Coordinate],
        motion: Callable[[Edge], EdgeMotion],
    ) -> None:
        self._graph, self._trees, self._kinematics = graph, trees, kinematics
        self._motion, self._coordinates = motion, coordinates
        self._dag: Dag = graph.symbols.dag
        self._ground = trees.rotation.root
        self._null = null(self._dag)
        x, y, z = (lower(each, graph.symbols) for each in model.gravity)
        self._gravity: Vector3 = (x, y, z)

    def build(self) -> Recursion:
        hanging = hanging_bodies(self._graph, self._trees, self._kinematics, self._coordinates)
        order = {body.name: number for number, body in enumerate(hanging)}
        inertias = self._inertias(hanging)
        weights = self._find_weights()
        tree = BodyTree(
            tuple(
                TreeBody(
                    body.name,
                    order.get(body.parent),
                    tuple(given.step for given in body.way if given.step is not None),
                    inertias[body.name],
                )
                for body in hanging
            ),
            len(self._coordinates),
        )
        applied = self._applied({body.name: body for body in hanging}, weights or set())
        forces = self._forces(hanging, tree, applied, falling=weights is not None)
        return Recursion(tree, tuple(forces))

    # --- inertias and forces -----------------------------------------------------------------------------

    def _inertias(self, hanging: Sequence[Hanging]) -> dict[str, Inertia]:
        """What the bodies weigh, as their laws say."""
        dag, found = self._dag, {}
        for body in hanging:
            mass, moments = dag.zero, self._null
            tensor: list[list[Expr]] = [[dag.zero] * 3 for _ in range(3)]
            for edge in self._graph.translation.edges:
                if edge.role is Role.BODY and self._graph.body_of[edge.head] == body.name:
                    own, place = self._weigh(edge), body.places[edge.head]
                    mass, moments = mass + own, add3(moments, scale3(own, place))
                    self._add_point(tensor, own, place)
            for edge in self._graph.rotation.edges:
                if edge.role is Role.BODY and edge.head == body.name:
                    own_tensor = self._tensor(edge)
                    tensor = [
                        [a + b for a, b in zip(*rows, strict=True)]
                        for rows in zip(tensor, own_tensor, strict=True)
                    ]
            found[body.name] = self._inertia(body.name, mass, moments, tensor)
        return found

    def _inertia(self, name: str, mass: Expr, moments: Vector3, tensor: list[list[Expr]]) -> Inertia:
        if self._graph.planar:
            x, y, _ = shown(self._kinematics, name, moments)
            zero = self._dag.zero
            moments = (x, y, zero)
            tensor = [[zero] * 3, [zero] * 3, [zero, zero, tensor[2][2]]]
        rows = [(a, b, c) for a, b, c in tensor]
        return Inertia(mass, moments, (rows[0], rows[1], rows[2]))

    @staticmethod
    def _add_point(tensor: list[list[Expr]], mass: Expr, place: Vector3) -> None:
        square = dot(place, place)
        for i in range(3):
            for j in range(3):
                tensor[i][j] = tensor[i][j] - mass * place[i] * place[j]
            tensor[i][i] = tensor[i][i] + mass * square

    def _weigh(self, edge: Edge) -> Expr:
        """The mass that the law of a body gives."""
        probe = _Probe(self._motion(edge).around, edge)
        law = edge.law
        parts = {} if law is None else law(probe).coefficients[probe.unknown].parts
        return -parts[edge.head][0] if parts else self._dag.zero

    def _tensor(self, edge: Edge) -> Sequence[Vector3]:
        """The tensor that the law of a body gives."""
        law = edge.law
        if law is None:
            return [self._null] * 3
        given = law(_Probe(self._motion(edge).around, edge)).coefficients.values()
        return [row.parts.get(edge.head, self._null) for row in given]

    def _find_weights(self) -> set[str] | None:
        """The edges that weigh bodies down: at each centre its mass times gravity; else ``None``."""
        found: set[str] = set()
        if is_null(self._gravity):
            return None
        edges = self._graph.translation.edges
        for body in (edge for edge in edges if edge.role is Role.BODY):
            weight = scale3(self._weigh(body), self._gravity)
            at_center = [
                e for e in edges if e.head == body.head and e.role is Role.FORCE and e.law is not None
            ]
            own = [edge.name for edge in at_center if self._constant(edge) == weight]
            if len(own) != 1:
                return None
            found.update(own)
        return found

    def _constant(self, edge: Edge) -> Vector3 | None:
        """A force that is given in the axes of the ground."""
        if edge.law is None:
            return None
        through = edge.law(self._motion(edge))
        if through.coefficients or not through.const.parts.keys() <= {self._ground}:
            return None
        return through.const.parts.get(self._ground, self._null)

    def _applied(self, bodies: dict[str, Hanging], weights: set[str]) -> dict[str, Vector6]:
        """The torque and the force on each body, in its axes, where it hangs on its parent."""
        graph = self._graph
        found: dict[str, Vector6] = dict.fromkeys(bodies, (*self._null, *self._null))

        def act(node: str, body: str, force: FrameVector, sign: int, *, turning: bool) -> None:
            if body == self._ground or force.is_null:
                return
            axes = self._ground if graph.planar else body
            part = scale3(sign, self._kinematics.frames.resolve(force, axes))
            if turning:
                wrench: Vector6 = (*part, *self._null)
            else:
                arm = shown(self._kinematics, body, bodies[body].places[node])
                wrench = (*cross(arm, part), *part)
            found[body] = tuple(a + b for a, b in zip(found[body], wrench, strict=True))  # type: ignore[assignment]

        for domain in Domain:
            for name in self._trees.domain(domain).chords:
                edge = graph.domain(domain).edge(name)
                if edge.role is Role.BODY or edge.law is None or edge.name in weights:
                    continue
                turning = domain is Domain.ROTATION
                through = edge.law(self._motion(edge))
                if through.coefficients:
                    raise UnfitError
                for node, sign in ((edge.head, 1), (edge.tail, -1)):
                    body = node if turning else graph.body_of[node]
                    act(node, body, through.const, sign, turning=turning)
        return found

    def _own_forces(self) -> list[Expr]:
        """The work of the laws of branches on their own coordinates."""
        kinematics, found = self._kinematics, []
        for coordinate in self._coordinates:
            edge = self._graph.domain(coordinate.origin.domain).edge(coordinate.origin.edge)
            axis = kinematics.axis[coordinate.acceleration]
            if edge.law is None or edge.role is Role.BODY:
                found.append(self._dag.zero)
                continue
            law = edge.law(self._motion(edge))
            if law.coefficients:
                raise UnfitError
            found.append(kinematics.frames.dot(axis, law.const))
        return found

    def _forces(
        self, hanging: Sequence[Hanging], tree: BodyTree, applied: dict[str, Vector6], *, falling: bool
    ) -> list[Expr]:
        """F: what is applied, less what the bodies need to move at the present rates."""
        dag, found = self._dag, self._own_forces()
        lifted = scale3(-1, self._gravity) if falling else self._null
        reached: list[tuple[Vector3, Vector6]] = []
        needed: list[Vector6] = []
        for body, node in zip(hanging, tree.bodies, strict=True):
            omega, state = (self._null, (*self._null, *lifted))
            if node.parent is not None:
                omega, state = reached[node.parent]
            for given in body.way:
                omega, state = self._driven(given, omega, state)
            reached.append((omega, state))
            force = _inertial(node.inertia, omega, state)
            needed.append(tuple(a - b for a, b in zip(force, applied[body.name], strict=True)))  # type: ignore[arg-type]
        for number in reversed(range(len(hanging))):
            node, force = tree.bodies[number], needed[number]
            for step in reversed(node.way):
                if isinstance(step, Free):
                    for k, direction in zip(step.numbers, step.directions, strict=True):
                        found[k] = found[k] - dot6(direction, force)
                else:
                    force = returned(step, force)
            if node.parent is not None:
                needed[node.parent] = tuple(a + b for a, b in zip(needed[node.parent], force, strict=True))  # type: ignore[assignment]
        return [dag.expr(each) for each in found]

    def _driven(self, given: Given, omega: Vector3, state: Vector6) -> tuple[Vector3, Vector6]:
        """Angular velocity and acceleration after a step, at rest of all accelerations of coordinates."""
        step = given.step
        if isinstance(step, Free):
            return omega, state
        if isinstance(step, Detach):
            return self._null, moved(step, state)
        if isinstance(step, Shift):
            turning, moving = (state[0], state[1], state[2]), (state[3], state[4], state[5])
            swept = matvec(_sweep(omega, turning), step.arm)
            coriolis = scale3(2, cross(omega, given.rate))
            return omega, (*turning, *add3(add3(moving, swept), add3(coriolis, given.second)))
        if step is not None:
            omega, state = matvec(transpose(step.matrix), omega), moved(step, state)
        turning = (state[0], state[1], state[2])
        turning = add3(add3(turning, cross(omega, given.rate)), given.second)
        return add3(omega, given.rate), (*turning, *state[3:])


def _sweep(omega: Vector3, alpha: Vector3) -> Matrix3:
    """The matrix of alpha x r + omega x (omega x r)."""
    (x, y, z), (a, b, c) = omega, alpha
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (
        (-(yy + zz), xy - c, xz + b),
        (xy + c, -(xx + zz), yz - a),
        (xz - b, yz + a, -(xx + yy)),
    )


def _inertial(inertia: Inertia, omega: Vector3, state: Vector6) -> Vector6:
    """The torque and the force that a body needs."""
    alpha, moving = (state[0], state[1], state[2]), (state[3], state[4], state[5])
    force = add3(scale3(inertia.mass, moving), matvec(_sweep(omega, alpha), inertia.moments))
    gyroscopic = cross(omega, matvec(inertia.tensor, omega))
    torque = add3(matvec(inertia.tensor, alpha), gyroscopic)
    return (*add3(torque, cross(inertia.moments, moving)), *force)


class _Probe(EdgeMotion):
    """A motion that finds out what a law makes of an acceleration, and of which tensor."""

    def acceleration(self) -> Affine:
        return Affine(FrameVector({}), {self.unknown: FrameVector({self.edge.head: self.first_axis})})

    @property
    def unknown(self) -> Expr:
        return self.dag.symbol("probe", SymbolRole.DIRECTION)

    @property
    def first_axis(self) -> Vector3:
        return (self.dag.one, self.dag.zero, self.dag.zero)

    def inertia(self, tensor: Matrix3) -> Affine:
        """Minus the tensor, a row a direction."""
        rows = {self.dag.symbol(f"probe {k}", SymbolRole.DIRECTION): row for k, row in enumerate(tensor)}
        return Affine(
            FrameVector({}), {each: FrameVector({self.edge.head: row}) for each, row in rows.items()}
        )
