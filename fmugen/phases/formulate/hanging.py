"""How bodies hang on each other: the way from each parent, through the joint, with what moves along it.

Bodies form a tree for a recursion if each hangs on one other body, in both graphs, and no chord reacts.
Vectors are in the axes of each body, planar ones in those of the ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fmugen.expr.dag import Dag
from fmugen.expr.vectors import (
    Vector3,
    add3,
    is_null,
    matvec,
    null,
    rotation_about,
    scale3,
    transpose,
)
from fmugen.ir.body_tree import Detach, Free, Shift, Step, Turn
from fmugen.ir.dae import Coordinate
from fmugen.ir.graph import AxisTurn, Domain, Edge, FixedTurn, LinearGraph, QuaternionTurn
from fmugen.ir.tree import TreeSelection, TreeStep
from fmugen.phases.formulate.kinematics import Kinematics
from fmugen.phases.formulate.turns import quaternion_matrix

__all__ = ["Given", "Hanging", "UnfitError", "hanging_bodies", "has_loops", "shown"]


def has_loops(graph: LinearGraph, trees: TreeSelection) -> bool:
    """Whether chords react, or elements have constraints or coordinates of their own."""
    chords = [graph.domain(domain).edge(name) for domain in Domain for name in trees.domain(domain).chords]
    return bool(graph.constraints or graph.freedoms) or any(edge.reactions for edge in chords)


@dataclass(frozen=True)
class Given:
    """What moves across a step by itself, in the axes after it: at which rate, and how that changes."""

    step: Step | None
    rate: Vector3
    second: Vector3
    turns: bool


@dataclass
class Hanging:
    """A body as it hangs on its parent, with the points of it that the trees reach from there."""

    name: str
    parent: str
    way: list[Given] = field(default_factory=list)
    places: dict[str, Vector3] = field(default_factory=dict)


class UnfitError(Exception):
    """The bodies have a motion or an inertia that recursions do not describe."""


def shown(kinematics: Kinematics, frame: str, vector: Vector3) -> Vector3:
    """A vector of a body in the axes that recursions use."""
    frames = kinematics.frames
    return matvec(frames.rotation(frames.ground, frame), vector) if kinematics.graph.planar else vector


def hanging_bodies(
    graph: LinearGraph, trees: TreeSelection, kinematics: Kinematics, coordinates: Sequence[Coordinate]
) -> list[Hanging]:
    """All bodies, parents before children.

    Raises
    ------
    UnfitError
        If they form no tree for a recursion.
    """
    return _Ways(graph, trees, kinematics, coordinates).hang()


class _Ways:
    def __init__(
        self,
        graph: LinearGraph,
        trees: TreeSelection,
        kinematics: Kinematics,
        coordinates: Sequence[Coordinate],
    ) -> None:
        self._graph, self._trees, self._kinematics = graph, trees, kinematics
        self._coordinates = coordinates
        self._dag: Dag = graph.symbols.dag
        self._ground = trees.rotation.root
        self._numbers = {c.name: number for number, c in enumerate(coordinates)}
        self._null = null(self._dag)

    def hang(self) -> list[Hanging]:
        graph, ground = self._graph, self._ground
        turns = {link.node: link for link in self._trees.rotation.steps}
        entries: dict[str, tuple[TreeStep, str]] = {}
        for link in self._trees.translation.steps:
            body, parent = graph.body_of[link.node], graph.body_of[link.parent]
            if body == parent:
                continue
            if body == ground or body in entries:
                raise UnfitError
            entries[body] = link, parent
        if entries.keys() != turns.keys():
            raise UnfitError
        found: dict[str, Hanging] = {}
        waiting = list(turns)
        while waiting:
            ready = [b for b in waiting if entries[b][1] in found or entries[b][1] == ground]
            if not ready:
                raise UnfitError
            for body in ready:
                link, parent = entries[body]
                places = found[parent].places if parent != ground else {}
                found[body] = self._hanging(body, parent, link, turns[body], places)
                waiting.remove(body)
        return list(found.values())

    def _hanging(
        self, body: str, parent: str, link: TreeStep, turn: TreeStep, places: dict[str, Vector3]
    ) -> Hanging:
        ground, planar = self._ground, self._graph.planar
        detached = turn.parent != parent
        if detached and not (planar and turn.parent == ground):
            raise UnfitError
        edge = self._graph.translation.edge(link.branch)
        frame = edge.displacement.frame
        still = is_null(edge.displacement.given) and not edge.displacement.motion
        if frame not in (body, parent) and not still and not (detached and frame == ground):
            raise UnfitError
        hanging = Hanging(body, parent)
        if parent != ground:
            hanging.way.append(self._fixed(Shift(shown(self._kinematics, parent, places[link.parent]))))
        slides = list(self._slides(edge, link))
        spins = list(self._turns(self._graph.rotation.edge(turn.branch), turn))
        if detached:
            spins.insert(0, self._fixed(Detach()))
        # A joint slides along axes of one of its bodies, before it turns or after, or of the ground.
        if frame not in (body, parent):
            hanging.way += [*spins[:1], *slides, *spins[1:]]
        else:
            hanging.way += [*spins, *slides] if frame == body else [*slides, *spins]
        hanging.places[link.node] = self._null
        self._reach(hanging)
        return hanging

    def _reach(self, hanging: Hanging) -> None:
        """The points of a body along its arms."""
        for link in self._trees.translation.steps:
            if self._graph.body_of[link.node] != hanging.name or link.node in hanging.places:
                continue
            edge = self._graph.translation.edge(link.branch)
            across = edge.displacement
            rigid = across.frame == hanging.name and not across.motion
            if link.parent not in hanging.places or not rigid or not all(x.constant for x in across.given):
                raise UnfitError
            arm = scale3(1 if link.forward else -1, across.given)
            hanging.places[link.node] = add3(hanging.places[link.parent], arm)

    def _fixed(self, step: Step) -> Given:
        return Given(step, self._null, self._null, turns=False)

    # --- joints --------------------------------------------------------------------------------------

    def _slides(self, edge: Edge, link: TreeStep) -> Iterator[Given]:
        across, sign = edge.displacement, 1 if link.forward else -1
        first, second = self._kinematics.given_rates(across.given)
        local, rate = across.given, first
        for direction, motion in across.motion:
            c = self._coordinates[self._numbers[motion.coordinate]]
            local = add3(local, scale3(c.position, direction))
            rate = add3(rate, scale3(c.velocity, direction))
        arm, rate, second = (
            shown(self._kinematics, across.frame, scale3(sign, each)) for each in (local, rate, second)
        )
        if not is_null(arm) or not is_null(rate) or not is_null(second):
            yield Given(Shift(arm), rate, second, turns=False)
        for direction, motion in across.motion:
            way = shown(self._kinematics, across.frame, scale3(sign, direction))
            yield self._fixed(Free((self._numbers[motion.coordinate],), ((*self._null, *way),)))

    def _turns(self, edge: Edge, link: TreeStep) -> Iterator[Given]:
        """The turns of a joint from the parent to the body, in the plane without their matrices."""
        sign = 1 if link.forward else -1
        turns = edge.rotation.turns if link.forward else edge.rotation.turns[::-1]
        for turn in turns:
            if isinstance(turn, FixedTurn):
                if not self._graph.planar:
                    matrix = turn.matrix if link.forward else transpose(turn.matrix)
                    yield self._fixed(Turn(matrix))
            elif isinstance(turn, AxisTurn):
                yield from self._axis_turn(turn, sign)
            else:
                yield from self._quaternion(turn, sign)

    def _axis_turn(self, turn: AxisTurn, sign: int) -> Iterator[Given]:
        given = self._kinematics.given_rates((turn.given, self._dag.zero, self._dag.zero))
        angle, rate, second = turn.given, given[0][0], given[1][0]
        number = None if turn.motion is None else self._numbers.get(turn.motion.coordinate)
        if number is not None:
            c = self._coordinates[number]
            angle, rate = angle + c.position, rate + c.velocity
        axis = scale3(sign, turn.axis)
        step = None
        if not self._graph.planar:
            matrix = rotation_about(turn.axis, angle)
            lying = [k for k in range(3) if not turn.axis[k].is_zero]
            about = lying[0] if len(lying) == 1 else None
            step = Turn(matrix if sign > 0 else transpose(matrix), about)
        yield Given(step, scale3(rate, axis), scale3(second, axis), turns=True)
        if number is not None:
            yield self._fixed(Free((number,), ((*axis, *self._null),)))

    def _quaternion(self, turn: QuaternionTurn, sign: int) -> Iterator[Given]:
        numbers = tuple(self._numbers[axis.coordinate] for axis in turn.motion)
        found = [self._coordinates[number] for number in numbers]
        p0, p1, p2, p3 = (c.position for c in found)
        matrix = quaternion_matrix([p0, p1, p2, p3])
        # In the axes after the turn: those of the head, or, from the head to the tail, those of the tail.
        columns: tuple[Vector3, ...] = ((-p1, -p2, -p3), (p0, -p3, p2), (p3, p0, -p1), (-p2, p1, p0))
        if sign < 0:
            columns = ((-p1, -p2, -p3), (p0, p3, -p2), (-p3, p0, p1), (p2, -p1, p0))
        ways = [scale3(2 * sign, column) for column in columns]
        rate = self._null
        for c, way in zip(found, ways, strict=True):
            rate = add3(rate, scale3(c.velocity, way))
        step = Turn(matrix if sign > 0 else transpose(matrix))
        yield Given(step, rate, self._null, turns=True)
        yield self._fixed(Free(numbers, tuple((*way, *self._null) for way in ways)))
