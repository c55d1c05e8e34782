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

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from fmugen.ir.graph import Domain, Edge, EdgeKind, LinearGraph
from fmugen.ir.tree import SpanningTree
from fmugen.trees.freedoms import (
    ALWAYS_BRANCH,
    ALWAYS_CHORD,
    freedoms,
    gruebler_freedoms,
)
from fmugen.trees.growth import GrownTree, grow_all
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
_ABSOLUTE_BRANCH, _ABSOLUTE_CHORD = -2, 90_000
_PASSES = 4


@dataclass(frozen=True)
class Weighting:
    """The weights of one domain.

    ``equations`` is NumDynEQs, the coordinates of each edge, and ``uses`` is NumEQs: in how many equations
    its f-cutset is used. ``elsewhere`` is the number of
    dynamic equations of the opposite tree and ``opposite`` its branches, none while there is no such tree.
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

    def __call__(self, tree: GrownTree, potential: Sequence[Edge]) -> list[int]:
        """The Weighting Function (figure 4.10): the estimate first, similarity of the trees last."""
        so_far, equations = self.dynamic(tree), self._equations(tree)

        def weight(edge: Edge) -> int:
            if edge.kind in ALWAYS_BRANCH:
                return _ABSOLUTE_BRANCH
            if edge.kind in ALWAYS_CHORD:
                return _ABSOLUTE_CHORD
            added = self._brought(edge, tree.path(edge))
            return so_far + added + self._kinematic(equations + self.equations[edge.name])

        return [10 * weight(edge) + (0 if edge.name in self.opposite else 1) for edge in potential]

    def estimate(self, tree: GrownTree) -> int:
        """The Dynamic Weighting Function (figure 4.13), for a tree with the potential edge in it."""
        return self.dynamic(tree) + self._kinematic(self._equations(tree))

    def dynamic(self, tree: GrownTree) -> int:
        """The sum of NumEQs x CutsetWeight over all branches."""
        paths = (path for path in tree.paths.values() if path)
        return sum(self._brought(self.edges[path[-1]], path[:-1]) for path in paths)

    def _brought(self, edge: Edge, path: Sequence[str]) -> int:
        """What a branch adds by the body that comes with it, at the end of a path from the ground."""
        if edge.kind is EdgeKind.ARM:
            return 0
        own = _BRANCH_BODY[self.domain] if edge.kind is EdgeKind.BODY else _CHORD_BODY
        return own * self.uses[edge.name] + _CHORD_BODY * sum(self.uses[branch] for branch in path)

    def _equations(self, tree: GrownTree) -> int:
        return sum(self.equations[branch] for branch in tree.branches)

    def _kinematic(self, equations: int) -> int:
        """The weight of the kinematic equations that the dynamic equations of both trees imply so far."""
        return self.complexity * max(self.elsewhere + equations - self.freedoms, 0)


def rotational_weighting(graphs: LinearGraph, translation: Collection[str] = ()) -> Weighting:
    """Weights in rotation, where a cutset serves the equations of its own branch alone."""
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
    )


def translational_weighting(graphs: LinearGraph, rotation: SpanningTree) -> Weighting:
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
    paths = GrownTree.of(rotation).paths
    torques = {body: sum(turning[branch] for branch in path) for body, path in paths.items()}
    inner = {link.branch: link.parent for link in rotation.links}
    edges = graphs.translation.edges
    arms = {edge.head: torques[graphs.body_of[edge.head]] for edge in edges if edge.kind is EdgeKind.ARM}
    uses = {}
    for edge in edges:
        sliding = torques[inner[edge.name]] if own[edge.name] and edge.name in inner else 0
        handed_on = arms.get(edge.tail, 0) + arms.get(edge.head, 0)
        uses[edge.name] = 0 if edge.kind is EdgeKind.ARM else own[edge.name] + sliding + handed_on
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


def formulation_based_trees(graphs: LinearGraph, limit: int) -> list[dict[Domain, GrownTree]]:
    """The pairs of trees of the algorithm; of tied pairs the lightest first, then in declared order."""
    found: dict[tuple[frozenset[str], frozenset[str]], _Pair] = {}
    for rotation in _grown(graphs, rotational_weighting(graphs), limit):
        for translation in _grown(graphs, translational_weighting(graphs, _span(graphs, rotation)), limit):
            pair = _agreed(graphs, rotation, translation, limit)
            found.setdefault((frozenset(pair.rotation.branches), frozenset(pair.translation.branches)), pair)
            if len(found) >= limit:
                break
    pairs = sorted(found.values(), key=lambda pair: pair.weight)
    return [{Domain.TRANSLATION: pair.translation, Domain.ROTATION: pair.rotation} for pair in pairs]


def _agreed(graphs: LinearGraph, rotation: GrownTree, translation: GrownTree, limit: int) -> _Pair:
    """Select both trees in turn, each to resemble the other, until the rotational tree stays."""
    for _ in range(_PASSES):
        again = _grown(graphs, rotational_weighting(graphs, translation.branches), limit)
        if any(set(tree.branches) == set(rotation.branches) for tree in again):
            break
        rotation = again[0]
        translation = _grown(graphs, translational_weighting(graphs, _span(graphs, rotation)), 1)[0]
    weights = (
        rotational_weighting(graphs).dynamic(rotation),
        translational_weighting(graphs, _span(graphs, rotation)).estimate(translation),
    )
    return _Pair(rotation, translation, weights)


def _grown(graphs: LinearGraph, weigh: Weighting, limit: int) -> list[GrownTree]:
    allowed = [edge for edge in weigh.edges.values() if edge.branchable]
    return grow_all(graphs.domain(weigh.domain), allowed, weigh, limit)


def _span(graphs: LinearGraph, rotation: GrownTree) -> SpanningTree:
    return span(graphs.rotation, rotation.branches)


def pair_weight(graphs: LinearGraph, rotation: SpanningTree, translation: SpanningTree) -> int:
    """What the algorithm expects of a pair of complete trees: a forecast of which are worth measuring."""
    forces = translational_weighting(graphs, rotation)
    torques = rotational_weighting(graphs).dynamic(GrownTree.of(rotation))
    return torques + forces.estimate(GrownTree.of(translation))
