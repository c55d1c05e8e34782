"""Pairs of trees that are worth formulating, to see what they cost.

Rotational and translational trees of all methods are combined with each other, and with the trees that
describe platforms (bodies with three joints or more) by absolute coordinates. Around a good pair lie its
neighbours: one edge exchanged for another, or all edges of a kind taken together, as symmetric mechanisms
ask for. What :func:`~fmugen.trees.formulation.pair_weight` expects of a pair decides its rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from fmugen.ir.graph import Domain, Edge, LinearGraph, Role
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import TreeSelection
from fmugen.trees.formulation import pair_weight
from fmugen.trees.freedoms import ALWAYS_BRANCH, ALWAYS_CHORD, is_joint
from fmugen.trees.methods import METHODS, tied_trees
from fmugen.trees.selection import make_selection, reasons_of
from fmugen.trees.topology import greedy_branches, span
from fmugen.trees.variable import edge_factors

__all__ = ["exchanges", "neighbours", "promising_trees"]

#: The methods, those first whose trees are usually cheap: what is dearer need then not be measured. Of equal
#: trees the first are kept, and absolute angles are the easiest to read.
_MOST_PROMISING = sorted(METHODS, key=("aac", "formulation", "variable", "jc", "ac").index)
_TIES = 4
#: A body with this many joints is a platform.
_PLATFORM_JOINTS = 3

Signature = tuple[frozenset[str], frozenset[str]]


def promising_trees(
    model: SystemModel, graphs: LinearGraph, limit: int, *, absolute_first: bool = False
) -> tuple[TreeSelection, ...]:
    """At most ``limit`` pairs, no two alike: those of methods, then those of the file, ties and mixtures.

    Ties and mixtures with the fewest coordinates come first, so that the limit leaves out large ones. Of
    equally many coordinates, absolute angles may come first: in nine of twelve examples whose cheapest trees
    are a mixture, its rotational tree has these.
    """
    tied = [tied_trees(model, graphs, method, _TIES) for method in _MOST_PROMISING]
    methods = [trees[0] for trees in tied] + _platform_trees(graphs)
    named = [tree for trees in model.trees for tree in tied_trees(model, graphs, trees.name)]
    others = [tree for trees in tied for tree in trees[1:]]
    mixed = sorted(_mixtures(graphs, [*methods, *others]), key=lambda pair: _expected(graphs, pair))
    absolute = set(methods[0].rotation.branches)

    def last(pair: TreeSelection) -> tuple[int, bool]:
        return _coordinates(graphs, pair), absolute_first and set(pair.rotation.branches) != absolute

    rest = sorted([*others, *mixed], key=last)
    return tuple(_distinct(graphs, [*methods, *named, *rest]))[:limit]


def neighbours(graphs: LinearGraph, selection: TreeSelection, limit: int) -> tuple[TreeSelection, ...]:
    """At most ``limit`` pairs that differ from ``selection`` by one exchange, the most promising first."""
    found = [
        neighbour
        for domain in Domain
        for neighbour in (*_promotions(graphs, selection, domain), *_exchanges(graphs, selection, domain))
    ]
    ranked = sorted(found, key=lambda pair: _expected(graphs, pair))
    used = [pair for pair in _distinct(graphs, [selection, *ranked]) if pair is not selection][:limit]
    return tuple(_explained(graphs, selection, pair) for pair in used)


def exchanges(selection: TreeSelection) -> int:
    """How many exchanges of one edge there are at most."""
    return sum(len(circuit) for domain in Domain for circuit in selection.domain(domain).circuits.values())


def _coordinates(graphs: LinearGraph, pair: TreeSelection) -> int:
    """How many coordinates the branches bring."""
    return sum(
        len(edge.motion)
        for domain in Domain
        for edge in graphs.domain(domain).edges
        if edge.name in pair.domain(domain).branches
    )


def _expected(graphs: LinearGraph, pair: TreeSelection) -> int:
    return pair_weight(graphs, pair.rotation, pair.translation)


def _distinct(graphs: LinearGraph, pairs: Iterable[TreeSelection]) -> list[TreeSelection]:
    twins = {domain: _twins(graphs, domain) for domain in Domain}

    def signature(pair: TreeSelection) -> Signature:
        translation, rotation = (
            frozenset(twins[domain].get(branch, branch) for branch in pair.domain(domain).branches)
            for domain in Domain
        )
        return translation, rotation

    found: dict[Signature, TreeSelection] = {}
    for pair in pairs:
        found.setdefault(signature(pair), pair)
    return list(found.values())


def _twins(graphs: LinearGraph, domain: Domain) -> dict[str, str]:
    """Virtual joints that offer what a body offers as well."""
    edges = graphs.domain(domain).edges
    bodies = {(e.tail, e.head, len(e.motion)): e.name for e in edges if e.role is Role.BODY}
    virtual = (edge for edge in edges if edge.role is Role.VIRTUAL)
    keys = ((edge.name, (edge.tail, edge.head, len(edge.motion))) for edge in virtual)
    return {name: bodies[key] for name, key in keys if key in bodies}


# --- combinations ---------------------------------------------------------------------------------


def _mixtures(graphs: LinearGraph, pairs: list[TreeSelection]) -> Iterator[TreeSelection]:
    """The rotational tree of each pair with the translational tree of each other, and with its like."""
    rotations = {frozenset(pair.rotation.branches): pair for pair in reversed(pairs)}
    translations = {frozenset(pair.translation.branches): pair for pair in reversed(pairs)}
    for rotating in rotations.values():
        for moving in translations.values():
            if rotating is not moving:
                yield _mixed(graphs, rotating, moving)
        yield _same_trees(graphs, rotating)


def _mixed(graphs: LinearGraph, rotating: TreeSelection, moving: TreeSelection) -> TreeSelection:
    reasons = {key: why for key, why in rotating.reasons.items() if key[0] is Domain.ROTATION}
    reasons |= {key: why for key, why in moving.reasons.items() if key[0] is Domain.TRANSLATION}
    name, networks = f"{rotating.name}+{moving.name}", moving.networks
    return TreeSelection(name, moving.translation, rotating.rotation, reasons, networks)


def _same_trees(graphs: LinearGraph, rotating: TreeSelection) -> TreeSelection:
    """The rotational tree of a pair in both domains."""
    branches = {
        Domain.ROTATION: rotating.rotation.branches,
        Domain.TRANSLATION: _filled(graphs, Domain.TRANSLATION, rotating.rotation.branches),
    }
    name = f"{rotating.name}+same"
    return make_selection(graphs, name, branches, lambda *_: f"as in the rotational tree of {rotating.name}")


def _platform_trees(graphs: LinearGraph) -> list[TreeSelection]:
    """Bodies with many joints by absolute coordinates, the rest by edges near the ground."""
    joints = Counter(
        node for edge in graphs.rotation.edges if is_joint(edge) for node in (edge.tail, edge.head)
    )
    bodies = [
        edge.name
        for edge in graphs.rotation.edges
        if edge.role is Role.BODY and joints[edge.head] >= _PLATFORM_JOINTS
    ]
    if not bodies:
        return []
    branches = {domain: _filled(graphs, domain, bodies) for domain in Domain}
    return [make_selection(graphs, "platform", branches, lambda *_: "platforms by absolute coordinates")]


def _filled(graphs: LinearGraph, domain: Domain, wanted: Iterable[str]) -> tuple[str, ...]:
    """A tree with as many of the wanted branches as it can hold, filled by weight (3.3)."""
    graph = graphs.domain(domain)
    weights = {name: factors.weight for name, factors in edge_factors(graph).items()}
    edges = {edge.name: edge for edge in graph.edges if edge.branchable}
    always = [name for name, edge in edges.items() if edge.role in ALWAYS_BRANCH]
    first = [name for name in wanted if name in edges]
    return greedy_branches(graph, [*always, *first, *sorted(edges, key=weights.__getitem__)])


# --- neighbours -----------------------------------------------------------------------------------


def _exchanges(graphs: LinearGraph, selection: TreeSelection, domain: Domain) -> Iterator[TreeSelection]:
    """Each chord that may be a branch, for each branch of its circuit."""
    tree = selection.domain(domain)
    edges = {edge.name: edge for edge in graphs.domain(domain).edges}
    for chord in tree.chords:
        if not _free_to_move(graphs, edges[chord]):
            continue
        for branch, _ in tree.circuits[chord]:
            if edges[branch].role not in ALWAYS_BRANCH:
                branches = tuple(chord if name == branch else name for name in tree.branches)
                yield _changed(graphs, selection, domain, branches, f"{chord} for {branch}")


def _promotions(graphs: LinearGraph, selection: TreeSelection, domain: Domain) -> Iterator[TreeSelection]:
    """All edges of a kind that the tree can hold."""
    tree = selection.domain(domain)
    edges = [edge for edge in graphs.domain(domain).edges if _free_to_move(graphs, edge)]
    for label in dict.fromkeys(edge.label for edge in edges):
        promoted = [edge.name for edge in edges if edge.label == label]
        branches = _filled(graphs, domain, [*promoted, *tree.branches])
        yield _changed(graphs, selection, domain, branches, f"every {label}")


def _free_to_move(graphs: LinearGraph, edge: Edge) -> bool:
    return edge.role not in ALWAYS_CHORD | ALWAYS_BRANCH and edge.branchable


def _changed(
    graphs: LinearGraph, selection: TreeSelection, domain: Domain, branches: tuple[str, ...], change: str
) -> TreeSelection:
    """``selection`` with another tree in one domain. Its only reasons are those of new branches.

    Most neighbours are ranked and left; those that are used get the other reasons, too.
    """
    letter = domain.value[0].upper()
    tree = span(graphs.domain(domain), branches)
    trees = {d: tree if d is domain else selection.domain(d) for d in Domain}
    old = set(selection.domain(domain).branches)
    reasons = {(domain, branch): f"taken in exchange: {change}" for branch in branches if branch not in old}
    name = f"{selection.name}, {letter}: {change}"
    return TreeSelection(name, trees[Domain.TRANSLATION], trees[Domain.ROTATION], reasons, selection.networks)


def _explained(graphs: LinearGraph, selection: TreeSelection, neighbour: TreeSelection) -> TreeSelection:
    """A neighbour of ``selection`` with the reasons for all its branches."""

    def why(at: Domain, branch: str) -> str:
        return neighbour.reasons.get((at, branch)) or selection.reasons[at, branch].partition("; ")[2]

    branches = {domain: neighbour.domain(domain).branches for domain in Domain}
    return replace(neighbour, reasons=reasons_of(graphs, branches, why))
