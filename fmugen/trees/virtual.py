"""SystemModel -> SystemModel: virtual joints that the axes of a mechanism invite (Léger, 5.2).

Two bodies that are not neighbours, but are joined by a chain of joints whose axes are parallel, turn relative
to each other about that axis alone: one angle describes what the chain describes by several. In the plane,
bodies offer such angles relative to the ground; elsewhere it takes a virtual joint.

A virtual joint assumes a motion. If the assumption is false, the model is wrong. So only joints are proposed
whose assumption holds for all parameter values. The axis is carried along the chain, through the axes of each
body, and every condition is tested on the expression DAG, where equal expressions are the same node:

- the axis has the same components at both ends, so that the relative rotation leaves it in place;
- like a planar joint: nothing in the chain, nor between the points joined, leads along the axis;
- like a cylindrical joint: nothing leads away from the axis; like a revolute joint: nor along it.

In planar models the axes are parallel and the plane is kept in any case.

Joints beside a virtual joint in a tree need not enforce what it assumes. Their constraints vanish, and with
them the multipliers that would give their reactions. Trees that hide reactions which the outputs ask for are
therefore refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from fmugen.components.axes import Axes, orthonormal
from fmugen.components.base import element_of, renamed
from fmugen.components.freedoms import About, Held, Line, Locked, Plane
from fmugen.components.joints import Virtual, joints_of, virtual_about
from fmugen.errors import TreeError
from fmugen.expr.dag import Expr
from fmugen.expr.vectors import Vector3, add3, cross, dot, is_null, matvec, null, scale3, transpose
from fmugen.ir.graph import FixedTurn, LinearGraph, Role
from fmugen.ir.model import GROUND, Z_AXIS, Attachment, Element, Space, SystemModel, Vector
from fmugen.ir.tree import TreeSelection
from fmugen.phases.graph import build_graph

__all__ = ["hides_reactions", "propose_virtual_joints", "require_reactions"]

#: Limit of proposals; those that span the shortest chains are kept.
_MOST_PROPOSALS = 8
#: A chain with fewer turning joints has no angles to add.
_FEWEST_TURNS = 2


def propose_virtual_joints(model: SystemModel) -> SystemModel:
    """``model`` with virtual joints between bodies that turn about a common axis; itself if there are none.

    The joints are named after the bodies they join. Bodies that any joint of the model joins already, virtual
    ones included, get none.
    """
    names = set(_names(model))
    proposals = []
    for joint in _Explorer(model).joints():
        name = _free_name(f"virtual_{joint.tail.body}_{joint.head.body}", names)
        names.add(name)
        proposals.append(renamed(joint, name))
    return model.with_elements(*proposals) if proposals else model


def hides_reactions(model: SystemModel, trees: TreeSelection, virtual: set[str]) -> bool:
    """Whether an output asks for a reaction that ``trees`` with ``virtual`` joints cannot compute."""
    if model.space is Space.PLANAR:  # planar virtual joints need no assumption
        return False
    asked = set(_reactions_asked_for(model))
    if asked and any(branch in virtual for branch in trees.translation.branches):
        return True  # forces are hidden, and with their moments any torque
    tree = trees.rotation
    resisting = {e.name for e, joint in joints_of(model) if joint.resists_torque(planar=False)}
    resisting |= {driver.name for driver in model.in_section("drivers")}
    beside = {edge for branch in virtual.intersection(tree.branches) for edge, _ in tree.cutsets[branch]}
    hidden = beside & resisting
    hidden |= {branch for chord in beside & resisting for branch, _ in tree.circuits[chord]}
    return not asked.isdisjoint(hidden)


def require_reactions(model: SystemModel, trees: TreeSelection) -> None:
    """Refuse trees whose virtual joints hide a reaction that an output asks for.

    Raises
    ------
    TreeError
        Naming the virtual joints.
    """
    virtual = {element.name for element, joint in joints_of(model) if joint.role is Role.VIRTUAL}
    if hides_reactions(model, trees, virtual):
        used = sorted(virtual.intersection(trees.translation.branches + trees.rotation.branches))
        raise TreeError(
            f"the trees {trees.name} use the virtual joint {', '.join(used)} as a branch, so some joint "
            "reactions cannot be computed: choose other trees or remove those outputs"
        )


def _reactions_asked_for(model: SystemModel) -> Iterator[str]:
    """The joints and drivers whose reactions are in outputs."""
    used = {name for output in model.outputs for name in output.value.names()}
    for element in model.in_section("joints", "drivers"):
        if any(quantity.effort and quantity.name in used for quantity in element.quantities):
            yield element.name


def _names(model: SystemModel) -> Iterator[str]:
    yield from (element.name for element in model.elements)
    yield from (parameter.name for parameter in model.parameters)
    yield from (variable.name for variable in model.inputs)


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


@dataclass(frozen=True)
class _Chain:
    """Joints that lead from one body to ``body``, all about the axis that ``formula`` describes.

    ``first`` and ``last`` are the components of that axis in the axes of the two bodies. The way leads from
    the node ``begin`` of the one to the node ``end`` of the other, by ``length`` along the axis and, if there
    are slides that ``advance``, by their coordinates; it is ``on_axis`` if it leads nowhere else.
    """

    formula: Vector
    first: Vector3
    last: Vector3
    begin: str
    end: str
    body: str
    length: Expr
    joints: int = 0
    turns: int = 0
    on_axis: bool = True
    advance: bool = False


class _Explorer:
    """Follows chains of parallel axes through a mechanism."""

    def __init__(self, model: SystemModel) -> None:
        self._model = model
        self._graph = build_graph(model)
        self._axes = Axes(model, self._graph.symbols)
        self._positions = _positions(self._graph)
        points = {GROUND: model.ground} | {body.name: body.points for body in model.bodies}
        self._attachments = {
            owner: [Attachment(owner), *(Attachment(owner, point.name) for point in fixed)]
            for owner, fixed in points.items()
        }
        self._joints_at: dict[str, list[Element]] = {owner: [] for owner in points}
        #: The joints that turn about one axis, with that axis.
        self._axis: dict[str, Vector] = {}
        for element, joint in joints_of(model):
            turns = joint.freedoms().turns
            if joint.role is Role.JOINT and isinstance(turns, About | Locked):
                for place in element.places:
                    self._joints_at[place.body].append(element)
            if isinstance(turns, About):
                self._axis[element.name] = turns.axis

    def joints(self) -> list[Element]:
        """Virtual joints along the shortest chains, in declared order of the bodies they begin at."""
        joints = self._model.in_section("joints")
        joined = {frozenset(place.body for place in joint.places) for joint in joints}
        found: list[tuple[int, Element]] = []
        for start in self._starts():
            for chain in self._chains(start):
                pair = frozenset((start, chain.body))
                joint = None if pair in joined else self._joint(start, chain)
                if joint is not None:
                    joined.add(pair)
                    found.append((chain.joints, joint))
        shortest = sorted(found, key=lambda entry: entry[0])[:_MOST_PROPOSALS]
        return [joint for _, joint in shortest]

    def _starts(self) -> Iterator[str]:
        """Where chains begin: bodies, and the ground unless bodies themselves offer the coordinates."""
        if self._model.space is Space.SPATIAL:
            yield GROUND
        yield from (body.name for body in self._model.bodies)

    # --- chains -------------------------------------------------------------------------------------------

    def _chains(self, start: str) -> list[_Chain]:
        """Chains with enough turning joints, the shortest first; none passes through the ground."""
        found: list[_Chain] = []
        for joint in self._joints_at[start]:
            turning = joint.name in self._axis
            front = self._grown([self._bare(start, joint)], [joint]) if turning else []
            seen = {start, GROUND}
            while front := [chain for chain in front if chain.body not in seen]:
                found.extend(chain for chain in front if chain.turns >= _FEWEST_TURNS)
                seen.update(chain.body for chain in front)
                front = self._grown(front)
        return sorted(found, key=lambda chain: chain.joints)

    def _bare(self, start: str, joint: Element) -> _Chain:
        """A chain about the axis of ``joint`` that is still at its beginning."""
        here = _end(joint, start)
        formula = Z_AXIS if self._graph.planar else self._axis[joint.name]
        axis = self._resolved(here, formula)
        return _Chain(formula, axis, axis, here.node, here.node, start, self._graph.symbols.dag.zero)

    def _grown(self, chains: Iterable[_Chain], by: list[Element] | None = None) -> list[_Chain]:
        """Every chain extended by every joint at its end that turns about the same axis."""
        longer = (
            self._extended(chain, joint)
            for chain in chains
            for joint in (self._joints_at[chain.body] if by is None else by)
        )
        return [chain for chain in longer if chain is not None]

    def _extended(self, chain: _Chain, joint: Element) -> _Chain | None:
        """``chain`` continued by ``joint``, unless that turns about another axis."""
        here = _end(joint, chain.body)
        there = joint.head if here is joint.tail else joint.tail
        last = self._passed(joint, chain.last, here, there)
        if last is None:
            return None
        arm = self._arm(chain.end, here.node)
        frame_axis = chain.last if here is joint.tail else last
        slides = [axis for axis, _ in self._graph.translation.edge(joint.name).displacement.motion]
        straight = is_null(cross(chain.last, arm)) and all(is_null(cross(frame_axis, s)) for s in slides)
        return replace(
            chain,
            last=last,
            end=there.node,
            body=there.body,
            length=chain.length + dot(chain.last, arm),
            joints=chain.joints + 1,
            turns=chain.turns + (joint.name in self._axis),
            on_axis=chain.on_axis and straight,
            advance=chain.advance or not all(dot(frame_axis, slide).is_zero for slide in slides),
        )

    def _passed(self, joint: Element, axis: Vector3, here: Attachment, there: Attachment) -> Vector3 | None:
        """The axis in the axes of the next body; ``None`` where the joint does not keep it."""
        if self._graph.planar:
            return axis
        if joint.name in self._axis:
            own = self._axis[joint.name]
            before, after = self._resolved(here, own), self._resolved(there, own)
            if axis == before:
                return after
            return scale3(-1, after) if axis == scale3(-1, before) else None
        turns = self._graph.rotation.edge(joint.name).rotation.turns
        matrices = [turn.matrix for turn in turns if isinstance(turn, FixedTurn)]
        if here is joint.tail:
            matrices = [transpose(matrix) for matrix in matrices]
        else:
            matrices.reverse()
        for matrix in matrices:
            axis = matvec(matrix, axis)
        return axis

    # --- joints -------------------------------------------------------------------------------------------

    def _joint(self, start: str, chain: _Chain) -> Element | None:
        """A virtual joint with the motion of ``chain``, if some pair of points has it for certain."""
        if self._graph.planar:
            return self._virtual(Virtual(), Attachment(start), Attachment(chain.body))
        heads = [end for end in self._attachments[chain.body] if self._has_axis(end, chain, chain.last)]
        for tail in self._attachments[start]:
            if self._has_axis(tail, chain, chain.first):
                for head in heads:
                    like = self._like(chain, tail, head)
                    if like is not None:
                        return self._virtual(like, tail, head)
        return None

    def _virtual(self, kind: Virtual, tail: Attachment, head: Attachment) -> Element:
        return element_of(kind, "", (tail, head), planar=self._graph.planar)

    def _has_axis(self, attachment: Attachment, chain: _Chain, axis: Vector3) -> bool:
        return self._resolved(attachment, chain.formula) == axis

    def _like(self, chain: _Chain, tail: Attachment, head: Attachment) -> Virtual | None:
        """The virtual joint whose motion is that of ``head`` relative to ``tail``."""
        before, after = self._arm(tail.node, chain.begin), self._arm(chain.end, head.node)
        length = chain.length + dot(chain.first, before) + dot(chain.last, after)
        straight = is_null(cross(chain.first, before)) and is_null(cross(chain.last, after))
        if chain.on_axis and straight and chain.advance:
            return virtual_about(chain.formula, Line)
        if chain.advance or not length.is_zero:
            return None
        return virtual_about(chain.formula, Held if chain.on_axis and straight else Plane)

    def _resolved(self, attachment: Attachment, axis: Vector) -> Vector3:
        """A direction that is given at an attachment, in the axes of its body and of unit length."""
        return matvec(self._axes.of(attachment), orthonormal(self._axes, axis, None)[0])

    def _arm(self, tail: str, head: str) -> Vector3:
        """The way between two nodes of a body, in its axes."""
        return add3(self._positions[head], scale3(-1, self._positions[tail]))


def _end(joint: Element, body: str) -> Attachment:
    """Where ``joint`` is fastened to ``body``."""
    return joint.tail if joint.tail.body == body else joint.head


def _positions(graph: LinearGraph) -> dict[str, Vector3]:
    """Every node of the translational graph, from the mass centre of its body and in the axes of that."""
    arms = (edge for edge in graph.translation.edges if edge.role is Role.ARM)
    origin = null(graph.symbols.dag)
    return dict.fromkeys(graph.body_of, origin) | {arm.head: arm.displacement.given for arm in arms}
