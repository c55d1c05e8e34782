"""The classic choices of coordinates: absolute, joint, and McPhee's preferred order.

Rigid arms are always in the translational tree (McPhee, 4.4); the rest is a ranking of edge kinds
and Kruskal's algorithm, ties broken by declared order.
"""

from __future__ import annotations

from fmugen.errors import TreeError
from fmugen.ir.graph import Domain, DomainGraph, EdgeKind, LinearGraph
from fmugen.ir.model import SystemModel
from fmugen.ir.tree import SpanningTree, TreeSelection
from fmugen.topology import greedy_branches, span

__all__ = ["METHODS", "select_trees"]

_Ranking = tuple[EdgeKind, ...]

_LAST = (EdgeKind.VIRTUAL, EdgeKind.SPRING, EdgeKind.LOAD, EdgeKind.GRAVITY)

#: Absolute coordinates: every body is a branch of both trees.
_ABSOLUTE: dict[Domain, _Ranking] = {
    Domain.TRANSLATION: (EdgeKind.ARM, EdgeKind.BODY),
    Domain.ROTATION: (EdgeKind.BODY,),
}

#: Joint coordinates: joints, the same in both trees, those with the fewest freedoms first, so that loops
#: are cut where most is free; bodies where no joint reaches.
_JOINTS = (
    EdgeKind.WELD,
    EdgeKind.REVOLUTE,
    EdgeKind.PRISMATIC,
    EdgeKind.SCREW,
    EdgeKind.UNIVERSAL,
    EdgeKind.CYLINDRICAL,
    EdgeKind.SPHERICAL,
    EdgeKind.PLANAR,
    EdgeKind.TRANSLATIONAL,
    EdgeKind.FREE,
)

#: McPhee's preferred order (4.4): the elements with the fewest unknown across variables first.
_PREFERRED: dict[Domain, _Ranking] = {
    Domain.TRANSLATION: (
        EdgeKind.ARM,
        EdgeKind.MOTION_DRIVER,
        EdgeKind.WELD,
        EdgeKind.REVOLUTE,
        EdgeKind.UNIVERSAL,
        EdgeKind.SPHERICAL,
        EdgeKind.PRISMATIC,
        EdgeKind.CYLINDRICAL,
        EdgeKind.SCREW,
        EdgeKind.PLANAR,
        EdgeKind.BODY,
        EdgeKind.TRANSLATIONAL,
        EdgeKind.FREE,
        *_LAST,
    ),
    Domain.ROTATION: (
        EdgeKind.MOTION_DRIVER,
        EdgeKind.WELD,
        EdgeKind.PRISMATIC,
        EdgeKind.TRANSLATIONAL,
        EdgeKind.BODY,
        EdgeKind.REVOLUTE,
        *_LAST,
    ),
}

#: In space a body brings three or four coordinates of rotation, so that joints with fewer come first.
_PREFERRED_SPATIAL_ROTATION: _Ranking = (
    EdgeKind.MOTION_DRIVER,
    EdgeKind.WELD,
    EdgeKind.PRISMATIC,
    EdgeKind.TRANSLATIONAL,
    EdgeKind.REVOLUTE,
    EdgeKind.CYLINDRICAL,
    EdgeKind.SCREW,
    EdgeKind.PLANAR,
    EdgeKind.UNIVERSAL,
    EdgeKind.BODY,
    EdgeKind.SPHERICAL,
    EdgeKind.FREE,
)

METHODS = {
    "ac": "absolute coordinates",
    "jc": "joint coordinates",
    "aac": "absolute angular coordinates: McPhee's preferred order",
}


def select_trees(model: SystemModel, graph: LinearGraph, method: str) -> TreeSelection:
    """The trees of ``method``: one of :data:`METHODS`, or the name of trees in the model file."""
    named = {trees.name: trees for trees in model.trees}
    if method in named:
        arms = _of_kinds(graph.translation, (EdgeKind.ARM,))
        branches = {
            Domain.TRANSLATION: (*arms, *named[method].translation),
            Domain.ROTATION: named[method].rotation,
        }
        _require_branches(graph, branches)
        return _selection(graph, method, branches, f"named in trees.{method}")
    if method not in METHODS:
        choices = ", ".join([*METHODS, *named])
        raise TreeError(f"there are no trees {method!r}; the model offers {choices}")
    ranked = {domain: _ranked(graph, domain, method) for domain in Domain}
    branches = {domain: greedy_branches(graph.domain(domain), ranked[domain]) for domain in Domain}
    return _selection(graph, method, branches, METHODS[method])


def _ranked(graphs: LinearGraph, domain: Domain, method: str) -> list[str]:
    graph = graphs.domain(domain)
    if method == "ac":
        return _of_kinds(graph, _ABSOLUTE[domain])
    if method == "jc":
        return [*_of_kinds(graph, (EdgeKind.ARM,)), *_joints(graphs), *_of_kinds(graph, (EdgeKind.BODY,))]
    if domain is Domain.ROTATION and not graphs.planar:
        return _of_kinds(graph, _PREFERRED_SPATIAL_ROTATION)
    return _of_kinds(graph, _PREFERRED[domain])


def _joints(graphs: LinearGraph) -> list[str]:
    """Joints by their number of freedoms, then in declared order."""
    freedoms = {edge.name: len(edge.motion) for edge in graphs.translation.edges if edge.kind in _JOINTS}
    for edge in graphs.rotation.edges:
        if edge.name in freedoms:
            freedoms[edge.name] += len(edge.motion)
    return sorted(freedoms, key=freedoms.__getitem__)


def _require_branches(graphs: LinearGraph, branches: dict[Domain, tuple[str, ...]]) -> None:
    """Refuse branches whose across variable is not described by coordinates of their own."""
    for domain, names in branches.items():
        for edge in graphs.domain(domain).edges:
            spring = domain is Domain.ROTATION and edge.kind is EdgeKind.SPRING and not graphs.planar
            if edge.name in names and (edge.kind is EdgeKind.ROD or spring):
                raise TreeError(
                    f"{edge.name} is a {edge.kind.value}, which cannot be in the {domain.value} tree"
                )


def _of_kinds(graph: DomainGraph, kinds: _Ranking) -> list[str]:
    """Edges of the given kinds, kind by kind; within a kind, fewest branch coordinates first."""
    return [
        edge.name
        for kind in kinds
        for edge in sorted((e for e in graph.edges if e.kind is kind), key=lambda e: len(e.motion))
    ]


def _selection(
    graph: LinearGraph, name: str, branches: dict[Domain, tuple[str, ...]], why: str
) -> TreeSelection:
    def tree(domain: Domain) -> SpanningTree:
        return span(graph.domain(domain), branches[domain])

    reasons = {
        (domain, branch): _reason(graph.domain(domain), branch, why)
        for domain in Domain
        for branch in branches[domain]
    }
    return TreeSelection(name, tree(Domain.TRANSLATION), tree(Domain.ROTATION), reasons)


def _reason(graph: DomainGraph, branch: str, why: str) -> str:
    edge = graph.edge(branch)
    count = len(edge.motion)
    coordinates = "no coordinate" if not count else ", ".join(axis.coordinate for axis in edge.motion)
    return f"{edge.kind.value}, brings {coordinates}; {why}"
