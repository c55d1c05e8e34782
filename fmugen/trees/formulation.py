"""Formulation-based tree selection (Léger, chapter 4): few body torques and forces in the equations.

The tree of a domain grows from the ground. The weight of a potential edge estimates the equations of the
tree that would result: every branch counts the bodies that its f-cutset is sure to cut, once for each
equation in which that cutset is used, and every kinematic equation counts with a fixed complexity. The
rotational tree is selected first, then both in turn until they agree (4.1.6).

In the words of Léger's figures 4.9 to 4.17: a branch e that is not an arm brings one body, which is cut by e
and by all branches between e and the ground. If e is added, the sum of NumEQs x CutsetWeight over all
branches grows by ``own(e) NumEQs(e) + 10 (sum of NumEQs on the path of e)``, where own(e) is 10, or for a
branch body 9 in rotation and 0 in translation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from fmugen.ir.graph import Domain, Edge, LinearGraph, Role
from fmugen.ir.tree import SpanningTree
from fmugen.trees.freedoms import (
    ALWAYS_BRANCH,
    ALWAYS_CHORD,
    at_flexible_ends,
    freedoms,
    gruebler_freedoms,
)
from fmugen.trees.growth import GrownTree, Totals, grow_all
from fmugen.trees.topology import span

__all__ = [
    "Weighting",
    "formulation_based_trees",
    "pair_weight",
    "rotational_weighting",
    "translational_weighting",
]

_CHORD_BODY = 10
_BRANCH_BODY = {Domain.ROTATION: 9, Domain.TRANSLATION: 0}
#: The weight of a kinematic equation in rotation, and that of one rotation in those of translation (4.2.4).
_ROTATIONAL_COMPLEXITY, _COMPLEXITY_OF_A_ROTATION = 3, 10
#: Known across variables come first, then what the user requires; known through variables come late, and
#: last the edges at the end of a flexible arm, which is a leaf. Léger's 90 000 and 100 000 are less than
#: the weights of joints in a chain of a hundred bodies.
_ABSOLUTE_BRANCH, _REQUIRED_BRANCH, _ABSOLUTE_CHORD, _FLEXIBLE_END = -2, -1, 9 * 10**11, 10**12
#: Groups of edges whose weights do not depend on the tree; the other groups are numbers of equations.
_KNOWN_ACROSS, _KNOWN_THROUGH, _AT_FLEXIBLE_END, _REQUIRED = -1, -2, -3, -4
_ABSOLUTE = {
    _KNOWN_ACROSS: _ABSOLUTE_BRANCH,
    _REQUIRED: _REQUIRED_BRANCH,
    _KNOWN_THROUGH: _ABSOLUTE_CHORD,
    _AT_FLEXIBLE_END: _FLEXIBLE_END,
}
_PASSES = 4


@dataclass(frozen=True)
class Weighting:
    """The weights of one domain.

    ``equations`` is NumDynEQs, the coordinates of each edge, and ``uses`` is NumEQs: in how many equations
    its f-cutset is used. ``elsewhere`` is the number of
    dynamic equations of the opposite tree and ``opposite`` its branches, none while there is no such tree.
    ``flexible`` are the edges at ends of flexible arms, ``required`` those that the user wants as branches.
    ``complexity`` is KinEQComplexity, the weight of a kinematic equation, and ``freedoms`` the degrees of
    freedom, which need none.
    """

    domain: Domain
    edges: Mapping[str, Edge]
    equations: Mapping[str, int]
    uses: Mapping[str, int]
    freedoms: int
    complexity: int
    elsewhere: int = 0
    opposite: Collection[str] = ()
    flexible: Collection[str] = ()
    required: Collection[str] = ()

    def load(self, edge: Edge) -> int:
        return self.uses[edge.name]

    def group(self, edge: Edge) -> int:
        if edge.role in ALWAYS_BRANCH:
            return _KNOWN_ACROSS
        if edge.name in self.required:
            return _REQUIRED
        if edge.name in self.flexible:
            return _AT_FLEXIBLE_END
        return _KNOWN_THROUGH if edge.role in ALWAYS_CHORD else self.equations[edge.name]

    def part(self, edge: Edge, path_load: int) -> int:
        """The body that comes with an edge, and in the last digit the similarity of the trees."""
        unlike = 0 if edge.name in self.opposite else 1
        return unlike if self.group(edge) < 0 else 10 * self._brought(edge, path_load) + unlike

    def common(self, group: int, totals: Totals) -> int:
        """The Weighting Function (figure 4.10) without what the edge brings."""
        if group in _ABSOLUTE:
            return 10 * _ABSOLUTE[group]
        return 10 * (totals.dynamic + self._kinematic(totals.equations + group))

    def added(self, edge: Edge, path_load: int) -> Totals:
        return Totals(self._brought(edge, path_load), self.equations[edge.name])

    def estimate(self, tree: GrownTree) -> int:
        """The Dynamic Weighting Function (figure 4.13), for a tree with the potential edge in it."""
        totals = self.totals(tree)
        return totals.dynamic + self._kinematic(totals.equations)

    def totals(self, tree: GrownTree) -> Totals:
        """The sum of NumEQs x CutsetWeight over all branches, and their dynamic equations."""
        loads = tree.loads(self.uses)
        arrivals = [arrival for arrival in tree.arrivals.values() if arrival]
        return Totals(
            sum(self._brought(self.edges[branch], loads[inner]) for branch, inner in arrivals),
            sum(self.equations[branch] for branch, _ in arrivals),
        )

    def _brought(self, edge: Edge, path_load: int) -> int:
        """The weight that a branch adds through its body, at the end of a path from the ground."""
        if edge.role is Role.ARM:
            return 0
        own = _BRANCH_BODY[self.domain] if edge.role is Role.BODY else _CHORD_BODY
        return own * self.uses[edge.name] + _CHORD_BODY * path_load

    def _kinematic(self, equations: int) -> int:
        """The weight of the kinematic equations that the dynamic equations of both trees imply so far."""
        return self.complexity * max(self.elsewhere + equations - self.freedoms, 0)


#: The edges of each domain that the user wants as branches.
Required = Mapping[Domain, Collection[str]]
_NOTHING: Required = {Domain.TRANSLATION: (), Domain.ROTATION: ()}


def rotational_weighting(
    graphs: LinearGraph, translation: Collection[str] = (), required: Required = _NOTHING
) -> Weighting:
    """Weights in rotation, where a cutset is used by the equations of its own branch only."""
    equations = _equations(graphs, Domain.ROTATION)
    elsewhere = _equations(graphs, Domain.TRANSLATION)
    return Weighting(
        Domain.ROTATION,
        {edge.name: edge for edge in graphs.rotation.edges},
        equations,
        equations,
        gruebler_freedoms(graphs),
        _ROTATIONAL_COMPLEXITY,
        sum(elsewhere[branch] for branch in translation),
        frozenset(translation),
        at_flexible_ends(graphs),
        frozenset(required[Domain.ROTATION]),
    )


def translational_weighting(
    graphs: LinearGraph, rotation: SpanningTree, required: Required = _NOTHING
) -> Weighting:
    """Weights in translation, whose cutsets also give the forces in the equations of the rotational tree."""
    equations = _equations(graphs, Domain.TRANSLATION)
    turning = _equations(graphs, Domain.ROTATION)
    return Weighting(
        Domain.TRANSLATION,
        {edge.name: edge for edge in graphs.translation.edges},
        equations,
        _force_uses(graphs, equations, turning, rotation),
        gruebler_freedoms(graphs),
        _translational_complexity(turning, rotation),
        sum(turning[branch] for branch in rotation.branches),
        frozenset(rotation.branches),
        at_flexible_ends(graphs),
        frozenset(required[Domain.TRANSLATION]),
    )


def _equations(graphs: LinearGraph, domain: Domain) -> dict[str, int]:
    """NumDynEQs: a dynamic equation for each coordinate."""
    return {edge.name: freedoms(edge) for edge in graphs.domain(domain).edges}


def _force_uses(
    graphs: LinearGraph, own: Mapping[str, int], turning: Mapping[str, int], rotation: SpanningTree
) -> dict[str, int]:
    """NumEQs in translation (figure 4.12): own equations, and those in which the force enters by a torque.

    The force of an arm, or of a rotational branch that slides, enters every equation that contains the
    torque of its body (NumInRotEQs). The force of an arm is that of the edges at its end, to which its count
    is handed on.
    """
    torques = GrownTree.of(rotation).loads(turning)
    inner = {step.branch: step.parent for step in rotation.steps}
    edges = graphs.translation.edges
    arms = {edge.head: torques[graphs.body_of[edge.head]] for edge in edges if edge.role is Role.ARM}
    uses = {}
    for edge in edges:
        sliding = torques[inner[edge.name]] if own[edge.name] and edge.name in inner else 0
        handed_on = arms.get(edge.tail, 0) + arms.get(edge.head, 0)
        uses[edge.name] = 0 if edge.role is Role.ARM else own[edge.name] + sliding + handed_on
    return uses


def _translational_complexity(turning: Mapping[str, int], rotation: SpanningTree) -> int:
    """The Kinematic Complexity Function (figure 4.17): ten for each rotation of the longest circuit."""
    rotations = (sum(turning[branch] for branch, _ in circuit) for circuit in rotation.circuits.values())
    return _COMPLEXITY_OF_A_ROTATION * max(rotations, default=0)


# --- the alternation of trees (figure 4.8) -----------------------------------------------------------


@dataclass(frozen=True)
class _Pair:
    rotation: GrownTree
    translation: GrownTree
    weight: tuple[int, int]


def formulation_based_trees(
    graphs: LinearGraph, limit: int, required: Required = _NOTHING
) -> list[dict[Domain, GrownTree]]:
    """The pairs of trees of the algorithm; of tied pairs the lightest first, then in declared order.

    The edges that are ``required`` are branches unless they close a loop of others (4.2.5).
    """
    found: dict[tuple[frozenset[str], frozenset[str]], _Pair] = {}
    for rotation in _grown(graphs, rotational_weighting(graphs, required=required), limit):
        weights = translational_weighting(graphs, _span(graphs, rotation), required)
        for translation in _grown(graphs, weights, limit):
            pair = _agreed(graphs, rotation, translation, limit, required)
            found.setdefault((frozenset(pair.rotation.branches), frozenset(pair.translation.branches)), pair)
            if len(found) >= limit:
                break
    pairs = sorted(found.values(), key=lambda pair: pair.weight)
    return [{Domain.TRANSLATION: pair.translation, Domain.ROTATION: pair.rotation} for pair in pairs]


def _agreed(
    graphs: LinearGraph, rotation: GrownTree, translation: GrownTree, limit: int, required: Required
) -> _Pair:
    """Select both trees in turn, each to resemble the other, until the rotational tree stays."""
    for _ in range(_PASSES):
        again = _grown(graphs, rotational_weighting(graphs, translation.branches, required), limit)
        if any(set(tree.branches) == set(rotation.branches) for tree in again):
            break
        rotation = again[0]
        weighting = translational_weighting(graphs, _span(graphs, rotation), required)
        translation = _grown(graphs, weighting, 1)[0]
    weights = (
        rotational_weighting(graphs).totals(rotation).dynamic,
        translational_weighting(graphs, _span(graphs, rotation)).estimate(translation),
    )
    return _Pair(rotation, translation, weights)


def _grown(graphs: LinearGraph, weights: Weighting, limit: int) -> list[GrownTree]:
    allowed = [edge for edge in weights.edges.values() if edge.branchable]
    return grow_all(graphs.domain(weights.domain), allowed, weights, limit)


def _span(graphs: LinearGraph, rotation: GrownTree) -> SpanningTree:
    return span(graphs.rotation, rotation.branches)


def pair_weight(graphs: LinearGraph, rotation: SpanningTree, translation: SpanningTree) -> int:
    """The expected cost of a pair of complete trees, used to select which pairs are priced."""
    forces = translational_weighting(graphs, rotation)
    torques = rotational_weighting(graphs).totals(GrownTree.of(rotation)).dynamic
    return torques + forces.estimate(GrownTree.of(translation))
